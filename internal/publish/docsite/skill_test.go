package docsite_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// TestAgentsFindTheSkill by the index at the well-known path, whose digest is that of the
// bytes that are served, and each operation, event, code and page that it names exists.
func TestAgentsFindTheSkill(t *testing.T) {
	t.Parallel()
	var index struct {
		Schema string `json:"$schema"`
		Skills []struct{ Name, Type, Description, URL, Digest string }
	}
	if err := json.Unmarshal([]byte(body(t, "/.well-known/agent-skills/index.json")), &index); err != nil {
		t.Fatal(err)
	}
	if index.Schema != "https://schemas.agentskills.io/discovery/0.2.0/schema.json" || len(index.Skills) != 1 {
		t.Fatalf("the index is %+v", index)
	}
	s := index.Skills[0]
	if s.Name != "platen" || s.Type != "skill-md" || s.URL != "/.well-known/agent-skills/"+s.Name+"/SKILL.md" ||
		len(s.Description) < 100 || len(s.Description) > 1024 {
		t.Errorf("the entry is %+v", s)
	}
	skill := body(t, s.URL)
	if s.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(skill))) {
		t.Errorf("the digest %s is not that of what is served", s.Digest)
	}
	if files(t)[s.URL].ContentType != "text/markdown; charset=utf-8" ||
		!strings.HasPrefix(skill, "---\nname: platen\ndescription: "+s.Description+"\n---\n\n# ") {
		t.Errorf("the skill begins with %.300q", skill)
	}
	routes := map[string]bool{}
	for _, op := range operation.Table() {
		routes[op.Method+" "+op.Path] = true
	}
	for _, found := range regexp.MustCompile("`((?:GET|POST|PATCH|DELETE) [^`?]+)").FindAllStringSubmatch(skill, -1) {
		if !routes[found[1]] {
			t.Errorf("there is no %s", found[1])
		}
	}
	types := map[string]bool{}
	for _, d := range event.All() {
		types[string(d.Type)] = true
	}
	named := regexp.MustCompile("`((?:office|factory|hr|world)\\.[a-z_.]+)`")
	for _, found := range named.FindAllStringSubmatch(skill, -1) {
		if !types[found[1]] {
			t.Errorf("there is no event %s", found[1])
		}
	}
	for _, code := range []problem.Code{"wrong_system", "duplicate_reference", "timesheet_exists"} {
		if !strings.Contains(skill, "`"+string(code)+"`") || problem.Lookup(code).Code != code {
			t.Errorf("%s is not named, or no code", code)
		}
	}
	linked := regexp.MustCompile(regexp.QuoteMeta(origin) + `(/docs/[a-z-]+\.md)`)
	for _, found := range linked.FindAllStringSubmatch(skill, -1) {
		body(t, found[1])
	}
}
