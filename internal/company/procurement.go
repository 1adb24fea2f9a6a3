package company

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// This file is procure-to-pay: the Factory runs short of material, Head Office
// buys it, a truck brings it, the Factory counts it in, and Head Office matches
// the bill and pays. Trucks and bills come in every mode; requisitions and
// receipts are carried across by the auto bridge or by the client.

// FileRequisition files a requisition at Head Office and returns its id.
func (c *Company) FileRequisition(in *office.CreateRequisition) (string, error) {
	if err := c.office.CanRequire(in); err != nil {
		return "", err
	}
	return c.office.Require(c.rec, in, office.SourceClient), nil
}

// ApproveRequisition approves a requisition that waits for a decision.
func (c *Company) ApproveRequisition(id string) error {
	if _, err := c.office.Decidable(id); err != nil {
		return err
	}
	c.office.ApproveRequisition(c.rec, id, office.ByClient)
	return nil
}

// RejectRequisition rejects a requisition that waits for a decision.
func (c *Company) RejectRequisition(id string, in *office.RejectRequisition) error {
	if _, err := c.office.Decidable(id); err != nil {
		return err
	}
	c.office.RejectRequisition(c.rec, id, office.ByClient, in.Reason)
	c.carryRequisitions()
	return nil
}

// Purchase writes a purchase order and returns its id.
func (c *Company) Purchase(in *office.CreatePurchaseOrder) (string, error) {
	plan, err := c.office.CanPurchase(in)
	if err != nil {
		return "", err
	}
	id := c.office.Purchase(c.rec, plan)
	c.carryRequisitions()
	return id, nil
}

// PreviewPurchase returns what would come of a purchase order that is written now, or
// refuses as Purchase does. It changes nothing.
func (c *Company) PreviewPurchase(in *office.CreatePurchaseOrder) (office.PurchaseOrderPreview, error) {
	plan, err := c.office.CanPurchase(in)
	if err != nil {
		return office.PurchaseOrderPreview{}, err
	}
	return c.office.Preview(c.rec, plan), nil
}

// ApprovePurchase approves a purchase order above the limit.
func (c *Company) ApprovePurchase(id string) error {
	if _, err := c.office.Approvable(id); err != nil {
		return err
	}
	c.office.ApprovePurchase(c.rec, id, office.ByClient)
	return nil
}

// RecordGoodsReceipt records at Head Office the goods that the Factory took in,
// and returns the receipt's id.
func (c *Company) RecordGoodsReceipt(in *office.CreateOfficeGoodsReceipt) (string, error) {
	if err := c.office.CanReceive(in); err != nil {
		return "", err
	}
	return c.office.Receive(c.rec, in, office.SourceClient, c.rec.Date()), nil
}

// CountDelivery counts a supplier's truck in at the Factory, and returns the
// receipt's id. The auto bridge copies the receipt to Head Office (hand-off 5).
func (c *Company) CountDelivery(in *factory.CreateFactoryGoodsReceipt) (string, error) {
	lines, err := c.factory.CanReceive(c.rec, in)
	if err != nil {
		return "", err
	}
	delivery, _ := c.factory.Deliveries.Find(in.DeliveryID)
	order, known := c.office.OrderByNumber(delivery.PurchaseOrderNumber)
	if !known {
		return "", problem.New(problem.InternalError, "No supplier was ever sent the order %s.",
			delivery.PurchaseOrderNumber)
	}
	restocked := c.restocks(order, lines)
	id, worth, requisitions := c.factory.Receive(c.rec, delivery.ID, lines, c.rec.Date())
	c.office.TakenIn(c.rec, order.ID, c.factory.TruckOf(delivery.ID), worth)
	if c.bridged() {
		c.carryReceipt(order, id, lines)
	}
	c.carryRequisitions(requisitions...)
	if restocked {
		c.missions.Note(c.rec, mission.Restocked)
	}
	return id, nil
}

// restocks reports whether an order was made after the Factory had run short of
// its material.
func (c *Company) restocks(order *office.PurchaseOrder, lines []factory.ReceiptLine) bool {
	for _, line := range lines {
		wanted, ok := c.factory.Wanted(line.SKU)
		if ok && line.QuantityAccepted > 0 && order.CreatedAt >= wanted.CreatedAt {
			return true
		}
	}
	return false
}

// carryReceipt copies a receipt of the Factory to Head Office. Lines that the
// client has recorded for the order already are left out.
func (c *Company) carryReceipt(order *office.PurchaseOrder, receiptID string, lines []factory.ReceiptLine) {
	carried := make([]catalog.ReceivedLine, len(lines))
	for i, line := range lines {
		carried[i] = catalog.ReceivedLine{
			SKU: line.SKU, QuantityAccepted: min(line.QuantityAccepted, order.Open(line.SKU)),
			QuantityRejected: &line.QuantityRejected,
		}
	}
	c.office.Receive(c.rec, &office.CreateOfficeGoodsReceipt{
		PurchaseOrderID: order.ID, Lines: carried, Reference: &receiptID,
	}, office.SourceBridge, c.rec.Date())
}

// carryRequisitions copies requisitions of the Factory to Head Office (hand-off 4), after those for which there was no
// room there before. A client that has filed as many as Head Office takes makes room by deciding or ordering, and what
// the Factory still wants then is carried.
func (c *Company) carryRequisitions(ids ...string) {
	if !c.bridged() {
		return
	}
	var uncarried []string
	for _, id := range slices.Concat(c.uncarried, ids) {
		q, _ := c.factory.Requisitions.Find(id)
		switch {
		case q.Status != factory.RequisitionOpen:
		case c.office.State.OpenRequisitions >= office.MaxOpenRequisitions:
			uncarried = append(uncarried, id)
		default:
			c.office.Require(c.rec, &office.CreateRequisition{
				Lines:     []office.MaterialLine{{SKU: q.SKU, Quantity: q.Quantity}},
				Reference: &q.ID, NeededBy: &q.NeededBy,
			}, office.SourceBridge)
		}
	}
	c.uncarried = uncarried
}

// checkCarried reports a requisition that the auto bridge has not carried though there is room for it.
func (c *Company) checkCarried() error {
	for _, id := range c.uncarried {
		if c.office.State.OpenRequisitions < office.MaxOpenRequisitions {
			return fmt.Errorf("there is room for the requisition %s, and it has not been carried", id)
		}
	}
	return nil
}

// PaySupplierInvoice pays a supplier: the named amount, or the bill when it
// matches.
func (c *Company) PaySupplierInvoice(id string, in *office.PaySupplierInvoice) error {
	settlement, err := c.office.CanPay(c.rec.Date(), id, in)
	if err != nil {
		return err
	}
	if c.office.Settle(c.rec, settlement) {
		c.missions.Note(c.rec, mission.PaidMatched)
	}
	return nil
}

// truckArrives brings a supplier's truck to the gate.
func (c *Company) truckArrives(orderID string) {
	order, truck, loads := c.office.Truck(c.rec, orderID)
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	arrival := factory.Arrival{
		SupplierName: supplier.Name, PurchaseOrderNumber: order.Number, Truck: truck, ArrivedOn: c.rec.Date(),
	}
	for _, load := range loads {
		arrival.Lines = append(arrival.Lines, event.DeliveryLine{
			SKU: load.SKU, QuantityAdvised: load.Advised, QuantityCounted: load.Counted, QuantityDamaged: load.Damaged,
		})
		arrival.CostMinor = append(arrival.CostMinor, load.CostMinor)
	}
	c.factory.Arrive(c.rec, arrival)
}

// billOverheads brings the week's overheads to Head Office.
func (c *Company) billOverheads() {
	clicks := c.factory.State.ClicksMinor
	c.factory.State.ClicksMinor = 0
	c.office.BillOverheads(c.rec, clicks)
}
