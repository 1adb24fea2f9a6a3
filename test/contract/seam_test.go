package contract

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestAFollowerWaitsThroughAnOutage: a poll whose next event is hidden waits like any other, and returns when the
// outage ends. One that returns empty at once would have its client ask again without a pause.
func TestAFollowerWaitsThroughAnOutage(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FAULT.OUTAGE")
		s := serve(t)
		s.faults = true
		for clock, patience := range map[string]time.Duration{"realtime": 0, "manual": 25 * time.Second} {
			n := s.create(t, fmt.Sprintf(`{"preset":"manual","seed":5,"clock":%q}`, clock))
			order := text(n.order("SO-1001"), "id")
			after := n.newest()
			n.accept(order)
			accepted := n.newest()
			n.injects("outage", 1)
			if a := n.get("/office/sales-orders"); a.Status != http.StatusServiceUnavailable {
				t.Fatalf("Head Office is there: %d", a.Status)
			}
			began := time.Now()
			data := n.row(fmt.Sprintf("/events/poll?after_seq=%d&wait_s=25&types=office.sales_order.accepted", after))
			took, found := time.Since(began), len(data["items"].([]any)) > 0
			if found != (patience == 0) || took < max(patience, 100*time.Millisecond) {
				t.Errorf("%s: whether the poll found the event is %t after %s", clock, found, took)
			}
			if !found && number(t, data, "last_seq") >= int64(accepted) {
				t.Errorf("the poll that found nothing says that there is something up to %v", data["last_seq"])
			}
		}
	})
}

// TestASlowResponseArrives, however slow it may be by the contract, and on top of a poll.
func TestASlowResponseArrives(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FAULT.SLOW_RESPONSE")
		n := serve(t).create(t, `{"preset":"manual","seed":5,"clock":"manual",
			"faults":{"rules":[{"kind":"slow_response","share":1,"delay_ms":60000}]}}`)
		for path, least := range map[string]time.Duration{
			"/office/sales-orders":                        time.Minute,
			"/events/poll?after_seq=999999&wait_s=25":     85 * time.Second,
			"/office/sales-orders?limit=1&status=no_such": time.Minute,
			"/factory/work-orders/wo_none":                time.Minute,
			"/office/sales-orders?cursor=none&limit=2":    time.Minute,
		} {
			began := time.Now()
			a := n.get(path)
			if took := time.Since(began); took < least || took > least+time.Second || a.Status == 0 {
				t.Errorf("%s: %d after %s, want %s", path, a.Status, took, least)
			}
		}
	})
}

// TestAnAgentIsToldOfAnUnknownOutcome, and keeps the lines of the commands that were performed.
func TestAnAgentIsToldOfAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.DO", "OPEN.FAULT.RESPONSE_LOST")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	a := shared.agent(t, n.office)
	first, second := text(n.order("SO-1001"), "id"), text(n.order("SO-1002"), "id")
	n.post("/office/sales-orders/"+first+"/accept", "", "Idempotency-Key", "accepted before").want(http.StatusOK, "")
	n.injects("response_lost", 1)
	lines, _ := a.lines("do", fmt.Sprintf(`{"commands":["accept_sales_order id=%s","accept_sales_order id=%s"],
		"stop_on_error":false}`, second, first))
	if len(lines) != 2 || !strings.Contains(lines[0], "outcome unknown") ||
		lines[1] != "stopped: 1 of 2 commands were not performed" {
		t.Errorf("the agent is told:\n%s", strings.Join(lines, "\n"))
	}
	if order := n.order("SO-1002"); order["status"] == "received" {
		t.Error("the command whose response was lost was not performed")
	}
	// With the key that it is told, the agent sends the whole call again.
	key := regexp.MustCompile(`idempotency_key (\S+)\.$`).FindStringSubmatch(lines[0])
	if key == nil {
		t.Fatalf("%q names no key", lines[0])
	}
	lines, _ = a.lines("do", fmt.Sprintf(`{"commands":["accept_sales_order id=%s","accept_sales_order id=%s"],
		"stop_on_error":false,"idempotency_key":%q}`, second, first, key[1]))
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "1 ok accept_sales_order") ||
		!strings.Contains(lines[1], "invalid_state") {
		t.Errorf("sent again:\n%s", strings.Join(lines, "\n"))
	}
	third := text(n.order("SO-1003"), "id")
	n.injects("response_lost", 1)
	lost, _ := a.tool("office_answer_sales_order", fmt.Sprintf(`{"id":%q,"answer":"decline"}`, third))
	hint := text(child(t, lost, "error"), "hint")
	if !regexp.MustCompile(`the idempotency_key \S{20,}\.$`).MatchString(hint) {
		t.Errorf("the hint is %q", hint)
	}
}
