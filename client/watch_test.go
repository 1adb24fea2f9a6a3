package client_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/client"
)

// TestEachAttemptIsReported: path, both bodies and the outcome, in the order in
// which they were sent.
func TestEachAttemptIsReported(t *testing.T) {
	t.Parallel()
	busy, row := refusal(503, "unavailable", true, "").with("Retry-After", "7"), success(orderRow)
	f := newFake(t, busy, row)
	var got []client.Exchange
	c := f.client(client.OnExchange(func(x client.Exchange) { got = append(got, x) }))
	in := client.DeclineSalesOrderInput{Reason: new("too far")}
	if _, err := c.DeclineSalesOrder(t.Context(), "so/1", in); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ListWorkOrders(t.Context(), client.ListWorkOrdersParams{Limit: 3}); err != nil {
		t.Fatal(err)
	}
	var told []string
	for i, x := range got {
		told = append(told, fmt.Sprintf("%s %d %s %s %s %d %s", x.Operation, x.Attempt, x.Method, x.Path, x.System,
			x.Status, x.Request))
		want := row.body
		if i == 0 {
			want = busy.body
		}
		if string(x.Response) != want || x.Err != nil || x.Header == nil {
			t.Errorf("attempt %d: %s, %v, %v", i, x.Response, x.Header, x.Err)
		}
	}
	if want := []string{
		`decline_sales_order 1 POST /office/sales-orders/so%2F1/decline office 503 {"reason":"too far"}`,
		`decline_sales_order 2 POST /office/sales-orders/so%2F1/decline office 200 {"reason":"too far"}`,
		`list_work_orders 1 GET /factory/work-orders?limit=3 factory 200 `,
	}; !slices.Equal(told, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}

// TestAnAttemptTakesItsTime by the client's own clock, also when there is no
// response.
func TestAnAttemptTakesItsTime(t *testing.T) {
	t.Parallel()
	f := newFake(t, success("{}"))
	var got client.Exchange
	slow := roundTrip(func(r *http.Request) (*http.Response, error) {
		_ = f.clock.Sleep(r.Context(), 40*time.Millisecond)
		return nil, io.ErrUnexpectedEOF
	})
	_, err := f.client(client.HTTPClient(&http.Client{Transport: slow}), client.MaxRetries(0),
		client.OnExchange(func(x client.Exchange) { got = x })).GetCash(t.Context())
	if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(got.Err, io.ErrUnexpectedEOF) || got.Status != 0 ||
		got.Duration != 40*time.Millisecond || got.Response != nil {
		t.Errorf("%v, reported %v with status %d", err, got, got.Status)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestExchangesAreNotPrintedWithTheirKeys(t *testing.T) {
	t.Parallel()
	f := newFake(t, made())
	var log bytes.Buffer
	report := func(x client.Exchange) {
		slog.New(slog.NewJSONHandler(&log, nil)).Info("sent", "exchange", x)
		fmt.Fprintf(&log, "%v %+v %#v %s", x, x, x, x)
		if !bytes.Contains(x.Response, []byte("lab_off_secret")) || x.System != "" {
			t.Errorf("%s with the key of %q", x.Response, x.System)
		}
	}
	_, err := client.CreateSandbox(t.Context(), f.URL+"/v1", client.CreateSandboxInput{}, client.OnExchange(report))
	if err != nil {
		t.Fatal(err)
	}
	if text := log.String(); strings.Contains(text, "secret") || !strings.Contains(text, "POST /sandboxes: 201") {
		t.Errorf("printed %s", text)
	}
}

// TestEachWaitIsReported before it begins, with its reason.
func TestEachWaitIsReported(t *testing.T) {
	t.Parallel()
	f := newFake(t, refusal(503, "queue_full", true, "").with("Retry-After", "30"),
		refusal(428, "pow_required", false, `,"details":{"challenge":"abc","difficulty":3}`),
		queued(`{"poll":"/v1/queue/t","position":2,"eta_s":60}`), queued(`{"position":1}`).with("Retry-After", "9"),
		made())
	var told []string
	_, err := client.CreateSandbox(t.Context(), f.URL+"/v1", client.CreateSandboxInput{},
		client.Clock(f.clock.Now, f.clock.Sleep), client.OnWait(func(w client.Wait) {
			place := int64(0)
			if w.Ticket != nil {
				place = w.Ticket.Position
			}
			code := ""
			if e, ok := errors.AsType[*client.Error](w.Err); ok {
				code = e.Code
			}
			told = append(told, fmt.Sprintf("%s %s %q place %d, %d bits, slept %d",
				w.Operation, w.Duration, code, place, w.Difficulty, len(f.clock.slept)))
		}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{
		`create_sandbox 30s "queue_full" place 0, 0 bits, slept 0`,
		`create_sandbox 0s "pow_required" place 0, 3 bits, slept 1`,
		`create_sandbox 3s "" place 2, 0 bits, slept 1`,
		`create_sandbox 9s "" place 1, 0 bits, slept 2`,
	}; !slices.Equal(told, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}

func queued(ticket string) step {
	s := success(ticket)
	s.status = http.StatusAccepted
	return s
}

func TestAWaitThatIsTooLongIsNotReported(t *testing.T) {
	t.Parallel()
	f := newFake(t, refusal(503, "unavailable", true, "").with("Retry-After", "300"))
	_, err := f.client(client.OnWait(func(w client.Wait) { t.Errorf("reported %+v", w) })).GetCash(t.Context())
	if !client.IsCode(err, client.CodeUnavailable) {
		t.Errorf("got %v", err)
	}
}

func TestTheBodyOfACallIsKept(t *testing.T) {
	t.Parallel()
	first := success(`{"cash_minor":5,"of_the_future":[1]}`)
	f := newFake(t, first, step{status: 200, body: `{"me`, cut: true})
	var call client.Call
	_, err := f.client().GetCash(client.WithCall(t.Context(), &call))
	if err != nil || string(call.Body) != first.body {
		t.Errorf("%v, kept %s", err, call.Body)
	}
	_, err = f.client(client.MaxRetries(0)).GetCash(client.WithCall(t.Context(), &call))
	if err == nil || call.Body != nil {
		t.Errorf("%v, kept %s of a response that was cut off", err, call.Body)
	}
}

// TestAnEventKeepsItsBytes, whatever lies between its fields.
func TestAnEventKeepsItsBytes(t *testing.T) {
	t.Parallel()
	events := []string{
		`{"data":{"x":"\u00e9" } , "seq":8,"id":"evt_8","of_the_future":1.50}`, "{\"seq\":9,\n \"data\":{\"y\":[ ]}}",
	}
	f := newFake(t, success(`{"items":[`+strings.Join(events, " , ")+`],"next_cursor":null,"last_seq":9}`),
		success(events[0]))
	page, err := f.client().PollEvents(t.Context(), client.PollEventsParams{AfterSeq: 7})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range page.Items {
		if string(e.Raw) != events[i] || e.Seq != uint64(8+i) {
			t.Errorf("event %d is %s, want %s", e.Seq, e.Raw, events[i])
		}
	}
	one, err := f.client().GetEvent(t.Context(), "evt_8")
	if err != nil || string(one.Raw) != events[0] || one.ID != "evt_8" || string(one.Data) != `{"x":"\u00e9" }` {
		t.Errorf("got %+v, %v", one, err)
	}
}
