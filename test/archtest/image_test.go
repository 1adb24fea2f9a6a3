package archtest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestImageIsBuiltOfAllThatTheProgramImports: .dockerignore leaves everything out but what
// it names, and a folder that is missing there ends the build of the image alone.
func TestImageIsBuiltOfAllThatTheProgramImports(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	let := strings.Fields(string(text))
	imports := map[string][]string{}
	for f := range theProgram(t).sources {
		for _, spec := range f.Imports {
			if path, ok := ours(importPath(spec.Path.Value)); ok {
				imports[f.unit.path] = append(imports[f.unit.path], path)
			}
		}
	}
	linked := []string{"cmd/platen"}
	for i := 0; i < len(linked); i++ {
		folder, _, _ := strings.Cut(linked[i], "/")
		if !slices.Contains(let, "!"+folder) {
			t.Errorf(".dockerignore leaves out %s, which cmd/platen imports", linked[i])
		}
		for _, path := range imports[linked[i]] {
			if !slices.Contains(linked, path) {
				linked = append(linked, path)
			}
		}
	}
}
