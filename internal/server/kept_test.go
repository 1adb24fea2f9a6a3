package server

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"platen/internal/config"
	"platen/test/testclient"
)

var update = flag.Bool("update", false, "make the databases of this engine in testdata anew")

// keptYears is how long the sandboxes of databases in testdata last.
const keptYears = 100

// makeDatabases writes the databases of a folder: of companies of the presets starter and
// manual that were played for five days, through the API.
func makeDatabases(t *testing.T, folder string) {
	t.Helper()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	defer hook.Close()
	if err := os.MkdirAll(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, name := range keptDatabases {
		path := filepath.Join(t.TempDir(), "platen.db")
		s := start(t, func(c *config.Config) {
			c.Database, c.SandboxDuration, c.TickPause = path, keptYears*365*24*time.Hour, 0
			c.PrivateWebhooks = true
		})
		var kept []keptSandbox
		for _, preset := range []string{"starter", "manual"} {
			made := testclient.Request{
				Method: http.MethodPost, URL: s.BaseURL() + "/sandboxes",
				Body: fmt.Sprintf(`{"preset":%q,"seed":7,"clock":"manual"}`, preset),
			}.Send(t).Want(http.StatusCreated, "").Data()
			sandbox := keptSandbox{
				SandboxID: fmt.Sprint(made["sandbox_id"]), OfficeKey: fmt.Sprint(made["office_key"]),
				FactoryKey: fmt.Sprint(made["factory_key"]),
			}
			kept = append(kept, sandbox)
			c := &keptClient{keptSandbox: sandbox, t: t, base: s.BaseURL(), manual: preset == "manual"}
			c.subscribe(hook.URL)
			for range 5 {
				c.day()
			}
			c.delivered()
		}
		if name == "snapshot" {
			if err := s.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		packDatabase(t, path, filepath.Join(folder, name+".db"))
		text, err := json.MarshalIndent(kept, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// packDatabase keeps a database, which a server may have open, and its key.
func packDatabase(t *testing.T, path, kept string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	whole := filepath.Join(t.TempDir(), "whole.db")
	if _, err := db.ExecContext(t.Context(), "VACUUM INTO ?", whole); err != nil {
		t.Fatal(err)
	}
	plain, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(path + secretSuffix)
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{kept + ".gz": packed.Bytes(), kept + secretSuffix: key} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// keptClient plays a company whose database is kept.
type keptClient struct {
	keptSandbox

	t      *testing.T
	base   string
	manual bool
	writes int
}

// post sends a write, which may be refused: a paper may have run out, or a press be busy.
func (c *keptClient) post(path string, body map[string]any) *testclient.Answer {
	c.t.Helper()
	key := c.OfficeKey
	if len(path) > len("/factory") && path[:len("/factory")] == "/factory" {
		key = c.FactoryKey
	}
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	c.writes++
	return testclient.Request{
		Method: http.MethodPost, URL: c.base + path, Key: key, Body: string(text),
		Headers: []string{"Idempotency-Key", fmt.Sprint("write-", c.writes)},
	}.Send(c.t)
}

// all reads a list to its end.
func (c *keptClient) all(path string) []testclient.Object {
	c.t.Helper()
	key := c.OfficeKey
	if len(path) > len("/factory") && path[:len("/factory")] == "/factory" {
		key = c.FactoryKey
	}
	return testclient.All(path, func(page string) *testclient.Answer {
		return testclient.Request{Method: http.MethodGet, URL: c.base + page, Key: key}.Send(c.t)
	})
}

// subscribe has a webhook for a few events a day, and activates it.
func (c *keptClient) subscribe(url string) {
	c.t.Helper()
	made := c.post("/webhooks", map[string]any{
		"url": url, "events": []string{"office.sales_order.accepted", "office.supplier_invoice.received"},
	}).Want(http.StatusCreated, "")
	c.post(fmt.Sprintf("/webhooks/%s/test", made.Data()["id"]), map[string]any{}).Want(http.StatusOK, "")
}

// delivered waits until no delivery is under way, so that what is kept is at rest.
func (c *keptClient) delivered() {
	c.t.Helper()
	webhook := c.all("/webhooks?")[0]
	testclient.Eventually(c.t, "all is delivered", time.Minute, func() bool {
		for _, d := range c.all(fmt.Sprintf("/webhooks/%s/deliveries?", webhook["id"])) {
			if d["status"] == "pending" {
				return false
			}
		}
		return true
	})
}

// day does a bit of everything, and lets the day pass.
func (c *keptClient) day() {
	c.t.Helper()
	for _, o := range c.all("/office/sales-orders?status=received") {
		c.post(fmt.Sprintf("/office/sales-orders/%s/accept", o["id"]), map[string]any{})
		if c.manual {
			c.post("/factory/work-orders", map[string]any{
				"sku": o["sku"], "quantity": o["quantity"], "reference": o["id"],
			})
		}
	}
	c.post("/office/purchase-orders", map[string]any{
		"supplier_id": "sup_quick", "lines": []any{map[string]any{"sku": "mat_coated", "quantity": 500}},
	})
	c.post("/office/market", map[string]any{"side": "buy", "sku": "mat_board", "quantity": 100})
	c.post("/office/requisitions", map[string]any{"lines": []any{map[string]any{"sku": "mat_ink", "quantity": 5}}})
	for range 2 {
		for _, w := range c.all("/factory/work-orders?waits_for=press") {
			for _, press := range []string{"prs_digital", "prs_offset"} {
				c.post("/factory/print-runs", map[string]any{
					"press_id": press, "work_order_id": w["id"], "overs_pct": 5,
				})
			}
		}
		c.post("/sandbox/tick", map[string]any{"minutes": 240}).Want(http.StatusOK, "")
		for _, w := range c.all("/factory/work-orders?status=ready") {
			c.post("/factory/shipments", map[string]any{"work_order_id": w["id"]})
			if c.manual {
				c.post("/office/shipments", map[string]any{"sales_order_id": w["reference"]})
			}
		}
		for _, d := range c.all("/factory/deliveries?status=arrived") {
			c.post("/factory/goods-receipts", map[string]any{"delivery_id": d["id"]})
		}
	}
	for _, i := range c.all("/office/supplier-invoices?status=open") {
		c.post(fmt.Sprintf("/office/supplier-invoices/%s/pay", i["id"]), map[string]any{})
	}
}
