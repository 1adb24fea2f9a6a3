package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/desk/subscription"
	"platen/internal/edge/webhook"
	"platen/internal/words/event"
)

// receiver answers without a network: it is a transport itself.
type receiver func(*http.Request) (status int, err error)

func (r receiver) RoundTrip(request *http.Request) (*http.Response, error) {
	status, err := r(request)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("thanks")), Request: request}, nil
}

func (receiver) CloseIdleConnections() {}

// sentHeader is a header as it goes over the wire, in lower case.
func sentHeader(r *http.Request, name string) string { return strings.Join(r.Header[name], "|") }

// dispatcher returns one that runs until the test ends, and how to wait for what
// it does at this moment.
func dispatcher(t *testing.T, b *books, transport func() webhook.Transport) *webhook.Dispatcher {
	t.Helper()
	d := webhook.NewDispatcher(webhook.Options{
		Source: b, Sealer: b.sealer, Policy: webhook.Policy{Private: true}, NewTransport: transport,
		UserAgent: webhook.UserAgent("http://127.0.0.1:8080"), Observer: &observed{},
		Log: slog.New(slog.DiscardHandler),
	})
	if err := d.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ended, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		cancel()
		d.Stop(ended)
	})
	return d
}

func answering(r receiver) func() webhook.Transport { return func() webhook.Transport { return r } }

// TestARetryComesOnTimeAndNeverEarly (contract: DLV.RETRY, DLV.DROP,
// OPEN.DLV.RETRY.FROM, LIMIT.DELIVERY_RETRIES).
func TestARetryComesOnTimeAndNeverEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		sent := b.add("sbx_1", "whk_1", "https://example.com/")
		began := time.Now()
		var at []time.Duration
		var stamps []string
		d := dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			at = append(at, time.Since(began))
			stamps = append(stamps, sentHeader(r, "webhook-timestamp"))
			time.Sleep(2 * time.Second) //nolint:forbidigo // the receiver's time, in a bubble
			return http.StatusInternalServerError, nil
		}))
		synctest.Wait()
		time.Sleep(time.Hour) //nolint:forbidigo // in a bubble
		synctest.Wait()
		// Each wait runs from the end of the attempt before it.
		want := []time.Duration{0, 12 * time.Second, 74 * time.Second, 376 * time.Second}
		if fmt.Sprint(at) != fmt.Sprint(want) {
			t.Errorf("sent at %v, want %v", at, want)
		}
		for i, o := range b.outcomesOf(sent) {
			if o.ErrorClass != event.ClassHTTP5xx || o.StatusCode != http.StatusInternalServerError ||
				o.Latency != 2*time.Second || !o.SentAt.Equal(began.Add(want[i])) {
				t.Errorf("attempt %d: %+v", i+1, o)
			}
			if stamp := fmt.Sprint(began.Add(want[i]).Unix()); stamps[i] != stamp {
				t.Errorf("attempt %d is stamped %s, want %s", i+1, stamps[i], stamp)
			}
		}
		if d.Workers() != 0 || d.Sending() != 0 {
			t.Errorf("when all is done %d workers and %d requests are left", d.Workers(), d.Sending())
		}
	})
}

func TestOneSlowReceiverDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		const others, events = 19, 20
		for n := range events {
			b.add("sbx_slow", "whk_slow", "https://slow.example.com/")
			b.add("sbx_slow", "whk_brisk", "https://brisk.example.com/")
			for i := range others {
				b.add(fmt.Sprint("sbx_", i), "whk_1", fmt.Sprint("https://brisk.example.com/", n))
			}
		}
		var mu sync.Mutex
		most, now := 0, 0
		dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			if r.URL.Host != "slow.example.com" {
				return http.StatusNoContent, nil
			}
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			<-r.Context().Done()
			mu.Lock()
			now--
			mu.Unlock()
			return 0, r.Context().Err()
		}))
		synctest.Wait()
		// No time has passed: the slow one still has its first requests under way.
		if open := b.open(); open != events {
			t.Errorf("%d deliveries are open, want the %d of the slow receiver", open, events)
		}
		time.Sleep(time.Hour) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if open := b.open(); open != 0 {
			t.Errorf("%d deliveries are open after an hour", open)
		}
		for _, d := range b.sandboxes["sbx_slow"] {
			for i, o := range d.outcomes {
				if d.attempt.SubscriptionID == "whk_slow" &&
					(o.ErrorClass != event.ClassTimeout || o.Latency != 5*time.Second || len(d.outcomes) != 4) {
					t.Errorf("attempt %d of %d at the slow receiver: %+v", i+1, len(d.outcomes), o)
				}
			}
		}
		if most != 1 {
			t.Errorf("the slow receiver had %d requests at once, want 1", most)
		}
	})
}

// TestManySandboxesAndFailuresLoseNothing (contract: DLV.AT_LEAST_ONCE).
func TestManySandboxesAndFailuresLoseNothing(t *testing.T) {
	t.Parallel()
	random := chance(t)
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		const sandboxes, events = 20, 200
		var mu sync.Mutex
		draw := func(n int) int {
			mu.Lock()
			defer mu.Unlock()
			return random.IntN(n)
		}
		b.trouble = func(string) error {
			if draw(20) == 0 {
				return errors.New("the disk is busy")
			}
			return nil
		}
		got, refused := map[string]int{}, map[string]int{}
		d := dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			raw, err := io.ReadAll(r.Body)
			if err != nil {
				return 0, err
			}
			id := sentHeader(r, "webhook-id")
			if sandbox := strings.TrimPrefix(r.URL.Path, "/"); !strings.HasPrefix(id, "evt_"+sandbox+"_") ||
				!strings.Contains(string(raw), `"`+id+`"`) {
				t.Errorf("%s was sent to the receiver of %s, with the body %s", id, sandbox, raw)
			}
			//nolint:forbidigo // the receiver's time, in a bubble
			time.Sleep(time.Duration(draw(3000)) * time.Millisecond)
			failed := draw(3) == 0
			mu.Lock()
			defer mu.Unlock()
			if failed {
				refused[id]++
				return http.StatusBadGateway, nil
			}
			got[id]++
			return http.StatusOK, nil
		}))
		for range events {
			for i := range sandboxes {
				id := fmt.Sprint("sbx", i)
				b.add(id, fmt.Sprint("whk_", draw(3)), "https://example.com/"+id)
				d.Wake(id)
			}
			if draw(10) == 0 {
				time.Sleep(time.Duration(draw(1000)) * time.Millisecond) //nolint:forbidigo // in a bubble
			}
		}
		time.Sleep(2 * time.Hour) //nolint:forbidigo // in a bubble
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		delivered, dropped, attempts := 0, 0, 0
		for _, deliveries := range b.sandboxes {
			for _, x := range deliveries {
				attempts += len(x.outcomes)
				switch {
				case !x.settled:
					t.Errorf("%s is not settled", x.attempt.EventID)
				case x.outcomes[len(x.outcomes)-1].ErrorClass == "":
					delivered++
					if got[x.attempt.EventID] != 1 || refused[x.attempt.EventID] != len(x.outcomes)-1 {
						t.Errorf("%s was taken %d times and refused %d times, in %d attempts",
							x.attempt.EventID, got[x.attempt.EventID], refused[x.attempt.EventID], len(x.outcomes))
					}
				default:
					dropped++
					if refused[x.attempt.EventID] != 4 {
						t.Errorf("%s was given up after %d attempts", x.attempt.EventID, refused[x.attempt.EventID])
					}
				}
			}
		}
		if delivered+dropped != sandboxes*events || dropped == 0 {
			t.Errorf("%d were delivered and %d given up, of %d", delivered, dropped, sandboxes*events)
		}
		t.Logf("%d delivered, %d given up, %d attempts; %d questions", delivered, dropped, attempts, b.asked)
	})
}

func TestAnOutcomeIsNotLostWhenItCannotBeRecordedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		sent := b.add("sbx_1", "whk_1", "https://example.com/")
		began := time.Now()
		var tries []time.Duration
		b.trouble = func(call string) error {
			if call != "record" {
				return nil
			}
			tries = append(tries, time.Since(began))
			switch len(tries) {
			case 10:
				return nil
			case 5:
				panic("the books fell down")
			}
			return errors.New("the disk is full")
		}
		var requests atomic.Int64
		dispatcher(t, b, answering(func(*http.Request) (int, error) {
			requests.Add(1)
			return http.StatusOK, nil
		}))
		time.Sleep(time.Minute) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if requests.Load() != 1 || len(b.outcomesOf(sent)) != 1 || !b.outcomesOf(sent)[0].SentAt.Equal(began) {
			t.Errorf("%d requests, recorded %+v", requests.Load(), b.outcomesOf(sent))
		}
		want := "[0s 100ms 300ms 700ms 1.5s 3.1s 6.3s 12.7s 22.7s 32.7s]"
		if fmt.Sprint(tries) != want {
			t.Errorf("it was tried at %v, want %s", tries, want)
		}
	})
}

func TestASourceThatPanicsStopsNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		asked := 0
		b.trouble = func(call string) error {
			if asked++; call == "due" && asked <= 3 {
				panic("the books fell down")
			}
			return nil
		}
		for i := range 3 {
			b.add(fmt.Sprint("sbx_", i), "whk_1", "https://example.com/")
		}
		dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			if strings.HasPrefix(sentHeader(r, "webhook-id"), "evt_sbx_1") {
				panic("the transport fell down")
			}
			return http.StatusOK, nil
		}))
		time.Sleep(time.Hour) //nolint:forbidigo // in a bubble
		synctest.Wait()
		for id, deliveries := range b.sandboxes {
			want := map[bool]event.ErrorClass{true: event.ClassConnect}[id == "sbx_1"]
			for _, d := range deliveries {
				if !d.settled || d.outcomes[0].ErrorClass != want {
					t.Errorf("%s: settled %t, %+v, want the class %q", id, d.settled, d.outcomes, want)
				}
			}
		}
	})
}

func TestStopWaitsForWhatIsUnderWayAndBeginsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		for range 20 {
			b.add("sbx_1", "whk_1", "https://example.com/")
		}
		var requests atomic.Int64
		d := dispatcher(t, b, answering(func(*http.Request) (int, error) {
			requests.Add(1)
			time.Sleep(3 * time.Second) //nolint:forbidigo // the receiver's time, in a bubble
			return http.StatusOK, nil
		}))
		synctest.Wait()
		under, began := d.Sending(), time.Now()
		if err := d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 3*time.Second || under == 0 || int(requests.Load()) != under ||
			b.recorded != under {
			t.Errorf("stopped after %v; %d were under way, %d sent, %d recorded",
				took, under, requests.Load(), b.recorded)
		}
		d.Wake("sbx_1")
		d.Wake("sbx_2")
		time.Sleep(time.Hour) //nolint:forbidigo // in a bubble
		if int(requests.Load()) != under {
			t.Errorf("%d were sent after the stop", int(requests.Load())-under)
		}
		again := dispatcher(t, b, answering(func(*http.Request) (int, error) {
			requests.Add(1)
			return http.StatusOK, nil
		}))
		synctest.Wait()
		if b.open() != 0 || requests.Load() != 20 || again.Workers() != 0 {
			t.Errorf("after the next start %d are open, %d were sent", b.open(), requests.Load())
		}
	})
}

func TestAStopThatIsInAHurryBreaksOffAndRecordsNothingOfIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		sent := b.add("sbx_1", "whk_1", "https://example.com/")
		d := dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			<-r.Context().Done()
			return 0, r.Context().Err()
		}))
		synctest.Wait()
		hurry, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.Stop(hurry); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stop says %v", err)
		}
		if len(b.outcomesOf(sent)) != 0 || b.open() != 1 {
			t.Errorf("what was broken off has the outcomes %+v", b.outcomesOf(sent))
		}
	})
}

func TestADeletedSandboxIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		b.add("sbx_1", "whk_1", "https://example.com/")
		var deleted atomic.Bool
		b.trouble = func(string) error {
			if deleted.Load() {
				return fmt.Errorf("load: %w", webhook.ErrGone)
			}
			return nil
		}
		var requests atomic.Int64
		d := dispatcher(t, b, answering(func(*http.Request) (int, error) {
			requests.Add(1)
			time.Sleep(time.Second) //nolint:forbidigo // the receiver's time, in a bubble
			return http.StatusOK, nil
		}))
		synctest.Wait()
		deleted.Store(true)
		time.Sleep(time.Hour) //nolint:forbidigo // in a bubble
		synctest.Wait()
		d.Wake("sbx_1")
		synctest.Wait()
		if requests.Load() != 1 || d.Workers() != 0 {
			t.Errorf("%d requests, %d workers left", requests.Load(), d.Workers())
		}
	})
}

// TestNothingIsSentForASandboxThatIsElsewhere: not even what was due when it went.
func TestNothingIsSentForASandboxThatIsElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		for range 5 {
			b.add("sbx_1", "whk_1", "https://example.com/")
			b.add("sbx_2", "whk_1", "https://example.com/")
		}
		requests := 0
		var mu sync.Mutex // guards requests
		d := dispatcher(t, b, answering(func(*http.Request) (int, error) {
			mu.Lock()
			requests++
			mu.Unlock()
			time.Sleep(time.Second) //nolint:forbidigo // the receiver's time, in a bubble
			return http.StatusOK, nil
		}))
		synctest.Wait() // the first of either is under way, the others wait for its end
		b.mu.Lock()
		b.elsewhere["sbx_1"] = true
		b.mu.Unlock()
		time.Sleep(time.Hour) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if requests != 1+5 || d.Workers() != 0 {
			t.Errorf("%d requests, %d workers left", requests, d.Workers())
		}
	})
}

// TestAtOnceThereAreOnlySoManyRequests: 200 sandboxes with slow receivers need
// more places than there are. Each subscription takes one, and when those who came
// first are done everybody has a turn.
func TestAtOnceThereAreOnlySoManyRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		const sandboxes = 200
		for i := range sandboxes {
			for n := range 24 {
				b.add(fmt.Sprint("sbx_", i), fmt.Sprint("whk_", n%3), "https://example.com/")
			}
		}
		var mu sync.Mutex
		took := map[string]int{}
		d := dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			id, _, _ := strings.Cut(strings.TrimPrefix(sentHeader(r, "webhook-id"), "evt_sbx_"), "_")
			mu.Lock()
			took[id]++
			mu.Unlock()
			time.Sleep(4 * time.Second) //nolint:forbidigo // the receiver's time, in a bubble
			return http.StatusOK, nil
		}))
		synctest.Wait()
		if d.Sending() != 512 {
			t.Errorf("%d requests at once, want 512", d.Sending())
		}
		mu.Lock()
		for id, n := range took {
			if n > 3 {
				t.Errorf("sandbox %s has %d of the first places", id, n)
			}
		}
		mu.Unlock()
		time.Sleep(4 * time.Second) //nolint:forbidigo // in a bubble
		synctest.Wait()
		mu.Lock()
		if len(took) != sandboxes {
			t.Errorf("%d sandboxes had a turn when the first were done, want %d", len(took), sandboxes)
		}
		mu.Unlock()
		time.Sleep(time.Minute) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if b.open() != 0 {
			t.Errorf("%d are open after a minute", b.open())
		}
	})
}

func TestATestIsSentAtOnceAndNotRecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		d := dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			time.Sleep(20 * time.Millisecond) //nolint:forbidigo // the receiver's time, in a bubble
			if sentHeader(r, "webhook-signature") == "" {
				t.Error("it is not signed")
			}
			return http.StatusOK, nil
		}))
		ping := b.add("sbx_1", "whk_1", "https://example.com/").attempt
		ping.Trigger = subscription.Test
		if o := d.Send(t.Context(), ping); o.ErrorClass != "" || o.StatusCode != http.StatusOK ||
			o.Latency != 20*time.Millisecond || b.recorded != 0 {
			t.Errorf("got %+v, %d recorded", o, b.recorded)
		}
	})
}

func TestAURLThatIsRefusedNowIsNotRequested(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	d := webhook.NewDispatcher(webhook.Options{
		Source: b, Sealer: b.sealer, Observer: &observed{}, Log: slog.New(slog.DiscardHandler),
		NewTransport: answering(func(*http.Request) (int, error) {
			t.Error("it was requested")
			return http.StatusOK, nil
		}),
	})
	if o := d.Send(t.Context(),
		b.add("sbx_1", "whk_1", "http://127.0.0.1:9000/").attempt); o.ErrorClass != event.ClassRefusedAddress {
		t.Errorf("got %+v", o)
	}
}

// TestALargeEventIsSentShortenedAndSaysSo: what is left still leads to the whole
// record, and is signed (contract: LIMIT.DELIVERY_BODY, EVT.BODY.TRUNCATED,
// EVT.BODY.FULL_RECORD).
func TestALargeEventIsSentShortenedAndSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		lines := strings.Repeat(`{"sku":"mat_coated","quantity":500},`, 150)
		for _, event := range []string{
			`{"seq":8,"id":"evt_large","data":{"id":"po_1","number":"PO-1","lines":[` + strings.TrimSuffix(lines, ",") +
				`]},"links":{"self":"/office/purchase-orders/po_1"}}`,
			`{"seq":9,"id":"evt_small","data":{"id":"po_1","number":"PO-1","lines":[1,2]},` +
				`"links":{"self":"/office/purchase-orders/po_1"}}`,
		} {
			d := b.add("sbx_1", "whk_1", "https://example.com/")
			d.attempt.Event = []byte(event)
		}
		var mu sync.Mutex
		bodies := map[string]bool{}
		dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			body, err := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			bodies[string(body)] = true
			at, _ := strconv.ParseInt(sentHeader(r, "webhook-timestamp"), 10, 64)
			if want, _ := webhook.Sign([]string{testSecret}, sentHeader(r, "webhook-id"), time.Unix(at, 0),
				body); sentHeader(r, "webhook-signature") != want {
				t.Errorf("%.60s is not what was signed", body)
			}
			return http.StatusOK, err
		}))
		synctest.Wait()
		for _, want := range []string{
			`{"id":"evt_large","data":{"id":"po_1","number":"PO-1"},"links":{"self":"/office/purchase-orders/po_1"},` +
				`"truncated":true}`,
			`{"id":"evt_small","data":{"id":"po_1","number":"PO-1","lines":[1,2]},` +
				`"links":{"self":"/office/purchase-orders/po_1"}}`,
		} {
			if !bodies[want] {
				t.Errorf("%s was not sent, but %d other bodies", want, len(bodies))
			}
		}
	})
}

// TestReceiversThatHangTakePlacesOfTheirOwn: once they have run out of time
// they keep no other receiver waiting, however many they are.
func TestReceiversThatHangTakePlacesOfTheirOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		for i := range 200 {
			for n := range 12 {
				b.add(fmt.Sprint("sbx_", i), fmt.Sprint("whk_", n%3), "https://slow.example.com/")
			}
		}
		d := dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			if r.URL.Host != "slow.example.com" {
				return http.StatusNoContent, nil
			}
			<-r.Context().Done()
			return 0, r.Context().Err()
		}))
		time.Sleep(11 * time.Second) //nolint:forbidigo // in a bubble: every receiver has run out of time
		synctest.Wait()
		if d.Sending() > 128 {
			t.Errorf("%d requests to receivers that hang, want 128", d.Sending())
		}
		healthy := b.add("sbx_healthy", "whk_1", "https://quick.example.com/")
		d.Wake("sbx_healthy")
		synctest.Wait() // and no time passes
		if b.open() == 0 || len(healthy.outcomes) != 1 || healthy.outcomes[0].ErrorClass != "" {
			t.Errorf("the healthy receiver has %+v, %d deliveries are open", healthy.outcomes, b.open())
		}
	})
}
