package apikey_test

import (
	"slices"
	"testing"

	"platen/internal/sandbox/apikey"
	"platen/internal/words/wire"
)

// TestEveryShapeIsKnownToAll: what is removed from logs, refused as an argument and left out of searches follows the
// list in package wire, so a kind of key that is missing there is missing everywhere.
func TestEveryShapeIsKnownToAll(t *testing.T) {
	t.Parallel()
	for prefix, length := range apikey.Shapes() {
		if !slices.Contains(wire.Secrets(), prefix) {
			t.Errorf("wire.Secrets lacks %s", prefix)
		}
		if length < len(prefix)+43 {
			t.Errorf("%s is followed by %d characters, and arguments of tools are searched for 43", prefix,
				length-len(prefix))
		}
	}
}
