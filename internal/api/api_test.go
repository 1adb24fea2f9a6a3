package api_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"platen/internal/admission"
	"platen/internal/api"
	"platen/internal/company/preset"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
)

// clock is a wall clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// service is an API over a fresh database with a clock of its own.
type service struct {
	t        testing.TB
	url      string
	clock    *clock
	registry *sandbox.Registry
	// handler is what answers at url.
	handler http.Handler
	// log is all that was logged.
	log *record
}

// record is a log that tests can read while it grows.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// start runs an API without limits, unless a change sets some.
func start(t testing.TB, change ...func(*api.Options)) *service {
	t.Helper()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{now: time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)}
	logged := &record{}
	log := slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	registry := sandbox.NewRegistry(sandbox.Options{
		TickPause: time.Second,
		Store:     db, Presets: presets, Lease: 30 * time.Minute, Extension: 30 * time.Minute,
		ExtensionWindow: 10 * time.Minute, Grace: 10 * time.Minute, Log: log, Now: c.Now,
	})
	controller, err := admission.Open(t.Context(), admission.Options{
		Store: db, Log: log, Now: c.Now, Capacity: 100, ClaimWindow: time.Minute, Turnover: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	options := api.Options{Registry: registry, Admission: controller, Origin: "http://platen.test", Log: log}
	for _, set := range change {
		set(&options)
	}
	handler, err := api.New(options, operation.Table())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.Close()
		registry.Close(context.Background())
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &service{t: t, url: server.URL, clock: c, registry: registry, handler: handler, log: logged}
}

// call is one request; headers are name, value pairs.
func (s *service) call(method, path, key, body string, headers ...string) *answer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.do(r)
}

func (s *service) do(r *http.Request) *answer {
	s.t.Helper()
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := &answer{t: s.t, status: response.StatusCode, header: response.Header, raw: raw}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") && len(raw) > 0 {
		if err := json.Unmarshal(raw, &a.body); err != nil {
			s.t.Fatalf("answer is not JSON: %v\n%s", err, raw)
		}
	}
	return a
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

// want fails unless the answer has the status and, for refusals, the code.
func (a *answer) want(status int, code string) *answer {
	a.t.Helper()
	got := ""
	if e, ok := a.body["error"].(map[string]any); ok {
		got, _ = e["code"].(string)
	}
	if a.status != status || got != code {
		a.t.Fatalf("got %d %q, want %d %q\n%s", a.status, got, status, code, bytes.TrimSpace(a.raw))
	}
	return a
}

func (a *answer) data() map[string]any {
	a.t.Helper()
	data, ok := a.body["data"].(map[string]any)
	if !ok {
		a.t.Fatalf("no data: %s", a.raw)
	}
	return data
}

func (a *answer) items() []map[string]any {
	a.t.Helper()
	var items []map[string]any
	for _, item := range a.data()["items"].([]any) {
		items = append(items, item.(map[string]any))
	}
	return items
}

func (a *answer) failure() map[string]any {
	a.t.Helper()
	failure, ok := a.body["error"].(map[string]any)
	if !ok {
		a.t.Fatalf("no error: %s", a.raw)
	}
	return failure
}

// tenant is a sandbox of the service.
type tenant struct {
	*service
	id, office, factory string
}

func (s *service) create(body string) *tenant {
	s.t.Helper()
	data := s.call("POST", "/v1/sandboxes", "", body).want(201, "").data()
	return &tenant{
		service: s, id: data["sandbox_id"].(string), office: data["office_key"].(string),
		factory: data["factory_key"].(string),
	}
}

// order returns the id of the sales order with a number.
func (n *tenant) order(number string) string {
	n.t.Helper()
	for _, item := range n.call("GET", "/v1/office/sales-orders?limit=100", n.office, "").want(200, "").items() {
		if item["number"] == number {
			return item["id"].(string)
		}
	}
	n.t.Fatalf("no order %s", number)
	return ""
}
