package archtest_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Limits that keep a file on a few screens and a function on one.
const (
	maxFileLines     = 500
	maxFunctionLines = 100
)

// emptyNames say nothing about what is inside, so everything ends up there.
var emptyNames = []string{
	"util", "utils", "common", "helper", "helpers", "model", "models", "types", "service", "services", "pkg", "misc",
	"base", "shared", "lib",
}

// TestEveryPackageSaysWhatItIs: the package comment is the first thing that
// godoc and a reader see.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	for _, u := range theProgram(t).packages {
		var comments []string
		testsOnly := true
		for _, f := range u.files {
			testsOnly = testsOnly && f.test
			if f.Doc != nil {
				comments = append(comments, f.Doc.Text())
			}
		}
		want := "Package " + u.name + " "
		switch {
		case testsOnly:
			want = "Package "
		case u.name == "main":
			want = "Command " + path.Base(u.path) + " "
		}
		if !slices.ContainsFunc(comments, func(text string) bool { return strings.HasPrefix(text, want) }) {
			t.Errorf("%s has no package comment that begins with %q", u.path, want)
		}
	}
}

// TestPackagesAreCalledForWhatTheyHold keeps drawers for everything out.
func TestPackagesAreCalledForWhatTheyHold(t *testing.T) {
	t.Parallel()
	for _, u := range theProgram(t).packages {
		for _, name := range append(strings.Split(u.path, "/"), u.name) {
			if slices.Contains(emptyNames, name) {
				t.Errorf("%s: the name %q says nothing about what is inside", u.path, name)
			}
		}
	}
}

// TestNothingHappensOnImport: an init function runs before the program has
// decided anything, and in an order that is written nowhere.
func TestNothingHappensOnImport(t *testing.T) {
	t.Parallel()
	p := theProgram(t)
	for f := range p.sources {
		for _, declaration := range f.Decls {
			if d, ok := declaration.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == "init" {
				t.Errorf("%s: no init functions; call it from where it is needed", p.at(d.Pos()))
			}
		}
	}
}

// TestFilesAreShort counts all lines of files that people write.
func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	excuse := regexp.MustCompile(`(?m)^//revive:disable:file-length-limit \S+`)
	for f := range theProgram(t).sources {
		if n := len(f.lines()); n > maxFileLines && !f.generated() && !excuse.Match(f.text) {
			t.Errorf("%s has %d lines; more than %d need a reason: `//revive:disable:file-length-limit reason`",
				f.path, n, maxFileLines)
		}
	}
}

// TestFunctionsAreShort counts the lines of a body that are not comments.
func TestFunctionsAreShort(t *testing.T) {
	t.Parallel()
	p := theProgram(t)
	for f := range p.sources {
		if f.generated() {
			continue
		}
		for _, declaration := range f.Decls {
			d, ok := declaration.(*ast.FuncDecl)
			if !ok || d.Body == nil {
				continue
			}
			if n := codeLines(p, f, d.Body); n > maxFunctionLines && !excused(p, f, "funlen", d.Pos(), d.Doc) {
				t.Errorf("%s: %s has %d lines; more than %d need a reason: `//nolint:funlen // reason`",
					p.at(d.Pos()), d.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

func codeLines(p *program, f *source, body *ast.BlockStmt) int {
	n := 0
	first, last := p.at(body.Lbrace).Line, p.at(body.Rbrace).Line-1
	for _, line := range f.lines()[min(first, last):last] {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			n++
		}
	}
	return n
}

// excused reports whether a comment turns a linter off, with a reason, in the
// doc comment of a declaration or on its first line.
func excused(p *program, f *source, linter string, pos token.Pos, doc *ast.CommentGroup) bool {
	excuse := regexp.MustCompile(fmt.Sprintf(`//nolint:([a-z,]+,)?%s(,[a-z,]+)? // \S+`, linter))
	matches := func(c *ast.Comment) bool { return excuse.MatchString(c.Text) }
	if doc != nil && slices.ContainsFunc(doc.List, matches) {
		return true
	}
	line := p.at(pos).Line
	for _, group := range f.Comments {
		for _, c := range group.List {
			if p.at(c.Pos()).Line == line && matches(c) {
				return true
			}
		}
	}
	return false
}
