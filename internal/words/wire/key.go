package wire

import (
	"net/http"
	"slices"
	"strings"
)

// SentKey returns the key of a request, "" for none: the Bearer token, or
// X-Api-Key where there is none (contract: AUTH.X_API_KEY, AUTH.BEARER_WINS).
func SentKey(h http.Header) string {
	if sent := h["Authorization"]; len(sent) > 0 {
		if scheme, token, ok := strings.Cut(sent[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(token)
		}
	}
	if sent := h[HeaderKey]; len(sent) > 0 {
		return sent[0]
	}
	return ""
}

// schemes are those of other services, as clients name them.
//
//nolint:gochecknoglobals // read only
var schemes = []string{
	"Basic", "Digest", "Token", "ApiKey", "Api-Key", "Key", "JWT", "OAuth", "DPoP", "HMAC", "Negotiate",
}

// Misplaced says in a sentence how the key of a request may have come in Authorization without being a Bearer token,
// with what to send instead. Both are "" where that header is not sent. They never repeat a text that may be a key.
func Misplaced(h http.Header) (sentence, hint string) {
	sent := h.Get("Authorization")
	scheme, _, more := strings.Cut(sent, " ")
	known := slices.IndexFunc(schemes, func(name string) bool { return strings.EqualFold(name, scheme) })
	hint = "Send Authorization: Bearer <key>: the word Bearer, a space and the key."
	switch {
	case sent == "":
		return "", ""
	case strings.EqualFold(scheme, "Basic"):
		return "Authorization came with the scheme Basic, as curl -u sends it.",
			`Send Authorization: Bearer <key>, as in curl -H "Authorization: Bearer <key>", instead of curl -u <key>:.`
	case known >= 0:
		return "Authorization came with the scheme " + schemes[known] + ".", hint
	case len(scheme) >= len("Bearer") && strings.EqualFold(scheme[:len("Bearer")], "Bearer"):
		return "Authorization begins with Bearer, and no space and key follow.", hint
	case more:
		return "Authorization came with another scheme than Bearer.", hint
	}
	return "Authorization came without a scheme.", hint
}

// SentTwice reports whether a header with a key is repeated in a request, of
// which only one can be meant.
func SentTwice(h http.Header) bool {
	return len(h["Authorization"]) > 1 || len(h[HeaderKey]) > 1
}
