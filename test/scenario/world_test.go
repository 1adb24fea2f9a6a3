package scenario

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"platen/client"
	"platen/internal/testclient"
	"platen/platentest"
)

// object is a JSON object. Numbers keep their digits.
type object = map[string]any

// world is a company, seen with both keys.
type world struct {
	t    testing.TB
	url  string
	keys client.Keys
	api  *client.Client
	seed int64
}

// suite is what outlives a single test.
var suite testclient.Suite

// server starts one server for all tests of the package that want no other.
var server = sync.OnceValue(func() *platentest.Platen {
	return platentest.Start(&suite, map[string]string{"max-sandboxes": "100000"})
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

// fetch reads a path as it is.
func (w *world) fetch(path string) object {
	w.t.Helper()
	key := w.keys.Office
	if strings.HasPrefix(path, "/factory/") {
		key = w.keys.Factory
	}
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+path, http.NoBody)
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	var envelope struct {
		Data object `json:"data"`
	}
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&envelope); err != nil || response.StatusCode != http.StatusOK {
		w.t.Fatalf("GET %s: %d %v", path, response.StatusCode, err)
	}
	return envelope.Data
}

// all reads a whole list, oldest first.
func (w *world) all(path string) []object {
	w.t.Helper()
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	var rows []object
	for next := ""; ; {
		page := w.fetch(path + join + "limit=100" + next)
		for _, item := range page["items"].([]any) {
			rows = append(rows, item.(object))
		}
		cursor, ok := page["next_cursor"].(string)
		if !ok {
			break
		}
		next = "&cursor=" + cursor
	}
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

// oldestFirst reads a list of typed rows, oldest first.
func oldestFirst[T any](t testing.TB, rows func(yield func(T, error) bool)) []T {
	t.Helper()
	var list []T
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	slices.Reverse(list)
	return list
}
