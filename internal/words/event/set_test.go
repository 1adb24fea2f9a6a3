package event_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"platen/internal/words/event"
)

// TestNumbersOfTypesStay: stored sets of types know a type by its number, so a
// number is given once. A new type is a new line at the end of the file.
func TestNumbersOfTypesStay(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/numbers.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	given := map[event.Type]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		number, name, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.Atoi(number)
		if err != nil || n != len(given) {
			t.Fatalf("line %d has the number %q", len(given), number)
		}
		given[event.Type(name)] = n
	}
	for _, d := range event.All() {
		if n, ok := given[d.Type]; !ok || n != d.Number {
			t.Errorf("%s has the number %d, the file has %d, %v", d.Type, d.Number, n, ok)
		}
	}
}

// TestSetsTellAllTypesApart: each type is in its own set and in no other, those
// without a number too, and the first format's word means the same.
func TestSetsTellAllTypesApart(t *testing.T) {
	t.Parallel()
	types := []event.Type{"sandbox.webhook.forgotten"}
	for _, d := range event.All() {
		types = append(types, d.Type)
	}
	var all event.Set
	for _, a := range types {
		all = all.Union(event.SetOf(a))
		for _, b := range types {
			if event.SetOf(a).Meets(event.SetOf(b)) != (a == b) {
				t.Errorf("%s and %s are not told apart", a, b)
			}
		}
	}
	if got := event.SetOf(types...); got != all || got.Empty() {
		t.Errorf("the set of all is %x, one after another %x", got, all)
	}
}
