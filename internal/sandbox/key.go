package sandbox

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"platen/internal/company/sim"
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

	keyBytes  = 32
	keyLength = len(OfficePrefix) + 43
)

// Prefix returns how keys of a system begin.
func (s System) Prefix() string {
	if s == Office {
		return OfficePrefix
	}
	return FactoryPrefix
}

// newKey returns a key of 256 random bits.
func newKey(s System) string {
	b := make([]byte, keyBytes)
	rand.Read(b)
	return s.Prefix() + base64.RawURLEncoding.EncodeToString(b)
}

// HashKey returns the hash under which a key is known, and the system that
// its prefix names. Text that cannot be a key is not ok.
func HashKey(key string) (hash store.KeyHash, system System, ok bool) {
	if len(key) != keyLength {
		return hash, "", false
	}
	switch {
	case strings.HasPrefix(key, OfficePrefix):
		system = Office
	case strings.HasPrefix(key, FactoryPrefix):
		system = Factory
	default:
		return hash, "", false
	}
	return sha256.Sum256([]byte(key)), system, true
}

// random64 returns 64 random bits.
func random64() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// NewID returns a random identifier with a prefix.
func NewID(prefix string) string { return sim.ID(prefix, random64()) }
