package contract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/test/testclient"
)

func TestEveryAnswerIsAnEnvelope(t *testing.T) {
	t.Parallel()
	rows(t, "ENV.JSON", "ENV.SUCCESS", "ENV.FAILURE", "ENV.META.SIMULATION", "ENV.META.REQUEST_ID",
		"ENV.META.SERVER_TIME", "ENV.META.SIM_DATE", "ENV.META.EXPIRES_IN_S", "ENV.META.API_VERSION", "SVC.SIMULATED",
		"CONV.ID.REQUEST", "CONV.BODY.JSON", "CONV.SNAKE_CASE", "VER.META", "OPEN.VER.DATED", "OPEN.HTTP.CACHING")
	n := shared.create(t, `{"clock":"manual"}`)
	before := time.Now()
	for name, a := range someAnswers(n) {
		// Rules that hold for each response are checked where it is received; the
		// values are checked here.
		meta := a.Meta()
		if string(member(t, member(t, a.Raw, "meta"), "simulation")) != "true" {
			t.Errorf("%s: meta is %v", name, meta)
		}
		if at := moment(t, meta["server_time"]); at.Before(before.Add(-time.Minute)) ||
			at.After(time.Now().Add(time.Minute)) {
			t.Errorf("%s: server_time is %v, here it is %v", name, at, before)
		}
		if meta["api_version"] != "2026-09" {
			t.Errorf("%s: api_version is %v", name, meta["api_version"])
		}
		if day, has := meta["sim_date"]; has && day != "2026-09-07" {
			t.Errorf("%s: sim_date is %v on the first morning", name, day)
		}
		if _, has := meta["expires_in_s"]; has {
			if left := number(t, meta, "expires_in_s"); left > 1800 || left < 1700 {
				t.Errorf("%s: expires_in_s is %d in a new sandbox", name, left)
			}
		}
	}
}

// someAnswers are answers of many kinds to one sandbox.
func someAnswers(n *tenant) map[string]*answer {
	order := text(n.order("SO-1001"), "id")
	return map[string]*answer{
		"object":        n.get("/sandbox").want(200, ""),
		"list":          n.get("/office/sales-orders").want(200, ""),
		"row":           n.get("/office/sales-orders/"+order).want(200, ""),
		"feed":          n.get("/events").want(200, ""),
		"write":         n.post("/office/sales-orders/"+order+"/accept", "").want(200, ""),
		"invalid state": n.post("/office/sales-orders/"+order+"/accept", "").want(409, "invalid_state"),
		"parameter":     n.get("/office/sales-orders?limit=0").want(400, "invalid_parameter"),
		"unknown key": n.send(n.t,
			request{method: "GET", path: "/sandbox", key: "lab_off_" + strings.Repeat("A", 43)}).
			want(401, "unauthorized"),
		"wrong system": n.send(n.t, request{method: "GET", path: "/factory/stock", key: n.office}).
			want(403, "wrong_system"),
		"no record":      n.get("/office/sales-orders/so_0").want(404, "not_found"),
		"no route":       n.get("/nothing").want(404, "route_not_found"),
		"wrong method":   n.call("PUT", "/sandbox", "").want(405, "method_not_allowed"),
		"not acceptable": n.get("/sandbox", "Accept", "text/html").want(406, "not_acceptable"),
		"large body":     n.post("/sandbox/tick", strings.Repeat(" ", 16385)).want(413, "body_too_large"),
		"media type": n.post("/sandbox/tick", "{}", "Content-Type", "text/plain").
			want(415, "unsupported_media_type"),
		"validation": n.post("/sandbox/tick", `{"minutes":0}`).want(422, "validation_failed"),
		"fork":       n.post("/sandbox/forks", "").want(201, ""),
		"no fork":    n.post("/sandbox/forks", `{"checkpoint":"none"}`).want(404, "not_found"),
	}
}

func TestAnswersToAValidKeySayWhichDayItIs(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ENV.META.WHEN")
	n := shared.create(t, `{"clock":"manual"}`)
	for name, a := range someAnswers(n) {
		if name != "unknown key" {
			has(t, name+": meta", a.Meta(), "server_time", "sim_date", "expires_in_s")
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	rows(t, "ENV.ERROR.CODE", "ENV.ERROR.MESSAGE", "ENV.ERROR.RETRYABLE", "ENV.ERROR.HINT", "ENV.ERROR.DOCS_URL",
		"ENV.ERROR.DETAILS", "OPEN.ERR.RETRYABLE")
	n := shared.create(t, `{"clock":"manual"}`)
	for name, a := range someAnswers(n) {
		if a.Status < 400 {
			continue
		}
		failure := a.Failure()
		has(t, name, failure, "code", "message", "retryable", "hint", "docs_url")
		docs, err := url.Parse(text(failure, "docs_url"))
		if err != nil || !docs.IsAbs() || !strings.HasPrefix(docs.String(), n.Origin) {
			t.Errorf("%s: docs_url is %q", name, docs)
			continue
		}
		if status := n.page(t, docs.Path); status != http.StatusOK {
			t.Errorf("%s: docs_url %s is answered %d", name, docs, status)
		}
		if _, ok := failure["retryable"].(bool); !ok {
			t.Errorf("%s: retryable is %v", name, failure["retryable"])
		}
		if message := text(failure, "message"); !strings.Contains(message, " ") || !strings.HasSuffix(message, ".") {
			t.Errorf("%s: %q is no sentence", name, message)
		}
	}
}

// page reads a page of the site and returns its status.
func (s *service) page(t testing.TB, path string) int {
	t.Helper()
	status, _ := s.document(t, path)
	return status
}

// words returns the text of a page of the docs.
func (s *service) words(t testing.TB, path string) string {
	t.Helper()
	_, text := s.document(t, path)
	return text
}

func (s *service) document(t testing.TB, path string) (status int, text string) {
	t.Helper()
	q := testclient.Request{Method: http.MethodGet, URL: s.Origin + path}
	// The first page of the docs waits until all are rendered. On a machine that is that slow, the
	// server gives its connection up, and a reader loads the page again.
	for range 3 {
		if a, err := q.Do(t.Context()); err == nil {
			return a.Status, string(a.Raw)
		}
	}
	a := q.Send(t)
	return a.Status, string(a.Raw)
}

func TestTheBaseURLCarriesTheVersion(t *testing.T) {
	t.Parallel()
	rows(t, "SVC.BASE", "VER.PREFIX")
	if shared.BaseURL != shared.Origin+"/v1" {
		t.Errorf("the base URL is %s at %s", shared.BaseURL, shared.Origin)
	}
	if status := shared.page(t, "/sandbox"); status != http.StatusNotFound {
		t.Errorf("without the version prefix /sandbox is answered %d", status)
	}
}

// rawCall sends bytes and returns the answer, for requests that no HTTP
// library would make.
func rawCall(t testing.TB, s *service, sent string) (status int, header http.Header, body []byte) {
	t.Helper()
	c, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(t.Context(), "tcp",
		strings.TrimPrefix(s.Origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(40 * time.Second)); err != nil {
		t.Fatal(err)
	}
	// The server may answer, and close, before it has read everything.
	go io.WriteString(c, sent)
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%.60q: %v", sent, err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%.60q: %v", sent, err)
	}
	return response.StatusCode, response.Header, body
}

// wantRaw checks that an answer is an envelope with a code.
func wantRaw(t testing.TB, s *service, sent string, status int, code string) {
	t.Helper()
	got, header, body := rawCall(t, s, sent)
	var envelope struct{ Meta, Error object }
	if err := json.Unmarshal(body, &envelope); err != nil || got != status || envelope.Error["code"] != code {
		t.Errorf("%.60q: got %d %s %q, want %d %s", sent, got, header, bytes.TrimSpace(body), status, code)
		return
	}
	s.inspectRefusal(t, fmt.Sprintf("%.60q", sent), got, header, object{"error": envelope.Error, "meta": envelope.Meta})
	s.judge.fits(t, "/components/schemas/Meta", member(t, body, "meta"))
	s.judge.fits(t, "/components/schemas/Error", member(t, body, "error"))
	if envelope.Meta["simulation"] != true || header.Get("Content-Type") != "application/json" {
		t.Errorf("%.60q: got %v %v", sent, header, envelope.Meta)
	}
}

func TestRefusalsOfTheHTTPServerAreEnvelopesToo(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ENV.OWN_ERRORS", "OPEN.ERR.BAD_REQUEST", "OPEN.ERR.HEADERS_TOO_LARGE", "OPEN.ERR.BODY_TOO_LARGE",
		"OPEN.ERR.ROUTE_NOT_FOUND", "OPEN.ERR.METHOD_NOT_ALLOWED")
	const host = "Host: platen.localhost\r\n"
	for name, c := range map[string]struct {
		sent   string
		status int
		code   string
	}{
		"no request line":   {"GARBAGE\r\n\r\n", 400, "bad_request"},
		"two hosts":         {"GET /v1/sandbox HTTP/1.1\r\n" + host + host + "\r\n", 400, "bad_request"},
		"no host":           {"GET /v1/sandbox HTTP/1.1\r\n\r\n", 400, "bad_request"},
		"space in a header": {"GET /v1/sandbox HTTP/1.1\r\n" + host + "X Y: z\r\n\r\n", 400, "bad_request"},
		"length in words": {"POST /v1/sandboxes HTTP/1.1\r\n" + host + "Content-Length: ten\r\n\r\n",
			400, "bad_request"},
		"unknown HTTP": {"GET /v1/sandbox HTTP/9.9\r\n" + host + "\r\n", 400, "bad_request"},
		"unknown encoding": {"POST /v1/sandboxes HTTP/1.1\r\n" + host + "Transfer-Encoding: zip\r\n\r\n",
			400, "bad_request"},
		"broken chunk": {"POST /v1/sandboxes HTTP/1.1\r\n" + host +
			"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "bad_request"},
		"half an escape": {"GET /v1/%zz HTTP/1.1\r\n" + host + "\r\n", 400, "bad_request"},
		"large headers": {"GET /v1/sandbox HTTP/1.1\r\n" + host + "X-Large: " + strings.Repeat("a", 80<<10) +
			"\r\n\r\n", 431, "headers_too_large"},
		"large body": {"POST /v1/sandboxes HTTP/1.1\r\n" + host + "Content-Type: application/json\r\n" +
			"Content-Length: 16385\r\n\r\n" + strings.Repeat(" ", 16385), 413, "body_too_large"},
		"large chunked body": {"POST /v1/sandboxes HTTP/1.1\r\n" +
			host + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5000\r\n" +
			strings.Repeat(" ", 0x5000) + "\r\n0\r\n\r\n", 413, "body_too_large"},
		"no route":     {"GET /v1/nothing HTTP/1.1\r\n" + host + "\r\n", 404, "route_not_found"},
		"wrong method": {"BREW /v1/sandbox HTTP/1.1\r\n" + host + "\r\n", 405, "method_not_allowed"},
	} {
		t.Run(name, func(t *testing.T) { wantRaw(t, shared, c.sent, c.status, c.code) })
	}
}

func TestRefusalsOfTheHTTPServerSayHowTheyAreCached(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.CACHING")
	for _, sent := range []string{
		"GARBAGE\r\n\r\n",
		"GET /v1/sandbox HTTP/1.1\r\nHost: platen.localhost\r\nX-Large: " + strings.Repeat("a", 80<<10) + "\r\n\r\n",
	} {
		status, header, _ := rawCall(t, shared, sent)
		for name, want := range map[string]string{
			"Cache-Control": "private, no-cache", "Vary": "Accept, Authorization, X-Api-Key",
		} {
			if header.Get(name) != want {
				t.Errorf("%.20q: %d has %s %q, want %q", sent, status, name, header.Get(name), want)
			}
		}
	}
}

func TestAnExpectationThatCannotBeMetIsAnsweredWithAnEnvelope(t *testing.T) {
	t.Parallel()
	rows(t, "ENV.JSON", "ENV.FAILURE", "SVC.SIMULATED")
	const sent = "POST /v1/sandboxes HTTP/1.1\r\nHost: platen.localhost\r\nExpect: wonders\r\n" +
		"Content-Length: 2\r\n\r\n{}"
	status, header, body := rawCall(t, shared, sent)
	if len(body) == 0 || header.Get("Content-Type") != "application/json" {
		t.Fatalf("%.60q: got %d %v with the body %q, want an envelope", sent, status, header, body)
	}
	s := member(t, member(t, body, "meta"), "simulation")
	if string(s) != "true" {
		t.Errorf("%.60q: got %d %s", sent, status, body)
	}
}

func TestABodyThatNeverEndsIsATimeout(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.REQUEST_TIMEOUT", "OPEN.ENV.OWN_ERRORS")
	const unfinished = "POST /v1/sandboxes HTTP/1.1\r\nHost: platen.localhost\r\nContent-Type: application/json\r\n" +
		"Content-Length: 20\r\n\r\n{"
	wantRaw(t, shared, unfinished, 408, "request_timeout")
}

func TestHeadAndNotModifiedHaveNoBody(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ENV.NO_BODY", "OPEN.HTTP.HEAD", "OPEN.ENV.SIMULATION")
	n := shared.create(t, `{"clock":"manual"}`)
	order := text(n.order("SO-1001"), "id")
	for _, path := range []string{
		"/office/cash", "/office/sales-orders", "/office/sales-orders.csv", "/office/sales-orders/" + order,
		"/factory/stock?limit=1", "/events", "/nothing", "/office/sales-orders/so_0", "/missions?limit=0",
	} {
		get, head := n.get(path), n.call("HEAD", path, "")
		if head.Status != get.Status {
			t.Errorf("HEAD %s: %d, GET %d", path, head.Status, get.Status)
		}
		for _, name := range []string{"ETag", "Content-Type", "Content-Length", "Link", "Vary", "Sim-Simulation"} {
			if got, want := head.Header.Get(name), get.Header.Get(name); got != want {
				t.Errorf("HEAD %s: %s is %q, GET has %q", path, name, got, want)
			}
		}
		if tag := get.Header.Get("ETag"); tag != "" {
			n.get(path, "If-None-Match", tag).want(http.StatusNotModified, "")
			n.call("HEAD", path, "", "If-None-Match", tag).want(http.StatusNotModified, "")
		}
	}
}

func TestPathsMustBeClean(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.CLEAN_PATHS", "OPEN.ERR.BAD_REQUEST")
	for _, path := range []string{
		"//sandbox", "/./sandbox", "/office/../sandbox", "/sandbox/", "/", "/office//sales-orders",
		"/%2e%2e/v1/sandbox", "/sandbox/.",
	} {
		for _, method := range []string{"GET", "POST"} {
			wantRaw(t, shared, fmt.Sprintf("%s /v1%s HTTP/1.1\r\nHost: platen.localhost\r\nContent-Length: 0\r\n\r\n",
				method, path), 400, "bad_request")
		}
	}
}

func TestLinksAreRelativeToTheBaseURL(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ENV.LINKS")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, e := range n.feed(0) {
		self := text(child(t, e, "links"), "self")
		if got := n.row(self); got["id"] != child(t, e, "data")["id"] {
			t.Errorf("%s leads to %v", self, got["id"])
		}
	}
}

func TestAMethodThatAPathLacksIsRefusedWithTheOnesItHas(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.ALLOW", "OPEN.ERR.METHOD_NOT_ALLOWED")
	n := shared.create(t, "")
	allowed := map[string][]string{}
	for _, o := range n.judge.operations {
		allowed[o.path] = append(allowed[o.path], o.method)
		if o.method == "GET" {
			allowed[o.path] = append(allowed[o.path], "HEAD")
		}
	}
	for path, methods := range allowed {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
			if slices.Contains(methods, method) {
				continue
			}
			a := n.call(method, strings.ReplaceAll(path, "{id}", "x"), "")
			listed := strings.Split(a.Header.Get("Allow"), ", ")
			slices.Sort(listed)
			if slices.Sort(methods); a.Status != http.StatusMethodNotAllowed || !slices.Equal(listed, methods) {
				t.Errorf("%s %s: %d with Allow %v, want %v", method, path, a.Status, listed, methods)
			}
		}
	}
}

// TestProgramsAreAnsweredWithEnvelopesEverywhere: only who asks for a page gets one
// for a path that is none.
func TestProgramsAreAnsweredWithEnvelopesEverywhere(t *testing.T) {
	t.Parallel()
	rows(t, "ENV.JSON", "OPEN.ERR.ROUTE_NOT_FOUND")
	for _, path := range []string{"/v2/sandbox", "/sandbox", "/nothing"} {
		for accept, page := range map[string]bool{
			"*/*": false, "application/json": false, "": false, "text/html,application/xhtml+xml,*/*;q=0.8": true,
		} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				r, err := testclient.Request{Method: method, URL: shared.Origin + path}.Build(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept", accept)
				a, err := testclient.Exchange(nil, r)
				if err != nil {
					t.Fatal(err)
				}
				asJSON := a.Header.Get("Content-Type") == "application/json"
				if asJSON == page || asJSON && a.Status != http.StatusNotFound {
					t.Errorf("%s %s with Accept %q is answered %d %s",
						method, path, accept, a.Status, a.Header.Get("Content-Type"))
				}
			}
		}
	}
}

func TestAnEncodedBodyIsNotReadAsItIs(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.CONTENT_ENCODING", "ERR.UNSUPPORTED_MEDIA_TYPE")
	for coding, want := range map[string]int{"gzip": 415, "identity, br": 415, "identity": 201, "IDENTITY": 201} {
		status, header, body := rawCall(t, shared, "POST /v1/sandboxes HTTP/1.1\r\nHost: platen.localhost\r\n"+
			"Content-Type: application/json\r\nContent-Encoding: "+coding+"\r\nContent-Length: 2\r\n\r\n{}")
		if status != want || want == 415 && header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s: got %d %v %s", coding, status, header, body)
		}
	}
}
