package bounds

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// roomy lifts the limits of sandboxes and requests: what is measured is the memory of what is there, and the limits
// only say how fast it comes to be.
func roomy() []string {
	return []string{"--max-sandboxes", "100000", "--ip-active", "0", "--ip-creations", "0", "--ip-rate", "0",
		"--key-rate", "0", "--anonymous-rate", "0", "--block-factor", "0"}
}

// TestManySandboxes of three days stay within the memory, all of which are used.
func TestManySandboxes(t *testing.T) {
	atEachSize(t, roomy(), func(t *testing.T, p *program) {
		judge(t, p, func() func() {
			all := p.creates(blocks(50), 50, `{"clock":"manual"}`)
			p.grow(all, 3, false)
			p.together(len(all), 16, func(i int) error {
				web := p.client(all[i].from)
				defer web.CloseIdleConnections()
				status, err := discard(p.do(web, call{method: "GET", path: "/v1/sandbox/report", key: all[i].office}))
				if err == nil && status != http.StatusOK {
					err = fmt.Errorf("read: %d", status)
				}
				return err
			})
			return nil
		}, time.Second)
	})
}

// TestRememberedRequests with the longest paths, queries, headers and keys stay within the memory, refused ones too.
func TestRememberedRequests(t *testing.T) {
	atEachSize(t, append(roomy(), "--key-rate", "120"), func(t *testing.T, p *program) {
		all := p.creates(blocks(40), 10, `{"clock":"manual"}`)
		judge(t, p, func() func() {
			long := strings.Repeat("x", 3500)
			p.together(len(all), 16, func(i int) error {
				web := p.client(all[i].from)
				defer web.CloseIdleConnections()
				for n := range 120 {
					path := fmt.Sprintf("/v1/office/%s%d?%s", long, n, long)
					method := []string{"GET", "POST", "DELETE"}[n%3]
					body := ""
					if method == "POST" {
						body = `{"x":"` + strings.Repeat("<", 4000) + `"}`
					}
					r, _ := http.NewRequest(method, "http://"+p.address+path, strings.NewReader(body))
					r.Header.Set("Authorization", "Bearer "+all[i].office)
					r.Header.Set("Idempotency-Key", long)
					r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("X-Long", long)
					if _, err := discard(web.Do(r)); err != nil {
						return err
					}
				}
				return nil
			})
			return nil
		}, time.Second)
	})
}

// TestPinsOfStaleReads end with their companies in memory: every sandbox has one, and is not used again.
func TestPinsOfStaleReads(t *testing.T) {
	atEachSize(t, roomy(), func(t *testing.T, p *program) {
		judge(t, p, func() func() {
			all := p.creates(blocks(50), 30, `{"clock":"manual","faults":{"plan":"severe"}}`)
			p.together(len(all), 16, func(i int) error {
				web := p.client(all[i].from)
				defer web.CloseIdleConnections()
				for _, q := range []struct{ method, path, body string }{
					{"POST", "/v1/sandbox/faults", `{"kind":"stale_read","count":100}`},
					{"GET", "/v1/office/sales-orders", ""}, {"GET", "/v1/factory/work-orders", ""},
					{"POST", "/v1/sandbox/tick", `{"minutes":480}`}, {"GET", "/v1/office/sales-orders", ""},
				} {
					key := all[i].office
					if strings.Contains(q.path, "factory") {
						key = all[i].factory
					}
					// The plan loses some of these.
					_, _ = discard(p.do(web, call{q.method, q.path, key, q.body, fmt.Sprint(i, q.path)}))
				}
				return nil
			})
			return nil
		}, time.Second)
	})
}

// TestWhatASandboxMayKeep at its limits: checkpoints, webhooks, pending faults and hits, sessions of agents, forks.
func TestWhatASandboxMayKeep(t *testing.T) {
	atEachSize(t, roomy(), func(t *testing.T, p *program) {
		all := p.creates(blocks(40), 2, `{"clock":"manual"}`)
		judge(t, p, func() func() {
			p.together(len(all), 16, func(i int) error { return p.fill(all[i]) })
			return nil
		}, time.Second)
	})
}

// fill has a sandbox keep as much as it may.
func (p *program) fill(k keys) error {
	web := p.client(k.from)
	defer web.CloseIdleConnections()
	do := func(want int, path, body string) error {
		status, err := discard(p.do(web, call{method: "POST", path: path, key: k.office, body: body}))
		if err == nil && status != want {
			err = fmt.Errorf("%s: %d, want %d", path, status, want)
		}
		return err
	}
	for n := range 99 {
		label := fmt.Sprintf(`{"label":"%s-%d"}`, strings.Repeat("x", 50), n)
		if err := do(http.StatusCreated, "/v1/sandbox/checkpoints", label); err != nil {
			return err
		}
	}
	for n := range 3 {
		if err := do(http.StatusCreated, "/v1/webhooks", fmt.Sprintf(
			`{"url":"https://example.com/%s%d","events":["*"],"description":"%s"}`, strings.Repeat("u", 1500), n,
			strings.Repeat("d", 100))); err != nil {
			return err
		}
	}
	operations := []string{"list_sales_orders", "get_sales_order", "accept_sales_order", "decline_sales_order",
		"list_suppliers", "list_work_orders", "get_work_order", "create_work_order", "list_print_runs",
		"start_print_run", "list_events", "poll_events", "list_missions", "list_webhooks", "create_webhook"}
	for n := range 100 {
		first, more := n%len(operations), 1+n/len(operations)
		some := append(slices.Clone(operations[first:]), operations[:first]...)[:len(operations)-more]
		if err := do(http.StatusOK, "/v1/sandbox/faults", fmt.Sprintf(
			`{"kind":"growth","operations":["%s"]}`, strings.Join(some, `","`))); err != nil {
			return err
		}
	}
	for n := range 200 { // hits, and paths of the memory of faults
		path := fmt.Sprintf("/v1/office/suppliers?limit=%d", 1+n%100)
		if _, err := discard(p.do(web, call{method: "GET", path: path, key: k.office})); err != nil {
			return err
		}
	}
	return nil
}

// TestTicketsAndSessions: the queue is full, and 5,000 agents begin a session.
func TestTicketsAndSessions(t *testing.T) {
	settings := append(roomy(), "--max-sandboxes", "10", "--queue-length", "500")
	atEachSize(t, settings, func(t *testing.T, p *program) {
		judge(t, p, func() func() {
			from := blocks(44)
			statuses := make([]int, 6000)
			p.together(len(statuses), 32, func(i int) error {
				web := p.client(from[i%len(from)])
				defer web.CloseIdleConnections()
				if i%6 == 0 {
					var err error
					statuses[i], err = discard(p.do(web, call{method: "POST", path: "/v1/sandboxes", body: `{}`}))
					return err
				}
				r, _ := http.NewRequest(http.MethodPost, "http://"+p.address+"/mcp", strings.NewReader(
					`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
						`"capabilities":{},"clientInfo":{"name":"`+strings.Repeat("n", 8000)+`","version":"1"}}}`))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				var err error
				statuses[i], err = discard(web.Do(r))
				return err
			})
			counts := map[int]int{}
			for _, status := range statuses {
				counts[status]++
			}
			t.Logf("responses by status: %v", counts)
			return nil
		}, time.Second)
	})
}
