package sandbox_test

import (
	"strings"
	"testing"

	"platen/internal/desk"
	"platen/internal/words/wire"
)

// TestSecretsAreNotRemembered: URLs of webhooks, however they are spelled, and keys in the wrong header.
func TestSecretsAreNotRemembered(t *testing.T) {
	t.Parallel()
	for _, key := range append(wire.Secrets(), wire.WebhookSecretPrefix) {
		key += "0123456789abcdefghijklmnop"
		sent := desk.Exchange{
			Query: "a_b=_" + key, IdempotencyKey: key, Request: []byte(`{"a":"` + key + `"}`), Response: []byte(key),
		}
		e := sent.Kept(false)
		if all := e.Query + e.IdempotencyKey + string(e.Request) + string(e.Response); strings.Contains(all, key[:12]) {
			t.Errorf("%s is remembered: %s", key, all)
		}
	}
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
