package sim

import "strings"

// IDLength is how many characters follow the prefix of an identifier.
const IDLength = 13

// ParseID returns the bits of an identifier that ID wrote.
func ParseID(prefix, id string) (bits uint64, ok bool) {
	text, ok := strings.CutPrefix(id, prefix+"_")
	if !ok || len(text) != IDLength {
		return 0, false
	}
	for i := range len(text) {
		digit := strings.IndexByte(crockford, text[i])
		if digit < 0 {
			return 0, false
		}
		bits = bits<<5 | uint64(digit)
	}
	return bits, ID(prefix, bits) == id
}

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// ID writes 64 bits as an identifier: the prefix, an underscore and 13
// characters of Crockford's base 32 in lower case.
func ID(prefix string, bits uint64) string {
	b := make([]byte, len(prefix)+1+IDLength)
	n := copy(b, prefix)
	b[n] = '_'
	for i := len(b) - 1; i > n; i-- {
		b[i] = crockford[bits&31]
		bits >>= 5
	}
	return string(b)
}
