package contract

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestALimitIsKept on both sides, and the refusal names the limit that would do.
func TestALimitIsKept(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.LIMIT_NOT_MET", "OPEN.BODY.OFFICE.MARKET")
	n := market(t, "manual")
	for _, c := range []struct {
		side, sku string
		quantity  int
		limit     int64
		beyond    int64
	}{
		{"buy", "mat_board", 5000, 73, -1}, // asked is 0.73 for the first
		{"buy", "mat_uncoated", 1, 1, -1},
		{"sell", "mat_coated", 12000, 24, 1}, // 0.24 is bid for the first
		{"sell", "mat_uncoated", 1, 9223372036854775807, 1},
	} {
		order := func(limit int64) string {
			return encode(t, object{"side": c.side, "sku": c.sku, "quantity": c.quantity, "limit_price_minor": limit})
		}
		price := number(t, n.refusesQuietly("/office/market", order(c.limit), http.StatusConflict, "limit_not_met").
			details(), "price_minor")
		again := n.refusesQuietly("/office/market", order(price+c.beyond), http.StatusConflict,
			"limit_not_met").details()
		agrees(t, "the second refusal", again, object{"price_minor": price})
		row := n.post("/office/market", order(price)).want(http.StatusCreated, "").Data()
		agrees(t, c.side+" "+c.sku, row,
			object{"unit_price_minor": price, "limit_price_minor": price, "total_minor": price * int64(c.quantity)})
	}
	generous := n.post("/office/market",
		`{"side":"buy","sku":"mat_uncoated","quantity":1,"limit_price_minor":9223372036854775807}`).
		want(http.StatusCreated, "").Data()
	if number(t, generous, "unit_price_minor") > 31 {
		t.Errorf("a generous limit was taken for the price: %v", generous)
	}
}

// TestTheMarketDoesNotTradeEverything: ink and plates come from suppliers, what
// customers ordered is theirs, waste and finished goods are only taken.
func TestTheMarketDoesNotTradeEverything(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.NOT_TRADED", "OPEN.BODY.OFFICE.MARKET")
	n := market(t, "manual")
	paper := []string{"mat_coated", "mat_uncoated", "mat_board"}
	all := append(slices.Clone(paper), "prd_notebook", "prd_calendar", "mat_waste")
	strangers := []string{
		"mat_ink", "mat_plate", "prd_card", "MAT_COATED", " mat_coated", "ｍat_coated", "%s%d", strings.Repeat("紙", 40),
		"null",
	}
	for side, c := range map[string]struct{ refused, traded []string }{
		"buy":  {append([]string{"mat_waste", "prd_notebook", "prd_calendar"}, strangers...), paper},
		"sell": {strangers, all},
	} {
		for _, sku := range c.refused {
			// A limit that cannot be met and stock that is not there say nothing
			// about what is not traded at all.
			body := encode(t, object{"side": side, "sku": sku, "quantity": 20000, "limit_price_minor": 1})
			details := n.refusesQuietly("/office/market", body, http.StatusUnprocessableEntity, "not_traded").details()
			if got := texts(details, "traded"); !slices.Equal(got, c.traded) {
				t.Errorf("%s %q: traded are %v, want %v", side, sku, got, c.traded)
			}
		}
	}
}

// TestTheMarketWantsMoneyAndGoods: a purchase may use the overdraft and no
// more, a sale what is in the warehouse.
func TestTheMarketWantsMoneyAndGoods(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.CASH.SPENDING", "OPEN.ERR.INSUFFICIENT_FUNDS", "OPEN.ERR.INSUFFICIENT_STOCK",
		"OPEN.IDEM.ONLY_SUCCESS")
	n := calmCompany(t, "manual",
		object{"cash_minor": 100000, "overdraft_limit_minor": 20000, "opening_documents": false})
	buy := func(quantity int) string {
		return encode(t, object{"side": "buy", "sku": "mat_board", "quantity": quantity})
	}
	details := n.refusesQuietly("/office/market", buy(5000), http.StatusConflict, "insufficient_funds").details()
	agrees(t, "details", details, object{"amount_minor": 5000 * 75, "available_minor": 120000})
	key := freshKey()
	n.post("/office/market", buy(5000), "Idempotency-Key", key).want(http.StatusConflict, "insufficient_funds")
	// 0.74 each on average, so 1,200.00 are enough for 1,621 and not for one more.
	n.refusesQuietly("/office/market", buy(1622), http.StatusConflict, "insufficient_funds")
	// A refusal is not kept under its key.
	row := n.post("/office/market", buy(1621), "Idempotency-Key", key).want(http.StatusCreated, "").Data()
	agrees(t, "the trade", row, object{"unit_price_minor": 74, "total_minor": 119954})
	agrees(t, "the cash account", n.row("/office/cash"), object{"cash_minor": -19954})
	n.refusesQuietly("/office/market", buy(1), http.StatusConflict, "insufficient_funds")
	// The bought material is not there yet.
	sell := `{"side":"sell","sku":"mat_board","quantity":4001}`
	refused := n.refusesQuietly("/office/market", sell, http.StatusConflict, "insufficient_stock").details()
	agrees(t, "details", refused, object{"shortages": []object{{"sku": "mat_board", "needed": 4001, "on_hand": 4000}}})
	n.day()
	n.tick(60)
	n.post("/office/market", sell).want(http.StatusCreated, "")
	if cash := number(t, n.row("/office/cash"), "cash_minor"); cash <= 0 {
		t.Errorf("4001 sheets of board were sold, and the cash is %d", cash)
	}
}

// TestBadTradesAreRefused, each with the names of its bad fields.
func TestBadTradesAreRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.MARKET", "OPEN.ERR.VALIDATION_FAILED", "OPEN.HTTP.NULL", "OPEN.HTTP.ALL_FIELDS")
	n := market(t, "manual")
	good := map[string]string{"side": `"buy"`, "sku": `"mat_coated"`, "quantity": "1", "limit_price_minor": "1000"}
	with := func(field, value string) string {
		members := maps.Clone(good)
		members[field] = value
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if members[name] != "" {
				parts = append(parts, fmt.Sprintf("%q:%s", name, members[name]))
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	n.post("/office/market", with("sku", `"mat_board"`)).want(http.StatusCreated, "") // the body itself is good
	bodies := map[string]string{
		`{}`: "quantity side sku",
		`{"side":"hold","sku":"","quantity":0,"limit_price_minor":0,"tip":1}`: "limit_price_minor " +
			"quantity side sku tip",
		with("price", "7"):     "price",
		with("Side", `"sell"`): "Side",
	}
	for field, values := range map[string][]string{
		"side": {"", "null", "1", `""`, `"BUY"`, `"hold"`, `["buy"]`},
		"sku": {"", "null", "7", `""`, `"mat_coated\u0000"`, `["mat_coated"]`,
			`"` + strings.Repeat("x", 41) + `"`},
		"quantity": {"", "null", "0", "-1", "20001", "1.5", `"1"`, "true", "9223372036854775807",
			"9223372036854775808", "-9223372036854775809", "1e30"},
		"limit_price_minor": {"0", "-1", "0.5", `"1000"`, "false", "9223372036854775808", "1e400", "{}"},
	} {
		for _, value := range values {
			bodies[with(field, value)] = field
		}
	}
	n.namesFields("/office/market", bodies)
	n.post("/office/market", `{"side":"buy","side":"sell","sku":"mat_coated","quantity":1}`).
		want(http.StatusBadRequest, "invalid_json")
	n.post("/office/market?dry_run=1", with("side", `"buy"`)).want(http.StatusBadRequest, "invalid_parameter")
	for _, path := range []string{"/office/market/mat_coated", "/office/market/trades", "/office/market/trades/mtr_0"} {
		n.post(path, with("side", `"buy"`)).want(http.StatusMethodNotAllowed, "method_not_allowed")
	}
	for _, path := range []string{"/office/market/trades/mtr_0", "/factory/market-deliveries/mdl_0"} {
		n.get(path).want(http.StatusNotFound, "not_found")
	}
}
