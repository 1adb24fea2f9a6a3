package contract

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// deletes asks for the deletion of the sandbox, and checks that nothing answers its keys any more.
func (n *tenant) deletes() {
	n.t.Helper()
	before := n.greet().row("/sandbox")
	data := n.call("DELETE", "/sandbox", "").want(http.StatusOK, "").Data()
	agrees(n.t, "what was deleted", data,
		object{"sandbox_id": n.id, "public_name": before["public_name"], "last_seq": before["last_seq"]})
	if since := moment(n.t, data["deleted_at"]).Sub(moment(n.t, before["created_at"])); since < 0 {
		n.t.Errorf("it was deleted %v after its creation", since)
	}
	for _, key := range []string{n.office, n.factory} {
		for _, r := range []request{
			{method: "DELETE", path: "/sandbox"}, {method: "GET", path: "/sandbox"}, {method: "GET", path: "/events"},
			{method: "POST", path: "/sandbox/tick"},
		} {
			r.key = key
			n.service.send(n.t, r).want(http.StatusUnauthorized, "unauthorized")
		}
	}
}

func TestASandboxCanBeDeleted(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.LIFE.DELETE", "OPEN.LIFE.DELETE.FOR_GOOD", "LIFE.DELETED", "OPEN.AUTH.REVOKED.LASTING")
		n, other := serve(t).create(t, `{"clock":"manual"}`), serve(t).create(t, `{"clock":"manual"}`)
		n.happens()

		// Invalid requests delete nothing.
		used := freshKey()
		n.post("/sandbox/tick", `{"minutes":1}`, "Idempotency-Key", used).want(http.StatusOK, "")
		n.call("DELETE", "/sandbox", "", "Idempotency-Key", used).
			want(http.StatusUnprocessableEntity, "idempotency_key_reused")
		n.call("DELETE", "/sandbox", "{", "Idempotency-Key", used).
			want(http.StatusUnprocessableEntity, "idempotency_key_reused")
		n.call("DELETE", "/sandbox", "{").want(http.StatusBadRequest, "invalid_json")
		n.call("DELETE", "/sandbox", `{"sandbox_id":"`+n.id+`"}`).want(http.StatusUnprocessableEntity,
			"validation_failed")
		n.call("DELETE", "/sandbox?now=true", "").want(http.StatusBadRequest, "invalid_parameter")
		n.call("DELETE", "/sandbox", "", "Idempotency-Key", strings.Repeat("k", 65)).
			want(http.StatusBadRequest, "idempotency_key_invalid")
		n.call("DELETE", "/sandbox", "", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden, "origin_refused")
		n.row("/sandbox")

		poll := fmt.Sprintf("/events/poll?after_seq=%d&wait_s=25", n.newest()+1000)
		waiting := make(chan *answer, 1)
		go func() {
			a, err := n.try(t, request{method: "GET", path: poll, key: n.factory})
			if err != nil {
				t.Error(err)
			}
			waiting <- a
		}()
		n.deletes()
		if a := <-waiting; a != nil { // before it, or while it waited
			a.want(http.StatusUnauthorized, "unauthorized")
		}
		other.row("/sandbox")
	})
}

// TestASandboxIsDeletedForOneOfManyCallers: the others were too late, whichever
// key they have.
func TestASandboxIsDeletedForOneOfManyCallers(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIFE.DELETE", "OPEN.LIFE.DELETE.FOR_GOOD")
	n := shared.create(t, `{"clock":"manual"}`)
	answers := make([]*answer, 8)
	var calling sync.WaitGroup
	for i := range answers {
		calling.Go(func() {
			var err error
			if answers[i], err = shared.try(t,
				request{method: "DELETE", path: "/sandbox", key: []string{n.office, n.factory}[i%2]}); err != nil {
				t.Error(err)
			}
		})
	}
	calling.Wait()
	deleted := 0
	for _, a := range answers {
		switch {
		case a == nil:
		case a.Status == http.StatusOK:
			deleted++
		default:
			a.want(http.StatusUnauthorized, "unauthorized")
		}
	}
	if deleted != 1 {
		t.Errorf("it was deleted %d times", deleted)
	}
}

// TestADeletionMakesRoom for another sandbox of the same network, and for a
// client that waits in the queue.
func TestADeletionMakesRoom(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.LIFE.DELETE.ROOM", "ERR.IP_ACTIVE_LIMIT")
		s := serve(t, map[string]string{"ip-active": "2"})
		n := s.create(t, "")
		s.create(t, "")
		refused := s.send(t, creation).want(http.StatusTooManyRequests, "ip_active_limit")
		if hint := text(refused.Failure(), "hint"); !strings.Contains(hint, "DELETE /sandbox") {
			t.Errorf("the hint is %q", hint)
		}
		n.deletes()
		s.send(t, creation).want(http.StatusCreated, "")
		s.send(t, creation).want(http.StatusTooManyRequests, "ip_active_limit")

		s = serve(t, map[string]string{"max-sandboxes": "1"})
		n = s.create(t, "")
		ticket := s.queue(t)
		n.deletes()
		eventually(t, "the ticket is ready", 30*time.Second, func() bool {
			return s.poll(t, ticket).Status == http.StatusCreated
		})
	})
}

// TestWhatWasNotDeliveredIsNotDeliveredAfterADeletion.
func TestWhatWasNotDeliveredIsNotDeliveredAfterADeletion(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.LIFE.DELETE.FOR_GOOD")
		s, r := private(t), receive(t)
		n, other := s.create(t, `{"clock":"manual"}`), s.create(t, `{"clock":"manual"}`)
		n.serving(r.URL, `"office.sales_order.declined"`)
		r.always(http.StatusInternalServerError)
		event := n.happens()
		eventually(t, "a first attempt", 20*time.Second, func() bool { return len(r.of(event)) > 0 })
		n.deletes()
		// Retries come ten seconds after an attempt; a delivery of another sandbox that
		// is due later shows that it was passed over.
		o := receive(t)
		other.serving(o.URL, `"office.sales_order.declined"`)
		o.answers(func(received) int {
			if len(o.requests()) > 1 {
				return http.StatusOK
			}
			return http.StatusInternalServerError
		})
		later := other.happens()
		before := len(r.of(event))
		eventually(t, "the other's second attempt", 60*time.Second, func() bool { return len(o.of(later)) > 1 })
		if got := len(r.of(event)); got != before {
			t.Errorf("after the deletion there were %d more attempts", got-before)
		}
	})
}

// TestAgentsDoNotDeleteTheirSandbox: no tool does it, and none finds it.
func TestAgentsDoNotDeleteTheirSandbox(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIFE.DELETE.AGENTS")
	n := shared.create(t, `{"clock":"manual"}`)
	a := shared.agent(t, n.office)
	found, refused := a.tool("search_operations", `{"query":"delete the sandbox","limit":20}`)
	if strings.Contains(encode(t, found), "delete_sandbox") || refused {
		t.Errorf("agents find %s", encode(t, found))
	}
	if answered, refused := a.tool("call_operation", `{"operation":"delete_sandbox"}`); !refused {
		t.Errorf("an agent deleted its sandbox: %s", encode(t, answered))
	}
	n.row("/sandbox")
}
