package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/api"
	"platen/test/testclient"
)

// shown is a message to a console.
type shown struct {
	Place    string
	Whole    bool
	Status   map[string]any
	Now      map[string]any
	Events   []map[string]any
	Calls    []map[string]any
	Records  map[string][]map[string]any
	Replaced []string
	Points   []map[string]any
}

// look asks for the state that a console begins with.
func look(t *testing.T, s *service, headers ...string) (int, *shown, http.Header) {
	t.Helper()
	a := s.call(http.MethodGet, api.ConsoleState, "", "", headers...)
	var c shown
	if err := json.Unmarshal(a.Raw, &c); err != nil {
		t.Fatal(err)
	}
	return a.Status, &c, a.Header
}

// plain is a response of the console, which has no envelope.
func plain(t *testing.T, a *testclient.Answer) testclient.Object {
	t.Helper()
	var o testclient.Object
	if err := json.Unmarshal(a.Raw, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func bearer(key string) []string { return []string{"Authorization", "Bearer " + key} }

func TestAConsoleIsShownTheRecordsOfTheKeysThatItHolds(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, factory := s.keys(`{"clock":"manual","seed":1}`)
	for name, c := range map[string]struct {
		headers           []string
		orders, presses   bool
		missions, history bool
	}{
		"office":  {bearer(office), true, false, true, true},
		"factory": {bearer(factory), false, true, true, true},
		"both":    {append(bearer(office), "Platen-Other-Key", factory), true, true, true, true},
		"twice":   {append(bearer(office), "Platen-Other-Key", office), true, false, true, true},
	} {
		status, got, header := look(t, s, c.headers...)
		if status != http.StatusOK || !got.Whole || header.Get("Cache-Control") == "" {
			t.Errorf("%s: %d, whole %t", name, status, got.Whole)
		}
		for resource, want := range map[string]bool{
			"sales_order": c.orders, "press": c.presses, "mission": c.missions,
		} {
			if got := len(got.Records[resource]) > 0; got != want {
				t.Errorf("%s: shows %s %t, want %t", name, resource, got, want)
			}
		}
		if len(got.Events) == 0 || got.Events[0]["seq"] != 1.0 || len(got.Points) == 0 {
			t.Errorf("%s: %d events and %d points", name, len(got.Events), len(got.Points))
		}
	}
	other, _ := s.keys(`{}`)
	if status, _, _ := look(t, s,
		append(bearer(office), "Platen-Other-Key", other)...); status != http.StatusUnauthorized {
		t.Errorf("keys of two sandboxes are answered %d", status)
	}
	if status, _, _ := look(t, s,
		append(bearer(office), "Platen-Other-Key", "nonsense")...); status != http.StatusUnauthorized {
		t.Errorf("a key that is none is answered %d", status)
	}
	if status, _, _ := look(t, s); status != http.StatusUnauthorized {
		t.Errorf("no key is answered %d", status)
	}
}

// TestWatchingLeavesNoTrace: it is no call of the client, completes no mission
// and spends nothing of the keys.
func TestWatchingLeavesNoTrace(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, factory := s.keys(`{"clock":"manual","seed":1}`)
	both := append(bearer(office), "Platen-Other-Key", factory)
	_, before, _ := look(t, s, both...)
	for range 3 {
		look(t, s, both...)
		for _, path := range []string{api.ConsoleScore, api.ConsoleFaults} {
			s.call(http.MethodGet, path, "", "", both...).Want(http.StatusOK, "")
		}
	}
	_, after, _ := look(t, s, both...)
	if len(after.Calls) != 0 || before.Place != after.Place {
		t.Errorf("after watching there are %d calls, at %s, was %s", len(after.Calls), after.Place, before.Place)
	}
	for _, m := range after.Records["mission"] {
		if m["status"] == "completed" {
			t.Errorf("watching has completed %v", m["id"])
		}
	}
}

// TestAConsoleIsToldTheScoreWithItsFailures: what was not carried, with the events that show it,
// and nothing of what is exact.
func TestAConsoleIsToldTheScoreWithItsFailures(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, _ := s.keys(`{"preset":"manual","clock":"manual","seed":1}`)
	score := func() testclient.Object {
		return plain(t, s.call(http.MethodGet, api.ConsoleScore, office, "").Want(http.StatusOK, ""))
	}
	if first := score(); first["exactly_once"] != nil || first["bridge"] != "manual" {
		t.Errorf("at first it is %v", first)
	}
	orders := s.call(http.MethodGet, "/v1/office/sales-orders?status=received", office, "").Items()
	order := orders[0]["id"].(string)
	s.call(http.MethodPost, "/v1/office/sales-orders/"+order+"/accept", office, `{}`).Want(http.StatusOK, "")
	for range 5 {
		s.clock.Advance(time.Second)
		s.call(http.MethodPost, "/v1/sandbox/tick", office, `{"minutes":480}`).Want(http.StatusOK, "")
	}
	got := score()
	failures, _ := got["failures"].([]any)
	if got["exactly_once"] == nil || len(failures) == 0 || got["failure_count"] != float64(len(failures)) {
		t.Fatalf("it is %v", got)
	}
	found := false
	for _, one := range failures {
		f, _ := one.(map[string]any)
		cause, _ := f["cause"].(map[string]any)
		events, _ := f["events"].([]any)
		found = found || cause["id"] == order && f["verdict"] == "missed" && len(events) > 0
		if f["verdict"] == "exact" {
			t.Errorf("it is told of %v", f)
		}
	}
	if !found {
		t.Errorf("the order that was not carried is not among %v", failures)
	}
	compared, _ := s.keys(`{"preset":"agent_eval"}`)
	for _, path := range []string{api.ConsoleScore, api.ConsoleFaults} {
		s.call(http.MethodGet, path, compared, "").Want(http.StatusForbidden, "not_in_evaluation")
	}
}

// TestAConsoleIsToldWhatWentWrong by injected faults, what is to come, and never what it did itself.
func TestAConsoleIsToldWhatWentWrong(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, _ := s.keys(`{"clock":"manual"}`)
	faults := func() testclient.Object {
		return plain(t, s.call(http.MethodGet, api.ConsoleFaults, office, "").Want(http.StatusOK, ""))
	}
	if first := faults(); first["faults"] != nil || fmt.Sprint(first["count"]) != "0" {
		t.Errorf("at first it is %v", first)
	}
	s.call(http.MethodPost, "/v1/sandbox/faults", office, `{"kind":"storm"}`).Want(http.StatusOK, "")
	for range 3 { // no request of a console meets it
		if pending := faults()["faults"].(map[string]any)["pending"].([]any); len(pending) != 1 {
			t.Errorf("there is still to happen %v", pending)
		}
	}
	asked := s.call(http.MethodGet, "/v1/office/cash", office, "")
	got := faults()
	happened, _ := got["happened"].([]any)
	if len(happened) == 0 {
		t.Fatalf("nothing went wrong with %d: %v", asked.Status, got)
	}
	first, _ := happened[len(happened)-1].(map[string]any)
	if first["kind"] != "storm" || first["operation"] != "get_cash" || first["request_id"] == nil {
		t.Errorf("it was %v", first)
	}
}

func TestAConsoleHasABudgetOfItsOwn(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, factory := s.keys(`{}`)
	last := 0
	var header http.Header
	for n := range 31 {
		headers := bearer([]string{office, factory}[n%2]) // one budget for both keys
		last, _, header = look(t, s, headers...)
		if want := fmt.Sprint(max(0, 29-n)); header.Get("X-Ratelimit-Remaining") != want ||
			header.Get("X-Ratelimit-Limit") != "60" {
			t.Fatalf("after %d there remain %s of %s, want %s of 60",
				n+1, header.Get("X-Ratelimit-Remaining"), header.Get("X-Ratelimit-Limit"), want)
		}
	}
	if last != http.StatusTooManyRequests || header.Get("Retry-After") != "1" {
		t.Errorf("the 31st is answered %d, Retry-After %q", last, header.Get("Retry-After"))
	}
	if status := s.call(http.MethodGet, "/v1/sandbox", office, "").Status; status != http.StatusOK {
		t.Errorf("the key itself is answered %d", status)
	}
	s.clock.Advance(time.Second)
	if status, _, _ := look(t, s, bearer(office)...); status != http.StatusOK {
		t.Errorf("a second later it is answered %d", status)
	}
	other, _ := s.keys(`{}`)
	if status, _, _ := look(t, s, bearer(other)...); status != http.StatusOK {
		t.Errorf("another sandbox is answered %d", status)
	}
}

// TestTheConsoleHasNoBudgetWhereKeysHaveNone, as on one's own machine, where pages are reloaded often.
func TestTheConsoleHasNoBudgetWhereKeysHaveNone(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *api.Options) { o.FreeConsole = true })
	office, _ := s.keys(`{}`)
	for n := range 130 {
		if status, _, header := look(t, s, bearer(office)...); status != http.StatusOK {
			t.Fatalf("look %d is answered %d, %v", n+1, status, header)
		}
	}
}

func TestTheRoutesOfTheConsoleTakeNothingElse(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, _ := s.keys(`{}`)
	for _, path := range []string{
		api.ConsoleState + "?x=1", api.ConsoleStream + "?after=1", api.ConsoleScore + "?x=1",
		api.ConsoleFaults + "?kind=storm",
	} {
		if status := s.call(http.MethodGet, path, office, "").Status; status != http.StatusBadRequest {
			t.Errorf("%s is answered %d", path, status)
		}
	}
	a := s.call(http.MethodPost, api.ConsoleState, office, "")
	if a.Status != http.StatusMethodNotAllowed || a.Header.Get("Allow") != http.MethodGet {
		t.Errorf("POST is answered %d, Allow %q", a.Status, a.Header.Get("Allow"))
	}
}

// listener reads a stream.
type listener struct {
	t     *testing.T
	lines *bufio.Scanner
	stop  context.CancelFunc
	// place is the id of the newest message.
	place string
}

func listen(t *testing.T, s *service, place string, headers ...string) *listener {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, err := testclient.Request{
		Method: http.MethodGet, URL: s.url + api.ConsoleStream, Headers: headers,
	}.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", place)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		response.Body.Close()
	})
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		b, _ := io.ReadAll(response.Body)
		t.Fatalf("the stream is answered %d %s", response.StatusCode, b)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	return &listener{t: t, lines: lines, stop: stop}
}

// next reads a message.
func (l *listener) next() *shown {
	l.t.Helper()
	for l.lines.Scan() {
		if id, ok := strings.CutPrefix(l.lines.Text(), "id: "); ok {
			l.place = id
		}
		if data, ok := strings.CutPrefix(l.lines.Text(), "data: "); ok {
			var c shown
			if err := json.Unmarshal([]byte(data), &c); err != nil {
				l.t.Fatal(err)
			}
			return &c
		}
	}
	l.t.Fatalf("the stream has ended: %v", l.lines.Err())
	return nil
}

// until reads messages up to one that a test expects.
func (l *listener) until(wanted func(*shown) bool) *shown {
	l.t.Helper()
	for {
		if c := l.next(); wanted(c) {
			return c
		}
	}
}

func TestAStreamTellsWhatChangesAndGoesOnWhereItBroke(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, factory := s.keys(`{"clock":"manual","seed":1}`)
	both := append(bearer(office), "Platen-Other-Key", factory)
	_, first, _ := look(t, s, both...)
	l := listen(t, s, first.Place, both...)
	if c := l.next(); c.Whole || len(c.Events) > 0 || c.Records != nil || c.Now["sim_time"] != "08:00" {
		t.Errorf("though nothing has happened it tells %+v", c)
	}
	accept := func(n int) string {
		id, _ := first.Records["sales_order"][n]["id"].(string)
		s.call(http.MethodPost, "/v1/office/sales-orders/"+id+"/accept", office, "")
		return id
	}
	open := slices.IndexFunc(first.Records["sales_order"], func(r map[string]any) bool {
		return r["status"] == "received"
	})
	id := accept(open)
	accepted := func(id string) func(*shown) bool {
		return func(c *shown) bool {
			return slices.ContainsFunc(c.Records["sales_order"], func(r map[string]any) bool {
				return r["id"] == id && r["status"] == "in_production"
			})
		}
	}
	c := l.until(accepted(id))
	if len(c.Records["sales_order"]) != 1 || len(c.Records["work_order"]) != 1 ||
		len(c.Events) == 0 || c.Status == nil {
		t.Errorf("an acceptance is told as %d orders, %d work orders, %d events",
			len(c.Records["sales_order"]), len(c.Records["work_order"]), len(c.Events))
	}
	l.stop()
	missed := accept(open + 1)
	again := listen(t, s, l.place, both...)
	c = again.until(accepted(missed))
	if c.Whole || slices.ContainsFunc(c.Records["sales_order"], func(r map[string]any) bool { return r["id"] == id }) {
		t.Error("a stream that goes on tells again what it had told")
	}
	again.stop()
	for _, place := range []string{"", "nonsense", "999999.1.1", "1.2"} {
		third, _ := s.keys(`{}`)
		if c := listen(t, s, place, bearer(third)...).next(); !c.Whole || len(c.Records["press"]) > 0 {
			t.Errorf("from %q it is whole %t with %d presses", place, c.Whole, len(c.Records["press"]))
		}
	}
}

func TestTwoStreamsOfASandboxAreOpenAtMost(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, factory := s.keys(`{}`)
	first := listen(t, s, "", bearer(office)...)
	listen(t, s, "", bearer(factory)...).next()
	first.next()
	third := s.call(http.MethodGet, api.ConsoleStream, office, "")
	if third.Status != http.StatusTooManyRequests || third.Header.Get("Retry-After") != "5" {
		t.Errorf("a third is answered %d, Retry-After %q", third.Status, third.Header.Get("Retry-After"))
	}
	other, _ := s.keys(`{}`)
	listen(t, s, "", bearer(other)...).next()
}

func TestAStreamEndsWithItsSandboxAndTheServer(t *testing.T) {
	t.Parallel()
	inBubble(t, "realtime", func(b *bubble) {
		w := &flushed{header: http.Header{}}
		done := make(chan struct{})
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, api.ConsoleStream, http.NoBody)
		if err != nil {
			b.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+b.office)
		go func() {
			b.api.ServeHTTP(w, r)
			close(done)
		}()
		time.Sleep(41 * time.Minute) //nolint:forbidigo // the bubble's time: lease and grace
		<-done
		if text := w.text.String(); !strings.HasSuffix(text, "event: gone\ndata: {}\n\n") ||
			!strings.Contains(text, `"status":"expired"`) || !strings.Contains(text, ": keep-alive") {
			b.t.Errorf("the last that it tells is %q", text[max(0, len(text)-200):])
		}
		synctest.Wait()
	})
}

// flushed is an answer that is read while it grows.
type flushed struct {
	header http.Header
	text   strings.Builder
}

// Header implements http.ResponseWriter.
func (f *flushed) Header() http.Header { return f.header }

// WriteHeader implements http.ResponseWriter.
func (f *flushed) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (f *flushed) Write(b []byte) (int, error) { return f.text.Write(b) }

// Flush implements http.Flusher.
func (f *flushed) Flush() {}
