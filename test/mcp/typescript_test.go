package mcp

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestTheTypeScriptClientsPlayFromAnOrderToItsMoney with the official clients of
// both generations, with a restart of the server in between.
func TestTheTypeScriptClientsPlayFromAnOrderToItsMoney(t *testing.T) {
	t.Parallel()
	node := node(t)
	for name, c := range map[string]struct {
		library, mode, revision string
		keyed                   bool
	}{
		"1.x with a session":               {"sdk", "legacy", "2025-11-25", false},
		"1.x with a key":                   {"sdk", "legacy", "2025-11-25", true},
		"2.x with a session":               {"client", "legacy", "2025-11-25", false},
		"2.x with a key, without sessions": {"client", "auto", "2026-07-28", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := launch(t)
			key := ""
			if c.keyed {
				key = connect(t, p.url(), "").call("create_sandbox",
					object{"preset": "starter", "clock": "manual", "seed": 5})["office_key"].(string)
			}
			script := exec.CommandContext(within(t), node, folder+"/play.mjs", c.library, p.url(), key, c.mode)
			output, err := script.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			input, err := script.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var complaints strings.Builder
			script.Stderr = &complaints
			if err := script.Start(); err != nil {
				t.Fatal(err)
			}
			said := []string{}
			for lines := bufio.NewScanner(output); lines.Scan(); {
				said = append(said, lines.Text())
				if lines.Text() == "restart" {
					p.restart()
					fmt.Fprintln(input, "go on")
				}
			}
			if err := script.Wait(); err != nil {
				t.Fatalf("%v after %v:\n%s", err, said, complaints.String())
			}
			if got := strings.Join(said, " "); got != c.revision+" tools 27 restart paid" {
				t.Errorf("the client said %q", got)
			}
		})
	}
}
