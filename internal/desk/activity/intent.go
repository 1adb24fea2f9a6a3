package activity

import (
	"maps"
	"slices"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// MaxIntents is how many intents that a fault hit are remembered; later ones count for nothing (contract:
// OPEN.INTEGRATION.HIT).
const MaxIntents = 1000

// Intended says which record a write carries, or that it is a decision of the client.
type Intended struct {
	// Operation is its id, Step what it does for the integration.
	Operation string `json:"operation"`
	Step      string `json:"step"`
	// Subject is the record that it is for, as the client named it until it is found; "" for a decision. An Intent
	// has its id.
	Subject string `json:"subject,omitzero"`
	// Part is the name of the parcel that a bill is for, "" without one: an order can have several.
	Part string `json:"part,omitzero"`
	// Content is a hash of the write's path and of its body as it was understood, Day the in-world day: of an Intent
	// that of the newest hit. Both tell decisions apart.
	Content uint64  `json:"content,omitzero"`
	Day     sim.Day `json:"day,omitzero"`
	// Made is the record that the write created or changed, "" for one that was not carried out; its events are those
	// after the number After, up to Last.
	Made  string `json:"made,omitzero"`
	After uint64 `json:"after,omitzero"`
	Last  uint64 `json:"last,omitzero"`
}

// Outcome says how an intent was carried that the program did not carry itself.
type Outcome string

// Outcomes. Saved is that a check of the company refused to do it again, Twice that it was done again.
const (
	Saved Outcome = "saved"
	Twice Outcome = "repeated"
)

// Intent is a write that a fault hit, until it is judged and after. It has ids, hashes and numbers alone.
type Intent struct {
	Intended

	// Key is that of the write which was carried out without a response, 0 for none, and Answered when its response
	// was ready.
	Key      uint64         `json:"key,omitzero"`
	Answered moment.Instant `json:"answered,omitzero"`
	// Shown is set once the client learned that it was carried out.
	Shown bool `json:"shown,omitzero"`
	// Closed is set while the newest attempt was not turned away.
	Closed  bool    `json:"closed,omitzero"`
	Outcome Outcome `json:"outcome,omitzero"`
	// Hit is when a fault hit it last.
	Hit moment.Instant `json:"hit"`
	// Done is set once an attempt was carried out and its client told. Late is set where Made came of a request that
	// arrived late.
	Done bool `json:"done,omitzero"`
	Late bool `json:"late,omitzero"`
}

// Intents remembers the intents that a fault hit, in the order of the first hits.
type Intents struct {
	Known []Intent
	// changed are the places of those that no commit has.
	changed map[int]bool
}

// NewIntents returns those that were stored.
func NewIntents(stored []Intent) Intents { return Intents{Known: stored} }

// Changed reports whether Taken has something to return.
func (s *Intents) Changed() bool { return len(s.changed) > 0 }

// MarkAll marks all as changed.
func (s *Intents) MarkAll() {
	for i := range s.Known {
		s.mark(i)
	}
}

// Taken returns the places of those that have changed since it was last called.
func (s *Intents) Taken() []int {
	places := slices.Sorted(maps.Keys(s.changed))
	s.changed = nil
	return places
}

// At returns the intent at a place.
func (s *Intents) At(place int) Intent { return s.Known[place] }

func (s *Intents) mark(place int) {
	if s.changed == nil {
		s.changed = map[int]bool{}
	}
	s.changed[place] = true
}

// Show takes in what the response to any request shows.
func (s *Intents) Show(call *Call) {
	if call.Names == nil || !call.got() {
		return
	}
	for i := range s.Known {
		if t := &s.Known[i]; t.Made != "" && !t.Shown && call.Names(t.Made) {
			t.Shown = true
			s.mark(i)
		}
	}
}

// Concerns reports whether a write is a hit, or of an operation that was hit before.
func (s *Intents) Concerns(call *Call) bool {
	return call.Intent != nil && (call.hit() || slices.ContainsFunc(s.Known,
		func(t Intent) bool { return t.Operation == call.Intent.Operation }))
}

// Follow takes in a write whose subject is known by its id. delivered reports whether a receiver acknowledged one of
// the events after a number, up to another.
func (s *Intents) Follow(call *Call, delivered func(after, last uint64) bool) {
	in, hit := call.Intent, call.hit()
	at := slices.IndexFunc(s.Known, func(t Intent) bool {
		return t.Operation == in.Operation && t.Subject == in.Subject && t.Part == in.Part &&
			(in.Subject != "" || t.Content == in.Content && t.Day == in.Day)
	})
	switch {
	case at < 0 && (!hit || len(s.Known) >= MaxIntents):
		return
	case at < 0:
		s.Known = append(s.Known, Intent{Intended: *in, Hit: call.Answered})
		at = len(s.Known) - 1
		s.Known[at].Made, s.Known[at].After, s.Known[at].Last = "", 0, 0
	}
	t := &s.Known[at]
	s.mark(at)
	if call.Late {
		t.arrive(call)
		return
	}
	unaware := t.Made != "" && !t.Shown && t.Key != call.Key && t.Answered <= call.Arrived
	carried := in.Made != "" && call.succeeded() && !call.Replayed
	switch {
	case unaware && delivered(t.After, t.Last):
		t.Shown = true
	case unaware && carried && (!t.several() || t.Content == in.Content):
		t.Outcome = Twice
	case unaware && guards(t.Step, call.Code):
		t.Outcome = Saved
	}
	if call.Replayed && call.got() && !hit && t.Key == call.Key {
		t.Shown = true
		if t.Subject == "" && t.Day == in.Day { // the client may still ask for it until the day is over
			t.Outcome = ""
		}
	}
	t.Closed, t.Done = !hit && !call.toldToWait(), t.Done || carried && !hit
	if !hit {
		return
	}
	t.Hit, t.Day = call.Answered, in.Day
	if carried && call.lost() && (t.Made == "" || t.Shown) {
		t.Made, t.After, t.Last, t.Shown = in.Made, in.After, in.Last, false
		t.Key, t.Answered, t.Content, t.Late = call.Key, call.Answered, in.Content, false
	}
}

// arrive takes in what came of a request that arrived late: nothing, where it had been carried out meanwhile.
func (t *Intent) arrive(call *Call) {
	in := call.Intent
	carried := in.Made != "" && call.succeeded() && !call.Replayed
	before := t.Done || t.Made != ""
	switch {
	case carried && before && (!t.several() || t.Content == in.Content):
		t.Outcome = Twice
	case carried && !before:
		t.Made, t.After, t.Last, t.Shown, t.Late = in.Made, in.After, in.Last, false, true
		t.Key, t.Answered, t.Content = call.Key, call.Arrived, in.Content
	case t.Done && guards(t.Step, call.Code):
		t.Outcome = Saved
	}
}

// Steps of which several of one order may add up to it: receipts of goods, and bills that name no parcel.
const receipt, parcel = "receipt", "parcel"

// several reports whether another write for the same subject may be as right.
func (t *Intent) several() bool { return t.Step == receipt || t.Step == parcel && t.Part == "" }

// guards reports whether a code says that a step was taken before, where double work would let it be taken again.
func guards(step string, code problem.Code) bool {
	switch step {
	case "order", "requisition":
		return code == problem.DuplicateReference
	case receipt:
		return code == problem.DuplicateReference || code == problem.QuantityExceedsOrder
	case parcel:
		return code == problem.InvalidState || code == problem.DuplicateReference
	}
	return false
}

// lost reports whether the client has no response to a request that was dealt with.
func (c *Call) lost() bool { return c.Fault == fault.ResponseLost || c.Fault == fault.SlowResponse }

// hit reports whether a fault left the client without a response that settles the write.
func (c *Call) hit() bool {
	switch c.Fault {
	case fault.RequestLost, fault.RequestLate, fault.ResponseLost, fault.SlowResponse, fault.Storm, fault.Outage,
		fault.InProgress:
		return true
	default:
		return false
	}
}

// toldToWait reports whether the response asks the client to come again.
func (c *Call) toldToWait() bool {
	const serverError = 500
	return c.Status == tooManyRequests || c.Status >= serverError || c.Code == problem.RequestInProgress
}
