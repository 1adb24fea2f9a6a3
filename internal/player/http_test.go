package player

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"platen/internal/admission"
	"platen/internal/api"
	"platen/internal/company"
	"platen/internal/company/preset"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
	"platen/internal/testclient"
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

func (c *wallClock) move() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(2 * time.Second)
}

// outside is a door that leads through HTTP, as clients have it.
type outside struct {
	t     *testing.T
	table *table
	clock *wallClock
	base  string
	// keys are those of the sandbox, by system.
	keys map[operation.System]string
	sent int
}

// newOutside starts an API over a database of its own, and creates a sandbox.
func newOutside(t *testing.T, presetName string, seed int64) *outside {
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
	d := &outside{t: t, table: newTable(), clock: clock, base: server.URL + "/v1", keys: map[operation.System]string{}}
	d.create(presetName, seed)
	return d
}

func (d *outside) create(presetName string, seed int64) {
	d.t.Helper()
	body := fmt.Sprintf(`{"preset":%q,"seed":%d,"clock":"manual"}`, presetName, seed)
	a, err := d.send(http.MethodPost, "/sandboxes", "", body)
	if err != nil {
		d.t.Fatalf("create a sandbox: %v", err)
	}
	var made struct {
		Data operation.NewSandbox `json:"data"`
	}
	if err := json.Unmarshal(a.Raw, &made); err != nil {
		d.t.Fatal(err)
	}
	d.keys[operation.Office], d.keys[operation.Shared], d.keys[operation.Factory] = made.Data.OfficeKey,
		made.Data.OfficeKey, made.Data.FactoryKey
}

// send sends one request. A refusal is the problem that the answer names.
func (d *outside) send(method, path, key, body string) (*testclient.Answer, error) {
	d.sent++
	r := testclient.Request{Method: method, URL: d.base + path, Key: key, Body: body}
	if method == http.MethodPost {
		r.Headers = []string{"Idempotency-Key", "economy-request-number-" + strconv.Itoa(d.sent)}
	}
	a, err := r.Do(d.t.Context())
	if err != nil {
		return nil, err
	}
	a.T = d.t
	if a.Status < http.StatusBadRequest {
		return a, nil
	}
	message, _ := a.Failure()["message"].(string)
	return nil, problem.New(problem.Code(a.Code()), "%s", message)
}

// get sends a request that must not be refused.
func (d *outside) get(path string, system operation.System) *testclient.Answer {
	d.t.Helper()
	a, err := d.send(http.MethodGet, path, d.keys[system], "")
	if err != nil {
		d.t.Fatalf("GET %s: %v", path, err)
	}
	return a
}

func (d *outside) list(operationID string, decode func([]byte) any, filters ...string) ([]any, error) {
	o := d.table.operation(operationID)
	query := url.Values{}
	for i := 0; i < len(filters); i += 2 {
		query.Set(filters[i], filters[i+1])
	}
	read := func(path string) *testclient.Answer { return d.get(path, o.System) }
	var rows []any
	for a := range testclient.Pages(o.Path+"?"+query.Encode(), read) {
		var page struct {
			Data struct {
				Items []jsontext.Value `json:"items"`
			} `json:"data"`
		}
		if err := json.Unmarshal(a.Raw, &page); err != nil {
			return nil, err
		}
		for _, item := range page.Data.Items {
			rows = append(rows, decode(item))
		}
	}
	return rows, nil
}

func (d *outside) series() ([]*company.SeriesPoint, error) {
	var answer struct {
		Data struct {
			Points []*company.SeriesPoint `json:"points"`
		} `json:"data"`
	}
	err := json.Unmarshal(d.get("/sandbox/series", operation.Shared).Raw, &answer)
	return answer.Data.Points, err
}

func (d *outside) glance() (operation.SandboxStatus, error) {
	var answer struct {
		Data operation.SandboxStatus `json:"data"`
	}
	err := json.Unmarshal(d.get("/sandbox", operation.Shared).Raw, &answer)
	return answer.Data, err
}

func (d *outside) call(operationID, id string, body any) error {
	o := d.table.operation(operationID)
	if operationID == tickOperation {
		d.clock.move()
	}
	raw := []byte("{}")
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return err
		}
	}
	_, err := d.send(o.Method, strings.Replace(o.Path, "{id}", id, 1), d.keys[o.System], string(raw))
	return err
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
		{"manual", Good(), 3, 15},
		{"crunch", Good(), 4, 6},
		{"supply_shock", Policy{Name: greedyLots, lots: allLots, rush: true}, 5, 6},
		{"starter", Random(), 6, 6},
	} {
		t.Run(c.preset+" "+c.policy.Name, func(t *testing.T) {
			t.Parallel()
			p := presets[c.preset]
			g := Game{
				Settings: company.Settings{Preset: p, Seed: c.seed}, Policy: c.policy, Days: []int{c.days},
			}
			in, out := newInside(newTable(), g.Settings), newOutside(t, c.preset, int64(c.seed))
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
func compareLists(t *testing.T, out *outside, in *inside) {
	t.Helper()
	rows := 0
	for _, o := range operation.Table() {
		// Reading and calling complete missions and unlock achievements, and requests
		// are noted over HTTP alone. A list within a record is one of a webhook, and
		// players have none. Ids of checkpoints are unique across sandboxes. Findings and
		// faults are no rows of the company: a verifier reads it, and faults are outside.
		if o.Kind != operation.List || o.Resource == operation.CallResource || o.Resource == "mission" ||
			o.Resource == "achievement" || o.Resource == company.CheckpointResource ||
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
