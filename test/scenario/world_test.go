package scenario

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"platen/client"
	"platen/platentest"
	"platen/test/testclient"
)

type object = testclient.Object

// world is a company, seen with both keys.
type world struct {
	t    testing.TB
	url  string
	keys client.Keys
	api  *client.Client
	seed int64
}

// suite holds what lives longer than a test.
var suite testclient.Suite

// server starts one server for all tests of the package that need no other.
var server = sync.OnceValue(func() *platentest.Platen {
	return platentest.Start(&suite, map[string]string{
		"max-sandboxes": "100000", "private-webhooks": "true",
	})
})

// found makes a company whose clock moves by hand.
func found(t testing.TB, preset string, bridge client.Bridge, seed int64) *world {
	t.Helper()
	s := server().Sandbox(t, platentest.Options{Preset: preset, Bridge: string(bridge), Clock: "manual", Seed: &seed})
	w := &world{url: s.BaseURL, keys: client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}, seed: seed}
	return w.within(t)
}

// within is the same company for another test.
func (w *world) within(t testing.TB) *world {
	m := *w
	m.t = t
	m.api = client.New(w.url, w.keys, client.HTTPClient(&http.Client{Timeout: patience}))
	return &m
}

// tick moves the clock.
func (w *world) tick(minutes int) *client.TickResult {
	w.t.Helper()
	result, err := w.api.AdvanceTime(w.t.Context(), client.TickInput{Minutes: new(int64(minutes))})
	if err != nil {
		w.t.Fatalf("tick %d: %v", minutes, err)
	}
	return result
}

// days lets whole working days pass.
func (w *world) days(n int) {
	w.t.Helper()
	for range n {
		w.tick(480)
	}
}

// get reads a path with the key that it takes.
func (w *world) get(path string) *testclient.Answer {
	w.t.Helper()
	key := w.keys.Office
	if strings.HasPrefix(path, "/factory/") {
		key = w.keys.Factory
	}
	return testclient.Request{Method: http.MethodGet, URL: w.url + path, Key: key}.Send(w.t)
}

// fetch reads the data at a path.
func (w *world) fetch(path string) object {
	w.t.Helper()
	return w.get(path).Want(http.StatusOK, "").Data()
}

// all reads a whole list, oldest first.
func (w *world) all(path string) []object {
	w.t.Helper()
	rows := testclient.All(path, w.get)
	if path != "/events" {
		slices.Reverse(rows)
	}
	return rows
}

// one reads the only row of a list that a member picks.
func (w *world) one(path, member, value string) object {
	w.t.Helper()
	var match []object
	for _, row := range w.all(path) {
		if row[member] == value {
			match = append(match, row)
		}
	}
	if len(match) != 1 {
		w.t.Fatalf("%d rows of %s have the %s %s", len(match), path, member, value)
	}
	return match[0]
}

// failures are the obligations that were not met exactly, and the effects without one.
func (w *world) failures() []string {
	w.t.Helper()
	var list []string
	for f, err := range w.api.IntegrationFindings(w.t.Context(), client.ListIntegrationFindingsParams{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		if f.Verdict != client.IntegrationVerdictExact {
			list = append(list, fmt.Sprintf("%s %s: %s", f.Verdict, f.Kind, f.Message))
		}
	}
	return list
}

// isPerfect expects a score of 1 over all kinds of hand-offs.
func (w *world) isPerfect(least int64, kinds ...client.IntegrationKind) {
	w.t.Helper()
	score, err := w.api.GetIntegration(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if score.ExactlyOnce == nil || *score.ExactlyOnce != 1 || score.Counts.Due < least {
		w.t.Errorf("seed %d: %d obligations were due, want %d or more, and all exact:\n%s",
			w.seed, score.Counts.Due, least, strings.Join(w.failures(), "\n"))
	}
	for _, k := range score.Kinds {
		if slices.Contains(kinds, k.Kind) && k.Due == 0 {
			w.t.Errorf("seed %d: nothing is known about %s", w.seed, k.Kind)
		}
	}
}

// text is a member that is a string.
func text(row object, member string) string {
	s, _ := row[member].(string)
	return s
}

// order is the id of the sales order with a number.
func (w *world) order(number string) string {
	w.t.Helper()
	return text(w.one("/office/sales-orders", "number", number), "id")
}

// oldestFirst reads a list of typed rows, oldest first. One whose cursor was forgotten is
// begun anew.
func oldestFirst[T any](t testing.TB, rows func(yield func(T, error) bool)) []T {
	t.Helper()
	const often = 20
	for beginning := 1; ; beginning++ {
		list, err := whole(rows)
		if err == nil {
			slices.Reverse(list)
			return list
		}
		if !client.IsCode(err, client.CodeInvalidCursor) || beginning == often {
			t.Fatal(err)
		}
	}
}

func whole[T any](rows func(yield func(T, error) bool)) (list []T, err error) {
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}
