package contract

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// expectedLists are the lists of the contract that the service has so far.
var expectedLists = []string{
	"/events", "/factory/deliveries", "/factory/goods-receipts", "/factory/operators",
	"/factory/presses", "/factory/print-runs", "/factory/products", "/factory/market-deliveries",
	"/office/market", "/office/market/trades", "/factory/requisitions", "/factory/shipments", "/factory/stock",
	"/factory/stock-moves", "/factory/work-orders", "/missions", "/office/customer-invoices", "/office/customers",
	"/office/goods-receipts", "/office/ledger", "/office/payments", "/office/products", "/office/purchase-orders",
	"/office/requisitions", "/office/sales-orders", "/office/shipments", "/office/supplier-invoices",
	"/office/suppliers", "/factory/attendance", "/office/contract-lots", "/office/employees",
	"/office/leave-requests", "/office/payroll-runs", "/office/timesheets",
}

// laterLists are empty until days have passed; lot_test.go, payday_test.go,
// people_test.go and world_test.go read them.
var laterLists = []string{
	"/office/contract-lots", "/office/leave-requests", "/office/payroll-runs", "/office/timesheets",
	"/sandbox/major-orders",
}

func TestEveryListIsAList(t *testing.T) {
	t.Parallel()
	rows(t, "LIST.EVERY", "LIST.ITEMS", "LIST.NEXT_CURSOR", "LIST.NEWEST_FIRST", "LIST.LIMIT",
		"LIST.CURSOR", "LIST.CURSOR.END", "OPEN.HTTP.LINK_NEXT", "OPEN.FEED.ASCENDING", "OPEN.ROUTE.OFFICE.CUSTOMERS",
		"OPEN.ROUTE.OFFICE.PRODUCTS", "OPEN.ROUTE.OFFICE.PAYMENTS", "OPEN.ROUTE.FACTORY.PRODUCTS",
		"OPEN.ROUTE.FACTORY.PRESSES", "OPEN.ROUTE.FACTORY.OPERATORS",
		"OPEN.ROUTE.OFFICE.SUPPLIERS", "OPEN.ROUTE.FACTORY.GOODS_RECEIPTS", "ROUTE.MISSIONS.LIST", "ROUTE.EVENTS.LIST",
		"ROUTE.OFFICE.SALES_ORDERS.LIST")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	n.subscribe("https://hooks.example.com/a", `"*"`)
	n.subscribe("https://hooks.example.com/b", `"*"`)
	n.snapshot()
	for _, path := range expectedLists {
		if !slices.Contains(n.judge.lists(), path) {
			t.Errorf("there is no list %s", path)
		}
	}
	for _, path := range n.judge.records() {
		if !slices.Contains(laterLists, path) {
			t.Run(path, func(t *testing.T) { n.within(t).pages(path) })
		}
	}
}

// pages reads a list in pages of every size and checks that the same rows
// come in the same order.
func (n *tenant) pages(path string) {
	t := n.t
	t.Helper()
	whole := n.get(path+"?limit=100").want(200, "")
	if whole.Cursor() != "" || whole.Header.Get("Link") != "" {
		t.Fatalf("%d rows are no whole list", len(whole.Items()))
	}
	items := whole.Items()
	if len(items) == 0 {
		t.Fatal("the list is empty")
	}
	for i := 1; i < len(items); i++ {
		earlier, later := items[i], items[i-1]
		if path == "/events" {
			earlier, later = later, earlier
		}
		if moment(t, earlier["created_at"]).After(moment(t, later["created_at"])) {
			t.Errorf("row %d of %v stands next to one of %v", i, items[i]["created_at"], items[i-1]["created_at"])
		}
	}
	want := encode(t, items)
	for _, limit := range []int{1, 2, 3, len(items), len(items) + 1} {
		var got []object
		next := fmt.Sprintf("%s?limit=%d", path, min(limit, 100))
		for next != "" {
			page := n.get(next).want(200, "")
			got = append(got, page.Items()...)
			left := len(got) < len(items)
			if full := len(page.Items()) == limit; left && !full || left != (page.Cursor() != "") {
				t.Fatalf("limit %d: a page has %d rows, %d of %d are read, the cursor is %q",
					limit, len(page.Items()), len(got), len(items), page.Cursor())
			}
			next = n.linked(page)
		}
		if encode(t, got) != want {
			t.Errorf("limit %d: the pages hold other rows than the list", limit)
		}
	}
}

// linked returns where the Link header of a page leads, relative to the base
// URL, and checks that the cursor leads there too.
func (n *tenant) linked(page *answer) string {
	n.t.Helper()
	header := page.Header.Get("Link")
	if page.Cursor() == "" {
		if header != "" {
			n.t.Errorf("%s: the last page links to %s", page.asked, header)
		}
		return ""
	}
	target, ok := strings.CutPrefix(header, "<"+n.BaseURL)
	target, found := strings.CutSuffix(target, `>; rel="next"`)
	if !ok || !found {
		n.t.Fatalf("%s: Link is %q", page.asked, header)
	}
	path, sent, _ := strings.Cut(page.asked.path, "?")
	query, err := url.ParseQuery(sent)
	if err != nil {
		n.t.Fatal(err)
	}
	query.Set("cursor", page.Cursor())
	byCursor, byLink := n.get(path+"?"+query.Encode()).want(200, ""), n.get(target).want(200, "")
	if byCursor.rawData() != byLink.rawData() {
		n.t.Errorf("%s: the cursor and Link lead to different pages", page.asked)
	}
	return target
}

func TestPagesHaveFiftyRowsUnlessAskedOtherwise(t *testing.T) {
	t.Parallel()
	rows(t, "LIST.LIMIT.DEFAULT", "LIMIT.PAGE", "LIST.LIMIT")
	n := shared.create(t, `{"clock":"manual"}`)
	for range 101 {
		n.work("prd_notebook", 1, "")
	}
	for _, path := range []string{"/factory/work-orders", "/events"} {
		for query, want := range map[string]int{
			"": 50, "?limit=1": 1, "?limit=50": 50, "?limit=51": 51, "?limit=100": 100,
		} {
			a := n.get(path+query).want(200, "")
			if got := len(a.Items()); got != want || a.Cursor() == "" {
				t.Errorf("%s%s has %d rows, want %d, and the cursor %q", path, query, got, want, a.Cursor())
			}
		}
	}
}

func TestBadParametersAreNamed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIST.PARAMETER", "OPEN.ERR.INVALID_PARAMETER", "LIST.LIMIT")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, path := range n.judge.lists() {
		for query, name := range map[string]string{
			"limit=0": "limit", "limit=101": "limit", "limit=-1": "limit", "limit=ten": "limit", "limit=1.5": "limit",
			"limit=": "limit", "limit=1&limit=2": "limit",
			"limit=99999999999999999999": "limit",
			"updated_since=yesterday":    "updated_since", "updated_since=": "updated_since",
			"updated_since=2026-09-07":           "updated_since",
			"updated_since=2026-13-01T00:00:00Z": "updated_since", "colour=red": "colour",
		} {
			a := n.get(path+"?"+query).want(http.StatusBadRequest, "invalid_parameter")
			if got := a.details()["parameter"]; got != name {
				t.Errorf("%s?%s: details name %v", path, query, got)
			}
		}
	}
	for query, name := range map[string]string{
		"after_seq=-1": "after_seq", "after_seq=one": "after_seq",
		"after_seq=1.5": "after_seq", "after_seq=": "after_seq", "after_seq=18446744073709551616": "after_seq",
		"types=office.nothing": "types", "system=attic": "system", "types=": "types", "system=": "system",
	} {
		if got := n.get("/events?"+query).
			want(http.StatusBadRequest, "invalid_parameter").details()["parameter"]; got != name {
			t.Errorf("/events?%s: details name %v", query, got)
		}
	}
	for _, day := range []string{"abc", "2026-9-7", "2026-02-30", "2026-09-07T00:00:00Z", "20260907", ""} {
		if got := n.get("/factory/attendance?week_start="+day).
			want(http.StatusBadRequest, "invalid_parameter").details()["parameter"]; got != "week_start" {
			t.Errorf("/factory/attendance?week_start=%s: details name %v", day, got)
		}
	}
	n.get("/factory/attendance?week_start=2026-09-08").want(422, "validation_failed") // a Tuesday begins no week
	n.get("/office/sales-orders?status=%2").want(http.StatusBadRequest, "invalid_parameter")
	n.get("/sandbox?limit=1").want(http.StatusBadRequest, "invalid_parameter")
	n.post("/sandbox/tick?minutes=1", "").want(http.StatusBadRequest, "invalid_parameter")
}

func TestACursorBelongsToItsList(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIST.CURSOR_BOUND", "OPEN.ERR.INVALID_CURSOR")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	cursors := map[string]string{}
	for _, path := range n.judge.lists() {
		if a := n.get(path+"?limit=1").want(200, ""); a.Cursor() != "" {
			cursors[path] = a.Cursor()
		}
	}
	for path, cursor := range cursors {
		n.get(path+"?limit=7&cursor="+cursor).want(200, "") // the limit may change
		for other := range cursors {
			if other != path {
				n.get(other+"?cursor="+cursor).want(http.StatusBadRequest, "invalid_cursor")
			}
		}
		n.get(path+"?updated_since=2020-01-01T00:00:00Z&cursor="+cursor).want(http.StatusBadRequest, "invalid_cursor")
	}
	n.get("/office/sales-orders?status=received&cursor="+cursors["/office/sales-orders"]).
		want(http.StatusBadRequest, "invalid_cursor")
	n.get("/events?system=office&cursor="+cursors["/events"]).want(http.StatusBadRequest, "invalid_cursor")
	filtered := n.get("/office/products?limit=1").want(200, "").Cursor()
	for _, damaged := range []string{
		"", "x", "=", filtered + "A", filtered[1:], filtered[:len(filtered)-1], "A" + filtered,
		strings.Repeat("A", 200),
	} {
		n.get("/office/products?cursor="+damaged).want(http.StatusBadRequest, "invalid_cursor")
	}
	for _, empty := range []string{"", "null"} {
		a := n.get("/office/products?cursor="+empty).want(http.StatusBadRequest, "invalid_cursor")
		if message := text(a.Failure(), "message"); !strings.Contains(message, "leave it out") {
			t.Errorf("an empty cursor is told %q", message)
		}
	}
	foreign := shared.create(t, `{"clock":"manual"}`)
	foreign.get("/office/products?cursor="+filtered).want(http.StatusBadRequest, "invalid_cursor")
}

// TestADamagedCursorIsRefused changes every character of a cursor in turn to
// some others.
func TestADamagedCursorIsRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIST.CURSOR_BOUND")
	n := shared.create(t, `{"clock":"manual"}`)
	cursor := n.get("/office/products?limit=2").want(200, "").Cursor()
	const alphabet = "ABEIQgw4-"
	var taken []string
	for i := range cursor {
		for _, c := range alphabet {
			damaged := cursor[:i] + string(c) + cursor[i+1:]
			if a := n.get("/office/products?cursor=" + damaged); damaged != cursor &&
				a.Status != http.StatusBadRequest {
				taken = append(taken, damaged)
			}
		}
	}
	if len(taken) > 0 {
		t.Errorf("of %s, %d damaged forms were taken as cursors, such as %s", cursor, len(taken), taken[0])
	}
	if _, err := base64.RawURLEncoding.DecodeString(cursor); err != nil && strings.ContainsAny(cursor, "&=?#% ") {
		t.Errorf("the cursor %q cannot stand in a query as it is", cursor)
	}
}

func TestUpdatedSinceLeavesOutWhatHasNotChanged(t *testing.T) {
	t.Parallel()
	rows(t, "LIST.UPDATED_SINCE", "OPEN.LIST.SINCE_INCLUSIVE")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	n.snapshot()
	for _, path := range n.judge.records() {
		member := "updated_at"
		if path == "/events" {
			member = "created_at"
		}
		all := n.all(path)
		if len(all) == 0 {
			continue // one of laterLists
		}
		moments := map[string]bool{}
		for _, row := range all {
			moments[text(row, member)] = true
		}
		for at := range moments {
			exact := moment(t, at)
			for _, since := range []time.Time{exact, exact.Add(time.Microsecond), exact.Add(-time.Microsecond)} {
				var want []string
				for _, row := range all {
					if !moment(t, row[member]).Before(since) {
						want = append(want, text(row, "id"))
					}
				}
				var got []string
				for _, row := range n.all(path + "?updated_since=" +
					since.UTC().Format("2006-01-02T15:04:05.000000Z")) {
					got = append(got, text(row, "id"))
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s since %v: got %v, want %v", path, since, got, want)
				}
			}
		}
		zoned := url.QueryEscape(moment(t, all[0][member]).Add(time.Microsecond).In(time.FixedZone("", 2*60*60)).
			Format(time.RFC3339Nano))
		for _, row := range n.all(path + "?updated_since=" + zoned) {
			if !moment(t, row[member]).After(moment(t, all[0][member])) {
				t.Errorf("%s since %s: %v", path, zoned, row[member])
			}
		}
	}
}

// TestRowsThatAreBornNeitherRepeatNorHideOthers pages through work orders
// while another client writes more of them.
func TestRowsThatAreBornNeitherRepeatNorHideOthers(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIST.STABLE", "EVT.SAME_TRANSACTION")
	n := shared.create(t, `{"clock":"manual"}`)
	for range 40 {
		n.work("prd_notebook", 1, "")
	}
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				n.work("prd_notebook", 1, "")
			}
		}
	})
	for range 5 {
		for _, path := range []string{"/factory/work-orders", "/factory/work-orders?status=created"} {
			present := n.all(path)
			n.readsOnce(path, present)
		}
		// Whatever the feed tells is there to be read, and in this order.
		events := ofType(n.feed(0), "factory.work_order.created")
		known := map[string]bool{}
		for _, row := range n.all("/factory/work-orders") {
			known[text(row, "id")] = true
		}
		for _, e := range events {
			if id := text(child(t, e, "data"), "id"); !known[id] {
				t.Errorf("the feed tells of %s, which is not there", id)
			}
		}
	}
	close(stop)
	writer.Wait()
}

// readsOnce pages through a list and checks that every row that was there
// when it began is met exactly once.
func (n *tenant) readsOnce(path string, present []object) {
	n.t.Helper()
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	met := map[string]int{}
	next := path + join + "limit=7"
	for next != "" {
		page := n.get(next).want(200, "")
		for _, row := range page.Items() {
			met[text(row, "id")]++
		}
		if next = ""; page.Cursor() != "" {
			next = path + join + "limit=7&cursor=" + page.Cursor()
		}
	}
	for _, row := range present {
		if met[text(row, "id")] != 1 {
			n.t.Errorf("%s: the row %v was met %d times", path, row["id"], met[text(row, "id")])
		}
	}
	for id, times := range met {
		if times != 1 {
			n.t.Errorf("%s: the row %s was met %d times", path, id, times)
		}
	}
}

// TestPagingDuringTicks lets orders and events arrive between the pages.
func TestPagingDuringTicks(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIST.STABLE", "OPEN.FEED.GAPLESS")
	n := serve(t, hasty(t)).create(t, `{"preset":"brisk","seed":2}`)
	n.tick(300)
	present := n.all("/office/sales-orders")
	if len(present) < 9 {
		t.Fatalf("only %d orders came", len(present))
	}
	met := map[string]int{}
	var seqs []int64
	orders, events := "/office/sales-orders?limit=3", "/events?limit=4"
	for range 4 {
		page := n.get(orders).want(200, "")
		for _, row := range page.Items() {
			met[text(row, "id")]++
		}
		orders = "/office/sales-orders?limit=3&cursor=" + page.Cursor()
		read := n.get(events).want(200, "")
		for _, e := range read.Items() {
			seqs = append(seqs, number(t, e, "seq"))
		}
		events = "/events?limit=4&cursor=" + read.Cursor()
		n.tick(60)
	}
	for i, row := range present {
		if got := met[text(row, "id")]; got != 1 && i < 12 || got > 1 {
			t.Errorf("order %d of the first list was met %d times", i, got)
		}
	}
	for i, seq := range seqs {
		if seq != int64(i+1) {
			t.Errorf("event %d has seq %d", i+1, seq)
		}
	}
	if grown := len(n.all("/office/sales-orders")); grown <= len(present) {
		t.Errorf("no order arrived in between: %d, then %d", len(present), grown)
	}
}

func TestTheOrderOfTeaching(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIST.FILE_ORDER")
	n := shared.create(t, `{"clock":"manual"}`)
	last := int64(0)
	for _, m := range n.all("/missions") {
		if order := number(t, m, "order"); order <= last {
			t.Errorf("a mission with the order %d comes after %d", order, last)
		} else {
			last = order
		}
	}
	for path, first := range map[string][]string{
		"/office/customers": {"cus_brightwell"}, "/office/products": {"prd_flyer", "prd_poster"},
		"/factory/products": {"prd_flyer", "prd_poster"},
		"/office/suppliers": {"sup_mill", "sup_quick", "sup_chroma", "sup_bargain", "sup_landlord",
			"sup_lessor", "sup_bank"},
		"/factory/presses": {"prs_digital", "prs_offset"}, "/factory/operators": {"opr_1001", "opr_1002", "opr_1003"},
	} {
		list := n.all(path)
		for i, id := range first {
			if got := text(list[i], "id"); got != id {
				t.Errorf("%s: row %d is %s, want %s", path, i, got, id)
			}
		}
	}
}
