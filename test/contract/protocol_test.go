package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// completed lists the missions that are done, in no order that matters.
func (n *tenant) completed() []string {
	n.t.Helper()
	var done []string
	for id, status := range n.missions() {
		if status == "completed" {
			done = append(done, id)
		}
	}
	return done
}

// isDone expects of a mission that it is completed, with its one event.
func (n *tenant) isDone(id string) {
	n.t.Helper()
	m := n.row("/missions/" + id)
	progress := child(n.t, m, "progress")
	if m["status"] != "completed" || number(n.t, progress, "current") != number(n.t, progress, "target") {
		n.t.Errorf("%s is %v at %v", id, m["status"], progress)
	}
	told := 0
	for _, e := range ofType(n.feed(0), "sandbox.mission.completed") {
		if child(n.t, e, "data")["id"] == id {
			told++
		}
	}
	if told != 1 {
		n.t.Errorf("%d events complete %s", told, id)
	}
}

// isOpen expects of a mission that it is not completed, at so many steps.
func (n *tenant) isOpen(id string, steps int64) {
	n.t.Helper()
	m := n.row("/missions/" + id)
	if got := number(n.t, child(n.t, m, "progress"), "current"); m["status"] == "completed" || got > steps {
		n.t.Errorf("%s is %v with %d steps, want at most %d", id, m["status"], got, steps)
	}
}

// isOpenTo is isOpen as another key sees it.
func (n *tenant) isOpenTo(key, id string) {
	n.t.Helper()
	m := n.send(n.t, request{method: "GET", path: "/missions/" + id, key: key}).want(http.StatusOK, "").Data()
	if m["status"] == "completed" {
		n.t.Errorf("%s is %v", id, m["status"])
	}
}

// sitsOut waits until a refusal is over. Nothing is sent meanwhile.
func (n *tenant) sitsOut(refusal *answer) {
	n.t.Helper()
	waitUntil(n.t, moment(n.t, refusal.Failure()["retry_at"]).Add(5*time.Millisecond))
}

func TestASafeRetryIsNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.SAFE_RETRY", "OPEN.MISSION.OWN_CALLS")
	n := shared.create(t, `{"clock":"manual"}`)
	body, key := `{"sku":"prd_notebook","quantity":1}`, freshKey()
	n.post("/factory/work-orders", body, "Idempotency-Key", key).want(http.StatusCreated, "")
	n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":2}`, "Idempotency-Key", key).
		want(422, "idempotency_key_reused")
	n.post("/factory/work-orders", body).want(http.StatusCreated, "")
	n.isOpen("safe_retry", 0)
	n.post("/factory/work-orders", body, "Idempotency-Key", key).want(http.StatusCreated, "")
	n.isDone("safe_retry")
}

func TestPagingThroughIsNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.PAGE_THROUGH")
	n := shared.create(t, `{"clock":"manual"}`)
	walk := func(query string) (cursors []string) {
		t.Helper()
		for cursor := ""; ; {
			path := "/office/sales-orders?" + query
			if cursor != "" {
				path += "&cursor=" + cursor
			}
			if cursor = n.get(path).want(http.StatusOK, "").Cursor(); cursor == "" {
				return cursors
			}
			cursors = append(cursors, cursor)
		}
	}
	if pages := len(walk("limit=4")) + 1; pages != 2 {
		t.Fatalf("six orders are %d pages of four", pages)
	}
	n.isOpen("page_through", 2)
	cursors := walk("limit=2&updated_since=2020-01-01T00:00:00Z") // 3 pages, so this counts
	n.isDone("page_through")
	if len(cursors) != 2 {
		t.Errorf("three pages have %d cursors", len(cursors))
	}

	// A page that is skipped, and one that was only asked about.
	n = shared.create(t, `{"clock":"manual"}`)
	first := n.get("/office/sales-orders?limit=2").want(http.StatusOK, "").Cursor()
	other := n.get("/office/sales-orders?limit=4").want(http.StatusOK, "").Cursor()
	n.get("/office/sales-orders?limit=2&cursor="+other).want(http.StatusOK, "")
	n.isOpen("page_through", 1)
	n.call("HEAD", "/office/sales-orders?limit=2&cursor="+first, "")
	n.get("/office/sales-orders?limit=2&cursor="+other).want(http.StatusOK, "")
	n.isOpen("page_through", 1)
}

func TestSavedTransfersAndTablesAreNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.NOT_MODIFIED", "OPEN.MISSION.TAKE_CSV")
	n := shared.create(t, `{"clock":"manual"}`)
	list := n.get("/office/customers").want(http.StatusOK, "")
	n.get("/office/customers", "If-None-Match", `"of another list"`).want(http.StatusOK, "")
	n.get("/office/cash", "Accept", "text/csv").want(http.StatusNotAcceptable, "not_acceptable")
	if slices.Contains(n.completed(), "not_modified") || slices.Contains(n.completed(), "take_csv") {
		t.Errorf("completed are %v", n.completed())
	}
	n.get("/office/customers", "If-None-Match", list.Header.Get("ETag")).want(http.StatusNotModified, "")
	n.isDone("not_modified")
	n.get("/office/customers.csv").want(http.StatusOK, "")
	n.isDone("take_csv")
}

func TestWaitingForThePressIsNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.PRESS_BUSY_WAIT")
	n := shared.create(t, `{"clock":"manual"}`)
	var orders []string
	for range 4 {
		orders = append(orders, text(n.work("prd_notebook", 1, ""), "id"))
	}
	start := func(order string) *answer {
		return n.post("/factory/print-runs", fmt.Sprintf(`{"press_id":"prs_digital","work_order_id":%q}`, order))
	}
	start(orders[0]).want(http.StatusCreated, "")
	busy := start(orders[1]).want(http.StatusConflict, "press_busy")
	n.tick(240)
	if start(orders[1]).Status == http.StatusCreated && time.Now().Before(moment(t, busy.Failure()["retry_at"])) {
		n.isOpen("press_busy_wait", 0) // it was free before its time
	}
	busy = start(orders[2]).want(http.StatusConflict, "press_busy")
	n.tick(240)
	n.sitsOut(busy)
	start(orders[2]).want(http.StatusCreated, "")
	n.isDone("press_busy_wait")
}

// limited moves the clock too often.
func (n *tenant) limited() *answer {
	n.t.Helper()
	const tries, together = 20, 3
	for range tries {
		answers := make([]*answer, together)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = n.post("/sandbox/tick", `{"minutes":1}`) })
		}
		all.Wait()
		slices.SortFunc(answers, func(a, b *answer) int { return strings.Compare(a.retryAt(), b.retryAt()) })
		if last := answers[together-1]; last.Status == http.StatusTooManyRequests {
			return last
		}
	}
	n.t.Fatal("the clock can be moved as often as one likes")
	return nil
}

// retryAt is when a refusal is over, "" when there is none.
func (a *answer) retryAt() string {
	if a.Status < http.StatusBadRequest {
		return ""
	}
	return fmt.Sprint(a.Failure()["retry_at"])
}

func TestBackingOffIsNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.BACK_OFF")
	n := paused(t).create(t, `{"clock":"manual"}`)
	n.get("/office/cash").want(http.StatusOK, "")
	refused := n.limited()
	n.get("/factory/presses").want(http.StatusOK, "") // the other key
	n.sitsOut(refused)
	n.isOpenTo(n.factory, "back_off")
	n.get("/office/cash").want(http.StatusOK, "")
	n.isDone("back_off")
}

func TestAClientThatIsNotSilentHasNotBackedOff(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.BACK_OFF")
	s := paused(t)
	for {
		n := s.create(t, `{"clock":"manual"}`)
		refused := n.limited()
		until := moment(t, refused.Failure()["retry_at"])
		spoken := moment(t, n.get("/office/cash").want(http.StatusOK, "").Meta()["server_time"])
		n.sitsOut(refused)
		n.get("/office/cash").want(http.StatusOK, "")
		if spoken.Before(until) {
			n.isOpen("back_off", 0)
			return
		}
	}
}

func TestFollowingTheFeedIsNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.READ_THE_FEED")
	n := shared.create(t, `{"clock":"manual"}`)
	last := func(a *answer) int64 {
		t.Helper()
		items := a.want(http.StatusOK, "").Items()
		return number(t, items[len(items)-1], "seq")
	}
	first := last(n.get("/events?limit=9"))
	n.get(fmt.Sprintf("/events?limit=9&after_seq=%d", first+1)).want(http.StatusOK, "") // a gap
	n.isOpen("read_the_feed", 2)
	first = last(n.get("/events?limit=9"))
	second := last(n.get(fmt.Sprintf("/events/poll?limit=9&after_seq=%d", first)))
	n.isOpen("read_the_feed", 2)
	n.get(fmt.Sprintf("/events?limit=9&after_seq=%d", second)).want(http.StatusOK, "")
	n.isDone("read_the_feed")
}
