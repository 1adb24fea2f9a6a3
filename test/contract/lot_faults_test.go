package contract

import (
	"net/http"
	"testing"
)

// TestBillingALotBeforeItsGoodsSavesNothing bills a lot on the day on which it
// was offered and sends it after its last day. Records that are wrong cost
// money: less is left of the lot than of one that came in time.
func TestBillingALotBeforeItsGoodsSavesNothing(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.MANUAL", "OPEN.STATE.CONTRACT_LOT")
	n := bulk(t, "manual", nil)
	n.day()
	lot := n.takeLot("LOT-0001")
	invoice := text(child(t, n.billLot(lot).want(http.StatusCreated, "").data(), "invoice"), "id")
	work := text(n.work(text(lot, "sku"), int(number(t, lot, "quantity")), text(lot, "id")), "id")
	n.finish(work)
	n.untilDay(8) // it was to be delivered on day 6
	n.dispatch(work)
	const days = 15
	for day := 9; day <= 8+days && n.row("/office/customer-invoices/" + invoice)["status"] != "paid"; day++ {
		n.untilDay(day)
	}
	left := number(t, n.row("/office/customer-invoices/"+invoice), "amount_paid_minor") + sums(t, n.penalties(), "amount_minor")
	if total := number(t, lot, "total_minor"); left >= total {
		t.Errorf("the goods of a lot of %d, to be delivered by %v, left on %s, and %d are left of it; its penalty was to be %v",
			total, lot["deliver_by"], workingDay(8), left, lot["penalty_minor"])
	}
}
