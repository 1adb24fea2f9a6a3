package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// breakable creates a sandbox in which faults are triggered by hand.
func breakable(t *testing.T) *tenant {
	t.Helper()
	return usual(t).create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
}

// notebooks orders some with a key, once, whatever comes of it.
func (n *tenant) notebooks(key string, quantity int) outcome {
	n.t.Helper()
	body := fmt.Sprintf(`{"sku":"prd_notebook","quantity":%d}`, quantity)
	return n.tries(http.MethodPost, "/factory/work-orders", body, key)
}

// is fails when something came of a request that should not.
func (o outcome) is(t testing.TB, what string, status int, replayed bool) {
	t.Helper()
	if o.status != status || (o.header.Get("Idempotency-Replayed") == "true") != replayed {
		t.Fatalf("%s is %+v", what, o)
	}
}

// isLost fails for a response of the API.
func (o outcome) isLost(t testing.TB) {
	t.Helper()
	if !o.lost() {
		t.Fatalf("what should be lost is %+v", o)
	}
}

// retryAt is when there may be another request, as a response says.
func (o outcome) retryAt(t testing.TB) time.Time {
	t.Helper()
	var body struct {
		Error struct {
			RetryAt time.Time `json:"retry_at"`
		}
	}
	if err := json.Unmarshal([]byte(o.body), &body); err != nil || body.Error.RetryAt.IsZero() {
		t.Fatalf("nothing says when to come back: %+v, %v", o, err)
	}
	return body.Error.RetryAt
}

// sitOut waits until a response says that there may be another request. Nothing is sent meanwhile.
func (o outcome) sitOut(t testing.TB) {
	t.Helper()
	waitUntil(t, o.retryAt(t).Add(5*time.Millisecond))
}

// tooEarly lets a client be turned away and come back too early, and returns its sandbox and what
// it was told. On a busy machine it may be late instead, and begins in another sandbox.
func tooEarly(t *testing.T, isTurnedAway func(*tenant) outcome, comesBack func(*tenant)) (*tenant, outcome) {
	t.Helper()
	const often = 20
	for range often {
		n := breakable(t)
		told := isTurnedAway(n)
		comesBack(n)
		if time.Now().Before(told.retryAt(t)) {
			return n, told
		}
	}
	t.Fatalf("the machine is too busy: %d times nobody came back within a second", often)
	return nil, outcome{}
}

// turnedAway reports whether a request should come again later.
func (o outcome) turnedAway() bool {
	return o.status == http.StatusServiceUnavailable || o.status == http.StatusTooManyRequests
}

// returns reads from a system until it is not turned away, and gives it no time to wait.
func (n *tenant) returns(path string) {
	n.t.Helper()
	const most = 10
	for range most {
		if n.tries(http.MethodGet, path, "", "").status == http.StatusOK {
			return
		}
	}
	n.t.Fatalf("after %d requests %s is still away", most, path)
}

// outlives sends a request until a system is there again, and waits in between as it is told.
func (n *tenant) outlives(path string) {
	n.t.Helper()
	a := n.tries(http.MethodGet, path, "", "")
	for a.turnedAway() {
		a.sitOut(n.t)
		a = n.tries(http.MethodGet, path, "", "")
	}
	a.is(n.t, path, http.StatusOK, false)
}

func TestALostResponseIsGotWithTheSameKey(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.LOST_RESPONSE")
	n := breakable(t)
	n.injects("response_lost", 1)
	n.notebooks("mine", 1).isLost(t)
	n.notebooks("other", 1).is(t, "the same work with another key", http.StatusCreated, false)
	n.notebooks("other", 1).is(t, "its repetition", http.StatusCreated, true)
	n.isOpen("lost_response", 0)
	n.injects("response_lost", 1)
	n.notebooks("other", 1).isLost(t)
	n.notebooks("other", 1).is(t, "what had come before", http.StatusCreated, true)
	n.isOpen("lost_response", 0)
	n.notebooks("mine", 1).is(t, "the repetition", http.StatusCreated, true)
	n.isDone("lost_response")
	n.isOpen("lost_request", 0)
}

func TestALostRequestIsDoneWithTheSameKey(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.LOST_REQUEST")
	n := breakable(t)
	n.notebooks("done", 1).is(t, "a write", http.StatusCreated, false)
	for _, key := range []string{"mine", "changed", "done"} {
		n.injects("request_lost", 1)
		n.notebooks(key, 1).isLost(t)
	}
	n.notebooks("other", 1).is(t, "the same work with another key", http.StatusCreated, false)
	n.notebooks("changed", 2).is(t, "other work with the same key", http.StatusCreated, false)
	n.notebooks("done", 1).is(t, "what was done before", http.StatusCreated, true)
	n.isOpen("lost_request", 0)
	n.notebooks("mine", 1).is(t, "the repetition", http.StatusCreated, false)
	n.isDone("lost_request")
	n.isOpen("lost_response", 0)
}

// TestALateRequestIsGotWithTheSameKey, before it arrives and after that.
func TestALateRequestIsGotWithTheSameKey(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.LATE_REQUEST")
	n := breakable(t)
	n.injects("request_late", 1)
	n.notebooks("mine", 1).isLost(t)
	n.notebooks("other", 1).is(t, "the same work with another key", http.StatusCreated, false)
	n.isOpen("late_request", 0)
	n.tick(1)
	n.isOpen("late_request", 0) // it came by itself
	n.notebooks("mine", 1).is(t, "what has arrived", http.StatusCreated, true)
	n.isDone("late_request")
	n.isOpen("lost_request", 0)

	n = breakable(t)
	n.injects("request_late", 1)
	n.notebooks("mine", 1).isLost(t)
	n.notebooks("mine", 1).is(t, "what is on its way", http.StatusCreated, false)
	n.isDone("late_request")
}

func TestAStormIsSatOut(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.SIT_OUT_STORM")
	storm := func(n *tenant) outcome {
		n.injects("storm", 1)
		o := n.tries(http.MethodGet, "/office/cash", "", "")
		if !o.turnedAway() {
			t.Fatalf("in the storm there is %+v", o)
		}
		return o
	}
	n, first := tooEarly(t, storm, func(n *tenant) { n.returns("/office/cash") })
	first.sitOut(t)
	n.returns("/office/cash")
	n.isOpen("sit_out_storm", 0)
	n.injects("response_lost", 1, "get_cash")
	n.tries(http.MethodGet, "/office/cash", "", "").isLost(t) // no storm
	last := storm(n)
	for last.turnedAway() {
		n.tries(http.MethodGet, "/factory/stock", "", "").is(t, "the other key", http.StatusOK, false)
		last.sitOut(t)
		n.isOpenTo(n.factory, "sit_out_storm")
		last = n.tries(http.MethodGet, "/office/cash", "", "")
	}
	last.is(t, "after the storm", http.StatusOK, false)
	n.isDone("sit_out_storm")
}

func TestTheOtherSystemGoesOn(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.HALF_A_COMPANY")
	n := breakable(t)
	outage := func(path string) {
		n.injects("outage", 1)
		n.tries(http.MethodGet, path, "", "").is(t, path, http.StatusServiceUnavailable, false)
	}
	outage("/office/cash")
	n.outlives("/office/cash") // the other one only then
	n.notebooks("late", 1).is(t, "what the Factory does", http.StatusCreated, false)
	n.outlives("/office/cash")
	n.isOpen("half_a_company", 0)
	outage("/factory/stock")
	n.outlives("/factory/stock")
	outage("/office/cash")
	n.notebooks("meanwhile", 1).is(t, "what the Factory does", http.StatusCreated, false)
	n.isOpen("half_a_company", 0)
	n.outlives("/office/cash")
	n.isDone("half_a_company")
}

func TestAListIsStartedOver(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.START_OVER")
	n := breakable(t)
	const first = "/factory/stock?limit=2"
	following := func(path string, a *answer) string {
		if a.Cursor() == "" {
			return ""
		}
		return path + "&cursor=" + a.Cursor()
	}
	// forgotten reads until a cursor is forgotten, and returns the path that had it.
	forgotten := func() string {
		t.Helper()
		const most = 100
		path := first
		for range most {
			if strings.Contains(path, "cursor=") {
				n.injects("short_page", 1)
			}
			a := n.get(path)
			if a.Status == http.StatusBadRequest {
				a.want(http.StatusBadRequest, "invalid_cursor")
				return path
			}
			if path = following(first, a); path == "" {
				path = first
			}
		}
		t.Fatalf("in %d pages no cursor was forgotten", most)
		return ""
	}
	toEnd := func(path, begin string) {
		t.Helper()
		for path != "" {
			path = following(begin, n.get(path).want(http.StatusOK, ""))
		}
	}
	n.get(first+"&cursor=mine").want(http.StatusBadRequest, "invalid_cursor")
	toEnd(first, first)
	toEnd(forgotten(), first)
	n.isOpen("start_over", 0)
	const other = "/factory/stock?limit=2&kind=material"
	forgotten()
	toEnd(other, other)
	n.isOpen("start_over", 0)
	const all = "/factory/stock?limit=7"
	toEnd(all, all)
	n.isDone("start_over")
}

func TestTheFirstAttemptIsWaitedFor(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.STILL_AT_WORK")
	atWork := func(n *tenant) outcome {
		n.injects("in_progress", 1)
		o := n.notebooks("mine", 1)
		o.is(t, "the repetition", http.StatusConflict, false)
		return o
	}
	begins := func(n *tenant) outcome {
		n.notebooks("mine", 1).is(t, "a write", http.StatusCreated, false)
		return atWork(n)
	}
	n, early := tooEarly(t, begins, func(n *tenant) {
		n.notebooks("mine", 1).is(t, "the repetition that comes too early", http.StatusCreated, true)
	})
	early.sitOut(t)
	n.notebooks("mine", 1).is(t, "the one after it", http.StatusCreated, true)
	n.isOpen("still_at_work", 0)
	told := atWork(n)
	n.notebooks("other", 1).is(t, "another key", http.StatusCreated, false)
	told.sitOut(t)
	n.notebooks("other", 1).is(t, "another key", http.StatusCreated, true)
	n.isOpen("still_at_work", 0)
	n.notebooks("mine", 1).is(t, "the repetition in time", http.StatusCreated, true)
	n.isDone("still_at_work")
}

// TestWhoIsComparedHasNoMissionsOfFailures, not even when something goes wrong.
func TestWhoIsComparedHasNoMissionsOfFailures(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.FAILURES")
	of := func(n *tenant) (ids []string) {
		for _, m := range n.all("/missions") {
			if m["track"] == "failures" {
				ids = append(ids, text(m, "id"))
			}
		}
		return ids
	}
	const every = `"clock":"manual","faults":{"rules":[
		{"kind":"response_lost","share":1,"operations":["create_work_order"]}]}}`
	compared, usual := shared.create(t, `{"preset":"agent_eval",`+every), shared.create(t, `{`+every)
	compared.notebooks("mine", 1).isLost(t)
	compared.notebooks("mine", 1).isLost(t)
	if ids := of(compared); len(ids) > 0 {
		t.Errorf("who is compared has the missions %v", ids)
	}
	want := []string{
		"lost_response", "lost_request", "sit_out_storm", "half_a_company", "start_over", "still_at_work",
		"late_request",
	}
	if ids := of(usual); !slices.Equal(ids, want) {
		t.Errorf("the missions of failures are %v", ids)
	}
}
