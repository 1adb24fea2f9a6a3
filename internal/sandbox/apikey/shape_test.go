package apikey_test

import (
	"slices"
	"strings"
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
		if text := "x" + prefix + strings.Repeat("A", length-len(prefix)); !wire.MayHaveSecret([]byte(text)) {
			t.Errorf("%s is not seen as a secret", text)
		}
	}
	for _, text := range []string{"", "_", "slab", "lab", "total_minor_", `{"unit_price_minor":1}`} {
		if wire.MayHaveSecret([]byte(text)) {
			t.Errorf("%q is seen as one with a secret", text)
		}
	}
	for _, text := range []string{wire.HandlePrefix + "x", "a_b_whsec_", "collab_x"} {
		if !wire.MayHaveSecret([]byte(text)) {
			t.Errorf("%q is not seen as one that may have a secret", text)
		}
	}
}
