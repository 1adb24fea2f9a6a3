package activity

import (
	"slices"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

const (
	// maxLostDecisions and maxRepetitions bound the decisions that are remembered.
	maxLostDecisions = 16
	maxRepetitions   = 1000
)

// Decision is a purchase or a trade that nothing obliges to, as a write carried it out.
type Decision struct {
	Resource string `json:"resource"`
	ID       string `json:"id"`
	// Content is a hash of the write's path and of its body as it was understood, Key that of the write and its
	// Idempotency-Key.
	Content uint64 `json:"content"`
	Key     uint64 `json:"key,omitzero"`
	// Day is the in-world day, Answered when the response was ready.
	Day      sim.Day        `json:"day"`
	Answered moment.Instant `json:"answered"`
	// After is the number of the last event before those of the write, Last that of their last.
	After uint64 `json:"after"`
	Last  uint64 `json:"last"`
}

// Repetition is a decision that a client made again because the response was lost, with the ids of the records
// that the repetitions created.
type Repetition struct {
	Decision

	Again []string `json:"again"`
}

// Decisions remembers those whose responses were lost, until the client learns of them, and those that were made
// again. The oldest is forgotten first.
type Decisions struct {
	Lost     []Decision   `json:"lost,omitempty"`
	Repeated []Repetition `json:"repeated,omitempty"`
}

// Decide looks for a decision that the client repeats although it was carried out. It returns the one whose response
// was lost, nil for none. A client that gets the stored response, or is shown the record, makes a new decision. Until
// the day is over, the stored response also withdraws a repetition.
func (c *ClientActivity) Decide(call *Call, today sim.Day) *Decision {
	d := &c.Decisions
	if call.Names != nil && call.got() {
		d.Lost = dropped(d.Lost, func(lost Decision) bool { return call.Names(lost.ID) })
	}
	if call.Replayed && call.got() && call.Key != 0 {
		d.Lost = dropped(d.Lost, func(lost Decision) bool { return lost.Key == call.Key })
		d.Repeated = dropped(d.Repeated, func(r Repetition) bool { return r.Key == call.Key && r.Day >= today })
	}
	if call.Made == nil || call.Replayed || !call.succeeded() {
		return nil
	}
	made := *call.Made
	made.Key, made.Answered = call.Key, call.Answered
	var repeats *Decision
	for i := range d.Lost {
		if lost := &d.Lost[i]; lost.Content == made.Content && lost.Day == made.Day && lost.Answered <= call.Arrived {
			repeats = new(*lost)
			break
		}
	}
	if call.Fault == fault.ResponseLost {
		d.Lost = remember(d.Lost, made, maxLostDecisions)
	}
	return repeats
}

// dropped removes what matches. None is nil, as in without.
func dropped[T any](all []T, match func(T) bool) []T {
	if all = slices.DeleteFunc(all, match); len(all) == 0 {
		return nil
	}
	return all
}

// Repeat remembers that a decision was made again.
func (d *Decisions) Repeat(lost *Decision, again string) {
	i := slices.IndexFunc(d.Repeated, func(r Repetition) bool { return r.ID == lost.ID })
	if i < 0 {
		d.Repeated = remember(d.Repeated, Repetition{Decision: *lost}, maxRepetitions)
		i = len(d.Repeated) - 1
	}
	d.Repeated[i].Again = append(d.Repeated[i].Again, again)
}
