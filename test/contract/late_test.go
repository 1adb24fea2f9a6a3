package contract

import (
	"fmt"
	"net/http"
	"testing"
)

// late has the next order for cards lost, to arrive later.
func (n *tenant) late(order object, key string) {
	n.t.Helper()
	n.loseNext("request_late", http.MethodPost, workOrders, n.cards(order), key)
}

// cardsOf counts the work orders for an order.
func (n *tenant) cardsOf(order object) int {
	n.t.Helper()
	return len(n.all("/factory/work-orders?reference=" + text(order, "id")))
}

// mostLate is how many requests of its key come before a late one at most.
const mostLate = 3

// TestALateRequestTakesEffectAfterOthers: a client that looks at once sees nothing of it.
func TestALateRequestTakesEffectAfterOthers(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.REQUEST_LATE")
	n, waited := byHand(t), map[int]bool{}
	for i := range 12 {
		body, key := fmt.Sprintf(`{"sku":"prd_notebook","quantity":%d}`, i+1), fmt.Sprint("work-", i)
		n.loseNext("request_late", http.MethodPost, workOrders, body, key)
		for range mostLate + 1 {
			n.get("/office/cash").want(http.StatusOK, "") // the other key brings it no nearer
		}
		looks := 0
		for len(n.all(workOrders)) == i {
			if looks++; looks > mostLate {
				t.Fatalf("after %d requests the late one has no effect", looks)
			}
		}
		if looks < 1 {
			t.Error("the first request after a late one shows its effect")
		}
		waited[looks] = true
		faults := n.all("/sandbox/faults")
		agrees(t, "the arrival", faults[0], object{
			"kind": "request_late", "operation": "create_work_order", "detail": "arrived: 201 Created",
		})
		agrees(t, "its request", n.row("/requests/"+text(faults[1], "request_id")), object{
			"operation": "create_work_order", "status": 201, "faults": []any{"request_late"},
		})
		n.tries(http.MethodPost, workOrders, body, key).is(t, "the repetition", http.StatusCreated, true)
	}
	if len(waited) < mostLate {
		t.Errorf("late requests came after %v others", waited)
	}
}

// TestALateRequestThatCameAgainDoesNothing, and a tick brings all that are on their way.
func TestALateRequestThatCameAgainDoesNothing(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.REQUEST_LATE", "OPEN.INTEGRATION.CLIENT")
	n := byHand(t)
	order := n.acceptedOrder("SO-1001")
	n.late(order, "cards")
	n.tries(http.MethodPost, workOrders, n.cards(order), "cards").is(t, "the same again", http.StatusCreated, false)
	n.tick(60)
	if n.cardsOf(order) != 1 {
		t.Errorf("there are %d work orders", n.cardsOf(order))
	}
	n.carried(1, object{"hit": 1, "recovered": 1})

	m := byHand(t)
	order = m.acceptedOrder("SO-1001")
	before := m.newest()
	m.late(order, "cards")
	m.tick(1)
	for _, e := range m.feed(before) {
		if text(e, "type") == "factory.work_order.created" {
			return
		}
	}
	t.Error("a tick does not bring a late request")
}

// TestWhoLooksBeforeARepetitionIsNotSafe: the record is not there yet, and is there twice in the end where both systems
// take a reference twice.
func TestWhoLooksBeforeARepetitionIsNotSafe(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.REQUEST_LATE", "OPEN.INTEGRATION.SAVED", "OPEN.INTEGRATION.CLIENT")
	looks := func(n *tenant) object {
		order := n.acceptedOrder("SO-1001")
		n.late(order, "attempt-1")
		if n.cardsOf(order) > 0 {
			t.Error("it is there at once")
		}
		n.tries(http.MethodPost, workOrders, n.cards(order), "attempt-2")
		n.tick(60)
		return order
	}
	first := 0
	for seed := range 6 {
		n := shared.create(t, fmt.Sprintf(`{"preset":"manual","seed":%d,"clock":"manual"}`, seed+1))
		if order := looks(n); n.cardsOf(order) != 1 {
			t.Errorf("there are %d work orders", n.cardsOf(order))
		}
		score := n.carried(0, object{"hit": 1, "saved": 1})
		if text(n.unrecovered(score)[0], "message") == "create_work_order for SO-1001 came again with another "+
			"Idempotency-Key before the first request arrived, which the Factory's check of references rejected." {
			first++
		}

		n = shared.create(t, fmt.Sprintf(`{"preset":"manual","seed":%d,"clock":"manual","faults":{"rules":[
			{"kind":"double_work","share":1}]}}`, seed+1))
		if order := looks(n); n.cardsOf(order) != 2 {
			t.Errorf("with double work there are %d work orders", n.cardsOf(order))
		}
		score = n.carried(0, object{"hit": 1})
		agrees(t, "what was done twice", n.unrecovered(score)[0], object{"outcome": "repeated"})
	}
	if first == 0 {
		t.Error("the repetition never came before the late request")
	}
}

// TestALateRequestThatNeverCameAgainIsLuck: the company has it, and the program did not carry it. One that is shown it
// has.
func TestALateRequestThatNeverCameAgainIsLuck(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.REQUEST_LATE", "OPEN.INTEGRATION.ABANDONED")
	n := byHand(t)
	order := n.acceptedOrder("SO-1001")
	n.late(order, "cards")
	fork := n.fork(`{}`) // has it on its way, too
	n.untilDay(5)
	fork.untilDay(5)
	score := n.carried(0, object{"hit": 1, "abandoned": 1})
	agrees(t, "what was left to luck", n.unrecovered(score)[0], object{
		"outcome": "abandoned",
		"message": "create_work_order for SO-1001 never came again after a fault hit it; " +
			"the first request arrived late.",
	})
	if fork.cardsOf(order) != 1 {
		t.Errorf("the fork has %d work orders", fork.cardsOf(order))
	}
	fork.carried(1, object{"hit": 1, "recovered": 1}) // by the list that it has just read
}

// TestALateRequestIsJudgedWhenItArrives: a refusal is none of its key.
func TestALateRequestIsJudgedWhenItArrives(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.REQUEST_LATE")
	n := byHand(t)
	id := text(n.order("SO-1001"), "id")
	accept := "/office/sales-orders/" + id + "/accept"
	n.loseNext("request_late", http.MethodPost, accept, "", "accept")
	n.post("/office/sales-orders/"+id+"/decline", `{}`).want(http.StatusOK, "")
	n.tick(1)
	agrees(t, "the arrival", n.all("/sandbox/faults")[0], object{
		"operation": "accept_sales_order", "detail": "arrived: 409 Conflict",
	})
	if order := n.row("/office/sales-orders/" + id); text(order, "status") != "declined" {
		t.Errorf("the order is %v", order["status"])
	}
	a := n.tries(http.MethodPost, accept, "", "accept")
	a.is(t, "the same request again", http.StatusConflict, false)
}

// TestManyRequestsAreLate: each arrives once. Only writes of the two systems are late.
func TestManyRequestsAreLate(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.REQUEST_LATE", "OPEN.FAULT.INJECT")
	const many = 20
	n := byHand(t)
	n.injects("request_late", many)
	for i := range many {
		n.tries(http.MethodPost, workOrders, `{"sku":"prd_notebook","quantity":1}`, fmt.Sprint("work-", i)).isLost(t)
	}
	n.tick(1)
	if works := len(n.all(workOrders)); works != many {
		t.Errorf("there are %d work orders of %d", works, many)
	}
	for _, id := range []string{"create_webhook", "list_work_orders", "advance_time"} {
		n.post("/sandbox/faults", `{"kind":"request_late","operations":["`+id+`"]}`).
			want(http.StatusUnprocessableEntity, "validation_failed")
	}
}
