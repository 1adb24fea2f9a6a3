package desk

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"platen/internal/sandbox/apikey"
	"platen/internal/words/wire"
)

// Limits of what is remembered of the bodies of a sandbox's requests (contract:
// OPEN.REQUEST.BODIES).
const (
	// MaxExchanges is of how many requests there are bodies.
	MaxExchanges = 200
	// MaxExchangeBody is how much of each body is kept, in bytes, and maxExchangeBytes how much
	// of all of a sandbox's.
	MaxExchangeBody  = 4 << 10
	maxExchangeBytes = 256 << 10
	// MaxQuery is how much of a query string is kept, in bytes.
	MaxQuery = 2 << 10
)

// Exchange has the data on the wire of a request: without keys and secrets, and of the bodies
// their beginnings.
type Exchange struct {
	Query, IdempotencyKey string
	Request, Response     []byte
	// QueryBytes, RequestBytes and ResponseBytes are how long the query string and the bodies were.
	QueryBytes, RequestBytes, ResponseBytes int64
}

// secrets are never remembered: those of sandboxes and of webhooks, whole or cut short.
var secrets = regexp.MustCompile(
	`(?:` + strings.Join(wire.Secrets(), "|") + `)[A-Za-z0-9_-]+|` + wire.WebhookSecretPrefix + `[A-Za-z0-9+/=]+`)

const removed = "(removed)"

// Kept returns the parts of an exchange that may be kept, in memory of their own: where hidden is set, nothing of
// the bodies. The response must be in memory of its own already, which is kept.
func (e *Exchange) Kept(hidden bool) *Exchange {
	kept := *e
	kept.QueryBytes = int64(len(e.Query))
	kept.Query = string(WithoutSecrets([]byte(e.Query[:min(len(e.Query), MaxQuery)])))
	kept.IdempotencyKey = string(WithoutSecrets([]byte(e.IdempotencyKey)))
	kept.Request, kept.Response = nil, nil
	if !hidden {
		kept.Request = WithoutSecrets(slices.Clone(e.Request[:min(len(e.Request), MaxExchangeBody)]))
		kept.Response = WithoutSecrets(e.Response[:min(len(e.Response), MaxExchangeBody)])
	}
	return &kept
}

// ends are the prefixes of secrets up to their first underscore.
//
//nolint:gochecknoglobals // read only
var ends = [][]byte{[]byte("lab_"), []byte("sbh_"), []byte("whsec_")}

// WithoutSecrets replaces secrets in a text. It looks at the underscores first, of which a text has few: it is asked of
// the bodies of all requests.
func WithoutSecrets(text []byte) []byte {
	for from := 0; ; {
		at := bytes.IndexByte(text[from:], '_')
		if at < 0 {
			return text
		}
		from += at + 1
		if slices.ContainsFunc(ends, func(end []byte) bool { return bytes.HasSuffix(text[:from], end) }) {
			return secrets.ReplaceAll(text, []byte(removed))
		}
	}
}

// size is about how much memory an exchange takes up, in bytes; 0 for none.
func (e *Exchange) size() int64 {
	if e == nil {
		return 0
	}
	return int64(callBytes + len(e.Query) + len(e.IdempotencyKey) + cap(e.Request) + cap(e.Response))
}

// ShownTo reports whether the bodies of a request may be read with a key: with the one that it
// was sent with.
func (c *Call) ShownTo(system apikey.System) bool { return c.Exchange != nil && c.System == system }
