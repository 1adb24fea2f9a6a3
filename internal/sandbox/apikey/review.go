package apikey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"platen/internal/store"
	"platen/internal/words/wire"
)

const (
	// Review is the system of a reviewer's link: all that the console shows, to be read.
	Review System = "review"
	// ReviewPrefix is how the token of such a link begins.
	ReviewPrefix = wire.ReviewPrefix

	handBytes = sha256.Size
	sealBytes = 16

	// reviewLength is that of every token, in characters: three bytes become four characters.
	reviewLength = len(ReviewPrefix) + (handBytes+sealBytes)/3*4
)

// Reviews makes the tokens of reviewers' links, and recognises them. Servers with the same secret make the same. The
// zero Reviews is for comparison only.
type Reviews struct{ key [sha256.Size]byte }

// NewReviews derives the key of the seals from a secret that is not in the database: a copy of the database
// has the hashes of all keys, and the token of every sandbox could be made of nothing else.
func NewReviews(secret []byte) (r Reviews) {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("platen links for reviewers"))
	copy(r.key[:], mac.Sum(nil))
	return r
}

// Token returns the token of a reviewer's link to the sandbox with a pair of keys. It is no key, and none follows from
// it: it names the sandbox by the hash of one key, and its seal proves that the server made it for both. Nothing of it
// is stored; it ends with either key. A sandbox one key of which was revoked has none.
func (r Reviews) Token(p *Pair) (token string, ok bool) {
	if p.Office == (store.KeyHash{}) || p.Factory == (store.KeyHash{}) {
		return "", false
	}
	return ReviewPrefix + base64.RawURLEncoding.EncodeToString(append(p.Office[:], r.seal(p)...)), true
}

func (r Reviews) seal(p *Pair) []byte {
	mac := hmac.New(sha256.New, r.key[:])
	mac.Write(p.Office[:])
	mac.Write(p.Factory[:])
	return mac.Sum(nil)[:sealBytes]
}

// Credential returns that of a token for the sandbox with a pair of keys; not ok for a token that
// is not of these keys, or that a server with another secret has made.
func (r Reviews) Credential(sent SentReview, p *Pair) (c Credential, ok bool) {
	if _, ok := r.Token(p); !ok || p.Office != sent.Office || !hmac.Equal(sent.seal[:], r.seal(p)) {
		return c, false
	}
	return Credential{Hash: p.Office, System: Review}, true
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
