package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"
)

// function is a declared function or method: the code that a reader finds
// under one name. A function literal belongs to the declaration around it.
type function struct {
	// file is relative to the module.
	file, name string
}

// functionsOf reads a coverage profile and returns the functions of which at
// least one block ran, with the number of their lines. This program itself is
// left out.
func (m *module) functionsOf(profile string) (map[function]int, error) {
	functions := map[function]int{}
	for line := range strings.Lines(profile) {
		place, rest, ok := strings.Cut(strings.TrimSpace(line), ".go:")
		if !ok {
			continue // the mode
		}
		var first, firstColumn, last, lastColumn, statements, times int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d",
			&first, &firstColumn, &last, &lastColumn, &statements, &times); err != nil {
			return nil, fmt.Errorf("read the profile's line %q: %w", line, err)
		}
		path := strings.TrimPrefix(place+".go", m.path+"/")
		if times == 0 || filepath.Dir(path) == ownFolder {
			continue
		}
		f := m.files[path]
		if f == nil {
			return nil, fmt.Errorf("the profile has %s, which the module has not", path)
		}
		if d := f.functionAt(m.fset, first, firstColumn); d != nil {
			functions[function{path, functionName(d)}] = m.linesOf(d)
		}
	}
	return functions, nil
}

// functionAt finds the declaration around a place. There is none around the
// literals of package variables.
func (s *source) functionAt(fset *token.FileSet, line, column int) *ast.FuncDecl {
	for _, declaration := range s.syntax.Decls {
		d, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from, to := fset.Position(d.Pos()), fset.Position(d.End())
		after := line > from.Line || line == from.Line && column >= from.Column
		before := line < to.Line || line == to.Line && column < to.Column
		if after && before {
			return d
		}
	}
	return nil
}

// linesOf counts the lines of a declaration, from its first word to its last
// brace.
func (m *module) linesOf(d *ast.FuncDecl) int {
	return m.fset.Position(d.End()).Line - m.fset.Position(d.Pos()).Line + 1
}

// functionName is the name as a stack trace would have it, such as
// (*Table).Find.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver, pointer := d.Recv.List[0].Type, false
	for {
		switch x := receiver.(type) {
		case *ast.StarExpr:
			receiver, pointer = x.X, true
		case *ast.IndexExpr:
			receiver = x.X
		case *ast.IndexListExpr:
			receiver = x.X
		case *ast.Ident:
			if pointer {
				return "(*" + x.Name + ")." + d.Name.Name
			}
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}
