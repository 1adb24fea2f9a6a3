package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// Forms that values of one kind always have.
var (
	anyKey    = regexp.MustCompile(`lab_(off|fac|grd)_[A-Za-z0-9_-]{43}`)
	integer   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	instant   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)
	date      = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	version   = regexp.MustCompile(`^\d{4}-\d\d$`)
	requestID = regexp.MustCompile(`^req_[0-9a-hjkmnp-tv-z]{13}$`)
	// nullableAmounts are amounts that can be missing: no limit, or nothing to buy.
	nullableAmounts = []string{"credit_limit_minor", "open_minor", "limit_price_minor", "ask_minor"}
	dateMembers     = []string{"sim_date", "due_date", "answer_by", "cancel_after", "needed_by", "discount_until"}
)

// retryable lists the codes below 429 that are worth another try (contract:
// OPEN.ERR.RETRYABLE).
var retryable = []string{
	"press_busy", "press_down", "no_operator", "no_warehouse_worker", "week_not_over", "request_in_progress",
	"extension_not_yet", "request_timeout", "poll_in_progress", "banned",
}

// service is a server under test.
type service struct {
	*platentest.Platen
	judge *judge
	// client is that of a bubble's network, else nil.
	client *http.Client
	// faults allows answers of 500 and above.
	faults bool
}

// web is for pages, and for what only they ask.
func (s *service) web() *http.Client {
	if s.client != nil {
		return s.client
	}
	return http.DefaultClient
}

// ask sends a request beside the API within the time of a test.
func (s *service) ask(t testing.TB, r testclient.Request) *testclient.Answer {
	t.Helper()
	built, err := r.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, err := testclient.Exchange(s.client, built)
	if err != nil {
		t.Fatal(err)
	}
	a.T, a.Asked = t, r.String()
	return a
}

// request is one call; the path is relative to the base URL.
type request struct {
	method, path, key, body string
	// headers are name, value pairs.
	headers []string
}

// answer is the answer to a request that is in the contract.
type answer struct {
	*testclient.Answer

	service   *service
	asked     request
	operation *documented
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
	built, err := testclient.Request{
		Method: r.method, URL: s.BaseURL + r.path, Key: r.key, Body: r.body, Headers: r.headers,
	}.Build(t.Context())
	if err != nil {
		return nil, err
	}
	if s.client == nil && !r.waits() {
		turns <- struct{}{}
		defer func() { <-turns }()
	}
	got, err := testclient.Exchange(s.client, built)
	if got == nil {
		return nil, err
	}
	if err != nil {
		t.Error(err)
	}
	got.T, got.Asked = t, r.String()
	a := &answer{Answer: got, service: s, asked: r}
	s.inspect(a)
	return a, nil
}

// inspect checks what holds for every answer.
func (s *service) inspect(a *answer) {
	t := a.T
	t.Helper()
	path, _, _ := strings.Cut(a.asked.path, "?")
	a.operation = s.judge.find(a.asked.method, path)
	if a.Status >= http.StatusInternalServerError && !s.faults {
		t.Errorf("%s: %d\n%s", a.asked, a.Status, a.Raw)
	}
	made := a.asked.method == http.MethodPost && (path == "/sandboxes" || path == "/sandbox/forks") ||
		strings.HasPrefix(path, "/queue/")
	if !made {
		if found := anyKey.Find(a.Raw); found != nil {
			t.Errorf("%s: the answer holds a key", a.asked)
		}
	}
	a.inspectHeaders()
	if a.operation != nil && a.asked.method != http.MethodOptions {
		s.judge.headers(t, a.operation, a.Status, a.Header)
	}
	switch {
	case a.asked.method == http.MethodHead, a.Status == http.StatusNotModified:
		if len(a.Raw) > 0 {
			t.Errorf("%s: %d has a body: %s", a.asked, a.Status, a.Raw)
		}
	case a.Header.Get("Content-Type") == "text/csv; charset=utf-8":
		if a.operation == nil || !a.operation.listed {
			t.Errorf("%s: CSV is not documented", a.asked)
		}
	case a.Header.Get("Content-Type") == "application/har+json":
		if path != "/requests.har" || a.Status != http.StatusOK {
			t.Errorf("%s: %d is an HTTP Archive", a.asked, a.Status)
		}
	case a.Header.Get("Content-Type") == "application/vnd.platen.sandbox":
		if path != "/sandbox.platen" || a.Status != http.StatusOK {
			t.Errorf("%s: %d is a sandbox as a file", a.asked, a.Status)
		}
	default:
		a.inspectEnvelope()
		if t.Failed() {
			return
		}
		fresh := s.judge.unjudged(a.operation, a.Status, a.Raw, a.Body)
		if fresh == nil {
			seen.note(a)
			return
		}
		inspectValue(t, a.asked.String(), "", fresh)
		switch {
		case underRace:
		case a.operation != nil && a.asked.method != http.MethodOptions:
			s.judge.check(t, a.operation, a.Status, a.Code(), fresh)
			seen.note(a)
		default:
			s.judge.fits(t, "/components/schemas/Meta", member(t, a.Raw, "meta"))
			s.judge.fits(t, "/components/schemas/Error", member(t, a.Raw, "error"))
		}
	}
}

// secretMember matches a key or a secret as a field of a response.
var secretMember = regexp.MustCompile(`"(?:[a-z]+_key|secret)":"(?:lab_|whsec_)`)

func (a *answer) inspectHeaders() {
	a.T.Helper()
	cached := "private, no-cache"
	// HEAD has the headers of a GET that would have shown the secret.
	if a.Status/100 == 2 && (secretMember.Match(a.Raw) ||
		a.asked.method == http.MethodHead && a.Status == http.StatusCreated) {
		cached = "no-store"
	}
	for name, want := range map[string]string{
		"Cache-Control": cached, "Vary": "Accept, Authorization, X-Api-Key", "Sim-Simulation": "true",
	} {
		if got := a.Header.Get(name); got != want {
			a.T.Errorf("%s: %s is %q, want %q", a.asked, name, got, want)
		}
	}
	for name := range a.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			a.T.Errorf("%s: the answer has %s", a.asked, name)
		}
	}
	if (a.Status == http.StatusUnauthorized) != (a.Header.Get("WWW-Authenticate") == "Bearer") {
		a.T.Errorf("%s: %d with WWW-Authenticate %q", a.asked, a.Status, a.Header.Get("WWW-Authenticate"))
	}
	a.inspectBudget()
	if a.Status == http.StatusMethodNotAllowed && a.Header.Get("Allow") == "" {
		a.T.Errorf("%s: 405 without Allow", a.asked)
	}
}

// budgetForm matches the headers of a budget, one after another.
var budgetForm = regexp.MustCompile(
	`^(\d+) (\d+) "([a-z]+)";q=(\d+);w=60(?:;platen-burst=(\d+))? "([a-z]+)";r=(\d+);t=(\d+)$`)

// inspectBudget looks at the headers that show the caller's budget.
func (a *answer) inspectBudget() {
	a.T.Helper()
	var shown []string
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit"} {
		shown = append(shown, a.Header.Get(name))
	}
	match := budgetForm.FindStringSubmatch(strings.Join(shown, " "))
	if match == nil {
		a.T.Errorf("%s: %d shows the budget as %q", a.asked, a.Status, shown)
		return
	}
	limit, remaining, burst := match[1], match[2], match[5]
	off := limit == "1000000"
	if limit != match[4] || remaining != match[7] || match[3] != match[6] || off != (burst == "") ||
		off && remaining != limit {
		a.T.Errorf("%s: %d shows the budget as %q", a.asked, a.Status, shown)
	}
}

// inspectEnvelope checks the form of the envelope.
func (a *answer) inspectEnvelope() {
	t := a.T
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%s: %d has the type %q: %.200s", a.asked, a.Status, got, a.Raw)
		return
	}
	want := []string{"data", "meta"}
	if a.Status >= http.StatusBadRequest {
		want = []string{"error", "meta"}
	}
	if got := names(a.Body); !slices.Equal(got, want) {
		t.Errorf("%s: %d has the members %v, want %v", a.asked, a.Status, got, want)
		return
	}
	a.inspectMeta()
	if a.Status >= http.StatusBadRequest {
		a.inspectError()
	}
}

func (a *answer) inspectMeta() {
	a.T.Helper()
	meta := a.Meta()
	id, _ := meta["request_id"].(string)
	spoken, _ := meta["api_version"].(string)
	if meta["simulation"] != true || !requestID.MatchString(id) || meta["server_time"] == nil ||
		!version.MatchString(spoken) {
		a.T.Errorf("%s: meta is %v", a.asked, meta)
	}
	if left, ok := meta["expires_in_s"].(json.Number); ok && !integer.MatchString(left.String()) {
		a.T.Errorf("%s: expires_in_s is %v", a.asked, left)
	}
}

func (a *answer) inspectError() {
	t := a.T
	t.Helper()
	failure, code := a.Failure(), a.Code()
	a.service.inspectRefusal(t, a.asked.String(), a.Status, a.Header, a.Body)
	if a.Status != http.StatusTooManyRequests {
		return
	}
	if after := a.Header.Get("Retry-After"); after == "" || failure["retry_at"] == nil {
		t.Errorf("%s: %s has retry_at %v and Retry-After %q", a.asked, code, failure["retry_at"], after)
	}
	if shown := a.Header.Get("RateLimit"); code == "rate_limited" &&
		!strings.Contains(text(failure, "message"), "deliveries") &&
		!strings.HasSuffix(shown, ";t="+a.Header.Get("Retry-After")) {
		t.Errorf("%s: RateLimit is %q and Retry-After %v", a.asked, shown, a.Header.Get("Retry-After"))
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
