package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// ownCode is the code that exists for one thing alone.
type ownCode struct {
	// files declare it or use it.
	files []string
	// everywhere are identifiers that mean it wherever they are, beside those that
	// mean it in the tests of a folder.
	everywhere map[string]bool
	beside     map[string]map[string]bool
}

// span is a stretch of source code.
type span struct{ from, to token.Pos }

func (s span) holds(p token.Pos) bool { return s.from <= p && p < s.to }

// ownCode begins with the constants that have the name on the wire as their
// value, and the declarations whose names follow from it (decline_order:
// declineOrder, DeclineOrder). It adds the declarations that are used nowhere
// else: only by these, or in a row of a table, a case or a call that names one
// of these. It goes on until there are no more. So it finds the rules behind an
// operation and the texts of a disruption without knowing their places.
func (m *module) ownCode(wire string) ownCode {
	own, spans := map[types.Object]bool{}, []span{}
	for object := range m.declared {
		if m.isNamed(object, wire) {
			own[object] = true
			spans = append(spans, m.declared[object])
		}
	}
	for {
		rows := m.rows(own, wire)
		more := false
		for object, used := range m.uses {
			if _, declared := m.declared[object]; !declared || own[object] {
				continue
			}
			inside := func(p token.Pos) bool {
				return slices.ContainsFunc(spans, func(s span) bool { return s.holds(p) }) ||
					slices.ContainsFunc(rows, func(s span) bool { return s.holds(p) })
			}
			if !slices.ContainsFunc(used, func(p token.Pos) bool {
				return !inside(p) && !m.declared[object].holds(p)
			}) {
				own[object], more = true, true
				spans = append(spans, m.declared[object])
			}
		}
		if !more {
			return m.summarize(own, wire)
		}
	}
}

// isNamed reports whether a declaration has the name itself.
func (m *module) isNamed(object types.Object, wire string) bool {
	if c, ok := object.(*types.Const); ok && c.Val().Kind() == constant.String && constant.StringVal(c.Val()) == wire {
		return true
	}
	if object.Pkg() == nil {
		return false
	}
	_, event, isEvent := strings.Cut(wire, ".")
	if !isEvent {
		return strings.EqualFold(object.Name(), strings.ReplaceAll(wire, "_", ""))
	}
	// The struct of an event's data is called as its constant is, and without a
	// constant as the event is: hr.employee.quit, EmployeeQuitData.
	name, isData := strings.CutSuffix(object.Name(), "Data")
	if c, ok := object.Pkg().Scope().Lookup(name).(*types.Const); ok {
		return isData && m.isNamed(c, wire)
	}
	return isData && strings.EqualFold(name, strings.NewReplacer(".", "", "_", "").Replace(event))
}

// rows finds the rows, cases and calls that name something.
func (m *module) rows(own map[types.Object]bool, wire string) []span {
	var rows []span
	var names func(e ast.Expr) bool
	names = func(e ast.Expr) bool {
		switch x := e.(type) {
		case *ast.BasicLit:
			return x.Value == `"`+wire+`"`
		case *ast.Ident:
			return own[m.info.Uses[x]]
		case *ast.SelectorExpr:
			return own[m.info.Uses[x.Sel]]
		case *ast.UnaryExpr:
			return names(x.X)
		case *ast.KeyValueExpr:
			return names(x.Key) || names(x.Value)
		case *ast.CompositeLit:
			_, isStruct := m.typeOf(x).(*types.Struct)
			return names(x.Type) || isStruct && slices.ContainsFunc(x.Elts, names)
		default:
			return false
		}
	}
	for _, f := range m.program() {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			named := false
			switch x := n.(type) {
			case *ast.CompositeLit:
				named = names(x)
			case *ast.KeyValueExpr:
				named = names(x.Key)
			case *ast.CaseClause:
				named = slices.ContainsFunc(x.List, names)
			case *ast.CallExpr:
				named = slices.ContainsFunc(x.Args, names)
			}
			if named {
				rows = append(rows, span{n.Pos(), n.End()})
			}
			return true
		})
	}
	return rows
}

func (m *module) typeOf(e ast.Expr) types.Type {
	t := m.info.Types[e].Type
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return t.Underlying()
}

// summarize lists the files of the program, where the types say which name means
// which declaration. Tests are read without types: there a name counts if no
// other declaration has it, in all tests for the names that follow from the one
// on the wire, and in the tests of the same folder for the others.
func (m *module) summarize(own map[types.Object]bool, wire string) ownCode {
	names := map[string]int{}
	for object := range m.declared {
		names[object.Name()]++
	}
	c := ownCode{everywhere: map[string]bool{}, beside: map[string]map[string]bool{}}
	for object := range own {
		file := m.fset.Position(object.Pos()).Filename
		c.files = append(c.files, file)
		for _, p := range m.uses[object] {
			c.files = append(c.files, m.fset.Position(p).Filename)
		}
		alone := names[object.Name()] == 1
		if m.isNamed(object, wire) && (alone || !strings.Contains(wire, ".")) {
			c.everywhere[object.Name()] = true
		} else if alone {
			folder := filepath.Dir(file)
			if c.beside[folder] == nil {
				c.beside[folder] = map[string]bool{}
			}
			c.beside[folder][object.Name()] = true
		}
	}
	return c
}
