package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"platen/internal/words/problem"
)

var (
	token  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	value  = regexp.MustCompile(`^[\t\x20-\x7e\x80-\xff]*$`)
	secret = regexp.MustCompile(`lab_(off|fac|grd)_[A-Za-z0-9_-]{43}`)
)

// FuzzRequest sends any request that net/http would let through: it is answered
// in the one form of all answers, with a code that is in the catalogue and is
// not about a mistake of ours, and what is refused has changed nothing.
func FuzzRequest(f *testing.F) {
	for _, seed := range [][5]string{
		{"GET", "/v1/office/sales-orders?limit=2&status=received", "If-None-Match", "*", ""},
		{"GET", "/v1/office/sales-orders.csv", "Accept", "text/csv;q=0.5", ""},
		{"GET", "/v1/office//sales-orders/", "Sim-Version", "2026-09", ""},
		{"GET", "/v1/%2e%2e/v1/sandbox", "Accept", "", ""},
		{"GET", "/v1/office/sales-orders/so_0%2f..", "", "", ""},
		{"GET", "/v1/events?types=office.sales_order.received,x&system=office&after_seq=3",
			"Sim-Version", "2025-01", ""},
		{"GET", "/v1/events/poll?after_seq=0&wait_s=0", "Accept", "*/*;q=0", ""},
		{"GET", "/v1/sandbox/series?since=1", "X-Api-Key", "k", ""},
		{"GET", "/v1/queue/tkt_0123456789abcdefghjkmnpqrs", "Authorization", "Basic x", ""},
		{"HEAD", "/v1/queue/%00", "Range", "bytes=0-1", ""},
		{"POST", "/v1/sandboxes", "Idempotency-Key", "01234567890123456789", `{"preset":"starter","clock":"manual"}`},
		{"POST", "/v1/sandboxes", "Sim-Pow", "x.1", `{"preset":"nothing"}`},
		{"POST", "/v1/sandbox/tick", "Idempotency-Key", `"k"`, `{"minutes":1}`},
		{"POST", "/v1/sandbox/tick?x=1", "Content-Type", "application/json;charset=x", `{"minutes":1.5}`},
		{"POST", "/v1/office/requisitions", "Idempotency-Key", "k", `{"lines":[{"sku":"mat_ink","quantity":1}]}`},
		{"GET", "/v1/office/sales-orders/%ff", "", "", ""},
		{"GET", "/v1/office/sales-orders?%ff=%ff&status=%ff", "", "", ""},
		{"GET", "/v1/events?types=%ff", "", "", ""},
		{"POST", "/v1/office/sales-orders/%ff/accept", "Sim-Version", "\xff", ""},
		{"GET", "/v1/requests", "", "", ""},
		{"GET", "/v1/requests.csv", "", "", ""},
		{"OPTIONS", "*", "Origin", "http://platen.test", ""},
		{"DELETE", "/v1/sandbox", "X-Http-Method-Override", "GET", ""},
		{"GET", "http://platen.test/v1/sandbox", "X-Forwarded-For", "10.0.0.1", ""},
		{"GET", "/v1/sandbox?k=%256cab_off_" + strings.Repeat("a", 43), "", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], len(seed[4])%2 == 0)
	}
	s := start(f)
	n := s.create(`{"clock":"manual"}`)
	f.Fuzz(func(t *testing.T, method, target, name, text, body string, office bool) {
		parsed, err := url.ParseRequestURI(target)
		if err != nil || !token.MatchString(method) || name != "" && !token.MatchString(name) ||
			!value.MatchString(text) || method == http.MethodConnect {
			return // net/http answers
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.RequestURI, r.URL = method, target, parsed
		r.Header.Set("Authorization", "Bearer "+n.factory)
		if office {
			r.Header.Set("Authorization", "Bearer "+n.office)
		}
		r.Header.Set("Content-Type", "application/json")
		if name != "" {
			r.Header.Set(name, text)
		}
		before := n.version(t)
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		code := checkAnswer(t, r, w)
		if method == http.MethodDelete && parsed.Path == "/v1/sandbox" && code == "" {
			again := *s // that one is gone
			again.t = t
			n = again.create(`{"clock":"manual"}`)
			return
		}
		if after := n.version(t); code != "" && after != before {
			t.Errorf("%s %q is refused with %s and has made %d commits", method, target, code, after-before)
		}
	})
}

// version is how many commits a sandbox has.
func (n *tenant) version(t *testing.T) uint64 {
	t.Helper()
	v, err := n.registry.Sandbox(n.id).View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v.Version
}

// checkAnswer checks the form of an answer and returns the code of a refusal.
func checkAnswer(t *testing.T, r *http.Request, w *httptest.ResponseRecorder) problem.Code {
	t.Helper()
	asked := r.Method + " " + strconv.Quote(r.RequestURI)
	raw, h := w.Body.Bytes(), w.Header()
	if h.Get("Location") != "" || h.Get("Request-Id") == "" {
		t.Errorf("%s: the headers are %v", asked, h)
	}
	if created := w.Code == http.StatusCreated && r.Method == http.MethodPost; !created && secret.Match(raw) {
		t.Errorf("%s: the answer holds a key", asked)
	}
	if r.Method == http.MethodHead || w.Code == http.StatusNotModified {
		if len(raw) > 0 {
			t.Errorf("%s: %d has a body", asked, w.Code)
		}
		return ""
	}
	if h.Get("Content-Length") != strconv.Itoa(len(raw)) {
		t.Errorf("%s: %d bytes are announced as %s", asked, len(raw), h.Get("Content-Length"))
	}
	if h.Get("Content-Type") == "text/csv; charset=utf-8" && w.Code == http.StatusOK {
		return ""
	}
	var envelope struct {
		Meta  struct{ Simulation bool }
		Data  any
		Error *struct{ Code, Message, Hint string }
	}
	if err := json.Unmarshal(raw, &envelope, json.MatchCaseInsensitiveNames(true)); err != nil ||
		h.Get("Content-Type") != "application/json" || !envelope.Meta.Simulation {
		t.Fatalf("%s: %d is no envelope: %v: %.300s", asked, w.Code, err, raw)
	}
	if (envelope.Error != nil) != (w.Code >= http.StatusBadRequest) ||
		(envelope.Data != nil) == (envelope.Error != nil) {
		t.Fatalf("%s: %d is answered with %.300s", asked, w.Code, raw)
	}
	if envelope.Error == nil {
		return ""
	}
	d := problem.Lookup(problem.Code(envelope.Error.Code))
	if d.Status != w.Code || d.Code == problem.InternalError || envelope.Error.Message == "" ||
		envelope.Error.Hint == "" {
		t.Errorf("%s: %d %+v", asked, w.Code, *envelope.Error)
	}
	return d.Code
}
