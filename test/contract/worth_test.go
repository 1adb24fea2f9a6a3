package contract

import (
	"fmt"
	"net/http"
	"testing"
)

// TestGoodsThatNoOrderHoldsCountAtTheBid, where they cost more than that; what an order holds counts at cost.
func TestGoodsThatNoOrderHoldsCountAtTheBid(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.WORTH.STOCK")
	w := bornTwice(t, "manual", nil)
	work := w.post("/factory/work-orders", `{"sku":"prd_calendar","quantity":20}`).want(http.StatusCreated, "").Data()
	w.post("/factory/print-runs", fmt.Sprintf(`{"press_id":"prs_offset","work_order_id":%q,"overs_pct":20}`,
		text(work, "id"))).want(http.StatusCreated, "")
	for range 5 {
		if w.row("/factory/work-orders/" + text(work, "id"))["status"] != "stocked" {
			w.pass(60)
		}
	}
	for held := range 2 {
		if held > 0 {
			w.post("/factory/work-orders", `{"sku":"prd_calendar","quantity":15,"reference":"somebody"}`).
				want(http.StatusCreated, "")
		}
		item := w.row("/factory/stock/itm_calendar")
		agrees(t, "the calendars", item, object{"reserved": 15 * held})
		free := number(t, item, "on_hand") - number(t, item, "reserved")
		loss := number(t, item, "average_cost_minor") - number(t, w.quoted("prd_calendar"), "bid_minor")
		if free <= 0 || loss <= 0 {
			t.Fatalf("%d calendars are free, and cost %d more than the bid", free, loss)
		}
		stock := w.stockValue() - w.other.stockValue()
		w.ahead("calendars on the shelf", stock-loss*free, 0, 0, stock)
	}
}

// TestABankruptCompanyIsWorthItsLiquidation: to its twin the bank lends more, and it sells its paper on that evening.
func TestABankruptCompanyIsWorthItsLiquidation(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.WORTH.BANKRUPT")
	var all [2]*tenant
	for i, overdraft := range []int{0, 1_000_000_000} {
		all[i] = serve(t, presets(t, ruined(overdraft))).create(t, `{"preset":"ruined","seed":3,"clock":"manual"}`)
		for range 9 {
			all[i].day()
		}
		all[i].tick(479)
	}
	ended, twin := all[0], all[1]
	before := twin.row("/sandbox")
	left := number(t, before, "net_worth_minor") - twin.stockValue()
	for _, sku := range []string{"mat_coated", "mat_uncoated", "mat_board"} {
		onHand := number(t, twin.row("/factory/stock/itm_"+sku[len("mat_"):]), "on_hand")
		sold := twin.trade("sell", sku, int(onHand)).want(http.StatusCreated, "").Data()
		left += number(t, sold, "total_minor")
	}
	s := ended.row("/sandbox")
	agrees(t, "the company", s, object{"status": "bankrupt", "cash_minor": before["cash_minor"]})
	if left >= 0 {
		t.Fatalf("the liquidation leaves %d", left)
	}
	agrees(t, "the sandbox", s, object{"net_worth_minor": left})
	points := ended.points("")
	agrees(t, "the last point", points[len(points)-1], object{"net_worth_minor": left})
	report := ended.row("/sandbox/report")
	path := children(t, report, "net_worth")
	agrees(t, "the report", path[len(path)-1], object{"net_worth_minor": left})
	agrees(t, "the score", child(t, report, "score"), object{"net_worth_minor": left,
		"profit_minor": left - number(t, report, "opening_net_worth_minor")})
}
