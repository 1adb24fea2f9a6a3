package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryFaultFitsTheCode: a fault of a line that is gone shows nothing.
func TestEveryFaultFitsTheCode(t *testing.T) {
	t.Parallel()
	for i, f := range faults {
		content, err := os.ReadFile(filepath.Join("..", "..", f.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(content), f.right); n != 1 || f.right == f.wrong {
			t.Errorf("fault %d: %s has %d times %q", i+1, f.file, n, f.right)
		}
	}
}
