// Package storeproblem translates the errors of a store into the error of a
// client, for all packages that write to one.
package storeproblem

import (
	"errors"

	"platen/internal/store"
	"platen/internal/words/problem"
)

// Retry-After, in seconds. A disk that is full and a server that is gone take
// longer than a lock of another process or a restart of ours.
const (
	shortRetry = 1
	longRetry  = 5
)

// Of returns the problem of a store that does nothing for the moment, when it is
// certain that nothing was written, and nil for all other errors. A conflict is
// among those: its meaning is known to the caller.
func Of(err error) *problem.Problem {
	var message string
	retryAfter := shortRetry
	switch {
	case errors.Is(err, store.ErrUnreachable):
		message, retryAfter = "The storage does not respond at the moment; nothing was changed.", longRetry
	case errors.Is(err, store.ErrFull):
		message, retryAfter = "The storage is full at the moment; nothing was changed.", longRetry
	case errors.Is(err, store.ErrBusy):
		message = "The storage is busy at the moment; nothing was changed."
	case errors.Is(err, store.ErrClosed):
		message = "The server is stopping; nothing was changed."
	default:
		return nil
	}
	p := problem.New(problem.Unavailable, "%s", message)
	p.RetryAfter = retryAfter
	return p
}
