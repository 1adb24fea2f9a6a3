package api

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"platen/internal/message"
	"platen/internal/problem"
	"platen/internal/ratelimit"
	"platen/internal/sandbox/apikey"
)

// maxKeys is the number of keys of one URL that are revoked. A client has no
// more than the three of an evaluation.
const maxKeys = 16

// HasKey reports whether a request's URL holds a key.
func HasKey(r *http.Request) bool { return len(keysIn(target(r))) > 0 }

// target is the URL as the client sent it.
func target(r *http.Request) string {
	if r.RequestURI != "" {
		return r.RequestURI
	}
	return r.URL.String()
}

// keysIn returns the parts of a URL that have the shape of a key,
// percent-encoded any number of times, too (contract: OPEN.AUTH.KEY_SHAPES). A
// key stays whole whatever the text before it is decoded to: it begins with no
// hexadecimal digit.
func keysIn(url string) []string {
	if strings.Contains(url, "%") {
		url = decodeWhole(url)
	}
	if !strings.Contains(url, apikey.Mark) {
		return nil
	}
	return appendKeys(nil, url)
}

// requestLine finds a URL in the line of a request, well-formed or not. A line of a body, which
// may have the client's own keys, is none.
var requestLine = regexp.MustCompile(`^\S+\s+((?:/|https?://).*)`)

// keysOfLine returns the keys of the URL in a request's line.
func keysOfLine(line string) []string {
	if m := requestLine.FindStringSubmatch(line); m != nil {
		return keysIn(m[1])
	}
	return nil
}

// appendKeys appends the keys that a text contains as they are.
func appendKeys(keys []string, text string) []string {
	for prefix, length := range apikey.Shapes() {
		for rest := text; len(keys) < maxKeys; {
			at := strings.Index(rest, prefix)
			if at < 0 {
				break
			}
			if rest = rest[at:]; len(rest) < length {
				break
			}
			if key := rest[:length]; isKey(key[len(prefix):]) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
			rest = rest[len(prefix):]
		}
	}
	return keys
}

// isKey reports whether a text consists of the letters of URL-safe base64.
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

// decodeWhole resolves percent-encodings, and those that come of it, until
// there are none, and leaves everything else as it is: a text that a strict
// reader refuses may still be read by a lenient one. It looks at each byte
// once, as an encoding of encodings must not keep the server busy.
func decodeWhole(text string) string {
	b := make([]byte, 0, len(text))
	for i := range len(text) {
		b = append(b, text[i])
		for n := len(b); n >= 3 && b[n-3] == '%'; n = len(b) {
			high, low := digit(b[n-2]), digit(b[n-1])
			if high < 0 || low < 0 {
				break
			}
			b = append(b[:n-3], byte(high<<4|low))
		}
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
// AUTH.KEY_IN_URL, AUTH.KEY_IN_URL.REVOKED). A key that works is revoked even
// when the budgets are used up: one that is out in the open must not wait. Keys
// of no sandbox cost the same as any request without a key (contract:
// OPEN.AUTH.KEY_IN_URL.BUDGET).
func (s *Server) exposed(r *message.Request) *message.Response {
	known := false
	var errs []error
	for _, key := range r.Exposed {
		exists, err := s.registry.Exists(r.Context(), key)
		if exists {
			known, err = true, s.revoke(r, key)
		}
		errs = append(errs, err)
	}
	var spent ratelimit.Decision
	var err error
	if known {
		spent = s.gate.Charge(r.At.Time(), r.Network)
	} else {
		spent = s.spend(r)
		err = s.passed(r, &spent)
	}
	if err == nil {
		err = errors.Join(errs...)
	}
	if err == nil {
		err = keyInURL(r.Exposed, known)
	}
	out := s.errors.Response(r, r.At, err)
	s.show(r, out, spent)
	return out
}

func keyInURL(keys []string, known bool) error {
	if !known && isReview(keys[0]) {
		return problem.New(problem.KeyInURL,
			"The URL holds the token of a reviewer's link, which belongs in a header.").
			Hinting("The token still works: it ends with the sandbox, or when one of its keys is revoked.")
	}
	return problem.New(problem.KeyInURL, "The URL holds a key. Keys found in URLs are revoked immediately.")
}

// revoke revokes a key, wherever its sandbox is.
func (s *Server) revoke(r *message.Request, key string) error {
	if s.options.Revoke != nil {
		return s.options.Revoke(r.Context(), r.ID, key)
	}
	return s.registry.Revoke(r.Context(), key) //nolint:wrapcheck // a problem, or the name of what failed
}
