package main

import (
	"testing"
	"time"
)

// TestItWaitsForTheServerAndNotForTheCompany, whose clock it moves itself.
func TestItWaitsForTheServerAndNotForTheCompany(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 9, 7, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		refused refusal
		wait    time.Duration
		again   bool
	}{
		{refusal{Code: "rate_limited", Retryable: true, RetryAt: now.Add(3 * time.Second)}, 3 * time.Second, true},
		{refusal{Code: "tick_rate", Retryable: true, RetryAt: now.Add(-time.Second)}, 0, true},
		{refusal{Code: "unavailable", Retryable: true}, time.Second, true},
		{refusal{Code: "press_busy", Retryable: true, RetryAt: now.Add(time.Hour)}, 0, false},
		{refusal{Code: "press_busy", Retryable: true}, 0, false},
		{refusal{Code: "no_operator", Retryable: true}, 0, false},
		{refusal{Code: "no_warehouse_worker", Retryable: true}, 0, false},
		{refusal{Code: "week_not_over", Retryable: true}, 0, false},
		{refusal{Code: "invalid_state"}, 0, false},
	} {
		if wait, again := c.refused.wait(now); wait != c.wait || again != c.again {
			t.Errorf("after %+v it waits %v, and asks again: %t", c.refused, wait, again)
		}
	}
}
