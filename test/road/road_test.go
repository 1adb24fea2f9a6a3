package road

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write roads.txt with lower figures")

// roads are those that walk goes.
var roads = []string{"accept", "list", "tick", "decline with its delivery", "an agent's accept"}

// figures count a road: functions, files and packages, statements that run, and all lines of the
// files.
type figures struct{ functions, files, packages, statements, lines int }

const columns = "%-26s %9d %5d %8d %10d %6d"

// TestRoadsDoNotGetLonger counts the five roads. A longer one is a decision: write the new figure in roads.txt, and the
// reason below the table. Statements and lines may grow by a twentieth: they differ from run to run, and with comments.
func TestRoadsDoNotGetLonger(t *testing.T) {
	t.Parallel()
	if os.Getenv("PLATEN_TEST_ROAD") == "" {
		t.Skip("set PLATEN_TEST_ROAD to count the functions of five requests")
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "walk")
	run(t, "go", "build", "-cover", "-covermode=atomic", "-coverpkg=platen/...", "-o", program, "platen/test/road/walk")
	const walks = 3
	for i := range walks {
		at := filepath.Join(folder, fmt.Sprint(i))
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		run(t, program, at)
	}
	limits, rest := read(t)
	source := files{}
	table := fmt.Sprintf("%-26s %9s %5s %8s %10s %6s\n", "road", "functions", "files", "packages", "statements",
		"lines")
	for _, road := range roads {
		var got figures
		for i := range walks { // the shortest one had no work of the server's own beside it
			profile := filepath.Join(folder, "profile")
			run(t, "go", "tool", "covdata", "textfmt", "-i", filepath.Join(folder, fmt.Sprint(i), road), "-o", profile)
			if n := source.count(t, profile, road); i == 0 || n.functions < got.functions {
				got = n
			}
		}
		limit, known := limits[road]
		for _, figure := range []struct {
			name     string
			got, not int
		}{
			{"functions", got.functions, limit.functions}, {"files", got.files, limit.files},
			{"packages", got.packages, limit.packages}, {"statements", got.statements, some(limit.statements)},
			{"lines", got.lines, some(limit.lines)},
		} {
			if known && figure.got > figure.not {
				t.Errorf("the road of %s has %d %s, %d more than the last commit", road, figure.got, figure.name,
					figure.got-figure.not)
			}
		}
		table += fmt.Sprintf(columns+"\n", road, got.functions, got.files, got.packages, got.statements, got.lines)
	}
	t.Logf("\n%s", table)
	if *update && !t.Failed() {
		if err := os.WriteFile("roads.txt", []byte(table+rest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// some is a figure with a twentieth more.
func some(n int) int { return n + n/20 }

// read returns the figures of the last commit, and the reasons below them.
func read(t *testing.T) (limits map[string]figures, rest string) {
	t.Helper()
	text, err := os.ReadFile("roads.txt")
	if err != nil {
		t.Fatal(err)
	}
	limits = map[string]figures{}
	lines := strings.SplitAfter(string(text), "\n")
	for _, road := range roads {
		for _, line := range lines {
			var f figures
			if numbers, found := strings.CutPrefix(line, road+" "); found {
				_, err := fmt.Sscan(numbers, &f.functions, &f.files, &f.packages, &f.statements, &f.lines)
				if err != nil {
					t.Fatalf("roads.txt: %q: %v", line, err)
				}
				limits[road] = f
			}
		}
	}
	if _, below, found := strings.Cut(string(text), "\n\n"); found {
		rest = "\n" + below
	}
	return limits, rest
}

func run(t *testing.T, name string, arguments ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, arguments...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
}

// files are the functions of each source file, and its lines.
type files map[string]source

type source struct {
	functions []function
	lines     int
}

type function struct {
	name       string
	begin, end int
}

// count reads a profile of coverage: which blocks of statements ran.
func (f files) count(t *testing.T, profile, road string) (n figures) {
	t.Helper()
	opened, err := os.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	functions, passed, packages := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for lines := bufio.NewScanner(opened); lines.Scan(); {
		name, block, _ := strings.Cut(lines.Text(), ":")
		var fromLine, fromColumn, toLine, toColumn, statements, times int
		if _, err := fmt.Sscanf(block, "%d.%d,%d.%d %d %d", &fromLine, &fromColumn, &toLine, &toColumn, &statements,
			&times); err != nil || times == 0 || strings.HasPrefix(name, "platen/test/") {
			continue // the first line is another one, and walk is the client
		}
		n.statements += statements
		if !passed[name] {
			passed[name] = true
			n.lines += f.of(t, name).lines
		}
		packages[path.Dir(name)] = true
		for _, candidate := range f.of(t, name).functions {
			if candidate.begin <= fromLine && fromLine <= candidate.end {
				functions[name+" "+candidate.name] = true
			}
		}
	}
	if names := os.Getenv("PLATEN_TEST_ROAD"); names == road {
		for name := range functions {
			fmt.Println(name)
		}
	}
	n.functions, n.files, n.packages = len(functions), len(passed), len(packages)
	return n
}

// of parses a file of this module, once.
func (f files) of(t *testing.T, name string) source {
	t.Helper()
	if s, known := f[name]; known {
		return s
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, filepath.Join("../..", strings.TrimPrefix(name, "platen/")), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := source{lines: set.File(parsed.Pos()).LineCount()}
	for _, d := range parsed.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			begin := set.Position(d.Pos()).Line
			s.functions = append(s.functions, function{
				name: fmt.Sprintf("%d %s", begin, d.Name.Name), begin: begin, end: set.Position(d.End()).Line,
			})
		}
	}
	f[name] = s
	return s
}
