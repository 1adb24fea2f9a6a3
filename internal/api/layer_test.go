package api_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"platen/internal/api"
	"platen/internal/api/message"
)

// TestEachLayerCanBeLeftOut: an order is played through all that a client relies on, with the layers before and
// within, with others in their places, and with none.
func TestEachLayerCanBeLeftOut(t *testing.T) {
	t.Parallel()
	passed := func(count *int) message.Layer {
		return func(next message.Handler) message.Handler {
			return func(r *message.Request) *message.Response { *count++; return next(r) }
		}
	}
	within, before := 0, 0
	for name, change := range map[string]func(*api.Options){
		"as it is":       func(*api.Options) {},
		"without faults": func(o *api.Options) { o.Within = nil },
		"another within": func(o *api.Options) { o.Within = passed(&within) },
		"another before": func(o *api.Options) {
			registry := o.Registry
			o.Before = func(next message.Handler) message.Handler {
				return passed(&before)(func(r *message.Request) *message.Response {
					found := *r // as a layer does that finds the sandbox
					if found.Caller.SandboxID != "" {
						found.Sandbox = registry.Sandbox(found.Caller.SandboxID)
					}
					return next(&found)
				})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := start(t, change).create(`{"clock":"manual","seed":5}`)
			path := "/v1/office/sales-orders/" + n.order("SO-1001") + "/accept"
			first := n.call("POST", path, n.office, "", "Idempotency-Key", "a key of mine").want(200, "")
			again := n.call("POST", path, n.office, "", "Idempotency-Key", "a key of mine").want(200, "")
			if string(first.Raw) != string(again.Raw) || again.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("it is replayed as %s %v", again.Raw, again.Header)
			}
			list := n.call("GET", "/v1/office/sales-orders?limit=2", n.office, "").want(200, "")
			n.call("GET", "/v1/office/sales-orders?limit=2", n.office, "", "If-None-Match", list.Header.Get("ETag")).
				want(304, "")
			if csv := n.call("GET", "/v1/office/sales-orders.csv", n.office, ""); csv.Status != 200 ||
				!strings.HasPrefix(string(csv.Raw), "id,") {
				t.Errorf("as CSV it is %d %.80s", csv.Status, csv.Raw)
			}
			n.call("GET", "/v1/factory/stock", n.office, "").want(403, "wrong_system")
			n.call("GET", "/v1/events?after_seq=0", n.factory, "").want(200, "")
			n.call("POST", "/v1/sandbox/tick", n.office, `{"minutes":60}`).want(200, "")
			n.call("DELETE", "/v1/sandbox", n.office, "").want(200, "")
			n.call("GET", "/v1/sandbox", n.office, "").want(401, "unauthorized")
		})
	}
	if within == 0 || before == 0 {
		t.Errorf("%d requests passed the layer within, %d that before", within, before)
	}
}

// TestAPanicAtTheDoorIsAnError, and does not cut the connection.
func TestAPanicAtTheDoorIsAnError(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *api.Options) { o.Serves = func(string) bool { panic("no host") } })
	s.call("GET", "/v1/sandbox", "", "").want(500, "internal_error")
	if !strings.Contains(s.log.String(), "no host") {
		t.Error("the log does not say why")
	}
}

// TestASeveredRequestIsNoted in metrics and in the operator's log, like any other.
func TestASeveredRequestIsNoted(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	noted := map[int]int{}
	s := start(t, func(o *api.Options) {
		o.Observe = func(a *api.Answered) {
			mu.Lock()
			defer mu.Unlock()
			if a.Operation == "list_sales_orders" {
				noted[a.Status]++
			}
		}
	})
	n := s.create(`{"clock":"manual","seed":5}`)
	lost := func(kind string) {
		t.Helper()
		fault := `{"kind":"` + kind + `","operations":["list_sales_orders"]}`
		n.call("POST", "/v1/sandbox/faults", n.office, fault).want(200, "")
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/office/sales-orders", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+n.office)
		response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		switch {
		case errors.Is(err, io.EOF):
		case err != nil:
			t.Fatal(err)
		default:
			response.Body.Close()
			if response.StatusCode != http.StatusBadGateway {
				t.Errorf("%s: the response is %d", kind, response.StatusCode)
			}
		}
	}
	const times = 4
	for range times {
		lost("response_lost")
		lost("request_lost")
	}
	mu.Lock()
	defer mu.Unlock()
	if noted[200] != times || noted[502] != times {
		t.Errorf("of %d lost responses and as many lost requests these are noted by status: %v", times, noted)
	}
}
