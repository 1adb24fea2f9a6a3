// Package apikey is the keys of sandboxes: their form, the hashes under which they
// are stored, and credentials, which act for a key without holding it.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"platen/internal/store"
)

// System is the system that a key opens.
type System string

// Systems.
const (
	Office  System = "office"
	Factory System = "factory"
)

// Prefixes of keys (contract: AUTH.KEY.OFFICE, AUTH.KEY.FACTORY).
const (
	OfficePrefix  = "lab_off_"
	FactoryPrefix = "lab_fac_"

	// Length is that of every key, in characters.
	Length = len(OfficePrefix) + 43

	keyBytes = 32
)

// Prefix returns how keys of a system begin.
func (s System) Prefix() string {
	if s == Office {
		return OfficePrefix
	}
	return FactoryPrefix
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
	switch {
	case strings.HasPrefix(key, OfficePrefix):
		c.System = Office
	case strings.HasPrefix(key, FactoryPrefix):
		c.System = Factory
	default:
		return c, false
	}
	c.Hash = sha256.Sum256([]byte(key))
	return c, true
}

// Pair is the hashes of both keys of a sandbox. A hash is zero when its key was
// revoked.
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
