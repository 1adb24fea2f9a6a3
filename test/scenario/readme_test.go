package scenario

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"platen/test/selfexec"
	"platen/test/testclient"
)

// documented are the pages whose commands are run, and what they need.
var documented = []struct {
	page  string
	needs []string
}{
	{"examples/go/bridge/README.md", nil},
	{"examples/go/agent/README.md", nil},
	{"examples/python/README.md", []string{"python3"}},
	{"examples/javascript/README.md", []string{"node"}},
}

// typed is a block as it is run: with the address of the server and, but in a thorough run,
// with programs that are there in place of those that had to be built.
func typed(t *testing.T, block string) string {
	t.Helper()
	block = strings.ReplaceAll(block, "http://127.0.0.1:8080", server().Origin)
	if testclient.Thorough() {
		return block
	}
	for shown, program := range map[string]func() (string, error){
		"go run ./examples/go/bridge": builtBridge,
		"go run ./examples/go/agent":  builtAgent,
		"go run ./cmd/platen ":        func() (string, error) { return selfexec.Platen(t.TempDir()) },
	} {
		if !strings.Contains(block, shown) {
			continue
		}
		path, err := program()
		if err != nil {
			t.Fatal(err)
		}
		block = strings.ReplaceAll(block, strings.TrimSpace(shown), path)
	}
	return block
}

// TestTheReadmesOfTheExamplesDoWhatTheySay types the commands of each page and compares
// what comes back with what the page says. The address of the server and the numbers of
// events are all that may differ.
func TestTheReadmesOfTheExamplesDoWhatTheySay(t *testing.T) {
	t.Parallel()
	for _, d := range documented {
		t.Run(d.page, func(t *testing.T) {
			t.Parallel()
			for _, name := range append([]string{"sh", "curl", "jq"}, d.needs...) {
				testclient.Need(t, name)
			}
			page, err := os.ReadFile(filepath.Join("../..", d.page))
			if err != nil {
				t.Fatal(err)
			}
			commands, want := blocks(string(page))
			if len(commands) < 2 {
				t.Fatal("the page has no commands")
			}
			const marker = "--- end of block"
			script := "set -eu\n"
			for _, block := range commands {
				script += typed(t, block) + "echo '" + marker + "'\n"
			}
			shell := exec.CommandContext(t.Context(), "sh", "-c", script)
			shell.Dir = "../.."
			shell.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "CGO_ENABLED=0", "PYTHONDONTWRITEBYTECODE=1")
			out, err := shell.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got := strings.Split(string(out), marker+"\n")
			for i := range commands {
				if g, w := numberless(got[i]), numberless(want[i]); g != w {
					t.Errorf("after\n%s\nthe page says\n%s\nand it is\n%s", commands[i], want[i], got[i])
				}
			}
		})
	}
}

// blocks returns the commands of a page, and with each what it should print:
// the block of text right behind it, or nothing.
func blocks(page string) (commands, outputs []string) {
	for _, match := range regexp.MustCompile("(?s)```(sh|text)\n(.*?)```\n").FindAllStringSubmatch(page, -1) {
		if match[1] == "sh" {
			commands, outputs = append(commands, match[2]), append(outputs, "")
		} else {
			outputs[len(outputs)-1] = match[2]
		}
	}
	return commands, outputs
}

func numberless(text string) string {
	return regexp.MustCompile(`event \d+`).ReplaceAllString(text, "event N")
}
