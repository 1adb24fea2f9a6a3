package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// Badges of those who are alone in their role.
const (
	warehouseBadge  = "1005"
	bookkeeperBadge = "1006"
	salesBadge      = "1007"
)

// dismisses lets an employee go.
func (n *tenant) dismisses(badge string) {
	n.t.Helper()
	n.post("/office/employees/"+text(n.badge(badge), "id")+"/dismiss", "").want(http.StatusOK, "")
}

// untilMorning moves the clock to the next opening.
func (n *tenant) untilMorning() {
	n.t.Helper()
	n.tick(480 - minuteOfDay(n.t, child(n.t, n.row("/sandbox"), "clock")))
}

// TestNobodyOfTheWarehouseMovesWhatCameUpToday, and what came up yesterday moves all the
// same: on the third day the warehouse worker is still ill.
func TestNobodyOfTheWarehouseMovesWhatCameUpToday(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.EMPLOYEE.WAREHOUSE", "OPEN.ERR.NO_WAREHOUSE_WORKER", "OPEN.ERR.MANUAL_CLOCK")
	for _, bridge := range []string{"auto", "manual"} {
		t.Run(bridge, func(t *testing.T) {
			t.Parallel()
			n := calmCompany(t, bridge, nil)
			w := watch(n)
			carried := func(numbered string) (order, work string) {
				accepted := n.accept(text(n.order(numbered), "id"))
				if order = text(accepted, "id"); bridge == "auto" {
					return order, text(accepted, "bridged_work_order_id")
				}
				return order, text(n.work(text(accepted, "sku"), int(number(t, accepted, "quantity")), order), "id")
			}
			parcel := func(work string) string { return encode(t, object{"work_order_id": work}) }
			truck := func(order object) string {
				return encode(t, object{"delivery_id": n.deliveryFor(order)["id"]})
			}
			early := n.soon()
			var late object
			var order, ready, work string
			w.step("the first day", func() {
				_, ready = carried("SO-1001")
				n.finish(ready)
				n.pulls(object{"type": "truck_early", "purchase_order_id": early["id"]})
				n.pulls(object{"type": "employee_sick", "badge_no": warehouseBadge, "days": 3})
				n.untilMorning()
			})
			w.step("the second day", func() {
				order, work = carried("SO-1003")
				n.finish(work)
				late = n.soon()
				n.pulls(object{"type": "truck_early", "purchase_order_id": late["id"]})
				writes := map[string]string{"/factory/goods-receipts": truck(late), "/factory/shipments": parcel(work)}
				if bridge == "auto" {
					writes["/office/shipments"] = encode(t, object{"sales_order_id": order})
				}
				for path, body := range writes {
					failure := n.refusesQuietly(path, body, http.StatusConflict, "no_warehouse_worker").Failure()
					if _, says := failure["retry_at"]; says || failure["retryable"] != false ||
						!strings.Contains(text(failure, "hint"), "/sandbox/tick") {
						t.Errorf("under a manual clock %s says %v", path, failure)
					}
				}
				n.post("/factory/goods-receipts", truck(early)).want(http.StatusCreated, "")
				n.post("/factory/shipments", parcel(ready)).want(http.StatusCreated, "")
				n.untilMorning()
			})
			w.step("the third day", func() {
				agrees(t, "the warehouse worker", n.badge(warehouseBadge), object{"status": "sick"})
				n.post("/factory/goods-receipts", truck(late)).want(http.StatusCreated, "")
				n.post("/factory/shipments", parcel(work)).want(http.StatusCreated, "")
			})
			w.ended()
		})
	}
}

// TestNoWarehouseWorkerNamesTheNextMorning of a clock that runs by itself: a day takes a
// minute. A dismissed worker is away at once.
func TestNoWarehouseWorkerNamesTheNextMorning(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.NO_WAREHOUSE_WORKER", "OPEN.ERR.RETRYABLE", "ERR.RETRY")
	n := calmCompany(t, "auto", nil)
	work := text(n.accept(text(n.order("SO-1001"), "id")), "bridged_work_order_id")
	n.finish(work)
	n.dismisses(warehouseBadge)
	left := 480 - minuteOfDay(t, child(t, n.row("/sandbox"), "clock"))
	n.patch("/sandbox", `{"clock":"realtime"}`).want(http.StatusOK, "")
	refused := n.post("/factory/shipments", encode(t, object{"work_order_id": work})).
		want(http.StatusConflict, "no_warehouse_worker")
	if refused.Failure()["retryable"] != true {
		t.Errorf("it is %v", refused.Failure())
	}
	wait := moment(t, refused.Failure()["retry_at"]).Sub(moment(t, refused.Meta()["server_time"]))
	const minute = time.Minute / 480
	if most := time.Duration(left)*minute + time.Second; wait > most || wait < most/2 {
		t.Errorf("with %d minutes left of the day, it works in %s", left, wait)
	}
}

// TestWithoutABookkeeperBillsWait for three working days at most, with their own dates,
// and nobody asks for the discount.
func TestWithoutABookkeeperBillsWait(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.EMPLOYEE.BOOKKEEPER", "OPEN.EVT.OFFICE.SUPPLIER_INVOICE.RECEIVED",
		"OPEN.STATE.SUPPLIER_INVOICE.DISCOUNT")
	s := serve(t, presets(t, calm(t, nil)))
	for ill, booked := range map[int]string{0: "2026-09-08", 1: "2026-09-09", 2: "2026-09-10", 3: "2026-09-11",
		4: "2026-09-11", 9: "2026-09-11"} {
		n := s.create(t, `{"preset":"calm","seed":5,"clock":"manual"}`)
		order := n.soon()
		n.pulls(object{"type": "truck_early", "purchase_order_id": order["id"]})
		n.countIn(text(n.deliveryFor(order), "id"))
		if ill > 0 {
			n.pulls(object{"type": "employee_sick", "badge_no": bookkeeperBadge, "days": ill})
		}
		const most = 5
		for range most { // other bills come too
			if n.until("office.supplier_invoice.received"); len(n.billsFor(order)) > 0 {
				break
			}
		}
		bill := n.billFor(order)
		if bill["created_on"] != booked {
			t.Errorf("the bookkeeper is ill for %d days, and the bill is recorded on %v, want %s",
				ill, bill["created_on"], booked)
		}
		agrees(t, "the bill", bill, object{"issued_on": "2026-09-08", "due_date": "2026-09-22",
			"discount_until": "2026-09-13", "match_status": "matched", "discount_minor": 190})
		saved := 190
		if n.badge(bookkeeperBadge)["status"] == "sick" {
			saved = 0
		}
		agrees(t, "paid, the bill", n.pay(text(bill, "id"), "").want(http.StatusOK, "").Data(),
			object{"discount_minor": saved, "paid_minor": 19000 - saved})
	}
}

// billsFor are the suppliers' invoices for a purchase order.
func (n *tenant) billsFor(order object) []object {
	n.t.Helper()
	return slices.DeleteFunc(n.all("/office/supplier-invoices"),
		func(i object) bool { return i["purchase_order_id"] != order["id"] })
}

// TestWithoutSalesHalfTheOrdersCome, and none that would not have come.
func TestWithoutSalesHalfTheOrdersCome(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.EMPLOYEE.SALES")
	s := serve(t, hasty(t))
	alone, whole := s.create(t, briskSandbox), s.create(t, briskSandbox)
	alone.dismisses(salesBadge)
	said := func(n *tenant) []string {
		n.tick(479) // before the first can lapse
		var all []string
		for _, order := range n.all("/office/sales-orders") {
			if text(order, "number") > "SO-1003" { // the others are those of the opening
				all = append(all,
					fmt.Sprint(order["customer_id"], order["sku"], order["quantity"], order["unit_price_minor"]))
			}
		}
		return all
	}
	few, many := said(alone), said(whole)
	if part := float64(len(few)) / float64(len(many)); part < 0.25 || part > 0.75 {
		t.Errorf("without sales %d of %d orders come", len(few), len(many))
	}
	for _, order := range few {
		if !slices.Contains(many, order) {
			t.Errorf("%s comes without sales alone", order)
		}
	}
}

// TestAnAgencyStandsInForRolesThatNobodyHolds on the days on which there is work, and for
// nobody who is only ill.
func TestAnAgencyStandsInForRolesThatNobodyHolds(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.EMPLOYEE.AGENCY", "OPEN.EVT.OFFICE.SUPPLIER_INVOICE.RECEIVED", "OPEN.ERR.DIRECT_DEBIT")
	s := serve(t, presets(t, calm(t, nil)))
	const body = `{"preset":"calm","seed":5,"clock":"manual"}`
	work := func(n *tenant) { // some on two days, for both roles
		for _, numbered := range []string{"SO-1001", "SO-1003"} {
			made := text(n.accept(text(n.order(numbered), "id")), "bridged_work_order_id")
			n.finish(made)
			n.untilMorning()
			n.dispatch(made)
			n.trade("buy", "mat_board", 1).want(http.StatusCreated, "")
		}
		n.untilDay(5)
	}
	bill := func(n *tenant) []object {
		return slices.DeleteFunc(n.all("/office/supplier-invoices?kind=overhead"),
			func(i object) bool { return i["supplier_id"] != "sup_agency" })
	}
	held, left := s.create(t, body), s.create(t, body)
	for _, badge := range []string{warehouseBadge, bookkeeperBadge} {
		held.pulls(object{"type": "employee_sick", "badge_no": badge, "days": 9})
		left.dismisses(badge)
	}
	work(held)
	work(left)
	if bills := bill(held); len(bills) > 0 {
		t.Errorf("for employees who are ill the agency bills %v", bills)
	}
	if len(bill(left)) != 1 {
		t.Fatalf("the agency bills %v", bill(left))
	}
	agency := bill(left)[0]
	booked, moved := map[any]bool{}, map[any]bool{"2026-09-07": true} // the opening counts for the first day
	for _, entry := range left.all("/office/ledger") {
		if text(entry, "entry_on") < "2026-09-14" {
			booked[max(text(entry, "entry_on"), "2026-09-07")] = true
		}
	}
	for _, parcel := range left.all("/factory/shipments") {
		moved[parcel["shipped_on"]] = true
	}
	if len(moved) < 3 || len(booked) < 3 || len(booked) == 5 {
		t.Fatalf("booked was on %v, moved on %v", booked, moved)
	}
	agrees(t, "the agency's bill", agency, object{"status": "open", "match_status": "not_applicable",
		"billed_minor": 27000*len(booked) + 23000*len(moved), "issued_on": "2026-09-14", "due_date": "2026-09-18"})
	if got := services(t, agency); got["bookkeeping"] != int64(27000*len(booked)) ||
		got["goods_handling"] != int64(23000*len(moved)) || len(got) != 2 {
		t.Errorf("the lines are %v", got)
	}
	left.pay(text(agency, "id"), "").want(http.StatusConflict, "direct_debit")

	unpaid := shared.create(t, `{"preset":"empty","seed":5}`)
	unpaid.dismisses(bookkeeperBadge)
	unpaid.untilDay(5)
	if bills := bill(unpaid); len(bills) > 0 {
		t.Errorf("where nobody is paid the agency bills %v", bills)
	}
}
