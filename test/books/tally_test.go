package books

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// findingsOfKind is how many findings of a kind are kept: more say the same again.
const findingsOfKind = 3

// tally counts checks by their kind, and keeps what they found.
type tally struct {
	mutex   sync.Mutex
	checked map[string]int
	failed  map[string]int
	found   map[string][]string
}

func newTally() *tally {
	return &tally{checked: map[string]int{}, failed: map[string]int{}, found: map[string][]string{}}
}

// is counts a check. The format says where it failed, with both values.
func (y *tally) is(kind string, ok bool, format string, values ...any) {
	y.checked[kind]++
	if ok {
		return
	}
	y.failed[kind]++
	if len(y.found[kind]) < findingsOfKind {
		y.found[kind] = append(y.found[kind], fmt.Sprintf(format, values...))
	}
}

// seen counts a case that lives must have, so that the checks of it are not hollow.
func (y *tally) seen(kind string) { y.checked["case: "+kind]++ }

// same counts a check of two values that must be equal.
func same[T comparable](y *tally, kind, of string, got, want T) {
	y.is(kind, got == want, "%s: %v in the rows, %v by my count", of, got, want)
}

// add puts the counts of another tally into this one.
func (y *tally) add(other *tally) {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for kind, n := range other.checked {
		y.checked[kind] += n
	}
}

// findings are all that were kept, one a line.
func (y *tally) findings() string {
	var all strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(y.found)) {
		fmt.Fprintf(&all, "%s: %d of %d fail\n", kind, y.failed[kind], y.checked[kind])
		for _, finding := range y.found[kind] {
			fmt.Fprintf(&all, "\t%s\n", finding)
		}
	}
	return all.String()
}

func (y *tally) total() (total int) {
	for _, n := range y.checked {
		total += n
	}
	return total
}
