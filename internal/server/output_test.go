package server

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"platen/internal/config"
	"platen/internal/testclient"
)

// unmistakable is in every secret of the test, and in nothing else.
const unmistakable = "unmistakablesecret0123456789abcdef"

// heardLog keeps all lines of a log.
type heardLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (h *heardLog) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

func (h *heardLog) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// TestNoSecretSettingIsInAnyOutput sets each of the settings that are marked as
// secret, and looks for it in the log, in errors and on every page that tells of
// settings or of the server.
func TestNoSecretSettingIsInAnyOutput(t *testing.T) {
	t.Parallel()
	values := map[string]func(c *config.Config){
		"database": func(c *config.Config) {
			c.Database, c.SecretKey = "postgres://platen:"+unmistakable+"@127.0.0.1:1/platen", strings.Repeat("k", 40)
		},
		"valkey":       func(c *config.Config) { c.Valkey = "redis://:" + unmistakable + "@127.0.0.1:1/0" },
		"secret-key":   func(c *config.Config) { c.SecretKey = unmistakable },
		"creation-key": func(c *config.Config) { c.CreationKey = unmistakable },
		"evaluation-secret": func(c *config.Config) {
			c.CreationKey, c.EvaluationSecret = strings.Repeat("k", 40), unmistakable
		},
	}
	for _, f := range config.Default().Fields() {
		if !f.Secret {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			set := values[f.Name]
			if set == nil {
				t.Fatal("the test has no value for it")
			}
			c := config.Default()
			c.Listen, c.Database = "127.0.0.1:0", filepath.Join(t.TempDir(), "platen.db")
			set(c)
			var log heardLog
			outputs := map[string]string{"place": c.Place()}
			debug := &slog.HandlerOptions{Level: slog.LevelDebug}
			s, err := New(t.Context(), c, slog.New(slog.NewJSONHandler(&log, debug)))
			if err != nil {
				outputs["error"] = err.Error()
			} else {
				t.Cleanup(func() { s.Stop(context.WithoutCancel(t.Context())) })
				if err := s.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				order := testclient.Request{
					Method: http.MethodPost, URL: s.BaseURL() + "/sandboxes", Key: c.CreationKey + "x",
					Body: `{"evaluation":true}`,
				}
				outputs["another key"] = string(order.Send(t).Raw)
				order.Key = c.CreationKey
				outputs["a creation"] = string(order.Send(t).Want(http.StatusCreated, "").Raw)
				for _, path := range []string{
					"/", "/docs/settings", "/docs/settings.md", "/docs/self-hosting", "/llms-full.txt", "/metrics",
					"/status.json", "/readyz", "/status", "/openapi.json", "/v1/sandbox",
					"/docs/search?q=" + unmistakable[:12],
				} {
					outputs[path] = string(get(t, s, http.MethodGet, path, "").body)
				}
			}
			outputs["log"] = log.String()
			for name, text := range outputs {
				if strings.Contains(text, unmistakable) {
					t.Errorf("%s has the secret", name)
				}
			}
			if len(outputs) < 3 && outputs["error"] == "" {
				t.Error("nothing was looked at")
			}
		})
	}
}
