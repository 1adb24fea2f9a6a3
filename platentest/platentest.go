// Package platentest runs a whole Platen inside a Go test: a real server on a
// loopback port, over a database in the test's temporary folder, with its
// limits off. It is stopped when the test ends.
//
//	func TestMyIntegration(t *testing.T) {
//		p := platentest.Start(t)
//		s := p.Sandbox(t, platentest.Options{Preset: "manual", Clock: "manual"})
//		myintegration.Run(s.BaseURL, s.OfficeKey, s.FactoryKey)
//	}
package platentest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"platen/internal/config"
	"platen/internal/server"
)

const (
	stopTime    = 10 * time.Second
	callTimeout = 30 * time.Second
)

// Platen is a running server.
type Platen struct {
	// Origin is its scheme and host, BaseURL where its API lives.
	Origin, BaseURL string
}

// Limits are settings for Start that switch the limits on, as platen serve has
// them.
func Limits() map[string]string {
	c, settings := config.Default(), map[string]string{}
	for name, n := range map[string]int{
		"ip-active": c.IPActive, "ip-creations": c.IPCreations, "key-rate": c.KeyRate, "ip-rate": c.IPRate,
		"anonymous-rate": c.AnonymousRate, "page-rate": c.PageRate,
	} {
		settings[name] = strconv.Itoa(n)
	}
	settings["tick-pause"] = c.TickPause.String()
	return settings
}

// Start runs a server until the test ends. Change adjusts its settings before
// it starts; the names are those of the flags of platen serve.
func Start(t testing.TB, change ...map[string]string) *Platen {
	t.Helper()
	c := config.Default()
	c.Listen, c.Database = "127.0.0.1:0", filepath.Join(t.TempDir(), "platen.db")
	c.IPActive, c.IPCreations, c.KeyRate, c.IPRate, c.AnonymousRate, c.TickPause = 0, 0, 0, 0, 0, 0
	c.PageRate = 0
	for _, settings := range change {
		for _, f := range c.Fields() {
			if text, ok := settings[f.Name]; ok {
				if err := f.Set(text); err != nil {
					t.Fatalf("platentest: %v", err)
				}
			}
		}
	}
	s, err := server.New(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatalf("platentest: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Errorf("platentest: stop: %v", err)
		}
	})
	if err := s.Start(t.Context()); err != nil {
		t.Fatalf("platentest: %v", err)
	}
	return &Platen{Origin: s.Origin(), BaseURL: s.BaseURL()}
}

// Options are a client's choices for a new sandbox. Empty fields are left to
// the server.
type Options struct {
	Preset string `json:"preset,omitempty"`
	Bridge string `json:"bridge,omitempty"`
	Clock  string `json:"clock,omitempty"`
	Seed   *int64 `json:"seed,omitempty"`
}

// Sandbox is a throw-away company with its two keys.
type Sandbox struct {
	BaseURL    string `json:"-"`
	ID         string `json:"sandbox_id"`
	OfficeKey  string `json:"office_key"`
	FactoryKey string `json:"factory_key"`
}

// Sandbox creates a sandbox.
func (p *Platen) Sandbox(t testing.TB, o Options) *Sandbox {
	t.Helper()
	body, err := json.Marshal(o)
	if err != nil {
		t.Fatalf("platentest: %v", err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.BaseURL+"/sandboxes", bytes.NewReader(body))
	if err != nil {
		t.Fatalf("platentest: %v", err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: callTimeout}).Do(r)
	if err != nil {
		t.Fatalf("platentest: %v", err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("platentest: create a sandbox: %d %s %v", response.StatusCode, raw, err)
	}
	answer := struct {
		Data *Sandbox `json:"data"`
	}{Data: &Sandbox{BaseURL: p.BaseURL}}
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("platentest: %v", err)
	}
	return answer.Data
}
