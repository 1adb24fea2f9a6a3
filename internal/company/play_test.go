package company_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

var update = flag.Bool("update", false, "rewrite golden files")

// few is how much is tried of things that are alike: few, and all in make check.
func few(few, all uint64) uint64 {
	if os.Getenv("PLATEN_TEST_THOROUGH") != "" {
		return all
	}
	return few
}

// TestMain makes property tests repeatable: the same seed and few long lives, more in
// a thorough run, unless -rapid.seed, -rapid.checks, -rapid.steps or their environment
// say otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	defaults := map[string]string{
		"rapid.seed": "2", "rapid.checks": strconv.FormatUint(few(6, 32), 10), "rapid.steps": "300",
	}
	flag.Visit(func(f *flag.Flag) { delete(defaults, f.Name) })
	for name, value := range defaults {
		if os.Getenv(strings.ToUpper(strings.ReplaceAll(name, ".", "_"))) != "" {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// reporter is the common part of testing.T and rapid.T.
type reporter interface {
	Helper()
	Fatalf(format string, values ...any)
}

// life is a company that is driven the way package sandbox drives one: brought
// up to the present, then one command, then flushed. It keeps what a store
// would keep.
type life struct {
	t       reporter
	label   string
	company *company.Company
	// wall is the wall clock, seen the newest time that it has shown.
	wall, seen moment.Instant
	// commits are in their stored form, the first is version 1. image is built
	// of them alone.
	commits [][]byte
	image   record.Image
	events  []record.Event
	// newest is the newest updated_at of any row.
	newest moment.Instant
}

// origin is all in which two sandboxes with the same life differ.
type origin struct {
	sandbox string
	uid     uint64
	wall    moment.Instant
}

var usual = origin{"sbx_0000000000001", 7, opened}

func presetNamed(t reporter, name string) preset.Preset {
	t.Helper()
	b, err := os.ReadFile("preset/" + name + ".json")
	if err != nil {
		t.Fatalf("%v", err)
	}
	p, err := preset.Parse(b)
	if err != nil {
		t.Fatalf("preset %s: %v", name, err)
	}
	return p
}

func live(t reporter, p preset.Preset, seed uint64, mode sim.Mode, o origin) *life {
	t.Helper()
	l := &life{t: t, label: fmt.Sprintf("preset %s, seed %d, %s clock", p.Name, seed, mode), wall: o.wall, seen: o.wall}
	l.company = company.New(company.Settings{SandboxID: o.sandbox, Preset: p, Bridge: p.Bridge, Seed: seed, UID: o.uid,
		DoubleWork: p.Faults != nil}, mode, o.wall)
	l.flush()
	return l
}

// action is something that time or the client does. It is data, so that twins
// can be made to live the same life: ids depend on the seed alone.
type action struct {
	name string
	// wait is how much wall time passes before; it may be negative.
	wait time.Duration
	// do is nil when only time passes.
	do func(*life) error
}

var errBankrupt = errors.New("the company is bankrupt")

// act lets an action happen and flushes. It returns the refusal, if any.
func (l *life) act(a action) error {
	l.t.Helper()
	l.wall = l.wall.Add(a.wait)
	l.seen = max(l.seen, l.wall)
	l.company.Advance(l.wall, 1<<30)
	if l.company.Changed() {
		l.flush()
	}
	if a.do == nil {
		return nil
	}
	if l.company.Bankrupt() {
		return errBankrupt // which package sandbox says before it asks the company
	}
	if err := a.do(l); err != nil {
		return err
	}
	l.flush()
	return nil
}

// must is act for actions that are not to be refused.
func (l *life) must(a action) {
	l.t.Helper()
	if err := l.act(a); err != nil {
		l.t.Fatalf("%s: %s: %v", l.label, a.name, err)
	}
}

// flush takes what changed and returns its events.
func (l *life) flush() []record.Event {
	l.t.Helper()
	version := uint64(len(l.commits)) + 1
	changes := l.company.Flush(version)
	l.commits = append(l.commits, record.AppendChanges(nil, &changes))
	return l.keep(version)
}

// keep reads a commit back and brings the image forward.
func (l *life) keep(version uint64) []record.Event {
	l.t.Helper()
	changes, rest, err := record.ReadChanges(l.commits[version-1])
	if err != nil || len(rest) > 0 {
		l.t.Fatalf("%s: read back commit %d: %v, %d bytes left", l.label, version, err, len(rest))
	}
	for _, rows := range changes.Rows {
		for _, e := range rows.Entries {
			// A client that asks for the rows updated since the newest time that it
			// knows has to see this one (contract: LIST.UPDATED_SINCE).
			if e.Version == version && e.Updated < l.newest {
				l.t.Fatalf("%s: commit %d writes %s %s with updated_at %s, the newest before it is %s",
					l.label, version, rows.Table, e.ID, e.Updated, l.newest)
			}
		}
	}
	for _, rows := range changes.Rows {
		for _, e := range rows.Entries {
			l.newest = max(l.newest, e.Updated)
		}
	}
	l.image.Apply(&changes)
	l.events = append(l.events, changes.Events...)
	return changes.Events
}

// entries returns the rows of a table as they are stored, oldest first.
func (l *life) entries(table string) []*record.Entry {
	for i := range l.image.Tables {
		if l.image.Tables[i].Table == table {
			return l.image.Tables[i].Entries
		}
	}
	return nil
}

// rowsOf decodes a table as clients read it, oldest first.
func rowsOf[R any](l *life, table string) []R {
	l.t.Helper()
	var rows []R
	for _, e := range l.entries(table) {
		rows = append(rows, decoded[R](l.t, e.Row()))
	}
	return rows
}

// rowOf decodes one row.
func rowOf[R any](l *life, table, id string) R {
	l.t.Helper()
	for _, e := range l.entries(table) {
		if e.ID == id {
			return decoded[R](l.t, e.Row())
		}
	}
	l.t.Fatalf("%s: there is no %s %q", l.label, table, id)
	panic("unreachable")
}

// order returns the sales order with a number.
func (l *life) order(number string) office.SalesOrder {
	l.t.Helper()
	for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
		if o.Number == number {
			return o
		}
	}
	l.t.Fatalf("%s: there is no sales order %s", l.label, number)
	panic("unreachable")
}

func decoded[R any](t reporter, text []byte) R {
	t.Helper()
	var row R
	if err := json.Unmarshal(text, &row); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return row
}

// Actions of the client.

func tick(minutes int) action {
	return action{name: fmt.Sprintf("tick %d", minutes), do: func(l *life) error {
		l.company.Tick(l.wall, minutes)
		return nil
	}}
}

func wait(d time.Duration) action { return action{name: "wait " + d.String(), wait: d} }

func accept(order string) action {
	return action{name: "accept " + order, do: func(l *life) error { return l.company.AcceptSalesOrder(order) }}
}

func decline(order string, reason *string) action {
	return action{
		name: "decline " + order, do: func(l *life) error {
			return l.company.DeclineSalesOrder(order, &office.DeclineSalesOrder{Reason: reason})
		},
	}
}

func work(in factory.CreateWorkOrder) action {
	return action{name: fmt.Sprintf("order %d of %s", in.Quantity, in.SKU), do: func(l *life) error {
		_, err := l.company.CreateWorkOrder(&in)
		return err
	}}
}

// printRun prints, without overs unless it is told how many.
func printRun(in factory.StartPrintRun) action {
	if in.OversPct == nil {
		in.OversPct = new(int64(0))
	}
	return action{name: fmt.Sprintf("print %v on %s, %d %% over", in.Orders(), in.PressID, *in.OversPct),
		do: func(l *life) error {
			_, err := l.company.StartPrintRun(&in)
			return err
		}}
}

func shipGoods(workOrder string) action {
	return action{name: "ship " + workOrder, do: func(l *life) error {
		_, err := l.company.ShipFromFactory(&factory.CreateFactoryShipment{WorkOrderID: workOrder})
		return err
	}}
}

func shipPart(in factory.CreateFactoryShipment) action {
	return action{name: "part of " + in.WorkOrderID, do: func(l *life) error {
		_, err := l.company.ShipFromFactory(&in)
		return err
	}}
}

func bill(order string, quantity *int64, factoryRef *string) action {
	return billPart(order, quantity, false, factoryRef)
}

func billPart(order string, quantity *int64, final bool, factoryRef *string) action {
	return action{name: "bill " + order, do: func(l *life) error {
		_, err := l.company.ShipFromOffice(&office.CreateOfficeShipment{
			SalesOrderID: &order, Quantity: quantity, Final: final, FactoryShipmentRef: factoryRef,
		})
		return err
	}}
}

// trigger brings something about.
func trigger(kind string, in company.PullTrigger) action {
	in.Type = kind
	return action{name: "trigger " + kind, do: func(l *life) error {
		_, err := l.company.Trigger(&in)
		return err
	}}
}
