package archtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryPatternOfTheRaceRunMatchesATest: the detector gets the tests of two
// suites by parts of their names, and a part that is in no name any more would
// drop tests from it without a word.
func TestEveryPatternOfTheRaceRunMatchesATest(t *testing.T) {
	t.Parallel()
	makefile := read(t, filepath.Join(root, "Makefile"))
	for variable, folder := range map[string]string{"MEETINGS": "test/contract", "KILLS": "test/scenario"} {
		pattern := regexp.MustCompile(`(?m)^` + variable + ` = (.+)$`).FindStringSubmatch(makefile)
		if pattern == nil {
			t.Fatalf("the Makefile has no %s", variable)
		}
		var names []string
		files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(read(t, file), -1) {
				names = append(names, m[1])
			}
		}
		for part := range strings.SplitSeq(pattern[1], "|") {
			if !strings.Contains(strings.Join(names, " "), part) {
				t.Errorf("no test of %s has %q in its name, which %s asks for", folder, part, variable)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
