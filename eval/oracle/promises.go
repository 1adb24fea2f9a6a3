package oracle

import (
	"context"

	"platen/client"
)

// agreement is one that was made on the first morning of the task promises.
type agreement struct {
	// raised is the order whose bill is paid as billed.
	raised client.OfficePurchaseOrder
	// ordered is set once the Mill has its order.
	ordered bool
}

// promises buys and pays for ten days, half a day at a time, and keeps to what was agreed.
func promises(ctx context.Context, c *client.Client) (any, error) {
	var agreed agreement
	for o, err := range c.PurchaseOrders(ctx, client.ListPurchaseOrdersParams{SupplierID: "sup_quick"}) {
		if err != nil {
			return nil, err
		}
		if o.Number >= "PO-5003" && o.Number <= "PO-5006" && o.TotalMinor >= agreed.raised.TotalMinor {
			agreed.raised = o
		}
	}
	const lastDay, lastHour, halfDay = "2026-09-18", "12:00", 240
	for {
		status, err := c.GetSandbox(ctx)
		if err != nil {
			return nil, err
		}
		today := string(status.Clock.SimDate)
		if err := agreed.keep(ctx, c, today); err != nil {
			return nil, err
		}
		if today == lastDay && status.Clock.SimTime >= lastHour {
			return nil, nil
		}
		if err := wait(ctx, c, halfDay); err != nil {
			return nil, err
		}
	}
}

// keep does what there is to do now.
func (a *agreement) keep(ctx context.Context, c *client.Client, today string) error {
	const millDay, chromaDay, times = "2026-09-16", "2026-09-17", 4
	if err := countIn(ctx, c); err != nil {
		return err
	}
	if today == millDay && !a.ordered {
		line := a.raised.Lines[0]
		if _, err := c.CreatePurchaseOrder(ctx, client.CreatePurchaseOrderInput{
			SupplierID: "sup_mill", Lines: []client.MaterialLineInput{{SKU: line.SKU, Quantity: times * line.Quantity}},
		}); err != nil {
			return err
		}
		a.ordered = true
	}
	return payBills(ctx, c, func(b *client.OfficeSupplierInvoice) int64 {
		switch {
		case b.SupplierID == "sup_chroma" && today < chromaDay:
			return 0
		case *b.PurchaseOrderID == a.raised.ID:
			return b.BilledMinor
		}
		return b.MatchedMinor
	})
}

// countIn counts in the trucks at the gate.
func countIn(ctx context.Context, c *client.Client) error {
	for d, err := range c.Deliveries(ctx, client.ListDeliveriesParams{Status: "arrived"}) {
		if err == nil {
			_, err = c.CreateFactoryGoodsReceipt(ctx, client.CreateFactoryGoodsReceiptInput{DeliveryID: d.ID})
		}
		if err != nil && !client.IsCode(err, client.CodeNoWarehouseWorker) { // whose truck waits
			return err
		}
	}
	return nil
}

// payBills pays the bills for goods that have come, each with an amount, 0 for not today.
func payBills(ctx context.Context, c *client.Client, amount func(*client.OfficeSupplierInvoice) int64) error {
	for b, err := range c.SupplierInvoices(ctx, client.ListSupplierInvoicesParams{Kind: "materials", Status: "open"}) {
		if err != nil {
			return err
		}
		paid := amount(&b)
		if b.MatchStatus == "no_receipt" || paid == 0 {
			continue
		}
		if _, err := c.PaySupplierInvoice(ctx, b.ID, client.PaySupplierInvoiceInput{AmountMinor: &paid}); err != nil {
			return err
		}
	}
	return nil
}
