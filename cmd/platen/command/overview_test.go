package command

import (
	"regexp"
	"strings"
	"testing"
)

// TestTheHelpNamesEveryCommand: platen help the general ones in at most fifty lines, and platen records each resource
// with its aliases.
func TestTheHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	top := root()
	top.InitDefaultHelpCmd()
	top.InitDefaultCompletionCmd()
	records, _, err := top.Find([]string{"records"})
	if err != nil || records == top {
		t.Fatalf("there is no command records: %v", err)
	}
	general := top.UsageString()
	const most = 50
	if lines := strings.Count(general, "\n"); lines > most {
		t.Errorf("the help has %d lines, more than %d", lines, most)
	}
	for _, cmd := range top.Commands() {
		text, where := general, "platen help"
		if strings.HasPrefix(cmd.GroupID, "Records ") {
			text, where = records.Long, "platen records"
		}
		for _, name := range append(cmd.Aliases, cmd.Name()) {
			if !regexp.MustCompile(`[ ,(]` + name + `\b`).MatchString(text) {
				t.Errorf("%s does not name %s", where, name)
			}
		}
	}
}
