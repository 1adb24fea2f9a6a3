// The blocks in Go of the guide on clients, which are read by the compiler alone. test/docs
// keeps them alike.

package platentest_test

import (
	"context"
	"net/http"

	"platen/client"
)

var _ = []any{received, accept, follow, receive}

func handle(context.Context, client.FeedEvent) error { return nil }

func received(ctx context.Context, c *client.Client) ([]string, error) {
	var numbers []string
	for order, err := range c.SalesOrders(ctx, client.ListSalesOrdersParams{Status: "received"}) {
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, order.Number)
	}
	return numbers, nil
}

func accept(ctx context.Context, c *client.Client, order string) error {
	_, err := c.AcceptSalesOrder(client.WithIdempotencyKey(ctx, client.KeyFor("accept", order)), order)
	if client.IsCode(err, client.CodeInvalidState) {
		return nil // another program has answered it
	}
	return err
}

func follow(ctx context.Context, c *client.Client) error {
	feed := client.FollowEventsParams{Checkpoint: client.FileCheckpoint("feed.seq")}
	return c.FollowEvents(ctx, feed, func(ctx context.Context, event client.FeedEvent) error {
		return handle(ctx, event) // with an idempotency key made of event.ID
	})
}

func receive(secrets []string, r *http.Request, body []byte) (*client.FeedEvent, error) {
	return client.VerifyWebhook(secrets, r.Header, body)
}
