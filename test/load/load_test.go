// Package load measures Platen. Its benchmarks are ordinary ones of Go, whose iterations are rounds: make bench
// makes five of each and prints their median. With -count 5, benchstat compares two outputs.
//
// A metric that ends in /bare compares Platen with the least that could be done for the same result on the same
// machine, in rounds that alternate (A B A B …), so it means the same on a laptop and on a server. A measured
// server is a process of its own, this program again; the load comes from the first process, over loopback. A
// benchmark fails when what it measures did not happen: a request is refused, or a company prints nothing.
//
//	make bench BENCH='Read|Post'
//	go test -run '^$' -bench 'Read|Post' -benchtime 1x -short ./test/load  # a short look
//
// TMPDIR names the disk to measure.
package load

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == measuredWord {
		if err := beMeasured(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// length returns how long a round lasts that repeats something.
func length() time.Duration { return time.Duration(choose(200, 1000)) * time.Millisecond }

// choose returns one of two numbers: the first with -short.
func choose(short, full int) int {
	if testing.Short() {
		return short
	}
	return full
}

// must ends a benchmark that cannot go on.
func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// report gives a benchmark a metric, the median of the rounds, in place of the time of an iteration. One that
// is not above 0 is a failure: nothing was measured.
func report(b *testing.B, unit string, samples ...float64) {
	b.Helper()
	value := percentile(samples, 50)
	if !(value > 0) {
		b.Errorf("nothing was measured: %s is %v", unit, samples)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(value, unit)
}

// percentile returns the value that p per cent of the values do not exceed, 0 of none.
func percentile(samples []float64, p int) float64 {
	if len(samples) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(samples))[(len(samples)*p+99)/100-1]
}

// quotients divides pairwise: the rounds that were neighbours.
func quotients(a, b []float64) []float64 {
	q := make([]float64, len(a))
	for i := range a {
		q[i] = a[i] / b[i]
	}
	return q
}
