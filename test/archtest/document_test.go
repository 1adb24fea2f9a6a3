package archtest_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestExportedNamesAreDocumented: each begins its comment with its name, in the
// manner of Go. In a group the comment of the group speaks for its constants
// and variables.
func TestExportedNamesAreDocumented(t *testing.T) {
	t.Parallel()
	p := theProgram(t)
	for f := range p.sources {
		if f.generated() || !strings.HasPrefix(f.path, "internal/") {
			continue
		}
		for _, declaration := range f.Decls {
			for _, name := range undocumented(declaration) {
				t.Errorf("%s: the comment of %s should begin with its name", p.at(name.Pos()), name.Name)
			}
		}
	}
}

func undocumented(declaration ast.Decl) []*ast.Ident {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d.Recv) && !begins(d.Doc, d.Name) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var missing []*ast.Ident
		for _, spec := range d.Specs {
			missing = append(missing, undocumentedSpec(d, spec)...)
		}
		return missing
	}
	return nil
}

func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	grouped := d.Lparen.IsValid()
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && !begins(s.Doc, s.Name) && (grouped || !begins(d.Doc, s.Name)) {
			return []*ast.Ident{s.Name}
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && !begins(s.Doc, s.Names[0]) && (!grouped || d.Doc == nil) &&
				!begins(d.Doc, s.Names[0]) {
				return []*ast.Ident{name}
			}
		}
	}
	return nil
}

func exportedReceiver(receiver *ast.FieldList) bool {
	if receiver == nil {
		return true
	}
	e := receiver.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

func begins(doc *ast.CommentGroup, name *ast.Ident) bool {
	if doc == nil {
		return false
	}
	text := doc.Text()
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	rest, ok := strings.CutPrefix(text, name.Name)
	return ok && (rest == "" || !token.IsIdentifier(rest[:1]))
}

// contract is the table of rules that clients rely on.
type contract struct {
	// rules are the texts by id.
	rules map[string]string
	ids   []string
	// owed are the ids of rules that are not kept yet, in the file's order.
	owed []string
}

var readContract = sync.OnceValues(func() (*contract, error) {
	text, err := os.ReadFile(root + "/docs/reference/contract.md")
	if err != nil {
		return nil, err
	}
	c := &contract{rules: map[string]string{}}
	for _, m := range regexp.MustCompile("(?m)^(?:\\| |- )`([A-Z][A-Z0-9_.]*)`(?: \\|)? (.*?)(?: \\|)?$").
		FindAllStringSubmatch(string(text), -1) {
		c.ids = append(c.ids, m[1])
		c.rules[m[1]] = m[2]
	}
	text, err = os.ReadFile(root + "/test/contract/owed.txt")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(fields[0], "#") {
			c.owed = append(c.owed, fields[0])
		}
	}
	return c, nil
})

func theContract(t *testing.T) *contract {
	t.Helper()
	c, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.ids) < 100 {
		t.Fatalf("only %d rules found in the contract: has its layout changed?", len(c.ids))
	}
	return c
}

func (c *contract) owes(id string) bool { return slices.Contains(c.owed, id) }

// TestContractRowsHaveOneID: ids are how code, tests and people name a rule.
func TestContractRowsHaveOneID(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, id := range theContract(t).ids {
		if seen[id] {
			t.Errorf("the id %s stands twice in docs/reference/contract.md", id)
		}
		seen[id] = true
	}
}

// TestOwedRowsExist: each owed row is one of the contract. The order keeps
// changes of the file readable.
func TestOwedRowsExist(t *testing.T) {
	t.Parallel()
	c := theContract(t)
	for i, id := range c.owed {
		if c.rules[id] == "" {
			t.Errorf("test/contract/owed.txt lists %s, which is not in docs/reference/contract.md", id)
		}
		if i > 0 && c.owed[i-1] >= id {
			t.Errorf("test/contract/owed.txt lists %s after %s", id, c.owed[i-1])
		}
	}
}

// TestCitedRowsExist: a comment that cites a rule must lead to it.
func TestCitedRowsExist(t *testing.T) {
	t.Parallel()
	p, c := theProgram(t), theContract(t)
	cited := regexp.MustCompile(`contract:\s+([A-Z][A-Z0-9_.]+(?:(?:,|,? and)\s+[A-Z][A-Z0-9_.]+)*)`)
	id := regexp.MustCompile(`[A-Z][A-Z0-9_.]+`)
	found := 0
	for f := range p.all {
		for _, group := range f.Comments {
			for _, m := range cited.FindAllStringSubmatch(group.Text(), -1) {
				for _, name := range id.FindAllString(m[1], -1) {
					found++
					if name = strings.TrimRight(name, "."); c.rules[name] == "" {
						t.Errorf("%s: there is no row %s in docs/reference/contract.md", p.at(group.Pos()), name)
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("no comment cites the contract: has the way of citing changed?")
	}
}

// namesBeside are the tests of the browser suite and of the generators, which are modules of their own.
func namesBeside(t *testing.T) []string {
	t.Helper()
	var files, names []string
	for _, module := range []string{"browser", "generators"} {
		found, err := filepath.Glob(root + "/test/" + module + "/*_test.go")
		if err != nil || len(found) == 0 {
			t.Fatalf("test/%s has no tests: %v", module, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			names = append(names, match[1])
		}
	}
	return names
}

// TestTheMapIsTheTerritory: ARCHITECTURE.md has a row for each room, with the packages in it,
// and the documents beside it no test that does not exist.
func TestTheMapIsTheTerritory(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for f := range theProgram(t).all {
		for _, declaration := range f.Decls {
			if d, ok := declaration.(*ast.FuncDecl); ok && f.test {
				tests[d.Name.Name] = true
			}
		}
	}
	for _, name := range namesBeside(t) {
		tests[name] = true
	}
	for _, document := range []string{
		"ARCHITECTURE.md", "SECURITY.md", "docs/promises.md", "docs/inside.md", "docs/adding.md",
	} {
		said, err := os.ReadFile(root + "/" + document)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(said), -1) {
			if !tests[name] {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
		}
	}
	for _, r := range rooms {
		_, row, ok := strings.Cut(string(text), "\n| `"+r.room+"` |")
		row, _, _ = strings.Cut(row, "\n")
		if !ok {
			t.Errorf("ARCHITECTURE.md has no row for the room %s", r.room)
		}
		for _, u := range theProgram(t).packages {
			name, inside := strings.CutPrefix(u.path, r.room+"/")
			if inside && r.room != "test" && !strings.Contains(row, "`"+name+"`") {
				t.Errorf("the row of %s in ARCHITECTURE.md does not name %s", r.room, name)
			}
		}
	}
}
