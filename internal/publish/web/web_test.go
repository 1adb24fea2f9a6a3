package web_test

import (
	"bytes"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"platen/internal/company/mission"
	"platen/internal/company/preset"
	"platen/internal/config"
	"platen/internal/operation"
	"platen/internal/publish/docsite"
	"platen/internal/publish/web"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

const origin = "https://sandbox.test:8443"

func pages(t *testing.T) http.Handler {
	t.Helper()
	h, err := handler()
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return h
}

// handler is the one of all tests: to make its pages takes longer than most of them.
var handler = sync.OnceValues(func() (http.Handler, error) {
	presets, err := preset.Builtin()
	if err != nil {
		return nil, err
	}
	ordered := preset.Ordered(presets)
	return web.New(web.Options{
		Site: docsite.New(docsite.Options{
			Origin: origin, Asset: web.Asset, Operations: operation.Table(), Presets: ordered,
		}),
		Presets: ordered, ExtensionWindow: config.Default().ExtensionWindow,
	})
})

func request(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var href = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// crawl returns every page that can be reached from the landing page.
func crawl(t *testing.T) map[string]string {
	t.Helper()
	found, faults := walk()
	for _, fault := range faults {
		t.Error(fault)
	}
	return maps.Clone(found)
}

// walk reads the pages once for all tests, and says which links lead nowhere.
var walk = sync.OnceValues(func() (found map[string]string, faults []string) {
	h, err := handler()
	if err != nil {
		return nil, []string{err.Error()}
	}
	found = map[string]string{}
	waiting := []string{"/"}
	for len(waiting) > 0 {
		path := waiting[0]
		waiting = waiting[1:]
		// the server's own
		if _, known := found[path]; known || strings.HasPrefix(path, "/openapi.json") || path == "/openapi.yaml" ||
			path == "/postman.json" || path == "/status.json" {
			continue
		}
		w := request(h, http.MethodGet, path)
		if w.Code != http.StatusOK {
			faults = append(faults, fmt.Sprintf("a page links to %s, which answers %d", path, w.Code))
		}
		found[path] = w.Body.String()
		for _, match := range href.FindAllStringSubmatch(found[path], -1) {
			target, _, _ := strings.Cut(html.UnescapeString(match[1]), "#")
			if target != "" && !strings.HasPrefix(target, "/") {
				faults = append(faults, fmt.Sprintf("%s links to %q, which is not a path", path, target))
			} else if target != "" {
				waiting = append(waiting, target)
			}
		}
	}
	return found, faults
})

// documents are the pages among what was crawled.
func documents(t *testing.T) map[string]string {
	t.Helper()
	found := crawl(t)
	for path := range found {
		// the console's script makes its pages
		if strings.HasPrefix(path, "/static/") || strings.HasSuffix(path, ".md") || strings.HasPrefix(path, "/llms") ||
			strings.HasPrefix(path, "/console") {
			delete(found, path)
		}
	}
	return found
}

func TestEveryRowOfATableHasItsPage(t *testing.T) {
	t.Parallel()
	found := crawl(t)
	want := func(path, text string) {
		t.Helper()
		if body, ok := found[path]; !ok {
			t.Errorf("no link leads to %s", path)
		} else if !strings.Contains(body, text) {
			t.Errorf("%s does not hold %q", path, text)
		}
	}
	for _, d := range problem.All() {
		want("/docs/errors/"+string(d.Code), "<code>"+string(d.Code)+"</code></h1>")
	}
	for _, d := range event.Catalogue() {
		path := "/docs/events/" + string(d.Type)
		want(path, "<code>"+string(d.Type)+"</code></h1>")
		if says := strings.Contains(found[path], "not made yet"); says != (d.Data == nil) {
			t.Errorf("%s says not made yet: %t; its data is %v", path, says, d.Data)
		}
	}
	for _, op := range operation.Table() {
		want("/docs/api", `id="`+op.ID+`"`)
		want("/docs/api/"+op.ID, `<p class="id"><code>`+op.ID+`</code></p>`)
	}
	for _, m := range mission.All() {
		want(m.DocsURL, "GET /missions/"+m.ID)
	}
	for _, p := range mission.Praises() {
		want("/docs/missions", "<code>"+p.ID+"</code>")
	}
	for path := range found {
		path = strings.TrimSuffix(path, ".md")
		unknown := strings.HasPrefix(path, "/docs/errors/") &&
			problem.Lookup(problem.Code(path[len("/docs/errors/"):])).Code != problem.Code(path[len("/docs/errors/"):])
		if unknown {
			t.Errorf("%s is a page of no code", path)
		}
	}
}

func TestEveryFragmentExists(t *testing.T) {
	t.Parallel()
	found := crawl(t)
	for path, body := range documents(t) {
		for _, match := range href.FindAllStringSubmatch(body, -1) {
			target, fragment, ok := strings.Cut(match[1], "#")
			if target == "" {
				target = path
			}
			if ok && !strings.Contains(found[target], `id="`+fragment+`"`) {
				t.Errorf("%s links to %s, where there is no such id", path, match[1])
			}
		}
	}
}

func TestNothingNamesAnotherHost(t *testing.T) {
	t.Parallel()
	address := regexp.MustCompile(`(?i)(?:https?:)?//[a-z0-9.\[-][^\s"'<>\\)]*`)
	for path, body := range crawl(t) {
		if !utf8.ValidString(body) { // a picture or a font
			continue
		}
		body = strings.NewReplacer(
			`xmlns="http://www.w3.org/2000/svg"`, "", // a name, not a place
			// in a library: the same
			"http://www.w3.org/1998/Math/MathML", "", "http://www.w3.org/2000/svg", "",
			"http://www.w3.org/1999/xhtml", "",
			"https://hooks.example.com/platen", "", // a subscriber's own address
			"http://platen:8080", "", // a container, by its name among its neighbours
			"php://input", "", // PHP's name of the body
			"begin with https://.", "", // an error about a scheme
			"postgres:///platen", "", // a database on the same machine
			"postgres://platen@db.internal/platen", "", // and an operator's own
			"https://platen.example/mcp", "", "http://localhost:8080/mcp", "", // the same, and the reader's own machine
			"https://sandbox.example;", "", "https://sandbox.example ", "", // an operator's own address
		).Replace(body)
		for _, found := range address.FindAllString(body, -1) {
			if strings.HasPrefix(found, "http://127.0.0.1:") { // the reader's own machine
				continue
			}
			if found != origin && !strings.HasPrefix(found, origin+"/") {
				t.Errorf("%s names %s", path, found)
			}
		}
	}
}

func TestDocumentsCarryTheirHeaders(t *testing.T) {
	t.Parallel()
	h := pages(t)
	paths := []string{"/nowhere"}
	for path, body := range documents(t) {
		paths = append(paths, path)
		if inline := regexp.MustCompile(`<script(?: type="module")?>`).FindString(body); inline != "" {
			t.Errorf("%s holds a script of its own", path)
		}
		for _, forbidden := range []string{" style=", "<style", " onclick=", "javascript:"} {
			if strings.Contains(body, forbidden) {
				t.Errorf("%s holds %q, which the policy forbids", path, forbidden)
			}
		}
	}
	want := map[string]string{
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Content-Type":                 "text/html; charset=utf-8",
	}
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src " +
		"'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types "
	for _, path := range append(paths, "/console", "/console/", "/console/bridge",
		"/console/webhooks/whk_1", "/status") {
		w := request(h, http.MethodGet, path)
		want["Content-Security-Policy"] = policy + "'none'"
		if path == "/" || strings.HasPrefix(path, "/console") { // where sandboxes are made
			want["Content-Security-Policy"] = policy + "platen-worker"
		}
		for name, value := range want {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s has %s %q, want %q", path, name, got, value)
			}
		}
	}
}

var tag = regexp.MustCompile(`<(/?)([a-z][a-z0-9]*)([^>]*?)(/?)>`)

// TestPagesAreWellFormed closes every element in its order, names each id
// once, and gives every page one title and one first heading.
func TestPagesAreWellFormed(t *testing.T) {
	t.Parallel()
	void := []string{"meta", "link", "br", "hr", "img", "input", "wbr"}
	id := regexp.MustCompile(` id="([^"]+)"`)
	for path, body := range documents(t) {
		var open []string
		for _, m := range tag.FindAllStringSubmatch(body, -1) {
			switch {
			case m[4] == "/" || slices.Contains(void, m[2]):
			case m[1] == "":
				open = append(open, m[2])
			case len(open) == 0 || open[len(open)-1] != m[2]:
				t.Fatalf("%s closes %s inside %v", path, m[2], open)
			default:
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("%s leaves %v open", path, open)
		}
		for _, once := range []string{"<!doctype html>", "<title>", "<h1", `<main id="main">`} {
			if n := strings.Count(body, once); n != 1 {
				t.Errorf("%s has %d of %s", path, n, once)
			}
		}
		seen := map[string]bool{}
		for _, m := range id.FindAllStringSubmatch(body, -1) {
			if seen[m[1]] {
				t.Errorf("%s has the id %s twice", path, m[1])
			}
			seen[m[1]] = true
		}
		for _, leak := range []string{"<no value>", "ZgotmplZ", "&lt;nil&gt;", "(one of", "%!"} {
			if strings.Contains(body, leak) {
				t.Errorf("%s holds %q", path, leak)
			}
		}
	}
}

var (
	pre  = regexp.MustCompile(`(?s)<pre[^>]*>(.*?)</pre>`)
	mark = regexp.MustCompile(`<[^>]+>`)
)

// snippets are the texts of a page's code blocks.
func snippets(body string) []string {
	var out []string
	for _, m := range pre.FindAllStringSubmatch(body, -1) {
		out = append(out, html.UnescapeString(mark.ReplaceAllString(m[1], "")))
	}
	return out
}

// TestBrowsersAndCrawlersFindTheirFiles by the names that they ask for.
func TestBrowsersAndCrawlersFindTheirFiles(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/favicon.ico": "image/svg+xml", "/robots.txt": "text/plain; charset=utf-8",
	} {
		got := request(pages(t), http.MethodGet, path)
		if got.Code != http.StatusOK || got.Header().Get("Content-Type") != want || got.Body.Len() == 0 {
			t.Errorf("%s is %d %s with %d bytes", path, got.Code, got.Header().Get("Content-Type"), got.Body.Len())
		}
	}
}

// TestTheLandingPageSaysHowLongASandboxLives as the server is set.
func TestTheLandingPageSaysHowLongASandboxLives(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.SandboxDuration = 77 * time.Hour
	h, err := web.New(web.Options{Site: docsite.New(docsite.Options{
		Origin: origin, Asset: web.Asset, Operations: operation.Table(), Config: c,
	})})
	if err != nil {
		t.Fatal(err)
	}
	if body := request(h, http.MethodGet, "/").Body.String(); !strings.Contains(body, "Yours for 77 hours") {
		t.Error("the landing page names no time, or another one")
	}
}

func TestTheLandingPageCallsWhatExists(t *testing.T) {
	t.Parallel()
	h := pages(t)
	call := regexp.MustCompile(`curl -s (-X POST )?"?` + regexp.QuoteMeta(origin) + `/v1([a-zA-Z/$-]*)`)
	for path, want := range map[string]int{"/": 10} {
		calls := 0
		for _, snippet := range snippets(request(h, http.MethodGet, path).Body.String()) {
			for _, m := range call.FindAllStringSubmatch(snippet, -1) {
				calls++
				method := http.MethodGet
				if m[1] != "" || strings.Contains(snippet, "--json") {
					method = http.MethodPost
				}
				route := strings.ReplaceAll(m[2], "$ORDER", "{id}")
				if !slices.ContainsFunc(operation.Table(), func(op operation.Operation) bool {
					return op.Method == method && op.Path == route
				}) {
					t.Errorf("%s calls %s %s, which no operation serves", path, method, route)
				}
			}
		}
		if calls != want {
			t.Errorf("%s makes %d calls, want %d", path, calls, want)
		}
	}
}

func TestHandlerAnswersLikeAFileServer(t *testing.T) {
	t.Parallel()
	h := pages(t)
	landing := request(h, http.MethodGet, "/")
	style := regexp.MustCompile(`/static/[0-9a-f]+/style\.css`).FindString(landing.Body.String())
	for _, c := range []struct {
		name, method, path string
		headers            []string
		status             int
		want               map[string]string
		empty              bool
	}{
		{"unknown page", "GET", "/nowhere", nil, 404,
			map[string]string{"Content-Type": "text/html; charset=utf-8"}, false},
		{"unknown code", "GET", "/docs/errors/nothing", nil, 404, nil, false},
		{"stale asset", "GET", "/static/000000000000/style.css", nil, 404,
			map[string]string{"Cache-Control": "no-cache"}, false},
		{"post", "POST", "/", nil, 405, map[string]string{"Allow": "GET, HEAD"}, false},
		{"post to nothing", "DELETE", "/nowhere", nil, 405, map[string]string{"Allow": "GET, HEAD"}, false},
		{"page of the console", "GET", "/console/office/sales-orders", nil, 200,
			map[string]string{"Content-Type": "text/html; charset=utf-8"}, false},
		{"no page of the console", "GET", "/console/nothing", nil, 404, nil, false},
		{"beside the console", "GET", "/consoles", nil, 404, nil, false},
		{"head", "HEAD", "/docs/", nil, 200, map[string]string{"Content-Type": "text/html; charset=utf-8"}, true},
		{"head of nothing", "HEAD", "/nowhere", nil, 404, nil, true},
		{"without slash", "GET", "/docs", nil, 308, map[string]string{"Location": "/docs/"}, false},
		{"with slash", "GET", "/docs/errors/", nil, 308, map[string]string{"Location": "/docs/errors"}, false},
		{"another host", "GET", "//elsewhere.test/", nil, 404, nil, false},
		{"stylesheet", "GET", style, nil, 200, map[string]string{"Cache-Control": "public, max-age=31536000, immutable",
			"Content-Type": "text/css; charset=utf-8", "X-Content-Type-Options": "nosniff"}, false},
		{"unchanged", "GET", "/", []string{"If-None-Match", landing.Header().Get("ETag")}, 304, nil, true},
		{"compressed", "GET", "/", []string{"Accept-Encoding", "br, gzip;q=0.5"}, 200,
			map[string]string{"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}, false},
		{"not compressed", "GET", "/", []string{"Accept-Encoding", "gzip;q=0"}, 200,
			map[string]string{"Content-Encoding": ""}, false},
	} {
		w := request(h, c.method, c.path, c.headers...)
		if w.Code != c.status || (w.Body.Len() == 0) != c.empty {
			t.Errorf("%s: got %d with %d bytes, want %d, empty %t", c.name, w.Code, w.Body.Len(), c.status, c.empty)
		}
		for name, value := range c.want {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", c.name, name, got, value)
			}
		}
	}
	if bytes.Contains(request(h, "GET", "/<b>x").Body.Bytes(), []byte("<b>x")) {
		t.Error("the missing page repeats the path")
	}
}
