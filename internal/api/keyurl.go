package api

import (
	"bytes"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"platen/internal/api/message"
	"platen/internal/edge/ratelimit"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
)

// maxKeys is the number of keys of one URL that are revoked. A client has no
// more than the three of an evaluation.
const maxKeys = 16

// HasKey reports whether a request's URL holds a key.
func HasKey(r *http.Request) bool { return len(keysIn(r)) > 0 }

// keysIn returns the parts of a request's URL that have the shape of a key,
// percent-encoded any number of times, too (contract: OPEN.AUTH.KEY_SHAPES). A
// key stays whole whatever the text before it is decoded to: it begins with no
// hexadecimal digit.
func keysIn(r *http.Request) []string {
	url := r.RequestURI // as the client sent it
	if url == "" {
		url = r.URL.String()
	}
	if strings.Contains(url, "%") {
		url = string(appendDecoded(make([]byte, 0, len(url)), []byte(url)))
	}
	if !strings.Contains(url, apikey.Mark) {
		return nil
	}
	return appendKeys(nil, url)
}

const (
	// pieceBytes is how much of a line is kept before it is looked at, keptBytes how much of it is kept decoded
	// for a key that goes on in the next piece.
	pieceBytes = 2 << 10
	keptBytes  = 1 << 10
)

// Line finds the keys in the line of a request that comes in pieces, however long it is, and keeps little of it.
type Line struct {
	// piece is not looked at yet, text the decoded end of what was. Long is set for a line of more than one piece,
	// whole at its end, and request for one that a request begins with.
	piece, text          []byte
	long, whole, request bool
	keys                 []string
}

// Add adds what has come. What is behind the end of the line is left out.
func (l *Line) Add(b []byte) {
	for len(b) > 0 && !l.whole {
		end := bytes.IndexByte(b, '\n')
		part := b
		if end >= 0 {
			part = b[:end]
		}
		part = part[:min(len(part), pieceBytes-len(l.piece))]
		l.piece, b = append(l.piece, part...), b[len(part):]
		l.whole = len(b) > 0 && b[0] == '\n'
		if len(l.piece) == pieceBytes {
			l.look()
		}
	}
}

// look looks at a piece for keys, and keeps its end.
func (l *Line) look() {
	if !l.long {
		at := requestLine.FindIndex(l.piece)
		if l.long, l.request = true, at != nil; l.request {
			l.text = appendDecoded(l.text, l.piece[at[1]-1:])
			l.piece = l.piece[:0]
		}
	}
	if l.request {
		l.text = appendDecoded(l.text, l.piece)
		if bytes.Contains(l.text, []byte(apikey.Mark)) {
			l.keys = appendKeys(l.keys, string(l.text))
		}
		l.text = append(l.text[:0], l.text[max(0, len(l.text)-keptBytes):]...)
	}
	l.piece = l.piece[:0]
}

// Keys are those in the line, as far as it came.
func (l *Line) Keys() []string {
	l.look()
	return l.keys
}

// Whole reports whether the line has ended.
func (l *Line) Whole() bool { return l.whole }

// Reset begins another line.
func (l *Line) Reset() {
	*l = Line{piece: l.piece[:0]}
}

// requestLine finds a URL in the line of a request, well-formed or not. A line of a body, which
// may have the client's own keys, is none.
var requestLine = regexp.MustCompile(`^\S+\s+(?:/|https?://)`)

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

// appendDecoded appends a text to one that was decoded. It resolves percent-encodings, and those that come of it, until
// there are none, and leaves everything else as it is: a text that a strict
// reader refuses may still be read by a lenient one. It looks at each byte
// once, as an encoding of encodings must not keep the server busy.
func appendDecoded(b, text []byte) []byte {
	for _, c := range text {
		b = append(b, c)
		for n := len(b); n >= 3 && b[n-3] == '%'; n = len(b) {
			high, low := digit(b[n-2]), digit(b[n-1])
			if high < 0 || low < 0 {
				break
			}
			b = append(b[:n-3], byte(high<<4|low))
		}
	}
	return b
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
	existing, failed := s.registry.Existing(r.Context(), r.Exposed)
	for _, key := range existing {
		failed = errors.Join(failed, s.revoke(r, key))
	}
	known := len(existing) > 0
	var spent ratelimit.Decision
	var err error
	if known {
		spent = s.gate.Charge(r.At.Time(), r.Network)
	} else {
		spent, err = s.pay(r)
	}
	if err == nil {
		err = failed
	}
	if err == nil {
		err = keyInURL(r.Exposed, known)
	}
	out := s.errors.Response(r, r.At, err)
	s.show(r, out, spent)
	return out
}

func keyInURL(keys []string, known bool) error {
	if !known && strings.HasPrefix(keys[0], apikey.ReviewPrefix) {
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
