package docsite

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"platen/docs"
)

// Where agents look for skills: an index, and the skill in a folder of its name.
const (
	skillIndexPath = "/.well-known/agent-skills/index.json"
	skillPath      = "/.well-known/agent-skills/platen/SKILL.md"
	skillSchema    = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
)

type skillIndex struct {
	Schema string       `json:"$schema"`
	Skills []skillEntry `json:"skills"`
}

type skillEntry struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Digest      string `json:"digest"`
}

// addSkill adds the skill for coding agents and the index that leads to it.
func (l *library) addSkill() error {
	skill, err := l.filledIn("SKILL.md", docs.Skill)
	if err != nil {
		return fmt.Errorf("skill: %w", err)
	}
	entry := skillEntry{Type: "skill-md", URL: skillPath, Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(skill))}
	for line := range strings.Lines(string(skill)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case name == "name" && entry.Name == "":
			entry.Name = value
		case name == "description" && entry.Description == "":
			entry.Description = value
		}
	}
	index, err := json.MarshalIndent(skillIndex{skillSchema, []skillEntry{entry}}, "", "  ")
	if err != nil {
		return fmt.Errorf("write the index of skills: %w", err)
	}
	if err := l.keep(skillPath, typeMarkdown, func() ([]byte, error) { return skill, nil }); err != nil {
		return err
	}
	return l.keep(skillIndexPath, typeJSON, func() ([]byte, error) { return append(index, '\n'), nil })
}
