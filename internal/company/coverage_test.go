package company_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
)

// This file plays a script in which everything happens that the catalogue
// names, each by a cause that a player can meet.

// pairs are the events that one step writes together, in their order.
var pairs = [][2]string{
	{"office.sales_order.accepted", "factory.work_order.created"},
	{"factory.work_order.created", "factory.work_order.ready"},
	{"factory.print_run.started", "factory.stock.below_reorder_point"},
	{"factory.stock.below_reorder_point", "factory.requisition.created"},
	{"factory.requisition.created", "office.requisition.received"},
	{"office.requisition.received", "office.requisition.approved"},
	{"factory.shipment.created", "office.customer_invoice.created"},
	{"factory.shipment.created", "office.contract_lot.delivered"},
	{"office.contract_lot.delivered", "office.customer_invoice.created"},
	{"factory.goods_receipt.recorded", "office.goods_receipt.recorded"},
	{"office.payment.received", "office.customer_invoice.paid"},
	{"office.purchase_order.created", "office.purchase_order.approval_required"},
	{"office.purchase_order.created", "office.purchase_order.approved"},
}

// TestEveryEventHasACauseThatAPlayerCanMeet, and each one the data, the link and
// the place among those of its step that the catalogue promises.
func TestEveryEventHasACauseThatAPlayerCanMeet(t *testing.T) {
	t.Parallel()
	causes, together := map[string]int{}, map[[2]string]bool{}
	for _, l := range []*life{
		playSales(t), playBuying(t), playNeglect(t), playPeople(t), playLots(t), fulfilled(t, "starter", 1),
		poor(t, "starter", sim.Manual, func(p *preset.Preset) { p.OverdraftLimitMinor = 0 }),
	} {
		if l.company.Settings().Preset.CashMinor == 1 {
			l.until(9)
			l.must(tick(480)) // the end
		}
		checkFeed(t, l)
		for _, e := range l.events {
			causes[e.Type]++
			checkForm(t, l, e)
		}
		for i := range l.commits {
			kinds := l.written(i)
			for _, pair := range pairs {
				first, second := slices.Index(kinds, pair[0]), slices.Index(kinds, pair[1])
				if first >= 0 && second >= 0 {
					together[pair] = true
					if second < first {
						t.Errorf("%s: a step writes %v", l.label, kinds)
					}
				}
			}
		}
	}
	for _, d := range event.Catalogue() {
		if causes[string(d.Type)] == 0 && d.Data != nil && d.Type != event.SandboxExpiring { // the desk's
			t.Errorf("nothing that a player has done caused a %s", d.Type)
		}
	}
	for _, pair := range pairs {
		if !together[pair] {
			t.Errorf("no step wrote %v, so their order is not shown", pair)
		}
	}
}

// written are the types of the events of a commit.
func (l *life) written(commit int) []string {
	l.t.Helper()
	changes, _, err := record.ReadChanges(l.commits[commit])
	if err != nil {
		l.t.Fatalf("%v", err)
	}
	var kinds []string
	for _, e := range changes.Events {
		kinds = append(kinds, e.Type)
	}
	return kinds
}

// checkForm compares an event with its line of the catalogue: its link, and the
// members of its data in their order, of which only those that may be left out
// are.
func checkForm(t *testing.T, l *life, e record.Event) {
	t.Helper()
	definition, _ := event.Lookup(event.Type(e.Type))
	b := decoded[body](t, e.Body)
	if want := strings.ReplaceAll(definition.Self, "{id}", b.Data.ID); b.Links.Self != want {
		t.Errorf("%s: %s links to %s, want %s", l.label, e.Type, b.Links.Self, want)
	}
	raw := decoded[struct {
		Data jsontext.Value `json:"data"`
	}](t, e.Body)
	got, next := membersOf(t, raw.Data), 0
	for _, want := range promised(reflect.TypeOf(definition.Data).Elem()) {
		name, options, _ := strings.Cut(want, ",")
		switch {
		case next < len(got) && got[next] == name:
			next++
		case !strings.Contains(options, "omit"):
			t.Fatalf("%s: %s has the data %v, want %s at %d", l.label, e.Type, got, name, next)
		}
	}
	if next != len(got) {
		t.Errorf("%s: %s has the data %v, nothing promises %v", l.label, e.Type, got, got[next:])
	}
}

// promised are the tags of an event's data, in their order.
func promised(data reflect.Type) (tags []string) {
	for field := range data.Fields() {
		if field.Anonymous {
			tags = append(tags, promised(field.Type)...)
			continue
		}
		tags = append(tags, field.Tag.Get("json"))
	}
	return tags
}

// membersOf are the names of an object's members, in their order.
func membersOf(t *testing.T, text jsontext.Value) (names []string) {
	t.Helper()
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if token.Kind() == '{' && d.StackDepth() == 1 {
			continue
		}
		names = append(names, token.String())
		if err := d.SkipValue(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return names
}

// playSales accepts, declines and forgets an order, makes notebooks for the
// shelf, sells some from there, and prints four jobs at once. The world lets itself be heard.
func playSales(t *testing.T) *life {
	t.Helper()
	l := idle(t, "starter", 5, stormy, func(p *preset.Preset) {
		p.Demand.DailyOrder = &preset.DailyOrder{
			CustomerID: "cus_tern", SKU: "prd_notebook", Quantity: 10, UnitPriceMinor: 3800, DueDays: 6,
		}
		p.Customers.LateFactor = 10_000_000
	})
	l.must(action{name: "call", do: func(l *life) error { l.company.Note(mission.ReadAnything); return nil }})
	l.must(accept(l.order("SO-1001").ID))
	l.must(shipGoods(l.print(*l.order("SO-1001").BridgedWorkOrderID)))
	l.must(decline(l.order("SO-1002").ID, nil))
	shelf := l.add(job{"prd_notebook", 30}, nil)
	l.must(printRun(factory.StartPrintRun{PressID: "prs_offset", WorkOrderID: &shelf, OversPct: new(int64(20))}))
	l.until(2)
	for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
		if o.SKU == "prd_notebook" && o.Status == office.OrderReceived {
			l.must(accept(o.ID)) // from the shelf
			l.must(shipGoods(*l.order(o.Number).BridgedWorkOrderID))
			break
		}
	}
	l.gang("prs_digital", 20, job{"prd_card", 5}, job{"prd_card", 5}, job{"prd_card", 5}, job{"prd_card", 5})
	l.until(30)
	return l
}

// playBuying buys below the limit and above it, on the market and from who
// bills in time, runs out of paper, and forgets a bill.
func playBuying(t *testing.T) *life {
	t.Helper()
	l := idle(t, "starter", 1)
	l.buys("sup_quick", catalog.Uncoated, 1000)
	l.buys("sup_mill", catalog.Coated, 12_000) // above the limit
	for _, d := range rowsOf[factory.Delivery](l, "delivery") {
		if d.Status == "arrived" {
			l.must(count(factory.CreateFactoryGoodsReceipt{DeliveryID: d.ID}))
		}
	}
	l.must(require(office.CreateRequisition{Lines: []office.MaterialLine{{SKU: catalog.Ink, Quantity: 500}}}))
	rows := rowsOf[office.Requisition](l, "office_requisition")
	l.must(decide(rows[len(rows)-1].ID, false))
	l.must(buy(catalog.Coated, 500))
	l.must(sell(catalog.Uncoated, 3600)) // below the reorder point
	work := l.add(job{"prd_card", 700}, new("parcel"))
	// and so is board
	l.must(printRun(factory.StartPrintRun{PressID: "prs_offset", WorkOrderID: &work, OversPct: new(int64(5))}))
	l.must(tick(480))
	for _, i := range rowsOf[office.SupplierInvoice](l, "supplier_invoice") {
		if i.Status == office.SupplierInvoiceOpen && i.Kind == office.MaterialsInvoice {
			l.must(pay(i.ID, &i.MatchedMinor))
			break
		}
	}
	l.until(30)
	return l
}

// playNeglect does nothing for a month in an ordinary world.
func playNeglect(t *testing.T) *life {
	t.Helper()
	l := live(t, presetNamed(t, "starter"), 3, sim.Manual, usual)
	l.until(22)
	return l
}

// playPeople has a crew that comes and goes, and pays it.
func playPeople(t *testing.T) *life {
	t.Helper()
	l := quiet(t, "starter", 2, func(p *preset.Preset) {
		p.Staff.SickPct, p.Staff.LeaveEveryDays, p.Staff.QuitPct = 1000, 5, 100
	})
	l.must(hire(event.Operator, nil))
	l.must(dismiss(l.badge("1007").ID, nil))
	l.until(6)
	for _, run := range rowsOf[hr.PayrollRun](l, "payroll_run") {
		l.must(payroll(run.WeekStart))
	}
	l.until(20)
	return l
}

// playLots takes a lot and delivers it, refuses one, and forgets another.
func playLots(t *testing.T) *life {
	t.Helper()
	l := quiet(t, "starter", 4, func(p *preset.Preset) { p.Lots.Sheets, p.Lots.EveryDays = [2]int64{300, 400}, 1 })
	lot := l.offered()
	l.must(acceptLot(lot.ID))
	l.must(shipGoods(l.print(*l.lot(lot.ID).WorkOrderRef)))
	l.until(l.company.Summary().Now.Day() + 1)
	rows := rowsOf[office.ContractLot](l, "contract_lot")
	l.must(declineLot(rows[len(rows)-1].ID))
	l.until(12)
	return l
}
