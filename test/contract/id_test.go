package contract

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// prefixes are the prefixes of the ids in each list. Lists of records that have names for ids are
// left out.
var prefixes = map[string]string{
	"/office/sales-orders": "so", "/office/shipments": "sho", "/office/customer-invoices": "cin",
	"/office/payments": "pay", "/office/ledger": "led", "/office/requisitions": "rqn",
	"/office/purchase-orders": "po", "/office/goods-receipts": "gro", "/office/supplier-invoices": "sin",
	"/factory/requisitions": "frq", "/factory/deliveries": "dlv", "/factory/goods-receipts": "grf",
	"/office/employees": "emp", "/factory/attendance": "att", "/office/market/trades": "mtr",
	"/factory/market-deliveries": "mdl", "/factory/work-orders": "wo", "/factory/print-runs": "pr",
	"/factory/shipments": "shf", "/factory/stock-moves": "mov", "/events": "evt",
}

// traded is a company that has records of every kind.
func traded(t testing.TB, body string) *tenant {
	t.Helper()
	n := usual(t).create(t, body)
	work := text(n.accept(text(n.order("SO-1001"), "id")), "bridged_work_order_id")
	n.print(work)
	n.tick(150)
	n.dispatch(work)
	n.runLow()
	n.require(object{"sku": "mat_ink", "quantity": 300}).want(http.StatusCreated, "")
	n.trade("buy", "mat_coated", 100).want(http.StatusCreated, "")
	n.trade("buy", "mat_board", 50).want(http.StatusCreated, "")
	n.day()
	n.countIn(text(n.all("/factory/deliveries?status=arrived")[0], "id"))
	n.settle()
	return n
}

func TestIdentifiersHaveTheirShape(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ID.SHAPE", "CONV.ID.STRING", "CONV.ID.EVENT", "CONV.ID.PRINT_RUN")
	first, again, other := traded(t, `{"seed":5,"clock":"manual"}`), traded(t, `{"seed":5,"clock":"manual"}`),
		traded(t, `{"seed":6,"clock":"manual"}`)
	for path, prefix := range prefixes {
		shape := regexp.MustCompile("^" + prefix + "_[0-9a-hjkmnp-tv-z]{13}$")
		ids := func(n *tenant) []string {
			var all []string
			for _, row := range n.all(path) {
				if id := text(row, "id"); !shape.MatchString(id) {
					t.Errorf("%s: the id %q has not the shape of %s", path, id, shape)
				}
				all = append(all, text(row, "id"))
			}
			if len(all) == 0 {
				t.Errorf("%s is empty", path)
			}
			return all
		}
		one, same, different := ids(first), ids(again), ids(other)
		if random := path == "/events"; (strings.Join(one, " ") == strings.Join(same, " ")) == random {
			t.Errorf("%s: with the same seed the ids are %v and %v", path, one, same)
		}
		if one[0] == different[0] {
			t.Errorf("%s: with another seed the id is again %s", path, one[0])
		}
	}
	if first.id == again.id || first.row("/sandbox")["sandbox_id"] != first.id {
		t.Errorf("sandboxes are called %s and %s", first.id, again.id)
	}
	if a, b := first.get("/sandbox").Meta()["request_id"], first.get("/sandbox").Meta()["request_id"]; a == b {
		t.Errorf("two requests are called %v", a)
	}
}

// TestEachPresetAndSplitHasItsOwnWorlds: with the same seed nothing of one is in another, but for
// what each company opens with.
func TestEachPresetAndSplitHasItsOwnWorlds(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.CREATE.WORLD", "OPEN.ID.SHAPE", "OPEN.CREATE.SEED")
	const days = 4
	seen := map[string]map[string]string{} // which sandbox has an id, or an order, of a list
	for _, path := range []string{
		"/office/employees", "/office/sales-orders", "/office/ledger", "/factory/attendance",
	} {
		seen[path] = map[string]string{}
	}
	orders := map[string]string{}
	for _, of := range []string{
		`"preset":"starter"`, `"preset":"manual"`, `"preset":"crunch"`, `"preset":"supply_shock"`,
		`"preset":"agent_eval"`, `"preset":"agent_eval","split":"dev"`,
	} {
		for _, seed := range []int{5, 6} {
			name := fmt.Sprintf(`{%s,"seed":%d,"clock":"manual"}`, of, seed)
			n := shared.create(t, name)
			for range days {
				n.day()
			}
			for path, ids := range seen {
				for _, row := range n.all(path) {
					if other := ids[text(row, "id")]; other != "" {
						t.Errorf("%s: %v is in %s and in %s", path, row["id"], other, name)
					}
					ids[text(row, "id")] = name
				}
			}
			var came []string
			for _, order := range n.all("/office/sales-orders") {
				if text(order, "number") > "SO-1003" { // the others are those of the opening
					came = append(came, fmt.Sprint(order["customer_id"], order["sku"], order["quantity"]))
				}
			}
			if len(came) < 3 {
				t.Fatalf("%s: %d orders came", name, len(came))
			}
			if key := strings.Join(came, " "); orders[key] != "" {
				t.Errorf("%s and %s have the same orders: %s", orders[key], name, key)
			} else {
				orders[key] = name
			}
		}
	}
	// The bridge, the clock and the actions make no other world.
	first, second := shared.create(t, `{"seed":5,"clock":"manual"}`),
		shared.create(t, `{"seed":5,"clock":"manual","bridge":"manual"}`)
	if a, b := text(first.badge("1001"), "id"), text(second.badge("1001"), "id"); a != b {
		t.Errorf("in one world an employee is %s and %s", a, b)
	}
}
