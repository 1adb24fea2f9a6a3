package api_test

import (
	"strings"
	"testing"
	"time"

	"platen/internal/api/message"
)

// TestStationsStandInTheContractsOrder sends, for each pair of neighbouring
// stations of the road of a request, one that fails at both. The first one
// speaks: behind it, nothing has been done.
func TestStationsStandInTheContractsOrder(t *testing.T) {
	t.Parallel()
	s := start(t, limited(t))
	n, unlucky := s.create(`{"clock":"manual"}`), s.create(`{"clock":"manual"}`)
	for n.call("GET", "/v1/sandbox", unlucky.office, "", "X-Forwarded-For", "198.51.100.9").Status == 200 {
	}
	spent := []string{"Authorization", "Bearer " + unlucky.office, "X-Forwarded-For", "198.51.100.9"}
	work := "/v1/factory/work-orders"
	good := `{"sku":"prd_notebook","quantity":1}`
	large := `{"sku":"` + strings.Repeat("x", message.MaxBody) + `"}`
	n.call("POST", work, n.factory, good, "Idempotency-Key", "used").want(201, "")
	for _, c := range []struct {
		first, second              string
		method, path, system, body string
		headers                    []string
		status                     int
		code                       string
	}{
		{"a key in the URL", "the budget", "GET", "/v1/sandbox?key=" + unlucky.factory, "", "", spent,
			400, "key_in_url"},
		{"the budget", "the method", "OPTIONS", "/v1/sandbox", "", "", spent, 429, "rate_limited"},
		{"the budget", "the form of the path", "GET", "/v1//sandbox", "", "", spent, 429, "rate_limited"},
		{"the budget", "the route", "GET", "/v1/nothing", "", "", spent, 429, "rate_limited"},
		{"the budget", "the system", "GET", "/v1/factory/stock", "", "", spent, 429, "rate_limited"},
		{"the form of the path", "the route", "GET", "/v1//nothing", "office", "", nil, 400, "bad_request"},
		{"a dead key", "the form of the path", "GET", "/v1//sandbox", "dead", "", nil, 401, "unauthorized"},
		{"a dead key", "the route", "GET", "/v1/nothing", "dead", "", nil, 401, "unauthorized"},
		{"a dead key", "the method", "PUT", "/v1/sandbox", "dead", "", nil, 401, "unauthorized"},
		{"the route", "the key", "GET", "/v1/nothing", "", "", nil, 404, "route_not_found"},
		{"the method", "the key", "PUT", "/v1/sandbox", "", "", nil, 405, "method_not_allowed"},
		{"the key", "the version", "GET", "/v1/sandbox", "", "", []string{"Sim-Version", "1"}, 401, "unauthorized"},
		{"the system", "the version", "GET", work, "office", "", []string{"Sim-Version", "1"}, 403, "wrong_system"},
		{"the version", "the form of the answer", "GET", work, "factory", "",
			[]string{"Sim-Version", "1", "Accept", "text/html"}, 400, "invalid_parameter"},
		{"the form of the answer", "the parameters", "GET", work + "?limit=0", "factory", "",
			[]string{"Accept", "text/html"}, 406, "not_acceptable"},
		{"the form of the answer", "the parameters of a write", "POST", work + "?x=1", "factory", good,
			[]string{"Accept", "text/html"}, 406, "not_acceptable"},
		{"the parameters", "the idempotency key", "POST", work + "?x=1", "factory", good, nil, 400,
			"invalid_parameter"},
		{"the idempotency key", "the size of the body", "POST", work, "factory", large, nil, 400,
			"idempotency_required"},
		{"the size of the body", "its media type", "POST", work, "factory", large,
			[]string{"Idempotency-Key", "k", "Content-Type", "text/plain"}, 413, "body_too_large"},
		{"its media type", "its form", "POST", work, "factory", `{`,
			[]string{"Idempotency-Key", "k", "Content-Type", "text/plain"}, 415, "unsupported_media_type"},
		{"its form", "its fields", "POST", work, "factory", `{"quantity":0,"quantity":0}`,
			[]string{"Idempotency-Key", "k"}, 400, "invalid_json"},
		{"the stored reply", "the fields", "POST", work, "factory", `{"sku":"prd_notebook","quantity":0}`,
			[]string{"Idempotency-Key", "used"}, 422, "idempotency_key_reused"},
		{"the stored reply", "the form", "POST", work, "factory", `{`, []string{"Idempotency-Key", "used"}, 422,
			"idempotency_key_reused"},
		{"the stored reply", "the media type", "POST", work, "factory", `x`,
			[]string{"Idempotency-Key", "used", "Content-Type", "text/plain"}, 422, "idempotency_key_reused"},
		{"the stored reply", "the parameters", "POST", work + "?x=1", "factory", good,
			[]string{"Idempotency-Key", "used"}, 422, "idempotency_key_reused"},
		{"the size of the body", "the stored reply", "POST", work, "factory", large,
			[]string{"Idempotency-Key", "used"}, 413, "body_too_large"},
		{"the stored reply", "the operation", "POST", work, "factory", `{"sku":"prd_flyer","quantity":1}`,
			[]string{"Idempotency-Key", "used"}, 422, "idempotency_key_reused"},
	} {
		key := map[string]string{"office": n.office, "factory": n.factory, "dead": "nonsense"}[c.system]
		a := s.call(c.method, c.path, key, c.body, append([]string{"X-Forwarded-For", "198.51.100.1"}, c.headers...)...)
		if got := a.Failure()["code"]; a.Status != c.status || got != c.code {
			t.Errorf("%s before %s: got %d %v, want %d %s", c.first, c.second, a.Status, got, c.status, c.code)
		}
		s.clock.Advance(5 * time.Second) // budgets other than the spent one fill
		s.call("GET", "/v1/sandbox", unlucky.office, "", spent...)
		for s.call("GET", "/v1/sandbox", unlucky.office, "", spent...).Status == 200 {
		}
	}
	s.clock.Advance(31 * time.Minute)
	expired := []string{"Idempotency-Key", "used"}
	s.call("POST", work, n.factory, good, expired...).want(201, "") // a stored reply before the lease
	s.call("POST", work, n.factory, `{"sku":"prd_flyer","quantity":1}`, expired...).want(422, "idempotency_key_reused")
	// the lease before the operation
	s.call("POST", work, n.factory, `{"sku":"prd_flyer","quantity":1}`, "Idempotency-Key", "new").
		want(423, "sandbox_expired")
	// the bytes are the same
	s.call("POST", work, n.factory, good, append(expired, "Content-Type", "text/plain")...).want(201, "")
	s.call("POST", work, n.factory, `{`, expired...).want(422, "idempotency_key_reused")
	// and before everything that is wrong with a write
	s.call("POST", work, n.factory, good).want(423, "sandbox_expired")
	s.call("POST", work, n.factory, `{`, "Idempotency-Key", "new").want(423, "sandbox_expired")
	s.call("POST", work, n.factory, `{}`, "Idempotency-Key", "new").want(423, "sandbox_expired")
	s.call("POST", work, n.factory, large, "Idempotency-Key", "new").want(423, "sandbox_expired")
	s.call("POST", work, n.factory, good, "Idempotency-Key", strings.Repeat("k", 65)).want(423, "sandbox_expired")
	s.call("POST", work+"?x=1", n.factory, good, "Idempotency-Key", "new").want(423, "sandbox_expired")
	s.call("POST", work, n.factory, `x`, "Idempotency-Key", "new", "Content-Type", "text/plain").
		want(423, "sandbox_expired")
}
