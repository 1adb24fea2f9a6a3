package oracle

import (
	"context"
	"slices"
	"strings"

	"platen/client"
)

// inNumbers are the sales orders from one number to another.
func inNumbers(ctx context.Context, c *client.Client, first, last string) ([]client.OfficeSalesOrder, error) {
	all, err := collect(c.SalesOrders(ctx, client.ListSalesOrdersParams{}))
	all = slices.DeleteFunc(all, func(o client.OfficeSalesOrder) bool { return o.Number < first || o.Number > last })
	slices.SortFunc(all, func(a, b client.OfficeSalesOrder) int { return strings.Compare(a.Number, b.Number) })
	return all, err
}

// printTogether prints work in one run, and waits until all of it can be shipped.
func printTogether(ctx context.Context, c *client.Client, press string, overs int64, work []string) error {
	for {
		_, err := c.StartPrintRun(ctx, client.StartPrintRunInput{PressID: press, WorkOrderIDs: work, OversPct: &overs})
		if err == nil {
			break
		}
		if !client.IsCode(err, client.CodePressDown) && !client.IsCode(err, client.CodePressBusy) &&
			!client.IsCode(err, client.CodeNoOperator) {
			return err
		}
		if err := wait(ctx, c, 30); err != nil {
			return err
		}
	}
	for _, id := range work {
		for {
			w, err := c.GetWorkOrder(ctx, id)
			if err != nil {
				return err
			}
			if w.WaitsFor == "press" || w.WaitsFor == "shipment" {
				break
			}
			if err := wait(ctx, c, 30); err != nil {
				return err
			}
		}
	}
	return nil
}

func gangUp(ctx context.Context, c *client.Client) (any, error) {
	orders, err := inNumbers(ctx, c, "SO-1004", "SO-1011")
	if err != nil {
		return nil, err
	}
	first := slices.MinFunc(orders, func(a, b client.OfficeSalesOrder) int {
		return strings.Compare(string(a.DueDate), string(b.DueDate))
	}).DueDate
	var work []string
	for _, o := range orders {
		if o.DueDate == first {
			work = append(work, *o.BridgedWorkOrderID)
		}
	}
	if err := printTogether(ctx, c, "prs_offset", 12, work); err != nil {
		return nil, err
	}
	for _, id := range work {
		if _, err := dispatch(ctx, c, id); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// paperOut looks for the orders that fill the paper best, all of them together in one run on the digital press,
// which loses the fewest sheets.
func paperOut(ctx context.Context, c *client.Client) (any, error) {
	orders, err := inNumbers(ctx, c, "SO-1004", "SO-1010")
	if err != nil {
		return nil, err
	}
	paper, err := c.GetStockItem(ctx, "itm_uncoated")
	if err != nil {
		return nil, err
	}
	// A notebook of ten takes 32 sheets; 8 are lost to the make-ready, and so many per cent are
	// printed beyond the quantity.
	const sheets, makeReady, overs = 32, 8, 5
	best, bestValue := 0, int64(0)
	for choice := range 1 << len(orders) {
		quantity, value := int64(0), int64(0)
		for i, o := range orders {
			if choice>>i&1 == 1 {
				quantity += o.Quantity
				value += o.TotalMinor
			}
		}
		if quantity*sheets*(100+overs)/100+makeReady+int64(len(orders)) <= paper.OnHand && value > bestValue {
			best, bestValue = choice, value
		}
	}
	var work []string
	for i, o := range orders {
		if best>>i&1 == 0 {
			if _, err := c.DeclineSalesOrder(ctx, o.ID, client.DeclineSalesOrderInput{}); err != nil {
				return nil, err
			}
			continue
		}
		accepted, err := c.AcceptSalesOrder(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		work = append(work, *accepted.BridgedWorkOrderID)
	}
	if err := printTogether(ctx, c, "prs_digital", overs, work); err != nil {
		return nil, err
	}
	for _, id := range work {
		if _, err := dispatch(ctx, c, id); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// workFor returns the work order with one of two references, nil if there is none.
func workFor(ctx context.Context, c *client.Client, o *client.OfficeSalesOrder) (*client.FactoryWorkOrder, error) {
	for _, reference := range []string{o.ID, o.Number} {
		for w, err := range c.WorkOrders(ctx, client.ListWorkOrdersParams{Reference: reference}) {
			return &w, err
		}
	}
	return nil, nil
}

func carryAll(ctx context.Context, c *client.Client) (any, error) {
	if err := carryAccepted(ctx, c); err != nil {
		return nil, err
	}
	billed, err := collect(c.OfficeShipments(ctx, client.ListOfficeShipmentsParams{}))
	if err != nil {
		return nil, err
	}
	parcels, err := collect(c.FactoryShipments(ctx, client.ListFactoryShipmentsParams{}))
	if err != nil {
		return nil, err
	}
	for _, p := range parcels {
		if slices.ContainsFunc(billed, func(s client.OfficeShipment) bool {
			return s.FactoryShipmentRef != nil && *s.FactoryShipmentRef == p.ID
		}) {
			continue
		}
		if _, err := c.CreateOfficeShipment(ctx, client.CreateOfficeShipmentInput{
			SalesOrderID: &p.Reference, FactoryShipmentRef: &p.ID,
		}); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// carryOn plays the five orders of the first morning across a bridge that nobody else carries
// them over. Each step looks first whether it has been done: a response that was lost says
// nothing.
func carryOn(ctx context.Context, c *client.Client) (any, error) {
	orders, err := inNumbers(ctx, c, "SO-1001", "SO-1005")
	if err != nil {
		return nil, err
	}
	presses := map[string]string{"prd_card": "prs_digital", "prd_poster": "prs_digital", "prd_flyer": "prs_offset"}
	for _, o := range orders {
		if o.Status == "received" {
			if _, err := c.AcceptSalesOrder(ctx, o.ID); err != nil && !client.IsCode(err, client.CodeInvalidState) {
				return nil, err
			}
		}
		w, err := workFor(ctx, c, &o)
		if err == nil && w == nil {
			if w, err = c.CreateWorkOrder(ctx, client.CreateWorkOrderInput{
				SKU: o.SKU, Quantity: o.Quantity, Reference: &o.ID, DueDate: &o.DueDate,
			}); client.IsCode(err, client.CodeDuplicateReference) {
				w, err = workFor(ctx, c, &o)
			}
		}
		if err != nil {
			return nil, err
		}
		if err := printAll(ctx, c, w.ID, presses[o.SKU]); err != nil {
			return nil, err
		}
		parcel, err := dispatch(ctx, c, w.ID)
		if client.IsCode(err, client.CodeInvalidState) {
			for p, err2 := range c.FactoryShipments(ctx, client.ListFactoryShipmentsParams{Reference: o.ID}) {
				parcel, err = &p, err2
			}
		}
		if err != nil {
			return nil, err
		}
		if _, err := c.CreateOfficeShipment(ctx, client.CreateOfficeShipmentInput{
			SalesOrderID: &o.ID, FactoryShipmentRef: &parcel.ID,
		}); err != nil && !client.IsCode(err, client.CodeInvalidState) {
			return nil, err
		}
	}
	return nil, nil
}

func orphans(ctx context.Context, c *client.Client) (any, error) {
	invoices, err := collect(c.CustomerInvoices(ctx, client.ListCustomerInvoicesParams{}))
	if err != nil {
		return nil, err
	}
	for _, i := range invoices {
		if i.DisputeCode == nil || i.SalesOrderID == nil {
			continue
		}
		bill, err := c.GetOfficeShipment(ctx, i.ShipmentID)
		if err != nil {
			return nil, err
		}
		o, err := c.GetSalesOrder(ctx, *i.SalesOrderID)
		if err != nil {
			return nil, err
		}
		in := client.CreateWorkOrderInput{SKU: o.SKU, Quantity: o.Quantity, Reference: &o.ID}
		w, err := c.CreateWorkOrder(ctx, in)
		if err != nil {
			return nil, err
		}
		if err := printAll(ctx, c, w.ID, "prs_digital"); err != nil {
			return nil, err
		}
		if _, err := dispatch(ctx, c, w.ID); err != nil {
			return nil, err
		}
		return map[string]string{"parcel": *bill.FactoryShipmentRef}, nil
	}
	return nil, nil
}

func lots(ctx context.Context, c *client.Client) (any, error) {
	sheetsPerUnit := map[string]int64{}
	for p, err := range c.FactoryProducts(ctx, client.ListFactoryProductsParams{}) {
		if err != nil {
			return nil, err
		}
		sheetsPerUnit[p.SKU] = p.SheetsPerUnit
	}
	offered, err := collect(c.ContractLots(ctx, client.ListContractLotsParams{Status: "offered"}))
	if err != nil {
		return nil, err
	}
	worth, sheets := int64(0), int64(0)
	for _, l := range offered {
		worth, sheets = worth+l.TotalMinor, sheets+l.Quantity*sheetsPerUnit[l.SKU]
	}
	for _, l := range offered {
		if l.TotalMinor*sheets > worth*l.Quantity*sheetsPerUnit[l.SKU] {
			_, err = c.AcceptContractLot(ctx, l.ID)
		} else {
			_, err = c.DeclineContractLot(ctx, l.ID)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}
