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

// at returns the bucket at a moment. A clock that was set back leaves it empty
// at worst, not locked until the old time comes again.
func (k bucket) at(now int64, b Budget) bucket {
	return min(max(k, bucket(now)), bucket(now+int64(b.Whole())))
}

// remaining is the number of whole tokens.
func (k bucket) remaining(now int64, b Budget) int {
	return int((int64(b.Whole()) - (int64(k.at(now, b)) - now)) / int64(b.Interval()))
}

// spend takes some tokens, of which a bucket has as many at least. When they are not there, the
// bucket stays as it is and wait is the time until they are.
func (k bucket) spend(now int64, b Budget, tokens int) (after bucket, wait time.Duration) {
	next := k.at(now, b) + bucket(b.Interval())*bucket(tokens)
	if wait = time.Duration(int64(next)-now) - b.Whole(); wait > 0 {
		return k.at(now, b), wait
	}
	return next, 0
}

// refund gives tokens back.
func (k bucket) refund(b Budget, tokens int) bucket { return k - bucket(b.Interval())*bucket(tokens) }
