package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	longFunction     = 60
	veryLongFunction = 100
	longLine         = 120
	// tabColumns is how wide a tab is taken to be.
	tabColumns = 4
)

// shape is what is counted of either the program or its tests.
type shape struct {
	lines, long int
	lengths     []int
	// functions are those over 60 lines, with their lengths; longLines are counts
	// by file.
	functions map[string]int
	longLines map[string]int
}

// measureShape counts lines, functions and words in the Go code of the module
// that people write. Modules inside this one, such as test/browser, have their
// own.
func measureShape(_ context.Context, m *module) ([]figure, error) {
	var program, tests shape
	for _, f := range m.files {
		if !f.byHand() {
			continue
		}
		if isTest(f.path) {
			tests.add(m, f)
		} else {
			program.add(m, f)
		}
	}
	both := func(name, note string, value func(*shape) int, details []string) figure {
		return figure{
			name: name, value: strconv.Itoa(value(&program)), tests: strconv.Itoa(value(&tests)), note: note,
			details: details,
		}
	}
	over := func(limit int) func(*shape) int {
		return func(s *shape) int {
			return len(slices.DeleteFunc(slices.Clone(s.lengths), func(n int) bool { return n <= limit }))
		}
	}
	packages := m.packagesUnder("internal")
	figures := []figure{
		both("Go lines by hand", "all lines", func(s *shape) int { return s.lines }, nil),
		both("functions", "declared ones, with methods", func(s *shape) int { return len(s.lengths) }, nil),
		{
			name: "median function", value: formatMedian(program.lengths), tests: formatMedian(tests.lengths),
			note: "lines from func to the closing brace",
		},
		both("functions over 60 lines", "", over(longFunction),
			append(tally(program.functions), tally(tests.functions)...)),
		both("functions over 100 lines", "", over(veryLongFunction), nil),
		both("lines over 120 columns", fmt.Sprintf("a tab is %d columns", tabColumns),
			func(s *shape) int { return s.long }, tally(program.longLines)),
		m.mentionedOnce(),
		count("packages under internal/", len(packages), "", packages),
	}
	return append(figures, m.measureWords()...), nil
}

func (s *shape) add(m *module, f *source) {
	if s.functions == nil {
		s.functions, s.longLines = map[string]int{}, map[string]int{}
	}
	for line := range strings.Lines(f.text) {
		s.lines++
		line = strings.TrimRight(line, "\n")
		if columns := utf8.RuneCountInString(line) + strings.Count(line, "\t")*(tabColumns-1); columns > longLine {
			s.long++
			s.longLines[f.path]++
		}
	}
	for _, declaration := range f.syntax.Decls {
		d, ok := declaration.(*ast.FuncDecl)
		if !ok || d.Body == nil {
			continue
		}
		n := m.linesOf(d)
		s.lengths = append(s.lengths, n)
		if n > longFunction {
			s.functions[f.path+": "+functionName(d)] = n
		}
	}
}

// mentionedOnce is the share of unexported functions that the program names at
// one place only. Tests do not count as places, nor main as a function.
func (m *module) mentionedOnce() figure {
	unexported := 0
	var once []string
	for object := range m.declared {
		f, ok := object.(*types.Func)
		if !ok || f.Exported() || f.Name() == "main" || f.Name() == "_" ||
			!m.files[m.fset.Position(f.Pos()).Filename].byHand() {
			continue
		}
		unexported++
		if len(m.uses[object]) == 1 {
			once = append(once, m.fset.Position(f.Pos()).Filename+": "+f.Name())
		}
	}
	slices.Sort(once)
	return share("unexported functions named at one place", len(once), unexported,
		fmt.Sprintf("%d of %d, methods too", len(once), unexported), once)
}

func (m *module) packagesUnder(folder string) []string {
	var paths []string
	for _, u := range m.packages {
		if strings.HasPrefix(u.path, folder+"/") {
			paths = append(paths, u.path)
		}
	}
	slices.Sort(paths)
	return paths
}
