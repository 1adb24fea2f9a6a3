package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/internal/config"
)

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

// requests are the lines about requests, without what differs between runs.
func (j *journal) requests(t *testing.T) []string {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	var lines []string
	for line := range bytes.Lines(j.text.Bytes()) {
		var entry map[string]any
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatal(err)
		}
		if entry["msg"] != "request" {
			continue
		}
		text := fmt.Sprint(entry["level"], " ", entry["method"], " ", entry["route"], " ", entry["status"], " ",
			entry["error_code"])
		if id, _ := entry["request_id"].(string); (id == "") != slices.Contains([]any{"/", "/healthz"},
			entry["route"]) {
			t.Errorf("the line has the request id %q: %s", id, line)
		}
		if duration, ok := entry["duration"].(float64); !ok || duration < 0 {
			t.Errorf("the line has no duration: %s", line)
		}
		if entry["sandbox"] != nil {
			text += " in a sandbox"
		}
		if entry["traceparent"] != nil {
			text += fmt.Sprint(" of ", entry["traceparent"])
		}
		lines = append(lines, text)
	}
	return lines
}

// get sends a request on a connection of its own.
func get(t *testing.T, s *Server, method, target, key string) answer {
	t.Helper()
	c := dial(t, s)
	c.send(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 0\r\n"+
		"Connection: close\r\n\r\n", method, target, key))
	a := c.receive(method)
	c.ends()
	return a
}

// keys creates a sandbox.
func keys(t *testing.T, s *Server) (office, factory string) {
	t.Helper()
	var created struct {
		Data struct {
			OfficeKey  string `json:"office_key"`
			FactoryKey string `json:"factory_key"`
		}
	}
	if err := json.Unmarshal(get(t, s, http.MethodPost, "/v1/sandboxes", "").body, &created); err != nil ||
		created.Data.OfficeKey == "" {
		t.Fatalf("no sandbox: %v", err)
	}
	return created.Data.OfficeKey, created.Data.FactoryKey
}

func TestEachRequestIsOneLineOfTheLogWithoutItsKey(t *testing.T) {
	t.Parallel()
	log := &journal{}
	s := startBesideLogging(t, slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	office, factory := keys(t, s)
	secret := "a-secret-of-the-client"
	get(t, s, http.MethodGet, "/v1/office/sales-orders/so_0?x="+secret, office)
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	get(t, s, http.MethodGet, "/v1/office/sales-orders?limit=1 HTTP/1.1\r\nTraceparent: "+trace+"\r\nX: ", office)
	get(t, s, http.MethodGet, "/v1/nothing/"+secret, office)
	get(t, s, http.MethodGet, "/v1/sandbox?key="+factory, "")
	get(t, s, http.MethodGet, "/docs/"+secret+"?"+secret, "")
	get(t, s, http.MethodGet, "/healthz?"+secret, "")
	c := dial(t, s)
	c.send("nonsense " + office + "\r\n\r\n")
	c.receive(http.MethodGet)
	c.ends()
	want := []string{
		"INFO POST /v1/sandboxes 201 <nil>",
		"INFO GET /v1/office/sales-orders/{id} 400 invalid_parameter in a sandbox",
		"INFO GET /v1/office/sales-orders 200 <nil> in a sandbox of " + trace,
		"INFO GET  404 route_not_found in a sandbox",
		"INFO GET  400 key_in_url",
		"INFO GET / 404 <nil>",
		"INFO GET /healthz 200 <nil>",
		"INFO   400 bad_request",
	}
	// A line is written after its answer was sent.
	var got []string
	for deadline := time.Now().Add(patience); len(got) < len(want) && time.Now().Before(deadline); {
		got = log.requests(t)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	for _, word := range []string{secret, office, factory, office[8:28], factory[8:28], "limit=1", "so_0"} {
		if strings.Contains(log.text.String(), word) {
			t.Errorf("the log holds %q:\n%s", word, log.text.String())
		}
	}
}

func TestMetricsCountWhatHappened(t *testing.T) {
	t.Parallel()
	s := startBeside(t, func(c *config.Config) { c.AnonymousRate = 3 })
	office, _ := keys(t, s)
	for range 3 {
		get(t, s, http.MethodGet, "/v1/sandbox", office)
		get(t, s, http.MethodGet, "/v1/sandbox", "")
	}
	get(t, s, http.MethodGet, "/docs/", "")
	a := get(t, s, http.MethodGet, "/metrics", "")
	if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("%d %v", a.status, a.header)
	}
	for _, want := range []string{
		`platen_requests_total{operation="create_sandbox",status="201"} 1`,
		`platen_requests_total{operation="get_sandbox",status="200"} 3`,
		`platen_requests_total{operation="get_sandbox",status="401"} 2`,
		`platen_requests_total{operation="get_sandbox",status="429"} 1`,
		`platen_refusals_total{code="rate_limited"} 1`,
		`platen_limited_total{budget="anonymous",outcome="limited"} 1`,
		`platen_request_duration_seconds_count{operation="get_sandbox"} 6`,
		`platen_sandboxes_capacity 1000`, `platen_store_reachable 1`, `platen_sandboxes 1`, `platen_feed_waiters 0`,
		`platen_queue_length 0`, `platen_queue_capacity 500`, `platen_commit_duration_seconds_count`,
		`platen_build_info{version="`, `platen_connections `, `process_resident_memory_bytes`, `go_goroutines`,
	} {
		if !bytes.Contains(a.body, []byte(want)) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, want := range []string{
		`platen_database_bytes [1-9]`, `platen_disk_free_bytes [1-9]`, `platen_database_wal_bytes `,
	} {
		if !regexp.MustCompile(`(?m)^` + want).Match(a.body) {
			t.Errorf("there is no %s", want)
		}
	}
	if found := regexp.MustCompile(`lab_(off|fac|grd)_|sbx_`).Find(a.body); found != nil {
		t.Errorf("the metrics name a tenant: %s", found)
	}
}

func TestStatusSaysHowTheServerIs(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.MaxSandboxes = 7 })
	keys(t, s)
	var got map[string]any
	a := get(t, s, http.MethodGet, "/status.json", "")
	if err := json.Unmarshal(a.body, &got); err != nil || a.status != http.StatusOK ||
		a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v %s: %v", a.status, a.header, a.body, err)
	}
	if fmt.Sprint(got["sandboxes"]) != "map[active:1 capacity:7]" ||
		fmt.Sprint(got["queue"]) != "map[capacity:500 length:0]" || fmt.Sprint(got["store"]) != "map[reachable:true]" ||
		got["api_version"] != "2026-09" || got["version"] == "" || got["stopping"] != false {
		t.Errorf("got %s", a.body)
	}
	began, err := time.Parse(time.RFC3339, fmt.Sprint(got["started_at"]))
	if up, ok := got["uptime_s"].(float64); err != nil || !ok || up < 0 || time.Since(began) < 0 {
		t.Errorf("it began at %v and is up for %v", got["started_at"], got["uptime_s"])
	}
	broken := start(t)
	if err := broken.store.Close(); err != nil {
		t.Fatal(err)
	}
	if a = get(t, broken, http.MethodGet, "/status.json", ""); a.status != http.StatusOK ||
		!bytes.Contains(a.body, []byte(`"store":{"reachable":false}`)) {
		t.Errorf("without its storage: %d %s", a.status, a.body)
	}
}

// TestSharedBudgetsThatNobodyKeepsAreKeptHere: a server of budgets that does
// not answer must stop no request.
func TestSharedBudgetsThatNobodyKeepsAreKeptHere(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.AnonymousRate, c.Valkey = 2, "unix://"+t.TempDir()+"/nobody" })
	for _, want := range []int{http.StatusNotFound, http.StatusNotFound, http.StatusTooManyRequests} {
		if a := get(t, s, http.MethodGet, "/v1/nothing", ""); a.status != want {
			t.Errorf("got %d, want %d", a.status, want)
		}
	}
	if a := get(t, s, http.MethodGet, "/metrics", ""); !bytes.Contains(a.body, []byte("\nplaten_budgets_shared 0\n")) ||
		!bytes.Contains(a.body, []byte("\nplaten_budgets_failures ")) {
		t.Error("the metrics do not say so")
	}
}
