package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"platen/client"
	"platen/test/testclient"
)

// life is all that two companies are compared by.
type life struct {
	events []string
	tables map[string][]object
	cash   json.Number
}

// lists are the tables that are compared.
var lists = []string{
	"/office/sales-orders",
	"/office/contract-lots", "/office/shipments", "/office/customer-invoices", "/office/payments", "/office/ledger",
	"/office/requisitions", "/office/purchase-orders", "/office/goods-receipts", "/office/supplier-invoices",
	"/office/suppliers", "/office/employees", "/office/timesheets", "/office/payroll-runs", "/factory/work-orders",
	"/factory/print-runs", "/factory/shipments", "/factory/stock", "/factory/stock-moves", "/factory/presses",
	"/factory/requisitions", "/factory/deliveries", "/factory/goods-receipts", "/factory/attendance",
	"/sandbox/lore-events", "/sandbox/major-orders",
}

// told reads the life of a company. Fields that have to differ between two of
// them are left out: random ones, wall times, and the origin of a record.
func (w *world) told() life {
	l := life{tables: map[string][]object{}}
	// The world waits for no hand-off, which the auto bridge makes in the same moment and an
	// integration after it: the two have an order each.
	var world []string
	for _, e := range w.all("/events") {
		if e["system"] == "sandbox" {
			continue // missions are about the client
		}
		data := plain(e["data"]).(object)
		text, err := json.Marshal(data)
		if err != nil {
			w.t.Fatal(err)
		}
		told := fmt.Sprintf("%v %v %s", e["sim_date"], e["type"], text)
		if e["system"] == "world" {
			world = append(world, told)
		} else {
			l.events = append(l.events, told)
		}
	}
	l.events = append(l.events, world...)
	for _, path := range lists {
		for _, row := range w.all(path) {
			l.tables[path] = append(l.tables[path], plain(row).(object))
		}
	}
	l.forgetTheDead()
	l.cash = w.fetch("/office/cash")["cash_minor"].(json.Number)
	return l
}

// forgetTheDead leaves out how a work order is told that its order has expired: the auto bridge tells it, and an
// integration has no request for that.
func (l life) forgetTheDead() {
	expired := map[any]bool{}
	for _, path := range []string{"/office/sales-orders", "/office/contract-lots"} {
		for _, o := range l.tables[path] {
			expired[o["id"]] = o["status"] == "expired"
		}
	}
	for _, w := range l.tables["/factory/work-orders"] {
		if expired[w["reference"]] {
			delete(w, "order_expired")
			delete(w, "waits_for")
		}
	}
}

// plain takes out of a value what has to differ.
func plain(value any) any {
	switch value := value.(type) {
	case object:
		kept := object{}
		for name, member := range value {
			switch name {
			case "created_at", "updated_at", "event_id", // of the wall, or random
				"source", "bridge", "bridged_work_order_id", "bridged_office_shipment_id", "work_order_ref":
				// the origin of a record
				continue
			}
			kept[name] = plain(member)
		}
		return kept
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = plain(value[i])
		}
		return list
	case string:
		if value == string(client.OfficeSalesOrderStatusInProduction) {
			return string(client.OfficeSalesOrderStatusAccepted) // the auto bridge has ordered the work at once
		}
	}
	return value
}

// same compares two lives and says where they part.
func same(t testing.TB, got, want life) {
	t.Helper()
	for _, difference := range differences(got, want) {
		t.Error(difference)
	}
}

// sameBusiness compares two lives in which records were carried at other
// moments of the same day: all is the same but the order of events.
func sameBusiness(t testing.TB, got, want life) {
	t.Helper()
	got.events, want.events = slices.Sorted(slices.Values(got.events)), slices.Sorted(slices.Values(want.events))
	same(t, got, want)
}

// differences lists in what a life is not another: the first event in which
// they part, and the rows of each table.
func differences(got, want life) []string {
	var list []string
	for i := range max(len(got.events), len(want.events)) {
		if g, w := got.event(i), want.event(i); g != w {
			list = append(list, fmt.Sprintf("the lives part at event %d of %d and %d:\n got %s\nwant %s\nafter %s",
				i+1, len(got.events), len(want.events), g, w, strings.Join(want.events[max(0, i-3):i], "\n      ")))
			break
		}
	}
	for _, path := range lists {
		if diff := cmp.Diff(want.tables[path], got.tables[path]); diff != "" {
			list = append(list, fmt.Sprintf("%s (-want +got):\n%s", path, shortened(diff)))
		}
	}
	if got.cash != want.cash {
		list = append(list, fmt.Sprintf("cash is %s, want %s", got.cash, want.cash))
	}
	return list
}

func (l life) event(i int) string {
	if i < len(l.events) {
		return l.events[i]
	}
	return "nothing"
}

// shortened keeps the failure of a whole life readable.
func shortened(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}

// has reports whether something of a kind has happened, so that a comparison
// is known to be about it.
func (l life) has(kinds ...string) (missing []string) {
	for _, kind := range kinds {
		if !slices.ContainsFunc(l.events, func(e string) bool { return strings.Contains(e, " "+kind+" ") }) {
			missing = append(missing, kind)
		}
	}
	return missing
}

// handOffs are the events that the bridge, or the integration, causes.
var handOffs = []string{
	"factory.work_order.created", "office.customer_invoice.created", "office.requisition.received",
	"office.goods_receipt.recorded", "hr.payroll.due",
}

// TestAManualCompanyWithTheIntegrationLivesTheLifeOfItsTwin plays twins: the
// auto bridge in one, a reference integration in the other.
func TestAManualCompanyWithTheIntegrationLivesTheLifeOfItsTwin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program program
		seed    int64
		days    int
		// also has to have happened, beside the hand-offs.
		also []string
		// more is set for lives that show what another one shows: they are for a thorough run.
		more bool
	}{
		{inGo, seedOfMuch, 5, nil, false},
		{inGo, 9, 16, []string{"office.contract_lot.delivered"}, true},
		{inGo, 3, 16, []string{"office.contract_lot.accepted"}, true},
		{inGo, 20260907, 16, []string{"office.contract_lot.accepted"}, true},
		// TestAnIntegrationKilledAllTheTimeGetsThroughTheWeek has these two live as long.
		{inPython, 4, 5, nil, true},
		{inJavaScript, 5, 5, nil, true},
	} {
		if c.more && !testclient.Thorough() {
			continue
		}
		t.Run(fmt.Sprintf("%s, seed %d, %d days", c.program.name, c.seed, c.days), func(t *testing.T) {
			t.Parallel()
			auto, manual := found(t, "starter", client.BridgeAuto, c.seed),
				found(t, "starter", client.BridgeManual, c.seed)
			integration := c.program.install(t, manual)
			t.Run("twins", func(t *testing.T) {
				t.Run("auto", func(t *testing.T) {
					t.Parallel()
					newPlayer(auto.within(t), func() {}).play(c.days)
				})
				t.Run("manual", func(t *testing.T) {
					t.Parallel()
					newPlayer(manual.within(t), integration.carry).play(c.days)
				})
			})
			want := auto.told()
			same(t, manual.told(), want)
			if missing := want.has(append(slices.Clone(handOffs), c.also...)...); len(missing) > 0 {
				t.Errorf("in %d days there was no %v: nothing is known about that", c.days, missing)
			}
			manual.isPerfect(20, client.IntegrationKindOrder, client.IntegrationKindParcel, client.IntegrationKindWeek,
				client.IntegrationKindPayment)
			// Without its file the program goes through all of it again.
			if err := os.Remove(integration.state); err != nil {
				t.Fatal(err)
			}
			if r := integration.once(); r.status != 0 || strings.Contains(r.stdout, "carried:") ||
				!strings.Contains(r.stdout, "done before:") {
				t.Errorf("after it had forgotten everything: %v", r)
			}
			same(t, manual.told(), want)
		})
	}
}

// TestTheComparisonFindsWhatWasNotCarried plays twins without an integration:
// if they lived the same life, the comparison would be worth nothing.
func TestTheComparisonFindsWhatWasNotCarried(t *testing.T) {
	t.Parallel()
	lives := map[client.Bridge]life{}
	for _, bridge := range []client.Bridge{client.BridgeAuto, client.BridgeManual} {
		w := found(t, "starter", bridge, 1)
		if _, err := w.api.AcceptSalesOrder(t.Context(), w.order("SO-1001")); err != nil {
			t.Fatal(err)
		}
		lives[bridge] = w.told()
	}
	found := strings.Join(differences(lives[client.BridgeManual], lives[client.BridgeAuto]), "\n")
	for _, part := range []string{"factory.work_order.created", "/factory/work-orders"} {
		if !strings.Contains(found, part) {
			t.Errorf("nobody ordered the work, and the comparison does not speak of %s:\n%s", part, found)
		}
	}
}

// TestManyAtOnceDoNothingTwice starts all programs together, each more than
// once and with a state of its own.
func TestManyAtOnceDoNothingTwice(t *testing.T) {
	t.Parallel()
	auto, manual := found(t, "starter", client.BridgeAuto, 1), found(t, "starter", client.BridgeManual, 1)
	for _, w := range []*world{auto, manual} {
		for _, number := range []string{"SO-1001", "SO-1002", "SO-1003"} {
			w.accept(number)
		}
	}
	var started []*process
	for range 2 {
		for _, p := range programs {
			if _, err := exec.LookPath(p.needs); p.needs == "" || err == nil {
				started = append(started, p.install(t, manual).start("--once"))
			}
		}
	}
	carried := 0
	for _, p := range started {
		r := p.wait()
		carried += strings.Count(r.stdout, "carried:")
		if r.status != 0 {
			t.Errorf("one of many: %v", r)
		}
	}
	if carried != 3 {
		t.Errorf("3 orders were carried %d times", carried)
	}
	got, want := manual.told(), auto.told()
	for _, l := range []*life{&got, &want} { // the order of arrival decided the numbers
		for _, row := range l.tables["/factory/work-orders"] {
			delete(row, "id")
			delete(row, "number")
		}
		slices.SortFunc(l.tables["/factory/work-orders"], func(a, b object) int {
			return strings.Compare(text(a, "reference"), text(b, "reference"))
		})
		l.events = nil
	}
	same(t, got, want)
}
