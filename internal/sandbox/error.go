package sandbox

import (
	"errors"
	"fmt"

	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
	"platen/internal/store/storeproblem"
	"platen/internal/words/problem"
)

// errUnknown is the error of a commit of which it is not known whether it was
// made.
var errUnknown = errors.New("the outcome of a commit is unknown")

// storeProblem returns the client's error for a failed commit.
func storeProblem(id string, err error) error {
	if p := unavailable(err); p != nil {
		return p
	}
	return fmt.Errorf("commit to sandbox %s: %w: %w", id, errUnknown, err)
}

// readProblem returns the client's error for a failed read of the store.
func readProblem(doing string, err error) error {
	if p := unavailable(err); p != nil {
		return p
	}
	if errors.Is(err, commitlog.ErrDamaged) {
		return errDamaged()
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// unavailable is the refusal for a store that does nothing for the moment, when
// it is certain that nothing was written; nil for other errors.
func unavailable(err error) error {
	if errors.Is(err, store.ErrConflict) {
		// Another process holds the sandbox. Nothing was written; the next try
		// reads the other's commits.
		p := problem.New(problem.Unavailable, "Another writer was faster; nothing was changed.")
		p.RetryAfter = 1
		return p
	}
	if p := storeproblem.Of(err); p != nil {
		return p
	}
	return nil
}
