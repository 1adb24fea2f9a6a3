package sandbox

import (
	"context"
	"slices"
	"sync"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/moment"
	"platen/internal/problem"
	"platen/internal/sandbox/apikey"
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
	plan *fault.Plan
	// all counts the memory of what is remembered of all sandboxes.
	all *callMemory

	mu     sync.Mutex // guards the fields below
	memory fault.Memory
	hits   []FaultHit
	count  uint64
	// pinned are the states that reads of the keys of Head Office and of the Factory show.
	pinned [2]pin
}

// pin is a state that reads of a key show for a while.
type pin struct {
	view *View
	left int
}

// Faults returns what goes wrong in the sandbox, nil for nothing. It loads the company if it
// was never loaded here.
func (s *Sandbox) Faults(ctx context.Context) *Faults {
	if !s.recalled.Load() {
		if _, err := s.View(ctx); err != nil {
			return nil // the rest of the request finds that out
		}
	}
	return s.faults.Load()
}

// restoreFaults takes up what was stored with the company.
func (s *Sandbox) restoreFaults() {
	settings, memory := s.company.Settings(), s.company.FaultMemory()
	if settings.Faults != nil || len(memory.Injected) > 0 {
		s.faults.Store(s.newFaults(settings.Faults, memory.Clone()))
	}
	s.recalled.Store(true)
}

func (s *Sandbox) newFaults(plan *fault.Plan, memory fault.Memory) *Faults {
	if plan == nil { // by hand alone
		plan = &fault.Plan{DelayPct: 100}
	}
	return &Faults{plan: plan, memory: memory, all: &s.registry.calls}
}

// storeFaults hands what has to be remembered to the company, to be stored with it, and
// reports whether it has changed.
func (s *Sandbox) storeFaults() (changed bool) {
	f := s.faults.Load()
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return s.company.CarryFaults(f.memory.Clone())
}

// InjectFault asks for a fault, as soon as it can happen, or refuses with too_many_open. It returns all that is asked
// for of it then.
func (tx *Tx) InjectFault(asked fault.Injection) (pending fault.Injection, err error) {
	s := tx.sandbox
	f := s.faults.Load()
	if f == nil {
		f = s.newFaults(nil, fault.Memory{})
		s.faults.Store(f)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.memory.Room(asked) {
		return fault.Injection{}, problem.New(problem.TooManyOpen,
			"At most %d faults can be pending in a sandbox, which differ in kind or operations, each %d times.",
			fault.MaxInjected, fault.MaxCount).
			Hinting("Send requests that meet the pending faults. GET /sandbox lists them in faults.pending.")
	}
	tx.undo = func() { // what is not committed was not asked for
		f.mu.Lock()
		defer f.mu.Unlock()
		f.memory.Withdraw(asked)
	}
	return f.memory.Inject(asked), nil
}

// Plan returns what goes wrong.
func (f *Faults) Plan() *fault.Plan { return f.plan }

// Pending lists what was asked for by hand and has not happened yet.
func (f *Faults) Pending() []fault.Injection {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.memory.Injected)
}

// Begin draws for a call of a client, and counts it.
func (f *Faults) Begin(c fault.Call) *fault.Draw {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.memory.Begin(f.plan, c)
}

// Hit reports whether a call meets a fault of a kind at its station.
func (f *Faults) Hit(d *fault.Draw, kind fault.Kind) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.memory.Hit(d, kind)
}

// GiveBack undoes a hit that had no effect.
func (f *Faults) GiveBack(d *fault.Draw, kind fault.Kind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.memory.GiveBack(d, kind)
}

// strikes reports whether an attempt of a delivery meets a fault of a kind, and whether that was
// asked for by hand.
func (f *Faults) strikes(kind fault.Kind, d *fault.Delivery) (strikes, injected bool) {
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
	f.all.bytes.Add(hitBytes)
}

// hitBytes is about how much memory a fault that happened takes up.
const hitBytes = 256

// keep forgets all faults but the newest. The lock is held.
func (f *Faults) keep(most int) {
	forgotten := max(0, len(f.hits)-most)
	f.hits = slices.Delete(f.hits, 0, forgotten)
	f.all.bytes.Add(-hitBytes * int64(forgotten))
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
func (f *Faults) Forgive(d *fault.Draw, kind fault.Kind, requestID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.memory.GiveBack(d, kind)
	before := len(f.hits)
	f.hits = slices.DeleteFunc(f.hits, func(h FaultHit) bool { return h.Kind == kind && h.RequestID == requestID })
	f.all.bytes.Add(-hitBytes * int64(before-len(f.hits)))
}

// Hits returns the newest faults, oldest first, and the ordinal of the newest.
func (f *Faults) Hits() (hits []FaultHit, newest uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.hits), f.count
}

const (
	// maxStaleMinutes is how far behind a stale read is at most, in working minutes.
	maxStaleMinutes sim.Minute = 60
	// maxStaleReads is how many reads of a key are stale in a row at most.
	maxStaleReads = 20
)

func keyNumber(system apikey.System) int {
	if system == apikey.Factory {
		return 1
	}
	return 0
}

// Pin lets the reads of a key show a state for a while.
func (f *Faults) Pin(system apikey.System, v *View) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pinned[keyNumber(system)] = pin{v, maxStaleReads}
}

// Unpin ends that: the key has written.
func (f *Faults) Unpin(system apikey.System) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pinned[keyNumber(system)] = pin{}
}

// Pinned returns the state that a read of a key shows in place of the present one, and whether
// it is another one.
func (f *Faults) Pinned(system apikey.System, v *View) (shown *View, stale bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.pinned[keyNumber(system)]
	if p.view == nil {
		return v, false
	}
	if p.left--; p.left < 0 || v.Summary.Now-p.view.Summary.Now > maxStaleMinutes {
		*p = pin{}
		return v, false
	}
	return p.view, p.view.Version != v.Version
}
