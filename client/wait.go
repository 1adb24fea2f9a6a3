package client

import (
	"context"
	"fmt"
)

// WaitForRequest waits until the sandbox has had a request that params choose, and returns it: a test waits so for the
// program that it tests. It is the oldest of the newest 100 that fit, and params.After begins behind a request:
//
//	var read client.Call
//	_, err := c.GetSalesOrder(client.WithCall(ctx, &read), order) // and now start your program
//	...
//	accepted, err := c.WaitForRequest(ctx, client.ListRequestsParams{
//		Operation: "accept_sales_order", Status: "2xx", After: read.Meta.RequestID,
//	})
//
// It returns the error of ctx when that ends: give it a deadline. Each poll waits 20 seconds on the server.
func (c *Client) WaitForRequest(ctx context.Context, params ListRequestsParams) (*LoggedCall, error) {
	params.WaitS, params.Limit, params.Cursor = new(followWait), MostPerPage, ""
	for {
		page, err := c.ListRequests(ctx, params)
		if err != nil {
			return nil, err
		}
		if n := len(page.Items); n > 0 {
			return &page.Items[n-1], nil
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("platen: wait for a request: %w", err)
		}
	}
}
