package road

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
	const walks = 4
	for i := range walks { // a quarter of a second apart: the server's own work, once a second, is beside one of them
		at := filepath.Join(folder, fmt.Sprint(i))
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		run(t, program, at, (time.Duration(i) * time.Second / walks).String())
	}
	limits, rest := read(t)
	source := files{}
	table := fmt.Sprintf("%-26s %9s %5s %8s %10s %6s\n", "road", "functions", "files", "packages", "statements",
		"lines")
	for _, road := range roads {
		blocks := map[string]int{}
		for i := range walks {
			profile := filepath.Join(folder, "profile")
			run(t, "go", "tool", "covdata", "textfmt", "-i", filepath.Join(folder, fmt.Sprint(i), road), "-o", profile)
			ran(t, profile, blocks)
		}
		maps.DeleteFunc(blocks, func(_ string, times int) bool { return times < walks })
		got := source.count(t, blocks, road)
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

// ran adds one to the walks of each block of statements that ran, by a profile of coverage.
func ran(t *testing.T, profile string, blocks map[string]int) {
	t.Helper()
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		at := strings.LastIndexByte(line, ' ') // a block's times; the first line is another one
		if block := line[:max(at, 0)]; strings.Contains(block, ",") && line[at+1:] != "0\n" {
			blocks[block]++
		}
	}
}

// count adds up the blocks of a road.
func (f files) count(t *testing.T, blocks map[string]int, road string) (n figures) {
	t.Helper()
	functions, passed, packages := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for text := range blocks {
		name, block, _ := strings.Cut(text, ":")
		var fromLine, fromColumn, toLine, toColumn, statements int
		_, err := fmt.Sscanf(block, "%d.%d,%d.%d %d", &fromLine, &fromColumn, &toLine, &toColumn, &statements)
		if err != nil {
			t.Fatalf("a line of the profile: %q: %v", text, err)
		}
		if strings.HasPrefix(name, "platen/test/") {
			continue // walk is the client
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
		for _, name := range slices.Sorted(maps.Keys(functions)) {
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
