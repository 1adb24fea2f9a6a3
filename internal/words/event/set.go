package event

// Set is a set of types, with a bit for the number of each. Types that have no
// number share the last bit.
type Set [2]uint64

const (
	// wordBits is how many types a word of a Set has room for.
	wordBits = 64
	// unnumbered is the bit of all types without a number.
	unnumbered = len(Set{})*wordBits - 1
)

// SetOf returns the set of some types.
func SetOf(types ...Type) Set {
	var set Set
	for _, t := range types {
		bit := unnumbered
		if d, ok := Lookup(t); ok {
			bit = d.Number
		}
		set[bit/wordBits] |= 1 << (bit % wordBits)
	}
	return set
}

// Empty reports whether no type is in the set.
func (s Set) Empty() bool { return s == Set{} }

// Union returns the types that are in either set.
func (s Set) Union(other Set) Set { return Set{s[0] | other[0], s[1] | other[1]} }

// Meets reports whether a type is in both sets.
func (s Set) Meets(other Set) bool { return s[0]&other[0] != 0 || s[1]&other[1] != 0 }
