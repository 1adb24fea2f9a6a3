package company_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

var opened = moment.InstantOf(time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC))

// world drives a company the way package sandbox does: advance, one command,
// flush, keep the changes.
type world struct {
	t       testing.TB
	company *company.Company
	image   record.Image
	events  []record.Event
	version uint64
	wall    moment.Instant
}

func begin(t testing.TB, name string, seed uint64, mode sim.Mode) *world {
	t.Helper()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p := presets[name]
	w := &world{t: t, wall: opened}
	w.company = company.New(company.Settings{
		SandboxID: "sbx_0000000000001", Preset: p, Bridge: p.Bridge, Seed: seed, UID: 7,
	}, mode, opened)
	w.flush()
	return w
}

func (w *world) flush() []record.Event {
	w.t.Helper()
	w.version++
	changes := w.company.Flush(w.version)
	// The kept changes have been through the stored form.
	stored, rest, err := record.ReadChanges(record.AppendChanges(nil, &changes))
	if err != nil || len(rest) > 0 {
		w.t.Fatalf("read back changes: %v, %d bytes left", err, len(rest))
	}
	w.image.Apply(&stored)
	w.events = append(w.events, stored.Events...)
	if err := w.company.Check(); err != nil {
		w.t.Fatalf("after commit %d: %v", w.version, err)
	}
	return stored.Events
}

func (w *world) tick(minutes int) []record.Event {
	w.t.Helper()
	w.company.Tick(w.wall, minutes)
	return w.flush()
}

// rows decodes a table as clients would read it, oldest first.
func (w *world) rows(table string) []map[string]any {
	w.t.Helper()
	var rows []map[string]any
	for _, t := range w.image.Tables {
		if t.Table != table {
			continue
		}
		for _, e := range t.Entries {
			var row map[string]any
			if err := json.Unmarshal(e.Row(), &row); err != nil {
				w.t.Fatal(err)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (w *world) row(table, id string) map[string]any {
	w.t.Helper()
	for _, row := range w.rows(table) {
		if row["id"] == id {
			return row
		}
	}
	w.t.Fatalf("no %s %s", table, id)
	return nil
}

func TestAnAcceptedOrderBecomesCash(t *testing.T) {
	t.Parallel()
	w := begin(t, "starter", 1, sim.Manual)
	var orderID string
	for _, row := range w.rows("sales_order") {
		if row["number"] == "SO-1001" {
			orderID = row["id"].(string)
		}
	}
	before := w.company.Summary()
	if err := w.company.AcceptSalesOrder(orderID); err != nil {
		t.Fatal(err)
	}
	w.flush()
	order := w.row("sales_order", orderID)
	if order["status"] != "in_production" {
		t.Fatalf("accepted order is %v", order["status"])
	}
	work := order["bridged_work_order_id"].(string)
	if _, err := w.company.StartPrintRun(
		&factory.StartPrintRun{PressID: "prs_digital", WorkOrderID: &work, OversPct: new(int64(5))}); err != nil {
		t.Fatal(err)
	}
	w.flush()
	w.tick(120)
	if got := w.row("work_order", work)["status"]; got != "ready" {
		t.Fatalf("after printing and finishing the work order is %v", got)
	}
	if _, err := w.company.ShipFromFactory(&factory.CreateFactoryShipment{WorkOrderID: work}); err != nil {
		t.Fatal(err)
	}
	w.flush()
	for range 5 {
		w.tick(480)
	}
	order = w.row("sales_order", orderID)
	if order["status"] != "paid" {
		t.Fatalf("five days later the order is %v", order["status"])
	}
	paid := 0.0
	for _, entry := range w.rows("ledger_entry") {
		paid += entry["amount_minor"].(float64)
	}
	if after := w.company.Summary(); float64(after.CashMinor) != paid || after.CashMinor <= before.CashMinor {
		t.Fatalf("cash went from %d to %d, the ledger says %v", before.CashMinor, after.CashMinor, paid)
	}
}

func TestOpeningNetWorthIsThatOfTheBooks(t *testing.T) {
	t.Parallel()
	s := begin(t, "starter", 1, sim.Manual).company.Summary()
	// 85,000.00 in cash, 8,300.00 receivable, 9,400.00 of stock, less 3,840.00
	// that the mill's bill is right about.
	if want := int64(9_886_000); int64(s.NetWorthMinor) != want {
		t.Errorf("net worth is %d, want %d", s.NetWorthMinor, want)
	}
}
