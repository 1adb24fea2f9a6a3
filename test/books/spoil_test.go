package books

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"platen/test/testclient"
)

// spoil is an error that somebody might make in the books, with the kind of check that must notice it. It returns false
// where the books have nothing to spoil.
type spoil struct {
	name, kind string
	spoil      func(b *books) bool
}

var spoils = []spoil{
	{"a cent more in a ledger row", "cash: the balance runs", func(b *books) bool {
		return add(1, "amount_minor", b.list[ledger][1:])
	}},
	{"a cent more in the cash", "cash: the feed alone gives it", func(b *books) bool {
		return add(1, "cash_minor", []row{b.status})
	}},
	{"a ledger row that is lost", "cash: an event of money is in the ledger", func(b *books) bool {
		b.list[ledger] = b.list[ledger][:len(b.list[ledger])-1]
		return true
	}},
	{"two ledger rows of an event", "cash: one entry an event", func(b *books) bool {
		b.list[ledger] = append(b.list[ledger], b.list[ledger][1])
		return true
	}},
	{"a move that is lost", "stock: it is the opening and the moves", func(b *books) bool {
		b.list[moves] = b.list[moves][:len(b.list[moves])-1]
		return true
	}},
	{"a move that no event tells", "stock: an event tells its moves", func(b *books) bool {
		return add(-1, "quantity", where(b.list[moves], "kind", "receipt"))
	}},
	{"a reservation of a dead order", "stock: reserved is what open work holds", func(b *books) bool {
		return add(5, "reserved", where(b.list[stock], "kind", "finished"))
	}},
	{"an item that is low and not said to be", "stock: low is below the reorder point", func(b *books) bool {
		return set("reorder_point", json.Number("900000000"), where(b.list[stock], "status", "ok"))
	}},
	{"a requisition that is missing", "requisition: a low item has one open, no other has", func(b *books) bool {
		return set("status", "closed", where(b.list[requisitions], "status", "open"))
	}},
	{"a copy of a requisition that asks for less", "requisition: the copy is equal", func(b *books) bool {
		return add(-1, "quantity", lines(where(b.list[requests], "source", "bridge")[0], "lines"))
	}},
	{"a wrong status", "feed: a status is what the events made it", func(b *books) bool {
		return set("status", "in_production", where(b.list[orders], "status", "paid"))
	}},
	{"a rider that comes from elsewhere", "feed: a rider's from is the status before", func(b *books) bool {
		for _, e := range b.events {
			for _, change := range lines(object(e, "data"), "changes") {
				change["from"] = "elsewhere"
				return true
			}
		}
		return false
	}},
	{"an event that is lost", "feed: seq has no gap", func(b *books) bool {
		b.events = slices.Delete(b.events, 5, 6)
		return true
	}},
	{"a payment that is doubled", "payment: one for an invoice", func(b *books) bool {
		return doubled(b, "prompt")
	}},
	{"a half that is paid twice", "payment: two halves", func(b *books) bool {
		twice := doubled(b, "instalments")
		return doubled(b, "instalments") && twice
	}},
	{"a payment that the invoice does not know", "invoice: what is paid is the payments", func(b *books) bool {
		return add(1, "amount_minor", where(b.list[payments], "kind", "customer"))
	}},
	{"a promise that nobody kept", "promise: one that the goods did not keep is expired", func(b *books) bool {
		return set("cancel_after", "2026-09-01", where(b.list[orders], "status", "shipped"))
	}},
	{"work for an expired order", "work: order_expired is for work of an expired order", func(b *books) bool {
		return set("order_expired", true, where(b.list[work], "waits_for", "press"))
	}},
	{"a sheet too much in a run", "run: sheets", func(b *books) bool {
		return add(1, "sheets_planned", b.list[runs])
	}},
	{"a unit that nobody printed", "run: good and short are what was planned", func(b *books) bool {
		return add(1, "quantity_good", lines(b.list[runs][0], "items"))
	}},
	{"a press in two runs", "run: no press and no operator twice at once", func(b *books) bool {
		b.list[runs] = append(b.list[runs], b.list[runs][0])
		return true
	}},
	{"an operator who was ill", "run: its operator is at work", func(b *books) bool {
		for _, day := range where(b.list[attendance], "badge_no", text(b.list[runs][0], "operator_badge_no")) {
			day["absence"] = "sick"
		}
		return true
	}},
	{"a receipt that the purchase order does not know", "purchase: received is the receipts", func(b *books) bool {
		return add(1, "quantity_accepted", lines(b.list[receipts][0], "lines"))
	}},
	{"a bill that was paid too dear", "bill: paid is billed, fee, discount and credit", func(b *books) bool {
		return add(1, "paid_minor", where(b.list[supplierBills], "status", "paid"))
	}},
	{"an hour that was not at the gate", "payroll: the bridge's hours are the gate's", func(b *books) bool {
		return add(1, "hours_worked", lines(where(b.list[timesheets], "source", "bridge")[0], "entries"))
	}},
	{"a wage that no hours explain", "payroll: gross is hours times wages", func(b *books) bool {
		return add(1, "gross_minor", b.list[payrolls])
	}},
	{"a day that is lost at the gate", "attendance: one row a day of employment", func(b *books) bool {
		b.list[attendance] = b.list[attendance][1:]
		return true
	}},
	{"a count that is wrong", "count: work_orders_open", func(b *books) bool {
		return add(1, "work_orders_open", []row{object(b.status, "counts")})
	}},
	{"a score that is wrong", "score: orders_shipped", func(b *books) bool {
		return add(1, "orders_shipped", []row{object(b.status, "score")})
	}},
	{"a cent of worth from nowhere", "worth: net_worth_minor", func(b *books) bool {
		return add(1, "net_worth_minor", []row{b.status})
	}},
}

func where(rows []row, name, value string) (some []row) {
	for _, r := range rows {
		if text(r, name) == value {
			some = append(some, r)
		}
	}
	return some
}

// add changes a number of the first row.
func add(n int64, name string, rows []row) bool {
	return len(rows) > 0 && set(name, json.Number(strconv.FormatInt(number(rows[0], name)+n, 10)), rows)
}

// set changes a field of the first row.
func set(name string, value any, rows []row) bool {
	if len(rows) == 0 {
		return false
	}
	rows[0][name] = value
	return true
}

// doubled pays an invoice of a customer with a habit once more.
func doubled(b *books, habit string) bool {
	of := index(b.list[customers], "id")
	for _, i := range b.list[invoices] {
		for _, p := range where(b.list[payments], "customer_invoice_id", text(i, "id")) {
			if text(of[text(i, "customer_id")], "payment_habit") == habit {
				b.list[payments] = append(b.list[payments], p)
				return true
			}
		}
	}
	return false
}

// copied is a deep copy of the books.
func (b *books) copied(t *testing.T) *books {
	again := &books{list: map[string][]row{}, events: copyOf(t, b.events), disputing: b.disputing}
	for path, rows := range b.list {
		again.list[path] = copyOf(t, rows)
	}
	single := copyOf(t, []row{b.status, b.cash, b.report})
	again.status, again.cash, again.report = single[0], single[1], single[2]
	return again
}

func copyOf(t *testing.T, rows []row) []row {
	t.Helper()
	encoded, err := json.Marshal(row{"rows": rows})
	if err != nil {
		t.Fatal(err)
	}
	again, err := testclient.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return lines(again.(row), "rows")
}

func TestEverySpoiledBookIsNoticed(t *testing.T) {
	t.Parallel()
	clean := []*books{withBridge().last, withoutBridge().last, inParts().last, inTrucks().last}
	before := make([]map[string]int, len(clean))
	for n, b := range clean {
		before[n] = audit(b).failed
	}
	for _, s := range slices.Concat(spoils, partSpoils) {
		spoilt, noticed := false, false
		var last map[string]int
		for n, b := range clean {
			if b = b.copied(t); !s.spoil(b) {
				continue
			}
			spoilt, last = true, audit(b).failed
			if noticed = last[s.kind] > before[n][s.kind]; noticed {
				break
			}
		}
		if !spoilt {
			t.Errorf("%s: the books have nothing to spoil", s.name)
		} else if !noticed {
			t.Errorf("%s: %q has not noticed it; %v have", s.name, s.kind, last)
		}
	}
}
