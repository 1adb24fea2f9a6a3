package server

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"platen/internal/company/record"
	"platen/internal/config"
	"platen/internal/sandbox/commitlog"
	"platen/internal/sandbox/sandboxfile"
	"platen/internal/store/sqlite"
)

// TestAFileHasNoSecrets: neither keys nor addresses of webhooks, however its commits are packed.
func TestAFileHasNoSecrets(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.PrivateWebhooks = true })
	k := newSandbox(t, s, `{"preset":"manual","clock":"manual"}`)
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(hook.Close)
	made := ask(t, s, "POST", "/v1/webhooks", k.office, `{"url":"`+hook.URL+`/secret-path","events":["*"]}`,
		"Idempotency-Key", "key-of-the-webhook").want(t, http.StatusCreated)
	secret, _ := made.Data["secret"].(string)
	content := unpackFile(t, ask(t, s, "GET", "/v1/sandbox.platen", k.office, "").want(t, http.StatusOK).body)
	for _, text := range []string{k.office, k.factory, "secret-path", secret, "key-of-the-webhook"} {
		if text == "" || strings.Contains(content, text) {
			t.Errorf("the file holds %q", text)
		}
	}
	if !strings.Contains(content, "SO-1001") || !strings.Contains(content, "127.0.0.1") {
		t.Error("the file is not read: it holds no order, or no host of a webhook")
	}
}

// TestARefusedFileLeavesNothing in the database.
func TestARefusedFileLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	k := newSandbox(t, s, `{"preset":"manual","clock":"manual"}`)
	tick(t, s, k, 480)
	file := ask(t, s, "GET", "/v1/sandbox.platen", k.office, "").want(t, http.StatusOK).body
	c := config.Default()
	c.Database = filepath.Join(t.TempDir(), "imported.db")
	for _, part := range []string{file[:len(file)-1], file[:len(file)/2], file} {
		_, refused := Import(t.Context(), c, strings.NewReader(part))
		db, err := sqlite.Open(t.Context(), c.Database)
		if err != nil {
			t.Fatal(err)
		}
		n, err := db.Count(t.Context())
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		if whole := len(part) == len(file); (n == 1) != whole || (refused == nil) != whole {
			t.Errorf("%d of %d bytes leave %d sandboxes, %v", len(part), len(file), n, refused)
		}
	}
}

// unpackFile is everything in the commits of a file, as text.
func unpackFile(t *testing.T, file string) string {
	t.Helper()
	r, err := sandboxfile.NewReader(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for version := uint64(1); ; version++ {
		body, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		commit, err := commitlog.DecodeCommit(body, version)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(record.AppendChanges(nil, &commit.Changes))
		if commit.Reply != nil {
			all.Write(commit.Reply.Body)
		}
	}
}
