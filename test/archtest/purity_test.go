package archtest_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// pureImports is all that the core may import of the standard library. Each
// of them computes and does nothing else, apart from the functions below. A
// list of what is forbidden would have holes.
var pureImports = []string{
	"bytes", "cmp", "crypto/sha256", "embed", "encoding/binary", "errors", "fmt", "iter", "maps", "math", "math/bits",
	"path", "slices", "strconv", "strings", "time", "unicode", "unicode/utf8",
}

// impure are functions and variables of those packages that reach outside, or
// that differ from run to run.
var impure = map[string]string{
	"time.Now": "reads the wall clock", "time.Since": "reads the wall clock", "time.Until": "reads the wall clock",
	"time.Sleep": "waits", "time.After": "waits", "time.AfterFunc": "waits", "time.Tick": "waits",
	"time.NewTicker": "waits", "time.NewTimer": "waits", "time.Local": "depends on the machine's time zone",
	"time.LoadLocation": "reads the machine's time zones", "fmt.Print": "writes to the terminal",
	"fmt.Printf": "writes to the terminal", "fmt.Println": "writes to the terminal",
	"fmt.Scan": "reads the terminal", "fmt.Scanf": "reads the terminal", "fmt.Scanln": "reads the terminal",
	"maps.Keys": mapOrder, "maps.Values": mapOrder, "maps.All": mapOrder,
}

const mapOrder = "goes through a map in an order that changes from run to run; only slices.Sorted(maps.Keys(m)) is fine"

// pureMath are the functions of package math that every processor computes to
// the last bit alike. IEEE 754 asks for exact square roots, but not for exact
// logarithms, powers or sines.
var pureMath = []string{"Floor", "Ceil", "Sqrt", "Abs"}

// TestCoreImportsOnlyWhatComputes keeps files, networks, clocks, locks, logs
// and global randomness out of the simulation.
func TestCoreImportsOnlyWhatComputes(t *testing.T) {
	t.Parallel()
	p := theProgram(t)
	for f := range p.sources {
		if !f.unit.inCore() {
			continue
		}
		for _, spec := range f.Imports {
			path := importPath(spec.Path.Value)
			host, _, _ := strings.Cut(path, "/")
			if host != module && !strings.Contains(host, ".") && !slices.Contains(pureImports, path) {
				t.Errorf("%s: the core must not import %s", p.at(spec.Pos()), path)
			}
		}
	}
}

// TestCoreIsPure keeps the simulation replayable: what it does depends on its
// arguments and on nothing else.
func TestCoreIsPure(t *testing.T) {
	t.Parallel()
	p := theProgram(t)
	for _, c := range p.check(t, (*unit).inCore) {
		for _, f := range c.sources() {
			withParents(f.File, func(n ast.Node, parents []ast.Node) {
				if reason := impurity(c.info, n, parents); reason != "" {
					t.Errorf("%s: %s", p.at(n.Pos()), reason)
				}
			})
		}
	}
}

// impurity says what is wrong with a node, "" when nothing is.
func impurity(info *types.Info, n ast.Node, parents []ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "goroutine: the core has no concurrency"
	case *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
		return "channel: the core has no concurrency"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "channel: the core has no concurrency"
		}
	case *ast.RangeStmt:
		if isMap(info.TypeOf(n.X)) {
			return "range over a map: its order changes from run to run; keep a slice, or sort the keys"
		}
	case *ast.Ident:
		return impureUse(info.Uses[n], parents, info)
	}
	return ""
}

func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func impureUse(used types.Object, parents []ast.Node, info *types.Info) string {
	if b, ok := used.(*types.Builtin); ok && (b.Name() == "print" || b.Name() == "println") {
		return b.Name() + " writes to the terminal"
	}
	if used == nil || used.Pkg() == nil {
		return ""
	}
	name := used.Pkg().Path() + "." + used.Name()
	if f, ok := used.(*types.Func); ok {
		if f.Signature().Recv() != nil {
			return ""
		}
		if used.Pkg().Path() == "math" && !slices.Contains(pureMath, used.Name()) {
			return name + " need not give the same bits on every processor"
		}
	}
	reason, found := impure[name]
	if !found || name == "maps.Keys" && sorted(info, parents) {
		return ""
	}
	return name + " " + reason
}

// sorted reports whether maps.Keys is in slices.Sorted(maps.Keys(m)): above the
// name are its selector, its call and the call of slices.Sorted.
func sorted(info *types.Info, parents []ast.Node) bool {
	if len(parents) < 3 {
		return false
	}
	outer, ok := parents[len(parents)-3].(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := outer.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := info.Uses[selector.Sel].(*types.Func)
	return ok && f.FullName() == "slices.Sorted"
}

// TestFloatingPointIsRoundedAtEveryStep keeps fused multiply-add out. A
// compiler may fuse x*y+z, also across statements, and does so on some
// processors only; an explicit conversion of the product forbids it. So every
// product is in one: float64(x*y).
func TestFloatingPointIsRoundedAtEveryStep(t *testing.T) {
	t.Parallel()
	p := theProgram(t)
	for _, c := range p.check(t, deterministic) {
		for _, f := range c.sources() {
			withParents(f.File, func(n ast.Node, parents []ast.Node) {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					if n.Op == token.MUL && isFloat(c.info, n) && !converted(c.info, parents) {
						t.Errorf("%s: write float64(x*y), so that no processor fuses the product into a sum",
							p.at(n.Pos()))
					}
				case *ast.AssignStmt:
					if n.Tok == token.MUL_ASSIGN && isFloat(c.info, n.Lhs[0]) {
						t.Errorf("%s: write x = float64(x*y), so that no processor fuses the product into a sum",
							p.at(n.Pos()))
					}
				}
			})
		}
	}
}

// deterministic reports whether a package computes what has to be the same on
// every processor: the core and its vocabulary.
func deterministic(u *unit) bool {
	return u.inCore() || allows(words, u.path)
}

// isFloat reports whether an expression is computed in floating point when the
// program runs. Constants are exact.
func isFloat(info *types.Info, e ast.Expr) bool {
	tv, ok := info.Types[e]
	if !ok || tv.Value != nil || tv.Type == nil {
		return false
	}
	basic, ok := tv.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
}

func converted(info *types.Info, parents []ast.Node) bool {
	for _, parent := range slices.Backward(parents) {
		switch n := parent.(type) {
		case *ast.ParenExpr:
		case *ast.CallExpr:
			return info.Types[n.Fun].IsType()
		default:
			return false
		}
	}
	return false
}

// TestWhatIsStoredHoldsNoMap keeps bytes deterministic: the encoder writes the
// members of a map in any order. A struct whose fields have JSON names is taken
// to be stored or sent.
func TestWhatIsStoredHoldsNoMap(t *testing.T) {
	t.Parallel()
	p := theProgram(t)
	for _, c := range p.check(t, deterministic) {
		for _, f := range c.sources() {
			ast.Inspect(f.File, func(n ast.Node) bool {
				field, ok := n.(*ast.Field)
				if !ok || field.Tag == nil || !strings.Contains(field.Tag.Value, `json:"`) {
					return true
				}
				if holdsMap(c.info.TypeOf(field.Type), map[types.Type]bool{}) {
					t.Errorf("%s: a map is encoded in any order; keep a sorted slice", p.at(field.Pos()))
				}
				return true
			})
		}
	}
}

func holdsMap(t types.Type, seen map[types.Type]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Pointer:
		return holdsMap(u.Elem(), seen)
	case *types.Slice:
		return holdsMap(u.Elem(), seen)
	case *types.Array:
		return holdsMap(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if holdsMap(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// TestCoreKeepsNothingInPackageVariables: two companies in one process must not
// meet. Which variables there may be is gochecknoglobals's rule; no code assigns to one.
func TestCoreKeepsNothingInPackageVariables(t *testing.T) {
	t.Parallel()
	p := theProgram(t)
	for _, c := range p.check(t, (*unit).inCore) {
		for _, f := range c.sources() {
			ast.Inspect(f.File, func(n ast.Node) bool {
				for _, target := range targets(n) {
					if v := packageVariable(c.info, target); v != nil {
						t.Errorf("%s: the package variable %s is written", p.at(n.Pos()), v.Name())
					}
				}
				return true
			})
		}
	}
}

// targets are the expressions that a statement writes to.
func targets(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	}
	return nil
}

// packageVariable returns the package variable that an expression reaches
// into, nil when it reaches into something else.
func packageVariable(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			if v, ok := info.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
				e = x.Sel // a variable of another package
				continue
			}
			e = x.X
		case *ast.Ident:
			v, ok := info.Uses[x].(*types.Var)
			if ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				return v
			}
			return nil
		default:
			return nil
		}
	}
}

// withParents visits every node with the nodes that contain it, outermost
// first.
func withParents(f *ast.File, visit func(n ast.Node, parents []ast.Node)) {
	var parents []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			parents = parents[:len(parents)-1]
			return false
		}
		visit(n, parents)
		parents = append(parents, n)
		return true
	})
}
