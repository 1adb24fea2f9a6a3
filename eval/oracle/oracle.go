// Package oracle solves the graded tasks: each as a client does that knows the task, over the
// public API and with the player's keys alone. A task that its oracle cannot solve is broken.
package oracle

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"platen/client"
)

// Solution solves one task, and returns the answer to file, nil for none.
type Solution func(ctx context.Context, p *Player) (answer any, err error)

// Player has the keys and files of a solution.
type Player struct {
	// Client has the two keys of a player.
	Client *client.Client
	// Files are those that the task provides, by their names.
	Files map[string][]byte
}

// Patience is how long a player repeats a request, and pause the longest wait where the server names none.
const (
	Patience = time.Minute
	pause    = 100 * time.Millisecond
)

// NewPlayer returns a player with the patience that the faults of all tasks take. It counts time and not attempts:
// under a clock that moves by hand an outage lasts for so many requests, the next one may follow at once, and a
// response may be lost after that. So it asks again at once, unless the server says when to come back.
func NewPlayer(baseURL string, keys client.Keys, files map[string][]byte, options ...client.Option) *Player {
	patient := []client.Option{client.MaxElapsed(Patience), client.Backoff(time.Millisecond, pause)}
	return &Player{Client: client.New(baseURL, keys, append(patient, options...)...), Files: files}
}

// online is a solution that needs the API alone.
func online(solve func(ctx context.Context, c *client.Client) (answer any, err error)) Solution {
	return func(ctx context.Context, p *Player) (any, error) { return solve(ctx, p.Client) }
}

// Solutions are those of all tasks, by name.
func Solutions() map[string]Solution {
	return map[string]Solution{
		"first-order":  online(firstOrder),
		"first-cash":   online(firstCash),
		"right-price":  online(rightPrice),
		"trucks":       online(trucks),
		"carry-one":    online(carryOne),
		"payday":       online(payday),
		"short-run":    online(shortRun),
		"refuse-wrong": online(refuseWrong),
		"gang-up":      online(gangUp),
		"paper-out":    online(paperOut),
		"carry-all":    online(carryAll),
		"lost-answers": online(carryOn),
		"half-outage":  online(carryOn),
		"orphans":      online(orphans),
		"audit":        online(audit),
		"lots":         online(lots),

		"noisy-hooks":   noisyHooks,
		"lost-webhooks": online(lostWebhooks),
		"drift":         online(drift),
		"shock":         online(shock),
		"promises":      online(promises),
		"repair":        repair,
		"price-diary":   online(priceDiary),

		"integration-10": carries(10),
		"integration-30": carries(30),
	}
}

// firstWeek is the Monday on which every company begins.
const firstWeek = "2026-09-07"

// collect reads a list whole.
func collect[R any](rows iter.Seq2[R, error]) ([]R, error) {
	var all []R
	for r, err := range rows {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// numbered returns the sales order with a number.
func numbered(ctx context.Context, c *client.Client, number string) (*client.OfficeSalesOrder, error) {
	for o, err := range c.SalesOrders(ctx, client.ListSalesOrdersParams{}) {
		if err != nil {
			return nil, err
		}
		if o.Number == number {
			return &o, nil
		}
	}
	return nil, fmt.Errorf("there is no sales order %s", number)
}

// wait lets minutes pass.
func wait(ctx context.Context, c *client.Client, minutes int64) error {
	_, err := c.AdvanceTime(ctx, client.TickInput{Minutes: &minutes})
	return err
}

func firstOrder(ctx context.Context, c *client.Client) (any, error) {
	orders, err := collect(c.SalesOrders(ctx, client.ListSalesOrdersParams{Status: "received"}))
	if err != nil {
		return nil, err
	}
	products, err := collect(c.FactoryProducts(ctx, client.ListFactoryProductsParams{}))
	if err != nil {
		return nil, err
	}
	stock, err := collect(c.StockItems(ctx, client.ListStockItemsParams{}))
	if err != nil {
		return nil, err
	}
	for _, o := range orders {
		needed, there := int64(0), int64(0)
		for _, p := range products {
			if p.SKU != o.SKU {
				continue
			}
			needed = o.Quantity * p.SheetsPerUnit
			for _, item := range stock {
				if item.SKU == p.PaperSKU {
					there = item.OnHand
				}
			}
		}
		if needed > there {
			_, err = c.DeclineSalesOrder(ctx, o.ID, client.DeclineSalesOrderInput{})
		} else {
			_, err = c.AcceptSalesOrder(ctx, o.ID)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// printAll prints work until it is ready to be shipped, on the other press where the one is down.
func printAll(ctx context.Context, c *client.Client, workOrder, press string) error {
	for {
		w, err := c.GetWorkOrder(ctx, workOrder)
		if err != nil {
			return err
		}
		switch w.WaitsFor {
		case "press":
			overs := int64(8)
			in := client.StartPrintRunInput{PressID: press, WorkOrderID: &workOrder, OversPct: &overs}
			_, err := c.StartPrintRun(ctx, in)
			if client.IsCode(err, client.CodePressDown) {
				in.PressID = map[string]string{"prs_digital": "prs_offset", "prs_offset": "prs_digital"}[press]
				_, err = c.StartPrintRun(ctx, in)
			}
			if err != nil && !client.IsCode(err, client.CodePressDown) && !client.IsCode(err, client.CodeNoOperator) {
				return err
			}
		case "shipment", "nothing":
			return nil
		case "run", "finishing":
		}
		if err := wait(ctx, c, 20); err != nil {
			return err
		}
	}
}

// dispatch ships finished work, and waits for hands if the warehouse has none today.
func dispatch(ctx context.Context, c *client.Client, workOrder string) (*client.FactoryShipment, error) {
	for {
		s, err := c.CreateFactoryShipment(ctx, client.CreateFactoryShipmentInput{WorkOrderID: workOrder})
		if !client.IsCode(err, client.CodeNoWarehouseWorker) {
			return s, err
		}
		if err := wait(ctx, c, 60); err != nil {
			return nil, err
		}
	}
}

func firstCash(ctx context.Context, c *client.Client) (any, error) {
	orders, err := inNumbers(ctx, c, "SO-1004", "SO-1011")
	if err != nil {
		return nil, err
	}
	slices.SortFunc(orders, func(a, b client.OfficeSalesOrder) int { return cmp.Compare(b.TotalMinor, a.TotalMinor) })
	const most, days = 2, 17
	orders = orders[:most]
	for i := range orders {
		o, err := c.AcceptSalesOrder(ctx, orders[i].ID)
		if err != nil {
			return nil, err
		}
		orders[i] = *o
	}
	for _, o := range orders {
		if err := printAll(ctx, c, *o.BridgedWorkOrderID, "prs_digital"); err != nil {
			return nil, err
		}
		if _, err := dispatch(ctx, c, *o.BridgedWorkOrderID); err != nil {
			return nil, err
		}
	}
	for range days {
		paid := 0
		for _, o := range orders {
			now, err := c.GetSalesOrder(ctx, o.ID)
			if err != nil {
				return nil, err
			}
			if now.Status == "paid" {
				paid++
			}
		}
		if paid == len(orders) {
			return nil, nil
		}
		if err := wait(ctx, c, 480); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func rightPrice(ctx context.Context, c *client.Client) (any, error) {
	bills, err := collect(c.SupplierInvoices(ctx, client.ListSupplierInvoicesParams{Kind: "materials"}))
	if err != nil {
		return nil, err
	}
	for _, b := range bills {
		if b.MatchStatus == "no_receipt" || b.Status == "paid" {
			continue
		}
		amount := b.MatchedMinor
		if _, err := c.PaySupplierInvoice(ctx, b.ID, client.PaySupplierInvoiceInput{AmountMinor: &amount}); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func trucks(ctx context.Context, c *client.Client) (any, error) {
	deliveries, err := collect(c.Deliveries(ctx, client.ListDeliveriesParams{Status: "arrived"}))
	if err != nil {
		return nil, err
	}
	orders, err := collect(c.PurchaseOrders(ctx, client.ListPurchaseOrdersParams{}))
	if err != nil {
		return nil, err
	}
	for _, d := range deliveries {
		receipt, err := c.CreateFactoryGoodsReceipt(ctx, client.CreateFactoryGoodsReceiptInput{DeliveryID: d.ID})
		if err != nil {
			return nil, err
		}
		for _, o := range orders {
			if o.Number != receipt.PurchaseOrderNumber {
				continue
			}
			in := client.CreateOfficeGoodsReceiptInput{PurchaseOrderID: o.ID, Reference: &receipt.ID}
			for _, l := range receipt.Lines {
				in.Lines = append(in.Lines, client.ReceivedLineInput{
					SKU: l.SKU, QuantityAccepted: l.QuantityAccepted, QuantityRejected: &l.QuantityRejected,
				})
			}
			if _, err := c.CreateOfficeGoodsReceipt(ctx, in); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

func carryOne(ctx context.Context, c *client.Client) (any, error) {
	o, err := numbered(ctx, c, "SO-1004")
	if err != nil {
		return nil, err
	}
	w, err := c.CreateWorkOrder(ctx, client.CreateWorkOrderInput{
		SKU: o.SKU, Quantity: o.Quantity, Reference: &o.ID, DueDate: &o.DueDate,
	})
	if err != nil {
		return nil, err
	}
	if err := printAll(ctx, c, w.ID, "prs_digital"); err != nil {
		return nil, err
	}
	parcel, err := dispatch(ctx, c, w.ID)
	if err != nil {
		return nil, err
	}
	_, err = c.CreateOfficeShipment(ctx, client.CreateOfficeShipmentInput{
		SalesOrderID: &o.ID, FactoryShipmentRef: &parcel.ID,
	})
	return nil, err
}

// fileHours files the timesheet of the first week as the gate has counted it.
func fileHours(ctx context.Context, c *client.Client) error {
	days, err := collect(c.Attendance(ctx, client.ListAttendanceParams{WeekStart: firstWeek}))
	if err != nil {
		return err
	}
	const hoursOfDay = 8
	in := client.CreateTimesheetInput{WeekStart: firstWeek}
	at := map[string]int{}
	for _, d := range days {
		i, ok := at[d.BadgeNo]
		if !ok {
			i = len(in.Entries)
			at[d.BadgeNo] = i
			in.Entries = append(in.Entries, client.HoursEntryInput{BadgeNo: &d.BadgeNo})
		}
		switch d.Absence {
		case "sick":
			in.Entries[i].HoursSick += hoursOfDay
		case "leave":
			in.Entries[i].HoursLeave += hoursOfDay
		default:
			in.Entries[i].HoursWorked += hoursOfDay
		}
	}
	_, err = c.CreateTimesheet(ctx, in)
	return err
}

func payday(ctx context.Context, c *client.Client) (any, error) {
	if err := fileHours(ctx, c); err != nil {
		return nil, err
	}
	_, err := c.RunPayroll(ctx, client.RunPayrollInput{WeekStart: firstWeek})
	return nil, err
}

func shortRun(ctx context.Context, c *client.Client) (any, error) {
	waiting, err := collect(c.WorkOrders(ctx, client.ListWorkOrdersParams{WaitsFor: "press"}))
	if err != nil {
		return nil, err
	}
	for _, w := range waiting {
		if w.QuantityGood == 0 {
			continue
		}
		if err := printAll(ctx, c, w.ID, "prs_digital"); err != nil {
			return nil, err
		}
		if _, err := dispatch(ctx, c, w.ID); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func refuseWrong(ctx context.Context, c *client.Client) (any, error) {
	if err := fileHours(ctx, c); err != nil {
		return nil, err
	}
	notDone := []int{1}
	for bill, err := range c.SupplierInvoices(ctx, client.ListSupplierInvoicesParams{Kind: "materials"}) {
		switch {
		case err != nil:
			return nil, err
		case bill.SupplierID != "sup_quick" || bill.Status == "paid" || bill.Lines[0].SKU == nil ||
			*bill.Lines[0].SKU != "mat_coated":
		case bill.MatchStatus == "no_receipt":
			notDone = append(notDone, 2)
		default:
			pay := client.PaySupplierInvoiceInput{AmountMinor: &bill.MatchedMinor}
			if _, err := c.PaySupplierInvoice(ctx, bill.ID, pay); err != nil {
				return nil, err
			}
		}
	}
	return map[string]any{"not_done": notDone}, nil
}
