package sandbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/sandbox"
)

// TestASlowResponseEndsWithTheServer: an injected delay does not hold up a stop.
func TestASlowResponseEndsWithTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stopped, began := make(chan struct{}), time.Now()
		time.AfterFunc(time.Second, func() { close(stopped) })
		sandbox.Waits(t.Context(), time.Minute, stopped)
		if took := time.Since(began); took != time.Second {
			t.Errorf("a server that stops after a second waits for %s", took)
		}
		sandbox.Waits(t.Context(), time.Minute, nil)
		if took := time.Since(began); took != time.Second+time.Minute {
			t.Errorf("one that goes on waits for %s", took)
		}
	})
}

// TestSecretsAreNotRemembered: URLs of webhooks, however they are spelled, and keys in the wrong header.
func TestSecretsAreNotRemembered(t *testing.T) {
	t.Parallel()
	const key = "lab_off_0123456789abcdefghijklmnop"
	for _, body := range []string{
		`{"\u0075rl":"https://example.com/hook/SECRET"}`, `{"URL":"https://example.com/hook/SECRET"}`, `["SECRET"]`,
	} {
		e := sandbox.NewExchange("", key, []byte(body), []byte(body), true)
		if e.Request != nil || e.Response != nil || e.RequestBytes != int64(len(body)) {
			t.Errorf("%s: %s and %s are remembered, of %d bytes", body, e.Request, e.Response, e.RequestBytes)
		}
		if e.IdempotencyKey == key {
			t.Error("an API key is remembered as an idempotency key")
		}
	}
}
