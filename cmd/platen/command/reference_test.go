package command

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// referenceFile is the page of all commands.
const referenceFile = "../../../docs/guides/commands.md"

const referenceHead = `---
also: cli, command line, flags, options, terminal, exit codes, exit status
also exit-status: return code
---

# Commands

Every command of the program ` + "`platen`, with its flags, as `--help`" + ` shows them.
[Receive webhooks locally](/docs/listen) shows the most used ones, and [settings](/docs/settings) has
the flags of ` + "`platen serve`" + ` with their environment variables.

## Exit status {#exit-status}

| Status | Meaning |
| --- | --- |
| 0 | done |
| 1 | failed; see the message |
| 2 | invalid usage, or an invalid key |
| 3 | the sandbox has expired, or the company is bankrupt |
| 4 | limit reached; retry later |
| 5 | key rejected |

`

// commonFlags are those that every command about records has.
const commonFlags = "Each of these commands also takes `--json`, `--key` and `--server`, as `platen api` does."

var common = regexp.MustCompile(`(?m)^ +(?:-h, --help|--json|--key string|--server string) .*\n`)

// TestThePageOfTheCommandsHasAllOfThem as the program shows them, with every flag. With
// -update it writes the page.
func TestThePageOfTheCommandsHasAllOfThem(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(referenceHead)
	top := root()
	top.InitDefaultHelpCmd()
	for _, group := range top.Groups() {
		fmt.Fprintf(&b, "## %s\n\n", strings.TrimSuffix(group.Title, ":"))
		if strings.HasPrefix(group.Title, "Records ") {
			b.WriteString(commonFlags + "\n\n")
		}
		for _, cmd := range top.Commands() {
			if cmd.GroupID == group.ID && cmd.IsAvailableCommand() {
				describe(&b, cmd)
			}
		}
	}
	want := strings.TrimSpace(b.String()) + "\n"
	if *update {
		if err := os.WriteFile(referenceFile, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the program shows: go test ./cmd/platen/command -run %s -update", referenceFile,
			t.Name())
	}
}

// describe writes a command and those below it.
func describe(b *strings.Builder, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	path := cmd.CommandPath()
	fmt.Fprintf(b, "### %s {#%s}\n\n```text\n", path, strings.ReplaceAll(path, " ", "-"))
	b.WriteString(help(cmd))
	b.WriteString("```\n\n")
	if cmd.GroupID == aboutProgram { // completion has a command for each shell, all alike
		return
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.HasSubCommands() {
			describe(b, sub)
		}
	}
	var below strings.Builder
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.HasSubCommands() {
			text := help(sub)
			if strings.HasPrefix(cmd.GroupID, "Records ") {
				text = common.ReplaceAllString(text, "")
			}
			fmt.Fprintf(&below, "%s\n\n", strings.TrimRight(text, "\n"))
		}
	}
	if below.Len() > 0 {
		fmt.Fprintf(b, "```text\n%s\n```\n\n", strings.TrimSpace(below.String()))
	}
}

// help is the text of a command as --help prints it.
func help(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	return strings.TrimSpace(text) + "\n\n" + strings.TrimSpace(cmd.UsageString()) + "\n"
}
