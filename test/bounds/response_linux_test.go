package bounds

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestResponsesThatNobodyReads stay within the memory: 44 blocks send as many requests as their budgets let them for
// the largest responses there are, one on each connection, and read nothing.
func TestResponsesThatNobodyReads(t *testing.T) {
	for name, path := range map[string]string{
		"events": "/v1/events?limit=100", "CSV": "/v1/events.csv?limit=100", "archive": "/v1/requests.har",
		"console": "/console/data/state", "report": "/v1/sandbox/report", "document": "/openapi.json",
		"guide": "/docs/faults", "search": "/docs/search?q=webhook",
	} {
		t.Run(name, func(t *testing.T) {
			atEachSize(t, nil, func(t *testing.T, p *program) {
				all := p.creates(blocks(44), 4, `{"clock":"manual"}`)
				p.grow(all, 3, name == "archive")
				of := map[network][]keys{}
				for _, k := range all {
					of[k.from] = append(of[k.from], k)
				}
				judge(t, p, func() func() {
					h := p.hold(blocks(44), 228, func(n network, i int) string {
						k := of[n][i/2%len(of[n])]
						key := k.office
						if i%2 == 1 {
							key = k.factory
						}
						return head("GET", path, key)
					})
					return h.close
				}, 8*time.Second)
			})
		})
	}
}

// grow lets companies live some days, and has their largest requests remembered.
func (p *program) grow(all []keys, days int, requests bool) {
	p.t.Helper()
	p.together(len(all), 256, func(i int) error {
		web := p.client(all[i].from)
		defer web.CloseIdleConnections()
		for day := range days {
			tick := call{"POST", "/v1/sandbox/tick", all[i].office, `{"minutes":480}`, fmt.Sprint("day", day)}
			if status, err := discard(p.do(web, tick)); err != nil || status != http.StatusOK {
				return fmt.Errorf("tick: %d, %w", status, err)
			}
			<-time.After(time.Second) // one a second is allowed
		}
		for n := 0; requests && n < 20; n++ {
			body := `{"reference":"` + strings.Repeat("&<\\u0000", 600) + fmt.Sprint(n) + `"}`
			order := call{
				"POST", "/v1/factory/work-orders?" + strings.Repeat("&", 2000), all[i].factory, body,
				fmt.Sprint("order", n),
			}
			if _, err := discard(p.do(web, order)); err != nil {
				return err
			}
		}
		return nil
	})
}

// call is a request of a holder of a key. Body and idempotency key may be empty.
type call struct{ method, path, key, body, idempotency string }

// do sends a request.
func (p *program) do(web *http.Client, c call) (*http.Response, error) {
	r, err := http.NewRequest(c.method, "http://"+p.address+c.path, strings.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	if c.idempotency != "" {
		r.Header.Set("Idempotency-Key", c.idempotency)
	}
	return web.Do(r)
}

// idOf returns the id of the record in a response, and its status.
func idOf(r *http.Response, err error) (id string, status int, _ error) {
	if err != nil {
		return "", 0, err
	}
	defer r.Body.Close()
	var envelope struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.NewDecoder(r.Body).Decode(&envelope)
	return envelope.Data.ID, r.StatusCode, err
}
