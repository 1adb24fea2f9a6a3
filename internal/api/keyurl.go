package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"platen/internal/problem"
	"platen/internal/sandbox"
)

const (
	// decodingsMost is how often a URL is decoded in search of a key.
	decodingsMost = 8
	// keysMost is how many keys of one URL are revoked. Nobody has more than
	// the two of a sandbox.
	keysMost = 16
)

// HasKey reports whether a request's URL holds a key.
func HasKey(r *http.Request) bool { return len(keysIn(target(r))) > 0 }

// target is the URL as the client sent it.
func target(r *http.Request) string {
	if r.RequestURI != "" {
		return r.RequestURI
	}
	return r.URL.String()
}

// keysIn returns what has the shape of a key in a URL, percent-encoded any
// number of times, too (contract: OPEN.AUTH.KEY_SHAPES).
func keysIn(url string) []string {
	var keys []string
	for range decodingsMost {
		keys = appendKeys(keys, url)
		if !strings.Contains(url, "%") {
			break
		}
		decoded := decodeOnce(url)
		if decoded == url {
			break
		}
		url = decoded
	}
	return keys
}

// appendKeys appends the keys that stand in a text as they are.
func appendKeys(keys []string, text string) []string {
	for _, prefix := range [...]string{sandbox.OfficePrefix, sandbox.FactoryPrefix} {
		for rest := text; len(keys) < keysMost; {
			at := strings.Index(rest, prefix)
			if at < 0 {
				break
			}
			if rest = rest[at:]; len(rest) < sandbox.KeyLength {
				break
			}
			if key := rest[:sandbox.KeyLength]; isKey(key[len(prefix):]) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
			rest = rest[len(prefix):]
		}
	}
	return keys
}

// isKey reports whether a text is of the letters of URL-safe base64.
func isKey(secret string) bool {
	for i := range len(secret) {
		c := secret[i]
		letter := 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// decodeOnce resolves percent-encodings and lets everything be that is none:
// what a strict reader refuses may still be read by somebody.
func decodeOnce(text string) string {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			high, low := digit(text[i+1]), digit(text[i+2])
			if high >= 0 && low >= 0 {
				b = append(b, byte(high<<4|low))
				i += 2
				continue
			}
		}
		b = append(b, text[i])
	}
	return string(b)
}

// digit is the value of a hexadecimal digit, -1 for anything else.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	default:
		return -1
	}
}

// exposed revokes the keys of a URL and refuses the request (contract:
// AUTH.KEY_IN_URL, AUTH.KEY_IN_URL.REVOKED). It is answered whatever the
// budgets say: a key that is out in the open must not wait.
func (x *exchange) exposed(keys []string) error {
	x.spent = x.server.gate.Charge(x.now.Time(), x.group)
	var errs []error
	for _, key := range keys {
		errs = append(errs, x.server.house.Revoke(x.r.Context(), key))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return problem.New(problem.KeyInURL, "The URL holds a key. A key that has stood in a URL is revoked.")
}
