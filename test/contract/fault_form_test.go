package contract

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"platen/client"
)

// TestALostResponseHasTheFormThatWasAskedFor, injected and by a rule, and an injection without a form has either.
func TestALostResponseHasTheFormThatWasAskedFor(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.FORM")
	const most = 12
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	work := func(n *tenant, key int) outcome {
		return n.tries(http.MethodPost, "/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`,
			fmt.Sprintf("work-%d", key))
	}
	forms := func(o outcome) string {
		switch {
		case o.cut:
			return "cut"
		case o.status == http.StatusBadGateway:
			return "error"
		}
		return o.body
	}
	key := 0
	for _, kind := range []string{"response_lost", "request_lost"} {
		for _, form := range []string{"error", "cut"} {
			armed := n.post("/sandbox/faults", fmt.Sprintf(`{"kind":%q,"count":%d,"form":%q}`, kind, most, form))
			agrees(t, "the armed fault", armed.want(http.StatusOK, "").Data(), object{
				"kind": kind, "count": most, "operations": []any{}, "form": form,
			})
			for range most {
				if key++; forms(work(n, key)) != form {
					t.Errorf("a %s in the form %s was something else", kind, form)
				}
			}
			if hit := n.all("/sandbox/faults")[0]; text(hit, "detail") != form {
				t.Errorf("the list says %v of a fault in the form %s", hit, form)
			}
		}
	}
	for _, form := range []client.FaultForm{client.FaultFormError, client.FaultFormCut} {
		m := shared.create(t, fmt.Sprintf(`{"preset":"manual","clock":"manual","faults":{"delay_pct":0,"rules":[
			{"kind":"request_lost","share":1,"form":%q,"operations":["create_work_order"]}]}}`, form))
		agrees(t, "the rule", child(t, m.row("/sandbox"), "faults")["rules"].([]any)[0].(object),
			object{"kind": "request_lost", "form": string(form)})
		for i := range most {
			if got := forms(work(m, i)); got != string(form) {
				t.Errorf("a rule in the form %s had %s", form, got)
			}
		}
	}

	// An injection with a form and one without are two, and the one without is drawn.
	either := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	either.post("/sandbox/faults", `{"kind":"request_lost","count":2,"form":"cut"}`).want(http.StatusOK, "")
	either.injects("request_lost", 2*most)
	if pending := child(t, either.row("/sandbox"), "faults")["pending"].([]any); len(pending) != 2 {
		t.Errorf("pending are %v", pending)
	}
	seen := map[string]int{}
	for i := range 2 + 2*most {
		seen[forms(work(either, i))]++
	}
	if seen["cut"] <= 2 || seen["error"] == 0 || len(seen) != 2 {
		t.Errorf("the forms were %v", seen)
	}
}

// TestOnlyALostRequestOrResponseHasAForm.
func TestOnlyALostRequestOrResponseHasAForm(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.FORM")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	for _, body := range []string{
		`{"kind":"storm","form":"error"}`, `{"kind":"webhook_lost","form":"cut"}`,
		`{"kind":"response_lost","form":"half"}`, `{"kind":"response_lost","form":""}`,
		`{"kind":"response_lost","form":1}`,
	} {
		n.post("/sandbox/faults", body).want(http.StatusUnprocessableEntity, "validation_failed")
	}
	if n.row("/sandbox")["faults"] != nil {
		t.Error("a fault that was refused is armed")
	}
}

// TestAReplayTellsHowSoonItCame after the response that was lost, in the list of requests.
func TestAReplayTellsHowSoonItCame(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.REPEATED")
	const pause = 60 * time.Millisecond
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	work := func(key string) outcome {
		return n.tries(http.MethodPost, "/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`, key)
	}
	newest := func() object { return n.all("/requests")[0] }
	work("before").is(t, "a write", http.StatusCreated, false)
	work("before").is(t, "its repetition", http.StatusCreated, true)
	agrees(t, "a replay without faults", newest(), object{"idempotent_replay": true, "repeated_after_ms": nil})

	began := time.Now()
	n.post("/sandbox/faults", `{"kind":"response_lost","form":"error"}`).want(http.StatusOK, "")
	work("lost").isLost(t)
	agrees(t, "the lost one", newest(), object{"idempotent_replay": false, "repeated_after_ms": nil})
	waitUntil(t, time.Now().Add(pause))
	work("other").is(t, "another write", http.StatusCreated, false)
	work("lost").is(t, "its repetition", http.StatusCreated, true)
	after, took := number(t, newest(), "repeated_after_ms"), time.Since(began)
	if after < (pause-2*time.Millisecond).Milliseconds() || after > took.Milliseconds() {
		t.Errorf("repeated after %d ms, of which %s passed, at least %s of them asleep", after, took, pause)
	}
	work("lost").is(t, "one more", http.StatusCreated, true)
	if again := number(t, newest(), "repeated_after_ms"); again > time.Since(began).Milliseconds()-after {
		t.Errorf("repeated after %d ms, once more", again)
	}
}
