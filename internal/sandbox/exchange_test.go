package sandbox_test

import (
	"testing"

	"platen/internal/desk"
)

// TestSecretsAreNotRemembered: URLs of webhooks, however they are spelled, and keys in the wrong header.
func TestSecretsAreNotRemembered(t *testing.T) {
	t.Parallel()
	const key = "lab_off_0123456789abcdefghijklmnop"
	for _, body := range []string{
		`{"\u0075rl":"https://example.com/hook/SECRET"}`, `{"URL":"https://example.com/hook/SECRET"}`, `["SECRET"]`,
	} {
		sent := desk.Exchange{
			IdempotencyKey: key, Request: []byte(body), Response: []byte(body), RequestBytes: int64(len(body)),
		}
		e := sent.Kept(true)
		if e.Request != nil || e.Response != nil || e.RequestBytes != int64(len(body)) {
			t.Errorf("%s: %s and %s are remembered, of %d bytes", body, e.Request, e.Response, e.RequestBytes)
		}
		if e.IdempotencyKey == key {
			t.Error("an API key is remembered as an idempotency key")
		}
	}
}
