package bounds

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// mostPerRequest is the most that a write adds to the database, in bytes: what SECURITY.md says of an hour rests on it.
const mostPerRequest = 8 << 10

// TestTheDatabaseGrowsAsItIsSaid: for each write that a client may repeat, so much for a request, and no more for later
// ones than for the first. An hour is reckoned from the budget of a network, 360 requests a minute.
func TestTheDatabaseGrowsAsItIsSaid(t *testing.T) {
	sizes(t)
	const perHour = 360 * 60
	text := func(n int) string { return strings.Repeat("x", n) }
	for name, q := range map[string]struct {
		path    string
		factory bool
		body    func(i int) string
		// and, when set, is sent behind it.
		and string
	}{
		"work order": {"/v1/factory/work-orders", true, func(i int) string {
			return fmt.Sprintf(`{"sku":"prd_notebook","quantity":1,"reference":"%s%d"}`, text(50), i)
		}, ""},
		"tick of a day":    {"/v1/sandbox/tick", false, func(int) string { return `{"minutes":480}` }, ""},
		"tick of a minute": {"/v1/sandbox/tick", false, func(int) string { return `{"minutes":1}` }, ""},
		"requisition": {"/v1/office/requisitions", false, func(int) string {
			return `{"lines":[{"sku":"mat_ink","quantity":1}]}`
		}, ""},
		"refused write": {"/v1/factory/work-orders", true, func(int) string {
			return `{"sku":"` + text(9000) + `"}`
		}, ""},
		"checkpoint": {"/v1/sandbox/checkpoints", false, func(i int) string {
			return fmt.Sprintf(`{"label":"%s-%d"}`, text(50), i)
		}, "DELETE"},
		"webhook": {"/v1/webhooks", false, func(i int) string {
			return fmt.Sprintf(`{"url":"https://example.com/%s%d","events":["*"],"description":"%s"}`, text(1900), i,
				text(200))
		}, "DELETE"},
		"fault that happens": {"/v1/sandbox/faults", false, func(i int) string {
			return fmt.Sprintf(`{"kind":"growth","operations":["list_suppliers","%s"]}`,
				[]string{"get_cash", "list_work_orders", "list_events"}[i%3])
		}, "GET /v1/office/suppliers"},
		"fault": {"/v1/sandbox/faults", false, func(i int) string {
			return fmt.Sprintf(`{"kind":"%s"}`, []string{"growth", "storm", "outage", "short_page"}[i/100%4])
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, 512*mebi, append(roomy(), "--tick-pause", "0s")...)
			all := p.creates(blocks(40), 1, `{"preset":"manual","clock":"manual"}`)
			const warm, requests = 1600, 3200 // the log of SQLite has its full size after the first
			var curve []int64
			statuses := map[int]int{}
			from, before := p.size(), int64(0)
			for i := range warm + requests {
				if i == warm {
					from = p.size()
					before = from
				}
				k := all[i%len(all)]
				key := k.office
				if q.factory {
					key = k.factory
				}
				web := p.client(k.from)
				status, err := p.repeat(web, call{"POST", q.path, key, q.body(i), fmt.Sprint(name, i)}, q.and)
				if err != nil {
					t.Fatal(err)
				}
				statuses[status]++
				web.CloseIdleConnections()
				if done := i + 1 - warm; done > 0 && done%(requests/2) == 0 {
					curve = append(curve, (p.size()-before)/(requests/2))
					before = p.size()
				}
			}
			grown := (p.size() - from) / requests
			t.Logf("%v: %d bytes each, %d MB in an hour of a network; each of the first half %d, of the second %d",
				statuses, grown, grown*perHour/1e6, curve[0], curve[1])
			if grown > mostPerRequest {
				t.Errorf("a request adds %d bytes, more than %d", grown, mostPerRequest)
			}
			if curve[1] > 2*curve[0] && curve[1] > mostPerRequest/4 {
				t.Errorf("later requests add more than earlier ones: %v", curve)
			}
		})
	}
}

// repeat sends a write, and a request that belongs behind it. It returns the status of the first.
func (p *program) repeat(web *http.Client, c call, and string) (int, error) {
	id, status, err := idOf(p.do(web, c))
	if err != nil {
		return 0, err
	}
	switch method, more, _ := strings.Cut(and, " "); method {
	case "DELETE":
		_, err = discard(p.do(web, call{method: method, path: c.path + "/" + id, key: c.key}))
	case "GET":
		_, err = discard(p.do(web, call{method: method, path: more, key: c.key}))
	}
	return status, err
}
