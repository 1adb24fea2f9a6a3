package company_test

import (
	"slices"

	"pgregory.net/rapid"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/market"
	"platen/internal/company/office"
	"platen/internal/words/money"
)

// Actions of procure-to-pay, and how they are drawn for random lives.

func require(in office.CreateRequisition) action {
	return action{name: "require something", do: func(l *life) error {
		_, err := l.company.FileRequisition(&in)
		return err
	}}
}

func decide(requisition string, approve bool) action {
	if approve {
		return action{
			name: "decide for " + requisition,
			do:   func(l *life) error { return l.company.ApproveRequisition(requisition) },
		}
	}
	return action{
		name: "decide against " + requisition,
		do:   func(l *life) error { return l.company.RejectRequisition(requisition, &office.RejectRequisition{}) },
	}
}

func purchase(in office.CreatePurchaseOrder) action {
	return action{name: "purchase from " + in.SupplierID, do: func(l *life) error {
		_, err := l.company.Purchase(&in)
		return err
	}}
}

func approvePurchase(order string) action {
	return action{name: "approve " + order, do: func(l *life) error { return l.company.ApprovePurchase(order) }}
}

func receipt(in office.CreateOfficeGoodsReceipt) action {
	return action{name: "receive for " + in.PurchaseOrderID, do: func(l *life) error {
		_, err := l.company.RecordGoodsReceipt(&in)
		return err
	}}
}

func count(in factory.CreateFactoryGoodsReceipt) action {
	return action{name: "count " + in.DeliveryID, do: func(l *life) error {
		_, err := l.company.CountDelivery(&in)
		return err
	}}
}

func pay(invoice string, amount *money.Minor) action {
	return payWith(invoice, office.PaySupplierInvoice{AmountMinor: amount})
}

func payWith(invoice string, in office.PaySupplierInvoice) action {
	return action{
		name: "pay " + invoice, do: func(l *life) error { return l.company.PaySupplierInvoice(invoice, &in) },
	}
}

// closeBill closes a bill as the duplicate of another.
func closeBill(invoice, of string) action {
	return payWith(invoice, office.PaySupplierInvoice{AmountMinor: new(money.Minor(0)), DuplicateOf: &of})
}

func acceptLot(lot string) action {
	return action{name: "take " + lot, do: func(l *life) error { return l.company.AcceptLot(lot) }}
}

func declineLot(lot string) action {
	return action{name: "refuse " + lot, do: func(l *life) error { return l.company.DeclineLot(lot) }}
}

func billLot(lot string, quantity *int64) action {
	return action{name: "deliver " + lot, do: func(l *life) error {
		_, err := l.company.ShipFromOffice(&office.CreateOfficeShipment{ContractLotID: &lot, Quantity: quantity})
		return err
	}}
}

func drawLot(t *rapid.T, l *life) action {
	id := l.pick(t, "contract_lot", "offered")
	if rapid.IntRange(0, 3).Draw(t, "really") == 0 {
		return declineLot(id)
	}
	return acceptLot(id)
}

func drawBillLot(t *rapid.T, l *life) action {
	return billLot(l.pick(t, "contract_lot", "accepted"),
		rapid.SampledFrom([]*int64{nil, nil, new(int64(7))}).Draw(t, "quantity"))
}

func trade(in market.TradeOnMarket) action {
	return action{name: "trade " + in.SKU, do: func(l *life) error {
		_, err := l.company.Trade(&in)
		return err
	}}
}

// drawTrade buys and sells what is traded and what is not, sometimes with a
// limit.
func drawTrade(t *rapid.T, _ *life) action {
	in := market.TradeOnMarket{
		Side: rapid.SampledFrom([]market.Side{market.Buy, market.Sell}).Draw(t, "side"),
		SKU: rapid.SampledFrom([]string{
			catalog.Coated, catalog.Uncoated, catalog.Board, catalog.Waste, "prd_notebook", catalog.Ink, "mat_none",
		}).Draw(t, "sku"),
		Quantity: rapid.OneOf(rapid.Int64Range(1, 3), rapid.Int64Range(1, 20_000)).Draw(t, "quantity"),
	}
	if rapid.IntRange(0, 3).Draw(t, "limits") == 0 {
		in.LimitMinor = new(money.Minor(rapid.Int64Range(1, 80).Draw(t, "limit")))
	}
	return trade(in)
}

// drawSale sells a part of what there is, so that stocks go in many sales.
func drawSale(t *rapid.T, l *life) action {
	sku := rapid.SampledFrom([]string{
		catalog.Coated, catalog.Uncoated, catalog.Board, "prd_notebook", "prd_calendar",
	}).Draw(t, "sku")
	parts := rapid.Int64Range(1, 9).Draw(t, "parts")
	onHand := rowOf[factory.StockItem](l, "stock_item", factory.StockItemID(sku)).OnHand
	return trade(market.TradeOnMarket{Side: market.Sell, SKU: sku, Quantity: max(1, onHand/parts)})
}

var materials = []string{catalog.Coated, catalog.Uncoated, catalog.Board, catalog.Ink, catalog.Plate}

func drawLines(t *rapid.T, skus []string, most int64) []office.MaterialLine {
	var lines []office.MaterialLine
	for range rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "lines") {
		lines = append(lines, office.MaterialLine{
			SKU: rapid.SampledFrom(skus).Draw(t, "sku"), Quantity: rapid.Int64Range(1, most).Draw(t, "quantity"),
		})
	}
	return lines
}

func drawRequire(t *rapid.T, _ *life) action {
	in := office.CreateRequisition{Lines: drawLines(t, append([]string{"prd_card", catalog.Waste}, materials...), 9000)}
	if rapid.Bool().Draw(t, "refers") {
		in.Reference = new(rapid.SampledFrom([]string{"frq_1", "frq_2", "a \"b\" \\ ü", "frq_3"}).Draw(t, "reference"))
	}
	return require(in)
}

func drawDecide(t *rapid.T, l *life) action {
	return decide(l.pick(t, "office_requisition", "received"), rapid.Bool().Draw(t, "for"))
}

// drawPurchase mostly orders what a supplier sells, in quantities around the
// least and the credit limit.
func drawPurchase(t *rapid.T, l *life) action {
	suppliers := rowsOf[office.Supplier](l, "supplier")
	if rapid.IntRange(0, 9).Draw(t, "sells") > 0 {
		suppliers = slices.DeleteFunc(suppliers, func(s office.Supplier) bool { return len(s.Prices) == 0 })
	}
	supplier := rapid.SampledFrom(suppliers).Draw(t, "supplier")
	in := office.CreatePurchaseOrder{SupplierID: supplier.ID}
	skus := append([]string{}, materials...)
	if len(supplier.Prices) > 0 && rapid.IntRange(0, 5).Draw(t, "sold") > 0 {
		skus = nil
		for _, p := range supplier.Prices {
			skus = append(skus, p.SKU)
		}
	}
	in.Lines = drawLines(t, skus, rapid.SampledFrom([]int64{9000, 20_000}).Draw(t, "most"))
	if rapid.IntRange(0, 3).Draw(t, "for a requisition") == 0 {
		in.RequisitionID = new(l.pick(t, "office_requisition", "approved"))
	}
	if rapid.IntRange(0, 9).Draw(t, "known") == 0 {
		in.SupplierID = "sup_nobody"
	}
	return purchase(in)
}

func drawApprovePurchase(t *rapid.T, l *life) action {
	return approvePurchase(l.pick(t, "purchase_order", "pending_approval"))
}

// drawReceipt records at Head Office what may or may not be true.
func drawReceipt(t *rapid.T, l *life) action {
	in := office.CreateOfficeGoodsReceipt{PurchaseOrderID: l.pick(t, "purchase_order", "approved")}
	skus := materials
	if in.PurchaseOrderID != "purchase_order_nobody" && rapid.IntRange(0, 3).Draw(t, "ordered") > 0 {
		skus = nil
		for _, line := range rowOf[office.PurchaseOrder](l, "purchase_order", in.PurchaseOrderID).Lines {
			skus = append(skus, line.SKU)
		}
	}
	for range rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "lines") {
		in.Lines = append(in.Lines, catalog.ReceivedLine{
			SKU: rapid.SampledFrom(skus).Draw(t, "sku"), QuantityAccepted: rapid.Int64Range(0, 4000).
				Draw(t, "accepted"), QuantityRejected: new(rapid.Int64Range(0, 9).Draw(t, "rejected")),
		})
	}
	if rapid.Bool().Draw(t, "refers") {
		in.Reference = new(rapid.SampledFrom([]string{"grf_1", "grf_2", "grf_3"}).Draw(t, "reference"))
	}
	return receipt(in)
}

// drawCount counts a truck in as it came, or with other quantities.
func drawCount(t *rapid.T, l *life) action {
	in := factory.CreateFactoryGoodsReceipt{DeliveryID: l.pick(t, "delivery", "arrived")}
	if rapid.IntRange(0, 2).Draw(t, "counts") == 0 {
		c := catalog.ReceivedLine{
			SKU:              rapid.SampledFrom(materials).Draw(t, "sku"),
			QuantityAccepted: rapid.Int64Range(0, 9000).Draw(t, "accepted"),
		}
		if rapid.Bool().Draw(t, "rejects") {
			c.QuantityRejected = new(rapid.Int64Range(0, 500).Draw(t, "rejected"))
		}
		in.Lines = []catalog.ReceivedLine{c}
	}
	return count(in)
}

// drawPay pays as it is, as matched, as billed, or something else.
func drawPay(t *rapid.T, l *life) action {
	id := l.pick(t, "supplier_invoice", rapid.SampledFrom([]string{"open", "open", "overdue"}).Draw(t, "status"))
	for _, e := range l.entries("supplier_invoice") {
		if e.ID != id {
			continue
		}
		i := decoded[office.SupplierInvoice](t, e.Row())
		for _, other := range l.entries("supplier_invoice") {
			o := decoded[office.SupplierInvoice](t, other.Row())
			same := o.PurchaseOrderID != nil && i.PurchaseOrderID != nil && *o.PurchaseOrderID == *i.PurchaseOrderID
			if same && o.ID != i.ID && rapid.Bool().Draw(t, "close") {
				return closeBill(id, o.ID)
			}
		}
		return pay(id, rapid.SampledFrom([]*money.Minor{
			nil, &i.MatchedMinor, &i.BilledMinor, new(i.BilledMinor + i.LateFeeMinor), new(money.Minor(1)),
		}).Draw(t, "amount"))
	}
	return pay(id, nil)
}
