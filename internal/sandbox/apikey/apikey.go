// Package apikey is the keys of sandboxes: their form, the hashes under which they
// are stored, and credentials, which act for a key without holding it.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"iter"

	"platen/internal/store"
	"platen/internal/words/wire"
)

// System is the system that a key opens.
type System string

// Systems. The grading key of an evaluation opens neither of the two, but the routes on
// which players are judged.
const (
	Office  System = "office"
	Factory System = "factory"
	Grading System = "grading"
)

// Prefixes of keys (contract: AUTH.KEY.OFFICE, AUTH.KEY.FACTORY, OPEN.EVAL.KEY).
const (
	// Mark is in the prefix of each secret that opens a sandbox.
	Mark = "lab_"

	OfficePrefix  = wire.OfficePrefix
	FactoryPrefix = wire.FactoryPrefix
	GradingPrefix = wire.GradingPrefix

	// Length is that of every key, in characters.
	Length = len(OfficePrefix) + 43

	keyBytes = 32
)

// prefixes are of one length.
//
//nolint:gochecknoglobals // read only
var prefixes = map[string]System{OfficePrefix: Office, FactoryPrefix: Factory, GradingPrefix: Grading}

// Prefix returns how keys of a system begin.
func (s System) Prefix() string {
	switch s {
	case Office:
		return OfficePrefix
	case Factory:
		return FactoryPrefix
	default:
		return GradingPrefix
	}
}

// Shapes yields the prefix of each kind of secret that opens a sandbox, and its length: keys,
// and tokens of reviewers' links.
func Shapes() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, prefix := range [...]string{OfficePrefix, FactoryPrefix, GradingPrefix} {
			if !yield(prefix, Length) {
				return
			}
		}
		yield(ReviewPrefix, reviewLength)
	}
}

// New returns a key of 256 random bits.
func New(s System) string {
	b := make([]byte, keyBytes)
	rand.Read(b)
	return s.Prefix() + base64.RawURLEncoding.EncodeToString(b)
}

// Credential is a key by its hash and the system that it opens: its holder can
// act as the key does and cannot disclose the key. The zero Credential belongs
// to no sandbox.
type Credential struct {
	Hash   store.KeyHash
	System System
}

// Parse returns the credential of a key: the hash under which it is stored, and
// the system that its prefix names. Text that cannot be a key is not ok.
func Parse(key string) (c Credential, ok bool) {
	if len(key) != Length {
		return c, false
	}
	system, ok := prefixes[key[:len(OfficePrefix)]]
	if !ok {
		return c, false
	}
	return Credential{Hash: sha256.Sum256([]byte(key)), System: system}, true
}

// Pair is the hashes of the keys of both systems of a sandbox. A hash is zero when its
// key was revoked.
type Pair struct {
	SandboxID       string
	Office, Factory store.KeyHash
}

// Credential returns that of one system.
func (p *Pair) Credential(s System) Credential {
	if s == Office {
		return Credential{Hash: p.Office, System: Office}
	}
	return Credential{Hash: p.Factory, System: Factory}
}
