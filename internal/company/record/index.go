package record

import "platen/internal/company/sim"

// index finds rows by their ids. It holds nothing but their places in the order of
// births, four bytes for each; the ids are where the rows are. The zero index is
// empty.
type index struct {
	// places holds ordinals plus one, 0 where there is none. Its length is a power of
	// two.
	places []uint32
	n      int
}

// leastPlaces is the length of the smallest index that is not empty.
const leastPlaces = 8

// newIndex returns an empty index with room for n rows.
func newIndex(n int) index {
	if n == 0 {
		return index{}
	}
	size := leastPlaces
	for size*3 < n*4 {
		size *= 2
	}
	return index{places: make([]uint32, size)}
}

// add notes the place of a new row. idAt returns the id of any row that was added.
func (x *index) add(id string, ordinal int, idAt func(int) string) {
	if (x.n+1)*4 > len(x.places)*3 {
		old := x.places
		x.places = make([]uint32, max(leastPlaces, 2*len(old)))
		for _, place := range old {
			if place == 0 {
				continue
			}
			if id := idAt(int(place - 1)); id != "" {
				x.put(id, place)
			}
		}
	}
	x.put(id, uint32(ordinal)+1)
	x.n++
}

func (x *index) put(id string, place uint32) {
	i := x.home(id)
	for x.places[i] > 0 {
		i = (i + 1) & (len(x.places) - 1)
	}
	x.places[i] = place
}

// home is where the search for an id begins.
func (x *index) home(id string) int { return int(sim.Hash(id) & uint64(len(x.places)-1)) }

// find returns the place of the row with an id. Rows that were removed have no id.
func (x *index) find(id string, idAt func(int) string) (ordinal int, ok bool) {
	if len(x.places) == 0 || id == "" {
		return 0, false
	}
	for i := x.home(id); x.places[i] > 0; i = (i + 1) & (len(x.places) - 1) {
		if ordinal := int(x.places[i] - 1); idAt(ordinal) == id {
			return ordinal, true
		}
	}
	return 0, false
}
