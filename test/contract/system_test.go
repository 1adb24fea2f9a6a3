package contract

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestThirteenRoutesInsistOnAnIdempotencyKey: the marked ones of the contract,
// before they look at anything else, and no other route.
func TestThirteenRoutesInsistOnAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	rows(t, "IDEM.REQUIRED", "ERR.IDEMPOTENCY_REQUIRED")
	all, err := contractRows()
	if err != nil {
		t.Fatal(err)
	}
	marked := regexp.MustCompile("\\*\\*key\\*\\* `POST ([^`]+)`")
	var want, got []string
	for _, line := range all {
		if match := marked.FindStringSubmatch(line); match != nil {
			want = append(want, match[1])
		}
	}
	n := shared.create(t, `{"clock":"manual"}`)
	at := n.greet().newest()
	for i := range n.judge.operations {
		o := &n.judge.operations[i]
		if o.method != http.MethodPost || o.path == "/sandboxes" {
			continue
		}
		a := n.call(o.method, o.concrete(), "{") // neither the id nor the body is good
		required := slices.ContainsFunc(o.parameters, func(p parameter) bool {
			return p.Name == "Idempotency-Key" && p.Required
		})
		if required != (a.Code() == "idempotency_required") || required && a.Status != http.StatusBadRequest {
			t.Errorf("%s: answered %d %s, its document wants a key: %t", a.asked, a.Status, a.Code(), required)
		}
		if required {
			got = append(got, o.path)
			n.call(o.method, o.concrete(), "{", "Idempotency-Key", freshKey()).
				want(http.StatusBadRequest, "invalid_json")
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) != 13 || !slices.Equal(got, want) {
		t.Errorf("a key is wanted by\n%v, the contract marks\n%v", got, want)
	}
	if n.newest() != at {
		t.Errorf("refusals wrote %v", types(n.feed(at)))
	}
}

// TestPathsSayWhichSystemTheyBelongTo: all that Head Office is said to have is
// below /office/, where the key of the Factory opens nothing.
func TestPathsSayWhichSystemTheyBelongTo(t *testing.T) {
	t.Parallel()
	rows(t, "SVC.OFFICE")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, path := range []string{
		"/office/cash", "/office/sales-orders", "/office/customer-invoices", "/office/supplier-invoices",
		"/office/suppliers", "/office/requisitions", "/office/purchase-orders", "/office/market",
		"/office/market/trades", "/office/timesheets", "/office/payroll-runs",
	} {
		n.send(t, request{method: "GET", path: path, key: n.office}).want(http.StatusOK, "")
		n.send(t, request{method: "GET", path: path, key: n.factory}).want(http.StatusForbidden, "wrong_system")
	}
	for _, path := range []string{"/factory/cash", "/factory/market", "/market", "/cash", "/office"} {
		n.get(path).want(http.StatusNotFound, "route_not_found")
	}
}

// listOf is where the records with a prefix are listed.
var listOf = map[string]string{
	"so": "/office/sales-orders", "sho": "/office/shipments",
	"cin": "/office/customer-invoices", "pay": "/office/payments", "rqn": "/office/requisitions",
	"po": "/office/purchase-orders", "gro": "/office/goods-receipts",
	"sin": "/office/supplier-invoices", "emp": "/office/employees", "lvr": "/office/leave-requests",
	"tms": "/office/timesheets", "prl": "/office/payroll-runs", "mtr": "/office/market/trades",
	"lot": "/office/contract-lots", "led": "/office/ledger", "wo": "/factory/work-orders", "itm": "/factory/stock",
	"mov": "/factory/stock-moves", "shf": "/factory/shipments", "frq": "/factory/requisitions",
	"dlv": "/factory/deliveries", "grf": "/factory/goods-receipts", "mdl": "/factory/market-deliveries",
	"att": "/factory/attendance", "opr": "/factory/operators",
}

// TestEveryPrefixNamesItsRecords reads the prefixes from the contract, and the
// ids from a company that has a record of each kind.
func TestEveryPrefixNamesItsRecords(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ID.OFFICE", "OPEN.ID.FACTORY")
	all, err := contractRows()
	if err != nil {
		t.Fatal(err)
	}
	promised := map[string]bool{}
	for id, system := range map[string]string{"OPEN.ID.OFFICE": "/office/", "OPEN.ID.FACTORY": "/factory/"} {
		for _, match := range regexp.MustCompile("`([a-z]+)_`").FindAllStringSubmatch(all[id], -1) {
			promised[match[1]] = true
			if !strings.HasPrefix(listOf[match[1]], system) {
				t.Errorf("%s has the prefix %s_, listed at %q", id, match[1], listOf[match[1]])
			}
		}
	}
	if len(promised) != len(listOf) {
		t.Errorf("the contract has %d prefixes, known are %d", len(promised), len(listOf))
	}
	n := staffed(t).create(t, `{"preset":"restless","seed":8}`)
	work := text(n.accept(text(n.order("SO-1001"), "id")), "bridged_work_order_id")
	n.print(work)
	n.trade("buy", "mat_coated", 1).want(http.StatusCreated, "")
	n.trade("sell", "mat_uncoated", 2501).want(http.StatusCreated, "")
	n.day()
	n.dispatch(work)
	n.untilDay(9)
	seen := map[string]string{}
	for _, prefix := range slices.Sorted(maps.Keys(listOf)) {
		list := n.all(listOf[prefix])
		if len(list) == 0 {
			t.Errorf("%s is empty", listOf[prefix])
		}
		shape := regexp.MustCompile("^" + prefix + "_[0-9a-z]+$")
		for _, row := range list {
			id := text(row, "id")
			if !shape.MatchString(id) {
				t.Errorf("%s: the id %q does not begin with %s_", listOf[prefix], id, prefix)
			}
			if other := seen[id]; other != "" {
				t.Errorf("%s is in %s and in %s", id, other, listOf[prefix])
			}
			seen[id] = listOf[prefix]
		}
	}
}

// TestSharedPrefixesNameTheirRecords: those of records that both keys read.
// Missions and achievements have words.
func TestSharedPrefixesNameTheirRecords(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ID.SHARED")
	settings := presets(t, map[string]object{"eventful": world(1, 1, 25)})
	settings["private-webhooks"] = "true"
	n := serve(t, settings).create(t, `{"preset":"eventful","clock":"manual"}`)
	s := n.serving(receive(t).URL, `"*"`)
	n.day()
	for path, shape := range map[string]string{
		"/sandbox/major-orders": `^mjo_[0-9a-hjkmnp-tv-z]{13}$`, "/sandbox/lore-events": `^lor_[0-9a-hjkmnp-tv-z]{13}$`,
		"/webhooks/" + text(s, "id") + "/deliveries": `^whd_[0-9a-hjkmnp-tv-z]{13}$`, "/missions": `^[a-z]+(_[a-z]+)*$`,
		"/sandbox/achievements": `^[a-z]+(_[a-z]+)*$`,
	} {
		all := n.all(path)
		if len(all) == 0 && path != "/sandbox/achievements" {
			t.Errorf("%s is empty", path)
		}
		for _, row := range all {
			if id := text(row, "id"); !regexp.MustCompile(shape).MatchString(id) {
				t.Errorf("%s: the id %q has not the shape of %s", path, id, shape)
			}
		}
	}
}
