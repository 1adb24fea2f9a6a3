package browser_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"platen/platentest"
)

// company is a sandbox and a program that works with it: the other terminal.
type company struct {
	*platentest.Sandbox
	testing.TB
	presses []string
}

type record = map[string]any

func found(t testing.TB, p *platentest.Platen, o platentest.Options) *company {
	t.Helper()
	if o.Seed == nil {
		o.Seed = new(int64(7))
	}
	return &company{Sandbox: p.Sandbox(t, o), TB: t}
}

// send makes a call with the key of the system that the path names, and returns
// its status and data.
func (c *company) send(method, path string, body any) (int, record) {
	c.Helper()
	key := c.OfficeKey
	if len(path) > 8 && path[:8] == "/factory" {
		key = c.FactoryKey
	}
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			c.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(c.Context(), method, c.BaseURL+path, bytes.NewReader(text))
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if method != http.MethodGet {
		r.Header.Set("Idempotency-Key", method+path[1:min(len(path), 20)]+string(rune('a'+len(text)%26))+randomText())
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	var envelope struct{ Data, Error record }
	if err := json.Unmarshal(raw, &envelope); err != nil {
		c.Fatalf("%s %s: %s", method, path, raw)
	}
	if envelope.Error != nil {
		return response.StatusCode, envelope.Error
	}
	return response.StatusCode, envelope.Data
}

// must makes a call that has to succeed.
func (c *company) must(method, path string, body any) record {
	c.Helper()
	status, data := c.send(method, path, body)
	if status >= http.StatusBadRequest {
		c.Fatalf("%s %s: %d %v", method, path, status, data)
	}
	return data
}

// list reads the newest rows of a list.
func (c *company) list(path string) []record {
	c.Helper()
	var rows []record
	items, _ := c.must(http.MethodGet, path, nil)["items"].([]any)
	for _, item := range items {
		if row, ok := item.(record); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

func text(r record, name string) string {
	s, _ := r[name].(string)
	return s
}

// tick moves the clock of a company that has none of its own. Time is moved at
// most once in a second, so one that is refused is asked for again.
func (c *company) tick(minutes int) {
	c.Helper()
	for {
		status, data := c.send(http.MethodPost, "/sandbox/tick", record{"minutes": minutes})
		if status == http.StatusOK {
			return
		}
		if text(data, "code") != "tick_rate" {
			c.Fatalf("tick: %v", data)
		}
		waitForTick()
	}
}
