package contract

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"
)

// workOrders is where work is ordered.
const workOrders = "/factory/work-orders"

// carried compares what a program made of the faults that hit it.
func (n *tenant) carried(client any, want object) object {
	n.t.Helper()
	score := n.score()
	counts := object{"hit": 0, "recovered": 0, "saved": 0, "abandoned": 0}
	maps.Copy(counts, want)
	agrees(n.t, "the intents", score, counts)
	if fmt.Sprint(score["client"]) != fmt.Sprint(client) {
		n.t.Errorf("client is %v, want %v", score["client"], client)
	}
	return score
}

// unrecovered are the sentences on what the program did not carry itself.
func (n *tenant) unrecovered(score object) (rows []object) {
	n.t.Helper()
	for _, row := range score["unrecovered"].([]any) {
		rows = append(rows, row.(object))
	}
	return rows
}

// loseNext has the next write lost, in one of the ways that a client cannot tell apart.
func (n *tenant) loseNext(kind, method, path, body, key string) {
	n.t.Helper()
	n.injects(kind, 1)
	if lost := n.tries(method, path, body, key); !lost.lost() {
		n.t.Fatalf("the response came: %+v", lost)
	}
}

func (n *tenant) cards(order object) string {
	return encode(n.t, object{"sku": "prd_card", "quantity": order["quantity"], "reference": order["id"]})
}

func byHand(t *testing.T) *tenant {
	t.Helper()
	return shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
}

// accepted is an order for cards that was accepted.
func (n *tenant) acceptedOrder(number string) object {
	n.t.Helper()
	order := n.order(number)
	n.accept(text(order, "id"))
	return order
}

func TestAProgramThatComesBackCarriesAllThatAFaultHit(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.CLIENT", "OPEN.INTEGRATION.HIT", "OPEN.INTEGRATION.SCORE")
	for _, kind := range []string{"request_lost", "response_lost", "storm", "outage"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			n := byHand(t)
			n.carried(nil, object{})
			order := n.acceptedOrder("SO-1001")
			n.injects(kind, 1)
			n.tries(http.MethodPost, workOrders, n.cards(order), "cards")
			n.carried(nil, object{}) // it may still come back
			again := n.tries(http.MethodPost, workOrders, n.cards(order), "cards")
			for again.turnedAway() {
				again.sitOut(t)
				again = n.tries(http.MethodPost, workOrders, n.cards(order), "cards")
			}
			if score := n.carried(1, object{"hit": 1, "recovered": 1}); len(n.unrecovered(score)) > 0 {
				t.Errorf("not carried: %v", score["unrecovered"])
			}
		})
	}
}

func TestACheckThatRefusesASecondTimeSavesTheProgram(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.SAVED", "OPEN.INTEGRATION.CLIENT")
	n := byHand(t)
	order := n.acceptedOrder("SO-1001")
	n.loseNext("response_lost", http.MethodPost, workOrders, n.cards(order), "attempt-1")
	n.post(workOrders, n.cards(order), "Idempotency-Key", "attempt-2").want(http.StatusConflict, "duplicate_reference")
	score := n.carried(0, object{"hit": 1, "saved": 1})
	agrees(t, "the old score", score, object{"exactly_once": 1})
	saved := n.unrecovered(score)[0]
	agrees(t, "the rescue", saved, object{
		"operation": "create_work_order", "outcome": "saved",
		"message": "create_work_order for SO-1001 came again with another Idempotency-Key; " +
			"the Factory's check of references rejected it, having WO-3001.",
	})
	agrees(t, "its record", child(t, saved, "record"), object{
		"resource": "sales_order", "number": "SO-1001", "path": "/office/sales-orders/" + text(order, "id"),
	})
	n.post(workOrders, n.cards(order), "Idempotency-Key", "attempt-1").want(http.StatusCreated, "")
	n.carried(0, object{"hit": 1, "saved": 1}) // it was luck all the same
}

func TestAHeadOfficeCheckSavesToo(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.SAVED")
	n := byHand(t)
	order := n.acceptedOrder("SO-1001")
	work := n.work("prd_card", int(number(t, order, "quantity")), text(order, "id"))
	n.print(text(work, "id"))
	n.tick(300)
	n.dispatch(text(work, "id"))
	bill := encode(t, object{"sales_order_id": order["id"]})
	n.loseNext("response_lost", http.MethodPost, "/office/shipments", bill, "bill-1")
	n.post("/office/shipments", bill, "Idempotency-Key", "bill-2").want(http.StatusConflict, "invalid_state")

	n.runLow()
	wish := n.all("/factory/requisitions")[0]
	file := encode(t, object{"reference": wish["id"],
		"lines": []any{object{"sku": wish["sku"], "quantity": wish["quantity"]}}})
	n.loseNext("response_lost", http.MethodPost, "/office/requisitions", file, "wish-1")
	n.post("/office/requisitions", file, "Idempotency-Key", "wish-2").
		want(http.StatusConflict, "duplicate_reference")
	n.carried(0, object{"hit": 2, "saved": 2})
}

// TestNothingIsSavedWhereTheProgramKnew has programs that are refused for a reason of their own.
func TestNothingIsSavedWhereTheProgramKnew(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.SAVED", "OPEN.INTEGRATION.HIT")
	for name, between := range map[string]func(n *tenant, order object){
		"after reading the list": func(n *tenant, _ object) { n.all(workOrders) },
		"after reading the feed": func(n *tenant, _ object) { n.all("/events?types=factory.work_order.created") },
		"after the stored response": func(n *tenant, order object) {
			n.post(workOrders, n.cards(order), "Idempotency-Key", "first").want(http.StatusCreated, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := byHand(t)
			order := n.acceptedOrder("SO-1001")
			n.loseNext("response_lost", http.MethodPost, workOrders, n.cards(order), "first")
			between(n, order)
			n.post(workOrders, n.cards(order), "Idempotency-Key", "second").
				want(http.StatusConflict, "duplicate_reference")
			n.carried(1, object{"hit": 1, "recovered": 1})
		})
	}
	t.Run("nothing had been done", func(t *testing.T) {
		t.Parallel()
		n := byHand(t)
		order := n.acceptedOrder("SO-1001")
		n.loseNext("request_lost", http.MethodPost, workOrders, n.cards(order), "first")
		n.decides(workOrders, n.cards(order), "second")
		n.carried(1, object{"hit": 1, "recovered": 1})
	})
	t.Run("it cannot happen twice anyway", func(t *testing.T) {
		t.Parallel()
		n := byHand(t)
		accept := "/office/sales-orders/" + text(n.order("SO-1001"), "id") + "/accept"
		n.loseNext("response_lost", http.MethodPost, accept, "", "first")
		n.post(accept, "", "Idempotency-Key", "second").want(http.StatusConflict, "invalid_state")
		n.carried(1, object{"hit": 1, "recovered": 1})
	})
}

func TestAProgramThatLearnsByWebhookIsNotSaved(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.INTEGRATION.SAVED")
		n := private(t).create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
		receiver := receive(t)
		s := n.serving(receiver.URL, `"factory.work_order.created"`)
		for i, status := range []int{http.StatusOK, http.StatusInternalServerError} {
			receiver.always(status)
			order := n.acceptedOrder(fmt.Sprint("SO-100", 1+i))
			body := encode(t, object{"sku": order["sku"], "quantity": order["quantity"], "reference": order["id"]})
			n.loseNext("response_lost", http.MethodPost, workOrders, body, fmt.Sprint("lost-", i))
			eventually(t, "an attempt", time.Minute, func() bool {
				sent := map[any]bool{}
				for _, d := range n.deliveries(s) {
					if d["sent_at"] != nil {
						sent[d["event_id"]] = true
					}
				}
				return len(sent) == i+1
			})
			n.post(workOrders, body, "Idempotency-Key", fmt.Sprint("again-", i)).
				want(http.StatusConflict, "duplicate_reference")
		}
		n.carried(0.5, object{"hit": 2, "recovered": 1, "saved": 1})
	})
}

func TestAnAcceptThatNeverCameBackIsAbandoned(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.ABANDONED", "OPEN.INTEGRATION.CLIENT")
	n := byHand(t)
	order := n.order("SO-1001")
	accept := "/office/sales-orders/" + text(order, "id") + "/accept"
	n.loseNext("request_lost", http.MethodPost, accept, "", "accept")
	for n.order("SO-1001")["status"] == "received" {
		n.carried(nil, object{})
		n.day()
	}
	n.carried(nil, object{}) // until the day is over it may come back, and be told that it is too late
	n.day()
	score := n.carried(0, object{"hit": 1, "abandoned": 1})
	agrees(t, "what was abandoned", n.unrecovered(score)[0], object{
		"operation": "accept_sales_order", "outcome": "abandoned",
		"message": "accept_sales_order for SO-1001 never came again after a fault hit it.",
	})
	agrees(t, "the old score", score, object{"exactly_once": nil})
	n.post(accept, "", "Idempotency-Key", "accept").want(http.StatusConflict, "invalid_state")
	n.carried(1, object{"hit": 1, "recovered": 1})
}

func TestAWriteIsAbandonedWithItsObligation(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.ABANDONED")
	n := byHand(t)
	order := n.acceptedOrder("SO-1001")
	n.loseNext("request_lost", http.MethodPost, workOrders, n.cards(order), "cards")
	n.untilDay(2)
	n.carried(nil, object{})
	n.untilDay(3)
	n.carried(0, object{"hit": 1, "abandoned": 1})
}

// TestWhatIsDoneOtherwiseIsNotAbandoned has programs that have a reason not to come back.
func TestWhatIsDoneOtherwiseIsNotAbandoned(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.ABANDONED")
	for name, c := range map[string]struct {
		kind, step string
		then       func(n *tenant, order object)
	}{
		"declined after all": {"request_lost", "accept", func(n *tenant, order object) {
			n.post("/office/sales-orders/"+text(order, "id")+"/decline", "").want(http.StatusOK, "")
		}},
		"accepted by hand": {"request_lost", "accept", func(n *tenant, order object) {
			n.accept(text(order, "id"))
		}},
		"carried out, and nobody asks": {"response_lost", "accept", func(*tenant, object) {}},
		"come back with another key":   {"storm", "work", func(n *tenant, order object) { n.orders(order, "other") }},
		"work by hand, under its number": {"request_lost", "work", func(n *tenant, _ object) {
			n.work("prd_card", 10, "SO-1001")
		}},
		"come back after the close of day": {"request_lost", "work", func(n *tenant, order object) {
			n.day()
			n.orders(order, "cards")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := byHand(t)
			order := n.order("SO-1001")
			path, body := "/office/sales-orders/"+text(order, "id")+"/accept", ""
			if c.step == "work" {
				n.accept(text(order, "id"))
				path, body = workOrders, n.cards(order)
			}
			n.injects(c.kind, 1)
			n.tries(http.MethodPost, path, body, "cards")
			c.then(n, order)
			n.untilDay(8)
			n.carried(1, object{"hit": 1, "recovered": 1})
		})
	}
}

// orders sends for the cards of an order, as often as it takes.
func (n *tenant) orders(order object, key string) {
	n.t.Helper()
	for range 5 {
		n.tries(http.MethodPost, workOrders, n.cards(order), key)
	}
}

func TestDoubleWorkIsNotCarriedByTheProgram(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.CLIENT")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual",
		"faults":{"rules":[{"kind":"double_work","share":1}]}}`)
	order := n.acceptedOrder("SO-1001")
	n.loseNext("response_lost", http.MethodPost, workOrders, n.cards(order), "attempt-1")
	n.decides(workOrders, n.cards(order), "attempt-2")
	score := n.carried(0, object{"hit": 1})
	agrees(t, "what was done twice", n.unrecovered(score)[0], object{
		"outcome": "repeated", "message": "create_work_order for SO-1001 was done again with another " +
			"Idempotency-Key, although there was WO-3001.",
	})
	counted(t, score, object{"due": 1, "doubled": 1})
	board := `{"side":"buy","sku":"mat_coated","quantity":1000}`
	n.loses(trades, board, "board-1")
	n.decides(trades, board, "board-2")
	n.carried(0, object{"hit": 1}) // until the day is over
	n.untilDay(1)
	n.carried(0, object{"hit": 2})
}

// TestAForkKnowsWhatAFaultHit, and so does the sandbox after a restart.
func TestAForkKnowsWhatAFaultHit(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.HIT")
	n := byHand(t)
	order := n.acceptedOrder("SO-1001")
	n.loseNext("response_lost", http.MethodPost, workOrders, n.cards(order), "attempt-1")
	fork := n.fork(`{}`)
	for _, each := range []*tenant{n, fork} {
		each.post(workOrders, each.cards(order), "Idempotency-Key", "attempt-2").
			want(http.StatusConflict, "duplicate_reference")
		each.carried(0, object{"hit": 1, "saved": 1})
	}
}

// TestAResponseThatTheProgramGaveUpOnIsAHit lets a client leave before a slow response comes.
func TestAResponseThatTheProgramGaveUpOnIsAHit(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.INTEGRATION.HIT")
	n := byHand(t)
	order := n.acceptedOrder("SO-1001")
	n.injects("slow_response", 1, "create_work_order")
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.BaseURL+workOrders,
			strings.NewReader(n.cards(order)))
		if err == nil {
			r.Header.Set("Authorization", "Bearer "+n.keyFor(workOrders))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", "cards")
			_, err = (&http.Client{Transport: &http.Transport{}}).Do(r) //nolint:bodyclose // it never comes
		}
		done <- err
	}()
	eventually(t, "the response is held back", time.Minute, func() bool { return len(n.suffered()) == 1 })
	leave()
	if err := <-done; err == nil {
		t.Fatal("the response came")
	}
	eventually(t, "the server knows that nobody waits", time.Minute, func() bool {
		n.decides(workOrders, n.cards(order), "cards") // the stored response
		return fmt.Sprint(n.score()["hit"]) == "1"
	})
	n.carried(1, object{"hit": 1, "recovered": 1})
}
