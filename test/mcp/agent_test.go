package mcp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// object is a JSON object.
type object = map[string]any

// agent is a client with one connection.
type agent struct {
	t       testing.TB
	session *sdk.ClientSession
	// sandbox is the handle that every call names, "" for none.
	sandbox string
}

// keyed sends a key with every request.
type keyed string

// RoundTrip implements http.RoundTripper.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	if k != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(k))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// connect opens a connection of the official Go client.
func connect(t testing.TB, url, key string) *agent {
	t.Helper()
	return connectAs(t, url, key, "")
}

// connectAs is connect for a client of a revision of the protocol, empty for its newest.
func connectAs(t testing.TB, url, key, revision string) *agent {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "platen-test", Version: "1"}, nil)
	session, err := client.Connect(within(t), &sdk.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: keyed(key)},
	}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connect to %s: %v", url, err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the server may be gone by then
	return &agent{t: t, session: session}
}

// try calls a tool and returns its envelope and whether it was refused.
func (a *agent) try(name string, arguments object) (envelope object, refused bool) {
	a.t.Helper()
	if a.sandbox != "" && name != "create_sandbox" {
		arguments["sandbox"] = a.sandbox
	}
	result, err := a.session.CallTool(within(a.t), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
	text := result.Content[0].(*sdk.TextContent).Text
	if err := json.Unmarshal([]byte(text), &envelope); err != nil {
		a.t.Fatalf("%s answered with %q", name, text)
	}
	return envelope, result.IsError
}

// call calls a tool and returns the data of its envelope.
func (a *agent) call(name string, arguments object) object {
	a.t.Helper()
	envelope, refused := a.try(name, arguments)
	if refused {
		a.t.Fatalf("%s(%v) was refused: %v", name, arguments, envelope["error"])
	}
	return envelope["data"].(object)
}

// refuse calls a tool that is to be refused and returns the error.
func (a *agent) refuse(name string, arguments object) object {
	a.t.Helper()
	envelope, refused := a.try(name, arguments)
	if !refused {
		a.t.Fatalf("%s(%v) was not refused: %v", name, arguments, envelope)
	}
	return envelope["error"].(object)
}

// items calls a tool that lists.
func (a *agent) items(name string, arguments object) []object {
	a.t.Helper()
	var items []object
	for _, item := range a.call(name, arguments)["items"].([]any) {
		items = append(items, item.(object))
	}
	return items
}

// sell takes the first order over business cards from its receipt into
// production and starts its print run.
func (a *agent) sell() (order object) {
	a.t.Helper()
	for _, o := range a.items("office_list", object{"resource": "sales_orders", "status": "received"}) {
		if o["sku"] == "prd_card" {
			order = o
		}
	}
	if order == nil {
		a.t.Fatal("nobody wants business cards")
	}
	order = a.call("office_answer_sales_order", object{"id": order["id"], "answer": "accept"})
	a.call("factory_start_print_run", object{"press_id": "prs_digital", "work_order_id": order["bridged_work_order_id"],
		"overs_pct": 20, "idempotency_key": "print"})
	return order
}

// cash lets time pass, ships an order and waits until it is paid.
func (a *agent) cash(order object) {
	a.t.Helper()
	work := order["bridged_work_order_id"]
	for days := 0; a.call("factory_get", object{"resource": "work_orders", "id": work})["status"] != "ready"; days++ {
		if days > 5 {
			a.t.Fatalf("work order %v is not ready after %d days", work, days)
		}
		a.tick(480)
	}
	a.call("factory_create_shipment", object{"work_order_id": work, "idempotency_key": "ship"})
	for days := 0; ; days++ {
		paid := a.call("office_get", object{"resource": "sales_orders", "id": order["id"]})
		if paid["status"] == "paid" {
			return
		}
		if days > 60 {
			a.t.Fatalf("after %d days the order is %v", days, paid)
		}
		a.tick(480)
	}
}

// tick moves the clock, as soon as that is allowed.
func (a *agent) tick(minutes int) {
	a.t.Helper()
	for {
		envelope, refused := a.try("advance_time", object{"minutes": minutes, "view": "full"})
		if !refused {
			return
		}
		if problem := envelope["error"].(object); problem["code"] != "tick_rate" {
			a.t.Fatalf("advance_time: %v", problem)
		}
		a.call("wait_for_events", object{"after_seq": 1 << 40, "wait_s": 1})
	}
}

// revision returns the revision of the connection's protocol.
func (a *agent) revision() string { return a.session.InitializeResult().ProtocolVersion }

func contains(t testing.TB, what string, got any, wanted ...string) {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wanted {
		if !strings.Contains(string(b), w) {
			t.Errorf("%s lacks %q: %s", what, w, b)
		}
	}
}
