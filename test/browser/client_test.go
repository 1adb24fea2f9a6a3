package browser_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// site is the web server of an integrator: a page with the JavaScript client as it is, on an origin of its own.
// Like such servers it passes on the API's path.
func site(t *testing.T, p *platentest.Platen) string {
	t.Helper()
	api, err := url.Parse(p.Origin)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", testclient.BodyFirst(&httputil.ReverseProxy{
		FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(api) },
		// A response that was lost is lost for the page too.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}))
	mux.Handle("/platen/", http.StripPrefix("/platen/", http.FileServer(http.Dir("../../clients/javascript"))))
	page := http.FileServer(http.Dir("testdata/client"))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; img-src data:; "+
			"connect-src 'self' "+p.Origin+"; require-trusted-types-for 'script'; trusted-types 'none'")
		page.ServeHTTP(w, r)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// failure is an error of the client, as the page describes it.
type failure struct {
	Name, Message, Code, Hint, RequestID, DocsURL string
	Status, Attempts                              int
	RetryAfterMs                                  float64
	Retryable, Network, Unchanged                 bool
}

// TestTheJavaScriptClientPlaysInABrowser: what browsers load of it needs nothing else, and the page's own server
// passes its requests on. The server asks for a proof of work.
func TestTheJavaScriptClientPlaysInABrowser(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t, map[string]string{"pow-difficulty": "10"})
	x := open(t, site(t, p), looks[0],
		"428 ", "409 ", "429 ", "502 ", "503 ") // the browser notes each response that is an error
	x.visit("/")
	x.until("globalThis.page")
	told := eval[struct {
		Difficulty            int
		Received, Events      []string
		Next                  string
		Kept                  []int
		Once                  int
		Unchanged, Conflict   failure
		Storm, Aborted        failure
		Accepted, Again, Lost struct {
			Status, Key, Reference string
			Replayed               bool
			Attempts               int
		}
	}](x, "page.plays(location.origin + '/v1')")
	if told.Difficulty != 10 {
		t.Errorf("the proof of work had the difficulty %d", told.Difficulty)
	}
	if len(told.Received) < 3 || !slices.Contains(told.Received, "SO-1001") {
		t.Errorf("page after page it lists %q", told.Received)
	}
	if !told.Unchanged.Unchanged {
		t.Errorf("a list that has not changed is %+v", told.Unchanged)
	}
	if a := told.Accepted; a.Status != "in_production" || !strings.HasPrefix(a.Key, "accept-so_") || a.Replayed {
		t.Errorf("to accept with a key of its own gives %+v", a)
	}
	if a := told.Again; a.Key != told.Accepted.Key || !a.Replayed {
		t.Errorf("the same key again gives %+v", a)
	}
	if e := told.Conflict; e.Name != "ApiError" || e.Status != 409 || e.Code != "invalid_state" || e.Retryable ||
		e.Attempts != 1 || e.Hint == "" || !strings.HasPrefix(e.DocsURL, "http") || e.RequestID == "" {
		t.Errorf("to accept it with another key gives %+v", e)
	}
	if !slices.Contains(told.Events, "office.sales_order.accepted") || told.Next != "factory.work_order.created" {
		t.Errorf("the feed has %q and then %s", told.Events, told.Next)
	}
	if len(told.Kept) != 2 || told.Kept[0] == 0 || told.Kept[0] != told.Kept[1] {
		t.Errorf("the checkpoint of the page and the last number of the feed are %v", told.Kept)
	}
	if e := told.Storm; e.Name != "ApiError" || !slices.Contains([]string{"unavailable", "rate_limited"}, e.Code) ||
		!e.Retryable || e.RetryAfterMs <= 0 {
		t.Errorf("in a storm a request gives %+v", e)
	}
	if l := told.Lost; l.Reference != "once" || l.Attempts < 2 || !l.Replayed || told.Once != 1 {
		t.Errorf("a write whose response was lost is %+v, %d times", l, told.Once)
	}
	if told.Aborted.Message != "the page was closed" {
		t.Errorf("a follower that was ended says %+v", told.Aborted)
	}
	for _, asked := range x.asked() {
		if _, address, _ := strings.Cut(asked, " "); !strings.HasPrefix(address, x.origin+"/") &&
			!strings.HasPrefix(address, "data:") {
			t.Errorf("the page asked another host: %s", asked)
		}
	}
}

// TestAPageOfAnotherOriginIsToldWhyItIsNotServed: there is no CORS (AUTH.NO_CORS), which a browser tells nobody but
// its user, so that the client names the two origins. The request itself is never sent.
func TestAPageOfAnotherOriginIsToldWhyItIsNotServed(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t, nil)
	way := between(t, p)
	var mu sync.Mutex
	var came []string
	way.says(func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		came = append(came, r.Method)
		return false
	})
	x := open(t, site(t, &platentest.Platen{Origin: way.origin}), looks[0], "CORS policy", "ERR_FAILED")
	x.visit("/")
	x.until("globalThis.page")
	told := eval[failure](x, "page.isTold("+quote(way.origin+"/v1")+")")
	for _, part := range []string{x.origin, way.origin, "CORS"} {
		if !told.Network || !strings.Contains(told.Message, part) {
			t.Errorf("it is told %+v, want a NetworkError with %s", told, part)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(came) == 0 || slices.ContainsFunc(came, func(method string) bool { return method != http.MethodOptions }) {
		t.Errorf("the server got %q, want preflights alone", came)
	}
}
