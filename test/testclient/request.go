package testclient

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// limit ends a request that would hang. It is far beyond what a loaded machine
// takes, and beyond the longest wait that a client may ask for.
const limit = 5 * time.Minute

// Request is one request to a server.
type Request struct {
	Method, URL string
	// Key is sent as a bearer token, unless it is empty.
	Key string
	// Body is sent as JSON, unless it is empty.
	Body string
	// Headers are names and values, one after the other. They replace what Key
	// and Body have set; an empty value removes a header.
	Headers []string
}

// String names a request without its key.
func (r Request) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %.120s", r.Method, r.URL, r.Body))
}

// Build returns the request as net/http has it, for tests that change more of it
// before they hand it to Exchange.
func (r Request) Build(ctx context.Context) (*http.Request, error) {
	built, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	if r.Key != "" {
		built.Header.Set("Authorization", "Bearer "+r.Key)
	}
	if r.Body != "" {
		built.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(r.Headers); i += 2 {
		built.Header.Del(r.Headers[i])
		if r.Headers[i+1] != "" {
			built.Header.Set(r.Headers[i], r.Headers[i+1])
		}
	}
	if host := built.Header.Get("Host"); host != "" { // net/http keeps it beside the other headers
		built.Host = host
	}
	return built, nil
}

// Do sends the request and reads the answer. An answer of any status is no error.
func (r Request) Do(ctx context.Context) (*Answer, error) {
	built, err := r.Build(ctx)
	if err != nil {
		return nil, err
	}
	a, err := Exchange(nil, built)
	if err != nil {
		return nil, err
	}
	a.Asked = r.String()
	return a, nil
}

// Send sends the request within the time of a test, which fails without an answer.
func (r Request) Send(t testing.TB) *Answer {
	t.Helper()
	a, err := r.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a.T = t
	return a
}

// usual follows no redirect and unpacks nothing, so a test sees the answer as it was
// sent. It gives up an idle connection before servers do: a request that is sent in
// the moment of its closing would get no answer.
var usual = &http.Client{
	Transport:     &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Exchange sends a request and reads the whole answer. A nil client means one that
// follows no redirect. An answer that says it is JSON and is none comes with an
// error.
func Exchange(client *http.Client, r *http.Request) (*Answer, error) {
	if client == nil {
		client = usual
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	response, err := client.Do(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	a := &Answer{Asked: r.Method + " " + r.URL.String(), Status: response.StatusCode, Header: response.Header}
	if a.Raw, err = io.ReadAll(response.Body); err != nil {
		return nil, fmt.Errorf("%s: read the answer: %w", a.Asked, err)
	}
	return a, a.decode()
}
