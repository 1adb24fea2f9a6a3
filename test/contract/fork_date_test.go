package contract

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// ticksTo moves the clock to the opening of a day, in one tick.
func (n *tenant) ticksTo(date string) {
	n.t.Helper()
	stopped := n.post("/sandbox/tick", encode(n.t, object{"until": object{"sim_date": date}})).want(http.StatusOK, "")
	if stopped.Data()["stopped_by"] != "sim_date" {
		n.t.Fatalf("the tick until %s ended as %v", date, stopped.Data())
	}
}

// dated makes a fork of the opening of a day.
func (n *tenant) dated(date string) *tenant {
	n.t.Helper()
	return n.fork(encode(n.t, object{"sim_date": date}))
}

// opens checks that a fork is of the opening of a day, and has the events of its parent until then.
func (n *tenant) opens(parent *tenant, date string) {
	n.t.Helper()
	status := n.row("/sandbox")
	clock, from := child(n.t, status, "clock"), child(n.t, status, "forked_from")
	agrees(n.t, "the clock", clock, object{"sim_date": date, "sim_time": "08:00"})
	agrees(n.t, "the response", n.created, object{"forked_from": object{"sandbox_id": parent.id, "seq": from["seq"]}})
	seq := uint64(number(n.t, from, "seq"))
	if mine, theirs := n.past(seq), parent.past(seq); mine != theirs {
		n.t.Errorf("the events until %s are\n%s\nand those of the parent\n%s", date, mine, theirs)
	}
	for _, e := range parent.feed(seq) {
		if text(e, "sim_date") < date {
			n.t.Errorf("the fork of %s lacks event %v", date, e["seq"])
		}
	}
}

// TestAForkOfADateBeginsAtItsOpening, though no commit ends there.
func TestAForkOfADateBeginsAtItsOpening(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.DATE", "OPEN.FORK.CREATE", "OPEN.FORK.PAST", "OPEN.FORK.SAME")
	begins := func() *tenant {
		n := shared.create(t, `{"clock":"manual","seed":12}`)
		n.settle()
		first := text(n.order("SO-1001"), "id")
		n.accept(first)
		n.accept(text(n.order("SO-1002"), "id"))
		return n
	}
	n, twin := begins(), begins()
	n.tick(100)
	twin.tick(100)
	n.ticksTo("2026-09-15") // over a weekend, in one commit
	n.history()
	before, checkpoints, hash := n.history(), len(n.all("/sandbox/checkpoints")), n.stateHash()

	days := []string{"2026-09-08", "2026-09-10", "2026-09-14", "2026-09-15"}
	for _, date := range days {
		m := n.dated(date)
		m.opens(n, date)
		twin.ticksTo(date)
		if m.stateHash() != twin.stateHash() || m.newest() != twin.newest() {
			t.Errorf("the fork of %s is at event %d, one that stopped there at %d", date, m.newest(), twin.newest())
		}
		if date != days[len(days)-1] {
			m.ticksTo("2026-09-15")
		}
		if m.stateHash() != hash {
			t.Errorf("the fork of %s goes on in another way", date)
		}
		if held := child(t, m.row("/sandbox/report"), "invariants"); held["hold"] != true {
			t.Errorf("the books of the fork of %s: %v", date, held)
		}
		for _, e := range m.feed(uint64(number(t, child(t, m.created, "forked_from"), "seq"))) {
			if e["sandbox_id"] != m.id {
				t.Fatalf("a new event of the fork is of %v", e["sandbox_id"])
			}
		}
		if date == "2026-09-10" { // what a fork has lived again is a past like another
			again := m.dated("2026-09-09")
			again.opens(m, "2026-09-09")
			e := slices.DeleteFunc(m.feed(0), func(e object) bool { return e["sandbox_id"] != n.id })
			last := e[len(e)-1]
			agrees(t, "an event alone", m.row("/events/"+text(last, "id")), object{"seq": last["seq"]})
		}
	}
	n.dated("2026-09-12").opens(n, "2026-09-14") // a Saturday
	if n.history() != before || len(n.all("/sandbox/checkpoints")) != checkpoints || n.stateHash() != hash {
		t.Error("a fork changed the sandbox that it comes from")
	}
	start := n.dated("2026-09-07")
	start.opens(n, "2026-09-07")
	if start.order("SO-1001")["status"] != "received" {
		t.Error("the fork of the first day has what came later")
	}
}

// TestAForkOfADateHasNoRequestOfItsMinute.
func TestAForkOfADateHasNoRequestOfItsMinute(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.DATE")
	n := shared.create(t, `{"clock":"manual"}`)
	n.settle()
	n.ticksTo("2026-09-08")
	before := n.newest()
	id := text(n.order("SO-1001"), "id")
	n.accept(id)
	m := n.dated("2026-09-08")
	m.opens(n, "2026-09-08")
	if m.newest() != before || m.row("/office/sales-orders/" + id)["status"] != "received" {
		t.Errorf("the fork is at event %d, the opening was at %d", m.newest(), before)
	}
}

// TestAForkOfADateThatHasNotComeIsRefused, as is one before the first day, and two places at once.
func TestAForkOfADateThatHasNotComeIsRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.DATE", "OPEN.FORK.CREATE")
	n := shared.create(t, `{"clock":"manual"}`)
	n.settle()
	n.ticksTo("2026-09-11")
	n.tick(30)
	n.history()
	before := n.history()
	for _, body := range []string{
		`{"sim_date":"2026-09-12"}`, `{"sim_date":"2026-09-14"}`, `{"sim_date":"9999-12-31"}`,
		`{"sim_date":"2026-09-06"}`, `{"sim_date":"0001-01-01"}`, `{"sim_date":"2026-02-30"}`, `{"sim_date":""}`,
		`{"sim_date":20260908}`, `{"sim_date":null}`, `{"sim_date":"2026-09-08","seq":1}`,
		`{"sim_date":"2026-09-08","checkpoint":"start"}`, `{"sim_date":"2026-09-08","sim_time":"09:00"}`,
	} {
		n.asks(body).want(http.StatusUnprocessableEntity, "validation_failed")
	}
	if n.history() != before {
		t.Error("a fork that was refused changed something")
	}
}

// TestAForkOfADateLivesWhatAClockLived: events have the wall times at which they happened.
func TestAForkOfADateLivesWhatAClockLived(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FORK.DATE", "OPEN.FORK.CLOCK")
		folder := presets(t, map[string]object{"hasty": {"clock": object{"mode": "realtime", "speed": 480}}})
		n := serve(t, folder).create(t, `{"preset":"hasty"}`)
		n.settle()
		time.Sleep(5 * time.Second) //nolint:forbidigo // in a bubble: nobody looks, so much passes at once
		n.row("/sandbox")
		n.patch("/sandbox", `{"clock":"manual"}`)
		n.ticksTo("2026-09-18")
		for _, date := range []string{"2026-09-09", "2026-09-10", "2026-09-17"} {
			m := n.dated(date)
			m.patch("/sandbox", `{"clock":"manual"}`)
			again := m.dated("2026-09-09") // the fork has lived this day again, or has it from its parent
			for _, m := range []*tenant{m, again} {
				seq := uint64(number(t, child(t, m.created, "forked_from"), "seq"))
				if m.past(seq) != n.past(seq) {
					t.Errorf("the events until event %d, in the fork of %s, are others", seq, date)
				}
			}
		}
		waits := serve(t).create(t, `{"preset":"starter"}`) // its clock waits for the first request
		waits.ticksTo("2026-09-10")
		if m := waits.dated("2026-09-09"); m.waiting() {
			t.Error("the clock waits, although the tick had started it")
		}
	})
}

// TestAForkOfADateHandsNoEvaluationOver.
func TestAForkOfADateHandsNoEvaluationOver(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.DATE", "OPEN.FORK.EVALUATION")
	n := shared.create(t, `{"preset":"agent_eval"}`)
	n.asks(`{"sim_date":"2026-09-07"}`).want(http.StatusForbidden, "not_in_evaluation")
	n.ticksTo("2026-09-10")
	grader := n.grader()
	m := grader.fork(`{"sim_date":"2026-09-09"}`)
	if m.grading == "" || m.grading == n.grading {
		t.Error("the fork has no grading key of its own")
	}
	if made := grader.all("/sandbox/checkpoints"); len(made) != 1 {
		t.Errorf("there are the checkpoints %v", made)
	}
	key := "the fork of a date of " + n.id
	first := n.grader().asks(`{"sim_date":"2026-09-09"}`, "Idempotency-Key", key).want(http.StatusCreated, "")
	again := n.grader().asks(`{"sim_date":"2026-09-09"}`, "Idempotency-Key", key).want(http.StatusCreated, "")
	if string(first.Raw) != string(again.Raw) {
		t.Errorf("again: %s", again.Raw)
	}
	n.grader().asks(`{"sim_date":"2026-09-08"}`, "Idempotency-Key", key).
		want(http.StatusUnprocessableEntity, "idempotency_key_reused")
}

// TestAForkOfADateHasTheLateRequestsOfItsPast: one that arrived before a tick is not carried out again in it.
func TestAForkOfADateHasTheLateRequestsOfItsPast(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.DATE", "OPEN.FAULT.REQUEST_LATE")
	n := byHand(t)
	order := n.order("SO-1001")
	n.late(order, "cards")
	n.ticksTo("2026-09-10")
	m := n.dated("2026-09-09")
	for range mostLate + 1 {
		m.all(workOrders)
		n.all(workOrders)
	}
	if mine, theirs := m.cardsOf(order), n.cardsOf(order); mine != 1 || theirs != 1 {
		t.Errorf("the fork has %d work orders for it, its parent %d", mine, theirs)
	}
}
