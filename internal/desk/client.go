package desk

import (
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/company/integration"
	"platen/internal/company/mission"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/desk/activity"
)

// Client is the part that outlives the company in memory: what the client of a sandbox did, request by request. Reads
// and refusals change it and wait for no writer.
type Client struct {
	// Calls are its requests.
	Calls CallLog

	memory *Memory
	// faults are the injected faults, nil for none, once restored is set.
	faults   atomic.Pointer[Faults]
	restored atomic.Bool
	// unsure is set once a commit failed: the store may not have what a desk has written into it.
	unsure atomic.Bool

	mu sync.Mutex // guards the fields below
	// activity is stored with the next commit, whatever that is, and with the snapshots of idle companies and of a
	// server that stops. Of it, Noted are the signals since it was loaded.
	activity activity.ClientActivity
	// intents are those that a fault hit.
	intents activity.Intents
	// feedRead is the number of the newest event that a client has read, reads the newest of
	// its reads.
	feedRead uint64
	reads    activity.Reads

	// refused is the count of the activity, for readers without the lock.
	refused atomic.Int64
}

// NewClient returns a client of which nothing is known. What is remembered of its requests counts in a memory.
func NewClient(memory *Memory) *Client { return &Client{memory: memory} }

// Seen has what the missions know when a request was observed.
type Seen struct {
	Known mission.Signals
	// Newest is the number of the newest event of the feed, AcknowledgedTwice as in Summary.
	Newest, AcknowledgedTwice uint64
	// Today is the in-world day.
	Today sim.Day
	// Evaluation is set where players are compared: there are no missions of failures.
	Evaluation bool
}

// Observe takes a request in, and returns the signals that were known and those
// that it adds: of two requests that complete a mission together, the second
// sees the first. It also returns the decision that the request made again.
func (c *Client) Observe(call *activity.Call, seen Seen) (known, added mission.Signals, repeats *activity.Decision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known = seen.Known | c.activity.Noted
	if seen.Evaluation {
		known |= mission.OfFailures
	}
	added = c.activity.Observe(call, known)
	if d := &c.activity.Decisions; call.Made != nil || len(d.Lost)+len(d.Repeated) > 0 {
		repeats = c.activity.Decide(call, seen.Today)
	}
	if len(c.intents.Known) > 0 {
		c.intents.Show(call)
	}
	c.activity.Mind(call, &c.reads)
	if call.FeedRange.Read {
		c.feedRead = max(c.feedRead, min(call.FeedRange.Last, seen.Newest))
	}
	if twice := seen.AcknowledgedTwice; twice > 0 && c.feedRead >= twice {
		added |= mission.HandledTwice &^ known
	}
	c.activity.Noted |= added
	c.refused.Store(c.activity.Refused)
	return known, added, repeats
}

// Signals returns those that were noted, when an event with a number has been
// acknowledged twice.
func (c *Client) Signals(twice uint64) mission.Signals {
	c.mu.Lock()
	defer c.mu.Unlock()
	if twice > 0 && c.feedRead >= twice {
		c.activity.Noted |= mission.HandledTwice
	}
	return c.activity.Noted
}

// Repeat notes that a decision was made again whose response was lost.
func (c *Client) Repeat(lost *activity.Decision, again string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity.Decisions.Repeat(lost, again)
}

// Repeated returns the decisions that were made again.
func (c *Client) Repeated() []integration.Repetition {
	c.mu.Lock()
	defer c.mu.Unlock()
	repeated := make([]integration.Repetition, len(c.activity.Decisions.Repeated))
	for i := range c.activity.Decisions.Repeated {
		r := &c.activity.Decisions.Repeated[i]
		repeated[i] = integration.Repetition{
			Resource: r.Resource, ID: r.ID, Again: append([]string(nil), r.Again...), Day: r.Day, Answered: r.Answered,
		}
	}
	return repeated
}

// Concerned reports whether Follow is to be told of a write.
func (c *Client) Concerned(call *activity.Call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.intents.Concerns(call)
}

// Follow takes in a write that carries something, whose subject is known by its id.
func (c *Client) Follow(call *activity.Call, delivered func(after, last uint64) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.intents.Follow(call, delivered)
}

// Intents returns those that a fault hit.
func (c *Client) Intents() []integration.Intent {
	c.mu.Lock()
	defer c.mu.Unlock()
	intents := make([]integration.Intent, len(c.intents.Known))
	for i := range c.intents.Known {
		t := &c.intents.Known[i]
		intents[i] = integration.Intent{
			Operation: t.Operation, Step: integration.Kind(t.Step), Subject: t.Subject, Day: t.Day, Closed: t.Closed,
			Luck:  t.Late && !t.Shown,
			Saved: t.Outcome == activity.Saved, Twice: t.Outcome == activity.Twice, Made: t.Made, Hit: t.Hit,
		}
	}
	return intents
}

// Writes counts the writes that were accepted, refused and replayed.
func (c *Client) Writes() (accepted, refused, replayed int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.activity.Accepted, c.activity.Refused, c.activity.Replayed
}

// Manners returns how considerate the client is.
func (c *Client) Manners() activity.Manners {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.activity.Manners
}

// WritesRefused is the number of writes that were refused. It waits for nobody.
func (c *Client) WritesRefused() int64 { return c.refused.Load() }

// restore takes up what was stored of the client, unless it is known here: then it is ahead of the store, and after a
// commit that failed all of the memory of faults is to be stored anew.
func (d *Desk) restore(st state, stored jsontext.Value) error {
	c := d.client
	d.stored = sim.Hash(string(stored))
	if c.restored.Load() {
		if c.unsure.Swap(false) {
			d.markFaults(st.Spells)
			c.mu.Lock()
			c.intents.MarkAll()
			c.mu.Unlock()
		}
		d.disturb()
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(stored) > 0 {
		if err := record.DecodeState(stored, &c.activity); err != nil {
			return err //nolint:wrapcheck // it says what it decodes
		}
	}
	c.activity.Manners = st.Manners
	c.refused.Store(c.activity.Refused)
	c.intents = d.storedIntents()
	d.restoreFaults(st.Spells)
	c.restored.Store(true)
	d.disturb()
	return nil
}

// state returns the state to store. Signals that the company has are no longer noted.
func (d *Desk) state() state {
	c := d.client
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.activity // its slices are encoded before the lock is given back
	now.Noted &^= d.company.Signals()
	now.Manners = activity.Manners{}
	st := state{Activity: record.Encode(&now), Manners: c.activity.Manners}
	if f := c.faults.Load(); f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		st.Spells = f.memory.Spells
	}
	return st
}
