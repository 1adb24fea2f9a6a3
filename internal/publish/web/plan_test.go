package web

import (
	"testing"
)

// TestEveryPlanOfFaultsHasWords, and each others.
func TestEveryPlanOfFaultsHasWords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range plans() {
		if p.Title == "" || p.Text == "" || seen[p.Text] {
			t.Errorf("the plan %q is called %q and says %q", p.Name, p.Title, p.Text)
		}
		seen[p.Text] = true
	}
	if len(seen) != len(planWords) {
		t.Errorf("%d plans, and words for %d", len(seen), len(planWords))
	}
}
