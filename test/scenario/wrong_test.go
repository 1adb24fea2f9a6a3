package scenario

import (
	"encoding/json"
	"testing"

	"platen/client"
)

// These are mistakes of integrations, and their costs for the company. None of
// them is refused: each system believes its requests.

// accept accepts an order.
func (w *world) accept(number string) {
	w.t.Helper()
	if _, err := w.api.AcceptSalesOrder(w.t.Context(), w.order(number)); err != nil {
		w.t.Fatal(err)
	}
}

// produce orders work with a reference, prints it and sends it out. It takes
// five hours.
func (w *world) produce(sku string, quantity int64, reference string) {
	w.t.Helper()
	ctx := w.t.Context()
	work, err := w.api.CreateWorkOrder(ctx,
		client.CreateWorkOrderInput{SKU: sku, Quantity: quantity, Reference: &reference})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.api.StartPrintRun(ctx, client.StartPrintRunInput{
		PressID: "prs_digital", WorkOrderID: &work.ID, OversPct: new(int64(20)),
	}); err != nil {
		w.t.Fatal(err)
	}
	w.tick(300)
	if _, err := w.api.CreateFactoryShipment(ctx, client.CreateFactoryShipmentInput{WorkOrderID: work.ID}); err != nil {
		w.t.Fatal(err)
	}
}

// bill bills an order.
func (w *world) bill(order string) error {
	_, err := w.api.CreateOfficeShipment(w.t.Context(), client.CreateOfficeShipmentInput{SalesOrderID: &order})
	return err
}

// minor is an amount.
func minor(t testing.TB, row object, member string) int64 {
	t.Helper()
	n, err := row[member].(json.Number).Int64()
	if err != nil {
		t.Fatalf("%s: %v", member, err)
	}
	return n
}

func (w *world) wants(row object, member string, value any) {
	w.t.Helper()
	if row[member] != value {
		w.t.Errorf("%s of %v is %v, want %v", member, row["number"], row[member], value)
	}
}

// TestAnOrderThatNobodyCarriesExpires waits for the end of an order that the
// Factory never heard of. Then the Factory prints it all the same: it is not
// told of the end, and the paper is lost.
func TestAnOrderThatNobodyCarriesExpires(t *testing.T) {
	t.Parallel()
	w := found(t, "starter", client.BridgeManual, 1)
	w.accept("SO-1001")
	row := w.fetch("/office/sales-orders/" + w.order("SO-1001"))
	for text(row, "cancel_after") >= text(w.fetch("/sandbox")["clock"].(object), "sim_date") {
		w.wants(w.fetch("/office/sales-orders/"+w.order("SO-1001")), "status", "accepted")
		w.days(1)
	}
	row = w.fetch("/office/sales-orders/" + w.order("SO-1001"))
	w.wants(row, "status", "expired")
	w.wants(row, "expired_reason", "delivery_missed")
	told := false
	for _, e := range w.all("/events?types=office.sales_order.expired") {
		if data := e["data"].(object); data["id"] == row["id"] {
			w.wants(data, "reputation_change", json.Number("-6"))
			told = true
		}
	}
	if !told {
		t.Error("no event tells of it")
	}
	w.produce("prd_card", 10, text(row, "id"))
	if err := w.bill(text(row, "id")); !client.IsCode(err, client.CodeInvalidState) {
		t.Errorf("billing an order that has expired: %v", err)
	}
}

func TestGoodsWithAWrongReferenceReachNobody(t *testing.T) {
	t.Parallel()
	w := found(t, "starter", client.BridgeManual, 1)
	w.accept("SO-1001")
	w.produce("prd_card", 10, "so_1001") // neither the order's id nor its number
	if err := w.bill(w.order("SO-1001")); err != nil {
		t.Fatal(err)
	}
	w.days(5)
	invoice := w.one("/office/customer-invoices", "sales_order_id", w.order("SO-1001"))
	w.wants(invoice, "status", "overdue")
	w.wants(invoice, "dispute_code", "goods_not_received")
	w.wants(invoice, "amount_paid_minor", json.Number("0"))
}

func TestGoodsThatNobodyBillsBringNoMoneyUntilSomebodyDoes(t *testing.T) {
	t.Parallel()
	w := found(t, "starter", client.BridgeManual, 1)
	w.accept("SO-1001")
	order := w.order("SO-1001")
	w.produce("prd_card", 10, order)
	w.days(13)
	w.wants(w.fetch("/office/sales-orders/"+order), "status", "accepted") // the customer has the goods, and waits
	for _, invoice := range w.all("/office/customer-invoices") {
		if invoice["sales_order_id"] == order {
			t.Errorf("nobody billed it, and there is %v", invoice)
		}
	}
	if err := w.bill(order); err != nil {
		t.Fatalf("billing late: %v", err)
	}
	w.days(20)
	invoice := w.one("/office/customer-invoices", "sales_order_id", order)
	w.wants(invoice, "status", "paid")
	w.wants(invoice, "late_discount_minor", json.Number("0"))
}

func TestABillIsWrittenOnce(t *testing.T) {
	t.Parallel()
	w := found(t, "starter", client.BridgeManual, 1)
	w.accept("SO-1001")
	order := w.order("SO-1001")
	w.produce("prd_card", 10, order)
	if err := w.bill(order); err != nil {
		t.Fatal(err)
	}
	if err := w.bill(order); !client.IsCode(err, client.CodeInvalidState) {
		t.Errorf("the second bill: %v", err)
	}
	w.one("/office/customer-invoices", "sales_order_id", order)
}

// takeIn waits for the truck of PO-5002 with 2,000 sheets, takes in so many of
// them and rejects the rest.
func (w *world) takeIn(accepted int64) (purchaseOrder string) {
	w.t.Helper()
	w.days(1)
	w.tick(120)
	truck := w.one("/factory/deliveries", "purchase_order_number", "PO-5002")
	line := client.ReceivedLineInput{SKU: "mat_board", QuantityAccepted: accepted}
	in := client.CreateFactoryGoodsReceiptInput{DeliveryID: text(truck, "id"), Lines: []client.ReceivedLineInput{line}}
	if _, err := w.api.CreateFactoryGoodsReceipt(w.t.Context(), in); err != nil {
		w.t.Fatal(err)
	}
	return text(w.one("/office/purchase-orders", "number", "PO-5002"), "id")
}

// record records a receipt at Head Office.
func (w *world) record(purchaseOrder string, accepted int64) {
	w.t.Helper()
	in := client.CreateOfficeGoodsReceiptInput{
		PurchaseOrderID: purchaseOrder,
		Lines:           []client.ReceivedLineInput{{SKU: "mat_board", QuantityAccepted: accepted}},
	}
	if _, err := w.api.CreateOfficeGoodsReceipt(w.t.Context(), in); err != nil {
		w.t.Fatal(err)
	}
}

func TestWithoutAReceiptABillCannotBeMatched(t *testing.T) {
	t.Parallel()
	w := found(t, "starter", client.BridgeManual, 1)
	order := w.takeIn(2000)
	w.days(1)
	bill := w.one("/office/supplier-invoices", "purchase_order_id", order)
	w.wants(bill, "match_status", "no_receipt")
	w.wants(bill, "matched_minor", json.Number("0"))
	if _, err := w.api.PaySupplierInvoice(t.Context(), text(bill, "id"),
		client.PaySupplierInvoiceInput{}); !client.IsCode(err, client.CodeThreeWayMismatch) {
		t.Errorf("paying what nobody has seen: %v", err)
	}
	w.record(order, 2000)
	w.wants(w.one("/office/supplier-invoices", "purchase_order_id", order), "match_status", "matched")
}

func TestAReceiptOfTooMuchPaysForWhatNeverCame(t *testing.T) {
	t.Parallel()
	const taken, ordered, price = 1500, 2000, 72
	for _, c := range []struct {
		name             string
		recorded, costs  int64
		match            client.OfficeSupplierInvoiceMatchStatus
		payTheMatchedSum bool
	}{
		{"as it was", taken, taken * price, client.OfficeSupplierInvoiceMatchStatusQuantityMismatch, true},
		{"as it was ordered", ordered, ordered * price, client.OfficeSupplierInvoiceMatchStatusMatched, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := found(t, "starter", client.BridgeManual, 1)
			order := w.takeIn(taken)
			w.record(order, c.recorded)
			w.days(1)
			bill := w.one("/office/supplier-invoices", "purchase_order_id", order)
			w.wants(bill, "match_status", string(c.match))
			var in client.PaySupplierInvoiceInput
			if c.payTheMatchedSum {
				in.AmountMinor = new(minor(t, bill, "matched_minor"))
			}
			paid, err := w.api.PaySupplierInvoice(t.Context(), text(bill, "id"), in)
			if err != nil {
				t.Fatal(err)
			}
			if paid.PaidMinor != c.costs {
				t.Errorf("%d were paid for %d sheets, want %d", paid.PaidMinor, taken, c.costs)
			}
		})
	}
}

// hours returns the hours of the gate in the first week, all of them changed.
func (w *world) hours(change func(*client.HoursEntryInput)) client.CreateTimesheetInput {
	w.t.Helper()
	in := client.CreateTimesheetInput{WeekStart: "2026-09-07"}
	at := map[string]int{}
	for _, row := range w.all("/factory/attendance?week_start=2026-09-07") {
		badge := text(row, "badge_no")
		if _, ok := at[badge]; !ok {
			at[badge] = len(in.Entries)
			in.Entries = append(in.Entries, client.HoursEntryInput{BadgeNo: &badge})
		}
		switch entry := &in.Entries[at[badge]]; text(row, "absence") {
		case "none":
			entry.HoursWorked += minor(w.t, row, "hours")
		case "sick":
			entry.HoursSick += 8
		case "leave":
			entry.HoursLeave += 8
		}
	}
	for i := range in.Entries {
		change(&in.Entries[i])
	}
	return in
}

func (w *world) morale() float64 {
	w.t.Helper()
	morale, err := w.fetch("/sandbox")["morale"].(json.Number).Float64()
	if err != nil {
		w.t.Fatal(err)
	}
	return morale
}

func TestWrongHoursAnnoyTheCrew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*client.HoursEntryInput)
		moves  float64
	}{
		{"right hours", func(*client.HoursEntryInput) {}, 0},
		{"a day too few", func(e *client.HoursEntryInput) { e.HoursWorked -= min(e.HoursWorked, 8) }, -10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := found(t, "starter", client.BridgeManual, 1)
			w.days(5)
			before := w.morale()
			if _, err := w.api.CreateTimesheet(t.Context(), w.hours(c.change)); err != nil {
				t.Fatal(err)
			}
			if after := w.morale(); after-before != c.moves {
				t.Errorf("morale went from %v to %v, want %v more", before, after, c.moves)
			}
		})
	}
}

func TestAWeekWithoutATimesheetIsPaidLateAndDearer(t *testing.T) {
	t.Parallel()
	w := found(t, "starter", client.BridgeManual, 1)
	w.days(8)
	before := w.all("/office/payroll-runs")
	if len(before) != 1 || before[0]["status"] != "late" {
		t.Fatalf("on the Thursday after, the payroll runs are %v", before)
	}
	late := w.all("/events?types=hr.payroll.late")
	if len(late) != 1 || late[0]["data"].(object)["reason"] != "no_timesheet" {
		t.Errorf("the feed says %v", late)
	}
	if _, err := w.api.RunPayroll(t.Context(),
		client.RunPayrollInput{WeekStart: "2026-09-07"}); !client.IsCode(err, client.CodeTimesheetMissing) {
		t.Errorf("paying hours that nobody has recorded: %v", err)
	}
	if _, err := w.api.CreateTimesheet(t.Context(), w.hours(func(*client.HoursEntryInput) {})); err != nil {
		t.Fatal(err)
	}
	paid, err := w.api.RunPayroll(t.Context(), client.RunPayrollInput{WeekStart: "2026-09-07"})
	if err != nil {
		t.Fatal(err)
	}
	if paid.SurchargeMinor <= 0 || paid.TotalMinor != paid.GrossMinor+paid.SurchargeMinor {
		t.Errorf("late wages of %d cost %d, with a surcharge of %d",
			paid.GrossMinor, paid.TotalMinor, paid.SurchargeMinor)
	}
}
