package contract

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"
)

// points are those of the series; the query may be "".
func (n *tenant) points(query string) []object {
	n.t.Helper()
	data := n.row("/sandbox/series" + query)
	if got := names(data); !slices.Equal(got, []string{"points"}) {
		n.t.Errorf("the series has the members %v", got)
	}
	return children(n.t, data, "points")
}

// halves are the moments of so many points from the opening on.
func halves(count int) []string {
	day := time.Date(2026, time.September, 7, 0, 0, 0, 0, time.UTC)
	moments := []string{day.Format(time.DateOnly) + "T08:00"}
	for len(moments) < count {
		moments = append(moments, day.Format(time.DateOnly)+"T12:00", day.Format(time.DateOnly)+"T15:59")
		if day = day.AddDate(0, 0, 1); day.Weekday() == time.Saturday {
			day = day.AddDate(0, 0, 2)
		}
	}
	return moments[:count]
}

// TestTheSeriesHasAPointForEachHalfDay compares the newest point with the
// company at that minute, then all of them with the books.
func TestTheSeriesHasAPointForEachHalfDay(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.SANDBOX.SERIES")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	newest := func(count int) object {
		t.Helper()
		points := n.points("")
		if len(points) != count {
			t.Fatalf("at %v there are %d points, want %d", n.row("/sandbox")["clock"], len(points), count)
		}
		return points[count-1]
	}
	n.isNow(newest(1))
	work := text(n.accept(text(n.order("SO-1001"), "id")), "bridged_work_order_id")
	n.print(work)
	n.tick(239)
	newest(1)
	n.tick(1)
	n.isNow(newest(2))
	n.dispatch(work)
	n.runLow() // and the press runs at the close
	n.tick(238)
	newest(2)
	n.tick(1)
	n.isNow(newest(3))
	n.tick(1)
	newest(3)
	n.tick(90)
	n.countIn(text(n.deliveryFor(object{"number": "PO-5002"}), "id"))
	n.tick(150)
	n.isNow(newest(4))
	for count := 6; count <= 14; count += 2 {
		n.day()
		n.isNow(newest(count))
	}
	n.pointsAgree(n.points(""))
}

// TestAPointCountsWhatHappensInItsMinute lets a run end at noon: one company
// shows how long the run takes, its twin starts it so much earlier.
func TestAPointCountsWhatHappensInItsMinute(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.SANDBOX.SERIES", "OPEN.CREATE.DETERMINISM")
	const body = `{"seed":5,"clock":"manual"}`
	start := func(n *tenant) (ends string) {
		return text(n.print(text(n.work("prd_notebook", 5, ""), "id")), "ends_sim")
	}
	ends := start(shared.create(t, body))
	at, err := time.Parse("2006-01-02T15:04", ends)
	if err != nil {
		t.Fatal(err)
	}
	minutes := at.Hour()*60 + at.Minute() - 8*60
	n := shared.create(t, body)
	n.tick(240 - minutes)
	if ends := start(n); ends != halves(2)[1] {
		t.Fatalf("the run ends at %v", ends)
	}
	n.tick(minutes)
	noon := n.points("")[1]
	agrees(t, "the point at noon", noon, object{"presses_running": 0})
	n.isNow(noon)
}

// isNow compares a point with the company at the same minute.
func (n *tenant) isNow(point object) {
	t := n.t
	t.Helper()
	s := n.row("/sandbox")
	agrees(t, "the point", point, object{"cash_minor": s["cash_minor"], "net_worth_minor": s["net_worth_minor"],
		"presses_running": child(t, s, "presses")["running"]})
	stock := object{}
	for _, item := range n.all("/factory/stock") {
		stock[text(item, "sku")] = item["on_hand"]
	}
	agrees(t, "the point", point, object{"stock": stock})
	// A call may complete a mission after the point was noted.
	for _, e := range n.feed(uint64(number(t, point, "seq"))) {
		if notMission(text(e, "type")) {
			t.Errorf("the point of %v is of the event %v, and then came %v", point["sim_time"], point["seq"], e)
		}
	}
}

// pointsAgree adds up the books as far as each point goes.
func (n *tenant) pointsAgree(points []object) {
	t := n.t
	t.Helper()
	seqs := map[string]int64{}
	events := n.feed(0)
	for _, e := range events {
		seqs[text(e, "id")] = number(t, e, "seq")
	}
	ledger, moves := n.all("/office/ledger"), n.all("/factory/stock-moves")
	last := int64(0)
	for i, point := range points {
		exactly(t, "a point", point, "sim_time seq cash_minor net_worth_minor stock presses_running")
		seq := number(t, point, "seq")
		if point["sim_time"] != halves(i + 1)[i] || seq < last {
			t.Errorf("point %d is of %v after the event %d, the one before of %d", i, point["sim_time"], seq, last)
		}
		last = seq
		cash, stock, running := int64(0), object{}, 0
		for sku := range child(t, point, "stock") {
			stock[sku] = int64(0)
		}
		for _, entry := range ledger {
			if at, read := seqs[text(entry, "event_id")]; entry["event_id"] == nil || read && at <= seq {
				cash += number(t, entry, "amount_minor")
			}
		}
		for _, move := range moves {
			if at, read := seqs[text(move, "event_id")]; move["event_id"] == nil || read && at <= seq {
				held, _ := stock[text(move, "sku")].(int64)
				stock[text(move, "sku")] = held + number(t, move, "quantity")
			}
		}
		for _, e := range events[:seq] {
			switch e["type"] {
			case "factory.print_run.started":
				running++
			case "factory.print_run.completed":
				running--
			}
		}
		agrees(t, fmt.Sprint("point ", i), point,
			object{"cash_minor": cash, "stock": stock, "presses_running": running})
	}
}

// TestNobodyWhoAsksSinceMissesAPoint reads the series as a chart does: it keeps
// the number of the newest point and asks for what came after. In the company
// empty half a day may pass without any event.
func TestNobodyWhoAsksSinceMissesAPoint(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.SANDBOX.SERIES", "OPEN.PRESET.EMPTY")
	n := shared.create(t, `{"preset":"empty","seed":1}`)
	seen := map[string]bool{}
	newest := int64(0)
	for range 5 {
		for _, point := range n.points(fmt.Sprint("?since=", newest)) {
			if seq := number(t, point, "seq"); seq < newest {
				t.Errorf("since %d there is a point of %d", newest, seq)
			}
			seen[text(point, "sim_time")] = true
			newest = max(newest, number(t, point, "seq"))
		}
		n.tick(240)
	}
	if got, want := slices.Sorted(maps.Keys(seen)), halves(5); !slices.Equal(got, want) {
		t.Errorf("seen were %v, there are %v", got, want)
	}
}

// TestTheSeriesCanBeReadFromAnEventOn asks for the points of the second half.
func TestTheSeriesCanBeReadFromAnEventOn(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.SANDBOX.SERIES", "OPEN.LIST.PARAMETER", "OPEN.ERR.INVALID_PARAMETER")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	for range 3 {
		n.day()
	}
	all := n.points("")
	if got := n.points("?since=0"); encode(t, got) != encode(t, all) {
		t.Errorf("since 0 there are %d points of %d", len(got), len(all))
	}
	for i := 1; i < len(all); i++ {
		// Between the two points there was an event of neither.
		before, after := number(t, all[i-1], "seq"), number(t, all[i], "seq")
		if after-before < 2 {
			continue
		}
		if got := n.points(fmt.Sprint("?since=", before+1)); encode(t, got) != encode(t, all[i:]) {
			t.Errorf("since %d there are %d points, want %d", before+1, len(got), len(all)-i)
		}
	}
	for _, beyond := range []string{fmt.Sprint(n.newest() + 1000), "9007199254740993", "9223372036854775807"} {
		if got := n.points("?since=" + beyond); len(got) != 0 {
			t.Errorf("since %s there are %v", beyond, got)
		}
	}
	for query, name := range map[string]string{
		"since=-1": "since", "since=": "since", "since=one": "since", "since=1.0": "since",
		"since=1e2": "since", "since=0x1": "since", "since=1_0": "since",
		"since=1%20": "since", "since=%D9%A3": "since", "since=null": "since", "since=9223372036854775808": "since",
		"since=99999999999999999999999": "since", "since=1&since=2": "since", "since=1&since=1": "since",
		"limit=1": "limit", "cursor=x": "cursor", "after_seq=1": "after_seq", "Since=1": "Since",
		"updated_since=2026-09-07T00:00:00Z": "updated_since", "since=1&colour=red": "colour",
	} {
		agrees(t, "details of "+query, n.get("/sandbox/series?"+query).
			want(http.StatusBadRequest, "invalid_parameter").details(), object{"parameter": name})
	}
	for _, query := range []string{"since=%2", "since=1;limit=2"} {
		n.get("/sandbox/series?"+query).want(http.StatusBadRequest, "invalid_parameter")
	}
}

func TestTheSeriesIsNoListButHasATag(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.SANDBOX.SERIES", "ERR.NOT_MODIFIED")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	first := n.get("/sandbox/series").want(http.StatusOK, "")
	tag := first.Header.Get("ETag")
	n.get("/sandbox/series", "If-None-Match", tag).want(http.StatusNotModified, "")
	// Both keys read it.
	if a := n.send(t, request{method: "GET", path: "/sandbox/series", key: n.factory}).
		want(http.StatusOK, ""); a.rawData() != first.rawData() || a.Header.Get("ETag") != tag {
		t.Errorf("the Factory reads %s, Head Office %s", a.rawData(), first.rawData())
	}
	n.accept(text(n.order("SO-1001"), "id")) // of which no chart tells
	n.get("/sandbox/series", "If-None-Match", tag).want(http.StatusNotModified, "")
	n.tick(240)
	changed := n.get("/sandbox/series", "If-None-Match", tag).want(http.StatusOK, "").Header.Get("ETag")
	if changed == tag || changed == "" {
		t.Errorf("with another point the tag %q became %q", tag, changed)
	}
	n.get("/sandbox/series", "Accept", "text/csv").want(http.StatusNotAcceptable, "not_acceptable")
	n.get("/sandbox/series.csv").want(http.StatusNotFound, "route_not_found")
	n.get("/sandbox/series/"+text(n.points("")[0], "id")).want(http.StatusNotFound, "route_not_found")
	n.call("POST", "/sandbox/series", "{}").want(http.StatusMethodNotAllowed, "method_not_allowed")
	n.call("HEAD", "/sandbox/series", "").want(http.StatusOK, "")
	n.send(t, request{method: "GET", path: "/sandbox/series"}).want(http.StatusUnauthorized, "unauthorized")
}

// TestTheSeriesGoesOnByItself reads a company whose day takes a second: a read
// lets happen what was due.
func TestTheSeriesGoesOnByItself(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.ROUTE.SANDBOX.SERIES", "OPEN.TIME.READS_ARE_CURRENT")
		n := serve(t, hasty(t)).create(t, `{"preset":"rush","seed":1}`)
		const days = 2
		waitUntil(t, moment(t, n.row("/sandbox")["created_at"]).Add(days*time.Second+100*time.Millisecond))
		points := n.points("")
		if len(points) < 1+2*days {
			t.Fatalf("after %d days there are %d points", days, len(points))
		}
		n.pointsAgree(points)
		for i := 1; i < len(points); i++ {
			if !moment(t, points[i]["created_at"]).After(moment(t, points[i-1]["created_at"])) {
				t.Errorf("point %d is of %v, the one before of %v", i, points[i]["created_at"],
					points[i-1]["created_at"])
			}
		}
	})
}
