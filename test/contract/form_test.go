package contract

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestListsTakeTheirFilters(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIST.FILTERS", "OPEN.ROUTE.OFFICE.SALES_ORDERS", "OPEN.ROUTE.OFFICE.SHIPMENTS",
		"OPEN.ROUTE.OFFICE.CUSTOMER_INVOICES", "OPEN.ROUTE.OFFICE.LEDGER", "OPEN.ROUTE.OFFICE.REQUISITIONS",
		"OPEN.ROUTE.OFFICE.PURCHASE_ORDERS", "OPEN.ROUTE.OFFICE.GOODS_RECEIPTS", "OPEN.ROUTE.OFFICE.SUPPLIER_INVOICES",
		"OPEN.ROUTE.FACTORY.REQUISITIONS", "OPEN.ROUTE.FACTORY.DELIVERIES", "OPEN.ROUTE.FACTORY.WORK_ORDERS",
		"OPEN.ROUTE.FACTORY.PRINT_RUNS", "OPEN.ROUTE.FACTORY.STOCK", "OPEN.ROUTE.FACTORY.STOCK_MOVES",
		"OPEN.ROUTE.FACTORY.SHIPMENTS", "OPEN.ROUTE.OFFICE.MARKET", "OPEN.ROUTE.OFFICE.MARKET.TRADES")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	n.work("prd_notebook", 1, "")
	n.work("prd_notebook", 1, "somebody")
	n.snapshot()
	for path, filters := range map[string][]string{
		"/office/sales-orders": {"status", "sku", "customer_id"}, "/office/shipments": {"sales_order_id"},
		"/office/customer-invoices": {"status"}, "/office/ledger": {"kind"},
		"/factory/work-orders": {"status", "reference"}, "/factory/print-runs": {"status", "press_id"},
		"/factory/stock": {"kind", "sku"}, "/factory/stock-moves": {"kind", "sku"},
		"/factory/shipments": {"reference"}, "/missions": {"status"}, "/office/requisitions": {"status"},
		"/office/purchase-orders": {"status", "supplier_id"}, "/office/goods-receipts": {"purchase_order_id"},
		"/office/supplier-invoices": {"status", "match_status", "kind"}, "/factory/requisitions": {"status"},
		"/factory/deliveries": {"status"},
		"/office/market":      {"sku"}, "/office/market/trades": {"sku"},
	} {
		all := n.all(path)
		for _, first := range filters {
			for _, second := range filters {
				n.filtered(path, all, first, second)
			}
			n.get(path+"?"+first+"=").want(http.StatusBadRequest, "invalid_parameter")
			n.get(path+"?"+first+"=a&"+first+"=b").want(http.StatusBadRequest, "invalid_parameter")
			// A value that no row has finds nothing, or is refused by its name.
			a := n.get(path + "?" + first + "=nowhere")
			if refused := a.Status == http.StatusBadRequest; refused && a.details()["parameter"] != first ||
				!refused && len(a.Items()) > 0 {
				t.Errorf("%s?%s=nowhere: %d %s", path, first, a.Status, a.Raw)
			}
		}
	}
}

// filtered asks for every pair of values of two filters.
func (n *tenant) filtered(path string, all []object, first, second string) {
	n.t.Helper()
	values := map[[2]string][]string{}
	for _, a := range all {
		for _, b := range all {
			if pair := [2]string{text(a, first), text(b, second)}; pair[0] != "" && pair[1] != "" {
				values[pair] = nil
			}
		}
	}
	for _, row := range all {
		for pair := range values {
			if text(row, first) == pair[0] && text(row, second) == pair[1] {
				values[pair] = append(values[pair], text(row, "id"))
			}
		}
	}
	for pair, want := range values {
		query := "?" + first + "=" + pair[0]
		if second != first {
			query += "&" + second + "=" + pair[1]
		} else if pair[0] != pair[1] {
			continue
		}
		var got []string
		for _, row := range n.all(path + query) {
			got = append(got, text(row, "id"))
		}
		if !slices.Equal(got, want) {
			n.t.Errorf("%s%s: got %v, want %v", path, query, got, want)
		}
	}
}

func TestTheFeedTakesItsFilters(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FEED.FILTERS")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	n.snapshot()
	all := n.feed(0)
	seqs := func(list []object, keep func(e object) bool) []int64 {
		var got []int64
		for _, e := range list {
			if keep(e) {
				got = append(got, number(t, e, "seq"))
			}
		}
		return got
	}
	everything := func(object) bool { return true }
	for _, system := range []string{"office", "factory", "hr", "world", "sandbox"} {
		want := seqs(all, func(e object) bool { return e["system"] == system })
		for _, limit := range []int{1, 3, 100} {
			var got []object
			next := fmt.Sprintf("/events?system=%s&limit=%d", system, limit)
			for next != "" {
				page := n.get(next).want(200, "")
				got = append(got, page.Items()...)
				next = n.linked(page)
			}
			if !slices.Equal(seqs(got, everything), want) {
				t.Errorf("system=%s limit=%d: got %v, want %v", system, limit, seqs(got, everything), want)
			}
		}
	}
	for _, list := range [][]string{
		{"office.payment.received"}, {"factory.print_run.started", "factory.print_run.completed"}, {"hr.employee.sick"},
		{"office.payment.received", "hr.employee.sick"},
	} {
		got := n.all("/events?types=" + strings.Join(list, ","))
		want := seqs(all, func(e object) bool { return slices.Contains(list, text(e, "type")) })
		if !slices.Equal(seqs(got, everything), want) {
			t.Errorf("types=%v: got %v, want %v", list, seqs(got, everything), want)
		}
	}
	both := n.all("/events?types=factory.print_run.started,office.payment.received&system=office&after_seq=3")
	if want := seqs(all, func(e object) bool { return text(e, "type") == "office.payment.received" }); !slices.Equal(
		seqs(both, everything), want) {
		t.Errorf("types and system together: %v, want %v", types(both), want)
	}
}

func TestTagsFollowWhatIsRead(t *testing.T) {
	t.Parallel()
	rows(t, "LIST.ETAG", "LIST.NOT_MODIFIED", "ERR.NOT_MODIFIED", "OPEN.LIST.ETAG_COVERS", "OPEN.LIST.ITEM",
		"OPEN.ENV.NO_BODY")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	n.subscribe("https://hooks.example.com/a", `"*"`)
	n.subscribe("https://hooks.example.com/b", `"*"`)
	n.snapshot()
	seen := map[string]string{}
	tagged := func(t *testing.T, path string, headers ...string) string {
		t.Helper()
		a := n.within(t).get(path, headers...).want(200, "")
		tag := a.Header.Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) {
			t.Fatalf("%s: ETag is %q", path, tag)
		}
		if other := seen[tag]; other != "" {
			t.Errorf("%s has the tag of %s", path, other)
		}
		seen[tag] = strings.Join(append([]string{path}, headers...), " ")
		for _, sent := range []string{tag, "*", `"other", ` + tag, strings.TrimPrefix(tag, "W/")} {
			same := n.within(t).get(path, append(headers, "If-None-Match", sent)...).want(http.StatusNotModified, "")
			if same.Header.Get("ETag") != tag {
				t.Errorf("%s: 304 has the tag %q, 200 %q", path, same.Header.Get("ETag"), tag)
			}
		}
		n.within(t).get(path, append(headers, "If-None-Match", `W/"other"`)...).want(200, "")
		return tag
	}
	for _, path := range n.judge.records() {
		t.Run(path, func(t *testing.T) {
			tagged(t, path)
			tagged(t, path+"?limit=2")
			tagged(t, path+"?limit=100")
			tagged(t, path, "Accept", "text/csv")
			tagged(t, path+".csv")
			if path != "/events" {
				all := n.within(t).all(path)
				if len(all) == 0 {
					if !slices.Contains(laterLists, path) {
						t.Error("the list is empty")
					}
					return
				}
				row := all[0]
				single := n.within(t).get(path+"/"+text(row, "id")).want(200, "")
				if encode(t, single.Data()) != encode(t, row) {
					t.Errorf("the row alone is %v, in the list %v", single.Data(), row)
				}
				tagged(t, path+"/"+text(row, "id"))
			}
		})
	}
}

// TestTagsChangeWithTheRows holds the tags of all lists and rows from before a
// change against those from after it.
func TestTagsChangeWithTheRows(t *testing.T) {
	t.Parallel()
	rows(t, "LIST.ETAG", "LIST.NOT_MODIFIED", "OPEN.LIST.ETAG_COVERS")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	first := text(n.order("SO-1001"), "id")
	n.snapshot()
	type version struct{ tag, data string }
	read := func() map[string]version {
		all := map[string]version{}
		for _, path := range n.judge.records() {
			a := n.get(path+"?limit=100").want(200, "")
			all[path] = version{a.Header.Get("ETag"), a.rawData()}
			if path == "/events" {
				continue
			}
			for _, row := range a.Items() {
				one := n.get(path+"/"+text(row, "id")).want(200, "")
				all[path+"/"+text(row, "id")] = version{one.Header.Get("ETag"), one.rawData()}
			}
		}
		return all
	}
	before := read()
	for _, step := range []func(){
		func() { n.accept(first) },
		func() { n.bill(first) },
		func() { n.print(text(n.work("prd_card", 10, first), "id")) },
		func() { n.tick(120) },
	} {
		step()
		after := read()
		changed := 0
		for path, now := range after {
			was, known := before[path]
			switch {
			case known && was.data != now.data:
				changed++
				if was.tag == now.tag {
					t.Errorf("%s changed and kept its tag", path)
				}
			case known && was.tag != now.tag && strings.Count(path, "/") > 2:
				t.Errorf("%s has a new tag and is the same", path)
			}
		}
		if changed == 0 {
			t.Error("the step changed nothing")
		}
		before = after
	}
}

func TestListsAreSentAsCSV(t *testing.T) {
	t.Parallel()
	rows(t, "LIST.CSV.ACCEPT", "LIST.CSV.SUFFIX", "OPEN.LIST.CSV_COLUMNS", "OPEN.ENV.CSV",
		"ROUTE.OFFICE.SALES_ORDERS.CSV", "OPEN.ERR.NOT_ACCEPTABLE")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	n.snapshot()
	for _, path := range n.judge.records() {
		t.Run(path, func(t *testing.T) {
			n := n.within(t)
			list := n.get(path+"?limit=100").want(200, "")
			byAccept, bySuffix := n.get(path+"?limit=100", "Accept", "text/csv").want(200, ""),
				n.get(path+".csv?limit=100").want(200, "")
			if !bytes.Equal(byAccept.Raw, bySuffix.Raw) {
				t.Errorf("by Accept the CSV is\n%s\nby suffix\n%s", byAccept.Raw, bySuffix.Raw)
			}
			for _, a := range []*answer{byAccept, bySuffix} {
				if got := a.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
					t.Errorf("%s: the type is %q", a.asked, got)
				}
			}
			n.sameTable(list, bySuffix.Raw)
			if page := n.get(path+".csv?limit=1").want(200, ""); strings.Count(path, "/") > 0 {
				if lines := readCSV(t, page.Raw); len(lines) != 1+min(1, len(list.Items())) {
					t.Errorf("a page of one row has %d lines", len(lines))
				}
			}
			for accept, want := range map[string]string{
				"text/csv, application/json;q=0.5": "text/csv; charset=utf-8",
				"text/csv;q=0.5, application/json": "application/json", "*/*": "application/json",
				"text/*": "text/csv; charset=utf-8", "application/*": "application/json",
				"text/csv;q=0, */*": "application/json",
			} {
				if got := n.get(path, "Accept", accept).want(200, "").Header.Get("Content-Type"); got != want {
					t.Errorf("Accept: %s is answered with %s, want %s", accept, got, want)
				}
			}
			n.get(path, "Accept", "text/html").want(http.StatusNotAcceptable, "not_acceptable")
		})
	}
	n.get("/sandbox", "Accept", "text/csv").want(http.StatusNotAcceptable, "not_acceptable")
	n.get("/sandbox.csv").want(http.StatusNotFound, "route_not_found")
}

func readCSV(t testing.TB, raw []byte) [][]string {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return lines
}

// sameTable compares a CSV with the same list as JSON, cell by cell.
func (n *tenant) sameTable(list *answer, raw []byte) {
	t := n.t
	t.Helper()
	var items []json.RawMessage
	if err := json.Unmarshal(member(t, member(t, list.Raw, "data"), "items"), &items); err != nil {
		t.Fatal(err)
	}
	lines := readCSV(t, raw)
	if len(lines) != len(items)+1 {
		t.Fatalf("%d rows are %d lines", len(items), len(lines))
	}
	for i, item := range items {
		columns := order(t, item)
		if !slices.Equal(lines[0], columns) {
			t.Fatalf("the columns are %v, the members %v", lines[0], columns)
		}
		for k, name := range columns {
			value := member(t, item, name)
			want := string(value)
			var plain string
			switch {
			case want == "null":
				want = ""
			case json.Unmarshal(value, &plain) == nil:
				want = plain
			}
			if lines[i+1][k] != want {
				t.Errorf("line %d, %s: %q, want %q", i+1, name, lines[i+1][k], want)
			}
		}
	}
}

// TestFormulasInCSVAreEscaped writes text into every field that clients can
// write and that lists show.
func TestFormulasInCSVAreEscaped(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIST.CSV_FORMULAS")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	texts := []string{"=1+1", "+1", "-1", "@SUM(A1)", `=HYPERLINK("x")`, "x;=1+1"}
	var works []string
	for _, formula := range texts {
		works = append(works, text(n.work("prd_notebook", 1, formula), "id"))
	}
	order := text(n.order("SO-1001"), "id")
	n.post("/office/sales-orders/"+order+"/decline", encode(t, object{"reason": texts[0]})).want(200, "")
	second := text(n.accept(text(n.order("SO-1002"), "id")), "id")
	n.post("/office/shipments", encode(t, object{"sales_order_id": second, "factory_shipment_ref": texts[0]})).
		want(201, "")
	n.post("/factory/print-runs",
		encode(t, object{"press_id": "prs_digital", "work_order_ids": works, "overs_pct": 20})).want(201, "")
	n.day()
	n.post("/factory/shipments", encode(t, object{"work_order_id": works[0], "carrier_note": texts[2]})).want(201, "")
	found := map[string]int{}
	for _, path := range []string{
		"/office/sales-orders", "/office/shipments", "/factory/work-orders", "/factory/shipments",
	} {
		for _, line := range readCSV(t, n.get(path+".csv?limit=100").want(200, "").Raw) {
			for _, cell := range line {
				for _, formula := range texts {
					if strings.ReplaceAll(cell, "'", "") == formula {
						found[formula]++
						if cell == formula {
							t.Errorf("%s: the cell is %q", path, cell)
						}
					}
				}
			}
		}
		// JSON has the text as it was written.
		if path == "/factory/work-orders" {
			for i, id := range works {
				if got := n.row(path + "/" + id)["reference"]; got != texts[i] {
					t.Errorf("the reference is %v, written was %s", got, texts[i])
				}
			}
		}
	}
	if found["=1+1"] < 3 || found["-1"] < 2 || found["@SUM(A1)"] < 1 || found["+1"] < 1 {
		t.Errorf("in CSV were found %v", found)
	}
}
