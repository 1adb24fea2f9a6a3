package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestTheFeedGoesOnAfterANumber(t *testing.T) {
	t.Parallel()
	rows(t, "ROUTE.EVENTS.LIST", "OPEN.FEED.PARAMETERS", "OPEN.FEED.LAST_SEQ", "OPEN.FEED.BEYOND", "OPEN.FEED.GAPLESS",
		"EVT.FEED", "OPEN.FEED.ASCENDING")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	n.snapshot()
	all := n.feed(0)
	last := number(t, all[len(all)-1], "seq")
	if number(t, all[0], "seq") != 1 || last != int64(len(all)) {
		t.Errorf("%d events go from %v to %d", len(all), all[0]["seq"], last)
	}
	if got, want := n.get("/events?limit=100").want(200, "").rawData(),
		n.get("/events?after_seq=0&limit=100").want(200, "").rawData(); got != want {
		t.Error("without after_seq the feed begins elsewhere than at 0")
	}
	for after := range all {
		a := n.get(fmt.Sprintf("/events?after_seq=%d&limit=2", after)).want(200, "")
		want := all[after:min(after+2, len(all))]
		if encode(t, a.Items()) != encode(t, want) || number(t, a.Data(), "last_seq") != last ||
			(a.Cursor() == "") != (after+2 >= len(all)) {
			t.Errorf("after %d: %v, the cursor %q, last_seq %v",
				after, types(a.Items()), a.Cursor(), a.Data()["last_seq"])
		}
	}
	for _, after := range []string{fmt.Sprint(last), fmt.Sprint(last + 1), "999999999", "9223372036854775807"} {
		a := n.get("/events?after_seq="+after).want(200, "")
		if len(a.Items()) != 0 || a.Cursor() != "" || number(t, a.Data(), "last_seq") != last {
			t.Errorf("after %s: %s", after, a.rawData())
		}
	}
	cursor := n.get("/events?limit=1").want(200, "").Cursor()
	n.get("/events?after_seq=1&cursor="+cursor).want(http.StatusBadRequest, "invalid_parameter")
}

func TestAnEventCanBeReadAlone(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FEED.ONE", "OPEN.LIST.ITEM")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, e := range n.feed(0) {
		a := n.get("/events/" + text(e, "id"))
		if a.Status != http.StatusOK || encode(t, a.Data()) != encode(t, e) ||
			!strings.HasPrefix(a.Header.Get("ETag"), `W/"`) {
			t.Fatalf("%s: got %d %s, want the event of the feed", a.asked, a.Status, a.Raw)
		}
	}
	n.get("/events/evt_0").want(http.StatusNotFound, "not_found")
}

// TestDataBeginsWithScalars looks at the data of events as it was sent.
func TestDataBeginsWithScalars(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVENT.DATA")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	var items []json.RawMessage
	if err := json.Unmarshal(member(t, member(t, n.get("/events?limit=100").want(200, "").Raw, "data"), "items"),
		&items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		data := member(t, item, "data")
		lists := false
		for i, name := range order(t, data) {
			value := member(t, data, name)
			compound := value[0] == '{' || value[0] == '['
			if lists && !compound {
				t.Errorf("the scalar %s comes after a list: %s", name, data)
			}
			lists = lists || compound
			if i == 0 && name != "id" {
				t.Errorf("data begins with %s: %s", name, data)
			}
		}
		var e object
		if err := json.Unmarshal(item, &e); err != nil {
			t.Fatal(err)
		}
		inside := child(t, e, "data")
		row := n.row(text(child(t, e, "links"), "self"))
		_, stateful := row["status"]
		if text(inside, "id") == "" || stateful && text(inside, "status") == "" {
			t.Errorf("%v has the data %s", e["type"], data)
		}
	}
}

func TestRidersSayWhatTheyWere(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVENT.CHANGES")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	wrong := map[string]int{}
	riders := 0
	for _, e := range n.feed(0) {
		for _, rider := range changes(t, e) {
			riders++
			if got := names(rider); !slices.Equal(got, []string{"from", "id", "resource", "to"}) {
				wrong[fmt.Sprint(text(e, "type"), " moves ", rider["resource"], " with ", got)]++
			}
		}
	}
	if len(wrong) > 0 || riders == 0 {
		t.Errorf("of %d riders: %v", riders, wrong)
	}
}

// TestReadersNeverSeeHalfAStep reads rows and the feed while orders are
// accepted: what the feed tells is in the rows, and what the rows show is in
// the feed.
func TestReadersNeverSeeHalfAStep(t *testing.T) {
	t.Parallel()
	rows(t, "EVT.SAME_TRANSACTION", "EVT.ONE")
	n := serve(t, hasty(t)).create(t, briskSandbox)
	n.tick(300)
	n.snapshot()
	waiting := n.all("/office/sales-orders?status=received")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i, order := range waiting {
			verb := []string{"accept", "decline"}[i%2]
			n.post("/office/sales-orders/"+text(order, "id")+"/"+verb, "")
		}
	}()
	statuses := func() map[string]string {
		all := map[string]string{}
		for _, order := range n.all("/office/sales-orders") {
			all[text(order, "id")] = text(order, "status")
		}
		return all
	}
	told := func() map[string]string {
		all := map[string]string{}
		for _, e := range n.feed(0) {
			if data := child(t, e, "data"); strings.HasPrefix(text(e, "type"), "office.sales_order.") {
				all[text(data, "id")] = text(data, "status")
			}
		}
		return all
	}
	looks := 0
	for running := true; running; looks++ {
		select {
		case <-done:
			running = false
		default:
		}
		feedFirst, rows := told(), statuses()
		feedLast := told()
		for id, status := range feedFirst {
			if status != "received" && rows[id] != status {
				t.Errorf("the feed said %s is %s, then it was %q", id, status, rows[id])
			}
		}
		for id, status := range rows {
			if _, in := feedLast[id]; in && status != "received" && feedLast[id] != status {
				t.Errorf("%s was %s, then the feed said %q", id, status, feedLast[id])
			}
		}
	}
	if looks < 2 || len(waiting) < 5 {
		t.Errorf("looked %d times at %d orders", looks, len(waiting))
	}
}
