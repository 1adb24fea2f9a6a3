package oracle

import (
	"context"
	"slices"

	"platen/client"
)

// accepted is the quantity that the Factory has taken in for each purchase order, by its number and the material.
func accepted(ctx context.Context, c *client.Client) (map[[2]string]int64, error) {
	quantities := map[[2]string]int64{}
	for receipt, err := range c.FactoryGoodsReceipts(ctx, client.ListFactoryGoodsReceiptsParams{}) {
		if err != nil {
			return nil, err
		}
		for _, l := range receipt.Lines {
			quantities[[2]string{receipt.PurchaseOrderNumber, l.SKU}] += l.QuantityAccepted
		}
	}
	return quantities, nil
}

// audit joins purchase orders, the Factory's receipts and bills.
func audit(ctx context.Context, c *client.Client) (any, error) {
	quantities, err := accepted(ctx, c)
	if err != nil {
		return nil, err
	}
	owed := map[string]int64{} // by the id of the purchase order
	for o, err := range c.PurchaseOrders(ctx, client.ListPurchaseOrdersParams{}) {
		if err != nil {
			return nil, err
		}
		for _, l := range o.Lines {
			owed[o.ID] += l.UnitPriceMinor * quantities[[2]string{o.Number, l.SKU}]
		}
	}
	claims, overpaid, debt, back := []string{}, []string{}, int64(0), int64(0)
	for b, err := range c.SupplierInvoices(ctx, client.ListSupplierInvoicesParams{Kind: "materials"}) {
		if err != nil {
			return nil, err
		}
		if b.PurchaseOrderID == nil {
			continue
		}
		more := b.BilledMinor - b.CreditedMinor - owed[*b.PurchaseOrderID]
		switch {
		case b.Status != "paid":
			debt += owed[*b.PurchaseOrderID]
			if more > 0 {
				claims = append(claims, b.Number)
			}
		case more > 0:
			overpaid, back = append(overpaid, b.Number), back+more
		}
	}
	slices.Sort(claims)
	slices.Sort(overpaid)
	return map[string]any{"claims": claims, "owed_minor": debt, "overpaid": overpaid, "back_minor": back}, nil
}
