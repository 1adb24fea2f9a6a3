package storeproblem

import (
	"errors"
	"fmt"
	"testing"

	"platen/internal/store"
	"platen/internal/words/problem"
)

func TestOnlyCertainErrorsAreProblems(t *testing.T) {
	t.Parallel()
	messages := map[string]bool{}
	for err, retryAfter := range map[error]int{
		store.ErrUnreachable: longRetry, store.ErrFull: longRetry,
		store.ErrBusy: shortRetry, store.ErrClosed: shortRetry,
	} {
		p := Of(fmt.Errorf("commit 2: %w", err))
		if p == nil || p.Code != problem.Unavailable || p.RetryAfter != retryAfter || messages[p.Message] {
			t.Errorf("%v: got %+v, want one with Retry-After %d and a message of its own", err, p, retryAfter)
			continue
		}
		messages[p.Message] = true
	}
	for _, err := range []error{nil, store.ErrConflict, store.ErrNotFound, errors.New("the connection was lost")} {
		if p := Of(err); p != nil {
			t.Errorf("%v: got %+v, want none", err, p)
		}
	}
}
