package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"platen/client"
)

// RequestWait waits for a request of a program that is under test.
type RequestWait struct {
	Target

	// Wanted chooses the request, and Timeout is how long to wait for it.
	Wanted  client.ListRequestsParams
	Timeout time.Duration
	JSON    bool
	Out     io.Writer
}

// Run prints the first request that fits, once it has come. Without one in time it fails.
func (w *RequestWait) Run(ctx context.Context) error {
	c, err := w.Connect()
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, w.Timeout)
	defer cancel()
	found, err := c.WaitForRequest(limited, w.Wanted)
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no such request has come in %s", w.Timeout)
	case err != nil:
		return err //nolint:wrapcheck // the client names the failed operation
	}
	t := RequestTail{JSON: w.JSON, Out: w.Out}
	return t.print(found)
}
