package api_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"platen/internal/api"
	"platen/internal/api/faults"
	"platen/internal/api/message"
	"platen/internal/company/preset"
	"platen/internal/edge/admission"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
	"platen/test/testclient"
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
	// handler answers at url.
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
	injector := faults.Injector{Now: registry.Now, Errors: &message.Errors{Origin: "http://platen.test", Log: log}}
	options := api.Options{
		Registry: registry, Admission: controller, Origin: "http://platen.test", Log: log, Within: injector.Layer,
	}
	for _, set := range change {
		set(&options)
	}
	handler, err := api.New(options, operation.Table())
	if err != nil {
		t.Fatal(err)
	}
	injector.Carry = handler.Carry
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

// answer is one of the service, with claims of its own.
type answer struct{ *testclient.Answer }

// call is one request; headers are name, value pairs.
func (s *service) call(method, path, key, body string, headers ...string) *answer {
	s.t.Helper()
	r := testclient.Request{Method: method, URL: s.url + path, Key: key, Body: body, Headers: headers}
	return &answer{r.Send(s.t)}
}

// do sends a request that call cannot make.
func (s *service) do(r *http.Request) *answer {
	s.t.Helper()
	a, err := testclient.Exchange(nil, r)
	if err != nil {
		s.t.Fatal(err)
	}
	a.T = s.t
	return &answer{a}
}

// want fails unless the answer has the status and, for refusals, the code.
func (a *answer) want(status int, code string) *answer {
	a.T.Helper()
	a.Want(status, code)
	return a
}

// tenant is a sandbox of the service.
type tenant struct {
	*service
	id, office, factory string
}

func (s *service) create(body string) *tenant {
	s.t.Helper()
	data := s.call("POST", "/v1/sandboxes", "", body).want(201, "").Data()
	return &tenant{
		service: s, id: data["sandbox_id"].(string), office: data["office_key"].(string),
		factory: data["factory_key"].(string),
	}
}

// keys creates a sandbox of which a test needs no more.
func (s *service) keys(body string) (office, factory string) {
	s.t.Helper()
	n := s.create(body)
	return n.office, n.factory
}

// order returns the id of the sales order with a number.
func (n *tenant) order(number string) string {
	n.t.Helper()
	for _, item := range n.call("GET", "/v1/office/sales-orders?limit=100", n.office, "").want(200, "").Items() {
		if item["number"] == number {
			return item["id"].(string)
		}
	}
	n.t.Fatalf("no order %s", number)
	return ""
}
