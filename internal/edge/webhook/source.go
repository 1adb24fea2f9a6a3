package webhook

import (
	"context"
	"errors"
	"time"

	"platen/internal/desk/subscription"
)

// ErrGone is the error of a sandbox that was deleted, or for which another process
// sends. Nothing more is sent for it, and its sent deliveries are forgotten.
var ErrGone = errors.New("the sandbox is gone")

// Source keeps the delivery log: the due times of deliveries, and their
// outcomes. All decisions are its own. The dispatcher may ask for several
// sandboxes at the same time, and for one never twice at once.
type Source interface {
	// Due returns the deliveries to send by now, oldest first and at most
	// limit, and when to ask again, which is zero when only a wake-up can bring
	// more. Of those it returns the ones that wants agrees to, which is asked
	// once about each and does not see its event. A delivery that is being sent
	// is due until its outcome is recorded.
	Due(ctx context.Context, sandboxID string, now time.Time, limit int,
		wants func(*subscription.Attempt) bool) (attempts []subscription.Attempt, next time.Time, err error)
	// Record keeps the outcomes of attempts; they are durable when it returns.
	// After an error it is called again with the same outcomes.
	Record(ctx context.Context, sandboxID string, outcomes []subscription.Outcome) error
	// Owned reports whether what Due returned may still be sent from here. When
	// several processes share a source, that is asked before each attempt.
	Owned(sandboxID string) bool
	// Waiting lists the sandboxes that have something to send, now or later.
	Waiting(ctx context.Context) ([]string, error)
}
