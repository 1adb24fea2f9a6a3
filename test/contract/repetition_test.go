package contract

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

const (
	purchases = "/office/purchase-orders"
	trades    = "/office/market"
)

// inkOrder orders ink from a supplier, more of it each time.
func inkOrder(t testing.TB, cans int) string {
	t.Helper()
	return encode(t, object{"supplier_id": "sup_chroma", "lines": []any{object{"sku": "mat_ink", "quantity": cans}}})
}

// loses sends a decision whose response is lost.
func (n *tenant) loses(path, body, key string) {
	n.t.Helper()
	n.injects("response_lost", 1)
	if lost := n.tries(http.MethodPost, path, body, key); !lost.lost() {
		n.t.Fatalf("the response came: %+v", lost)
	}
}

// decides sends a decision, and returns its record.
func (n *tenant) decides(path, body, key string) object {
	n.t.Helper()
	return n.post(path, body, "Idempotency-Key", key).want(http.StatusCreated, "").Data()
}

func TestADecisionSentAgainWithAnotherKeyIsRepeated(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.REPEATED", "OPEN.INTEGRATION.SCORE", "OPEN.INTEGRATION.FINDINGS")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	board := `{"side":"buy","sku":"mat_coated","quantity":1000}`
	n.loses(trades, board, "board-1")
	n.decides(trades, board, "board-2")
	n.loses(purchases, inkOrder(t, 11), "ink-1")
	twice := []object{n.decides(purchases, inkOrder(t, 11), "ink-2"), n.decides(purchases, inkOrder(t, 11), "ink-3")}
	counted(t, n.score(), object{})
	n.untilDay(1)
	score := n.score()
	counted(t, score, object{"repeated": 2})
	agrees(t, "the score", score, object{
		"exactly_once": 0, "failures_per_thousand": 1000, "days_without_failure": 1,
	})
	var ink object
	for _, row := range n.all("/sandbox/integration/findings?kind=decision&verdict=repeated") {
		if text(child(t, row, "cause"), "resource") == "purchase_order" {
			ink = row
		}
	}
	effects := ink["effects"].([]any)
	if len(effects) != 2 {
		t.Fatalf("the repetitions are %v", effects)
	}
	for i, effect := range effects {
		agrees(t, "a repetition", effect.(object), object{"id": twice[i]["id"], "number": twice[i]["number"]})
	}
	if first := n.row(text(child(t, ink, "cause"), "path")); first["id"] == twice[0]["id"] {
		t.Errorf("the cause is its own repetition: %v", first)
	}

	// The day is over: the stored response withdraws nothing any more.
	n.post(purchases, inkOrder(t, 11), "Idempotency-Key", "ink-1").want(http.StatusCreated, "")
	counted(t, n.score(), object{"repeated": 2})
}

// TestADecisionIsNoRepetition has clients that buy the same again for a reason.
func TestADecisionIsNoRepetition(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.REPEATED")
	for name, between := range map[string]func(n *tenant, body string){
		"after the stored response": func(n *tenant, body string) {
			n.post(purchases, body, "Idempotency-Key", "first").want(http.StatusCreated, "")
		},
		"after reading the list": func(n *tenant, _ string) { n.all(purchases) },
		"after reading it with the other key": func(n *tenant, _ string) {
			n.get("/events?types=office.purchase_order.created", "Authorization", "Bearer "+n.factory).
				want(http.StatusOK, "")
		},
		"the next morning":                   func(n *tenant, _ string) { n.untilDay(1) },
		"after the stored response, in time": func(*tenant, string) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
			body := inkOrder(t, 11)
			n.loses(purchases, body, "first")
			between(n, body)
			n.decides(purchases, body, "second")
			if name == "after the stored response, in time" {
				n.post(purchases, body, "Idempotency-Key", "first").want(http.StatusCreated, "")
			}
			n.decides(purchases, inkOrder(t, 12), "third")
			n.untilDay(2)
			counted(t, n.score(), object{})
		})
	}
}

// TestAClientThatLearnsByWebhookDoesNotRepeat: a delivery that it acknowledged has told it.
func TestAClientThatLearnsByWebhookDoesNotRepeat(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.INTEGRATION.REPEATED")
		n := private(t).create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
		receiver := receive(t)
		s := n.serving(receiver.URL, `"office.purchase_order.created"`)
		for i, status := range []int{http.StatusInternalServerError, http.StatusOK} {
			receiver.always(status)
			body := inkOrder(t, 20+i)
			n.loses(purchases, body, fmt.Sprint("lost-", i))
			eventually(t, "an attempt", time.Minute, func() bool {
				sent := map[any]bool{} // events, of those before this one two for each round
				for _, d := range n.deliveries(s) {
					if d["sent_at"] != nil {
						sent[d["event_id"]] = true
					}
				}
				return len(sent) == 2*i+1
			})
			n.decides(purchases, body, fmt.Sprint("again-", i))
		}
		n.untilDay(1)
		counted(t, n.score(), object{"repeated": 1})
	})
}
