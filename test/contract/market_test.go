package contract

import (
	"math"
	"net/http"
	"slices"
	"testing"
)

// trade buys or sells on the market, at any price.
func (n *tenant) trade(side, sku string, quantity int) *answer {
	n.t.Helper()
	return n.post("/office/market", encode(n.t, object{"side": side, "sku": sku, "quantity": quantity}))
}

// quoted returns the market's quote for something.
func (n *tenant) quoted(sku string) object {
	n.t.Helper()
	return n.row("/office/market/" + sku)
}

// quotes are all quotes without their wall times.
func (n *tenant) quotes() []object {
	n.t.Helper()
	list := n.all("/office/market")
	for _, q := range list {
		forget(q)
	}
	return list
}

// near reports an amount that is further than half a unit from a calculated one.
func near(t testing.TB, what string, got int64, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 0.501 {
		t.Errorf("%s is %d, want %.2f rounded", what, got, want)
	}
}

// between reports an amount outside of bounds.
func between(t testing.TB, what string, got int64, least, most float64) {
	t.Helper()
	if float64(got) < least || float64(got) > most {
		t.Errorf("%s is %d, want %.2f to %.2f", what, got, least, most)
	}
}

// TestTheMarketQuotesPaperWasteAndFinishedStock as the company opens, in the
// order of teaching, the same in two worlds in which no paper is cleared that day.
func TestTheMarketQuotesPaperWasteAndFinishedStock(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.MARKET_QUOTE", "OPEN.ROUTE.OFFICE.MARKET", "OPEN.LIST.FILE_ORDER",
		"OPEN.STATE.MARKET_QUOTE.PAPER", "OPEN.STATE.MARKET_QUOTE.BID")
	for _, body := range []string{`{"seed":5,"clock":"manual"}`, `{"preset":"manual","seed":6,"clock":"manual"}`} {
		n := shared.create(t, body)
		want := []object{
			{"sku": "mat_coated", "unit": "sheet", "base_minor": 32, "depth": 10000, "ask_minor": 41, "bid_minor": 24},
			{"sku": "mat_uncoated", "unit": "sheet", "base_minor": 24, "depth": 10000,
				"ask_minor": 31, "bid_minor": 18},
			{"sku": "mat_board", "unit": "sheet", "base_minor": 58, "depth": 10000, "ask_minor": 73, "bid_minor": 43},
			{"sku": "prd_notebook", "unit": "10 notebooks", "base_minor": 3800, "depth": 200, "ask_minor": nil,
				"bid_minor": 912},
			{"sku": "prd_calendar", "unit": "10 calendars", "base_minor": 4700, "depth": 200, "ask_minor": nil,
				"bid_minor": 1128},
			{"sku": "mat_waste", "unit": "kg", "base_minor": 9, "depth": 10000, "ask_minor": nil, "bid_minor": 9},
		}
		got := n.all("/office/market")
		if len(got) != len(want) {
			t.Fatalf("%s: there are %d quotes, want %d", body, len(got), len(want))
		}
		for i, q := range got {
			sku := text(want[i], "sku")
			exactly(t, "a quote", q, "sku name unit bid_minor ask_minor available_quantity base_minor depth valid_on")
			if want[i]["available_quantity"] = 0; want[i]["ask_minor"] != nil {
				want[i]["available_quantity"] = 5000
			}
			want[i]["id"], want[i]["valid_on"], want[i]["created_on"] = sku, "2026-09-07", "2026-09-07"
			agrees(t, sku, q, want[i])
			if alone := n.quoted(sku); encode(t, alone) != encode(t, q) {
				t.Errorf("alone the quote is %v, in the list %v", alone, q)
			}
			if found := n.all("/office/market?sku=" + sku); len(found) != 1 || encode(t, found[0]) != encode(t, q) {
				t.Errorf("looked for by its SKU, %s is %v", sku, found)
			}
		}
		// Goods have the name and, where they are not weighed, the unit that the
		// rest of the company has for them.
		for _, item := range n.all("/factory/stock") {
			i := slices.IndexFunc(got, func(q object) bool { return q["sku"] == item["sku"] })
			if i >= 0 && (got[i]["name"] != item["name"] || item["unit"] != "gram" && got[i]["unit"] != item["unit"]) {
				t.Errorf("the quote is %v, the stock item %v", got[i], item)
			}
		}
		for _, sku := range []string{"mat_ink", "mat_plate", "prd_card", "nothing"} {
			n.get("/office/market/"+sku).want(http.StatusNotFound, "not_found")
		}
	}
}

// TestQuotesMoveFromDayToDay, at the opening and at no other time, and depend
// on the seed and on the client's own trades alone: the second company works
// while the first is idle.
func TestQuotesMoveFromDayToDay(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.MARKET_QUOTE", "OPEN.CREATE.DETERMINISM", "OPEN.FIELDS.UPDATED_AT",
		"OPEN.STATE.MARKET_QUOTE.BID")
	idle, busy, other := shared.create(t, `{"seed":5,"clock":"manual"}`),
		shared.create(t, `{"seed":5,"clock":"manual"}`), shared.create(t, `{"seed":6,"clock":"manual"}`)
	busy.print(text(busy.accept(text(busy.order("SO-1001"), "id")), "bridged_work_order_id"))
	moved, differs := map[string]int{}, 0
	last := idle.quotes()
	for day, date := range []string{"2026-09-08", "2026-09-09", "2026-09-10", "2026-09-11", "2026-09-14"} {
		for _, n := range []*tenant{idle, busy, other} {
			n.tick(479)
		}
		if now := idle.quotes(); encode(t, now) != encode(t, last) {
			t.Errorf("in the course of day %d the quotes went from %v to %v", day, last, now)
		}
		busy.require(object{"sku": "mat_coated", "quantity": 100 + day}).want(http.StatusCreated, "")
		for _, n := range []*tenant{idle, busy, other} {
			n.tick(1)
		}
		now := idle.quotes()
		if there := busy.quotes(); encode(t, there) != encode(t, now) {
			t.Errorf("on %s the idle company reads %v, the busy one %v", date, now, there)
		}
		if encode(t, other.quotes()) != encode(t, now) {
			differs++
		}
		for i, q := range now {
			agrees(t, date, q, object{"valid_on": date, "base_minor": last[i]["base_minor"], "depth": last[i]["depth"],
				"created_on": "2026-09-07"})
			if q["bid_minor"] != last[i]["bid_minor"] {
				moved[text(q, "sku")]++
			}
			base, bid := float64(number(t, q, "base_minor")), number(t, q, "bid_minor")
			switch sku := text(q, "sku"); sku {
			case "prd_notebook", "prd_calendar":
				near(t, sku, bid, base*0.24)
			case "mat_waste":
				between(t, sku, bid, base/2, base*2)
			default:
				between(t, sku, number(t, q, "ask_minor"), base/2, base*2)
				if !cleared(t, q) {
					bidsFor(t, q, 0.6)
				}
			}
		}
		last = now
	}
	for _, sku := range []string{"mat_coated", "mat_uncoated", "mat_board"} {
		if moved[sku] == 0 {
			t.Errorf("in a week the price of %s did not move", sku)
		}
	}
	if moved["prd_notebook"]+moved["prd_calendar"] > 0 {
		t.Errorf("what is in price lists moved by itself: %v", moved)
	}
	if differs == 0 {
		t.Error("two seeds have the same market")
	}
}

// TestTradesPushThePrice by ten per cent for each depth, both ways, and nine
// tenths of that are left on each next day.
func TestTradesPushThePrice(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.MARKET_QUOTE", "OPEN.BODY.OFFICE.MARKET", "OPEN.STATE.MARKET_QUOTE.IMPACT",
		"OPEN.STATE.MARKET_QUOTE.PAPER")
	s := serve(t, presets(t, map[string]object{"large": {"market": object{"paper_per_day": 20_000}}}))
	const body = `{"preset":"large","seed":5,"clock":"manual"}`
	untouched, n := s.create(t, body), s.create(t, body)
	n.trade("buy", "mat_board", 10000).want(http.StatusCreated, "")
	n.trade("buy", "mat_board", 10000).want(http.StatusCreated, "")
	n.trade("sell", "mat_coated", 12000).want(http.StatusCreated, "")
	board, coated := 0.2, -0.12
	for range 4 {
		for _, c := range []struct {
			sku    string
			impact float64
		}{{"mat_board", board}, {"mat_coated", coated}, {"mat_uncoated", 0}, {"prd_notebook", 0}} {
			calm, pushed := untouched.quoted(c.sku), n.quoted(c.sku)
			for _, price := range []string{"bid_minor", "ask_minor"} {
				if calm[price] == nil {
					continue
				}
				// Each of the four is rounded.
				was, push := float64(number(t, calm, price)), math.Exp(c.impact)
				slack := 1.0
				if c.impact == 0 {
					slack = 0
				}
				between(t, c.sku+" "+price, number(t, pushed, price), (was-slack)*push-slack, (was+slack)*push+slack)
			}
		}
		untouched.day()
		n.day()
		board, coated = board*0.9, coated*0.9
	}
}

// bidsFor checks that the bid for paper is so much of its ask. The ask is rounded up,
// the bid down.
func bidsFor(t testing.TB, q object, part float64) {
	t.Helper()
	ask := float64(number(t, q, "ask_minor"))
	between(t, "the bid for "+text(q, "sku"), number(t, q, "bid_minor"), (ask-1)*part-1, ask*part)
}

// cleared reports whether a paper is cleared today: it is asked for little more than is bid.
func cleared(t testing.TB, q object) bool {
	t.Helper()
	return float64(number(t, q, "ask_minor")) < 1.3*float64(number(t, q, "bid_minor"))
}

// TestPaperIsClearedNowAndThen, at 0.62 of what is asked otherwise, while the bid stays
// where it is. In sixty days of three papers it is about one in seven.
func TestPaperIsClearedNowAndThen(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.MARKET_QUOTE.PAPER", "OPEN.STATE.MARKET_QUOTE.BID")
	n := calmCompany(t, "auto", object{"overhead": noOverhead})
	const days = 60
	clearances, dear := 0, 0.0
	for range days {
		for _, q := range n.quotes()[:3] {
			if cleared(t, q) {
				clearances++
				bidsFor(t, q, 0.6/0.62)
			} else {
				bidsFor(t, q, 0.6)
				dear += float64(number(t, q, "ask_minor")) / float64(number(t, q, "base_minor"))
			}
		}
		n.day()
	}
	if share := float64(3*days) / float64(clearances); share < 4 || share > 14 {
		t.Errorf("of %d asks %d were cleared, want one in seven", 3*days, clearances)
	}
	if mean := dear / float64(3*days-clearances); mean < 1.1 || mean > 1.4 {
		t.Errorf("all other asks are %.2f times the base on average, want 1.25", mean)
	}
}

// TestTheMarketSellsSoMuchPaperInADay of each kind, and counts down.
func TestTheMarketSellsSoMuchPaperInADay(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.MARKET_SOLD_OUT", "OPEN.STATE.MARKET_QUOTE.PAPER", "OPEN.FIELDS.MARKET_QUOTE",
		"OPEN.PRESET.SUPPLY_SHOCK")
	n := market(t, "auto")
	left := func(sku string, want int64) {
		t.Helper()
		if got := number(t, n.quoted(sku), "available_quantity"); got != want {
			t.Errorf("of %s %d are left, want %d", sku, got, want)
		}
	}
	soldOut := func(sku string, quantity int, want int64) {
		t.Helper()
		// A price that cannot be met says nothing about goods that are not there.
		for _, limit := range []any{nil, 1} {
			body := object{"side": "buy", "sku": sku, "quantity": quantity}
			if limit != nil {
				body["limit_price_minor"] = limit
			}
			details := n.refusesQuietly("/office/market", encode(t, body), http.StatusConflict,
				"market_sold_out").details()
			agrees(t, "details", details, object{"available_quantity": want})
		}
	}
	soldOut("mat_coated", 5001, 5000)
	n.trade("buy", "mat_coated", 4999).want(http.StatusCreated, "")
	left("mat_coated", 1)
	left("mat_board", 5000)
	soldOut("mat_coated", 2, 1)
	n.trade("sell", "mat_coated", 2000).want(http.StatusCreated, "") // what is sold to it is gone
	left("mat_coated", 1)
	n.trade("buy", "mat_coated", 1).want(http.StatusCreated, "")
	soldOut("mat_coated", 1, 0)
	n.trade("buy", "mat_board", 5000).want(http.StatusCreated, "")
	n.day()
	left("mat_coated", 5000)
	left("mat_board", 5000)

	// While paper is short there is none, and it can be sold all the same.
	short := n.pulls(object{"type": "paper_shortage", "days": 2})
	for _, sku := range []string{"mat_coated", "mat_uncoated", "mat_board"} {
		agrees(t, "a quote while paper is short", n.quoted(sku), object{"ask_minor": nil, "available_quantity": 0})
		soldOut(sku, 1, 0)
		n.trade("sell", sku, 1).want(http.StatusCreated, "")
	}
	for n.row("/sandbox/lore-events/" + text(short, "id"))["status"] == "running" {
		n.day()
	}
	left("mat_coated", 5000)
	n.trade("buy", "mat_coated", 1).want(http.StatusCreated, "")

	shocked := shared.create(t, `{"preset":"supply_shock","clock":"manual"}`)
	agrees(t, "in supply_shock", shocked.quoted("mat_coated"), object{"available_quantity": 1500})
}

// TestPartsBringNoMoreThanTheWhole sells the same paper at once, and in many parts.
func TestPartsBringNoMoreThanTheWhole(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.MARKET_QUOTE.IMPACT")
	s := serve(t, presets(t, calm(t, nil)))
	for _, parts := range []int{2, 12, 60} {
		const sheets = 12_000
		whole, split := s.create(t, `{"preset":"calm","seed":5,"clock":"manual"}`),
			s.create(t, `{"preset":"calm","seed":5,"clock":"manual"}`)
		at := number(t, whole.quoted("mat_coated"), "bid_minor")
		once := number(t, whole.trade("sell", "mat_coated", sheets).want(http.StatusCreated, "").Data(), "total_minor")
		for range parts {
			split.trade("sell", "mat_coated", sheets/parts).want(http.StatusCreated, "")
		}
		if sum := sums(t, split.all("/office/market/trades"), "total_minor"); sum > once {
			t.Errorf("in %d parts the paper brings %d, at once %d", parts, sum, once)
		}
		if once >= at*sheets {
			t.Errorf("%d sheets bring %d at %d each", sheets, once, at)
		}
	}
}
