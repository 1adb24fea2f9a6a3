package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/client"
)

func TestWaitsAsLongAsTheServerAsks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first step
		want  time.Duration
	}{
		"Retry-After alone": {refusal(503, "unavailable", true, "").with("Retry-After", "7"), 7 * time.Second},
		"retry_at alone": {refusal(500, "internal_error", true, `,"retry_at":"2026-10-01T09:00:04.250000Z"`),
			4250 * time.Millisecond},
		"retry_at is later": {refusal(429, "rate_limited", true, `,"retry_at":"2026-10-01T09:00:09.5Z"`).
			with("Retry-After", "2"), 9500 * time.Millisecond},
		"Retry-After is later": {refusal(429, "rate_limited", true, `,"retry_at":"2026-10-01T09:00:01Z"`).
			with("Retry-After", "2"), 2 * time.Second},
		"Retry-After is a date": {refusal(429, "rate_limited", true, "").
			with("Retry-After", "Thu, 01 Oct 2026 09:00:11 GMT"), 11 * time.Second},
		"not called retryable": {refusal(429, "rate_limited", false, "").with("Retry-After", "3"), 3 * time.Second},
		"a proxy that is busy": {step{status: 503, body: "<h1>busy</h1>"}.with("Retry-After", "5"), 5 * time.Second},
		"a gateway":            {step{status: 502, body: "<h1>bad</h1>"}.with("Retry-After", "4"), 4 * time.Second},
		"a retryable 408":      {refusal(408, "request_timeout", true, "").with("Retry-After", "1"), time.Second},
		"a twin is still at work": {refusal(409, "request_in_progress", true, "").with("Retry-After", "1"),
			time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, c.first, success(orderRow))
			var call client.Call
			order, err := f.client().AcceptSalesOrder(client.WithCall(t.Context(), &call), "so_1")
			if err != nil || order.ID != "so_1" {
				t.Fatalf("got %v, %v", order, err)
			}
			if got := f.clock.slept; !slices.Equal(got, []time.Duration{c.want}) {
				t.Errorf("slept %v, want %v", got, c.want)
			}
			if call.Attempts != 2 || call.Status != 200 || call.Meta.RequestID != "req_1" {
				t.Errorf("noted %+v", call)
			}
		})
	}
}

// TestAWrongLocalClockDoesNotMatter: the server lives in another year than the
// client, and says when by its own clock.
func TestAWrongLocalClockDoesNotMatter(t *testing.T) {
	t.Parallel()
	for _, year := range []string{"2022", "2031"} {
		busy := step{status: 429, body: strings.ReplaceAll(`{"meta":{"simulation":true,"request_id":"req_1",`+
			`"server_time":"YEAR-03-04T05:06:07Z","api_version":"2026-09"},`+
			`"error":{"code":"rate_limited","message":"m","retryable":true,"hint":"h","docs_url":"d",`+
			`"retry_at":"YEAR-03-04T05:06:19Z"}}`, "YEAR", year)}
		f := newFake(t, busy.with("Retry-After", "5"), success(orderRow))
		if _, err := f.client().AcceptSalesOrder(t.Context(), "so_1"); err != nil {
			t.Fatal(err)
		}
		if got := f.clock.slept; !slices.Equal(got, []time.Duration{12 * time.Second}) {
			t.Errorf("in %s: slept %v, want 12s", year, got)
		}
	}
}

func TestEachAttemptOfAWriteHasTheSameKeyAndBody(t *testing.T) {
	t.Parallel()
	f := newFake(t, refusal(500, "internal_error", true, ""), step{status: 200, body: `{"me`, cut: true},
		refusal(503, "unavailable", true, ""), success(`{"id":"pr_1"}`))
	c := f.client()
	run := client.StartPrintRunInput{PressID: "prs_digital", WorkOrderID: new("wo_1")}
	if _, err := c.StartPrintRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if _, err := c.StartPrintRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	sent := f.requests()
	if len(sent) != 5 {
		t.Fatalf("%d attempts, want 4 and 1", len(sent))
	}
	key := sent[0].header.Get("Idempotency-Key")
	for i, s := range sent[:4] {
		if got := s.header.Get("Idempotency-Key"); got != key || len(key) < 20 || len(key) > 64 {
			t.Errorf("attempt %d has the key %q, the first %q", i+1, got, key)
		}
		if want := `{"press_id":"prs_digital","work_order_id":"wo_1"}`; s.body != want ||
			s.header.Get("Content-Type") != "application/json" {
			t.Errorf("attempt %d sent %s as %s", i+1, s.body, s.header.Get("Content-Type"))
		}
		if got := s.header.Get("Authorization"); got != "Bearer lab_fac_test" {
			t.Errorf("attempt %d came with %q", i+1, got)
		}
	}
	if sent[4].header.Get("Idempotency-Key") == key {
		t.Error("two writes share a key")
	}
}

// TestWaitsGrowAndAreDrawn: without a time from the server the limit doubles.
func TestWaitsGrowAndAreDrawn(t *testing.T) {
	t.Parallel()
	f := newFake(t, refusal(500, "internal_error", true, ""))
	_, err := f.client(client.MaxRetries(8), client.MaxElapsed(time.Hour)).GetCash(t.Context())
	if !client.IsCode(err, client.CodeInternalError) {
		t.Fatalf("got %v", err)
	}
	limit := 250 * time.Millisecond
	for i, d := range f.clock.slept {
		if d < 0 || d > limit {
			t.Errorf("wait %d is %s, want at most %s", i+1, d, limit)
		}
		limit = min(2*limit, 8*time.Second)
	}
	if got := len(f.requests()); got != 9 {
		t.Errorf("%d attempts, want 9", got)
	}
}

// TestWaitsAreLimitedByBackoff: the waits of a client that was given others stay below those.
func TestWaitsAreLimitedByBackoff(t *testing.T) {
	t.Parallel()
	const first, most = time.Millisecond, 5 * time.Millisecond
	f := newFake(t, refusal(500, "internal_error", true, ""))
	_, err := f.client(client.MaxRetries(8), client.Backoff(first, most)).GetCash(t.Context())
	if !client.IsCode(err, client.CodeInternalError) {
		t.Fatalf("got %v", err)
	}
	limit := first
	for i, d := range f.clock.slept {
		if d > limit {
			t.Errorf("wait %d is %s, want at most %s", i+1, d, limit)
		}
		limit = min(2*limit, most)
	}
	if got := len(f.clock.slept); got != 8 {
		t.Errorf("%d waits, want 8", got)
	}
}

func TestGivesUpAtItsLimits(t *testing.T) {
	t.Parallel()
	busy := refusal(503, "unavailable", true, "").with("Retry-After", "10")
	for name, c := range map[string]struct {
		option client.Option
		want   int
	}{
		"attempts":            {client.MaxRetries(2), 3},
		"none":                {client.MaxRetries(0), 1},
		"time":                {client.MaxElapsed(35 * time.Second), 4},
		"a wait that is long": {client.MaxElapsed(9 * time.Second), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, busy)
			_, err := f.client(c.option).GetCash(t.Context())
			if got := len(f.requests()); got != c.want || !client.IsCode(err, client.CodeUnavailable) {
				t.Errorf("%d attempts, want %d; %v", got, c.want, err)
			}
		})
	}
}

func TestOtherRefusalsAreFinal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status    int
		code      string
		retryable bool
	}{
		{400, "invalid_json", false},
		{401, "unauthorized", false},
		{403, "wrong_system", false},
		{404, "not_found", false},
		{409, "invalid_state", false},
		{409, "press_busy", true},
		{422, "validation_failed", false},
		{423, "sandbox_expired", false},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, refusal(c.status, c.code, c.retryable, `,"details":{"status":"paid"}`))
			_, err := f.client().AcceptSalesOrder(t.Context(), "so_1")
			e, ok := errors.AsType[*client.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			want := client.Error{
				Operation: "accept_sales_order", Status: c.status, Code: c.code, Message: "It was refused.",
				Hint: "Do this.", DocsURL: "http://x.test/docs", Retryable: c.retryable, RequestID: "req_1",
			}
			details := string(e.Details)
			if e.Details = nil; e.Error() != want.Error() || e.DocsURL != want.DocsURL ||
				e.RequestID != want.RequestID || details != `{"status":"paid"}` {
				t.Errorf("got %+v with %s, want %+v", e, details, want)
			}
			if len(f.requests()) != 1 || len(f.clock.slept) != 0 {
				t.Errorf("%d attempts, slept %v", len(f.requests()), f.clock.slept)
			}
		})
	}
}

func TestConflictsAreRepeatedOnRequest(t *testing.T) {
	t.Parallel()
	f := newFake(t, refusal(409, "press_busy", true, `,"retry_at":"2026-10-01T09:00:20Z"`),
		refusal(409, "invalid_state", false, ""))
	_, err := f.client(client.RetryConflicts()).
		StartPrintRun(t.Context(), client.StartPrintRunInput{PressID: "prs_digital"})
	if !client.IsCode(err, client.CodeInvalidState) || len(f.requests()) != 2 {
		t.Errorf("%d attempts, %v", len(f.requests()), err)
	}
	if got := f.clock.slept; !slices.Equal(got, []time.Duration{20 * time.Second}) {
		t.Errorf("slept %v, want 20s", got)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f := newFake(t, refusal(503, "unavailable", true, "").with("Retry-After", "1"))
	ctx, cancel := context.WithCancel(t.Context())
	f.clock.onSleep = cancel
	_, err := f.client().GetCash(ctx)
	if !errors.Is(err, context.Canceled) || !client.IsCode(err, client.CodeUnavailable) || len(f.requests()) != 1 {
		t.Errorf("%d attempts, %v", len(f.requests()), err)
	}
	if _, err = f.client().GetCash(ctx); !errors.Is(err, context.Canceled) || len(f.requests()) != 1 {
		t.Errorf("a call in an ended context: %v", err)
	}
}

// broken fails every request before it leaves.
type broken struct{ attempts int }

func (b *broken) RoundTrip(*http.Request) (*http.Response, error) {
	b.attempts++
	return nil, io.ErrUnexpectedEOF
}

func TestTheNetworkIsTriedAgain(t *testing.T) {
	t.Parallel()
	b := &broken{}
	f := newFake(t, success("{}"))
	_, err := f.client(client.HTTPClient(&http.Client{Transport: b}), client.MaxRetries(3)).GetCash(t.Context())
	if !errors.Is(err, io.ErrUnexpectedEOF) || b.attempts != 4 {
		t.Errorf("%d attempts, %v", b.attempts, err)
	}
}

func TestBadAnswersAreReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step step
		want string
	}{
		"no JSON":   {step{status: 200, body: "<html>"}, "decode the response"},
		"too large": {step{status: 200, body: strings.Repeat(" ", 8<<20+1)}, "more than"},
		"a move":    {step{status: 302}.with("Location", "http://elsewhere.test/"), "302"},
		"a page":    {step{status: 404, body: "<html>"}, "404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, c.step)
			h := f.Client()
			h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			_, err := f.client(client.HTTPClient(h)).GetCash(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || len(f.requests()) != 1 {
				t.Errorf("%d attempts, %v", len(f.requests()), err)
			}
		})
	}
}

func TestAKeyOfOnesOwnIsSent(t *testing.T) {
	t.Parallel()
	f := newFake(t, success(orderRow).with("Idempotency-Replayed", "true"))
	var call client.Call
	ctx := client.WithCall(client.WithIdempotencyKey(t.Context(), "order-17"), &call)
	if _, err := f.client().AcceptSalesOrder(ctx, "so_1"); err != nil {
		t.Fatal(err)
	}
	if got := f.requests()[0].header.Get("Idempotency-Key"); got != "order-17" ||
		call.IdempotencyKey != got || !call.Replayed {
		t.Errorf("sent %q, noted %+v", got, call)
	}
	if got := f.requests()[0]; got.body != "" || got.header.Get("Content-Type") != "" ||
		got.path != "/v1/office/sales-orders/so_1/accept" {
		t.Errorf("sent %+v", got)
	}
}

func TestCallsThatCannotBeSentSayWhy(t *testing.T) {
	t.Parallel()
	f := newFake(t, success("{}"))
	c := client.New(f.URL, client.Keys{Factory: "lab_fac_test"})
	if _, err := c.GetCash(t.Context()); !errors.Is(err, client.ErrNoKey) {
		t.Errorf("without the key: %v", err)
	}
	if _, err := c.GetWorkOrder(t.Context(), ""); err == nil {
		t.Error("an empty id was sent")
	}
	if _, err := c.CreateWorkOrder(client.WithIdempotencyKey(t.Context(), ""),
		client.CreateWorkOrderInput{}); err == nil {
		t.Error("a write without a key was sent")
	}
	if _, err := client.New("localhost:8080", client.Keys{Office: "k"}).GetCash(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "base URL") {
		t.Errorf("with a bad base URL: %v", err)
	}
	if len(f.requests()) != 0 {
		t.Errorf("%d requests were sent", len(f.requests()))
	}
	if _, err := c.GetWorkOrder(t.Context(), "a/b?c"); err != nil ||
		f.requests()[0].path != "/v1/factory/work-orders/a/b?c" || f.requests()[0].query != "" {
		t.Errorf("an odd id: %v, %+v", err, f.requests())
	}
}
