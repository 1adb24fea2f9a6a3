package contract

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// score returns the counts of GET /sandbox/integration.
func (n *tenant) score() object {
	n.t.Helper()
	return n.row("/sandbox/integration")
}

// counted compares the counts of a score.
func counted(t testing.TB, score object, want object) {
	t.Helper()
	counts := object{"due": 0, "exact": 0, "late": 0, "missed": 0, "doubled": 0, "wrong": 0, "unexpected": 0,
		"repeated": 0}
	maps.Copy(counts, want)
	agrees(t, "the counts", child(t, score, "counts"), counts)
}

// TestTheScoreSeesBothSystems plays three orders: one is carried well, one twice, and one
// is forgotten.
func TestTheScoreSeesBothSystems(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.SCORE", "OPEN.INTEGRATION.OBLIGATION", "OPEN.INTEGRATION.VERDICT",
		"OPEN.INTEGRATION.UNJUDGED", "OPEN.INTEGRATION.FINDINGS", "OPEN.INTEGRATION.MISSED_TOO")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	fresh := n.score()
	agrees(t, "a fresh score", fresh, object{"bridge": "manual", "exactly_once": nil})
	counted(t, fresh, object{})
	if kinds := fresh["kinds"].([]any); len(kinds) != 9 {
		t.Errorf("there are %d kinds: %v", len(kinds), kinds)
	}
	well, twice, never := n.order("SO-1001"), n.order("SO-1002"), n.order("SO-1003")
	for _, order := range []object{well, twice, never} {
		n.accept(text(order, "id"))
	}
	work := n.work("prd_card", 10, text(well, "id"))
	n.work("prd_flyer", 120, text(twice, "id"))
	n.work("prd_flyer", 120, text(twice, "number"))
	n.work("prd_card", 1, "SO-9999")
	counted(t, n.score(), object{"due": 2, "exact": 1, "doubled": 1, "unexpected": 1})

	n.print(text(work, "id"))
	n.tick(300)
	n.dispatch(text(work, "id"))
	counted(t, n.score(), object{"due": 2, "exact": 1, "doubled": 1, "unexpected": 1})
	n.bill(text(well, "id"))
	counted(t, n.score(), object{"due": 3, "exact": 2, "doubled": 1, "unexpected": 1})
	n.untilDay(2) // the order that was forgotten could still come late
	counted(t, n.score(), object{"due": 3, "exact": 2, "doubled": 1, "unexpected": 1})
	n.untilDay(3)
	score := n.score()
	counted(t, score, object{"due": 5, "exact": 2, "doubled": 1, "missed": 2, "unexpected": 1})
	if got := fmt.Sprint(score["exactly_once"]); got != "0.333333" {
		t.Errorf("two of six are exact, and the score is %s", got)
	}
	agrees(t, "the failures", score, object{"failures_per_thousand": 666.666666, "days_without_failure": 0})
	for _, kind := range score["kinds"].([]any) {
		if kind := kind.(object); kind["kind"] == "order" {
			agrees(t, "orders", kind, object{"due": 3, "exact": 1, "doubled": 1, "missed": 1, "unexpected": 1})
		}
	}

	found := map[string]object{}
	for _, row := range n.all("/sandbox/integration/findings") {
		found[text(row, "verdict")+" "+text(row, "kind")] = row
	}
	missed := found["missed order"]
	agrees(t, "the forgotten order", missed, object{
		"id": "order." + text(never, "id"), "since_on": "2026-09-07", "done_on": nil,
		"message": "SO-1003 has no work order. The deadline was 2026-09-08.",
	})
	agrees(t, "the goods that it cost", found["missed parcel"], object{
		"id":      "parcel." + text(never, "id"),
		"message": "SO-1003 never got its work order, so nothing could be shipped or billed.",
	})
	agrees(t, "its cause", child(t, missed, "cause"), object{
		"system": "office", "resource": "sales_order", "id": never["id"], "number": "SO-1003",
		"path": "/office/sales-orders/" + text(never, "id"),
	})
	agrees(t, "the record at the path of a cause", n.row(text(child(t, missed, "cause"), "path")),
		object{"id": never["id"]})
	doubled := found["doubled order"]
	if effects := doubled["effects"].([]any); len(effects) != 2 {
		t.Errorf("carried twice, and the effects are %v", effects)
	} else {
		for _, effect := range effects {
			agrees(t, "an effect", n.row(text(effect.(object), "path")), object{"id": effect.(object)["id"]})
		}
	}
	var shown []string
	for _, e := range doubled["events"].([]any) {
		named := e.(object)
		agrees(t, "the event", n.row("/events/"+text(named, "id")), object{"seq": named["seq"], "type": named["type"]})
		shown = append(shown, text(named, "type"))
	}
	const ordered = "factory.work_order.created"
	if want := []string{"office.sales_order.accepted", ordered, ordered}; !slices.Equal(shown, want) {
		t.Errorf("what shows it are %s", shown)
	}
	if unexpected := found["unexpected order"]; unexpected["cause"] != nil {
		t.Errorf("nothing obliged to %v", unexpected)
	}

	var paged []any
	for path := "/sandbox/integration/findings?limit=2"; path != ""; {
		data := n.row(path)
		paged, path = append(paged, data["items"].([]any)...), ""
		if next := text(data, "next_cursor"); next != "" {
			path = "/sandbox/integration/findings?limit=2&cursor=" + next
		}
	}
	whole := n.row("/sandbox/integration/findings")
	exactSince := slices.IndexFunc(paged, func(row any) bool { return row.(object)["verdict"] == "exact" })
	for _, row := range paged[exactSince:] {
		if row.(object)["verdict"] != "exact" {
			t.Errorf("%v comes after what is exact", row)
		}
	}
	agrees(t, "all pages of two", object{"items": paged}, object{"items": whole["items"]})
	for _, row := range n.all("/sandbox/integration/findings?verdict=exact&kind=parcel") {
		agrees(t, "a parcel", row, object{"kind": "parcel", "verdict": "exact", "done_on": "2026-09-07"})
	}
	n.get("/sandbox/integration/findings?verdict=open").want(http.StatusBadRequest, "invalid_parameter")
	since := text(n.order("SO-1003"), "updated_at")
	n.untilDay(4)
	before := text(missed, "updated_at")
	if before <= since {
		t.Errorf("the order was forgotten at %s, and it was accepted at %s", before, since)
	}
	for _, row := range n.all("/sandbox/integration/findings?updated_since=" + before) {
		if row["id"] == doubled["id"] {
			t.Errorf("%v was changed since %s", row, before)
		}
	}
	first := n.get("/sandbox/integration/findings").want(http.StatusOK, "")
	n.get("/sandbox/integration/findings", "If-None-Match", first.Header.Get("ETag")).want(http.StatusNotModified, "")
}

func TestMannersAreCountedAndNoPartOfTheScore(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.MANNERS")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	n.row("/sandbox")
	agrees(t, "manners", child(t, n.score(), "manners"), object{
		"requests": 0, "early": 0, "writes_refused": 0, "tries_per_write": nil, "unchanged_reads": 0,
	})
	order := text(n.order("SO-1001"), "id") // one read
	n.accept(order)
	n.post("/office/sales-orders/"+order+"/accept", "").want(http.StatusConflict, "invalid_state")
	seen := n.get("/office/suppliers").want(http.StatusOK, "")
	n.get("/office/suppliers").want(http.StatusOK, "")
	n.get("/office/suppliers", "If-None-Match", seen.Header.Get("ETag")).want(http.StatusNotModified, "")
	score := n.score()
	manners := child(t, score, "manners")
	agrees(t, "manners", manners, object{"early": 0, "writes_refused": 1, "unchanged_reads": 1})
	if got := fmt.Sprint(manners["tries_per_write"]); got != "2" {
		t.Errorf("one of two attempts was carried out, and the tries are %s", got)
	}
	if got := number(t, manners, "requests"); got < 6 {
		t.Errorf("%d requests are counted", got)
	}
	if score["exactly_once"] != nil {
		t.Errorf("the score is %v", score["exactly_once"])
	}
}

// TestTheEventsOfAWeekAreItsOwn: what was accepted or ordered on its Monday is of something else.
func TestTheEventsOfAWeekAreItsOwn(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.FINDINGS")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	for range 13 {
		for _, order := range n.all("/office/sales-orders?status=received") {
			n.accept(text(order, "id"))
		}
		n.day()
	}
	weeks := n.all("/sandbox/integration/findings?kind=week")
	if len(weeks) == 0 {
		t.Fatal("nobody recorded the hours of the first week, and nothing is found")
	}
	for _, week := range weeks {
		for _, e := range week["events"].([]any) {
			if named := e.(object); !strings.HasPrefix(text(named, "type"), "hr.payroll.") {
				t.Errorf("%s shows %v", text(week, "message"), named)
			}
		}
	}
}

func TestNothingIsJudgedWhereNothingIsCarried(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.AUTO", "OPEN.INTEGRATION.EVALUATION")
	n := shared.create(t, `{"preset":"starter","seed":5,"clock":"manual"}`)
	n.accept(text(n.order("SO-1001"), "id"))
	for range 4 {
		n.day()
	}
	agrees(t, "the score", n.score(), object{"bridge": "auto", "exactly_once": nil, "client": nil, "kinds": []any{}})
	if found := n.all("/sandbox/integration/findings"); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	compared := shared.create(t, `{"preset":"agent_eval","bridge":"manual"}`)
	for _, path := range []string{"/sandbox/integration", "/sandbox/integration/findings"} {
		compared.get(path).want(http.StatusForbidden, "not_in_evaluation")
	}
}
