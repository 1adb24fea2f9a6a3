package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"platen/test/testclient"
)

// encoded writes every byte of a text as a percent-encoding.
func encoded(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02x", text[i])
	}
	return b.String()
}

// raw sends a request line as it is.
func (s *service) raw(method, target string, headers ...string) *answer {
	s.t.Helper()
	r, err := testclient.Request{Method: method, URL: s.url, Headers: headers}.Build(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	r.URL.Opaque = target
	return s.do(r)
}

func TestAKeyInAURLIsRefusedAndRevoked(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, target := range map[string]func(key string) string{
		"in the query":           func(k string) string { return "/v1/sandbox?api_key=" + k },
		"as a parameter's name":  func(k string) string { return "/v1/sandbox?" + k },
		"in a cursor":            func(k string) string { return "/v1/office/sales-orders?cursor=x" + k + "x" },
		"in the path":            func(k string) string { return "/v1/office/sales-orders/" + k },
		"on an unknown route":    func(k string) string { return "/v1/nothing/" + k + "/x" },
		"below no version":       func(k string) string { return "/" + k },
		"on an unclean path":     func(k string) string { return "/v1//" + k + "/.." },
		"on an open route":       func(k string) string { return "/v1/sandboxes?key=" + k },
		"after other parameters": func(k string) string { return "/v1/sandbox?a=b&key=" + k + "&c=d" },
		"with an encoded letter": func(k string) string { return "/v1/sandbox?key=%6C" + k[1:] },
		"with an encoded end": func(k string) string {
			return "/v1/sandbox?key=" + k[:len(k)-1] + encoded(k[len(k)-1:])
		},
		"encoded":             func(k string) string { return "/v1/sandbox?key=" + encoded(k) },
		"encoded in the path": func(k string) string { return "/v1/office/" + encoded(k) },
		"encoded twice":       func(k string) string { return "/v1/sandbox?key=" + url.QueryEscape(encoded(k)) },
		"encoded four times": func(k string) string {
			return "/v1/sandbox?key=" + url.QueryEscape(url.QueryEscape(url.QueryEscape(encoded(k))))
		},
		"beside a bad encoding":   func(k string) string { return "/v1/sandbox?x=%zz%&key=" + encoded(k) },
		"behind an encoded slash": func(k string) string { return "/v1/sandbox%2f" + k },
		"after half a key":        func(k string) string { return "/v1/sandbox?key=lab_off_lab_fac_" + k },
		"in an absolute address":  func(k string) string { return "http://" + k + "@platen.test/v1/sandbox" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{t: t, url: s.url, clock: s.clock, registry: s.registry, log: s.log}
			for _, method := range []string{
				http.MethodGet, http.MethodPost, http.MethodOptions, http.MethodHead, http.MethodDelete,
			} {
				n := s.create(`{"clock":"manual"}`)
				leaked, kept := n.office, n.factory
				if method == http.MethodPost || method == http.MethodHead {
					leaked, kept = kept, leaked
				}
				n.call("GET", "/v1/sandbox", leaked, "").want(200, "") // it works, and is known
				a := s.raw(method, target(leaked), "Authorization", "Bearer "+kept)
				if method != http.MethodHead {
					a.want(400, "key_in_url")
				}
				if a.Status != 400 || a.Header.Get("Location") != "" || a.Header.Get("X-RateLimit-Limit") == "" {
					t.Errorf("%s: %d %v", method, a.Status, a.Header)
				}
				for _, part := range []string{leaked, leaked[8:], leaked[8:28], leaked[31:]} {
					if strings.Contains(string(a.Raw)+fmt.Sprint(a.Header), part) {
						t.Errorf("%s: the answer repeats the key: %s", method, a.Raw)
					}
					if strings.Contains(s.log.String(), part) {
						t.Errorf("%s: the log holds the key: %s", method, s.log)
					}
				}
				n.call("GET", "/v1/sandbox", leaked, "").want(401, "unauthorized")
				n.call("GET", "/v1/sandbox", kept, "").want(200, "")
				s.raw(method, target(leaked)).isStatus(400) // and again, for nothing
			}
		})
	}
}

func (a *answer) isStatus(want int) {
	a.T.Helper()
	if a.Status != want {
		a.T.Errorf("got %d, want %d", a.Status, want)
	}
}

func TestBothKeysOfAURLAreRevoked(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	n.raw("GET", "/v1/sandbox?a="+n.office+"&b="+n.factory+n.factory).want(400, "key_in_url")
	for _, key := range []string{n.office, n.factory} {
		n.call("GET", "/v1/sandbox", key, "").want(401, "unauthorized")
	}
}

func TestAKeyOfAnExpiredSandboxIsRevokedToo(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	n.clock.Advance(31 * 60e9)
	n.call("POST", "/v1/sandbox/tick", n.office, "").want(423, "sandbox_expired")
	n.raw("GET", "/v1/sandbox?key="+n.office).want(400, "key_in_url")
	n.call("GET", "/v1/sandbox", n.office, "").want(401, "unauthorized")
	n.call("GET", "/v1/sandbox", n.factory, "").want(200, "")
	n.clock.Advance(60 * 60e9)
	n.registry.Sweep(t.Context())
	n.raw("GET", "/v1/sandbox?key="+n.factory).want(400, "key_in_url") // its sandbox is gone
}

func TestWhatIsNoKeyIsNoKey(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	short := n.office[:len(n.office)-1]
	for _, target := range []string{
		"/v1/sandbox?key=" + short, "/v1/sandbox?key=" + short + "%20", "/v1/sandbox?key=lab_xyz_" + n.office[8:],
		"/v1/sandbox?key=LAB_OFF_" + n.office[8:],
		"/v1/sandbox?key=" + n.office[:20] + "." + n.office[20:],
		"/v1/sandbox?key=" + n.office[:20] + "é" + n.office[22:],
	} {
		if a := n.raw("GET", target, "X-Api-Key", n.office); a.Status == 400 && a.Failure()["code"] == "key_in_url" {
			t.Errorf("%s is taken for a key", target)
		}
	}
	n.call("GET", "/v1/sandbox", n.office, "").want(200, "")
}

// TestRevokingHoldsWhileTheKeyIsInUse: a request that looked the key up just
// before must not bring it back.
func TestRevokingHoldsWhileTheKeyIsInUse(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 20 {
		n := s.create(`{"clock":"manual"}`)
		var using sync.WaitGroup
		for range 4 {
			using.Go(func() {
				for range 10 {
					n.call("GET", "/v1/sandbox", n.office, "")
				}
			})
		}
		n.raw("GET", "/v1/sandbox?key="+n.office).want(400, "key_in_url")
		using.Wait()
		n.call("GET", "/v1/sandbox", n.office, "").want(401, "unauthorized")
	}
}
