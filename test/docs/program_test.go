package docs_test

import (
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

// programming are the languages of blocks that have to be run.
var programming = []string{"go", "python", "javascript", "php", "ruby", "java"}

// marked finds what the mark of a block says of its test.
var marked = regexp.MustCompile(` (test|file)=(\S+)`)

// TestEveryProgramOfTheGuidesRuns takes the blocks in Python and JavaScript, each with
// the file in testdata that its mark names: what a reader would have around it. When a block
// with output follows, the program prints it. Without a thorough run every third is run,
// and so some of both languages. Those in Go are in the tests of
// platentest, in ci_test.go where the mark says ci.go.
// A block that is marked with file= is a whole program, which the tests of
// docs/webhooks run. A mark with a folder names a file of the repository that has
// the block in it, for a runner: runners_test.go runs those suites.
func TestEveryProgramOfTheGuidesRuns(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range append(files, "../../README.md") {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all := fences.FindAllStringSubmatch(string(raw), -1)
		for i, fence := range all {
			language, _, _ := strings.Cut(fence[1], " ")
			says := ""
			if i+1 < len(all) && all[i+1][1] == "output" {
				says = all[i+1][2]
			}
			mark := marked.FindStringSubmatch(fence[1])
			switch {
			case !slices.Contains(programming, language) || mark != nil && mark[1] == "file":
			case mark == nil:
				t.Errorf("%s: a block in %s says with test= nothing of how it is run:\n%s", file, language, fence[2])
			case language == "go":
				kept(t, file, "platentest/"+strings.TrimSuffix(mark[2], ".go")+"_test.go", fence[2])
			case strings.Contains(mark[2], "/"):
				kept(t, file, mark[2], fence[2])
			default:
				if ran++; !chosen(ran, 3) {
					continue
				}
				t.Run(filepath.Base(file)+" "+mark[2], func(t *testing.T) {
					t.Parallel()
					if out := runProgram(t, language, mark[2], fence[2]); says != "" && string(out) != says {
						t.Errorf("it prints\n%s\nthe guide says\n%s", out, says)
					}
				})
			}
		}
	}
	if ran == 0 {
		t.Error("no guide has a program")
	}
}

// kept looks for a block of a guide in the file of a suite.
func kept(t *testing.T, guide, suite, block string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", suite))
	if err != nil || !strings.Contains(string(text), strings.TrimSpace(block)) {
		t.Errorf("%s: %s does not have this block: %v\n%s", guide, suite, err, block)
	}
}

// runProgram runs a block with the code around it, and returns what it prints.
func runProgram(t *testing.T, language, around, block string) []byte {
	t.Helper()
	around, err := filepath.Abs(filepath.Join("testdata", around))
	if err != nil {
		t.Fatal(err)
	}
	var command *exec.Cmd
	switch language {
	case "python":
		command = exec.CommandContext(t.Context(), interpreter(t), "-B", around, put(t, "block.py", block))
		command.Env = environment(t)
	case "javascript":
		before, err := os.ReadFile(around)
		if err != nil {
			t.Fatal(err)
		}
		program := put(t, "block.mjs", string(before)+"\n"+block)
		install(t, filepath.Dir(program))
		command = exec.CommandContext(t.Context(), testclient.Need(t, "node"), program)
		command.Env = environment(t)
	default:
		t.Fatalf("nobody knows how to run %s", language)
	}
	command.Dir = t.TempDir()
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return out
}

// clientFolder is where the clients in other languages are.
const clientFolder = "../../clients"

// environment has the keys of a sandbox, and what the clients and their fixtures need.
func environment(t *testing.T) []string {
	t.Helper()
	s := shared().Sandbox(t, platentest.Options{Preset: "starter", Seed: new(int64(7)), Clock: "manual"})
	packages, err := filepath.Abs(filepath.Join(clientFolder, "python"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := builtPlaten()
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "BASE_URL="+s.BaseURL, "PLATEN_URL="+s.BaseURL, "PLATEN_OFFICE_KEY="+s.OfficeKey,
		"PLATEN_FACTORY_KEY="+s.FactoryKey, "PYTHONPATH="+packages, "PLATEN_BIN="+program)
}

// install makes the JavaScript client a package of the programs in a folder.
func install(t *testing.T, folder string) {
	t.Helper()
	client, err := filepath.Abs(filepath.Join(clientFolder, "javascript"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(client, filepath.Join(folder, "node_modules", "platen")); err != nil {
		t.Fatal(err)
	}
}

// put writes a file into a folder of the test's own.
func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEveryCommandOfTheGuidesIsOne has the shell read what is not run.
func TestEveryCommandOfTheGuidesIsOne(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, fence := range fences.FindAllStringSubmatch(string(raw), -1) {
			if fence[1] == "sh" {
				commands[file+": "+fence[2]] = fence[2]
			}
		}
	}
	if len(commands) == 0 {
		t.Fatal("no guide has a command")
	}
	t.Run("sh", func(t *testing.T) { parses(t, commands, "bash", "-c", checkShell) })
}
