package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"
)

// TestEachPresetCanBeHad looks at what a client sees of a company before it
// does anything.
func TestEachPresetCanBeHad(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.STARTER", "OPEN.PRESET.MANUAL", "OPEN.PRESET.CRUNCH",
		"OPEN.PRESET.SUPPLY_SHOCK", "OPEN.PRESET.AGENT_EVAL", "OPEN.PRESET.EMPTY", "OPEN.ERR.INVALID_PRESET",
		"OPEN.CREATE.BRIDGE", "OPEN.CREATE.CLOCK")
	presets := map[string]struct {
		bridge, clock string
		cashMinor     int
	}{
		"starter": {"auto", "realtime", 8500000}, "manual": {"manual", "realtime", 8500000},
		"crunch": {"auto", "realtime", 4500000}, "supply_shock": {"auto", "realtime", 8500000},
		"agent_eval": {"auto", "manual", 6000000}, "empty": {"auto", "manual", 8500000},
	}
	for name, want := range presets {
		s := shared.create(t, fmt.Sprintf(`{"preset":%q}`, name)).row("/sandbox")
		agrees(t, name, s, object{"preset": name, "bridge": want.bridge, "opening_cash_minor": want.cashMinor,
			"overdraft_limit_minor": 1000000, "status": "active", "days_negative": 0})
		agrees(t, name, child(t, s, "clock"), object{"mode": want.clock})
		n := shared.create(t, fmt.Sprintf(`{"preset":%q,"bridge":"manual","clock":"realtime","seed":4}`, name))
		if n.grading != "" { // else nobody sees the seed
			n = n.grader()
		}
		other := n.row("/sandbox")
		agrees(t, name, other, object{"preset": name, "bridge": "manual", "seed": 4})
		agrees(t, name, child(t, other, "clock"), object{"mode": "realtime"})
	}
	for _, unknown := range []string{"Empty", "empty ", "agent-eval", "chaos", "../empty", "empty.json", "ｅｍｐｔｙ"} {
		a := shared.send(t, request{method: "POST", path: "/sandboxes", body: encode(t, object{"preset": unknown})}).
			want(http.StatusUnprocessableEntity, "invalid_preset")
		if got, want := texts(a.details(), "allowed"),
			slices.Sorted(maps.Keys(presets)); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%q: allowed are %v, want %v", unknown, got, want)
		}
	}
}

// TestTheEmptyCompanyHasStockAndOneOrderEachMorning, whatever its seed and its
// bridge. Not even its crew is paid.
func TestTheEmptyCompanyHasStockAndOneOrderEachMorning(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.EMPTY", "OPEN.PRESET.OPENING")
	for _, body := range []string{
		`{"preset":"empty","seed":0}`, `{"preset":"empty","seed":77}`, `{"preset":"empty","seed":1,"bridge":"manual"}`,
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			n := shared.create(t, body)
			n.opensEmpty()
			n.tick(479)
			at := n.newest()
			for day := 1; day <= 10; day++ {
				n.tick(1)
				if at = n.hasTheMorningOf(day, at); day < 10 {
					n.tick(479)
				}
			}
			agrees(t, "the cash of a company that did nothing", n.row("/office/cash"),
				object{"cash_minor": 8500000, "payable_minor": 0, "receivable_minor": 0})
			agrees(t, "its score", child(t, n.row("/sandbox"), "score"), object{"profit_minor": 0})
			if n.tick(480); len(n.all("/office/payroll-runs")) > 0 || len(n.all("/office/timesheets")) > 0 {
				t.Errorf("wages are due: %v", n.all("/office/payroll-runs"))
			}
		})
	}
}

// opensEmpty checks that there is nothing but stock, presses and people.
func (n *tenant) opensEmpty() {
	t := n.t
	t.Helper()
	n.wrote(0, slices.Repeat([]string{"hr.employee.hired"}, len(n.all("/office/employees")))...)
	reference := []string{
		"/events", "/missions", "/sandbox/checkpoints", "/office/market", "/office/customers",
		"/office/products", "/office/suppliers", "/office/employees", "/office/ledger", "/factory/products",
		"/factory/presses", "/factory/operators", "/factory/attendance", "/factory/stock", "/factory/stock-moves",
	}
	for _, path := range n.judge.records() {
		if got := n.all(path); (len(got) > 0) != slices.Contains(reference, path) {
			t.Errorf("%s opens with %v", path, got)
		}
	}
	if ledger := n.all("/office/ledger"); len(ledger) != 1 || ledger[0]["kind"] != "opening_balance" {
		t.Errorf("the ledger opens with %v", ledger)
	}
	for _, move := range n.all("/factory/stock-moves") {
		agrees(t, "a stock move", move, object{"kind": "opening", "event_id": nil})
	}
	ordinary := shared.create(t, `{"clock":"manual"}`)
	for _, item := range ordinary.all("/factory/stock") {
		agrees(t, text(item, "sku"), n.row("/factory/stock/"+text(item, "id")),
			object{"on_hand": item["on_hand"], "reserved": item["reserved"], "status": item["status"]})
	}
	agrees(t, "the sandbox", n.row("/sandbox"), object{"counts": object{"orders_open": 0, "work_orders_open": 0,
		"work_orders_to_print": 0, "deliveries_waiting": 0, "invoices_payable": 0, "lots_offered": 0}})
}

// hasTheMorningOf checks what the last minute wrote, and that the day before it
// wrote nothing. It returns the number of the newest event.
func (n *tenant) hasTheMorningOf(day int, since uint64) uint64 {
	t := n.t
	t.Helper()
	var want []string
	if day > 3 {
		want = append(want, "office.sales_order.expired") // that of three mornings ago
	}
	events := n.wrote(since, append(want, "office.sales_order.received")...)
	order := n.order(fmt.Sprintf("SO-%d", 1000+day))
	agrees(t, "the order", order, object{
		"customer_id": "cus_lumen", "sku": "prd_card", "quantity": 10, "unit_price_minor": 2200, "total_minor": 22000,
		"status": "received", "received_on": workingDay(day), "answer_by": workingDay(day + 2),
		"due_date": workingDay(day + 5),
	})
	agrees(t, "the clock", child(t, n.row("/sandbox"), "clock"),
		object{"sim_time": "08:00", "sim_date": workingDay(day), "day_number": day})
	for _, e := range events {
		if e["sim_date"] != workingDay(day) {
			t.Errorf("on day %d was written %v", day, e)
		}
	}
	return n.newest()
}

// workingDay is the date of a day, where day 0 is Monday, 2026-09-07.
func workingDay(day int) string {
	return time.Date(2026, time.September, 7+day/5*7+day%5, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// leadDays counts the working days from one date to another.
func leadDays(t testing.TB, from, to any) int {
	t.Helper()
	first, err := time.Parse(time.DateOnly, fmt.Sprint(from))
	last, wrong := time.Parse(time.DateOnly, fmt.Sprint(to))
	if err != nil || wrong != nil {
		t.Fatalf("%v or %v is no date", from, to)
	}
	days := 0
	for day := first; day.Before(last); {
		if day = day.AddDate(0, 0, 1); day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
			days++
		}
	}
	return days
}

// TestAgentsMeetTheSameWorld plays two days with the seed of the preset, with
// the same one given, and with another.
func TestAgentsMeetTheSameWorld(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.AGENT_EVAL", "OPEN.CREATE.SEED", "OPEN.CREATE.DETERMINISM")
	bodies := []string{
		`{"preset":"agent_eval"}`, `{"preset":"agent_eval"}`, `{"preset":"agent_eval","seed":1}`,
		`{"preset":"agent_eval","seed":0}`,
	}
	played := make([]string, len(bodies))
	companies := make([]*tenant, len(bodies))
	for i, body := range bodies {
		n := shared.create(t, body)
		if want, s := []int64{1, 1, 1, 0}[i], n.grader().row("/sandbox"); number(t, s, "seed") != want {
			t.Errorf("%s has the seed %v", body, s["seed"])
		}
		work := text(n.accept(text(n.order("SO-1001"), "id")), "bridged_work_order_id")
		n.print(work)
		n.tick(150)
		n.dispatch(work)
		companies[i] = n
	}
	for range 2 {
		for _, n := range companies {
			n.day()
		}
	}
	for i, n := range companies {
		played[i] = n.history()
	}
	for i := 1; i < 3; i++ {
		if here, there := difference(played[0], played[i]); here != there {
			t.Errorf("two agents met two worlds:\n%s\n%s", here, there)
		}
	}
	if played[3] == played[0] {
		t.Error("another seed gave the same world")
	}
}

// TestCrunchIsBusyAndInAHurry compares a week of four worlds.
func TestCrunchIsBusyAndInAHurry(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.CRUNCH", "OPEN.PRESET.STARTER")
	orders := map[string][]object{}
	for name, all := range week(t, `{"preset":%q,"seed":%d,"clock":"manual"}`, []string{"starter", "crunch"}, 5) {
		for _, n := range all {
			for _, order := range n.all("/office/sales-orders") {
				if text(order, "number") > "SO-1003" { // the others are those of the opening
					orders[name] = append(orders[name], order)
				}
			}
		}
	}
	if busy, calm := len(orders["crunch"]), len(orders["starter"]); busy <= calm || calm == 0 {
		t.Errorf("in a week came %d orders, in an ordinary one %d", busy, calm)
	}
	for name, bounds := range map[string][2]int{"crunch": {2, 5}, "starter": {4, 9}} {
		due := map[int]int{}
		for _, order := range orders[name] {
			if order["rush"] == false {
				due[leadDays(t, order["received_on"], order["due_date"])]++
			}
		}
		days := slices.Sorted(maps.Keys(due))
		if days[0] != bounds[0] || days[len(days)-1] != bounds[1] {
			t.Errorf("%s: orders are due within %v working days, want %v", name, due, bounds)
		}
	}
}

// week plays some days of companies of some presets, with the seeds 1 to 4, and
// does nothing in them.
func week(t testing.TB, body string, presets []string, days int) map[string][]*tenant {
	t.Helper()
	companies := map[string][]*tenant{}
	for seed := 1; seed <= 4; seed++ {
		for _, name := range presets {
			companies[name] = append(companies[name], shared.create(t, fmt.Sprintf(body, name, seed)))
		}
	}
	pass(companies, days)
	return companies
}

func pass(companies map[string][]*tenant, days int) {
	for range days {
		for _, all := range companies {
			for _, n := range all {
				n.day()
			}
		}
	}
}

// compared is a sandbox for each of some presets, and for each of some seeds, all of
// the same worlds: every preset is served under one name.
func compared(t testing.TB, names []string, seeds int) map[string][]*tenant {
	t.Helper()
	companies := map[string][]*tenant{}
	for _, name := range names {
		text, err := os.ReadFile("../../internal/company/preset/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var members object
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatal(err)
		}
		members["preset"] = "compared"
		s := serve(t, presets(t, map[string]object{"compared": members}))
		for seed := range seeds {
			companies[name] = append(companies[name],
				s.create(t, fmt.Sprintf(`{"preset":"compared","seed":%d,"clock":"manual"}`, seed+1)))
		}
	}
	return companies
}

// TestSupplyShockIsSlowDearAndWrong compares it with the ordinary company of
// the same world: the same customers pay nearly a fifth more, the same suppliers ask a
// third more, and a supplier that bills wrongly in the one does so in both.
func TestSupplyShockIsSlowDearAndWrong(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.SUPPLY_SHOCK", "OPEN.PRESET.AGENT_EVAL", "OPEN.FIELDS.SUPPLIER", "OPEN.CREATE.WORLD")
	const seeds, each = 4, 6                                   // more waits for the credit of the supplier
	names := []string{"starter", "supply_shock", "agent_eval"} // the more of their bills are wrong
	companies := compared(t, names, seeds)
	ordered := map[*tenant][]object{}
	for _, all := range companies {
		for _, n := range all {
			for range each {
				ordered[n] = append(ordered[n], n.ordered("sup_bargain", "mat_uncoated", 2000))
			}
		}
	}
	n, shocked := companies["starter"][0], companies["supply_shock"][0]
	n.asksLessThan(shocked)
	const slowest = 17
	pass(companies, slowest+1+3+1) // the bill comes a day later, and may wait three for a bookkeeper
	wrong := map[string][]string{}
	for i := range companies["starter"] {
		for _, name := range names {
			n := companies[name][i]
			for nth, order := range ordered[n] {
				if n.billedWrongly(order) {
					wrong[name] = append(wrong[name], fmt.Sprint(i, " ", nth))
				}
			}
		}
	}
	if ordinary, shock, odd := wrong["starter"], wrong["supply_shock"],
		wrong["agent_eval"]; len(ordinary) >= len(shock) || len(shock) >= len(odd) {
		t.Errorf("of %d bills wrong were %v", each*seeds, wrong)
	}
	for i, name := range names[:2] {
		for _, bill := range wrong[name] {
			if !slices.Contains(wrong[names[i+1]], bill) {
				t.Errorf("the bill %s is wrong in %s, and not in %s", bill, name, names[i+1])
			}
		}
	}
	for i := range companies["starter"] {
		companies["starter"][i].sellsForLessThan(companies["supply_shock"][i])
	}
}

// billedWrongly reports whether an order was billed at another price.
func (n *tenant) billedWrongly(order object) bool {
	n.t.Helper()
	bill := n.billFor(order)
	agreed, asked := children(n.t, order, "lines")[0], children(n.t, bill, "lines")[0]
	return number(n.t, asked, "unit_price_minor") != number(n.t, agreed, "unit_price_minor")
}

// asksLessThan compares the suppliers of a company with those of one in which
// prices are 1.3 times and lead times 1.7 times as high.
func (n *tenant) asksLessThan(shocked *tenant) {
	t := n.t
	t.Helper()
	for _, supplier := range n.all("/office/suppliers") {
		if supplier["kind"] != "materials" {
			continue
		}
		other := shocked.row("/office/suppliers/" + text(supplier, "id"))
		for _, bound := range []string{"lead_days_min", "lead_days_max"} {
			if got, want := number(t, other, bound), (number(t, supplier, bound)*17+9)/10; got != want {
				t.Errorf("%v: %s is %d, want %d", supplier["id"], bound, got, want)
			}
		}
		prices := children(t, other, "prices")
		for i, price := range children(t, supplier, "prices") {
			ordinary, dear := float64(number(t, price, "unit_price_minor")),
				float64(number(t, prices[i], "unit_price_minor"))
			if price["sku"] != prices[i]["sku"] || math.Abs(dear-1.3*ordinary) > 1.2 {
				t.Errorf("%v sells %v for %v instead of %v", supplier["id"], price["sku"], dear, ordinary)
			}
		}
	}
}

// sellsForLessThan compares the orders of a company with those of one in which
// customers pay 0.95 and not 0.8 of the price, up to day 3: from then on a trade fair may come to
// one of them at another time.
func (n *tenant) sellsForLessThan(shocked *tenant) {
	t := n.t
	t.Helper()
	early := func(n *tenant) []object {
		return slices.DeleteFunc(n.all("/office/sales-orders"), func(order object) bool {
			return text(order, "created_on") >= "2026-09-10"
		})
	}
	orders, others := early(n), early(shocked)
	if len(orders) != len(others) || len(orders) < 8 {
		t.Fatalf("%d orders came to one company, %d to the other", len(orders), len(others))
	}
	for i, order := range orders {
		agrees(t, "the other order", others[i], object{"number": order["number"], "customer_id": order["customer_id"],
			"sku": order["sku"], "quantity": order["quantity"], "due_date": order["due_date"]})
		ordinary, dear := float64(number(t, order, "unit_price_minor")),
			float64(number(t, others[i], "unit_price_minor"))
		if text(order, "number") <= "SO-1003" {
			ordinary *= 0.8 / 0.95 // those of the opening are the same in every company
		}
		if math.Abs(dear-0.95/0.8*ordinary) > 1.2 {
			t.Errorf("%v pays %v instead of %v", order["number"], dear, ordinary)
		}
	}
}
