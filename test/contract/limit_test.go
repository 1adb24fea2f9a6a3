package contract

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen/platentest"

	"platen/test/testclient"
)

// limited starts a server with the limits of platen serve. Creations have
// their own tests.
func limited(t testing.TB, change ...map[string]string) *service {
	t.Helper()
	settings := platentest.Limits()
	settings["ip-active"], settings["ip-creations"] = "0", "0"
	settings["trusted-proxy"] = "127.0.0.0/8"
	for _, c := range change {
		maps.Copy(settings, c)
	}
	return serve(t, settings)
}

// from is the header with which the proxy in front of a limited server says
// whose request it is.
func from(address string) []string { return []string{"X-Forwarded-For", address} }

// only leaves one of the budgets switched on.
func only(name string) map[string]string {
	settings := map[string]string{"key-rate": "0", "ip-rate": "0", "anonymous-rate": "0", "ban": "0s", "cooldown": "0s"}
	delete(settings, name)
	return settings
}

// flood sends a request, some at once so that a busy machine is fast enough too,
// until it is refused, and returns how many passed, a refusal, and how long all
// of it took.
func (s *service) flood(t testing.TB, r request) (passed int, refused *answer, took time.Duration) {
	t.Helper()
	if passed, refused, took = s.hurry(t, r); refused == nil {
		t.Fatalf("%d requests, and none of them was refused", passed)
	}
	return passed, refused, took
}

// hurry is flood on a machine that may be slower than the budget refills: the
// refusal is then nil.
func (s *service) hurry(t testing.TB, r request) (passed int, refused *answer, took time.Duration) {
	t.Helper()
	const most = 1000
	began := time.Now()
	for sent := 0; sent < most; sent += together {
		for _, a := range s.together(t, r) {
			if a.Status == http.StatusTooManyRequests {
				refused = a
			} else {
				passed++
			}
		}
		if refused != nil {
			break
		}
	}
	return passed, refused, time.Since(began)
}

// together is how many requests a caller in a hurry has under way.
const together = 8

// together sends a request so many times at once.
func (s *service) together(t testing.TB, r request) []*answer {
	t.Helper()
	var sending sync.WaitGroup
	answers := make([]*answer, together)
	for i := range answers {
		sending.Go(func() {
			var err error
			if answers[i], err = s.try(t, r); err != nil {
				t.Errorf("%s: %v", r, err)
			}
		})
	}
	sending.Wait()
	if slices.Contains(answers, nil) {
		t.FailNow()
	}
	return answers
}

// within says whether so many passes are those of a budget.
func within(passed, burst, perMinute int, took time.Duration) bool {
	return passed >= burst && float64(passed) <= float64(burst)+took.Minutes()*float64(perMinute)+1
}

func TestAKeyMaySendItsBudget(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "LIMIT.KEY_RATE", "ERR.RATE_LIMITED", "OPEN.RATE.RETRY_AT", "LIMIT.KEY_RATE.HEADERS",
			"OPEN.RATE.HEADERS",
			"OPEN.RATE.DRAFT_HEADERS")
		s := limited(t, only("key-rate"))
		n := s.create(t, `{"clock":"manual"}`)
		passed, refused, took := s.flood(t, request{method: "GET", path: "/sandbox", key: n.office})
		if !within(passed, 30, 120, took) {
			t.Errorf("%d requests passed in %s", passed, took)
		}
		refused.want(429, "rate_limited")
		if refused.Header.Get("Retry-After") != "1" || refused.Failure()["retryable"] != true ||
			refused.Header.Get("X-RateLimit-Limit") != "120" || refused.Header.Get("X-RateLimit-Remaining") != "0" {
			t.Errorf("the refusal is %v %s", refused.Header, refused.Raw)
		}
		a := s.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(200, "")
		if a.Header.Get("X-RateLimit-Remaining") != "29" {
			t.Errorf("the first request of the other key leaves %s", a.Header.Get("X-RateLimit-Remaining"))
		}
		// Without a key the other budget is shown, and here that is off.
		a = s.send(t, request{method: "GET", path: "/sandbox"}).want(401, "unauthorized")
		if a.Header.Get("X-RateLimit-Limit") != "1000000" || a.Header.Get("X-RateLimit-Remaining") != "1000000" {
			t.Errorf("a budget that is off is shown as %v", a.Header)
		}
		waitUntil(t, moment(t, refused.Failure()["retry_at"]))
		s.send(t, request{method: "GET", path: "/sandbox", key: n.office}).want(200, "")
	})
}

func TestTheAgentEndpointShowsBudgetsToo(t *testing.T) {
	t.Parallel()
	rows(t, "LIMIT.KEY_RATE.HEADERS", "OPEN.RATE.HEADERS", "OPEN.RATE.DRAFT_HEADERS", "LIMIT.ANONYMOUS_RATE")
	s := limited(t)
	n := s.create(t, `{"clock":"manual"}`)
	shows := func(got *testclient.Answer, limit, remaining string) {
		t.Helper()
		h := got.Header
		if h.Get("X-RateLimit-Limit") != limit || remaining != "" && h.Get("X-RateLimit-Remaining") != remaining {
			t.Errorf("%d shows %s of %s, want %s of %s: %s",
				got.Status, h.Get("X-RateLimit-Remaining"), h.Get("X-RateLimit-Limit"), remaining, limit, got.Raw)
		}
		for _, name := range []string{"X-RateLimit-Remaining", "RateLimit", "RateLimit-Policy"} {
			if len(h.Values(name)) != 1 {
				t.Errorf("%d has %d times the header %s", got.Status, len(h.Values(name)), name)
			}
		}
	}
	a := &agent{service: s, t: t, key: n.office, path: "/mcp"}
	got := a.rpc("initialize", opening)
	a.session = got.Header.Get("Mcp-Session-Id")
	shows(got, "120", "30") // it was not the key's budget that this was taken from
	shows(a.rpc("tools/list", `{}`), "120", "30")
	shows(a.rpc("tools/call", `{"name":"get_sandbox","arguments":{}}`), "120", "29")
	// the Factory's key has its own
	shows(a.rpc("tools/call", `{"name":"factory_list","arguments":{"resource":"stock_items"}}`), "120", "29")
	shows(a.rpc("tools/call", `{"name":"get_sandbox","arguments":{"_meta":1}}`), "120", "")
	shows(a.rpc("tools/call", `{"name":"get_sandbox","arguments":{},"_meta":{"progressToken":1}}`, "Accept",
		"application/json"), "120", "")
	// an unknown tool is taken from the budget of the nameless
	shows(a.rpc("tools/call", `{"name":"nothing","arguments":{}}`), "30", "")
	shows(a.rpc("ping", `{}`, "Accept", "text/html"), "120", "")
	shows(a.http(http.MethodPost, `{`), "120", "")
	shows(a.http(http.MethodGet, ``), "120", "")
	shows(a.http(http.MethodDelete, ``), "120", "")

	nobody := &agent{service: s, t: t, path: "/mcp"}
	shows(nobody.rpc("tools/call", `{"name":"get_sandbox","arguments":{}}`), "30", "")
	shows(nobody.rpc("ping", `{}`, "Authorization", "Bearer nonsense"), "30", "")
	for range 100 {
		if got = nobody.rpc("ping", `{}`); got.Status == http.StatusTooManyRequests {
			break
		}
		shows(got, "30", "")
	}
	if got.Status != http.StatusTooManyRequests {
		t.Fatalf("nobody was refused: %d", got.Status)
	}
	shows(got, "30", "0")
}

func TestALimitedWriteDidNothingAndMayBeSentAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "IDEM.AFTER_429", "ERR.RETRY", "ERR.RATE_LIMITED")
		s := limited(t, only("key-rate"))
		n := s.create(t, `{"preset":"manual","clock":"manual"}`)
		write := request{
			method: "POST", path: "/factory/work-orders", key: n.factory, body: `{"sku":"prd_notebook","quantity":1}`,
			headers: []string{"Idempotency-Key", "a-single-intention"},
		}
		// A token may come back at any moment: then the write passes, and the next
		// one is tried.
		var refused *answer
		for i := 0; refused == nil && i < 50; i++ {
			s.flood(t, request{method: "GET", path: "/sandbox", key: n.factory})
			write.headers[1] = fmt.Sprint("intention-", i)
			if a := s.send(t, write); a.Status == http.StatusTooManyRequests {
				refused = a
			}
		}
		if refused == nil {
			t.Fatal("no write was refused")
		}
		waitUntil(t, moment(t, refused.Failure()["retry_at"]))
		if a := s.send(t, write).want(201, ""); a.Header.Get("Idempotency-Replayed") != "" {
			t.Error("the refusal was kept as an answer")
		}
	})
}

func TestANetworkMaySendItsBudget(t *testing.T) {
	t.Parallel()
	rows(t, "LIMIT.IP_RATE")
	s := limited(t, only("ip-rate"))
	n := s.create(t, `{"clock":"manual"}`)
	passed, refused, took := s.hurry(t,
		request{method: "GET", path: "/sandbox", key: n.office, headers: from("198.51.100.7")})
	if !within(passed, 360, 360, took) {
		t.Errorf("%d requests passed in %s", passed, took)
	}
	if refused != nil {
		refused.want(429, "rate_limited")
	}
}

func TestAddressesOfANetworkShareItsBudget(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.RATE.BUCKETS", "OPEN.RATE.GROUP")
	settings := only("ip-rate")
	settings["ip-rate"] = "60"
	s := limited(t, settings)
	n := s.create(t, `{"clock":"manual"}`)
	passed, refused, took := s.flood(t,
		request{method: "GET", path: "/sandbox", key: n.office, headers: from("198.51.100.7")})
	if !within(passed, 60, 60, took) {
		t.Errorf("%d requests passed in %s", passed, took)
	}
	refused.want(429, "rate_limited")
	if refused.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %s", refused.Header.Get("Retry-After"))
	}
	// One IPv4 address is a group, and so is one IPv6 /64.
	s.send(t, request{method: "GET", path: "/sandbox", key: n.office, headers: from("198.51.100.8")}).want(200, "")
	if !s.shares(t, n, "2001:db8:1:2::1", func(i int) string { return fmt.Sprintf("2001:db8:1:2:%x::1", i+1) }) {
		t.Error("addresses of one /64 do not share a budget")
	}
	s.send(t, request{method: "GET", path: "/sandbox", key: n.office, headers: from("2001:db8:1:3::1")}).want(200, "")
	// Addresses that a client writes before its proxy's are not believed.
	if !s.shares(t, n, "198.51.100.7", func(i int) string { return fmt.Sprintf("203.0.113.%d, 198.51.100.7", i) }) {
		t.Error("a made-up X-Forwarded-For is believed")
	}
}

// shares reports whether requests from other addresses are refused when the
// budget of one is spent. Some of them pass by tokens that are refilled in the
// meantime.
func (s *service) shares(t testing.TB, n *tenant, spent string, other func(i int) string) bool {
	t.Helper()
	const tries, together = 10, 8
	for try := range tries {
		s.flood(t, request{method: "GET", path: "/sandbox", key: n.office, headers: from(spent)})
		var refused atomic.Int64
		var sending sync.WaitGroup
		for i := range together {
			sending.Go(func() {
				a, err := s.try(t,
					request{method: "GET", path: "/sandbox", key: n.office, headers: from(other(try*together + i))})
				if err != nil {
					t.Error(err)
				} else if a.Status == http.StatusTooManyRequests {
					refused.Add(1)
				}
			})
		}
		if sending.Wait(); refused.Load() > 0 {
			return true
		}
	}
	return false
}

func TestAnOperatorChoosesWhatANetworkIs(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.RATE.GROUP")
	settings := only("ip-rate")
	settings["ipv4-prefix"], settings["ip-rate"] = "24", "1"
	s := limited(t, settings)
	s.send(t, request{method: "GET", path: "/sandbox", headers: from("198.51.100.1")}).want(401, "unauthorized")
	s.send(t, request{method: "GET", path: "/sandbox", headers: from("198.51.100.2")}).want(429, "rate_limited")
	s.send(t, request{method: "GET", path: "/sandbox", headers: from("198.51.101.2")}).want(401, "unauthorized")
}

func TestCallsWithoutAKeyThatWorksShareABudget(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "LIMIT.ANONYMOUS_RATE", "AUTH.ANONYMOUS_BUDGET", "OPEN.RATE.BUCKETS", "OPEN.RATE.HEADERS")
		s := limited(t, only("anonymous-rate"))
		began := time.Now()
		n := s.create(t, `{"clock":"manual"}`)
		revoked := s.create(t, "")
		s.send(t, request{method: "GET", path: "/sandbox?key=" + revoked.office}).want(400, "key_in_url")
		kinds := []request{
			{method: "GET", path: "/sandbox"},
			{method: "GET", path: "/sandbox", key: "lab_off_" + strings.Repeat("A", 43)},
			{method: "GET", path: "/sandbox", key: "nonsense"},
			{method: "GET", path: "/sandbox", key: revoked.office},
			{method: "GET", path: "/nothing"},
			{method: "POST", path: "/sandboxes", body: "{}"},
		}
		passed, refused := 3, (*answer)(nil)
		for i := 0; refused == nil && i < 100; i++ {
			a := s.send(t, kinds[i%len(kinds)])
			if a.Status == http.StatusTooManyRequests {
				refused = a.want(429, "rate_limited")
			} else {
				passed++
			}
		}
		if !within(passed, 30, 30, time.Since(began)) || refused == nil {
			t.Fatalf("%d requests passed in %s", passed, time.Since(began))
		}
		if after, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || after < 1 || after > 2 ||
			refused.Header.Get("X-RateLimit-Limit") != "30" {
			t.Errorf("the refusal has the headers %v", refused.Header)
		}
		s.send(t, request{method: "GET", path: "/sandbox", key: n.office}).want(200, "")
	})
}

func TestWhoeverGoesOnSendingCoolsDown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "ERR.COOLDOWN", "ERR.COOLDOWN.KEEPS_KEY", "OPEN.RATE.COOLDOWN")
		for _, lasts := range []time.Duration{30 * time.Second, time.Second} {
			settings := only("key-rate")
			settings["cooldown"] = lasts.String()
			s := limited(t, settings)
			n := s.create(t, `{"clock":"manual"}`)
			r := request{method: "GET", path: "/sandbox", key: n.office}
			// A refusal of the budget itself asks for half a second at most. Those that were
			// under way with the first do not count.
			var end time.Time
			left, sent := time.Duration(0), 0
			for ; left <= lasts/2 && sent < 2000; sent += together {
				for _, a := range s.together(t, r) {
					if a.Status == http.StatusTooManyRequests && left <= lasts/2 {
						end = moment(t, a.want(429, "rate_limited").Failure()["retry_at"])
						left = end.Sub(moment(t, a.Meta()["server_time"]))
					}
				}
				waitUntil(t, time.Now().Add(50*time.Millisecond))
			}
			if left > lasts || left <= lasts/2 {
				t.Errorf("after %d requests %s of a cooldown of %s are left", sent, left, lasts)
			}
			again := s.send(t, r)
			if lasts > time.Second && !moment(t, again.want(429, "rate_limited").Failure()["retry_at"]).Equal(end) {
				t.Errorf("a request in the cooldown moves its end from %s to %v", end, again.Failure()["retry_at"])
			}
			s.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(200, "")
			if lasts == time.Second {
				waitUntil(t, end)
				s.send(t, r).want(200, "")
			}
		}
	})
}

func TestANetworkThatGoesOnSendingIsBanned(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "ERR.BANNED", "OPEN.RATE.BAN")
		for _, lasts := range []time.Duration{15 * time.Minute, 10 * time.Second} {
			settings := only("anonymous-rate")
			settings["ban"] = lasts.String()
			s := limited(t, settings)
			n := s.create(t, `{"clock":"manual"}`)
			refused := 0
			var banned *answer
			for sent := 0; banned == nil && sent < 1000; sent += together {
				for _, a := range s.together(t, request{method: "GET", path: "/sandbox",
					headers: from("198.51.100.7")}) {
					switch a.Status {
					case http.StatusForbidden:
						banned = a.want(403, "banned")
					case http.StatusTooManyRequests:
						refused++
					}
				}
			}
			// On a slow machine the first refusals are older than a minute by then.
			if banned == nil || refused < 299 {
				t.Fatalf("after %d refusals: %v", refused, banned)
			}
			end := moment(t, banned.Failure()["retry_at"])
			if left := end.Sub(moment(t, banned.Meta()["server_time"])); left > lasts || left < lasts-5*time.Second {
				t.Errorf("of a ban of %s %s are left", lasts, left)
			}
			s.send(t, request{method: "GET", path: "/sandbox", key: n.office, headers: from("198.51.100.7")}).
				want(403, "banned")
			s.send(t, request{method: "GET", path: "/sandbox", key: n.office, headers: from("198.51.100.8")}).want(200,
				"")
			if lasts < time.Minute {
				waitUntil(t, end)
				s.send(t, request{method: "GET", path: "/sandbox", key: n.office, headers: from("198.51.100.7")}).
					want(200, "")
			}
		}
	})
}

func TestKeysOfNobodyInURLsSpendLikeAnyRequest(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.AUTH.KEY_IN_URL.BUDGET", "AUTH.ANONYMOUS_BUDGET")
	s := limited(t, only("anonymous-rate"))
	n := s.create(t, `{"clock":"manual"}`)
	began, passed := time.Now(), 0
	for ; passed < 1000; passed++ {
		a := s.send(t, request{method: "GET", path: fmt.Sprintf("/sandbox?k=lab_off_%043d", passed)})
		if a.Status == http.StatusTooManyRequests {
			a.want(429, "rate_limited")
			break
		}
		a.want(400, "key_in_url")
	}
	if !within(passed+1, 30, 30, time.Since(began)) {
		t.Errorf("%d requests passed in %s", passed, time.Since(began))
	}
	s.send(t, request{method: "GET", path: "/sandbox?k=" + n.office}).want(400, "key_in_url")
	s.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(200, "")
}

// TestAKeyThatLoopsCostsItsNeighboursNothing: its refusals are its own, and the
// machine that the server runs on is never shut out.
func TestAKeyThatLoopsCostsItsNeighboursNothing(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.RATE.BAN")
	s := limited(t, only("key-rate"))
	loops, neighbour := s.create(t, `{"clock":"manual"}`), s.create(t, `{"clock":"manual"}`)
	refused := 0
	for sent := 0; refused < 400 && sent < 10_000; sent += together {
		for _, a := range s.together(t,
			request{method: "GET", path: "/sandbox", key: loops.office, headers: from("198.51.100.9")}) {
			if a.Status == http.StatusTooManyRequests {
				refused++
			}
		}
	}
	if refused < 400 {
		t.Fatalf("only %d requests of the loop were refused", refused)
	}
	s.send(t, request{method: "GET", path: "/sandbox", key: neighbour.office, headers: from("198.51.100.9")}).
		want(200, "")
}

func TestAKeyInAURLIsRevoked(t *testing.T) {
	t.Parallel()
	rows(t, "AUTH.KEY_IN_URL", "AUTH.KEY_IN_URL.REVOKED", "ERR.KEY_IN_URL", "OPEN.AUTH.KEY_SHAPES")
	for _, where := range []string{
		"/sandbox?key=%s", "/office/sales-orders/%s", "/nothing/%s", "/office/sales-orders?cursor=%s&limit=1", "//%s/",
	} {
		for _, encode := range []func(string) string{
			func(key string) string { return key },
			func(key string) string { return "%6c%61%62" + key[3:] },
			func(key string) string { return "%256c%2561b" + key[3:] },
		} {
			n := shared.create(t, `{"clock":"manual"}`)
			a := shared.send(t, request{method: "GET", path: fmt.Sprintf(where, encode(n.office)), key: n.factory}).
				want(400, "key_in_url")
			if a.Failure()["retryable"] != false || a.Header.Get("Location") != "" {
				t.Errorf("the refusal is %v %s", a.Header, a.Raw)
			}
			shared.send(t, request{method: "GET", path: "/sandbox", key: n.office}).want(401, "unauthorized")
			shared.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(200, "")
		}
	}
}

// TestAKeyInAMalformedRequestIsRevokedToo: net/http refuses it before any handler sees it. Keys
// in headers and bodies are where they belong.
func TestAKeyInAMalformedRequestIsRevokedToo(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.AUTH.KEY_IN_URL.MALFORMED", "AUTH.KEY_IN_URL.REVOKED")
	for name, sent := range map[string]string{
		"a stray percent sign": "GET /v1/KEY% HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"a bad escape":         "GET /v1/%zz/KEY HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"an encoded key":       "GET /v1/%zz/%6c%61%62_off_TAIL HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"a control character":  "GET /v1/sandbox?a=\x01&k=KEY HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"no Host":              "GET /v1/sandbox?k=KEY HTTP/1.1\r\n\r\n",
		"a bad Content-Length": "POST /v1/sandbox?k=KEY HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
		"a bad method":         "G@T /v1/sandbox?k=KEY HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"no version":           "GET /v1/sandbox?k=KEY\r\nHost: localhost\r\n\r\n",
		"an absolute URL":      "GET http://localhost/v1/KEY% HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"large headers": "GET /v1/sandbox?k=KEY HTTP/1.1\r\nHost: localhost\r\nX: " +
			strings.Repeat("x", 70_000) + "\r\n\r\n",
		"a long line": "GET /v1/sandbox?" + strings.Repeat("x", 40_000) + "&k=KEY HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"a long line of escapes": "GET /v1/sandbox?" + strings.Repeat("%25%2", 9_000) + "%6cab_off_TAIL HTTP/1.1\r\n" +
			"Host: localhost\r\n\r\n",
		"a long line without an end": "GET /v1/sandbox?" + strings.Repeat("x", 30_000) + "&k=KEY&" +
			strings.Repeat("x", 20_000),
	} {
		n := shared.create(t, `{"clock":"manual"}`)
		sent = strings.NewReplacer("KEY", n.office, "TAIL", strings.TrimPrefix(n.office, "lab_off_")).Replace(sent)
		if _, _, body := rawCall(t, shared, sent); !strings.Contains(string(body), `"key_in_url"`) {
			t.Errorf("%s gets %s", name, body)
		}
		shared.send(t, request{method: "GET", path: "/sandbox", key: n.office}).want(401, "unauthorized")
		shared.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(200, "")
	}
	n := shared.create(t, `{"clock":"manual"}`)
	for _, sent := range []string{
		"GET /v1/% HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer KEY\r\n\r\n",
		"POST /v1/sandbox HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n{\"key\": \"KEY\"}\r\n\r\n",
	} {
		rawCall(t, shared, strings.ReplaceAll(sent, "KEY", n.office))
	}
	shared.send(t, request{method: "GET", path: "/sandbox", key: n.office}).want(200, "")
}

// TestAReviewersTokenInAURLIsRefused: it cannot be revoked by itself.
func TestAReviewersTokenInAURLIsRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.AUTH.KEY_IN_URL.REVIEW")
	n := shared.create(t, `{"clock":"manual"}`)
	token := "lab_rev_" + strings.Repeat("Az09", 16)
	for _, path := range []string{
		"/sandbox?token=" + token, "/nothing/" + token, "/sandbox?token=%6cab_rev_" + token[8:],
	} {
		a := shared.send(t, request{method: "GET", path: path, key: n.office}).want(400, "key_in_url")
		if hint := text(a.Failure(), "hint"); !strings.Contains(hint, "still works") {
			t.Errorf("the hint of %s is %q", path, hint)
		}
	}
	n.get("/sandbox").want(200, "")
}

func TestAKeyInTheAddressOfAPageIsRevokedToo(t *testing.T) {
	t.Parallel()
	rows(t, "AUTH.KEY_IN_URL", "AUTH.KEY_IN_URL.REVOKED")
	for _, path := range []string{
		"/?key=", "/docs/?key=", "/docs/", "/openapi.json?", "/healthz?", "/console#x?", "/nothing/",
	} {
		n := shared.create(t, "")
		r, err := testclient.Request{Method: http.MethodGet, URL: shared.Origin}.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Opaque = path + n.factory
		a, err := testclient.Exchange(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d", path, a.Status)
		}
		shared.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(401, "unauthorized")
	}
}

func TestARevokedKeyStaysRevoked(t *testing.T) {
	t.Parallel()
	rows(t, "AUTH.KEY_IN_URL.REVOKED")
	database := t.TempDir() + "/platen.db"
	var n *tenant
	t.Run("before", func(t *testing.T) {
		s := serve(t, map[string]string{"database": database})
		n = s.create(t, `{"clock":"manual"}`)
		s.send(t, request{method: "GET", path: "/sandbox?key=" + n.office}).want(400, "key_in_url")
	})
	s := serve(t, map[string]string{"database": database})
	s.send(t, request{method: "GET", path: "/sandbox", key: n.office}).want(401, "unauthorized")
	s.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(200, "")
}

func TestAClientMayAskForAVersion(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.VER.SELECT")
	n := shared.create(t, `{"clock":"manual"}`)
	n.get("/sandbox", "Sim-Version", "2026-09").want(200, "")
	for _, version := range []string{"2026-10", "2026-9", "v1", "latest", "2026-09, 2026-09", " "} {
		a := n.get("/sandbox", "Sim-Version", version)
		if version == " " { // spaces are stripped from a header's value
			a = n.get("/office/cash", "Sim-Version", "-")
		}
		a.want(400, "invalid_parameter")
		if got := a.details()["parameter"]; got != "Sim-Version" {
			t.Errorf("%q: the parameter is %v", version, got)
		}
	}
	shared.send(t, request{method: "POST", path: "/sandboxes", headers: []string{"Sim-Version", "2026-09"}}).
		want(201, "")
	shared.send(t, request{method: "POST", path: "/sandboxes", headers: []string{"Sim-Version", "1999-01"}}).
		want(400, "invalid_parameter")
}

func TestWhatIsToGoIsAnnouncedInTheDocumentAndInItsAnswers(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.VER.DEPRECATION")
	n := shared.create(t, `{"clock":"manual"}`)
	for i := range n.judge.operations {
		o := &n.judge.operations[i]
		a := n.send(t, request{method: o.method, path: o.concrete(), key: n.keyFor(o.path)})
		since, sunset := a.Header.Get("Deprecation"), a.Header.Get("Sunset")
		if !o.deprecated {
			if since != "" || sunset != "" {
				t.Errorf("%s has Deprecation %q and Sunset %q, and the document says nothing", a.asked, since, sunset)
			}
			continue
		}
		at, err := strconv.ParseInt(strings.TrimPrefix(since, "@"), 10, 64)
		end, endErr := http.ParseTime(sunset)
		if err != nil || endErr != nil || end.Sub(time.Unix(at, 0)) < 90*24*time.Hour {
			t.Errorf("%s is announced at %q to go at %q", a.asked, since, sunset)
		}
	}
}

func TestPagesHaveABudgetOfTheirOwn(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.RATE.PAGES")
	const budget = 600
	s := limited(t)
	// The front page is ready when the server is: the first of the docs takes their rendering.
	page := func(path, address string) (*testclient.Answer, error) {
		return testclient.Request{Method: http.MethodGet, URL: s.Origin + path, Headers: from(address)}.Do(t.Context())
	}
	var refused *testclient.Answer
	passed, began := 0, time.Now()
	for refused == nil && passed < 5*budget {
		var sending sync.WaitGroup
		var answers [together]*testclient.Answer
		var errs [together]error
		for i := range answers {
			sending.Go(func() { answers[i], errs[i] = page("/", "198.51.100.7") })
		}
		sending.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			if a.Status == http.StatusOK {
				passed++
			} else {
				refused = a
			}
		}
	}
	if took := time.Since(began); !within(passed, budget, budget, took) || refused == nil {
		t.Fatalf("%d pages in %s, want %d and one in each tenth of a second", passed, took, budget)
	}
	refused.T = t
	refused.Want(http.StatusTooManyRequests, "rate_limited")
	if refused.Header.Get("Retry-After") == "" {
		t.Error("the refusal has no Retry-After")
	}
	for path, address := range map[string]string{"/healthz": "198.51.100.7", "/": "198.51.100.8"} {
		if a, err := page(path, address); err != nil || a.Status != http.StatusOK {
			t.Errorf("%s for %s: %v, %v", path, address, a, err)
		}
	}
	s.send(t, request{method: "GET", path: "/sandbox", headers: from("198.51.100.7")}).want(401, "unauthorized")
}

func TestNetworksOfABlockShareLimits(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.RATE.BLOCK")
	const each = 8
	s := limited(t, map[string]string{"ip-active": "1", "ip-creations": "0"})
	create := func(address string) *answer {
		return s.send(t, request{
			method: "POST", path: "/sandboxes", body: `{"clock":"manual"}`, headers: from(address),
		})
	}
	for _, block := range []struct{ address, name string }{
		{"198.51.100.%d", "198.51.100.0/24"}, {"2001:db8:0:%d::1", "2001:db8::/48"},
	} {
		for i := range each {
			create(fmt.Sprintf(block.address, i)).want(201, "")
		}
		a := create(fmt.Sprintf(block.address, each)).want(429, "ip_active_limit")
		if said, _ := a.Failure()["message"].(string); !strings.Contains(said, block.name) {
			t.Errorf("the message does not name the block: %s", said)
		}
	}
	create("203.0.113.1").want(201, "")
}
