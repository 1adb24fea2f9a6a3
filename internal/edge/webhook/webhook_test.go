package webhook_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"platen/internal/edge/webhook"
)

// TestThePublishedVectorIsSignedAsPublished (contract: SIG.CONTENT, SIG.KEY,
// SIG.ALGORITHM).
func TestThePublishedVectorIsSignedAsPublished(t *testing.T) {
	t.Parallel()
	got, err := webhook.Sign([]string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, "msg_p5jXN8AQM9LWM0D4loKWxJek",
		time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestNewSecretsAreDifferentAndSign(t *testing.T) {
	t.Parallel()
	body, now := []byte(`{"a":1}`), time.Now()
	secrets := []string{webhook.NewSecret(), webhook.NewSecret()}
	if secrets[0] == secrets[1] {
		t.Fatal("two secrets are the same")
	}
	signature, err := webhook.Sign(secrets, "evt_1", now, body)
	if err != nil || len(strings.Fields(signature)) != len(secrets) {
		t.Fatalf("signed %q, %v, want a signature for each secret", signature, err)
	}
	header := http.Header{}
	header.Set(webhook.HeaderID, "evt_1")
	header.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(webhook.HeaderSignature, signature)
	for _, secret := range secrets {
		random, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(random) != 24 || strings.Contains(secret, "=") {
			t.Errorf("a secret of %d random bytes, %v", len(random), err)
		}
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(body, header); err != nil {
			t.Errorf("the receiver says: %v", err)
		}
	}
	if _, err := webhook.Sign([]string{"whsec_%"}, "evt_1", now, body); err == nil {
		t.Error("a secret that is none signed")
	}
}

func TestWhatIsSealedOpensOnlyWhereItBelongs(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte{7}, 32)
	sealer, err := webhook.NewSealer(key)
	if err != nil {
		t.Fatal(err)
	}
	other, err := webhook.NewSealer(bytes.Repeat([]byte{8}, 32))
	if err != nil {
		t.Fatal(err)
	}
	context := webhook.SealContext("sbx_1", "whk_1")
	sealed := sealer.Seal("whsec_plain", context)
	if bytes.Contains(sealed, []byte("plain")) || bytes.Equal(sealed, sealer.Seal("whsec_plain", context)) {
		t.Error("it can be read, or compared, without the key")
	}
	if plain, err := sealer.Open(sealed, context); plain != "whsec_plain" || err != nil {
		t.Errorf("opened %q, %v", plain, err)
	}
	again, err := webhook.NewSealer(key)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := again.Open(sealed, context); plain != "whsec_plain" || err != nil {
		t.Errorf("after a restart: %q, %v", plain, err)
	}
	if _, err := other.Open(sealed, context); err == nil {
		t.Error("another key opened it")
	}
	if _, err := sealer.Open(sealed, webhook.SealContext("sbx_1", "whk_2")); err == nil {
		t.Error("it opened for another subscription")
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := sealer.Open(changed, context); err == nil {
			t.Errorf("it opened although byte %d was changed", i)
		}
		if _, err := sealer.Open(sealed[:i], context); err == nil {
			t.Errorf("the first %d bytes opened", i)
		}
	}
}

func TestUserAgentNamesTheDocs(t *testing.T) {
	t.Parallel()
	if got, want := webhook.UserAgent("http://127.0.0.1:8080/"),
		"Platen-Webhooks/1.0 (+http://127.0.0.1:8080/docs/webhooks)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
