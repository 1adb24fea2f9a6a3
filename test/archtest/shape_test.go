package archtest_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// emptyNames say nothing about what is inside, so everything ends up there.
var emptyNames = []string{
	"util", "utils", "common", "helper", "helpers", "model", "models", "types", "service", "services", "pkg", "misc",
	"base", "shared", "lib",
}

// TestEveryPackageSaysWhatItIs: the package comment is the first thing that
// godoc and a reader see.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	for _, u := range theProgram(t).packages {
		var comments []string
		testsOnly := true
		for _, f := range u.files {
			testsOnly = testsOnly && f.test
			if f.Doc != nil {
				comments = append(comments, f.Doc.Text())
			}
		}
		want := "Package " + u.name + " "
		switch {
		case testsOnly:
			want = "Package "
		case u.name == "main":
			want = "Command " + path.Base(u.path) + " "
		}
		if !slices.ContainsFunc(comments, func(text string) bool { return strings.HasPrefix(text, want) }) {
			t.Errorf("%s has no package comment that begins with %q", u.path, want)
		}
	}
}

// TestPackagesAreCalledForWhatTheyHold keeps drawers for everything out.
func TestPackagesAreCalledForWhatTheyHold(t *testing.T) {
	t.Parallel()
	for _, u := range theProgram(t).packages {
		for _, name := range append(strings.Split(u.path, "/"), u.name) {
			if slices.Contains(emptyNames, name) {
				t.Errorf("%s: the name %q says nothing about what is inside", u.path, name)
			}
		}
	}
}
