package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/platentest"
)

// Forms that values of one kind always have.
var (
	anyKey    = regexp.MustCompile(`lab_(off|fac)_[A-Za-z0-9_-]{43}`)
	integer   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	instant   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)
	date      = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	version   = regexp.MustCompile(`^\d{4}-\d\d$`)
	requestID = regexp.MustCompile(`^req_[0-9a-hjkmnp-tv-z]{13}$`)
	// nullableAmounts are amounts that can be missing: no limit, or nothing to buy.
	nullableAmounts = []string{"credit_limit_minor", "limit_price_minor", "ask_minor"}
	dateMembers     = []string{"sim_date", "due_date", "answer_by", "cancel_after", "needed_by", "discount_until"}
)

// retryable lists the codes below 429 that are worth another try (contract:
// OPEN.ERR.RETRYABLE).
var retryable = []string{
	"press_busy", "press_down", "no_operator", "week_not_over", "request_in_progress", "extension_not_yet",
	"request_timeout", "poll_in_progress", "banned",
}

// service is a server under test.
type service struct {
	*platentest.Platen
	judge *judge
	// faults allows answers of 500 and above.
	faults bool
}

// request is one call; the path is relative to the base URL.
type request struct {
	method, path, key, body string
	// headers are name, value pairs.
	headers []string
}

// answer is what came back.
type answer struct {
	t         testing.TB
	service   *service
	asked     request
	operation *documented
	status    int
	header    http.Header
	raw       []byte
	body      map[string]any
}

// transport gives up an idle connection before the server does after two
// minutes: a call sent in the moment of its closing would get no answer.
var transport = &http.Transport{
	MaxIdleConnsPerHost: testsAtOnce, IdleConnTimeout: time.Minute, DisableCompression: true,
}

// turns bounds the calls that are under way. Many tests run together, since some
// wait for a minute of the wall clock; were all of them served at once, receivers
// and servers would be too slow for the times of the contract.
var turns = make(chan struct{}, 16)

// waits reports whether the duration of a request depends on other clients or
// servers.
func (r request) waits() bool {
	return strings.Contains(r.path, "wait_s=") || strings.HasSuffix(r.path, "/test")
}

// send makes a call and holds its answer against everything that is true of
// all answers.
func (s *service) send(t testing.TB, r request) *answer {
	t.Helper()
	a, err := s.try(t, r)
	if err != nil {
		t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	return a
}

func (s *service) try(t testing.TB, r request) (*answer, error) {
	t.Helper()
	sent, err := http.NewRequestWithContext(t.Context(), r.method, s.BaseURL+r.path, strings.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.key != "" {
		sent.Header.Set("Authorization", "Bearer "+r.key)
	}
	if r.body != "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(r.headers); i += 2 {
		sent.Header.Del(r.headers[i])
		if r.headers[i+1] != "" {
			sent.Header.Set(r.headers[i], r.headers[i+1])
		}
	}
	if host := sent.Header.Get("Host"); host != "" { // a header that the library keeps beside the others
		sent.Host = host
	}
	if !r.waits() {
		turns <- struct{}{}
		defer func() { <-turns }()
	}
	received, err := transport.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	defer received.Body.Close()
	raw, err := io.ReadAll(received.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{t: t, service: s, asked: r, status: received.StatusCode, header: received.Header, raw: raw}
	s.inspect(a)
	return a, nil
}

// inspect checks what holds for every answer.
func (s *service) inspect(a *answer) {
	t := a.t
	t.Helper()
	path, _, _ := strings.Cut(a.asked.path, "?")
	a.operation = s.judge.find(a.asked.method, path)
	if a.status >= http.StatusInternalServerError && !s.faults {
		t.Errorf("%s: %d\n%s", a.asked, a.status, a.raw)
	}
	if made := a.asked.method == http.MethodPost && path == "/sandboxes" || strings.HasPrefix(path, "/queue/"); !made {
		if found := anyKey.Find(a.raw); found != nil {
			t.Errorf("%s: the answer holds a key", a.asked)
		}
	}
	a.inspectHeaders()
	if a.operation != nil && a.asked.method != http.MethodOptions {
		s.judge.headers(t, a.operation, a.status, a.header)
	}
	switch {
	case a.asked.method == http.MethodHead, a.status == http.StatusNotModified:
		if len(a.raw) > 0 {
			t.Errorf("%s: %d has a body: %s", a.asked, a.status, a.raw)
		}
	case a.header.Get("Content-Type") == "text/csv; charset=utf-8":
		if a.operation == nil || a.operation.responses["200"].Content["text/csv"] == nil {
			t.Errorf("%s: CSV is not documented", a.asked)
		}
	default:
		a.inspectEnvelope()
		if t.Failed() {
			return
		}
		fresh := s.judge.unjudged(a.operation, a.raw, a.body)
		inspectValue(t, a.asked.String(), "", fresh)
		switch {
		case underRace:
		case a.operation != nil && a.asked.method != http.MethodOptions:
			s.judge.check(t, a.operation, a.status, a.code(), fresh)
			seen.note(a)
		default:
			s.judge.fits(t, "/components/schemas/Meta", member(t, a.raw, "meta"))
			s.judge.fits(t, "/components/schemas/Error", member(t, a.raw, "error"))
		}
	}
}

func (a *answer) inspectHeaders() {
	a.t.Helper()
	for name, want := range map[string]string{
		"Cache-Control": "private, no-cache", "Vary": "Accept, Authorization, X-Api-Key",
	} {
		if got := a.header.Get(name); got != want {
			a.t.Errorf("%s: %s is %q, want %q", a.asked, name, got, want)
		}
	}
	for name := range a.header {
		if strings.HasPrefix(name, "Access-Control-") {
			a.t.Errorf("%s: the answer has %s", a.asked, name)
		}
	}
	if (a.status == http.StatusUnauthorized) != (a.header.Get("WWW-Authenticate") == "Bearer") {
		a.t.Errorf("%s: %d with WWW-Authenticate %q", a.asked, a.status, a.header.Get("WWW-Authenticate"))
	}
	a.inspectBudget()
	if a.status == http.StatusMethodNotAllowed && a.header.Get("Allow") == "" {
		a.t.Errorf("%s: 405 without Allow", a.asked)
	}
}

// budgetForm is what the headers of a budget look like, one after another.
var budgetForm = regexp.MustCompile(
	`^(\d+) (\d+) "([a-z]+)";q=(\d+);w=60(?:;platen-burst=(\d+))? "([a-z]+)";r=(\d+);t=(\d+)$`)

// inspectBudget looks at the headers that show the caller's budget.
func (a *answer) inspectBudget() {
	a.t.Helper()
	var shown []string
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit"} {
		shown = append(shown, a.header.Get(name))
	}
	match := budgetForm.FindStringSubmatch(strings.Join(shown, " "))
	if match == nil {
		a.t.Errorf("%s: %d shows the budget as %q", a.asked, a.status, shown)
		return
	}
	limit, remaining, burst := match[1], match[2], match[5]
	off := limit == "1000000"
	if limit != match[4] || remaining != match[7] || match[3] != match[6] || off != (burst == "") ||
		off && remaining != limit {
		a.t.Errorf("%s: %d shows the budget as %q", a.asked, a.status, shown)
	}
}

// inspectEnvelope reads the envelope and checks its form.
func (a *answer) inspectEnvelope() {
	t := a.t
	t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%s: %d has the type %q: %.200s", a.asked, a.status, got, a.raw)
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(a.raw))
	decoder.UseNumber()
	if err := decoder.Decode(&a.body); err != nil {
		t.Errorf("%s: %v: %.200s", a.asked, err, a.raw)
		return
	}
	if _, err := decoder.Token(); err != io.EOF {
		t.Errorf("%s: something follows the envelope: %.200s", a.asked, a.raw)
	}
	want := []string{"data", "meta"}
	if a.status >= http.StatusBadRequest {
		want = []string{"error", "meta"}
	}
	if got := names(a.body); !slices.Equal(got, want) {
		t.Errorf("%s: %d has the members %v, want %v", a.asked, a.status, got, want)
		return
	}
	a.inspectMeta()
	if a.status >= http.StatusBadRequest {
		a.inspectError()
	}
}

func (a *answer) inspectMeta() {
	a.t.Helper()
	meta := a.meta()
	id, _ := meta["request_id"].(string)
	spoken, _ := meta["api_version"].(string)
	if meta["simulation"] != true || !requestID.MatchString(id) || meta["server_time"] == nil ||
		!version.MatchString(spoken) {
		a.t.Errorf("%s: meta is %v", a.asked, meta)
	}
	if left, ok := meta["expires_in_s"].(json.Number); ok && !integer.MatchString(left.String()) {
		a.t.Errorf("%s: expires_in_s is %v", a.asked, left)
	}
}

func (a *answer) inspectError() {
	t := a.t
	t.Helper()
	failure, code := a.failure(), a.code()
	a.service.inspectRefusal(t, a.asked.String(), a.status, a.header, a.body)
	if a.status != http.StatusTooManyRequests {
		return
	}
	if after := a.header.Get("Retry-After"); after == "" || failure["retry_at"] == nil {
		t.Errorf("%s: %s has retry_at %v and Retry-After %q", a.asked, code, failure["retry_at"], after)
	}
	if shown := a.header.Get("RateLimit"); code == "rate_limited" &&
		!strings.Contains(text(failure, "message"), "deliveries") &&
		!strings.HasSuffix(shown, ";t="+a.header.Get("Retry-After")) {
		t.Errorf("%s: RateLimit is %q and Retry-After %v", a.asked, shown, a.header.Get("Retry-After"))
	}
}

// inspectValue checks that members of one kind look alike everywhere.
func inspectValue(t testing.TB, where, name string, value any) {
	t.Helper()
	text, isText := value.(string)
	fits := true
	switch {
	case strings.HasSuffix(name, "_minor"):
		n, ok := value.(json.Number)
		fits = ok && integer.MatchString(n.String()) || value == nil && slices.Contains(nullableAmounts, name)
	case name == "id" || strings.HasSuffix(name, "_id"):
		fits = value == nil || isText && text != ""
	case name == "on_hand_at":
		n, ok := value.(json.Number) // how much, not when
		fits = ok && integer.MatchString(n.String())
	case strings.HasSuffix(name, "_at") || name == "server_time":
		fits = value == nil || instant.MatchString(text)
	case slices.Contains(dateMembers, name) || strings.HasSuffix(name, "_on"):
		fits = value == nil || date.MatchString(text)
	case name == "currency":
		fits = value == "XTS"
	case name == "simulation":
		fits = value == true
	}
	if !fits {
		t.Errorf("%s: %s is %v", where, name, value)
	}
	switch value := value.(type) {
	case map[string]any:
		for key, child := range value {
			if !snakeCase.MatchString(key) {
				t.Errorf("%s: the name %q is not in snake_case", where, key)
			}
			inspectValue(t, where, key, child)
		}
	case []any:
		for _, child := range value {
			inspectValue(t, where, "", child)
		}
	}
}

// String names a call without its key.
func (r request) String() string { return fmt.Sprintf("%s %s %.120s", r.method, r.path, r.body) }
