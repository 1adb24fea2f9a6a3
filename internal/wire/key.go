package wire

import (
	"net/http"
	"strings"
)

// SentKey returns the key of a request, "" for none: the Bearer token, or
// X-Api-Key where there is none (contract: AUTH.X_API_KEY, AUTH.BEARER_WINS).
func SentKey(h http.Header) string {
	if scheme, token, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return h.Get(HeaderKey)
}

// SentTwice reports whether a header with a key is repeated in a request, of
// which only one can be meant.
func SentTwice(h http.Header) bool {
	return len(h.Values("Authorization")) > 1 || len(h.Values(HeaderKey)) > 1
}
