package sandbox

import (
	"crypto/rand"
	"encoding/binary"

	"platen/internal/company/sim"
)

// random64 returns 64 random bits.
func random64() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// NewID returns a random identifier with a prefix.
func NewID(prefix string) string { return sim.ID(prefix, random64()) }
