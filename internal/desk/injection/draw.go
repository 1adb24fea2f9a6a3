// Package injection decides which faults a call of a client or a delivery meets, and remembers what that takes.
//
// A decision is a pure function of the plan's seed, of the kind of fault, and of what is being done: the n-th call of
// a path with a key, or an attempt of a delivery. So the same seed and the same calls on each path meet the same
// faults, whatever happens beside them. The state that this needs is a Memory.
package injection

import (
	"slices"
	"time"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// System is one of the two systems.
type System string

// Systems.
const (
	Office  System = "office"
	Factory System = "factory"
)

// Call is a request of a client, as far as faults depend on it.
type Call struct {
	// Key is the system of the key that was sent, System the one whose route it is, "" for a
	// route that takes either key.
	Key, System System
	// Operation is its id, Method and Path what was sent, without the query.
	Operation, Method, Path string
	// Writes is set for a call that is no read.
	Writes bool
	// Minute is the in-world minute, Manual is set where it moves by ticks alone.
	Minute sim.Minute
	Manual bool
	// At is the time of the wall at which it came.
	At moment.Instant
}

// what identifies the path of a call with its key.
func (c *Call) what() int64 {
	return int64(sim.Hash(string(c.Key) + " " + c.Method + " " + c.Path))
}

// Plan decides by a plan of faults.
type Plan struct{ *fault.Plan }

// rule returns the first rule of a kind that is about a call.
func (p Plan) rule(kind fault.Kind, c *Call) *fault.Rule {
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Kind == kind && holds(r, c) {
			return r
		}
	}
	return nil
}

// holds reports whether a rule is about a call.
func holds(r *fault.Rule, c *Call) bool {
	return c.Minute >= r.FromMinute && (r.ToMinute == 0 || c.Minute < r.ToMinute) &&
		(len(r.Operations) == 0 || slices.Contains(r.Operations, c.Operation))
}

// stream is that of a kind.
func (p Plan) stream(kind fault.Kind) sim.Stream { return sim.NewStream(p.Seed, "fault."+string(kind)) }

// Constants of a kind's second draw, beside the one that decides whether it happens.
const (
	drawWhether = iota
	drawHow
	drawLong
)

// hits reports whether the n-th call of a path meets a fault.
func (p Plan) hits(kind fault.Kind, c *Call, n int64) bool {
	r := p.rule(kind, c)
	return r != nil && p.stream(kind).PPM(c.what(), n, drawWhether) < r.SharePPM
}

// how returns a number below a bound that says how a fault happens to a call.
func (p Plan) how(kind fault.Kind, c *Call, n, below int64) int64 {
	return p.stream(kind).Below(below, c.what(), n, drawHow)
}

// scaled is a delay of so many milliseconds, as long as the plan has delays take.
func (p Plan) scaled(ms int64) time.Duration {
	return time.Duration(ms*p.DelayPct/100) * time.Millisecond
}

const (
	// One slow response in slowOneIn takes verySlowMS.
	slowOneIn  = 100
	verySlowMS = 35_000
)

// slow is how long a slow response takes.
func (p Plan) slow(r *fault.Rule, c *Call, n int64) time.Duration {
	d, _ := fault.Lookup(fault.SlowResponse)
	switch {
	case r != nil && r.DelayMS != nil:
		return p.scaled(*r.DelayMS)
	case p.how(fault.SlowResponse, c, n, slowOneIn) == 0:
		return p.scaled(verySlowMS)
	default:
		longer := p.stream(fault.SlowResponse).Below(d.DelayMS[1]-d.DelayMS[0], c.what(), n, drawLong)
		return p.scaled(d.DelayMS[0] + longer)
	}
}

const (
	// leastOff and mostOff are by how many seconds a clock is off.
	leastOff, mostOff = 90, 240
)

// Off is by how much a system's clock is off. One of the two is, at all times in the rule's
// window.
func (p Plan) Off(c *Call) time.Duration {
	system := c.System
	if system == "" {
		system = c.Key
	}
	r := p.rule(fault.ClockOff, c)
	if r == nil {
		return 0
	}
	s := p.stream(fault.ClockOff)
	if s.PPM(drawWhether) >= r.SharePPM || (s.Below(2, drawHow) == 0) != (system == Office) {
		return 0
	}
	off := time.Duration(leastOff+s.Below(mostOff-leastOff+1, drawLong)) * time.Second
	if s.Draw(drawLong, 1)&1 == 0 {
		return -off
	}
	return off
}

// Delivery is an attempt to deliver a webhook, as far as faults depend on it.
type Delivery struct {
	// Subscription counts the subscriptions of the sandbox, Sequence is the number of the
	// event, Attempt counts from 1.
	Subscription int64
	Sequence     uint64
	Attempt      int64
	Minute       sim.Minute
}

func (d *Delivery) call() *Call { return &Call{Operation: "", Minute: d.Minute} }

// Strikes reports whether an attempt of a delivery meets a fault.
func (p Plan) Strikes(kind fault.Kind, d *Delivery) bool {
	r := p.rule(kind, d.call())
	return r != nil && p.stream(kind).PPM(d.Subscription, int64(d.Sequence), d.Attempt, drawWhether) < r.SharePPM
}

// Delayed is how long a fault of a delivery takes.
func (p Plan) Delayed(kind fault.Kind, d *Delivery) time.Duration {
	if r := p.rule(kind, d.call()); r != nil && r.DelayMS != nil {
		return p.scaled(*r.DelayMS)
	}
	of, _ := fault.Lookup(kind)
	return p.scaled(of.DelayMS[0] +
		p.stream(kind).Below(of.DelayMS[1]-of.DelayMS[0]+1, d.Subscription, int64(d.Sequence), d.Attempt, drawLong))
}

// Which returns a number below a bound that says how a fault happens to a delivery.
func (p Plan) Which(kind fault.Kind, d *Delivery, below int64) int64 {
	return p.stream(kind).Below(below, d.Subscription, int64(d.Sequence), d.Attempt, drawHow)
}
