package record

import (
	"time"

	"platen/internal/company/sim"
	"platen/internal/problem"
)

// Retrying adds to a refusal when the moment comes from which the same request
// may work, in whole seconds and never before a second has passed: the soonest
// a tick can come. A clock that only ticks move knows no later time, so there
// the hint says how to move it.
func (r *Recorder) Retrying(p *problem.Problem, from sim.Minute) *problem.Problem {
	earliest := r.wall.Add(time.Second)
	at, ok := r.clock.Wall(from)
	if !ok {
		return p.RetryingAt(earliest.CeilSecond().Time()).Hinting("This clock moves by ticks: POST /sandbox/tick.")
	}
	return p.RetryingAt(max(at, earliest).CeilSecond().Time())
}
