package message

import (
	"testing"
	"time"

	"platen/internal/words/problem"
)

// TestRetryAfterAndRetryAtAreOneMoment also where a request waited for its turn before it was
// refused.
func TestRetryAfterAndRetryAtAreOneMoment(t *testing.T) {
	t.Parallel()
	arrived := time.Date(2026, 9, 7, 8, 0, 0, 250_000_000, time.UTC)
	for _, c := range []struct {
		name        string
		after, want int
		waited      time.Duration
		at          bool
	}{
		{"at once", 30, 30, 0, true},
		{"after three seconds and a half", 30, 34, 3500 * time.Millisecond, true},
		{"without a moment", 30, 30, 3500 * time.Millisecond, false},
		{"not at all", 0, 0, 3500 * time.Millisecond, false},
	} {
		p := problem.New(problem.IPActiveLimit, "Too many.")
		p.RetryAfter = c.after
		if c.at {
			p = p.RetryingAt(arrived.Add(c.waited + time.Duration(c.after)*time.Second))
		}
		if got := retryAfter(p, arrived); got != c.want {
			t.Errorf("refused %s, Retry-After is %d, want %d", c.name, got, c.want)
		}
	}
}
