package metrics_test

import (
	"testing"
	"time"

	"platen/internal/server/metrics"
)

func TestRecentKnowsTheNewestDurationsOnly(t *testing.T) {
	t.Parallel()
	var r metrics.Recent
	if _, ok := r.Quantiles(0.5); ok {
		t.Error("there are quantiles of nothing")
	}
	r.Add(7 * time.Second)
	if got, ok := r.Quantiles(0, 0.5, 0.99, 1); !ok || got[0] != 7*time.Second || got[1] != got[0] || got[3] != got[0] {
		t.Errorf("the quantiles of one are %v", got)
	}
	for n := range 1024 {
		r.Add(time.Duration(1024-n) * time.Millisecond)
	}
	got, _ := r.Quantiles(0, 0.5, 0.99, 1)
	want := []time.Duration{time.Millisecond, 513 * time.Millisecond, 1014 * time.Millisecond, 1024 * time.Millisecond}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("quantile %d is %v, want %v", i, got[i], want[i])
		}
	}
}
