package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"platen/client"
)

// TestARequestOfOnesOwnGetsItsKey by its path, and the headers that it lacks.
func TestARequestOfOnesOwnGetsItsKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ method, path, body, header, want string }{
		{"GET", "/office/cash", "", "", "office|||"},
		{"GET", "office/cash.csv", "", "", "office|||"},
		{"GET", "/factory/presses?limit=2", "", "", "factory|||"},
		{"POST", "/sandbox/tick", `{"minutes":60}`, "", "office|made|application/json|"},
		{"DELETE", "/sandbox", "", "", "office|made||"},
		{"POST", "/sandboxes", "", "", "|made||"},
		{"GET", "/queue/t", "", "", "|||"},
		{"POST", "/webhooks", "a,b", "Content-Type: text/csv", "office|made|text/csv|"},
		{"POST", "/webhooks", "", "Idempotency-Key: mine", "office|mine||"},
		{"GET", "/office/cash", "", "Authorization: Bearer lab_fac_test", "factory|||"},
		{"GET", "/office/cash", "", "X-Api-Key: other", "|||other"},
	} {
		f := newFake(t, success("{}"))
		r, err := http.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			r.Header.Set(name, value)
		}
		response, err := f.client(client.IdempotencyKeys(func() string { return "made" })).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		sent := f.requests()[0]
		key := sent.header.Get("Authorization")
		key = map[string]string{"Bearer lab_off_test": "office", "Bearer lab_fac_test": "factory", "": ""}[key]
		got := fmt.Sprintf("%s|%s|%s|%s", key, sent.header.Get("Idempotency-Key"), sent.header.Get("Content-Type"),
			sent.header.Get("X-Api-Key"))
		path, query, _ := strings.Cut(strings.TrimPrefix(c.path, "/"), "?")
		if got != c.want || sent.method != c.method || sent.path != "/v1/"+path || sent.query != query ||
			sent.body != c.body || sent.header.Get("User-Agent") != "platen-client-go" {
			t.Errorf("%s %s: sent %+v, want %s", c.method, c.path, sent, c.want)
		}
	}
}

// TestAResponseComesAsItIs, also one with an error, which is not repeated.
func TestTheOriginOfAServerIsAsGoodAsItsBaseURL(t *testing.T) {
	t.Parallel()
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		fmt.Fprint(w, `{"meta":{},"data":{}}`)
	}))
	t.Cleanup(server.Close)
	for _, end := range []string{"", "/", "/v1", "/v1/", "/platen/v1"} {
		c := client.New(server.URL+end, client.Keys{Office: "k"})
		if _, err := c.GetCash(t.Context()); err != nil {
			t.Error(err)
		}
	}
	want := []string{"/v1/office/cash", "/v1/office/cash", "/v1/office/cash", "/v1/office/cash",
		"/platen/v1/office/cash"}
	if !slices.Equal(paths, want) {
		t.Errorf("asked for %q, want %q", paths, want)
	}
}

func TestAResponseComesAsItIs(t *testing.T) {
	t.Parallel()
	busy := refusal(503, "unavailable", true, "").with("Retry-After", "1")
	f := newFake(t, busy)
	reported := 0
	c := f.client(client.OnExchange(func(x client.Exchange) {
		if reported++; x.Path != "/sandbox/tick?x=1" || x.System != "office" || string(x.Request) != "{}" ||
			string(x.Response) != busy.body || x.Attempt != 1 || x.Operation != "" {
			t.Errorf("reported %+v", x)
		}
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/sandbox/tick?x=1", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != busy.body || response.StatusCode != http.StatusServiceUnavailable ||
		response.Header.Get("Retry-After") != "1" || len(f.requests()) != 1 || reported != 1 {
		t.Errorf("%d requests, %s with %s, %v", len(f.requests()), response.Status, body, err)
	}
}

func TestARequestThatCannotBeSentSaysWhy(t *testing.T) {
	t.Parallel()
	f := newFake(t, success("{}"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/office/cash", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		client *client.Client
		want   string
	}{
		{client.New(f.URL, client.Keys{Factory: "k"}), client.ErrNoKey.Error()},
		{client.New("nowhere", client.Keys{Office: "k"}), "base URL"},
	} {
		response, err := c.client.Do(r)
		if err == nil {
			response.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "GET /office/cash") {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	b := &broken{}
	response, err := f.client(client.HTTPClient(&http.Client{Transport: b})).Do(r)
	if err == nil {
		response.Body.Close()
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) || b.attempts != 1 {
		t.Errorf("%d attempts, %v", b.attempts, err)
	}
}
