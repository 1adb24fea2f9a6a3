package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"platen/client"
)

// following are the options of a client that follows the feed: it says once that it cannot
// read, and once that it can again.
func following(notes io.Writer) []client.Option {
	lost := false
	return []client.Option{
		client.UserAgent("platen-listen"), client.MaxRetries(0),
		client.OnWait(func(w client.Wait) {
			if !lost {
				fmt.Fprintf(notes, "The feed cannot be read (%v). Trying again.\n", Brief(w.Err))
			}
			lost = true
		}),
		client.OnExchange(func(x client.Exchange) {
			if lost && x.Status == http.StatusOK {
				fmt.Fprintln(notes, "The feed can be read again.")
				lost = false
			}
		}),
	}
}

// follow hands over the events behind a number as they happen. It ends with ctx, which is no
// error, with an error of handle, or with one of the server that waiting does not mend.
func follow(
	ctx context.Context, c *client.Client, p client.FollowEventsParams, handle func(client.FeedEvent) error,
) error {
	err := c.FollowEvents(ctx, p, func(_ context.Context, e client.FeedEvent) error { return handle(e) })
	if ctx.Err() != nil {
		return nil //nolint:nilerr // it was to end
	}
	return err //nolint:wrapcheck // the client names the failed operation
}
