package player

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"platen/client"
	"platen/internal/api"
	"platen/internal/company"
	"platen/internal/company/preset"
	"platen/internal/desk"
	"platen/internal/edge/admission"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
	"platen/test/testclient"
)

// wallClock is a clock that goes on by two seconds whenever it is moved, since
// a sandbox takes one tick each second.
type wallClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *wallClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// RoundTrip implements http.RoundTripper.
func (c *wallClock) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/sandbox/tick") {
		c.mu.Lock()
		c.now = c.now.Add(2 * time.Second)
		c.mu.Unlock()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// newOutside starts an API over a database of its own, and creates a sandbox.
func newOutside(t *testing.T, presetName string, seed int64) *remote {
	t.Helper()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatal(err)
	}
	clock := &wallClock{now: time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)}
	log := slog.New(slog.DiscardHandler)
	registry := sandbox.NewRegistry(sandbox.Options{
		Store: db, Presets: presets, Lease: time.Hour, Extension: time.Hour, ExtensionWindow: time.Minute,
		Grace: time.Minute, Log: log, Now: clock.Now,
	})
	controller, err := admission.Open(t.Context(), admission.Options{
		Store: db, Log: log, Now: clock.Now, Capacity: 1, ClaimWindow: time.Minute, Turnover: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := api.New(api.Options{
		Registry: registry, Admission: controller, Origin: "http://platen.test", Log: log,
	}, operation.Table())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.Close()
		registry.Close(context.Background())
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	base := server.URL + client.BasePath
	made, err := client.CreateSandbox(t.Context(), base, client.CreateSandboxInput{
		Preset: &presetName, Seed: &seed, Clock: new(client.ClockModeManual),
	})
	if err != nil {
		t.Fatal(err)
	}
	moving := &http.Client{Transport: clock}
	player := client.New(base, made.Keys(), client.HTTPClient(moving))
	return &remote{ctx: t.Context(), client: player, table: theTable()}
}

// TestAGameOverHTTPIsTheGameInside: whatever a player does inside, clients can
// do, with the same bodies and the same answers. The good player of the manual
// bridge sends every kind of request that there is.
func TestAGameOverHTTPIsTheGameInside(t *testing.T) {
	t.Parallel()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		preset string
		policy Policy
		seed   uint64
		days   int
	}{
		{"manual", Good(), 3, testclient.Few(6, 15)},
		{"crunch", Watchful(), 4, 6},
		{"supply_shock", Policy{Name: greedyLots, lots: allLots, rush: true, terms: usualTerms()}, 5, 6},
		{"starter", Random(), 6, 6},
	} {
		t.Run(c.preset+" "+c.policy.Name, func(t *testing.T) {
			t.Parallel()
			p := presets[c.preset]
			g := Game{
				Settings: company.Settings{Preset: p, Seed: c.seed}, Policy: c.policy, Days: []int{c.days},
			}
			in, out := newInside(theTable(), g.Settings), newOutside(t, c.preset, int64(c.seed))
			want, err := g.through(in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.through(out)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("over HTTP the game came to %+v, inside to %+v", got, want)
			}
			compareLists(t, out, in)
		})
	}
}

// compareLists compares all rows of all lists of the company, and its cash.
func compareLists(t *testing.T, out *remote, in *inside) {
	t.Helper()
	rows := 0
	for _, o := range operation.Table() {
		// Reading and calling complete missions and unlock achievements, and requests
		// are noted over HTTP alone. A list within a record is one of a webhook, and
		// players have none. Ids of checkpoints are unique across sandboxes. Findings and
		// faults are no rows of the company: a verifier reads it, and faults are outside.
		if o.Kind != operation.List || o.Resource == operation.CallResource || o.Resource == "mission" ||
			o.Resource == "achievement" || o.Resource == desk.CheckpointResource ||
			o.Resource == operation.FindingResource || o.Resource == operation.FaultResource ||
			len(o.PathParamNames()) > 0 {
			continue
		}
		got, err := out.list(o.ID, func(raw []byte) any { return jsontext.Value(slices.Clone(raw)) })
		if err != nil {
			t.Fatal(err)
		}
		want, err := in.list(o.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain(t, want), plain(t, got)); diff != "" {
			t.Errorf("%s differs, - inside, + over HTTP:\n%s", o.ID, diff)
		}
		rows += len(got)
	}
	const enough = 200
	if rows < enough {
		t.Errorf("only %d rows were compared", rows)
	}
	got, err := out.glance()
	if err != nil {
		t.Fatal(err)
	}
	want, err := in.glance()
	if err != nil {
		t.Fatal(err)
	}
	got.Score.WritesRefused = 0 // a company does not know of refusals
	if got.CashMinor != want.CashMinor || got.Reputation != want.Reputation ||
		got.Score != want.Score && !reflect.DeepEqual(got.Score, want.Score) {
		t.Errorf("over HTTP the company stands at %+v, inside at %+v", got, want)
	}
}

// plain returns rows without what is of a sandbox and not of its company: wall
// times and the ids of events.
func plain(t *testing.T, found []any) []map[string]any {
	t.Helper()
	rows := make([]map[string]any, len(found))
	for i, row := range found {
		raw, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &rows[i]); err != nil {
			t.Fatal(err)
		}
		strip(rows[i])
	}
	return rows
}

func strip(value any) {
	switch v := value.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(name string, _ any) bool {
			return name == "created_at" || name == "updated_at" || name == "event_id"
		})
		for _, member := range v {
			strip(member)
		}
	case []any:
		for _, item := range v {
			strip(item)
		}
	}
}

// TestAForgottenCursorBeginsAListAnew, without a row that comes twice.
func TestAForgottenCursorBeginsAListAnew(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch {
		case r.URL.Query().Get("cursor") == "":
			fmt.Fprint(w, `{"data":{"items":[{"id":"a"}],"next_cursor":"1"}}`)
		case asked < 5:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"code":"invalid_cursor","message":"It is forgotten."}}`)
		default:
			fmt.Fprint(w, `{"data":{"items":[{"id":"b"},{"id":"c"}],"next_cursor":""}}`)
		}
	}))
	t.Cleanup(server.Close)
	d := &remote{ctx: t.Context(), client: client.New(server.URL, client.Keys{Office: "x"}), table: theTable()}
	rows, err := d.list("list_sales_orders", func(raw []byte) any { return string(raw) })
	if got := fmt.Sprint(rows); got != `[{"id":"a"} {"id":"b"} {"id":"c"}]` || err != nil {
		t.Errorf("after %d requests the list is %s, %v", asked, got, err)
	}
}
