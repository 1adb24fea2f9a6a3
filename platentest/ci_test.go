// The blocks in Go of the guide on tests and of the README, with an integration that carries
// orders to the Factory, as a reader would have one. test/docs keeps them alike.

package platentest_test

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
		carry := client.WithIdempotencyKey(ctx, client.KeyFor("carry", order.ID))
		if _, err := c.CreateWorkOrder(carry, work); err != nil {
			return err
		}
	}
	return nil
}

//nolint:paralleltest // as the docs show it
func TestEveryAcceptedOrderReachesTheFactory(t *testing.T) {
	p := platentest.Start(t)
	s := p.Sandbox(t, platentest.Options{Preset: "manual", Clock: "manual"})
	for _, kind := range []client.FaultKind{client.FaultKindResponseLost, client.FaultKindRequestLost} {
		// As a 502: after a closed connection, net/http may send a request again by itself.
		lost := client.InjectFaultInput{Kind: kind, Form: new(client.FaultFormError)}
		lost.Operations = []string{"create_work_order"}
		s.InjectFault(t, lost)
	}

	// Your integration, with the keys of a sandbox of its own.
	if err := carryOrders(t.Context(), s.BaseURL, s.OfficeKey, s.FactoryKey); err != nil {
		t.Fatal(err)
	}

	// Fails for what is missed, late, doubled or wrong, and where an injected fault met none of its writes.
	s.RequireExactlyOnce(t)
}

//nolint:paralleltest // as the docs show it
func TestMyIntegration(t *testing.T) {
	p := platentest.Start(t) // a whole server, stopped when the test ends
	s := p.Sandbox(t, platentest.Options{Preset: "manual", Clock: "manual"})
	if err := carryOrders(t.Context(), s.BaseURL, s.OfficeKey, s.FactoryKey); err != nil { // yours
		t.Fatal(err)
	}
}
