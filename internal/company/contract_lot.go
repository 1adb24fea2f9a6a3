package company

import (
	"fmt"

	"platen/internal/company/factory"
	"platen/internal/company/office"
)

// This file is the bulk orders of framework customers: the same road as a sales
// order takes, with a penalty at its end.

// AcceptLot accepts a contract lot. The auto bridge orders the work from the
// Factory (hand-off 2).
func (c *Company) AcceptLot(id string) error {
	lot, err := c.office.LotAnswerable(id)
	if err != nil {
		return err
	}
	if !c.bridged() {
		c.office.AcceptLot(c.rec, id, nil)
		return nil
	}
	due := lot.DeliverBy
	work := &factory.CreateWorkOrder{SKU: lot.SKU, Quantity: lot.Quantity, Reference: &lot.ID, DueDate: &due}
	if err := c.factory.CanCreate(work, factory.SourceBridge); err != nil {
		return err
	}
	workOrderID := c.factory.WorkOrders.Rows.NextID(c.rec)
	c.office.AcceptLot(c.rec, id, &workOrderID)
	c.factory.Create(c.rec, work, factory.SourceBridge, factory.End{})
	return nil
}

// DeclineLot turns a contract lot down.
func (c *Company) DeclineLot(id string) error {
	if _, err := c.office.LotAnswerable(id); err != nil {
		return err
	}
	c.office.DeclineLot(c.rec, id)
	c.ended(id)
	return nil
}

// shipLot bills a lot and returns the shipment's id.
func (c *Company) shipLot(lotID string, quantity *int64, factoryRef *string) (string, error) {
	_, parcel, err := c.lotShippable(lotID, quantity)
	if err != nil {
		return "", err
	}
	if parcel != nil {
		factoryID := c.mirrorAtFactory(parcel)
		if factoryRef == nil {
			factoryRef = &factoryID
		}
	}
	return c.office.ShipLot(c.rec, lotID, factoryRef, office.SourceClient), nil
}

// lotShippable returns a lot that can be billed, or refuses. The auto bridge first sends the goods out at the Factory,
// as the parcel, so they must be ready, unless the customer has them already.
func (c *Company) lotShippable(id string, quantity *int64) (*office.ContractLot, *factory.Parcel, error) {
	lot, err := c.office.LotShippable(id, quantity)
	if err != nil || !c.bridged() || c.office.LotArrived(lot) {
		return lot, nil, err
	}
	p, err := c.factory.Shippable(c.rec, &factory.CreateFactoryShipment{WorkOrderID: *lot.WorkOrderRef})
	return lot, &p, err
}

// checkLots reports lots whose hand-offs by an auto bridge are not whole.
func (c *Company) checkLots() error {
	for lot := range c.office.ContractLots.All {
		if lot.WorkOrderRef == nil {
			continue
		}
		w, ok := c.factory.WorkOrders.Find(*lot.WorkOrderRef)
		if !ok || w.Reference == nil || *w.Reference != lot.ID || w.SKU != lot.SKU || w.Quantity != lot.Quantity {
			return fmt.Errorf("contract lot %s names the work order %s, which is not its own",
				lot.ID, *lot.WorkOrderRef)
		}
		delivered := lot.Status == office.LotDelivered
		if lot.Status != office.LotExpired &&
			(w.Status == factory.WorkShipped && !delivered || delivered && !c.office.LotArrived(lot)) {
			return fmt.Errorf("contract lot %s is %s, its work order %s is %s", lot.ID, lot.Status, w.ID, w.Status)
		}
	}
	return nil
}
