package server

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"platen/internal/company/record"
	"platen/internal/config"
	"platen/internal/sandbox/commitlog"
	"platen/internal/sandbox/sandboxfile"
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
