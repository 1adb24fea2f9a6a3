package apikey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"platen/internal/store"
)

const (
	// Review is the system of a reviewer's link: all that the console shows, to be read.
	Review System = "review"
	// ReviewPrefix is how the token of such a link begins.
	ReviewPrefix = "lab_rev_"

	handBytes = sha256.Size
	sealBytes = 16

	// reviewLength is that of every token, in characters: three bytes become four characters.
	reviewLength = len(ReviewPrefix) + (handBytes+sealBytes)/3*4
)

// ReviewToken returns the token of a reviewer's link. It is no key, and none follows from it: it
// names the sandbox by the hash of one key, and proves by a seal with the hash of the other that a
// holder of both has made it. Nothing of it is stored; it ends with either key. A sandbox one key
// of which was revoked has none.
func (p *Pair) ReviewToken() (token string, ok bool) {
	if p.Office == (store.KeyHash{}) || p.Factory == (store.KeyHash{}) {
		return "", false
	}
	seal := p.seal()
	return ReviewPrefix + base64.RawURLEncoding.EncodeToString(append(p.Office[:], seal...)), true
}

func (p *Pair) seal() []byte {
	mac := hmac.New(sha256.New, p.Factory[:])
	mac.Write([]byte(ReviewPrefix))
	mac.Write(p.Office[:])
	return mac.Sum(nil)[:sealBytes]
}

// SentReview is the token of a reviewer's link as a request has it.
type SentReview struct {
	// Office is the hash of the key that finds the sandbox.
	Office store.KeyHash
	seal   [sealBytes]byte
}

// ParseReview reads a token. A text that cannot be one is not ok.
func ParseReview(token string) (r SentReview, ok bool) {
	text, ok := strings.CutPrefix(token, ReviewPrefix)
	if !ok || len(text) != base64.RawURLEncoding.EncodedLen(handBytes+sealBytes) {
		return r, false
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return r, false
	}
	copy(r.Office[:], b)
	copy(r.seal[:], b[handBytes:])
	return r, true
}

// Credential returns that of a token for the sandbox with a pair of keys; not ok for a token that
// its holder did not get from these keys.
func (r SentReview) Credential(p *Pair) (c Credential, ok bool) {
	if _, ok := p.ReviewToken(); !ok || p.Office != r.Office || !hmac.Equal(r.seal[:], p.seal()) {
		return c, false
	}
	return Credential{Hash: p.Office, System: Review}, true
}
