// Package webhook sends deliveries: it decides which URLs may be subscribed,
// signs bodies, keeps secrets sealed, and carries each attempt to its receiver.
// The due deliveries and their outcomes are kept elsewhere, behind Source;
// nothing that a restart could lose is kept here.
package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	// SecretPrefix begins every secret (contract: WHK.SECRET).
	SecretPrefix = "whsec_"
	// secretBytes is the number of random bytes of a secret (contract:
	// OPEN.WHK.SECRET). A multiple of three, so that base64 needs no padding.
	secretBytes = 24
)

// Names of the headers that a delivery is verified by (contract:
// DLV.HEADER.ID, DLV.HEADER.TIMESTAMP, DLV.HEADER.SIGNATURE). They are sent in
// lower case.
const (
	HeaderID        = standardwebhooks.HeaderWebhookID
	HeaderTimestamp = standardwebhooks.HeaderWebhookTimestamp
	HeaderSignature = standardwebhooks.HeaderWebhookSignature

	headerTraceparent = "traceparent"
	headerTracestate  = "tracestate"
)

// NewSecret returns a secret: whsec_ and 24 random bytes in standard base64
// (contract: OPEN.WHK.SECRET).
func NewSecret() string {
	random := make([]byte, secretBytes)
	rand.Read(random)
	return SecretPrefix + base64.StdEncoding.EncodeToString(random)
}

// Sign returns the value of webhook-signature: one signature for each secret,
// in their order, with a space between them (contract: SIG.CONTENT, SIG.KEY,
// SIG.ALGORITHM, DLV.HEADER.SIGNATURE.ROTATION). The body is signed as it is.
// A secret that is not base64 behind whsec_ is an error.
func Sign(secrets []string, id string, sentAt time.Time, body []byte) (string, error) {
	signatures := make([]string, 0, len(secrets))
	for _, secret := range secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return "", fmt.Errorf("read a signing secret: %w", err)
		}
		signature, err := signer.Sign(id, sentAt, body)
		if err != nil {
			return "", fmt.Errorf("sign %s: %w", id, err)
		}
		signatures = append(signatures, signature)
	}
	return strings.Join(signatures, " "), nil
}

// UserAgent is the header User-Agent of deliveries from a server with an
// origin such as http://127.0.0.1:8080 (contract: DLV.HEADER.USER_AGENT).
func UserAgent(origin string) string {
	return "Platen-Webhooks/1.0 (+" + strings.TrimRight(origin, "/") + "/docs/webhooks)"
}
