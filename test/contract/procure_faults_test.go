package contract

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// TestANewcomerFindsSomethingInEveryList looks at a company whose client only
// follows the tutorial, for three days.
func TestANewcomerFindsSomethingInEveryList(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.OPENING")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	work := text(n.accept(text(n.order("SO-1001"), "id")), "bridged_work_order_id")
	n.print(work)
	n.tick(120)
	n.dispatch(work)
	for range 3 {
		n.day()
	}
	for _, path := range []string{
		"/office/suppliers", "/office/requisitions", "/office/purchase-orders", "/office/goods-receipts",
		"/office/supplier-invoices", "/factory/requisitions", "/factory/deliveries", "/factory/goods-receipts",
	} {
		if found := n.all(path); len(found) == 0 {
			t.Errorf("after three days %s is empty", path)
		}
	}
	agrees(t, "the truck", n.deliveryFor(object{"number": "PO-5002"}),
		object{"arrived_on": "2026-09-08", "status": "arrived"})
}

// TestATooLowReceiptMakesNothingFree records one sheet of a truck and pays for
// one sheet, before or after the Factory has counted all of it in. Records that
// are wrong cost money; they bring none.
func TestATooLowReceiptMakesNothingFree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bridge       string
		countedFirst bool
	}{{"auto", false}, {"manual", false}, {"manual", true}} {
		t.Run(fmt.Sprintf("%s %t", c.bridge, c.countedFirst), func(t *testing.T) {
			t.Parallel()
			rows(t, "OPEN.BRIDGE.MANUAL")
			w := bornTwice(t, c.bridge, nil)
			order := w.ordered("sup_quick", "mat_uncoated", 6000)
			w.pass(480)
			w.pass(90)
			truck := text(w.deliveryFor(order), "id")
			if c.countedFirst {
				w.countIn(truck)
			}
			w.pass(480)
			w.pass(30)
			w.record(text(order, "id"), "mat_uncoated", 1).want(http.StatusCreated, "")
			bill := w.billFor(order)
			w.pay(text(bill, "id"), encode(t, object{"amount_minor": bill["matched_minor"]})) // it may be refused
			if !c.countedFirst {
				w.countIn(truck)
			}
			worth := number(t, w.row("/sandbox"), "net_worth_minor") - number(t, w.other.row("/sandbox"),
				"net_worth_minor")
			if worth > 0 {
				t.Errorf("who paid %v for goods of 180000 is richer by %d than who bought nothing",
					bill["matched_minor"], worth)
			}
		})
	}
}

// TestAReceiptNamesOnlyWhatWasOrdered records nothing of a material that the
// order does not have.
func TestAReceiptNamesOnlyWhatWasOrdered(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.QUANTITY_EXCEEDS_ORDER")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	order := n.numbered("/office/purchase-orders", "PO-5002")
	for _, sku := range []string{"mat_ink", "mat_kite", "=1+1"} {
		a := n.record(text(order, "id"), sku, 0)
		if a.Status != http.StatusUnprocessableEntity || a.Code() != "quantity_exceeds_order" {
			t.Errorf("none of %s came for an order of board: %d %s", sku, a.Status, a.Raw)
		}
	}
}

// TestTheBridgeKeepsTheLimitToo fills the list of open requisitions and lets a
// material go low.
func TestTheBridgeKeepsTheLimitToo(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.PURCHASE_ORDER.MAX_OPEN")
	n := shared.create(t, `{"clock":"manual"}`)
	const most, clients = 500, 4
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range most / clients {
				n.require(object{"sku": "mat_ink", "quantity": 100}).want(http.StatusCreated, "")
			}
		})
	}
	all.Wait()
	n.runLow()
	open := 0
	for _, q := range n.all("/office/requisitions") {
		if q["status"] != "rejected" && q["purchase_order_id"] == nil {
			open++
		}
	}
	if open > most {
		t.Errorf("%d requisitions are open", open)
	}
}
