package company

import (
	"slices"

	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/event"
)

var triggers = slices.Concat([]Trigger{ //nolint:gochecknoglobals // the table itself
	{
		Type: "order", Summary: "A customer orders now, at the list price.",
		Fields: []string{fieldSKU, fieldQuantity, fieldDays}, Events: []event.Type{event.SalesOrderReceived},
		run: func(c *Company, in *TriggerInput) (Triggered, error) {
			return c.order(in, office.Wish{Due: orderDays, PricePct: 100})
		},
	},
	{
		Type: "rush_order", Summary: "A customer orders now, wants the goods tomorrow, and pays a third more.",
		Fields: []string{fieldSKU, fieldQuantity}, Events: []event.Type{event.SalesOrderReceived},
		run: func(c *Company, in *TriggerInput) (Triggered, error) {
			return c.order(in, office.Wish{Due: 1, PricePct: rushPct, Rush: true})
		},
	},
	{
		Type: "contract_lot", Summary: "A framework customer offers a lot now.", Fields: []string{fieldSKU},
		Events: []event.Type{event.ContractLotOffered, event.ContractLotExpired},
		run:    (*Company).offerLot,
	},
	{
		Type: "customer_pays", Summary: "A customer pays the rest of an invoice now.",
		Needs:  "An unpaid customer invoice whose goods have arrived; the oldest unless customer_invoice_id names one.",
		Fields: []string{fieldInvoice}, Events: []event.Type{event.PaymentReceived, event.CustomerInvoicePaid},
		run: (*Company).customerPays,
	},
	{
		Type: "customer_pays_late", Summary: "A customer pays an invoice so many working days after its due date, " +
			"5 unless named.",
		Needs:  "As customer_pays.",
		Fields: []string{fieldInvoice, fieldDays},
		Events: []event.Type{event.CustomerInvoiceOverdue, event.PaymentReceived},
		run:    func(c *Company, in *TriggerInput) (Triggered, error) { return c.customerWaits(in, false) },
	},
	{
		Type: "customer_disputes", Summary: "A customer cannot find the goods: does not pay when due, disputes the " +
			"invoice, and pays once they are found, 5 working days later unless named.",
		Needs: "A customer invoice that is not due yet and whose goods have arrived; the oldest unless " +
			"customer_invoice_id names one.",
		Fields: []string{fieldInvoice, fieldDays},
		Events: []event.Type{event.CustomerInvoiceOverdue, event.PaymentReceived},
		run:    func(c *Company, in *TriggerInput) (Triggered, error) { return c.customerWaits(in, true) },
	},
	{
		Type: "truck_early", Summary: "A supplier's truck comes now.",
		Needs:  "A truck under way: an approved purchase order; the oldest unless purchase_order_id names one.",
		Fields: []string{fieldPurchase}, Events: []event.Type{event.DeliveryArrived, event.SupplierInvoiceReceived},
		run: func(c *Company, in *TriggerInput) (Triggered, error) {
			return c.truck(in, func(order *office.PurchaseOrder) sim.Minute {
				c.office.Hurry(c.rec, order.ID)
				c.truckArrives(order.ID)
				return c.now
			})
		},
	},
	{
		Type: "truck_late", Summary: "A supplier's truck comes so many working days later, 3 unless named.",
		Needs:  "As truck_early.",
		Fields: []string{fieldPurchase, fieldDays}, Events: []event.Type{event.DeliveryArrived},
		run: func(c *Company, in *TriggerInput) (Triggered, error) {
			return c.truck(in, func(order *office.PurchaseOrder) sim.Minute {
				return c.office.Delay(c.rec, order.ID, or(in.Days, lateTruckDays))
			})
		},
	},
	{
		Type: "truck_short", Summary: "A supplier's truck brings so many per cent less of its first line than its " +
			"note says, 20 unless named.",
		Needs:  "As truck_early.",
		Fields: []string{fieldPurchase, fieldPct}, Events: []event.Type{event.DeliveryArrived},
		run: func(c *Company, in *TriggerInput) (Triggered, error) {
			return c.spoiledTruck(in, func(id string, pct int64) { c.office.Spoil(c.rec, id, pct, 0) })
		},
	},
	{
		Type: "truck_damaged", Summary: "So many per cent of the first line on a supplier's truck are " +
			"damaged, 20 unless named.",
		Needs:  "As truck_early.",
		Fields: []string{fieldPurchase, fieldPct}, Events: []event.Type{event.DeliveryArrived},
		run: func(c *Company, in *TriggerInput) (Triggered, error) {
			return c.spoiledTruck(in, func(id string, pct int64) { c.office.Spoil(c.rec, id, 0, pct) })
		},
	},
	{
		Type: "wrong_bill", Summary: "The bill of a purchase order asks for a tenth more than agreed.",
		Needs: "A purchase order that its supplier has and has not billed; the oldest unless purchase_order_id " +
			"names one.",
		Fields: []string{fieldPurchase}, Events: []event.Type{event.SupplierInvoiceReceived},
		run: (*Company).overbill,
	},
	{
		Type: "employee_sick", Summary: "An employee is ill from tomorrow on, for so many working days, " +
			"2 unless named.",
		Needs:  "An employee who is well; the first unless badge_no names one.",
		Fields: []string{fieldBadge, fieldDays}, Events: []event.Type{event.EmployeeSick, event.EmployeeReturned},
		run: (*Company).fallsIll,
	},
	{
		Type: "employee_returns", Summary: "An employee who is ill is well again tomorrow.",
		Needs:  "An employee who would be ill for longer; the first unless badge_no names one.",
		Fields: []string{fieldBadge}, Events: []event.Type{event.EmployeeReturned},
		run: (*Company).getsWell,
	},
	{
		Type: "employee_quits", Summary: "An employee quits tomorrow.",
		Needs:  "An employee who is well; the first unless badge_no names one.",
		Fields: []string{fieldBadge}, Events: []event.Type{event.EmployeeQuit},
		run: (*Company).quits,
	},
	{
		Type: "leave", Summary: "An employee announces a holiday of so many working days, 2 unless named.",
		Needs:  "An employee without one ahead; the first unless badge_no names one.",
		Fields: []string{fieldBadge, fieldDays}, Events: []event.Type{event.LeaveRequestCreated},
		run: (*Company).asksForLeave,
	},
	{
		Type: "stock_low", Summary: "The planner raises the reorder point of a material above what is on hand.",
		Needs:  "A material of which there is enough; the first unless sku names one.",
		Fields: []string{fieldSKU},
		Events: []event.Type{
			event.StockBelowReorderPoint, event.FactoryRequisitionCreated, event.OfficeRequisitionReceived,
		},
		run: (*Company).runsLow,
	},
	{
		Type: "market_move", Summary: "A price of the market moves by so many per cent, 20 unless named; " +
			"it returns to its mean in time.",
		Fields: []string{fieldSKU, fieldPct}, run: (*Company).marketMoves,
	},
	{
		Type: "story", Summary: "A story is told that changes nothing.", Events: []event.Type{event.LoreEventStarted},
		run: (*Company).tellsStory,
	},
	{
		Type: "major_order", Summary: "A major order opens now.", Needs: "No other one that is open.",
		Events: []event.Type{event.MajorOrderUpdated},
		run:    (*Company).opensMajorOrder,
	},
}, disruptionTriggers())

// lasting says how long a disruption runs.
const lasting = " For so many working days, the fewest that it lasts by itself unless named."

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
			Needs:  "No other disruption of the kind.",
			Fields: []string{fieldDays}, Events: []event.Type{event.LoreEventStarted, event.DisruptionEnded},
		}
		switch kind {
		case event.PowerCut:
			t.Summary, t.Fields = summaries[kind], nil
		case event.PressFault:
			t.Fields = append(t.Fields, fieldPress)
		default:
		}
		t.run = func(c *Company, in *TriggerInput) (Triggered, error) { return c.disruptNow(kind, in) }
		all = append(all, t)
	}
	return all
}
