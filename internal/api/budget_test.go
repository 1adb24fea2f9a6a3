package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen/internal/api"
	"platen/internal/edge/network"
	"platen/internal/edge/ratelimit"
)

// limited switches the contract's budgets on, behind a proxy on this machine.
func limited(t testing.TB) func(*api.Options) {
	t.Helper()
	return func(o *api.Options) {
		gate, err := ratelimit.New(ratelimit.Options{
			Key: ratelimit.Budget{PerMinute: 120, Burst: 30}, Group: ratelimit.Budget{PerMinute: 360, Burst: 60},
			Anonymous: ratelimit.Budget{PerMinute: 30, Burst: 30},
			Cooldown:  ratelimit.Penalty{Refusals: 20, Within: 10 * time.Second, Lasts: 30 * time.Second},
			Ban:       ratelimit.Penalty{Refusals: 300, Within: time.Minute, Lasts: 15 * time.Minute},
		})
		if err != nil {
			t.Fatal(err)
		}
		proxies, err := network.ParseNetworks([]string{"127.0.0.0/8", "::1/128"})
		if err != nil {
			t.Fatal(err)
		}
		rules, err := network.New(network.Options{
			Trusted: proxies, IPv4Bits: network.IPv4Bits, IPv6Bits: network.IPv6Bits,
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Gate, o.Network = gate, rules
	}
}

// shows fails unless an answer shows a budget.
func (a *answer) shows(limit, remaining int) *answer {
	a.T.Helper()
	got := a.Header.Get("X-RateLimit-Limit") + " " + a.Header.Get("X-RateLimit-Remaining")
	if want := fmt.Sprint(limit, remaining); got != want {
		a.T.Errorf("%d: the budget is shown as %q, want %q", a.Status, got, want)
	}
	policy, rate := a.Header.Get("RateLimit-Policy"), a.Header.Get("RateLimit")
	if !strings.Contains(policy, fmt.Sprintf(";q=%d;w=60", limit)) ||
		!strings.Contains(rate, fmt.Sprintf(";r=%d;t=", remaining)) {
		a.T.Errorf("%d: the draft's headers are %q and %q", a.Status, policy, rate)
	}
	if name, _, _ := strings.Cut(policy, ";"); !strings.HasPrefix(rate, name+";") {
		a.T.Errorf("%d: %q is of another policy than %q", a.Status, rate, policy)
	}
	return a
}

// limits fails unless an answer says when to come back, twice the same.
func (a *answer) limits(now time.Time, retryAfter int) *answer {
	a.T.Helper()
	if got := a.Header.Get("Retry-After"); got != strconv.Itoa(retryAfter) {
		a.T.Errorf("Retry-After is %q, want %d", got, retryAfter)
	}
	text, _ := a.Failure()["retry_at"].(string)
	at, err := time.Parse(time.RFC3339, text)
	if seconds := at.Sub(now).Seconds(); err != nil || seconds > float64(retryAfter) ||
		seconds <= float64(retryAfter-1) {
		a.T.Errorf("retry_at is %q, now %s with Retry-After %d", text, now, retryAfter)
	}
	if !strings.HasSuffix(a.Header.Get("RateLimit"), ";t="+strconv.Itoa(retryAfter)) {
		a.T.Errorf("RateLimit is %q, Retry-After %d", a.Header.Get("RateLimit"), retryAfter)
	}
	return a
}

func TestAKeyHasABudgetThatItSees(t *testing.T) {
	t.Parallel()
	n := start(t, limited(t)).create(`{"clock":"manual"}`)
	for left := 29; left >= 0; left-- {
		a := n.call("GET", "/v1/sandbox", n.office, "").want(200, "").shows(120, left)
		// Two requests come back in a second, until all 30 are there.
		rate, until := a.Header.Get("RateLimit"), fmt.Sprintf(";t=%d", (30-left+1)/2)
		if !strings.HasSuffix(rate, until) {
			t.Errorf("with %d requests left RateLimit is %q, want %s", left, rate, until)
		}
	}
	a := n.call("GET", "/v1/sandbox", n.office, "").want(429, "rate_limited").shows(120, 0).limits(n.clock.Now(), 1)
	if a.Failure()["retryable"] != true {
		t.Errorf("the refusal is not retryable: %s", a.Raw)
	}
	if meta := a.Body["meta"].(map[string]any); meta["expires_in_s"] == nil || meta["sim_date"] == nil {
		t.Errorf("the refusal is not dated: %s", a.Raw)
	}
	n.call("GET", "/v1/sandbox", n.factory, "").want(200, "").shows(120, 29) // the other key has its own
	n.clock.Advance(500 * time.Millisecond)
	n.call("GET", "/v1/sandbox", n.office, "").want(200, "").shows(120, 0)
	n.clock.Advance(time.Minute)
	tag := n.call("GET", "/v1/sandbox", n.office, "").want(200, "").shows(120, 29).Header.Get("ETag")
	n.call("GET", "/v1/sandbox", n.office, "", "If-None-Match", tag).want(304, "").shows(120, 28)
	n.call("GET", "/v1/nothing", n.office, "").want(404, "route_not_found").shows(120, 27)
	n.call("PUT", "/v1/sandbox", n.office, "").want(405, "method_not_allowed").shows(120, 26)
	n.call("GET", "/v1/factory/stock", n.office, "").want(403, "wrong_system").shows(120, 25)
	n.call("GET", "/v1//sandbox", n.office, "").want(400, "bad_request").shows(120, 24)
	n.call("OPTIONS", "/v1/sandbox", n.office, "").want(401, "unauthorized").shows(120, 23)
	n.call("HEAD", "/v1/sandbox", n.office, "").want(200, "").shows(120, 22)
	n.call("GET", "/v1/office/sales-orders.csv", n.office, "").want(200, "").shows(120, 21)
	n.call("POST", "/v1/sandbox/tick", n.office, `{"minutes":1}`).want(200, "").shows(120, 20)
	n.call("POST", "/v1/sandbox/tick", n.office, `{"minutes":1}`).want(429, "tick_rate").shows(120, 19)
}

func TestRequestsWithoutAKeyThatWorksShareABudget(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t))
	n := s.create("") // 29 are left
	unknown := "lab_off_" + strings.Repeat("A", 43)
	left := 29
	for _, c := range []struct {
		method, path, key string
		status            int
		code              string
	}{
		{"GET", "/v1/sandbox", "", 401, "unauthorized"},
		{"GET", "/v1/sandbox", unknown, 401, "unauthorized"},
		{"GET", "/v1/sandbox", "nonsense", 401, "unauthorized"},
		{"GET", "/v1/nothing", "", 404, "route_not_found"},
		{"GET", "/v1/nothing", unknown, 401, "unauthorized"},
		{"GET", "/v1/sandbox/", unknown, 401, "unauthorized"},
		{"GET", "/v1/sandbox/", "", 400, "bad_request"},
		{"OPTIONS", "/v1/sandbox", "", 401, "unauthorized"},
		{"POST", "/v1/sandboxes", "", 201, ""},
		{"POST", "/v1/sandboxes", n.office, 201, ""}, // a key is not looked at
		{"GET", "/v1/sandboxes", n.office, 405, "method_not_allowed"},
	} {
		a := s.call(c.method, c.path, c.key, "").want(c.status, c.code)
		if c.code == "method_not_allowed" {
			a.shows(120, 29) // there is no route that would not look at the key
			continue
		}
		left--
		a.shows(30, left)
	}
	for ; left > 0; left-- {
		s.call("GET", "/v1/sandbox", unknown, "").want(401, "unauthorized")
	}
	s.call("POST", "/v1/sandboxes", "", "").want(429, "rate_limited").shows(30, 0).limits(s.clock.Now(), 2)
	s.call("GET", "/v1/sandbox", unknown, "").want(429, "rate_limited").shows(30, 0).limits(s.clock.Now(), 2)
	s.clock.Advance(1500 * time.Millisecond)
	s.call("GET", "/v1/sandbox", "", "").want(429, "rate_limited").limits(s.clock.Now(), 1)
	n.call("GET", "/v1/sandbox", n.office, "").want(200, "").shows(120, 29)
	s.clock.Advance(500 * time.Millisecond)
	s.call("POST", "/v1/sandboxes", "", "").want(201, "").shows(30, 0)
}

func TestANetworkHasABudgetForAllItsKeys(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t))
	tenants := []*tenant{s.create(""), s.create(""), s.create("")}
	passed := 3
	var refused *answer
	for range 30 {
		for _, n := range tenants {
			if a := n.call("GET", "/v1/sandbox", n.office, ""); a.Status == 200 {
				passed++
			} else if refused == nil {
				refused = a
			}
		}
	}
	if passed != 60 || refused == nil {
		t.Fatalf("%d of 93 requests passed, want 60", passed)
	}
	refused.want(429, "rate_limited").limits(s.clock.Now(), 1)
	refused.shows(360, 0)
	// Another network, told apart by what the trusted proxy says.
	n := tenants[0]
	n.call("GET", "/v1/sandbox", n.office, "", "X-Forwarded-For", "198.51.100.1").want(200, "")
	n.call("GET", "/v1/sandbox", n.office, "", "X-Forwarded-For", "198.51.100.1, 127.0.0.9").want(200, "")
	// Addresses that the client itself writes count nothing.
	n.call("GET", "/v1/sandbox", n.office, "", "X-Forwarded-For", "198.51.100.2, 127.0.0.1, 127.0.0.1").want(200, "")
}

func TestALimitedRequestDidNothing(t *testing.T) {
	t.Parallel()
	n := start(t, limited(t)).create(`{"clock":"manual"}`)
	order := n.order("SO-1001")
	for n.call("GET", "/v1/sandbox", n.office, "").Status == 200 {
	}
	accept := "/v1/office/sales-orders/" + order + "/accept"
	n.call("POST", accept, n.office, "", "Idempotency-Key", "one").want(429, "rate_limited")
	n.clock.Advance(time.Minute)
	if row := n.call("GET", "/v1/office/sales-orders/"+order, n.office, "").
		want(200, "").Data(); row["status"] != "received" {
		t.Errorf("the order is %v", row["status"])
	}
	a := n.call("POST", accept, n.office, "", "Idempotency-Key", "one").want(200, "")
	if a.Header.Get("Idempotency-Replayed") != "" {
		t.Error("the refusal was stored as an answer")
	}
}

func TestAKeyThatGoesOnSendingCoolsDownAndKeepsWorking(t *testing.T) {
	t.Parallel()
	n := start(t, limited(t)).create("")
	for range 30 + 19 {
		n.call("GET", "/v1/sandbox", n.office, "")
	}
	end := n.clock.Now().Add(30 * time.Second)
	for _, after := range []time.Duration{0, time.Second, 28*time.Second + 500*time.Millisecond} {
		n.clock.Advance(after)
		a := n.call("GET", "/v1/sandbox", n.office, "").want(429, "rate_limited").shows(120, 0)
		at, err := time.Parse(time.RFC3339, a.Failure()["retry_at"].(string))
		if err != nil || !at.Equal(end) {
			t.Errorf("retry_at is %v, want %s", a.Failure()["retry_at"], end)
		}
		a.limits(n.clock.Now(), int((end.Sub(n.clock.Now())+time.Second-1)/time.Second))
	}
	n.call("GET", "/v1/sandbox", n.factory, "").want(200, "")
	n.clock.Advance(500 * time.Millisecond)
	n.call("GET", "/v1/sandbox", n.office, "").want(200, "").shows(120, 29)
}

func TestANetworkThatGoesOnSendingIsBanned(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t))
	n := s.create("")
	from := []string{"X-Forwarded-For", "203.0.113.7"}
	for range 30 + 299 {
		s.call("GET", "/v1/sandbox", "", "", from...)
	}
	if strings.Contains(s.log.String(), "banned") {
		t.Error("the log speaks of a ban before there is one")
	}
	now := s.clock.Now()
	a := s.call("GET", "/v1/sandbox", "", "", from...).want(403, "banned").shows(360, 0).limits(now, 900)
	if a.Failure()["retryable"] != true {
		t.Errorf("a ban ends, and is not retryable: %s", a.Raw)
	}
	s.call("POST", "/v1/sandboxes", "", "", from...).want(403, "banned").limits(now, 900)
	n.call("GET", "/v1/sandbox", n.office, "", from...).want(403, "banned").shows(360, 0)
	n.call("GET", "/v1/sandbox", n.office, "", "X-Forwarded-For", "2001:db8::1").want(200, "").shows(120, 29)
	if log := s.log.String(); strings.Count(log, "is banned") != 1 || !strings.Contains(log, "network=203.0.113.7/32") {
		t.Errorf("the log does not name the banned network once:\n%s", log)
	}
	s.clock.Advance(15 * time.Minute)
	n.call("GET", "/v1/sandbox", n.office, "", from...).want(200, "").shows(120, 29)
}

// TestKeysOfNobodyInAURLAreCountedLikeAnyRequest: only a key that works is
// revoked whatever the budgets say.
func TestKeysOfNobodyInAURLAreCountedLikeAnyRequest(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t))
	n := s.create("")
	from := []string{"X-Forwarded-For", "203.0.113.8"}
	statuses := map[int]int{}
	for i := range 400 {
		statuses[s.call("GET", fmt.Sprintf("/v1/sandbox?k=lab_off_%043d", i), "", "", from...).Status]++
	}
	if statuses[400] != 30 || statuses[429] != 299 || statuses[403] != 71 {
		t.Errorf("of 400 requests with keys of nobody %v, want 30 x 400, 299 x 429, 71 x 403", statuses)
	}
	n.call("GET", "/v1/sandbox?k="+n.office, "", "", from...).want(400, "key_in_url")
	n.call("GET", "/v1/sandbox", n.office, "").want(401, "unauthorized")
}

func TestABudgetThatIsOffShowsAMillion(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	n.call("GET", "/v1/sandbox", n.office, "").want(200, "").shows(1_000_000, 1_000_000)
	n.call("GET", "/v1/sandbox", "", "").want(401, "unauthorized").shows(1_000_000, 1_000_000)
}

func TestHeadersStandOnce(t *testing.T) {
	t.Parallel()
	n := start(t, limited(t)).create("")
	a := n.call("GET", "/v1/sandbox", n.office, "").want(200, "")
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit", "RateLimit-Policy"} {
		if got := a.Header[http.CanonicalHeaderKey(name)]; len(got) != 1 {
			t.Errorf("%s stands %d times: %v", name, len(got), got)
		}
	}
}

// TestWhatIsOverALimitLoadsNoCompany: a flood with a key that works costs the storage nothing.
func TestWhatIsOverALimitLoadsNoCompany(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *api.Options) {
		gate, err := ratelimit.New(ratelimit.Options{
			Key:      ratelimit.Budget{PerMinute: 120, Burst: 30},
			Cooldown: ratelimit.Penalty{Refusals: 20, Within: 10 * time.Second, Lasts: time.Hour},
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Gate = gate
	})
	n := s.create("")
	for range 30 + 20 {
		n.call("GET", "/v1/sandbox", n.office, "")
	}
	n.clock.Advance(10 * time.Minute)
	s.registry.Sweep(t.Context())
	if s.registry.Memory().Companies != 0 {
		t.Fatal("the company is still in memory")
	}
	n.call("GET", "/v1/sandbox", n.office, "").want(429, "rate_limited")
	if s.registry.Memory().Companies != 0 {
		t.Error("a request over its limit has loaded a company")
	}
	n.call("GET", "/v1/sandbox", n.factory, "").want(200, "")
}
