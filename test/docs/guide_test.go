// Package docs_test runs the commands of the guides, as a reader would.
package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

var update = flag.Bool("update", false, "write the answers into the guides")

// folder is where the guides are.
const folder = "../../docs/guides"

// fences finds the blocks of code of a guide: the line behind the backticks, and the text.
var fences = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// writable are the blocks of a guide's file, and the commands that its template adds.
var writable = regexp.MustCompile("(?ms)" + fences.String() + `|^\{\{run [^\n]*\}\}$`)

// separator is between the answers of the blocks of a guide.
const separator = "\x1e"

// TestEveryCommandOfTheGuidesAnswersAsTheySay pastes the commands of each guide
// into one shell, in their order, and compares what they print.
func TestEveryCommandOfTheGuidesAnswersAsTheySay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d guides: %v", len(files), err)
	}
	tested := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(raw, []byte("```sh test")) {
			continue
		}
		tested++
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if slices.Contains(long, filepath.Base(file)) && !everything() {
				testclient.InCheck(t, "the other guides, the tutorial among them")
			}
			follow(t, file, string(raw))
		})
	}
	if tested == 0 {
		t.Error("no guide has a command to run")
	}
}

// long are the guides that a thorough run follows, and whatever writes answers.
var long = []string{"bridge.md", "faults.md", "interviews.md", "lists.md", "recipes.md"}

// slowly is the pause between two moves of the clock where a command shows what
// comes of two in a row: a busy machine starts the second late.
const slowly = "10s"

// runs are the languages in which a whole program is written in the guides, and what runs it.
var runs = map[string]string{"python": "python3", "javascript": "node", "go": "go"}

// written are those in which such programs are run: all of them in a thorough run, else the
// first that is found.
func written() []string {
	all := []string{"python", "javascript", "go"}
	if testclient.Thorough() {
		return all
	}
	for i, language := range all {
		if _, err := exec.LookPath(runs[language]); err == nil {
			return all[i : i+1]
		}
	}
	return all
}

// follow runs a guide against a server of its own.
func follow(t *testing.T, file, source string) {
	t.Helper()
	settings, name := platentest.Limits(), strings.TrimSuffix(filepath.Base(file), ".md")
	switch {
	case name == "limits":
		settings["tick-pause"] = slowly
	case strings.Contains(source, "platen serve --profile local"): // which has no limits
		maps.Copy(settings, map[string]string{"key-rate": "0", "ip-rate": "0", "ip-active": "0", "tick-pause": "0s"})
	}
	p := platentest.Start(t, settings)
	if name == "overview" {
		name = "index"
	}
	served := page(t, p, "/docs/"+name+".md")
	if name == "limits" { // the shared server has none
		served = read(t, p.Origin+"/docs/limits.md")
	}
	if !strings.Contains(served, " only=") {
		walk(t, file, source, served, "")
		return
	}
	for _, language := range written() {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			testclient.Need(t, runs[language])
			walk(t, file, source, served, language)
		})
	}
}

// walk does what a page says from the top: it writes its programs into files, runs its
// commands, and compares what they print. Blocks for another language are left out.
func walk(t *testing.T, file, source, served, language string) {
	t.Helper()
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	var want []string
	waits := false
	for _, fence := range fences.FindAllStringSubmatch(served, -1) {
		kind, only, _ := strings.Cut(fence[1], " only=")
		only, _, _ = strings.Cut(only, " ")
		_, name, program := strings.Cut(kind, " file=")
		switch {
		case only != "" && only != language:
		case program && only != "":
			fmt.Fprintf(&script, "cat > %s <<'END OF FILE'\n%sEND OF FILE\n", name, fence[2])
		case kind == "sh test":
			fmt.Fprintf(&script, "%s\nprintf '\\036'\n", fence[2])
			want, waits = append(want, ""), true
		case kind == "output" && waits:
			want[len(want)-1], waits = fence[2], false
		}
	}
	got := run(t, script.String())
	if len(got) != len(want)+1 {
		t.Fatalf("%d answers to %d commands", len(got)-1, len(want))
	}
	if *update {
		if language == "" || language == "python" {
			write(t, file, source, got)
		}
		return
	}
	for i := range want {
		if plain(got[i]) != plain(want[i]) {
			t.Errorf("command %d of %s answers\n%s\nthe guide says\n%s", i+1, file, got[i], want[i])
		}
	}
}

// changing are words of answers that are never twice the same.
var changing = regexp.MustCompile(
	`\b(req|evt|sbx|whk|so|wo|pr|shp|inv|dlv|lot)_[0-9a-z]{13}\b|\b20\d\d-\d\d-\d\dT[0-9:.]+Z`)

func plain(answer string) string {
	return strings.TrimSpace(changing.ReplaceAllString(answer, "$1"))
}

// run gives a script to a shell in a folder of its own and returns the answers
// between the separators.
func run(t *testing.T, script string) []string {
	t.Helper()
	testclient.Need(t, "bash")
	testclient.Need(t, "curl")
	shell := exec.CommandContext(t.Context(), "bash")
	platen, err := builtPlaten()
	if err != nil {
		t.Fatal(err)
	}
	path := []string{filepath.Dir(platen), os.Getenv("PATH")}
	// The interpreter itself comes first, which the python3 of the PATH may look for at length.
	if python, err := testclient.Python(); err == nil {
		path = slices.Insert(path, 0, filepath.Dir(python))
	}
	shell.Env = append(os.Environ(), "PATH="+strings.Join(path, string(filepath.ListSeparator)))
	shell.Dir, shell.Stdin = t.TempDir(), strings.NewReader(script)
	var complaints bytes.Buffer
	shell.Stderr = &complaints
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("the shell: %v\n%s\n%s", err, out, complaints.String())
	}
	return strings.Split(string(out), separator)
}

func read(t *testing.T, url string) string {
	t.Helper()
	return string(ask(t, url).Want(http.StatusOK, "").Raw)
}

// uncompressed takes pages as they are: packing all of them takes as long as making them.
var uncompressed = &http.Transport{DisableCompression: true}

// ask sends a request as browsers do: it follows redirects.
func ask(t *testing.T, url string) *testclient.Answer {
	t.Helper()
	r, err := testclient.Request{Method: http.MethodGet, URL: url}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, err := testclient.Exchange(&http.Client{Transport: uncompressed}, r)
	if err != nil {
		t.Fatal(err)
	}
	a.T = t
	return a
}

// write puts answers behind the commands in the guide's file.
func write(t *testing.T, file, source string, answers []string) {
	t.Helper()
	i, waits := 0, false
	out := writable.ReplaceAllStringFunc(source, func(fence string) string {
		switch {
		case strings.HasPrefix(fence, "```sh test\n"), strings.HasPrefix(fence, "{{run "):
			i, waits = i+1, true
		case strings.HasPrefix(fence, "```output\n") && waits:
			waits = false
			return "```output\n" + strings.TrimSpace(answers[i-1]) + "\n```"
		}
		return fence
	})
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
}
