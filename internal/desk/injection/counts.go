package injection

import (
	"encoding/binary"
	"slices"
)

// counts are the numbers of calls by the hashes of their paths: six bytes each, four of the
// hash and two of the number, in the order of the hashes. It is kept as it is stored, since it
// goes with many commits.
type counts []byte

const (
	hashBytes  = 4
	entryBytes = hashBytes + 2
	// mostCalls is as far as calls are counted.
	mostCalls = 1<<16 - 1
)

func (c counts) len() int { return len(c) / entryBytes }

func (c counts) hash(at int) uint32 { return binary.BigEndian.Uint32(c[at*entryBytes:]) }

// find returns the place of a hash, and whether it is there.
func (c counts) find(hash uint32) (at int, ok bool) {
	end := c.len()
	for at < end {
		if middle := (at + end) / 2; c.hash(middle) < hash {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return at, at < c.len() && c.hash(at) == hash
}

// get returns the number of a hash, and whether it is known.
func (c counts) get(hash uint32) (n int64, ok bool) {
	at, ok := c.find(hash)
	if !ok {
		return 0, false
	}
	return int64(binary.BigEndian.Uint16(c[at*entryBytes+hashBytes:])), true
}

// set returns the counts with another number for a hash.
func (c counts) set(hash uint32, n int64) counts {
	at, ok := c.find(hash)
	if !ok {
		c = slices.Insert(c, at*entryBytes, make([]byte, entryBytes)...)
		binary.BigEndian.PutUint32(c[at*entryBytes:], hash)
	}
	binary.BigEndian.PutUint16(c[at*entryBytes+hashBytes:], uint16(min(n, mostCalls)))
	return c
}
