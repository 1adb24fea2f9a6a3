package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// market is a calm company without illness, in which nothing is printed but
// what a test prints.
func market(t testing.TB, bridge string) *tenant {
	t.Helper()
	return calmCompany(t, bridge, object{
		"staff": object{"sick_pct_day": 0, "leave_every_days": 0, "quit_pct_day": 0, "auto_rehire": true,
			"hire_fee_minor": 120000},
	})
}

// free is how much of a SKU can be sold.
func (n *tenant) free(sku string) int64 {
	n.t.Helper()
	item := one(n.t, n.all("/factory/stock"), "sku", sku)
	return number(n.t, item, "on_hand") - number(n.t, item, "reserved")
}

// TestPaperBoughtTodayComesInTheMorning, at nine, and is worth what was paid
// for it all the while.
func TestPaperBoughtTodayComesInTheMorning(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.MARKET", "OPEN.FIELDS.MARKET_TRADE",
		"OPEN.FIELDS.MARKET_DELIVERY", "ROUTE.OFFICE.MARKET.TRADE", "OPEN.ROUTE.FACTORY.MARKET_DELIVERIES",
		"OPEN.ROUTE.OFFICE.MARKET.TRADES", "EVT.TYPE.OFFICE.MARKET_TRADE.EXECUTED",
		"OPEN.EVT.OFFICE.MARKET_TRADE.EXECUTED", "EVT.TYPE.FACTORY.MARKET_DELIVERY.RECEIVED",
		"OPEN.EVT.FACTORY.MARKET_DELIVERY.RECEIVED", "OPEN.EVENT.CASH_AND_STOCK", "CONV.SAME_ROW", "IDEM.REPLAY")
	n := market(t, "auto")
	w := watch(n)
	var trade object
	w.step("buy", func() { trade = n.buysPaper() })
	delivery := func() []object { return n.all("/factory/market-deliveries") }
	w.step("until one minute before nine", func() { n.tick(480); n.tick(59) })
	if early := delivery(); len(early) > 0 ||
		n.row("/office/market/trades/" + text(trade, "id"))["market_delivery_id"] != nil {
		t.Fatalf("before nine there is %v", early)
	}
	before, at, receipts := n.row("/sandbox"), n.newest(), len(n.all("/factory/goods-receipts"))
	stocked := n.row("/factory/stock/itm_coated")
	w.step("nine", func() { n.tick(1) })
	if came := delivery(); len(came) != 1 {
		t.Fatalf("at nine there are %v", came)
	}
	row := delivery()[0]
	exactly(t, "a market delivery", row, "trade_ref sku quantity received_on status")
	agrees(t, "the delivery", row, object{"trade_ref": trade["id"], "sku": "mat_coated", "quantity": 5000,
		"received_on": "2026-09-08", "status": "received", "created_on": "2026-09-08"})
	trade["market_delivery_id"] = row["id"]
	got := n.row("/office/market/trades/" + text(trade, "id"))
	trade["updated_at"] = got["updated_at"]
	agrees(t, "the trade", got, trade)
	events := n.wrote(at, "factory.market_delivery.received")
	stock := []object{{"sku": "mat_coated", "quantity": 5000}}
	n.says(events, text(row, "id"), "factory.market_delivery.received",
		object{"status": "received", "sku": "mat_coated", "quantity": 5000, "trade_ref": trade["id"], "stock": stock})
	move := n.all("/factory/stock-moves")[0]
	agrees(t, "the move", move, object{
		"sku": "mat_coated", "quantity": 5000, "balance_after": number(t, stocked, "on_hand") + 5000,
		"kind": "market_in", "event_id": events[0]["id"], "reference_id": row["id"],
	})
	// 12,000 sheets at 0.32 and 5,000 at 0.42.
	agrees(t, "the stock", n.row("/factory/stock/itm_coated"),
		object{"on_hand": 17000, "average_cost_minor": 35, "status": "ok"})
	after := n.row("/sandbox")
	agrees(t, "after the delivery the sandbox", after,
		object{"net_worth_minor": before["net_worth_minor"], "cash_minor": before["cash_minor"]})
	value := func(s object) int64 { return number(t, child(t, s, "inventory"), "stock_value_minor") }
	if grew := value(after) - value(before); grew != number(t, trade, "total_minor") {
		t.Errorf("the stock was worth %d before, %d after, paid was %v",
			value(before), value(after), trade["total_minor"])
	}
	if now := len(n.all("/factory/goods-receipts")); now != receipts {
		t.Errorf("the delivery made %d goods receipts", now-receipts)
	}
	w.step("days pass", func() { n.day(); n.day() })
	if came := delivery(); len(came) != 1 {
		t.Errorf("one trade brought %v", came)
	}
	w.ended()
}

// buysPaper buys 5,000 sheets, twice under one key, and checks what it did.
func (n *tenant) buysPaper() object {
	t := n.t
	before, at, moves := n.row("/sandbox"), n.newest(), n.all("/factory/stock-moves")
	a := n.twice("/office/market", `{"side":"buy","sku":"mat_coated","quantity":5000,"limit_price_minor":42}`)
	row := a.Data()
	exactly(t, "a trade", row,
		"side sku quantity unit_price_minor total_minor currency limit_price_minor traded_on status market_delivery_id")
	// The first sheet costs 0.41, the last 5 % more.
	agrees(t, "the trade", row, object{
		"side": "buy", "sku": "mat_coated",
		"quantity": 5000, "unit_price_minor": 42, "total_minor": 210000, "currency": "XTS", "limit_price_minor": 42,
		"traded_on": "2026-09-07", "status": "executed", "market_delivery_id": nil,
	})
	n.sameRow(a, "/office/market/trades/"+text(row, "id"))
	if found := n.all("/office/market/trades?sku=mat_coated"); len(found) != 1 ||
		len(n.all("/office/market/trades?sku=mat_board")) != 0 {
		t.Errorf("looked for by its SKU, the trade is %v", found)
	}
	cash := number(t, before, "cash_minor") - 210000
	events := n.wrote(at, "office.market_trade.executed")
	n.says(events, text(row, "id"), "office.market_trade.executed", object{
		"status": "executed", "side": "buy", "sku": "mat_coated", "quantity": 5000, "unit_price_minor": 42,
		"total_minor": 210000, "cash_minor": cash,
	})
	if _, moves := child(t, events[0], "data")["stock"]; moves {
		t.Errorf("nothing came yet, and the event is %v", events[0])
	}
	agrees(t, "the ledger", n.all("/office/ledger")[0], object{
		"kind": "market_buy", "amount_minor": -210000, "balance_minor": cash, "event_id": events[0]["id"],
		"reference_id": row["id"], "entry_on": "2026-09-07",
	})
	agrees(t, "after the trade the sandbox", n.row("/sandbox"),
		object{"cash_minor": cash, "net_worth_minor": before["net_worth_minor"]})
	if now := n.all("/factory/stock-moves"); len(now) != len(moves) {
		t.Errorf("the purchase moved %v", now[0])
	}
	return row
}

// TestWhatIsBoughtOnFridayComesOnMonday, each trade with a delivery of its own.
func TestWhatIsBoughtOnFridayComesOnMonday(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.MARKET_DELIVERY", "OPEN.TIME.WORKING_MINUTES")
	n := market(t, "manual")
	n.untilDay(4)
	n.tick(61)
	morning := n.trade("buy", "mat_board", 1).want(http.StatusCreated, "").Data()
	n.tick(418)
	evening := n.trade("buy", "mat_board", 2).want(http.StatusCreated, "").Data()
	n.tick(60)
	if came := n.all("/factory/market-deliveries"); len(came) != 0 {
		t.Errorf("on Monday before nine there are %v", came)
	}
	n.tick(1)
	came := n.all("/factory/market-deliveries")
	if len(came) != 2 {
		t.Fatalf("on Monday at nine there are %v", came)
	}
	for i, trade := range []object{evening, morning} { // newest first
		agrees(t, "the trade", trade, object{"traded_on": "2026-09-11"})
		agrees(t, "the delivery", came[i],
			object{"trade_ref": trade["id"], "quantity": trade["quantity"], "received_on": "2026-09-14"})
		agrees(t, "the trade", n.row("/office/market/trades/"+text(trade, "id")),
			object{"market_delivery_id": came[i]["id"]})
	}
}

// TestSellingPaperBelowItsReorderPointAsksForMore: the Factory at once, and
// Head Office where the bridge carries it there.
func TestSellingPaperBelowItsReorderPointAsksForMore(t *testing.T) {
	t.Parallel()
	rows(t, "EVT.TYPE.FACTORY.REQUISITION.CREATED", "OPEN.EVT.FACTORY.REQUISITION.CREATED",
		"OPEN.FIELDS.FACTORY_REQUISITION", "OPEN.EVT.OFFICE.MARKET_TRADE.EXECUTED",
		"OPEN.EVENT.CASH_AND_STOCK", "OPEN.EVENT.TWO", "OPEN.BRIDGE.REQUISITION", "OPEN.STATE.STOCK_ITEM")
	for bridge, carried := range map[string][]string{
		"auto":   {"office.requisition.received", "office.requisition.approved"},
		"manual": nil,
	} {
		t.Run(bridge, func(t *testing.T) {
			t.Parallel()
			n := market(t, bridge)
			w := watch(n)
			w.step("sell down to the reorder point", func() {
				at := n.newest()
				n.trade("sell", "mat_uncoated", 1000).want(http.StatusCreated, "")
				n.wrote(at, "office.market_trade.executed")
			})
			w.step("sell one more", func() { n.sellsTheLast(carried) })
			w.step("sell more", func() {
				at := n.newest()
				n.trade("sell", "mat_uncoated", 4999).want(http.StatusCreated, "")
				n.wrote(at, "office.market_trade.executed")
			})
			agrees(t, "all sold, the stock", n.row("/factory/stock/itm_uncoated"),
				object{"on_hand": 0, "status": "low"})
			w.ended()
		})
	}
}

func (n *tenant) sellsTheLast(carried []string) {
	t := n.t
	before, at := n.row("/sandbox"), n.newest()
	bid := number(t, n.quoted("mat_uncoated"), "bid_minor")
	a := n.post("/office/market",
		fmt.Sprintf(`{"side":"sell","sku":"mat_uncoated","quantity":1,"limit_price_minor":%d}`, bid)).
		want(http.StatusCreated, "")
	row := a.Data()
	agrees(t, "the trade", row, object{"side": "sell", "quantity": 1, "unit_price_minor": bid, "total_minor": bid,
		"limit_price_minor": bid, "market_delivery_id": nil, "status": "executed"})
	n.sameRow(a, "/office/market/trades/"+text(row, "id"))
	events := n.wrote(at, append([]string{
		"office.market_trade.executed", "factory.stock.below_reorder_point", "factory.requisition.created",
	}, carried...)...)
	cash := number(t, before, "cash_minor") + bid
	n.says(events, text(row, "id"), "office.market_trade.executed", object{
		"status": "executed", "side": "sell", "sku": "mat_uncoated", "quantity": 1, "unit_price_minor": bid,
		"total_minor": bid, "cash_minor": cash,
		"stock": []object{{"sku": "mat_uncoated", "quantity": -1}},
	})
	agrees(t, "the ledger", n.all("/office/ledger")[0], object{"kind": "market_sell", "amount_minor": bid,
		"balance_minor": cash, "event_id": events[0]["id"], "reference_id": row["id"]})
	agrees(t, "the move", n.all("/factory/stock-moves")[0], object{
		"kind": "market_out", "sku": "mat_uncoated", "quantity": -1, "balance_after": 4999, "event_id": events[0]["id"],
		"reference_id": row["id"],
	})
	// A sheet at 0.24 turned into cash.
	agrees(t, "after the sale the sandbox", n.row("/sandbox"),
		object{"cash_minor": cash, "net_worth_minor": number(t, before, "net_worth_minor") + bid - 24})
	wish := n.all("/factory/requisitions")[0]
	exactly(t, "a Factory requisition", wish, "number sku quantity reason on_hand_when_filed needed_by status")
	agrees(t, "the wish", wish, object{"sku": "mat_uncoated", "quantity": 8000, "reason": "below_reorder_point",
		"on_hand_when_filed": 4999, "needed_by": "2026-09-14", "status": "open"})
	n.says(events, text(wish, "id"), "factory.requisition.created", object{
		"status": "open", "number": wish["number"], "sku": "mat_uncoated", "quantity": 8000, "on_hand": 4999,
		"needed_by": "2026-09-14",
	})
	filed := n.all("/office/requisitions")
	if len(carried) == 0 {
		if len(filed) != 1 { // that of the opening
			t.Errorf("the manual bridge filed %v", filed)
		}
		return
	}
	agrees(t, "at Head Office", filed[0], object{"reference": wish["id"], "source": "bridge", "status": "approved"})
}

// TestReservedGoodsAreNotForSale, goods on the shelf are.
func TestReservedGoodsAreNotForSale(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.INSUFFICIENT_STOCK", "OPEN.STATE.WORK_ORDER.FROM_STOCK", "OPEN.BODY.OFFICE.MARKET")
	n := market(t, "manual")
	none := n.refusesQuietly("/office/market", `{"side":"sell","sku":"prd_notebook","quantity":1}`, http.StatusConflict,
		"insufficient_stock").details()
	agrees(t, "details", none, object{"shortages": []object{{"sku": "prd_notebook", "needed": 1, "on_hand": 0}}})
	n.print(text(n.work("prd_notebook", 20, ""), "id"))
	n.day()
	made := int(n.free("prd_notebook"))
	if made < 20 {
		t.Fatalf("printed were %d notebooks", made)
	}
	held := n.work("prd_notebook", 15, "somebody")
	agrees(t, "from the shelf the work order", held, object{"status": "ready"})
	details := n.refusesQuietly("/office/market",
		encode(t, object{"side": "sell", "sku": "prd_notebook", "quantity": made - 14}), http.StatusConflict,
		"insufficient_stock").details()
	agrees(t, "details", details,
		object{"shortages": []object{{"sku": "prd_notebook", "needed": made - 14, "on_hand": made - 15}}})
	at := n.newest()
	row := n.trade("sell", "prd_notebook", made-15).want(http.StatusCreated, "").Data()
	// Half of ten per cent for each 200 comes off, on average, and prices are rounded up.
	exact := 912 * (1 - 0.05*float64(made-15)/200)
	between(t, "the price", number(t, row, "unit_price_minor"), exact, exact+1)
	n.wrote(at, "office.market_trade.executed") // finished goods are never reordered
	agrees(t, "what is left", n.row("/factory/stock/itm_notebook"), object{"on_hand": 15, "reserved": 15})
	n.dispatch(text(held, "id"))
}

// TestWasteIsSoldByTheKilogram, while the Factory weighs it in grams.
func TestWasteIsSoldByTheKilogram(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.MARKET_QUOTE", "OPEN.ERR.INSUFFICIENT_STOCK", "OPEN.EVENT.CASH_AND_STOCK")
	n := market(t, "manual")
	n.print(text(n.work("prd_notebook", 31, ""), "id"))
	n.day()
	grams := int(n.free("mat_waste"))
	kilograms := grams / 1000
	if kilograms == 0 || grams%1000 == 0 {
		t.Fatalf("the run left %d g of waste; the test wants more than a kilogram, and no whole number", grams)
	}
	refused := n.refusesQuietly("/office/market",
		encode(t, object{"side": "sell", "sku": "mat_waste", "quantity": kilograms + 1}), http.StatusConflict,
		"insufficient_stock").details()
	agrees(t, "details", refused,
		object{"shortages": []object{{"sku": "mat_waste", "needed": (kilograms + 1) * 1000, "on_hand": grams}}})
	bid := number(t, n.quoted("mat_waste"), "bid_minor")
	at := n.newest()
	row := n.trade("sell", "mat_waste", kilograms).want(http.StatusCreated, "").Data()
	agrees(t, "the trade", row,
		object{"quantity": kilograms, "unit_price_minor": bid, "total_minor": bid * int64(kilograms)})
	n.says(n.wrote(at, "office.market_trade.executed"), text(row, "id"), "office.market_trade.executed", object{
		"quantity": kilograms, "stock": []object{{"sku": "mat_waste", "quantity": -kilograms * 1000}},
	})
	if left := int(n.free("mat_waste")); left != grams%1000 {
		t.Errorf("of %d g are left %d after %d kg were sold", grams, left, kilograms)
	}
}

// TestNobodySellsTheSameGoodsTwice sells a stock from many sides at once.
func TestNobodySellsTheSameGoodsTwice(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.INSUFFICIENT_STOCK", "EVT.SAME_TRANSACTION")
	n := market(t, "manual")
	const callers, each = 9, 1000 // of 4,000 sheets of board
	answers := make([]*answer, callers)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = n.trade("sell", "mat_board", each) })
	}
	all.Wait()
	sold := 0
	for _, a := range answers {
		if a.Status == http.StatusCreated {
			sold++
			continue
		}
		a.want(http.StatusConflict, "insufficient_stock")
	}
	if sold != 4 || n.free("mat_board") != 0 {
		t.Errorf("of 4000 sheets were sold %d times %d, %d are left", sold, each, n.free("mat_board"))
	}
	n.checkBooks(n.feed(0))
	// Each sale lowered the price for the next one.
	prices := []int64{}
	for _, trade := range slices.Backward(n.all("/office/market/trades")) {
		prices = append(prices, number(t, trade, "unit_price_minor"))
	}
	if !slices.IsSortedFunc(prices, func(a, b int64) int { return int(b - a) }) || prices[0] == prices[len(prices)-1] {
		t.Errorf("one after another the sales brought %s", strings.Trim(fmt.Sprint(prices), "[]"))
	}
}

// TestAMarketPurchaseRestocks an item that had gone low before it.
func TestAMarketPurchaseRestocks(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.RESTOCK", "OPEN.STATE.FACTORY_REQUISITION", "OPEN.EVENT.CHANGES", "OPEN.EVENT.MISSIONS_LAST",
		"OPEN.FIELDS.MARKET_DELIVERY")
	n := market(t, "manual")
	n.trade("buy", "mat_uncoated", 10).want(http.StatusCreated, "")
	n.trade("sell", "mat_uncoated", 1001).want(http.StatusCreated, "")
	n.day()
	n.tick(60)
	if got := n.missions()["restock"]; got == "completed" || len(n.all("/factory/market-deliveries")) != 1 {
		t.Errorf("what was bought before it went low left restock %s", got)
	}
	wish := n.all("/factory/requisitions")[0]
	item := n.row("/factory/stock/itm_uncoated")
	if wish["status"] != "closed" || item["status"] != "ok" {
		t.Errorf("ten sheets more, the wish is %v, the stock %v", wish, item)
	}
	n.trade("sell", "mat_uncoated", 10).want(http.StatusCreated, "")
	bought := n.trade("buy", "mat_uncoated", 1).want(http.StatusCreated, "").Data()
	n.day()
	wish = n.all("/factory/requisitions")[0]
	delivery := one(t, n.all("/factory/market-deliveries"), "trade_ref", text(bought, "id"))
	if got := n.missions()["restock"]; got != "completed" {
		t.Errorf("what was bought after it went low left restock %s", got)
	}
	events := slices.DeleteFunc(n.feed(0), func(e object) bool { return text(e, "sim_date") != "2026-09-09" })
	arrived := slices.Index(types(events), "factory.market_delivery.received")
	if arrived < 0 || arrived+1 == len(events) || child(t, events[arrived+1], "data")["id"] != "restock" {
		t.Errorf("the delivery wrote %v", types(events))
	}
	if number(t, n.row("/factory/stock/itm_uncoated"), "on_hand") != 5000 || wish["status"] != "closed" ||
		delivery["status"] != "received" {
		t.Errorf("one sheet more, the wish is %v, the delivery %v", wish, delivery)
	}
	for resource, id := range map[string]string{"factory_requisition": text(wish, "id"), "stock_item": "itm_uncoated"} {
		want := map[string]string{"factory_requisition": "open>closed", "stock_item": "low>ok"}[resource]
		if got := n.rider(events, "factory.market_delivery.received", resource, id); got != want {
			t.Errorf("%s went %s, want %s", resource, got, want)
		}
	}
}
