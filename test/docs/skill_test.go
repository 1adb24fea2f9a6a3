package docs_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"
)

// TestTheServerHandsOutItsSkill with the digest of what it sends.
func TestTheServerHandsOutItsSkill(t *testing.T) {
	t.Parallel()
	var index struct {
		Skills []struct{ URL, Digest string }
	}
	raw := read(t, shared().Origin+"/.well-known/agent-skills/index.json")
	if err := json.Unmarshal([]byte(raw), &index); err != nil || len(index.Skills) == 0 {
		t.Fatalf("the index is %q: %v", raw, err)
	}
	for _, skill := range index.Skills {
		sum := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(read(t, shared().Origin+skill.URL))))
		if sum != skill.Digest {
			t.Errorf("%s has the digest %s, the index says %s", skill.URL, sum, skill.Digest)
		}
	}
}
