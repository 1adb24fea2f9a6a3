package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheCommandsOfTheGuidesAreThere looks for each `platen …` of the guides, in code and in
// the text, among the commands, and for its flags.
func TestTheCommandsOfTheGuidesAreThere(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../docs/guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("(?m)(?:^|`|\\./|&& |\\$\\()platen ([a-z][^`\n#|&>)<]*)")
	quoted := regexp.MustCompile(`'[^']*'|"[^"]*"`)
	commands := root()
	commands.InitDefaultCompletionCmd()
	checked := 0
	for _, file := range files {
		if filepath.Base(file) == filepath.Base(referenceFile) {
			continue
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range named.FindAllStringSubmatch(string(raw), -1) {
			checked++
			line, _, _ := strings.Cut(quoted.ReplaceAllString(found[1], "x"), " -- ")
			words := strings.Fields(strings.ReplaceAll(line, "\\", ""))
			cmd, _, err := commands.Find(words)
			if err != nil || !cmd.HasParent() {
				t.Errorf("%s: there is no command platen %s", file, line)
				continue
			}
			rest := words[strings.Count(cmd.CommandPath(), " "):]
			if len(rest) > 0 && cmd.HasAvailableSubCommands() && !strings.HasPrefix(rest[0], "-") &&
				cmd.Args != nil && cmd.Args(cmd, rest) != nil {
				t.Errorf("%s: there is no command platen %s", file, line)
			}
			for _, word := range words {
				name, isFlag := strings.CutPrefix(word, "--")
				name, _, _ = strings.Cut(strings.TrimRight(name, ".,"), "=")
				known := cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil
				if isFlag && name != "help" && !known {
					t.Errorf("%s: platen %s has no flag --%s", file, cmd.Name(), name)
				}
			}
		}
	}
	const few = 50
	if checked < few {
		t.Errorf("only %d commands were found", checked)
	}
}
