package eval_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"platen/client"
	"platen/eval/trace"
	"platen/platentest"
)

// recorded lets play send requests through a recorder, and returns the file of the trace.
// Play gets the player's keys, as its clients have them.
func recorded(t *testing.T, play func(c *client.Client)) (file, origin string) {
	t.Helper()
	origin = strings.TrimSuffix(platentest.Start(t).BaseURL, client.BasePath)
	head := trace.Head{Preset: "starter", Seed: 4, Clock: client.ClockModeManual}
	file = filepath.Join(t.TempDir(), "run.jsonl")
	r, err := trace.Record(file, origin, head)
	if err != nil {
		t.Fatal(err)
	}
	s, err := client.CreateSandbox(t.Context(), r.Origin+client.BasePath, client.CreateSandboxInput{
		Preset: &head.Preset, Seed: new(int64(head.Seed)), Clock: &head.Clock, Evaluation: new(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Knows(s)
	play(s.Client())
	report, err := s.Grader().GetReport(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(&trace.Tail{BusinessHash: report.BusinessHash, StateHash: report.StateHash}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{s.OfficeKey, s.FactoryKey, s.GradingKey, "lab_"} {
		if strings.Contains(string(b), key) {
			t.Errorf("a key stands in the trace: %s", key)
		}
	}
	return file, origin
}

// accepts sells what it is asked for, and lets a day pass.
func accepts(t *testing.T, c *client.Client) {
	t.Helper()
	for order, err := range c.SalesOrders(t.Context(), client.ListSalesOrdersParams{Status: "received"}) {
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := c.AcceptSalesOrder(t.Context(), order.ID); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.AdvanceTime(t.Context(), client.TickInput{Minutes: new(int64(480))}); err != nil {
		t.Error(err)
	}
}

func TestATraceSentAgainEndsWithTheSameBusiness(t *testing.T) {
	t.Parallel()
	file, origin := recorded(t, func(c *client.Client) {
		for range 3 {
			accepts(t, c)
		}
		if _, err := c.AcceptSalesOrder(t.Context(), "so_0000000000000"); err == nil {
			t.Error("an order that there is not was accepted")
		}
	})
	read, err := trace.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := read.Again(t.Context(), origin, "")
	if err != nil {
		t.Fatal(err)
	}
	if !r.Business || !r.State || len(r.Different) > 0 || r.Sent != len(read.Steps) || r.Sent < 7 {
		t.Errorf("sent again: %+v", r)
	}
}

// TestAChangedTraceIsFoundOut, also where a result was written into it that was not played.
func TestAChangedTraceIsFoundOut(t *testing.T) {
	t.Parallel()
	file, origin := recorded(t, func(c *client.Client) { accepts(t, c) })
	for name, change := range map[string]func(*trace.Trace){
		"a request less":      func(t *trace.Trace) { t.Steps = t.Steps[:len(t.Steps)-2] },
		"another minute":      func(t *trace.Trace) { t.Steps[len(t.Steps)-1].Body = `{"minutes":479}` },
		"another world":       func(t *trace.Trace) { t.Head.Seed++ },
		"a result that isn't": func(t *trace.Trace) { t.Tail.BusinessHash = strings.Repeat("0", 64) },
	} {
		read, err := trace.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		change(read)
		r, err := read.Again(t.Context(), origin, "")
		if err != nil {
			t.Fatal(err)
		}
		if r.Business {
			t.Errorf("with %s the business is the same: %+v", name, r)
		}
	}
}

// TestWritesStandInTheOrderInWhichTheyHappened, whatever comes at the same time.
func TestWritesStandInTheOrderInWhichTheyHappened(t *testing.T) {
	t.Parallel()
	file, origin := recorded(t, func(c *client.Client) {
		var players sync.WaitGroup
		for range 8 {
			players.Go(func() {
				in := client.HireEmployeeInput{Role: client.CatalogRoleFinisher}
				if _, err := c.HireEmployee(t.Context(), in); err != nil {
					t.Error(err)
				}
				if _, err := c.AdvanceTime(t.Context(), client.TickInput{Minutes: new(int64(7))}); err != nil &&
					!client.IsCode(err, client.CodeTickRate) {
					t.Error(err)
				}
			})
		}
		players.Wait()
	})
	read, err := trace.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := read.Again(t.Context(), origin, "")
	if err != nil || !r.Business {
		t.Errorf("sent again: %+v, %v", r, err)
	}
}

func TestWhatIsNoTraceIsRejected(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":                           "no end",
		"{}\n":                       "not that of a trace",
		"lorem\n":                    "not that of a trace",
		`{"platen_trace":2}`:         "the form 2",
		`{"platen_trace":1}`:         "no end",
		"{\"platen_trace\":1}\n[]\n": "line 2",
		"{\"platen_trace\":1}\n{\"end\":true}\n{\"path\":\"/\"}\n": "line 3 comes after its end",
		"{\"platen_trace\":1}\n{\"path\":\"@127.0.0.1:1/\"}\n":     "line 2: \"@127.0.0.1:1/\" is not the path",
		"{\"platen_trace\":1}\n{\"path\":\":80/\"}\n":              "is not the path",
		"{\"platen_trace\":1}\n{\"path\":\"//127.0.0.1:1/\"}\n":    "is not the path",
		"{\"platen_trace\":1}\n{\"path\":\"http://127.0.0.1/\"}\n": "is not the path",
		"{\"platen_trace\":1}\n{\"path\":\"\"}\n":                  "is not the path",
	} {
		file := filepath.Join(t.TempDir(), "trace.jsonl")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := trace.Read(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read with %v, want %q", content, err, want)
		}
	}
	if _, err := trace.Read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that there is not was read")
	}
}

func TestATraceOverwritesNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := trace.Record(file, "http://127.0.0.1:1", trace.Head{}); err == nil {
		t.Error("a file was written over")
	}
	if b, _ := os.ReadFile(file); string(b) != "precious" {
		t.Errorf("the file is %q now", b)
	}
}

// TestReplayingCallsNobody: subscriptions of a trace are not made again.
func TestReplayingCallsNobody(t *testing.T) {
	t.Parallel()
	file, origin := recorded(t, func(c *client.Client) {
		if _, err := c.CreateWebhook(t.Context(), client.CreateWebhookInput{
			URL: "https://example.com/hook", Events: []client.EventType{"*"},
		}); err != nil && !client.IsCode(err, client.CodeWebhookURLRejected) {
			t.Error(err)
		}
		accepts(t, c)
	})
	read, err := trace.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := read.Again(t.Context(), origin, "")
	if err != nil || r.Skipped != 1 || !r.Business || len(r.Different) > 0 {
		t.Errorf("sent again: %+v, %v", r, err)
	}
	for _, s := range read.Steps {
		if s.Method == http.MethodPost && s.Key == trace.NoKey {
			t.Errorf("a request of the player has no key: %+v", s)
		}
	}
}

// TestATraceOfAStrangerReachesNoOtherServer, also one that was not read from a file.
func TestATraceOfAStrangerReachesNoOtherServer(t *testing.T) {
	t.Parallel()
	came := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { came <- r.URL.Path }))
	t.Cleanup(other.Close)
	file, origin := recorded(t, func(*client.Client) {})
	for _, path := range []string{"@HOST/latest", "//HOST/latest", other.URL + "/latest", "x@HOST/"} {
		read, err := trace.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		path = strings.ReplaceAll(path, "HOST", other.Listener.Addr().String())
		read.Steps = []trace.Step{{Method: http.MethodPut, Path: path, Status: 200}}
		if _, err := read.Again(t.Context(), origin, ""); err == nil || !strings.Contains(err.Error(), "send step 1") {
			t.Errorf("a step to %q is sent with %v", path, err)
		}
	}
	select {
	case path := <-came:
		t.Errorf("the other server got %q", path)
	default:
	}
}
