package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/api"
	"platen/internal/company/preset"
	"platen/internal/edge/admission"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
	"platen/internal/words/wire"
)

// bubble is an API inside a bubble of testing/synctest, called without a
// network: time does not pass until everybody waits.
type bubble struct {
	t               *testing.T
	api             *api.Server
	office, factory string
}

// inBubble runs a test with an API and a sandbox of the clock's mode.
func inBubble(t *testing.T, mode string, test func(*bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		presets, err := preset.Builtin()
		if err != nil {
			t.Fatal(err)
		}
		db, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "platen.db"))
		if err != nil {
			t.Fatal(err)
		}
		log := slog.New(slog.DiscardHandler)
		registry := sandbox.NewRegistry(sandbox.Options{
			TickPause: time.Second,
			Store:     db, Presets: presets, Lease: 30 * time.Minute, Extension: 30 * time.Minute,
			ExtensionWindow: 10 * time.Minute, Grace: 10 * time.Minute, Log: log, Now: time.Now,
		})
		controller, err := admission.Open(context.Background(), admission.Options{
			Store: db, Log: log, Now: time.Now, Capacity: 10, ClaimWindow: time.Minute, Turnover: time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		b := &bubble{t: t}
		if b.api, err = api.New(api.Options{
			Registry: registry, Admission: controller, Origin: "http://platen.test", Log: log,
		}, operation.Table()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { registry.Run(ctx) })
		defer func() {
			stop()
			running.Wait()
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}()
		made := b.call(http.MethodPost, "/sandboxes", "", fmt.Sprintf(`{"clock":%q,"seed":1}`, mode))
		b.office, _ = made.data["office_key"].(string)
		b.factory, _ = made.data["factory_key"].(string)
		test(b)
	})
}

// polled is an answer in a bubble.
type polled struct {
	status int
	code   string
	data   map[string]any
	meta   map[string]any
	took   time.Duration
}

func (p *polled) items() []any {
	items, _ := p.data["items"].([]any)
	return items
}

func (b *bubble) call(method, path, key, body string) *polled {
	return b.callWith(context.Background(), method, path, key, body)
}

func (b *bubble) callWith(ctx context.Context, method, path, key, body string) *polled {
	b.t.Helper()
	r := httptest.NewRequestWithContext(ctx, method, wire.BasePath+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	began := time.Now()
	b.api.ServeHTTP(w, r)
	p := &polled{status: w.Code, took: time.Since(began)}
	if w.Body.Len() == 0 {
		return p
	}
	var envelope struct {
		Meta, Data map[string]any
		Error      struct{ Code string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil {
		b.t.Fatalf("%s %s: %v: %s", method, path, err, w.Body)
	}
	p.meta, p.data, p.code = envelope.Meta, envelope.Data, envelope.Error.Code
	return p
}

// begin polls in the background.
func (b *bubble) begin(path, key string) <-chan *polled {
	answer := make(chan *polled, 1)
	go func() { answer <- b.call(http.MethodGet, path, key, "") }()
	synctest.Wait()
	return answer
}

// last is the number of the newest event.
func (b *bubble) last() int {
	b.t.Helper()
	n, ok := b.call(http.MethodGet, "/events?limit=1", b.office, "").data["last_seq"].(float64)
	if !ok {
		b.t.Fatal("no last_seq")
	}
	return int(n)
}

// quiet settles what the first calls bring: both keys are used, which completes
// missions.
func (b *bubble) quiet() int {
	b.t.Helper()
	b.call(http.MethodGet, "/office/cash", b.office, "")
	b.call(http.MethodGet, "/factory/stock", b.factory, "")
	return b.last()
}

func (b *bubble) want(p *polled, items int, took time.Duration) {
	b.t.Helper()
	if p.status != http.StatusOK || len(p.items()) != items || (p.took-took).Abs() > 5*time.Millisecond {
		b.t.Errorf("got %d %s with %d items after %s, want %d after %s",
			p.status, p.code, len(p.items()), p.took, items, took)
	}
	if at, _ := p.meta["server_time"].(string); p.status == http.StatusOK && at != "" {
		if told, err := time.Parse(time.RFC3339Nano, at); err != nil || time.Since(told).Abs() > 5*time.Millisecond {
			b.t.Errorf("server_time is %s at %s", at, time.Now().UTC())
		}
	}
}

// While a poll waits, time passes: customers come without any other request.
func TestAPollHearsOfPassingTime(t *testing.T) {
	t.Parallel()
	inBubble(t, "realtime", func(b *bubble) {
		last := b.quiet()
		for heard, polls := 0, 0; heard < 20; polls++ {
			p := b.call(http.MethodGet, fmt.Sprintf("/events/poll?after_seq=%d&wait_s=25", last), b.office, "")
			if p.status != http.StatusOK || polls > 60 {
				b.t.Fatalf("poll %d: %d %s after %s", polls, p.status, p.code, p.took)
			}
			if len(p.items()) == 0 {
				continue // a quiet day
			}
			heard++
			newest, _ := p.items()[len(p.items())-1].(map[string]any)
			at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(newest["created_at"]))
			if late := time.Since(at); err != nil || late.Abs() > 5*time.Millisecond {
				b.t.Errorf("event %v of %s is told %s later", newest["seq"], at, late)
			}
			seq, _ := newest["seq"].(float64)
			last = int(seq)
		}
	})
}

// A client that hangs up makes room for its next poll.
func TestAClientThatLeavesIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	inBubble(t, "manual", func(b *bubble) {
		path := fmt.Sprintf("/events/poll?after_seq=%d", b.quiet())
		for range 5 {
			ctx, leave := context.WithCancel(context.Background())
			var waiting sync.WaitGroup
			for range 2 {
				waiting.Go(func() {
					defer func() {
						if v := recover(); v != http.ErrAbortHandler { //nolint:errorlint // it is panicked as it is
							b.t.Errorf("a client that left was sent a response, or a panic: %v", v)
						}
					}()
					b.callWith(ctx, http.MethodGet, path, b.office, "")
				})
			}
			synctest.Wait()
			leave()
			waiting.Wait()
		}
		b.want(b.call(http.MethodGet, path+"&wait_s=1", b.office, ""), 0, time.Second)
	})
}

func TestAServerThatStopsAnswersWaitingPolls(t *testing.T) {
	t.Parallel()
	inBubble(t, "manual", func(b *bubble) {
		path := fmt.Sprintf("/events/poll?after_seq=%d", b.quiet())
		waiting := b.begin(path, b.office)
		time.Sleep(3 * time.Second) //nolint:forbidigo // the time of the bubble
		b.api.Stop()
		b.want(<-waiting, 0, 3*time.Second)
		if p := b.call(http.MethodGet, path, b.office, ""); p.status != http.StatusServiceUnavailable {
			b.t.Errorf("a poll of a server that stops: %d %s", p.status, p.code)
		}
		b.api.Stop()
	})
}

// The end of the lease answers; who polls after it waits again, and deletion
// ends that with the 401 of everybody.
func TestTheEndOfTheSandboxAnswersWaitingPolls(t *testing.T) {
	t.Parallel()
	inBubble(t, "manual", func(b *bubble) {
		last := b.quiet()
		began := time.Now()
		path := func() string { return fmt.Sprintf("/events/poll?after_seq=%d&wait_s=25", last) }
		time.Sleep(25*time.Minute - 10*time.Second) //nolint:forbidigo // the time of the bubble
		p := b.call(http.MethodGet, path(), b.office, "")
		b.want(p, 1, 10*time.Second)
		if warned, _ := p.items()[0].(map[string]any); warned["type"] != "sandbox.expiring" {
			b.t.Errorf("the end is announced by %v", warned["type"])
		}
		last++
		time.Sleep(time.Until(began.Add(30*time.Minute - 15*time.Second))) //nolint:forbidigo // the time of the bubble
		p = b.call(http.MethodGet, path(), b.office, "")
		if p.status != http.StatusOK || len(p.items()) != 0 || p.meta["expires_in_s"] != 0.0 ||
			p.took > 15*time.Second+10*time.Millisecond {
			b.t.Errorf("at the end of the lease: %d %s after %s, %v left",
				p.status, p.code, p.took, p.meta["expires_in_s"])
		}
		b.want(b.call(http.MethodGet, path(), b.office, ""), 0, 25*time.Second)
		time.Sleep(time.Until(began.Add(40*time.Minute - 5*time.Second))) //nolint:forbidigo // the time of the bubble
		if p = b.call(http.MethodGet, path(), b.office, ""); p.status != http.StatusUnauthorized ||
			p.took > 10*time.Second {
			b.t.Errorf("at the deletion: %d %s after %s", p.status, p.code, p.took)
		}
	})
}
