package server

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen/internal/company"
	"platen/internal/config"
	"platen/internal/operation"
	"platen/internal/words/event"
	"platen/internal/words/jsonfield"
	"platen/test/testclient"
)

// keptSandbox is one of a database in testdata: a company of the preset starter
// after five days, or one of manual.
type keptSandbox struct {
	SandboxID  string `json:"sandbox_id"`
	OfficeKey  string `json:"office_key"`
	FactoryKey string `json:"factory_key"`
}

// keptDatabases are the names of the databases in a folder of testdata: one of a server that
// was killed, with commits alone, and one of a server that stopped, with snapshots.
var keptDatabases = []string{"commits", "snapshot"}

// released are the databases of releases, by their folders in testdata, with their engines. The program of the release
// wrote them: two companies after ten days, with deliveries in parts, and a fork. They are kept for ever. The one of
// 0.1.0 is of its rehearsal.
var released = map[string]int{"v0.1.0": 2}

// keptFolders are those of an engine.
func keptFolders(engine int) []string {
	folders := []string{}
	if engine == company.Engine {
		folders = append(folders, fmt.Sprintf("testdata/engine-%d", engine))
	}
	for version, of := range released {
		if of == engine {
			folders = append(folders, "testdata/"+version)
		}
	}
	return folders
}

// TestDatabasesOfThisEngineOpen: every list is read whole and by every value of every filter,
// and the feed whole and by every type and system, in today's program; each row has the fields of
// today's type. The comment of company.Engine says when the databases are made anew, with -update.
func TestDatabasesOfThisEngineOpen(t *testing.T) {
	t.Parallel()
	if *update {
		makeDatabases(t, fmt.Sprintf("testdata/engine-%d", company.Engine))
	}
	for _, kept := range keptIn(keptFolders(company.Engine)) {
		t.Run(kept.folder+" "+kept.name, func(t *testing.T) {
			t.Parallel()
			folder, name := kept.folder, kept.name
			path := unpackDatabase(t, folder, name)
			kept := keptSandboxes(t, folder, name)
			// The second start reads what the first has written beside it.
			for range 2 {
				s := start(t, func(c *config.Config) { c.Database = path })
				for _, sandbox := range kept {
					r := &upgradeReader{t: t, base: s.BaseURL(), keptSandbox: sandbox}
					r.lists()
					r.feed()
				}
				testclient.Request{
					Method: http.MethodPost, URL: s.BaseURL() + "/sandbox/tick", Key: kept[0].OfficeKey,
					Body: `{"minutes":480}`,
				}.Send(t).Want(http.StatusOK, "")
				if err := s.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestSandboxesOfAnEarlierEngineEndCleanly: a server of the next engine starts on the databases of this one and of
// earlier releases, says of their sandboxes that they are another version's, whatever is asked with either key, and
// has sandboxes of its own beside them, also after a restart.
func TestSandboxesOfAnEarlierEngineEndCleanly(t *testing.T) {
	t.Parallel()
	folders := keptFolders(company.Engine)
	for _, engine := range released {
		if engine != company.Engine {
			folders = append(folders, keptFolders(engine)...)
		}
	}
	for _, kept := range keptIn(folders) {
		t.Run(kept.folder+" "+kept.name, func(t *testing.T) {
			t.Parallel()
			folder, name := kept.folder, kept.name
			path, own := unpackDatabase(t, folder, name), ""
			for range 2 {
				s := start(t, func(c *config.Config) { c.Database, c.EnginesAhead = path, 1 })
				for _, sandbox := range keptSandboxes(t, folder, name) {
					for _, asked := range []testclient.Request{
						{Method: http.MethodGet, URL: "/sandbox", Key: sandbox.OfficeKey},
						{Method: http.MethodGet, URL: "/events?after_seq=0", Key: sandbox.OfficeKey},
						{Method: http.MethodGet, URL: "/factory/stock", Key: sandbox.FactoryKey},
						{Method: http.MethodPost, URL: "/sandbox/tick", Key: sandbox.OfficeKey, Body: `{"minutes":1}`},
					} {
						asked.URL = s.BaseURL() + asked.URL
						refused := asked.Send(t).Want(http.StatusUnauthorized, "unauthorized")
						if why := fmt.Sprint(refused.Failure()["message"]); !strings.Contains(why, "another version") {
							t.Errorf("%s is refused with %q", asked, why)
						}
					}
				}
				if own == "" {
					made := testclient.Request{
						Method: http.MethodPost, URL: s.BaseURL() + "/sandboxes", Body: `{"clock":"manual"}`,
					}.Send(t).Want(http.StatusCreated, "")
					own = fmt.Sprint(made.Data()["office_key"])
				}
				testclient.Request{Method: http.MethodGet, URL: s.BaseURL() + "/sandbox", Key: own}.Send(t).
					Want(http.StatusOK, "")
				if err := s.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// keptFile is one of testdata.
type keptFile struct{ folder, name string }

// keptIn are the databases of some folders.
func keptIn(folders []string) []keptFile {
	var all []keptFile
	for _, folder := range folders {
		for _, name := range keptDatabases {
			all = append(all, keptFile{folder, name})
		}
	}
	return all
}

// unpackDatabase makes a database of testdata a file, with its key.
func unpackDatabase(t *testing.T, folder, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "platen.db")
	packed, err := os.Open(filepath.Join(folder, name+".db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(folder, name+".db.key"))
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{path: b, path + secretSuffix: key} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func keptSandboxes(t *testing.T, folder, name string) []keptSandbox {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var kept []keptSandbox
	if err := json.Unmarshal(b, &kept); err != nil {
		t.Fatal(err)
	}
	return kept
}

// upgradeReader reads all of a sandbox.
type upgradeReader struct {
	keptSandbox

	t    *testing.T
	base string
}

// rows reads a list to its end.
func (r *upgradeReader) rows(path string, system operation.System, query url.Values) []testclient.Object {
	r.t.Helper()
	key := r.OfficeKey
	if system == operation.Factory {
		key = r.FactoryKey
	}
	return testclient.All(path+"?"+query.Encode(), func(page string) *testclient.Answer {
		return testclient.Request{Method: http.MethodGet, URL: r.base + page, Key: key}.Send(r.t)
	})
}

// lists reads every list, whole and by each value of each filter in its rows.
func (r *upgradeReader) lists() {
	r.t.Helper()
	read := 0
	for _, op := range operation.Table() {
		if op.Kind != operation.List || op.Resource == operation.CallResource {
			continue
		}
		for _, path := range r.paths(&op) {
			for _, filter := range op.Filters {
				r.filtered(&op, path, filter)
			}
			rows := r.rows(path, op.System, url.Values{})
			r.whole(&op, rows)
			read += len(rows)
		}
	}
	if read < 50 {
		r.t.Errorf("all lists of sandbox %s have %d rows: too few to tell anything", r.SandboxID, read)
	}
}

// whole compares the fields of kept rows with those of the type that clients are promised.
func (r *upgradeReader) whole(op *operation.Operation, rows []testclient.Object) {
	r.t.Helper()
	promised := map[string]bool{}
	for _, field := range jsonfield.Of(op.Out) {
		promised[field.JSON] = !field.Omits
	}
	for _, row := range rows {
		for name, always := range promised {
			if _, has := row[name]; always && !has {
				r.t.Errorf("%s of a kept database has no %s, which each row is to have. Raise company.Engine "+
					"and make its databases anew with -update, or let a stored row without it mean something.",
					op.ID, name)
				return
			}
		}
		for name := range row {
			if _, known := promised[name]; !known {
				r.t.Errorf("%s of a kept database has %s, which no row has any more.", op.ID, name)
				return
			}
		}
	}
}

// paths are those of a list: one for each parent, if it has parents.
func (r *upgradeReader) paths(op *operation.Operation) []string {
	r.t.Helper()
	if op.Parent == "" {
		return []string{op.Path}
	}
	var paths []string
	for _, parent := range r.rows("/webhooks", operation.Shared, url.Values{}) {
		paths = append(paths, fmt.Sprintf("/webhooks/%s/deliveries", parent["id"]))
	}
	return paths
}

// filtered compares what a filter finds with the rows that have its value. It
// does so again when a row has changed meanwhile, as those of deliveries may.
func (r *upgradeReader) filtered(op *operation.Operation, path, filter string) {
	r.t.Helper()
	for {
		rows := r.rows(path, op.System, url.Values{})
		differences := r.compare(op, path, filter, rows)
		if reflect.DeepEqual(rows, r.rows(path, op.System, url.Values{})) {
			for _, difference := range differences {
				r.t.Error(difference)
			}
			return
		}
	}
}

func (r *upgradeReader) compare(op *operation.Operation, path, filter string,
	rows []testclient.Object) (differences []string) {
	r.t.Helper()
	found := map[string][]any{}
	for _, p := range op.Query() {
		if p.Name == filter {
			for _, word := range p.Values {
				found[word] = nil
			}
		}
	}
	for _, row := range rows {
		if value, ok := row[filter].(string); ok {
			found[value] = append(found[value], row["id"])
		}
	}
	for value, want := range found {
		var got []any
		for _, row := range r.rows(path, op.System, url.Values{filter: {value}}) {
			got = append(got, row["id"])
		}
		if !slices.Equal(got, want) {
			differences = append(differences,
				fmt.Sprintf("%s?%s=%s has %v, the rows with it are %v", path, filter, value, got, want))
		}
	}
	return differences
}

// feed reads all events, those of each type, and those of each system.
func (r *upgradeReader) feed() {
	r.t.Helper()
	byType, bySystem, last := map[string][]any{}, map[string][]any{}, int64(0)
	for _, e := range r.rows("/events", operation.Shared, url.Values{"after_seq": {"0"}}) {
		kind, _ := e["type"].(string)
		system, _ := e["system"].(string)
		last = sequence(r.t, e)
		byType[kind], bySystem[system] = append(byType[kind], e["seq"]), append(bySystem[system], e["seq"])
	}
	compare := func(parameter, value string, want []any) {
		var got []any
		for _, e := range r.rows("/events", operation.Shared, url.Values{"after_seq": {"0"}, parameter: {value}}) {
			if sequence(r.t, e) <= last { // reading completes missions
				got = append(got, e["seq"])
			}
		}
		if !slices.Equal(got, want) {
			r.t.Errorf("events with %s=%s are %v, want %v", parameter, value, got, want)
		}
	}
	for _, d := range event.All() {
		compare("types", string(d.Type), byType[string(d.Type)])
	}
	for system, want := range bySystem {
		compare("system", system, want)
	}
	if len(byType) < 8 || len(byType[string(event.WebhookActivated)]) != 1 {
		r.t.Errorf("the feed of sandbox %s has events of %d types", r.SandboxID, len(byType))
	}
}

// sequence is the number of an event.
func sequence(t *testing.T, e testclient.Object) int64 {
	t.Helper()
	number, _ := e["seq"].(json.Number)
	n, err := number.Int64()
	if err != nil {
		t.Fatalf("the number of an event is %v", e["seq"])
	}
	return n
}
