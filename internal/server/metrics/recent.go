package metrics

import (
	"slices"
	"sync/atomic"
	"time"
)

// maxRecent is the number of the newest durations that are kept: enough for a
// 99th of a hundred, and little to sort when they are read.
const maxRecent = 1024

// Recent keeps the newest durations of something, for people who look at the
// present; histograms serve comparisons over time.
type Recent struct {
	count atomic.Uint64
	// kept are the durations in nanoseconds, the next at count.
	kept [maxRecent]atomic.Int64
}

// Add notes a duration.
func (r *Recent) Add(took time.Duration) {
	r.kept[(r.count.Add(1)-1)%maxRecent].Store(int64(took))
}

// Quantiles returns the durations below which the given shares of the kept ones
// lie, from 0 to 1, and false while there are none.
func (r *Recent) Quantiles(shares ...float64) ([]time.Duration, bool) {
	n := min(r.count.Load(), maxRecent)
	if n == 0 {
		return nil, false
	}
	sorted := make([]time.Duration, n)
	for i := range sorted {
		sorted[i] = time.Duration(r.kept[i].Load())
	}
	slices.Sort(sorted)
	found := make([]time.Duration, len(shares))
	for i, share := range shares {
		found[i] = sorted[min(int(share*float64(n)), len(sorted)-1)]
	}
	return found, true
}
