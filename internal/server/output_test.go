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
	"platen/test/testclient"
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
	refused, served := config.Default(), config.Default()
	values := map[string]func(secret string){
		"database": func(secret string) { // for a server of its own, which does not start
			refused.Database = "postgres://platen:" + secret + "@127.0.0.1:1/platen"
			refused.SecretKey = strings.Repeat("k", 40)
		},
		"valkey":            func(secret string) { served.Valkey = "redis://:" + secret + "@127.0.0.1:1/0" },
		"secret-key":        func(secret string) { served.SecretKey = secret },
		"creation-key":      func(secret string) { served.CreationKey = secret },
		"evaluation-secret": func(secret string) { served.EvaluationSecret = secret },
	}
	for _, f := range config.Default().Fields() {
		if !f.Secret {
			continue
		}
		set := values[f.Name]
		if set == nil {
			t.Fatalf("the test has no value for %s", f.Name)
		}
		set(unmistakable + f.Name)
	}
	served.Listen, served.Database = "127.0.0.1:0", filepath.Join(t.TempDir(), "platen.db")
	var log heardLog
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	outputs := map[string]string{"place": served.Place(), "place of a database": refused.Place()}
	if _, err := New(t.Context(), refused, logger); err == nil {
		t.Error("a server starts without its database")
	} else {
		outputs["error"] = err.Error()
	}
	s, err := New(t.Context(), served, logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.WithoutCancel(t.Context())) })
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	order := testclient.Request{
		Method: http.MethodPost, URL: s.BaseURL() + "/sandboxes", Key: served.CreationKey + "x",
		Body: `{"evaluation":true}`,
	}
	outputs["another key"] = string(order.Send(t).Raw)
	order.Key = served.CreationKey
	outputs["a creation"] = string(order.Send(t).Want(http.StatusCreated, "").Raw)
	for _, path := range []string{
		"/", "/docs/settings", "/docs/settings.md", "/docs/self-hosting", "/llms-full.txt", "/metrics",
		"/status.json", "/readyz", "/status", "/openapi.json", "/v1/sandbox",
	} {
		outputs[path] = string(get(t, s, http.MethodGet, path, "").body)
	}
	outputs["log"] = log.String()
	for name, text := range outputs {
		if at := strings.Index(text, unmistakable); at >= 0 {
			t.Errorf("%s has the secret %.60s", name, text[at:])
		}
	}
}
