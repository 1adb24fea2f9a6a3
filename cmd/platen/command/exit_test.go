package command

import (
	"errors"
	"fmt"
	"testing"

	"platen/client"
	"platen/cmd/platen/cli"
)

// TestExitStatusesTellFailuresApart, also behind the texts that commands put around
// an error.
func TestExitStatusesTellFailuresApart(t *testing.T) {
	t.Parallel()
	for want, errs := range map[int][]error{
		exitError: {errors.New("any"), &client.Error{Code: client.CodeInvalidState}, &client.Error{Status: 502}},
		exitUsage: {cli.UsageError{Err: errors.New("any")}},
		exitGone: {
			&client.Error{Code: client.CodeSandboxExpired}, &client.Error{Code: client.CodeSandboxBankrupt},
		},
		exitKey: {
			&client.Error{Code: client.CodeUnauthorized}, &client.Error{Code: client.CodeWrongSystem}, client.ErrNoKey,
		},
		exitOver: {
			&client.Error{Code: client.CodeRateLimited}, &client.Error{Code: client.CodeTickRate},
			&client.Error{Code: client.CodeQueueFull},
		},
	} {
		for _, err := range errs {
			for _, shown := range []error{err, fmt.Errorf("read the feed: %w", err), cli.Brief(err)} {
				if got := exitCode(shown); got != want {
					t.Errorf("%v: %d, want %d", shown, got, want)
				}
			}
		}
	}
}
