package browser_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen/platentest"
	"platen/test/testclient"
)

// proxy is between a browser and a server, and can be told to interfere.
type proxy struct {
	origin string
	// cut ends all connections.
	cut  func()
	mood atomic.Pointer[func(w http.ResponseWriter, r *http.Request) (done bool)]
}

func between(t *testing.T, p *platentest.Platen) *proxy {
	t.Helper()
	target, err := url.Parse(p.Origin)
	if err != nil {
		t.Fatal(err)
	}
	x := &proxy{}
	through := testclient.BodyFirst(&httputil.ReverseProxy{
		FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {},
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if mood := x.mood.Load(); mood != nil && (*mood)(w, r) {
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	x.origin, x.cut = server.URL, server.CloseClientConnections
	return x
}

func (x *proxy) says(mood func(w http.ResponseWriter, r *http.Request) bool) { x.mood.Store(&mood) }

func isData(r *http.Request) bool {
	return r.URL.Path == "/console/stream" || r.URL.Path == "/console/data/state"
}

// refuses answers what the console asks for with an envelope.
func refuses(status int, code string, retryAfter time.Duration) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !isData(r) {
			return false
		}
		body :=
			`{"meta":{"simulation":true,"request_id":"req_0123456789abc","api_version":"2026-09"},"error":{"code":"` +
				code + `","message":"No.","retryable":true,"hint":"","docs_url":"/docs/errors/` + code + `"`
		if retryAfter > 0 {
			body += `,"retry_at":"` + time.Now().Add(retryAfter).UTC().Format(time.RFC3339Nano) + `"`
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write([]byte(body + "}}"))
		return true
	}
}

func hangs(_ http.ResponseWriter, r *http.Request) bool {
	if isData(r) {
		<-r.Context().Done()
		return true
	}
	return false
}

func breaks(_ http.ResponseWriter, r *http.Request) bool {
	if isData(r) {
		panic(http.ErrAbortHandler)
	}
	return false
}

// breaksOff sends half of what a page asks for beside the state of the company.
func breaksOff(w http.ResponseWriter, r *http.Request) bool {
	if isData(r) || !strings.HasPrefix(r.URL.Path, "/console/data/") && !strings.HasPrefix(r.URL.Path, "/v1/") {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "100")
	w.Write([]byte(`{"data": {`))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// TestAResponseThatBreaksOffIsNone: a page says that the server is out of reach, and goes on once it is not.
func TestAResponseThatBreaksOffIsNone(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t, poor(t))
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	way := between(t, p)
	x := open(t, way.origin, looks[0], "Failed to load resource", "net::ERR", "status of")
	way.says(breaksOff)
	x.enter(c.Sandbox, "/console")
	x.shows(".link", "Live")
	x.shows(".attention", "unreachable")
	for _, page := range shown {
		x.goTo(page.path)
		x.shows(".link", "Live")
	}
	x.goTo("/console")
	x.shows(".attention", "unreachable")
	way.says(func(http.ResponseWriter, *http.Request) bool { return false })
	x.click(".attention .problem button")
	x.shows(".attention .needs", "")
}

// states are the states of every page beside live: how each comes to be, and what shows it.
var states = []struct {
	name  string
	mood  func(http.ResponseWriter, *http.Request) bool
	shows string
	keys  bool
}{
	{"no-key", nil, "#paste", false},
	{"loading", hangs, ".link .dot", true},
	{"reconnecting", breaks, "[data-banner=reconnecting]", true},
	{"over-budget", refuses(http.StatusTooManyRequests, "rate_limited", time.Hour), "[data-banner=limited]", true},
	{"gone", refuses(http.StatusUnauthorized, "unauthorized", 0), "[data-banner=gone]", true},
	{"unavailable", refuses(http.StatusServiceUnavailable, "unavailable", 0), "[data-banner=reconnecting]", true},
	{"offline", nil, "[data-banner=offline]", true},
	{"expired", nil, "[data-banner=expired]", true},
	{"bankrupt", nil, "[data-banner=bankrupt]", true},
}

// TestEveryPageInEveryState opens each page in each state that all pages share, in one look each so
// that all four occur.
func TestEveryPageInEveryState(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t, poor(t))
	expired := platentest.Start(t, map[string]string{"sandbox-duration": "2s", "extension-window": "1s"})
	for n, state := range states {
		t.Run(state.name, func(t *testing.T) {
			t.Parallel()
			server := p
			if state.name == "expired" {
				server = expired
			}
			preset := "manual"
			if state.name == "bankrupt" {
				preset = "poor"
			}
			c := found(t, server, platentest.Options{Preset: preset, Clock: "manual"})
			if state.name == "bankrupt" {
				c.ruin()
			}
			way := between(t, server)
			x := open(t, way.origin, looks[n%len(looks)], "Failed to load resource", "net::ERR", "status of")
			if state.mood != nil {
				way.says(state.mood)
			}
			if state.keys {
				x.enter(c.Sandbox, "/console")
			} else {
				x.visit("/console")
			}
			if state.name == "offline" {
				x.shows(".link", "Live")
				// The connection that is cut below may not be the one that brings the page's script.
				x.shows("main h1", "")
				x.offline(true)
				x.breakStream(way)
			}
			for i, page := range shown {
				if !state.keys && page.name == "connect" {
					continue // it needs none
				}
				l := looks[(n+i)%len(looks)]
				x.look(l)
				x.goTo(page.path)
				x.shows(state.shows, "")
				if rarely(n + i) {
					x.accessible(state.name + " " + page.name)
				}
				x.shot("state-" + state.name + "-" + page.name + "-" + l.String())
			}
		})
	}
}

// TestAConsoleTooManySaysWhatToClose: the third window of a sandbox shows the server's words, and goes on once another
// one is closed.
func TestAConsoleTooManySaysWhatToClose(t *testing.T) {
	t.Parallel()
	p := shared()
	s := p.Sandbox(t, platentest.Options{Preset: "manual", Clock: "manual"})
	first := open(t, p.Origin, looks[0])
	first.enter(s, "/console")
	first.shows(".link .word", "Live")
	second := first.beside(t, looks[0])
	second.enter(s, "/console")
	second.shows(".link .word", "Live")
	third := first.beside(t, looks[0], "status of 429")
	third.enter(s, "/console")
	third.shows("[data-banner=limited]", "2 consoles of this sandbox are open. Close another window")
	third.shows(".link .word", "Waiting")
	second.visit("/docs/")
	third.shows(".link .word", "Live")
}
