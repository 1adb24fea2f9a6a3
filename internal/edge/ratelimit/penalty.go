package ratelimit

import (
	"fmt"
	"time"
)

// maxRefusals bounds the refusals that are remembered of one caller.
const maxRefusals = 1000

// Penalty shuts out callers that go on sending over their limits: after so many
// Refusals Within a time, for as long as it Lasts. One that lasts no time is
// switched off.
type Penalty struct {
	Refusals int
	Within   time.Duration
	Lasts    time.Duration
	// Grace is for how long after the first refusal further ones do not count:
	// they were under way before the caller could read it.
	Grace time.Duration
}

// Off reports whether the penalty is switched off.
func (p Penalty) Off() bool { return p.Lasts == 0 }

func (p Penalty) check(name string) error {
	// Moments of refusals are kept as milliseconds of 32 bits.
	const maxWithin = 24 * time.Hour
	if p.Off() {
		return nil
	}
	if p.Lasts < 0 || p.Refusals < 1 || p.Refusals > maxRefusals || p.Within <= 0 || p.Within > maxWithin ||
		p.Grace < 0 || p.Grace > p.Within {
		return fmt.Errorf("a %s cannot be of %d refusals within %s for %s", name, p.Refusals, p.Within, p.Lasts)
	}
	return nil
}

// refusals holds the times of the newest refusals of a caller, in milliseconds,
// as many as a penalty counts.
type refusals struct {
	times []uint32
	// first and newest are the first refusal since a pause as long as a penalty
	// looks back, and the newest, in nanoseconds since 1970.
	first, newest int64
	// next is where the next one goes once all places are taken: the place of
	// the oldest.
	next int
}

// milliseconds wrap every 49 days; only differences count.
func milliseconds(now int64) uint32 { return uint32(now / int64(time.Millisecond)) }

// note adds a refusal and reports whether it is one too many. Then all are
// forgotten: the next penalty takes as many again.
func (r *refusals) note(now int64, p Penalty) (tooMany bool) {
	if now-r.newest > int64(p.Within) || now < r.newest {
		r.first = now
	}
	r.newest = now
	if now-r.first < int64(p.Grace) {
		return false
	}
	at := milliseconds(now)
	if len(r.times) < p.Refusals {
		r.times = append(r.times, at)
	} else {
		r.times[r.next] = at
		r.next = (r.next + 1) % len(r.times)
	}
	if len(r.times) < p.Refusals || at-r.times[r.next] > uint32(p.Within/time.Millisecond) {
		return false
	}
	*r = refusals{}
	return true
}

// over reports whether none of them can count any more.
func (r *refusals) over(now int64, p Penalty) bool {
	return r.newest == 0 || now-r.newest > int64(p.Within) || now < r.newest
}
