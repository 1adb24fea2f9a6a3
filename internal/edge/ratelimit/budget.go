package ratelimit

import (
	"fmt"
	"time"
)

// MaxRequests is the largest rate and the largest burst. It is also the value
// that a caller is shown for a budget that is switched off (contract:
// OPEN.RATE.HEADERS).
const MaxRequests = 1_000_000

// Budget is a token bucket: Burst requests may come at once, PerMinute of them
// in the long run. A budget of 0 per minute is switched off.
type Budget struct {
	PerMinute, Burst int
}

// Off reports whether the budget lets everything pass.
func (b Budget) Off() bool { return b.PerMinute == 0 }

// Limit is the number of requests in a minute, as a caller is shown it.
func (b Budget) Limit() int {
	if b.Off() {
		return MaxRequests
	}
	return b.PerMinute
}

// Whole is the time in which an empty bucket fills.
func (b Budget) Whole() time.Duration { return time.Duration(b.Burst) * b.Interval() }

// Interval is the time in which one token comes back. It is rounded up: never
// more than the rate may pass.
func (b Budget) Interval() time.Duration {
	if b.Off() {
		return 0
	}
	rate := time.Duration(b.PerMinute)
	return (time.Minute + rate - 1) / rate
}

func (b Budget) check(name string) error {
	if b.Off() && b.Burst >= 0 {
		return nil
	}
	if b.PerMinute < 0 || b.PerMinute > MaxRequests || b.Burst < 1 || b.Burst > MaxRequests {
		return fmt.Errorf("the budget of a %s cannot be %d requests per minute in bursts of %d",
			name, b.PerMinute, b.Burst)
	}
	return nil
}

// bucket is the state of one budget: the moment at which all its tokens are
// there again, in nanoseconds since 1970. The zero bucket is full. This is the
// generic cell rate algorithm; it needs no refilling.
type bucket int64

// pace is that of a budget, in nanoseconds: whole is the time in which an empty bucket fills, interval that in which
// one token comes back.
type pace struct{ whole, interval int64 }

// remaining is the number of whole tokens.
func (k *bucket) remaining(now int64, p pace) int {
	return int((p.whole - min(max(int64(*k)-now, 0), p.whole)) / p.interval)
}

// spend takes some tokens, of which a bucket has as many at least. When they are not there, none are taken,
// and wait is the time until they are. A clock that was set back leaves the bucket empty at worst, not locked until
// the old time comes again.
func (k *bucket) spend(now int64, p pace, tokens int) (wait time.Duration) {
	missing := min(max(int64(*k)-now, 0), p.whole)
	*k = bucket(now + missing)
	cost := p.interval * int64(tokens)
	if wait = time.Duration(missing + cost - p.whole); wait > 0 {
		return wait
	}
	*k += bucket(cost)
	return 0
}

// refund gives tokens back.
func (k *bucket) refund(p pace, tokens int) { *k -= bucket(p.interval) * bucket(tokens) }
