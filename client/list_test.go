package client_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/client"
)

// pageOf is a page of orders with the numbers from to below until.
func pageOf(from, until int, next string) step {
	rows := []string{}
	for i := from; i < until; i++ {
		rows = append(rows, fmt.Sprintf(`{"id":"so_%d"}`, i))
	}
	if next != "null" {
		next = `"` + next + `"`
	}
	return success(`{"items":[` + strings.Join(rows, ",") + `],"next_cursor":` + next + `}`)
}

func TestAllPagesAreRead(t *testing.T) {
	t.Parallel()
	f := newFake(t, pageOf(0, 3, "a"), refusal(503, "unavailable", true, "").with("Retry-After", "1"),
		pageOf(3, 3, "b"), pageOf(3, 5, "null"))
	since := time.Date(2026, 10, 1, 11, 0, 0, 0, time.FixedZone("", 2*60*60))
	params := client.ListSalesOrdersParams{Status: client.OfficeSalesOrderStatusReceived, UpdatedSince: since}
	orders := f.client().SalesOrders(t.Context(), params)
	var got []string
	for order, err := range orders {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, order.ID)
	}
	if want := []string{"so_0", "so_1", "so_2", "so_3", "so_4"}; !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	var cursors []string
	for _, s := range f.requests() {
		query, err := url.ParseQuery(s.query)
		if err != nil || query.Get("limit") != "100" || query.Get("status") != "received" ||
			query.Get("updated_since") != "2026-10-01T09:00:00Z" {
			t.Errorf("asked %s", s.query)
		}
		cursors = append(cursors, query.Get("cursor"))
	}
	if want := []string{"", "a", "a", "b"}; !slices.Equal(cursors, want) {
		t.Errorf("cursors %v, want %v", cursors, want)
	}
	for range orders { // a second time from the beginning
		break
	}
	if last := f.requests()[len(f.requests())-1]; strings.Contains(last.query, "cursor") {
		t.Errorf("a second reading began with %s", last.query)
	}
}

func TestReadingEndsWithAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		second step
		want   string
	}{
		"a refusal":        {refusal(400, "invalid_parameter", false, ""), "invalid_parameter"},
		"a page for ever":  {pageOf(1, 2, "a"), "again"},
		"a strange answer": {step{status: 200, body: "[]"}, "decode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, pageOf(0, 1, "a"), c.second)
			var last error
			for _, err := range f.client().SalesOrders(t.Context(), client.ListSalesOrdersParams{}) {
				if last != nil {
					t.Fatal("went on after an error")
				}
				last = err
			}
			if last == nil || !strings.Contains(last.Error(), c.want) || len(f.requests()) != 2 {
				t.Errorf("%d requests, %v", len(f.requests()), last)
			}
		})
	}
}

func TestAPageOfEventsIsAskedForAsTold(t *testing.T) {
	t.Parallel()
	f := newFake(t, success(`{"items":[{"seq":8,"type":"office.sales_order.declined","data":{"id":"so_1",`+
		`"status":"declined","reason":null}}],"next_cursor":"z","last_seq":9}`).with("ETag", `W/"v"`),
		success(`{"items":[{"seq":9,"type":"office.from_the_future","data":{"x":1}}],"next_cursor":null,"last_seq":9}`))
	page, err := f.client().ListEvents(t.Context(), client.ListEventsParams{AfterSeq: 7,
		Types: []client.EventType{client.EventOfficeSalesOrderDeclined, client.EventSandboxExpiring}, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := "after_seq=7&limit=1&types=office.sales_order.declined%2Csandbox.expiring"; f.requests()[0].query !=
		want {
		t.Errorf("asked %s, want %s", f.requests()[0].query, want)
	}
	if page.LastSeq != 9 || page.NextCursor != "z" || page.ETag != `W/"v"` || page.Meta.RequestID != "req_1" ||
		len(page.Items) != 1 {
		t.Errorf("read %+v", page)
	}
	data, err := page.Items[0].Decode()
	if declined, ok := data.(*client.SalesOrderDeclinedData); err != nil || !ok || declined.ID != "so_1" ||
		declined.Status != "declined" {
		t.Errorf("decoded %#v, %v", data, err)
	}
}

func TestEventsGoOnByCursor(t *testing.T) {
	t.Parallel()
	f := newFake(t, success(`{"items":[{"seq":8}],"next_cursor":"z","last_seq":9}`),
		success(`{"items":[{"seq":9}],"next_cursor":null,"last_seq":9}`))
	var got []uint64
	for e, err := range f.client().Events(t.Context(), 7) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Seq)
	}
	if want := []uint64{8, 9}; !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	if first, second := f.requests()[0].query, f.requests()[1].query; first != "after_seq=7&limit=100" ||
		second != "cursor=z&limit=100" {
		t.Errorf("asked %s and %s", first, second)
	}
}

func TestNotModifiedIsAnErrorOfItsOwn(t *testing.T) {
	t.Parallel()
	f := newFake(t, step{status: 304})
	params := client.ListWorkOrdersParams{IfNoneMatch: `W/"v"`}
	if _, err := f.client().ListWorkOrders(t.Context(), params); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("a page: %v", err)
	}
	for _, err := range f.client().WorkOrders(t.Context(), params) {
		if !errors.Is(err, client.ErrNotModified) {
			t.Errorf("all pages: %v", err)
		}
	}
	for _, s := range f.requests() {
		if s.header.Get("If-None-Match") != `W/"v"` {
			t.Errorf("sent %v", s.header)
		}
	}
}
