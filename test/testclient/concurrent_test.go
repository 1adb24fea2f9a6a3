package testclient

import (
	"regexp"
	"testing"
)

func TestThePatternChoosesTheTestsThatAreNamed(t *testing.T) {
	t.Parallel()
	chosen := regexp.MustCompile(pattern([]func(*testing.T){TestThePatternChoosesTheTestsThatAreNamed}))
	for name, want := range map[string]bool{
		t.Name(): true, t.Name() + "Too": false, "TestNot" + t.Name(): false, "": false,
	} {
		if got := chosen.MatchString(name); got != want {
			t.Errorf("%q is chosen: %t", name, got)
		}
	}
}
