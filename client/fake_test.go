package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"platen/client"
)

// began is when the tests' own clock begins.
var began = time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)

// clock is a clock whose time passes by sleeping only.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
	// onSleep, when set, happens in each sleep.
	onSleep func()
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.onSleep != nil {
		c.onSleep()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return nil
}

// sent is a request as the server saw it.
type sent struct {
	method, path, query, body string
	escaped                   string
	header                    http.Header
}

// step is an answer of a fake server. A nil header value is none.
type step struct {
	status int
	header map[string]string
	body   string
	// cut closes the connection in the middle of the answer, drop before it.
	cut, drop bool
}

// fake is a server that gives prepared answers, the last one again and again.
type fake struct {
	*httptest.Server

	t     *testing.T
	clock *clock
	mu    sync.Mutex
	steps []step
	sent  []sent
}

func newFake(t *testing.T, steps ...step) *fake {
	t.Helper()
	f := &fake{t: t, clock: &clock{now: began}, steps: steps}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.sent = append(f.sent,
		sent{r.Method, r.URL.Path, r.URL.RawQuery, string(body), r.URL.EscapedPath(), r.Header.Clone()})
	now := f.steps[0]
	if len(f.steps) > 1 {
		f.steps = f.steps[1:]
	}
	f.mu.Unlock()
	if now.drop {
		panic(http.ErrAbortHandler)
	}
	w.Header()["Date"] = nil
	for name, value := range now.header {
		w.Header().Set(name, value)
	}
	if now.cut {
		w.Header().Set("Content-Length", "1000")
	}
	w.WriteHeader(now.status)
	_, _ = io.WriteString(w, now.body)
	if now.cut {
		panic(http.ErrAbortHandler)
	}
}

func (f *fake) requests() []sent {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent
}

// client returns a client of the server with the fake clock.
func (f *fake) client(options ...client.Option) *client.Client {
	options = append([]client.Option{client.HTTPClient(f.Client()), client.Clock(f.clock.Now, f.clock.Sleep)},
		options...)
	return client.New(f.URL+"/v1", client.Keys{Office: "lab_off_test", Factory: "lab_fac_test"}, options...)
}

const head = `"meta":{"simulation":true,"request_id":"req_1","server_time":"2026-10-01T09:00:00.000000Z",` +
	`"api_version":"2026-09"}`

// success is an answer with data.
func success(data string) step { return step{status: 200, body: "{" + head + `,"data":` + data + "}"} }

// refusal is an answer with an error; more are further members of it.
func refusal(status int, code string, retryable bool, more string) step {
	return step{status: status, body: fmt.Sprintf(
		`{%s,"error":{"code":%q,"message":"It was refused.","retryable":%t,"hint":"Do this.",`+
			`"docs_url":"http://x.test/docs"%s}}`, head, code, retryable, more)}
}

func (s step) with(name, value string) step {
	s.header = map[string]string{name: value}
	return s
}

const orderRow = `{"id":"so_1","number":"SO-1","status":"in_production","total_minor":12300,` +
	`"bridged_work_order_id":"wo_1"}`
