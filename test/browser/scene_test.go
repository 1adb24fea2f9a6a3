package browser_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// company is a sandbox and a program that works with it: the other terminal.
type company struct {
	*platentest.Sandbox
	testing.TB
}

type record = testclient.Object

// suite holds what lives longer than a test.
var suite testclient.Suite

// shared is the server of all tests that need no settings but private. A server
// renders all of its pages when it is asked for the first of them.
var shared = sync.OnceValue(func() *platentest.Platen { return platentest.Start(&suite, private) })

func found(t testing.TB, p *platentest.Platen, o platentest.Options) *company {
	t.Helper()
	if o.Seed == nil {
		o.Seed = new(int64(7))
	}
	return &company{Sandbox: p.Sandbox(t, o), TB: t}
}

// send makes a call with the key of the system that the path names. GET reads, with
// no body; all else is an intention of its own.
func (c *company) send(method, path string, body any) *testclient.Answer {
	c.Helper()
	r := testclient.Request{Method: method, URL: c.BaseURL + path, Key: c.OfficeKey}
	if strings.HasPrefix(path, "/factory") {
		r.Key = c.FactoryKey
	}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			c.Fatal(err)
		}
		r.Body = string(text)
	}
	if method != http.MethodGet {
		r.Headers = []string{"Idempotency-Key", randomText()}
	}
	return r.Send(c)
}

// must makes a call that has to succeed.
func (c *company) must(method, path string, body any) record {
	c.Helper()
	a := c.send(method, path, body)
	if a.Status >= http.StatusBadRequest {
		c.Fatalf("%s: %d %s", a.Asked, a.Status, a.Raw)
	}
	return a.Data()
}

// list reads the newest rows of a list.
func (c *company) list(path string) []record {
	c.Helper()
	return c.send(http.MethodGet, path, nil).Want(http.StatusOK, "").Items()
}

func text(r record, name string) string {
	s, _ := r[name].(string)
	return s
}

// tick moves the clock of a company that has none of its own.
func (c *company) tick(minutes int) {
	c.Helper()
	c.must(http.MethodPost, "/sandbox/tick", record{"minutes": minutes})
}

// accept accepts every order that waits for an answer.
func (c *company) accept() {
	c.Helper()
	for _, order := range c.list("/office/sales-orders?status=received") {
		c.must(http.MethodPost, "/office/sales-orders/"+text(order, "id")+"/accept", nil)
	}
}

// order asks the Factory for the goods of accepted orders, except for the
// newest few.
func (c *company) order(except int) {
	c.Helper()
	known := map[string]bool{}
	for _, w := range c.list("/factory/work-orders") {
		known[text(w, "reference")] = true
	}
	orders := c.list("/office/sales-orders?status=accepted")
	for i, order := range orders {
		if id := text(order, "id"); i >= except && !known[id] {
			c.must(http.MethodPost, "/factory/work-orders", record{
				"sku": order["sku"], "quantity": order["quantity"], "reference": id, "due_date": order["due_date"],
			})
		}
	}
}

// print starts the runs that it can. A run that it cannot start is a refusal
// for the page of requests to show.
func (c *company) print() {
	c.Helper()
	waiting := c.list("/factory/work-orders?status=created")
	for i, press := range c.list("/factory/presses") {
		if text(press, "status") == "idle" && i < len(waiting) {
			c.send(http.MethodPost, "/factory/print-runs",
				record{"work_order_id": waiting[len(waiting)-1-i]["id"], "press_id": press["id"]})
		}
	}
}

// ship sends what is ready, and bills all but the newest few.
func (c *company) ship(except int) {
	c.Helper()
	for _, w := range c.list("/factory/work-orders?status=ready") {
		c.must(http.MethodPost, "/factory/shipments", record{"work_order_id": w["id"]})
	}
	for i, parcel := range c.list("/factory/shipments") {
		if i >= except {
			c.send(http.MethodPost, "/office/shipments",
				record{"sales_order_id": parcel["reference"], "factory_shipment_ref": parcel["id"]})
		}
	}
}

// subscribe makes a webhook that a receiver answers.
func (c *company) subscribe() {
	c.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil &&
			bytes.Contains(body, []byte("factory.stock.below_reorder_point")) {
			w.WriteHeader(http.StatusInternalServerError) // it has a bug there
		}
	}))
	c.Cleanup(receiver.Close)
	hook := c.must(http.MethodPost, "/webhooks",
		record{"url": receiver.URL, "events": []string{"*"}, "description": "the books"})
	c.must(http.MethodPost, "/webhooks/"+text(hook, "id")+"/test", nil)
	c.must(http.MethodPost, "/webhooks",
		record{"url": receiver.URL + "/later", "events": []string{"factory.print_run.completed"}})
}

// busy is a company after a few days of work by a program that forgets things:
// both systems hold records, some of them not carried across.
func busy(t *testing.T, p *platentest.Platen) *company {
	t.Helper()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	c.subscribe()
	for range 5 {
		c.accept()
		c.order(1)
		for range 3 {
			c.print()
			c.tick(160)
		}
		c.ship(1)
	}
	c.accept()
	c.order(1)
	c.print()
	c.tick(120)
	c.send(http.MethodPost, "/office/purchase-orders",
		record{"supplier_id": "sup_mill", "lines": []record{{"sku": "mat_coated", "quantity": 1}}})
	c.send(http.MethodGet, "/factory/nothing", nil)
	c.send(http.MethodGet, "/office/sales-orders?limit=0", nil)
	return c
}

// poor is a folder of presets with one whose company has no customers and no
// cash: its first bill ends it.
func poor(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile("../../internal/company/preset/starter.json")
	if err != nil {
		t.Fatal(err)
	}
	var preset record
	if err := json.Unmarshal(b, &preset); err != nil {
		t.Fatal(err)
	}
	preset["preset"], preset["summary"], preset["cash_minor"], preset["overdraft_limit_minor"],
		preset["opening_documents"] = "poor", "Nobody orders.", 1, 0, false
	if demand, ok := preset["demand"].(record); ok {
		demand["per_day"], demand["per_day_max"] = 0, 0
	}
	if b, err = json.Marshal(preset); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "poor.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"presets": folder}
}

// ruin lets time pass until the company is bankrupt.
func (c *company) ruin() {
	c.Helper()
	for range 20 {
		if text(c.must(http.MethodGet, "/sandbox", nil), "status") == "bankrupt" {
			return
		}
		c.tick(480)
	}
	c.Fatal("the company is not ruined")
}
