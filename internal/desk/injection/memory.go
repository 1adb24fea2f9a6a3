package injection

import (
	"maps"
	"slices"
	"time"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// Memory is the state between the calls of a sandbox's clients. It lies beside the company and
// is stored with its commits, like the activity that missions watch: a crash may lose the
// newest part of it, so that some draws repeat.
type Memory struct {
	Spells
	// Calls count the calls of each path, by a part of its hash.
	Calls [Buckets]Calls
	// Injected counts what was asked for by hand and has not happened yet, in the order in which it was asked for.
	Injected []Injection
	// Late are the requests that are on their way, in the order in which they were sent.
	Late []Late

	// buckets and slots are the parts of Calls and Injected that have changed since Taken: a bit for each bucket.
	buckets uint32
	slots   map[int]bool
	// late are the places of Late that have changed since TakenLate.
	late map[int]bool
}

// Spells are the faults that last for several calls.
type Spells struct {
	// Storms are those of the keys of Head Office and of the Factory.
	Storms [2]Spell `json:"storms,omitzero"`
	// Away is the system that is away while Outage lasts.
	Away   System `json:"away,omitzero"`
	Outage Spell  `json:"outage,omitzero"`
}

// Buckets is into how many parts the counts are divided, each of which is stored when it has changed.
const Buckets = 32

// Calls count the calls of paths. Older are those of the paths before.
type Calls struct {
	Paths []byte `json:"paths,omitempty"`
	Older []byte `json:"older,omitempty"`
}

// Clone returns a copy that shares nothing with the original.
func (c *Calls) Clone() Calls {
	return Calls{Paths: slices.Clone(c.Paths), Older: slices.Clone(c.Older)}
}

const (
	// MaxInjected is how many injections may be pending, which differ in kind, form or operations (contract:
	// OPEN.FAULT.INJECT). What is given back may exceed that.
	MaxInjected = 100
	// MaxCount is how many times one of them may be asked for.
	MaxCount = 100
)

// Injection is a fault that was asked for by hand, so many times.
type Injection struct {
	Kind  fault.Kind `json:"kind"`
	Count int64      `json:"count"`
	// Operations limits it to some operations, in the order of their ids; when empty, it takes any call, or any
	// write (Definition.Writes of its kind).
	Operations []string `json:"operations,omitempty"`
	// Form is that of a lost request or response, "" for either by chance.
	Form fault.Form `json:"form,omitempty"`
	// Slot is the place where it is stored, which no other one has, and Asked counts injections.
	Slot  int    `json:"-"`
	Asked uint64 `json:"asked"`
}

// meets reports whether it happens to a call, nil for an attempt of a delivery.
func (i *Injection) meets(c *Call) bool {
	if c == nil {
		return true
	}
	if len(i.Operations) > 0 {
		return slices.Contains(i.Operations, c.Operation)
	}
	d, _ := fault.Lookup(i.Kind)
	return !d.Writes || c.Writes
}

// maxPaths is how many paths are remembered in a generation of a bucket. When it is full, the one before
// it is forgotten: calls of a path that was not heard of for so long are counted anew.
const maxPaths = 16

// Spell is something that lasts: so many calls under a clock that moves by hand, since the
// tick that would end it has to pass, and else until a minute.
type Spell struct {
	Calls int64      `json:"calls,omitzero"`
	Until sim.Minute `json:"until,omitzero"`
	// Status is how requests are turned away meanwhile.
	Status int `json:"status,omitzero"`
	// RetryAt is when the client of an outage may come again, as it was told: calls before that do not shorten it.
	RetryAt moment.Instant `json:"retry_at,omitzero"`
}

// early reports how much too soon a call comes. A clock that was set back makes none early.
func (s *Spell) early(c *Call, back time.Duration) (by time.Duration, early bool) {
	by = s.RetryAt.Sub(c.At)
	return by, s.RetryAt != 0 && by > 0 && by <= back
}

// takes reports whether it still lasts at a call, which it counts.
func (s *Spell) takes(c *Call) bool {
	switch {
	case s.Until > 0 && c.Minute < s.Until:
		return true
	case s.Calls > 0:
		s.Calls--
		return true
	default:
		*s = Spell{}
		return false
	}
}

// Lasts reports whether it goes on.
func (s *Spell) lasts(now sim.Minute) bool { return s.Calls > 0 || s.Until > now }

// MarkAll marks all that there is as changed, MarkSlot a place for an injection.
func (m *Memory) MarkAll() {
	m.buckets = 1<<Buckets - 1
	for i := range m.Injected {
		m.MarkSlot(m.Injected[i].Slot)
	}
	for i := range m.Late {
		m.MarkLate(m.Late[i].Place)
	}
}

// MarkSlot marks a place for an injection as changed.
func (m *Memory) MarkSlot(slot int) {
	if m.slots == nil {
		m.slots = map[int]bool{}
	}
	m.slots[slot] = true
}

// Changed reports whether Taken or TakenLate has something to return.
func (m *Memory) Changed() bool { return m.buckets != 0 || len(m.slots) > 0 || len(m.late) > 0 }

// Taken returns the numbers of the parts of Calls, and the slots, that have changed since it was last called.
func (m *Memory) Taken() (buckets, slots []int) {
	for i := range Buckets {
		if m.buckets&(1<<i) != 0 {
			buckets = append(buckets, i)
		}
	}
	slots = slices.Sorted(maps.Keys(m.slots))
	m.buckets, m.slots = 0, nil
	return buckets, slots
}

// InSlot returns a copy of the injection in a slot, nil for none.
func (m *Memory) InSlot(slot int) *Injection {
	at := slices.IndexFunc(m.Injected, func(i Injection) bool { return i.Slot == slot })
	if at < 0 {
		return nil
	}
	return new(m.Injected[at])
}

// next counts a call of a path, from 0.
func (m *Memory) next(what int64) int64 {
	hash := uint32(what)
	c := &m.Calls[hash%Buckets]
	m.buckets |= 1 << (hash % Buckets)
	n, known := counts(c.Paths).get(hash)
	if !known {
		n, _ = counts(c.Older).get(hash)
		if counts(c.Paths).len() >= maxPaths {
			c.Older, c.Paths = c.Paths, nil
		}
	}
	c.Paths = counts(c.Paths).set(hash, n+1)
	return n
}

// Take takes an injection of a kind for a call, nil for an attempt of a delivery. It returns the injection, to happen
// once, and whether there was one.
func (m *Memory) Take(kind fault.Kind, c *Call) (taken Injection, ok bool) {
	at := slices.IndexFunc(m.Injected, func(i Injection) bool { return i.Kind == kind && i.meets(c) })
	if at < 0 {
		return taken, false
	}
	taken = m.Injected[at]
	taken.Count = 1
	m.withdraw(at, 1)
	return taken, true
}

// Withdraw takes back what Inject asked for.
func (m *Memory) Withdraw(i Injection) {
	if at := m.like(i); at >= 0 {
		m.withdraw(at, i.Count)
	}
}

func (m *Memory) withdraw(at int, count int64) {
	m.MarkSlot(m.Injected[at].Slot)
	if m.Injected[at].Count -= count; m.Injected[at].Count <= 0 {
		m.Injected = slices.Delete(m.Injected, at, at+1)
	}
}

// like finds the injection of the same kind, form and operations.
func (m *Memory) like(i Injection) int {
	return slices.IndexFunc(m.Injected, func(other Injection) bool {
		return other.Kind == i.Kind && other.Form == i.Form && slices.Equal(other.Operations, i.Operations)
	})
}

// Room reports whether an injection may be asked for.
func (m *Memory) Room(i Injection) bool {
	if at := m.like(i); at >= 0 {
		return m.Injected[at].Count+i.Count <= MaxCount
	}
	return len(m.Injected) < MaxInjected
}

// Inject asks for a fault, as soon as it can be. It returns all that is asked for of it then.
func (m *Memory) Inject(i Injection) Injection {
	at := m.like(i)
	if at >= 0 {
		m.Injected[at].Count += i.Count
		m.MarkSlot(m.Injected[at].Slot)
		return m.Injected[at]
	}
	i.Slot, i.Asked = 0, 1
	if n := len(m.Injected); n > 0 {
		i.Asked += m.Injected[n-1].Asked
	}
	for slices.ContainsFunc(m.Injected, func(other Injection) bool { return other.Slot == i.Slot }) {
		i.Slot++
	}
	m.Injected = append(m.Injected, i)
	m.MarkSlot(i.Slot)
	return i
}

// Draw has the faults of a call. It is drawn when the call comes, and each station asks for
// its own kind.
type Draw struct {
	plan Plan
	call Call
	n    int64
	// Away is the system that is away during the call, "" for none, AwayUntil when it is back, 0 for no certain
	// minute.
	Away      System
	AwayUntil sim.Minute
	// Turned is the status with which the call is turned away, 0 to let it in.
	Turned int
	// Back is how long the client is asked to wait then.
	Back time.Duration
	// Until is when it may come again, 0 for no certain minute.
	Until sim.Minute
	// Kind is that of the fault that turned it away.
	Kind fault.Kind
	// taken are the injections that were taken, by their kind.
	taken []Injection
}

// Lengths of storms and outages: in calls under a clock that moves by hand, else in minutes of the
// company, eight of which pass in a second: an outage is over in two to six seconds, longer than three quick retries.
const (
	leastStormCalls, mostStormCalls     = 1, 3
	leastOutageCalls, mostOutageCalls   = 2, 4
	leastStormMinutes, mostStormMinutes = 1, 4
	leastAwayMinutes, mostAwayMinutes   = 16, 48

	statusUnavailable = 503
	statusTooMany     = 429

	// backMS is for how long a call is sent away while nobody knows the end.
	backMS = 1_000
)

// Begin draws for a call, and counts it.
func (m *Memory) Begin(p Plan, c Call) *Draw {
	d := &Draw{plan: p, call: c, n: m.next(c.what()), Back: p.scaled(backMS)}
	if !m.outage(d) {
		m.storm(d)
	}
	return d
}

// outage lets an outage begin and go on, and reports whether it turns the call away.
func (m *Memory) outage(d *Draw) bool {
	p, c := d.plan, &d.call
	by, early := m.Outage.early(c, d.Back)
	if m.Away != "" {
		if !early && !m.Outage.takes(c) {
			m.Away = ""
		}
	} else if p.hits(fault.Outage, c, d.n) || c.System != "" && m.take(fault.Outage, d) {
		m.Away = goesAway(d)
		bounds := [4]int64{leastOutageCalls, mostOutageCalls, leastAwayMinutes, mostAwayMinutes}
		m.Outage = p.spell(fault.Outage, c, d.n, bounds)
	}
	if d.Away = m.Away; d.Away != "" {
		d.AwayUntil = m.Outage.Until
	}
	if d.Away != "" && d.Away == c.System {
		d.Turned, d.Kind, d.Until = statusUnavailable, fault.Outage, m.Outage.Until
		if early {
			d.Back = by
		}
		m.Outage.RetryAt = c.At.Add(d.Back)
		return true
	}
	return false
}

// storm lets a storm of the key begin and go on.
func (m *Memory) storm(d *Draw) {
	p, c := d.plan, &d.call
	s := &m.Storms[0]
	if c.Key == Factory {
		s = &m.Storms[1]
	}
	if s.lasts(0) && s.Status != 0 {
		status := s.Status
		if s.takes(c) {
			d.Turned, d.Kind, d.Until = status, fault.Storm, s.Until
		}
		return
	}
	if !p.hits(fault.Storm, c, d.n) && !m.take(fault.Storm, d) {
		return
	}
	*s = p.spell(fault.Storm, c, d.n, [4]int64{leastStormCalls, mostStormCalls, leastStormMinutes, mostStormMinutes})
	s.Status = statusUnavailable
	if p.stream(fault.Storm).Draw(c.what(), d.n, drawHow, 1)&1 == 1 {
		s.Status = statusTooMany
	}
	d.Turned, d.Kind, d.Until = s.Status, fault.Storm, s.Until
}

// goesAway is the system that goes away with a call: its own, and one of them with the feed and
// the other shared routes.
func goesAway(d *Draw) System {
	switch {
	case d.call.System != "":
		return d.call.System
	case d.plan.how(fault.Outage, &d.call, d.n, 2) == 1:
		return Factory
	}
	return Office
}

// spell is how long something lasts after the call with which it began.
func (p Plan) spell(kind fault.Kind, c *Call, n int64, bounds [4]int64) Spell {
	if c.Manual {
		return Spell{Calls: bounds[0] - 1 + p.stream(kind).Below(bounds[1]-bounds[0]+1, c.what(), n, drawLong)}
	}
	minutes := bounds[2] + p.stream(kind).Below(bounds[3]-bounds[2]+1, c.what(), n, drawLong)
	return Spell{Until: c.Minute + sim.Minute(minutes)}
}

// Hit reports whether the call meets a fault of a kind, by the plan or by hand.
func (m *Memory) Hit(d *Draw, kind fault.Kind) bool {
	if d.plan.hits(kind, &d.call, d.n) {
		return true
	}
	return m.take(kind, d)
}

func (m *Memory) take(kind fault.Kind, d *Draw) (ok bool) {
	taken, ok := m.Take(kind, &d.call)
	if ok {
		d.taken = append(d.taken, taken)
	}
	return ok
}

// GiveBack undoes a hit of a kind that had no effect: what was asked for by hand is still to come.
func (m *Memory) GiveBack(d *Draw, kind fault.Kind) {
	for _, taken := range d.taken {
		if taken.Kind == kind {
			m.Inject(taken)
		}
	}
}

// How returns a number below a bound that says how a fault of a kind happens to the call.
func (d *Draw) How(kind fault.Kind, below int64) int64 { return d.plan.how(kind, &d.call, d.n, below) }

// Form is how a lost request or response looks: as its injection or its rule says, else by chance.
func (d *Draw) Form(kind fault.Kind) fault.Form {
	form := fault.Form("")
	if at := slices.IndexFunc(d.taken, func(i Injection) bool { return i.Kind == kind }); at >= 0 {
		form = d.taken[at].Form
	} else if r := d.plan.rule(kind, &d.call); r != nil {
		form = r.Form
	}
	switch {
	case form != "":
		return form
	case d.How(kind, 2) == 0:
		return fault.Cut
	default:
		return fault.Failed
	}
}

// Slow is how long the response of a call takes that is slow.
func (d *Draw) Slow() time.Duration {
	return d.plan.slow(d.plan.rule(fault.SlowResponse, &d.call), &d.call, d.n)
}

// Off is by how much the clock of the system is off that responds.
func (d *Draw) Off() time.Duration { return d.plan.Off(&d.call) }

// Call is the call that was drawn for.
func (d *Draw) Call() *Call { return &d.call }
