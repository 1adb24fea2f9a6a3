package record

import (
	"strings"
	"time"

	"platen/internal/company/sim"
	"platen/internal/words/problem"
)

// Retrying adds to a refusal when the moment comes from which the same request
// may work, in whole seconds and never before a second has passed: the soonest
// a tick can come. Under a clock that only ticks move no moment is known, and
// press_busy alone, which always has one, names the soonest.
func (r *Recorder) Retrying(p *problem.Problem, from sim.Minute) *problem.Problem {
	earliest := r.wall.Add(time.Second)
	at, ok := r.clock.Wall(from)
	switch {
	case ok:
		return p.RetryingAt(max(at, earliest).CeilSecond().Time())
	case p.Code == problem.PressBusy:
		p.RetryAt = earliest.CeilSecond().Time()
	}
	return r.Waiting(p)
}

// Waiting marks a refusal that passes with in-world time. Under a clock that
// only ticks move it is no use to repeat the request, and the hint names the
// request that helps (contract: OPEN.ERR.MANUAL_CLOCK).
func (r *Recorder) Waiting(p *problem.Problem) *problem.Problem {
	if _, moves := r.clock.Wall(r.now + 1); moves {
		return p
	}
	p.Final = true
	return p.Hinting("%s", strings.TrimSpace(untimed(p.Hint)+" This clock moves by ticks: POST /sandbox/tick."))
}

// untimed is a hint without its sentences about a moment, which no request waits for.
func untimed(hint string) string {
	var kept []string
	for sentence := range strings.SplitAfterSeq(hint, ". ") {
		if !strings.Contains(sentence, "retry_at") {
			kept = append(kept, sentence)
		}
	}
	return strings.Join(kept, "")
}
