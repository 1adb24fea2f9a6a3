package server

import (
	"runtime"
	"runtime/metrics"
)

// busyEach is how many goroutines may be ready to run for each processor before newcomers wait: some milliseconds of
// work.
const busyEach = 4

// processorsBusy reports whether so many goroutines are ready to run, and more that will be soon, that a request waits
// noticeably for a processor.
func processorsBusy(more int) bool {
	sample := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Kind() == metrics.KindUint64 &&
		sample[0].Value.Uint64()+uint64(more) > uint64(busyEach*runtime.GOMAXPROCS(0))
}
