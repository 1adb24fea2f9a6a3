// Package ci_test is what the block of the guide on tests stands in: an
// integration that carries orders to the Factory, as a reader would have one.
package ci_test

import (
	"context"
	"testing"

	"platen/client"
	"platen/platentest"
)

func carryOrders(ctx context.Context, baseURL, officeKey, factoryKey string) error {
	c := client.New(baseURL, client.Keys{Office: officeKey, Factory: factoryKey})
	received := client.ListSalesOrdersParams{Status: client.OfficeSalesOrderStatusReceived}
	for order, err := range c.SalesOrders(ctx, received) {
		if err != nil {
			return err
		}
		if _, err := c.AcceptSalesOrder(ctx, order.ID); err != nil {
			return err
		}
		work := client.CreateWorkOrderInput{SKU: order.SKU, Quantity: order.Quantity, Reference: new(order.ID)}
		if _, err := c.CreateWorkOrder(client.WithIdempotencyKey(ctx, "work-"+order.ID), work); err != nil {
			return err
		}
	}
	return nil
}
