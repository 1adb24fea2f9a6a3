package archtest_test

import (
	"go/ast"
	"strings"
	"testing"
)

// watched are the suites of which the race detector gets the tests in a list, with the least
// number of them.
var watched = map[string]int{"test/contract": 112, "test/scenario": 4}

// TestTestsThatStartGoroutinesAreWatched: the list of a suite has each test that starts
// goroutines, itself or in what it calls, and is not emptied without a word.
func TestTestsThatStartGoroutinesAreWatched(t *testing.T) {
	t.Parallel()
	for _, u := range theProgram(t).packages {
		least, ok := watched[u.path]
		if !ok {
			continue
		}
		functions, listed := map[string]*ast.FuncDecl{}, map[string]bool{}
		for _, f := range u.files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil {
					functions[d.Name.Name] = d
				}
			}
			ast.Inspect(f.File, func(n ast.Node) bool {
				if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == "concurrent" {
					for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
						listed[e.(*ast.Ident).Name] = true
					}
				}
				return true
			})
		}
		if len(listed) < least {
			t.Errorf("the race detector gets %d tests of %s, and had %d", len(listed), u.path, least)
		}
		for name := range functions {
			if strings.HasPrefix(name, "Test") && !listed[name] && name != "TestMain" &&
				startsGoroutines(functions, name, map[string]bool{}) {
				t.Errorf("%s of %s starts goroutines and is not in the list of what the race detector gets", name,
					u.path)
			}
		}
	}
}

// startsGoroutines reports whether a function does, or one of the package that it calls.
func startsGoroutines(functions map[string]*ast.FuncDecl, name string, seen map[string]bool) (found bool) {
	if seen[name] || functions[name] == nil {
		return false
	}
	seen[name] = true
	ast.Inspect(functions[name], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			switch called := n.Fun.(type) {
			case *ast.SelectorExpr:
				found = found || called.Sel.Name == "Go"
			case *ast.Ident:
				found = found || startsGoroutines(functions, called.Name, seen)
			}
		}
		return !found
	})
	return found
}
