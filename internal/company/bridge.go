package company

import (
	"errors"
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/words/problem"
)

// This file is where the two systems meet. With an auto bridge the hand-offs
// happen here, in the transaction of the command that causes them; with a
// manual bridge none does, and the client's integration has to carry the
// records. Physical steps, such as goods reaching a customer, happen in both.

func (c *Company) bridged() bool { return c.settings.Bridge == preset.Auto }

// CanAcceptSalesOrder refuses an order that cannot be accepted.
func (c *Company) CanAcceptSalesOrder(id string) error {
	order, err := c.office.Acceptable(id)
	if err != nil || !c.bridged() {
		return err
	}
	return c.factory.CanCreate(bridgedWork(order), factory.SourceBridge)
}

// bridgedWork is the work that the auto bridge orders for an accepted order.
func bridgedWork(order *office.SalesOrder) *factory.CreateWorkOrder {
	due := order.DueDate
	return &factory.CreateWorkOrder{SKU: order.SKU, Quantity: order.Quantity, Reference: &order.ID, DueDate: &due}
}

// AcceptSalesOrder accepts an order. The auto bridge orders the work from the
// Factory (hand-off 1).
func (c *Company) AcceptSalesOrder(id string) error {
	if err := c.CanAcceptSalesOrder(id); err != nil {
		return err
	}
	if !c.bridged() {
		c.office.Accept(c.rec, id, c.settings.Bridge, nil)
		c.missions.Note(c.rec, mission.AcceptedOrder)
		return nil
	}
	order, _ := c.office.SalesOrders.Find(id)
	work := bridgedWork(order)
	workOrderID := c.factory.WorkOrders.Rows.NextID(c.rec)
	c.office.Accept(c.rec, id, c.settings.Bridge, &workOrderID)
	c.factory.Create(c.rec, work, factory.SourceBridge, factory.End{Over: c.office.OrderArrived(order), Told: true})
	c.missions.Note(c.rec, mission.AcceptedOrder)
	return nil
}

// DeclineSalesOrder turns an order down.
func (c *Company) DeclineSalesOrder(id string, in *office.DeclineSalesOrder) error {
	order, err := c.office.Answerable(id)
	if err != nil {
		return err
	}
	c.office.Decline(c.rec, id, in.Reason)
	c.factory.Ends(c.rec, factory.End{Over: true, Told: c.bridged()}, order.ID, order.Number)
	return nil
}

// CreateWorkOrder orders work from the Factory and returns the order's id.
func (c *Company) CreateWorkOrder(in *factory.CreateWorkOrder) (string, error) {
	if err := catalog.CheckReference("reference", in.Reference); err != nil {
		return "", err
	}
	if err := c.factory.CanCreate(in, factory.SourceClient); err != nil {
		return "", err
	}
	end, work := factory.End{}, *in
	if in.Reference != nil {
		work.Reference = catalog.Trimmed(in.Reference)
		if p, ok := c.purposeOf(*work.Reference); ok {
			end = p.end
		}
	}
	return c.factory.Create(c.rec, &work, factory.SourceClient, end), nil
}

// CanStartPrintRun returns the plan of a run, or refuses. The auto bridge knows which orders
// are over and does not let their paper be wasted; with a manual bridge the Factory cannot
// know.
func (c *Company) CanStartPrintRun(in *factory.StartPrintRun) (factory.RunPlan, error) {
	if c.bridged() {
		for _, id := range in.Orders() {
			if w, ok := c.factory.WorkOrders.Find(id); ok {
				if err := c.stillWanted(w); err != nil {
					return factory.RunPlan{}, err
				}
			}
		}
	}
	return c.factory.CanStartPrintRun(c.rec, in)
}

// StartPrintRun starts a press and returns the run's id.
func (c *Company) StartPrintRun(in *factory.StartPrintRun) (string, error) {
	plan, err := c.CanStartPrintRun(in)
	if err != nil {
		return "", err
	}
	id, requisitions := c.factory.StartPrintRun(c.rec, plan)
	c.carryRequisitions(requisitions...)
	c.missions.Note(c.rec, mission.StartedPrintRun)
	return id, nil
}

// PreviewPrintRun returns what would come of a run that is started now, or refuses as
// StartPrintRun does. It changes nothing.
func (c *Company) PreviewPrintRun(in *factory.StartPrintRun) (factory.PrintRunPreview, error) {
	plan, err := c.CanStartPrintRun(in)
	if err != nil {
		return factory.PrintRunPreview{}, err
	}
	return c.factory.Preview(c.rec, plan), nil
}

// stillWanted refuses work for an order or a lot that is over: it was declined,
// it has expired, or its customer has the goods.
func (c *Company) stillWanted(w *factory.WorkOrder) error {
	if p, ok := c.over(w); ok {
		return problem.New(problem.InvalidState, "%s; no customer takes these goods any more.", p.sentence(w)).
			With(problem.StateDetails{Status: p.status, Allowed: p.allowed})
	}
	return nil
}

// purpose is the order or lot that a reference names.
type purpose struct {
	resource, id, number, status string
	// allowed are the statuses in which its goods are printed.
	allowed []string
	arrived bool
	end     factory.End
}

func (p *purpose) sentence(w *factory.WorkOrder) string {
	if p.arrived {
		return fmt.Sprintf("The customer of the %s %s of the work order %s has the goods",
			p.resource, p.number, w.Number)
	}
	return fmt.Sprintf("The %s %s of the work order %s is %s", p.resource, p.number, w.Number, p.status)
}

// purposeOf returns the order or lot that a reference names, as the customer knows it.
func (c *Company) purposeOf(reference string) (p purpose, ok bool) {
	if lot, ok := c.office.LotByReference(reference); ok {
		p = purpose{resource: "contract lot", id: lot.ID, number: lot.Number, status: string(lot.Status),
			allowed: []string{string(office.LotAccepted)}, arrived: c.office.LotArrived(lot)}
		p.end = factory.End{Over: c.office.LotOver(lot), Expired: lot.Status == office.LotExpired, Told: c.bridged()}
		return p, true
	}
	order, ok := c.office.OrderByReference(reference)
	if !ok {
		return p, false
	}
	p = purpose{resource: "sales order", id: order.ID, number: order.Number, status: string(order.Status),
		allowed: []string{string(office.OrderInProduction)}, arrived: c.office.OrderArrived(order)}
	expired := order.Status == office.OrderExpired
	p.end = factory.End{Over: c.office.OrderOver(order), Expired: expired, Told: c.bridged()}
	return p, true
}

// over returns the purpose of a work order, if that purpose is over.
func (c *Company) over(w *factory.WorkOrder) (*purpose, bool) {
	if w.Reference == nil {
		return nil, false
	}
	p, ok := c.purposeOf(*w.Reference)
	if p.arrived {
		p.allowed = []string{}
	}
	return &p, ok && p.end.Over
}

// ended lets the Factory know, as far as it can, that the order or lot that a reference names takes no more goods, if
// that is so (see factory.End).
func (c *Company) ended(reference string) {
	if p, ok := c.purposeOf(reference); ok && p.end.Over {
		c.factory.Ends(c.rec, p.end, p.id, p.number)
	}
}

// checkEnds reports a work order that does not follow the end of its order or lot.
func (c *Company) checkEnds() error {
	for w, private := range c.factory.WorkOrders.All {
		if w.Reference == nil || w.Status == factory.WorkShipped {
			continue
		}
		p, _ := c.purposeOf(*w.Reference)
		reserved := w.Status == factory.WorkReady && w.QuantityFromStock > 0 && !private.Over
		switch {
		case p.end.Over && reserved:
			return fmt.Errorf("the work order %s reserves goods for %s, which is over", w.ID, p.number)
		case c.bridged() && private.Over != p.end.Over, private.Over && !p.end.Over:
			return fmt.Errorf("the work order %s for %s, over %t, is over %t", w.ID, p.number, p.end.Over, private.Over)
		case w.OrderExpired != (c.bridged() && p.end.Expired):
			return fmt.Errorf("the work order %s for %s, which is %s, says expired: %t",
				w.ID, p.number, p.status, w.OrderExpired)
		}
	}
	return nil
}

// awaited returns the refusal of a shipment. Goods that are not ready and that
// no customer takes any more are not worth waiting for, which the auto bridge
// knows.
func (c *Company) awaited(workOrderID string, refusal error) error {
	var p *problem.Problem
	if !c.bridged() || !errors.As(refusal, &p) || p.Code != problem.WorkOrderNotReady {
		return refusal
	}
	w, _ := c.factory.WorkOrders.Find(workOrderID)
	purpose, over := c.over(w)
	if !over {
		return refusal
	}
	return p.Hinting("%s; no customer takes these goods any more, so do not ship them.", purpose.sentence(w))
}

// CanShipFromFactory refuses goods that cannot be sent out.
func (c *Company) CanShipFromFactory(in *factory.CreateFactoryShipment) (factory.Parcel, error) {
	if err := catalog.CheckReference("part_ref", in.PartRef); err != nil {
		return factory.Parcel{}, err
	}
	p, err := c.factory.Shippable(c.rec, in)
	if err != nil {
		return p, c.awaited(in.WorkOrderID, err)
	}
	return p, c.closes(&p)
}

// closes refuses a final part that is less than its customer takes as the whole, which the auto bridge knows.
func (c *Company) closes(p *factory.Parcel) error {
	if !p.Final || !c.bridged() {
		return nil
	}
	if lot, ok := c.office.LotByReference(*p.Work.Reference); ok {
		if lot.Status != office.LotAccepted || c.office.CompletesLot(lot, p.Work.SKU, p.Quantity) {
			return nil
		}
		return problem.New(problem.QuantityMismatch, "The lot %s is for %d; its customer takes no fewer.",
			lot.Number, lot.Quantity).With(problem.QuantityDetails{Quantity: lot.Quantity})
	}
	order, ok := c.office.OrderByReference(*p.Work.Reference)
	if !ok || order.Status != office.OrderInProduction || c.office.Closes(order, p.Quantity) {
		return nil
	}
	least := c.office.Least(order)
	return problem.New(problem.QuantityMismatch, "The customer of %s takes no fewer than %d of %d as the whole.",
		order.Number, least, order.Quantity).With(problem.QuantityDetails{Quantity: least})
}

// ShipFromFactory sends goods of a work order out and returns the shipment's
// id. The auto bridge bills them at Head Office (hand-off 3).
func (c *Company) ShipFromFactory(in *factory.CreateFactoryShipment) (string, error) {
	p, err := c.CanShipFromFactory(in)
	if err != nil {
		return "", err
	}
	bill := c.billing(&p)
	if bill == nil {
		id := c.factory.Ship(c.rec, p, factory.SourceClient, nil)
		c.goodsLeave(&p)
		return id, nil
	}
	id := c.factory.Ship(c.rec, p, factory.SourceClient, new(c.office.Shipments.Rows.NextID(c.rec)))
	c.goodsLeave(&p)
	bill(id)
	return id, nil
}

// billing bills the goods of a parcel, and those that its customer had before, for the auto
// bridge, or is nil when there is nothing to bill: a lot is not whole with it, or its order is over. Whose work order
// it is does not matter, since the customer knows the goods by their reference (contract:
// OPEN.BRIDGE.SHIPMENT).
func (c *Company) billing(p *factory.Parcel) func(shipmentID string) {
	if !c.bridged() {
		return nil
	}
	w := p.Work
	if lot, ok := c.office.LotByReference(*w.Reference); ok {
		if lot.Status != office.LotAccepted || !c.office.CompletesLot(lot, w.SKU, p.Quantity) {
			return nil
		}
		return func(shipmentID string) { c.office.ShipLot(c.rec, lot.ID, &shipmentID, office.SourceBridge) }
	}
	order, ok := c.office.OrderByReference(*w.Reference)
	if !ok || order.Status != office.OrderInProduction || order.SKU != w.SKU {
		return nil
	}
	bill := office.Bill{Quantity: c.office.Billable(order, p.Quantity), Final: p.Final, Source: office.SourceBridge}
	if bill.Quantity == 0 {
		return nil
	}
	return func(shipmentID string) {
		bill.FactoryRef = &shipmentID
		c.billOrder(order, bill)
	}
}

// billOrder bills goods of an order and returns the shipment's id.
func (c *Company) billOrder(order *office.SalesOrder, bill office.Bill) string {
	id := c.office.Ship(c.rec, order.ID, bill)
	if bill.Final {
		c.ended(order.ID)
	}
	order, _ = c.office.SalesOrders.Find(order.ID)
	if order.Status != office.OrderShipped || record.Private(c.office.SalesOrders, order.ID).AcceptedOn == nil {
		return id
	}
	c.missions.Note(c.rec, mission.BilledOrder)
	if order.QuantityBilled < order.Quantity {
		c.missions.Note(c.rec, mission.ClosedShort)
	}
	return id
}

// ShipFromOffice bills an order or a lot and returns the shipment's id.
func (c *Company) ShipFromOffice(in *office.CreateOfficeShipment) (string, error) {
	if err := catalog.CheckReference("factory_shipment_ref", in.FactoryShipmentRef); err != nil {
		return "", err
	}
	if in.ContractLotID != nil {
		return c.shipLot(*in.ContractLotID, in.Quantity, in.FactoryShipmentRef)
	}
	return c.shipOrder(in)
}

// PreviewShipment returns the expected bill of an order or a lot that is shipped now, or
// refuses as ShipFromOffice does. It changes nothing.
func (c *Company) PreviewShipment(in *office.CreateOfficeShipment) (office.ShipmentPreview, error) {
	if err := catalog.CheckReference("factory_shipment_ref", in.FactoryShipmentRef); err != nil {
		return office.ShipmentPreview{}, err
	}
	if in.ContractLotID != nil {
		lot, _, err := c.lotShippable(*in.ContractLotID, in.Quantity)
		if err != nil {
			return office.ShipmentPreview{}, err
		}
		return c.office.PreviewLot(c.rec, lot), nil
	}
	order, bill, _, err := c.billed(in)
	if err != nil {
		return office.ShipmentPreview{}, err
	}
	return c.office.PreviewBill(c.rec, order, bill), nil
}

// shipOrder bills goods of an order and returns the shipment's id.
func (c *Company) shipOrder(in *office.CreateOfficeShipment) (string, error) {
	order, bill, parcel, err := c.billed(in)
	if err != nil {
		return "", err
	}
	if parcel != nil {
		factoryID := c.mirrorAtFactory(parcel)
		if bill.FactoryRef == nil {
			bill.FactoryRef = &factoryID
		}
	}
	return c.billOrder(order, bill), nil
}

// billed returns the bill that a body asks for, or refuses. The auto bridge first sends the goods that the customer has
// not got out at the Factory, as the parcel, so they must be ready (hand-off 3, from the other side).
func (c *Company) billed(in *office.CreateOfficeShipment) (*office.SalesOrder, office.Bill, *factory.Parcel, error) {
	order, quantity, err := c.office.Shippable(in)
	if err != nil {
		return nil, office.Bill{}, nil, err
	}
	bill := office.Bill{
		Quantity: quantity, Final: in.Final, FactoryRef: in.FactoryShipmentRef, Source: office.SourceClient,
	}
	missing := quantity - c.office.Billable(order, 0)
	if !c.bridged() || missing <= 0 {
		return order, bill, nil, nil
	}
	p, err := c.factory.Shippable(c.rec, c.mirrored(order, missing, in.Final))
	return order, bill, &p, err
}

// mirrored is the shipment of the Factory for so much of an order: of all of its work order without a quantity, unless
// it is final, which would send what is ready.
func (c *Company) mirrored(order *office.SalesOrder, quantity int64, final bool) *factory.CreateFactoryShipment {
	in := &factory.CreateFactoryShipment{WorkOrderID: *order.BridgedWorkOrderID, Final: final}
	if w, _ := c.factory.WorkOrders.Find(in.WorkOrderID); final || quantity < w.Quantity-w.QuantityShipped {
		in.Quantity = &quantity
	}
	return in
}

// mirrorAtFactory sends the goods out that Head Office is about to bill.
func (c *Company) mirrorAtFactory(p *factory.Parcel) (shipmentID string) {
	officeID := c.office.Shipments.Rows.NextID(c.rec)
	shipmentID = c.factory.Ship(c.rec, *p, factory.SourceBridge, &officeID)
	c.goodsLeave(p)
	return shipmentID
}

// checkBridge reports hand-offs of an auto bridge that are not whole.
func (c *Company) checkBridge() error {
	for order := range c.office.SalesOrders.All {
		if order.BridgedWorkOrderID == nil {
			continue
		}
		w, ok := c.factory.WorkOrders.Find(*order.BridgedWorkOrderID)
		if !ok || w.Reference == nil || *w.Reference != order.ID || w.SKU != order.SKU || w.Quantity != order.Quantity {
			return fmt.Errorf("sales order %s names the work order %s, which is not its own",
				order.ID, *order.BridgedWorkOrderID)
		}
		billed := order.Status == office.OrderShipped || order.Status == office.OrderPaid
		if !c.bridged() || order.Status == office.OrderExpired {
			continue
		}
		if w.Status == factory.WorkShipped && !billed || billed && !c.office.OrderArrived(order) {
			return fmt.Errorf("sales order %s is %s, its work order %s is %s", order.ID, order.Status, w.ID, w.Status)
		}
	}
	return nil
}
