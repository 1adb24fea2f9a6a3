package desk

import (
	"slices"
	"sync"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/desk/injection"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// MaxFaultHits is the number of faults that a sandbox remembers (contract: OPEN.FAULT.LIST).
const MaxFaultHits = 500

// FaultHit is a fault that happened.
type FaultHit struct {
	// Ordinal counts the faults of a sandbox from 1.
	Ordinal uint64
	At      moment.Instant
	Kind    fault.Kind
	// RequestID and Operation are those of a request, DeliveryID and EventID those of a delivery.
	RequestID, Operation string
	DeliveryID, EventID  string
	// Injected is set for one that was asked for by hand.
	Injected bool
	// Detail says how it happened, "" where there is only one way.
	Detail string
}

// Faults are the injected faults of a sandbox. Their memory goes to the store like the
// activity of clients; the log of what happened is kept in memory alone.
type Faults struct {
	plan injection.Plan
	// all counts the memory of what is remembered of all sandboxes.
	all *Memory

	mu     sync.Mutex // guards the fields below
	memory injection.Memory
	// spells are those that the newest commit has.
	spells injection.Spells
	hits   []FaultHit
	count  uint64
}

// newFaults returns the faults of a plan, nil for those that are injected by hand alone.
func (c *Client) newFaults(plan *fault.Plan, memory injection.Memory) *Faults {
	if plan == nil {
		plan = &fault.Plan{DelayPct: 100}
	}
	return &Faults{plan: injection.Plan{Plan: plan}, memory: memory, all: c.memory}
}

// Faults returns what goes wrong in the sandbox, nil for nothing, and whether that is known yet: it is once the desk
// was loaded.
func (c *Client) Faults() (f *Faults, known bool) { return c.faults.Load(), c.restored.Load() }

// Inject asks for a fault, as soon as it can happen, or refuses with too_many_open. It returns all that is asked for of
// it then, and what takes it back: what is not committed was not asked for.
func (d *Desk) Inject(asked injection.Injection) (pending injection.Injection, undo func(), err error) {
	f := d.client.faults.Load()
	if f == nil {
		f = d.client.newFaults(nil, injection.Memory{})
		d.client.faults.Store(f)
		d.disturb()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.memory.Room(asked) {
		return pending, nil, problem.New(problem.TooManyOpen,
			"At most %d faults can be pending in a sandbox, which differ in kind, form or operations, each %d times.",
			injection.MaxInjected, injection.MaxCount).
			Hinting("Send requests that meet the pending faults. GET /sandbox lists them in faults.pending.")
	}
	undo = func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.memory.Withdraw(asked)
	}
	return f.memory.Inject(asked), undo, nil
}

// Plan returns what goes wrong.
func (f *Faults) Plan() *fault.Plan { return f.plan.Plan }

// Pending lists what was asked for by hand and has not happened yet.
func (f *Faults) Pending() []injection.Injection {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.memory.Injected)
}

// Begin draws for a call of a client, and counts it.
func (f *Faults) Begin(c injection.Call) *injection.Draw {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.memory.Begin(f.plan, c)
}

// Hit reports whether a call meets a fault of a kind at its station.
func (f *Faults) Hit(d *injection.Draw, kind fault.Kind) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.memory.Hit(d, kind)
}

// Send puts a request on its way that meets request_late, and reports whether it does. The request is only asked for
// when it does.
func (f *Faults) Send(d *injection.Draw, request func() injection.Late) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.memory.Hit(d, fault.RequestLate) {
		return false
	}
	f.memory.Send(d, request())
	return true
}

// Underway reports whether there are requests on their way.
func (f *Faults) Underway() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.memory.Late) > 0
}

// Arrive takes out the requests that arrive before a request with a key, "" for one that does not count, or all before
// a tick.
func (f *Faults) Arrive(key injection.System, minute sim.Minute, tick bool) []injection.Late {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.memory.Arrive(key, minute, tick)
}

// GiveBack undoes a hit that had no effect.
func (f *Faults) GiveBack(d *injection.Draw, kind fault.Kind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.memory.GiveBack(d, kind)
}

// strikes reports whether an attempt of a delivery meets a fault of a kind, and whether that was
// asked for by hand.
func (f *Faults) strikes(kind fault.Kind, d *injection.Delivery) (strikes, injected bool) {
	if f.plan.Strikes(kind, d) {
		return true, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, injected = f.memory.Take(kind, nil)
	return injected, injected
}

// Note remembers that a fault happened.
func (f *Faults) Note(h FaultHit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	h.Ordinal = f.count
	if n := len(f.hits); n > 0 { // also when the clock is set back
		h.At = max(h.At, f.hits[n-1].At)
	}
	if len(f.hits) >= MaxFaultHits {
		f.keep(MaxFaultHits - 1)
	}
	f.hits = append(f.hits, h)
	f.all.Bytes.Add(hitBytes)
}

// hitBytes is about how much memory a fault that happened takes up.
const hitBytes = 256

// keep forgets all faults but the newest. The lock is held.
func (f *Faults) keep(most int) {
	forgotten := max(0, len(f.hits)-most)
	f.hits = slices.Delete(f.hits, 0, forgotten)
	f.all.Bytes.Add(-hitBytes * int64(forgotten))
}

// shortens reports whether there is something that shorten forgets.
func (f *Faults) shortens() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.hits) > spared
}

// shorten forgets the older half of the faults that happened, but for a few, or all of them at the end.
func (f *Faults) shorten(end bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	most := max(spared, len(f.hits)/2)
	if end {
		most = 0
	}
	f.keep(most)
	f.hits = slices.Clone(f.hits)
}

// Forgive takes back that a request met a fault: it had no effect after all.
func (f *Faults) Forgive(d *injection.Draw, kind fault.Kind, requestID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.memory.GiveBack(d, kind)
	before := len(f.hits)
	f.hits = slices.DeleteFunc(f.hits, func(h FaultHit) bool { return h.Kind == kind && h.RequestID == requestID })
	f.all.Bytes.Add(-hitBytes * int64(before-len(f.hits)))
}

// Hits returns the newest faults, oldest first, and the ordinal of the newest.
func (f *Faults) Hits() (hits []FaultHit, newest uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.hits), f.count
}

// unstored reports whether no commit has the memory of faults as it is.
func (f *Faults) unstored() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.memory.Changed() || f.memory.Spells != f.spells
}
