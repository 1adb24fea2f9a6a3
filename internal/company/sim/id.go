package sim

// IDLength is how many characters follow the prefix of an identifier.
const IDLength = 13

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
