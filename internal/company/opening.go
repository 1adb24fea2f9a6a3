package company

import (
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/words/event"
	"platen/internal/words/money"
)

// open writes the first morning: reference data, stock and, unless the preset
// has none, the documents that every company begins with. They are the same for
// every seed, so that tutorials can be literal, and each has its event, in the
// order in which things happened: last week's sales, the mill's delivery and
// bill, the goods on order, the crew, and the orders that wait for an answer
// (contract: OPEN.PRESET.OPENING).
func (c *Company) open() {
	documents := c.settings.Preset.Documents
	c.missions.Open(c.rec, !c.bridged(), c.settings.Preset.Evaluation)
	if documents {
		c.factory.Open(c.rec, catalog.Coated)
	} else {
		c.factory.Open(c.rec)
	}
	c.office.Open(c.rec)
	c.market.Open(c.rec)
	if documents {
		c.office.OpenShipped(c.rec)
		c.openDelivered()
		c.office.OpenPurchase(c.rec, office.OpeningPurchase{
			SupplierID: catalog.Quick, SKU: catalog.Board, Quantity: 2000, UnitPriceMinor: 72, By: office.ByPolicy,
			ApprovedOn: c.rec.Date().AddDays(-3), Promised: c.rec.Date().AddDays(1), Truck: 1,
		})
	}
	c.openPeople()
	if documents {
		c.office.OpenReceived(c.rec)
	}
	c.office.State.OpeningNetWorthMinor = c.Summary().NetWorthMinor
	c.notePoint()
}

// openDelivered writes an order at the mill that has been delivered and billed
// at a wrong price: its sheets are the opening stock of coated paper, and its
// bill the first lesson in matching.
func (c *Company) openDelivered() {
	const (
		quantity    = 12_000
		price       = money.Minor(32)
		billedPrice = money.Minor(33)
	)
	today := c.rec.Date()
	wanted := c.factory.OpenRequisition(c.rec, catalog.Coated)
	wish, _ := c.factory.Requisitions.Find(wanted)
	requisition := c.office.Require(c.rec, &office.CreateRequisition{
		Lines:     []office.MaterialLine{{SKU: wish.SKU, Quantity: wish.Quantity}},
		Reference: &wish.ID, NeededBy: &wish.NeededBy,
	}, office.SourceOpening)
	order := c.office.OpenPurchase(c.rec, office.OpeningPurchase{
		RequisitionID: &requisition, SupplierID: catalog.Mill, SKU: catalog.Coated, Quantity: quantity,
		UnitPriceMinor: price, By: office.ByClient,
		ApprovedOn: today.AddDays(-25), Promised: today.AddDays(-18),
	})
	supplier, _ := catalog.SupplierByID(catalog.Mill)
	receivedOn := today.AddDays(-18)
	deliveryID := c.factory.Arrive(c.rec, factory.Arrival{
		SupplierName: supplier.Name, PurchaseOrderNumber: order.Number, ArrivedOn: receivedOn,
		Lines:     []event.DeliveryLine{{SKU: catalog.Coated, QuantityAdvised: quantity, QuantityCounted: quantity}},
		CostMinor: []money.Minor{price},
	})
	receiptID, worth, _ := c.factory.Receive(c.rec, deliveryID,
		[]factory.ReceiptLine{{SKU: catalog.Coated, QuantityAccepted: quantity}}, receivedOn)
	c.office.TakenIn(c.rec, order.ID, 0, worth)
	c.office.Receive(c.rec, &office.CreateOfficeGoodsReceipt{
		PurchaseOrderID: order.ID, Lines: []catalog.ReceivedLine{{SKU: catalog.Coated, QuantityAccepted: quantity}},
		Reference: &receiptID,
	}, office.SourceOpening, receivedOn)
	c.office.OpenBill(c.rec, order.ID, billedPrice)
}
