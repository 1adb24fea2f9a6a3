package company

import (
	"slices"

	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/event"
)

var triggers = slices.Concat([]Trigger{ //nolint:gochecknoglobals // the table itself
	{
		Type: "order", Summary: "A customer orders now, at the list price.",
		Fields: []string{fieldSKU, fieldQuantity, fieldCustomer, fieldPrice, fieldDue, fieldDays},
		Events: []event.Type{event.SalesOrderReceived},
		run: func(c *Company, in *PullTrigger) (Triggered, error) {
			return c.order(in, office.Wish{Due: orderDays, PricePct: 100})
		},
	},
	{
		Type: "rush_order", Summary: "A customer orders now, for delivery tomorrow, and pays a third more.",
		Fields: []string{fieldSKU, fieldQuantity, fieldCustomer, fieldPrice},
		Events: []event.Type{event.SalesOrderReceived},
		run: func(c *Company, in *PullTrigger) (Triggered, error) {
			return c.order(in, office.Wish{Due: 1, PricePct: rushPct, Rush: true})
		},
	},
	{
		Type: "contract_lot", Summary: "A framework customer offers a lot now.",
		Fields: []string{fieldSKU, fieldQuantity, fieldPrice, fieldDue},
		Events: []event.Type{event.ContractLotOffered, event.ContractLotExpired},
		run:    (*Company).offerLot,
	},
	{
		Type: "customer_pays", Summary: "A customer pays the rest of an invoice now; who pays by halves sends " +
			"two payments.",
		Needs:  "An unpaid customer invoice whose goods have arrived: customer_invoice_id, or the oldest.",
		Fields: []string{fieldInvoice}, Events: []event.Type{event.PaymentReceived, event.CustomerInvoicePaid},
		run: (*Company).customerPays,
	},
	{
		Type: "customer_pays_late", Summary: "A customer pays an invoice late (days after its due date, default 5 " +
			"working days).",
		Needs:  "As customer_pays.",
		Fields: []string{fieldInvoice, fieldDays},
		Events: []event.Type{event.CustomerInvoiceOverdue, event.PaymentReceived},
		run:    func(c *Company, in *PullTrigger) (Triggered, error) { return c.customerWaits(in, false) },
	},
	{
		Type: "customer_disputes", Summary: "A customer cannot find the goods: does not pay when due, disputes the " +
			"invoice, and pays once they are found (after days, default 5 working days).",
		Needs: "A customer invoice that is not due yet, of which nothing is paid, and whose goods have arrived; " +
			"the oldest unless customer_invoice_id names one.",
		Fields: []string{fieldInvoice, fieldDays},
		Events: []event.Type{event.CustomerInvoiceOverdue, event.PaymentReceived},
		run:    func(c *Company, in *PullTrigger) (Triggered, error) { return c.customerWaits(in, true) },
	},
	{
		Type: "truck_early", Summary: "A supplier's truck arrives now.",
		Needs:  "An approved purchase order whose truck is under way: purchase_order_id, or the oldest.",
		Fields: []string{fieldPurchase}, Events: []event.Type{event.DeliveryArrived, event.SupplierInvoiceReceived},
		run: func(c *Company, in *PullTrigger) (Triggered, error) {
			return c.truck(in, func(order *office.PurchaseOrder) sim.Minute {
				c.office.Hurry(c.rec, order.ID)
				c.truckArrives(order.ID)
				return c.now
			})
		},
	},
	{
		Type: "truck_late", Summary: "A supplier's truck comes late (days, default 3 working days).",
		Needs:  "As truck_early.",
		Fields: []string{fieldPurchase, fieldDays}, Events: []event.Type{event.DeliveryArrived},
		run: func(c *Company, in *PullTrigger) (Triggered, error) {
			return c.truck(in, func(order *office.PurchaseOrder) sim.Minute {
				return c.office.Delay(c.rec, order.ID, or(in.Days, lateTruckDays))
			})
		},
	},
	{
		Type: "truck_short", Summary: "A supplier's truck brings less of its first line than its note " +
			"says (pct per cent, default 20).",
		Needs:  "As truck_early.",
		Fields: []string{fieldPurchase, fieldPct}, Events: []event.Type{event.DeliveryArrived},
		run: func(c *Company, in *PullTrigger) (Triggered, error) {
			return c.spoiledTruck(in, func(id string, pct int64) { c.office.Spoil(c.rec, id, pct, 0) })
		},
	},
	{
		Type: "truck_damaged", Summary: "Part of the first line on a supplier's truck is damaged (pct per " +
			"cent, default 20).",
		Needs:  "As truck_early.",
		Fields: []string{fieldPurchase, fieldPct}, Events: []event.Type{event.DeliveryArrived},
		run: func(c *Company, in *PullTrigger) (Triggered, error) {
			return c.spoiledTruck(in, func(id string, pct int64) { c.office.Spoil(c.rec, id, 0, pct) })
		},
	},
	{
		Type: "truck_in_two", Summary: "An order to a supplier comes on two trucks, the second one to three working " +
			"days after the first, with a bill for each; the first brings pct per cent (55 to 90, default 60).",
		Needs: "An approved purchase order whose truck is under way, of ten or more in each line: purchase_order_id, " +
			"or the oldest.",
		Fields: []string{fieldPurchase, fieldPct},
		Events: []event.Type{event.DeliveryArrived, event.SupplierInvoiceReceived},
		run:    (*Company).partTruck,
	},
	{
		Type: "bill_twice", Summary: "The last bill of a purchase order comes again now, with the supplier's number " +
			"of it the same or a digit misread.",
		Needs:  "A purchase order whose bills have come once each: purchase_order_id, or the oldest.",
		Fields: []string{fieldPurchase}, Events: []event.Type{event.SupplierInvoiceReceived},
		run: (*Company).billTwice,
	},
	{
		Type: "wrong_bill", Summary: "The bill of a purchase order asks for a tenth more than agreed.",
		Needs: "A purchase order that its supplier has and has not billed; the oldest unless purchase_order_id " +
			"names one.",
		Fields: []string{fieldPurchase}, Events: []event.Type{event.SupplierInvoiceReceived},
		run: (*Company).overbill,
	},
	{
		Type: "employee_sick", Summary: "An employee is ill from tomorrow (for days, default 2 working days).",
		Needs:  "An employee who is well: badge_no, or the first.",
		Fields: []string{fieldBadge, fieldDays}, Events: []event.Type{event.EmployeeSick, event.EmployeeReturned},
		run: (*Company).fallsIll,
	},
	{
		Type: "employee_returns", Summary: "An employee who is ill returns tomorrow.",
		Needs:  "An employee who is ill beyond tomorrow: badge_no, or the first.",
		Fields: []string{fieldBadge}, Events: []event.Type{event.EmployeeReturned},
		run: (*Company).getsWell,
	},
	{
		Type: "employee_quits", Summary: "An employee quits tomorrow.",
		Needs:  "An employee who is well: badge_no, or the first.",
		Fields: []string{fieldBadge}, Events: []event.Type{event.EmployeeQuit},
		run: (*Company).quits,
	},
	{
		Type: "leave", Summary: "An employee announces a holiday (of days, default 2 working days).",
		Needs:  "An employee without a planned holiday: badge_no, or the first.",
		Fields: []string{fieldBadge, fieldDays}, Events: []event.Type{event.LeaveRequestCreated},
		run: (*Company).asksForLeave,
	},
	{
		Type: "stock_low", Summary: "The planner raises the reorder point of a material above what is on hand.",
		Needs:  "A material with enough stock: sku, or the first.",
		Fields: []string{fieldSKU},
		Events: []event.Type{
			event.StockBelowReorderPoint, event.FactoryRequisitionCreated, event.OfficeRequisitionReceived,
		},
		run: (*Company).runsLow,
	},
	{
		Type: "market_move", Summary: "A market price moves (by pct per cent, default 20); " +
			"it returns to its mean in time.",
		Fields: []string{fieldSKU, fieldPct}, run: (*Company).marketMoves,
	},
	{
		Type: "story", Summary: "A story appears that changes nothing.", Events: []event.Type{event.LoreEventStarted},
		run: (*Company).tellsStory,
	},
	{
		Type: "major_order", Summary: "A major order opens now.", Needs: "No open major order.",
		Events: []event.Type{event.MajorOrderUpdated},
		run:    (*Company).opensMajorOrder,
	},
}, disruptionTriggers())

// lasting says how long a disruption runs.
const lasting = " Lasts days working days (default: the minimum)."

// disruptionTriggers are one for each kind of disruption.
func disruptionTriggers() []Trigger {
	summaries := map[event.DisruptionKind]string{
		event.PaperShortage: "Paper is short: more expensive, and slower to come.",
		event.CourierStrike: "Couriers strike: orders to suppliers come later.",
		event.FluWave:       "The flu goes round: people fall ill more often.",
		event.PressFault:    "A press is down until it is over.",
		event.PowerCut:      "No press runs until the next noon.",
		event.TradeFair:     "A trade fair: more orders for posters and brochures.",
		event.PaymentOutage: "Payments of customers arrive when it is over.",
		event.HeatWave:      "A heatwave: print runs are slower and spoil more.",
	}
	all := make([]Trigger, 0, len(summaries))
	for _, name := range event.DisruptionKind("").Enum() {
		kind := event.DisruptionKind(name)
		t := Trigger{
			Type: name, Summary: summaries[kind] + lasting,
			Needs:  "No other disruption of this kind.",
			Fields: []string{fieldDays}, Events: []event.Type{event.LoreEventStarted, event.DisruptionEnded},
		}
		switch kind {
		case event.PowerCut:
			t.Summary, t.Fields = summaries[kind], nil
		case event.PressFault:
			t.Fields = append(t.Fields, fieldPress)
		default:
		}
		t.run = func(c *Company, in *PullTrigger) (Triggered, error) { return c.disruptNow(kind, in) }
		all = append(all, t)
	}
	return all
}
