package oracle

import (
	"context"

	"platen/client"
	"platen/eval/player"
)

// carryAccepted orders the work for each accepted order that has none.
func carryAccepted(ctx context.Context, c *client.Client) error {
	ordered := map[string]bool{}
	for w, err := range c.WorkOrders(ctx, client.ListWorkOrdersParams{}) {
		if err != nil {
			return err
		}
		if w.Reference != nil {
			ordered[*w.Reference] = true
		}
	}
	for o, err := range c.SalesOrders(ctx, client.ListSalesOrdersParams{Status: "accepted"}) {
		if err == nil && !ordered[o.ID] && !ordered[o.Number] {
			_, err = c.CreateWorkOrder(ctx, client.CreateWorkOrderInput{
				SKU: o.SKU, Quantity: o.Quantity, Reference: &o.ID, DueDate: &o.DueDate,
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drift does for a week what the program would do that is to be mended.
func drift(ctx context.Context, c *client.Client) (any, error) {
	const hours, minutes = 40, 60
	for range hours {
		received, err := collect(c.SalesOrders(ctx, client.ListSalesOrdersParams{Status: "received"}))
		if err != nil {
			return nil, err
		}
		for _, o := range received {
			if _, err := c.AcceptSalesOrder(ctx, o.ID); err != nil {
				return nil, err
			}
		}
		if err := carryAccepted(ctx, c); err != nil {
			return nil, err
		}
		if err := wait(ctx, c, minutes); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// shock plays like a person who promises only as much as there is paper for.
func shock(ctx context.Context, c *client.Client) (any, error) {
	const days = 15
	careful := player.Careful()
	return nil, careful.PlayRemote(ctx, c, days)
}

// carries plays days as the bridge that owes nothing.
func carries(days int) Solution {
	return func(ctx context.Context, p *Player) (any, error) {
		bridge := player.Bridge()
		return nil, bridge.PlayRemote(ctx, p.Client, days)
	}
}
