package archtest_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// ofTheServer are codes that no operation gives, since they are given before
// one is found or where there is none.
var ofTheServer = map[problem.Code]string{
	problem.RouteNotFound: "no operation has this path",
}

// TestEveryProblemCodeIsWhole: a client that meets a code can look it up, and
// the page about it is made of these texts.
func TestEveryProblemCodeIsWhole(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	seen := map[problem.Code]bool{}
	for _, d := range problem.All() {
		if seen[d.Code] {
			t.Errorf("%s stands twice in the catalogue", d.Code)
		}
		seen[d.Code] = true
		if !name.MatchString(string(d.Code)) {
			t.Errorf("%s is not in snake case", d.Code)
		}
		if d.Status < 400 || d.Status > 599 || http.StatusText(d.Status) == "" {
			t.Errorf("%s has the status %d", d.Code, d.Status)
		}
		for what, text := range map[string]string{"hint": d.Hint, "meaning": d.Meaning, "remedy": d.Remedy} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s has the %s %q, which is no sentence", d.Code, what, text)
			}
		}
	}
	for _, code := range constants(t, "internal/words/problem", "Code") {
		if !seen[problem.Code(code)] {
			t.Errorf("%s is a code without a definition", code)
		}
	}
}

// TestEveryProblemCodeBelongsToAnOperation: what is not declared is not in the
// OpenAPI document, and what nothing gives does not belong in the catalogue.
func TestEveryProblemCodeBelongsToAnOperation(t *testing.T) {
	t.Parallel()
	declared := map[problem.Code]bool{}
	for _, o := range operation.Table() {
		for _, code := range o.Common() {
			declared[code] = true
			if problem.Lookup(code).Code != code {
				t.Errorf("%s declares the unknown code %s", o.ID, code)
			}
		}
	}
	for _, d := range problem.All() {
		reason, server := ofTheServer[d.Code]
		switch {
		case server && declared[d.Code]:
			t.Errorf("%s is declared by an operation; take it off the server's list (%s)", d.Code, reason)
		case !server && !declared[d.Code]:
			t.Errorf("%s belongs to no operation", d.Code)
		}
	}
}

// TestProblemCodesAreThoseOfTheContract: each code has its row, with its
// status, and each row that is not owed has its code.
func TestProblemCodesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	c := theContract(t)
	row := regexp.MustCompile("^(\\d{3}) `([a-z_]+)`")
	rows := map[problem.Code]string{}
	for _, id := range c.ids {
		m := row.FindStringSubmatch(c.rules[id])
		if m == nil || !strings.HasPrefix(id, "ERR.") && !strings.HasPrefix(id, "OPEN.ERR.") {
			continue
		}
		code := problem.Code(m[2])
		rows[code] = id
		d := problem.Lookup(code)
		switch {
		case d.Code != code && !c.owes(id):
			t.Errorf("%s promises %s, which is not in the catalogue, and is not owed", id, code)
		case d.Code == code && c.owes(id):
			t.Errorf("%s is in the catalogue, but its row %s is owed", code, id)
		case d.Code == code && fmt.Sprint(d.Status) != m[1]:
			t.Errorf("%s has the status %d, its row %s says %s", code, d.Status, id, m[1])
		}
	}
	for _, d := range problem.All() {
		if rows[d.Code] == "" {
			t.Errorf("%s has no row in docs/reference/contract.md", d.Code)
		}
	}
}

// eventRow is the id of a type's row in the contract.
func eventRow(kind string) string { return "EVT.TYPE." + strings.ToUpper(kind) }

// TestEventTypesAreThoseOfTheContract: a subscription names types, so none may
// be missing and none may be new.
func TestEventTypesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	c := theContract(t)
	want := map[string]bool{}
	for _, id := range c.ids {
		if kind, ok := strings.CutPrefix(id, "EVT.TYPE."); ok && strings.Contains(kind, ".") {
			want[strings.ToLower(kind)] = true
		}
	}
	got := map[string]bool{}
	for _, d := range event.Catalogue() {
		if got[string(d.Type)] {
			t.Errorf("%s stands twice in the catalogue", d.Type)
		}
		got[string(d.Type)] = true
		if !want[string(d.Type)] {
			t.Errorf("%s has no row %s", d.Type, eventRow(string(d.Type)))
		}
		if !strings.HasPrefix(d.Self, "/") || !strings.HasSuffix(d.Cause, ".") {
			t.Errorf("%s has the cause %q and the path %q", d.Type, d.Cause, d.Self)
		}
	}
	books := c.rules["OPEN.WHK.BOOKKEEPING"]
	for _, d := range event.Bookkeeping() {
		kind, ok := strings.CutPrefix(string(d.Type), "sandbox.webhook.")
		if got[string(d.Type)] || d.Type.Delivered() || !ok || !strings.Contains(books, "`"+kind+"`") {
			t.Errorf("%s is not in the row OPEN.WHK.BOOKKEEPING, or in the catalogue too", d.Type)
		}
		got[string(d.Type)] = true
	}
	for kind := range want {
		if !got[kind] {
			t.Errorf("%s is in the contract and not in the catalogue", kind)
		}
	}
	for _, kind := range constants(t, "internal/words/event", "Type") {
		if !got[kind] {
			t.Errorf("%s is a type that is not in the catalogue", kind)
		}
	}
}

// TestEveryEventTypeIsMadeOrOwed, and never both: a type that is not owed has a
// struct for its data and something that writes it, which is an operation that
// declares it or a timer. A type that is owed has neither.
func TestEveryEventTypeIsMadeOrOwed(t *testing.T) {
	t.Parallel()
	c, calls := theContract(t), readCalls(t)
	emitted := calls.emits(slices.Collect(maps.Keys(calls.direct))...)
	entrances := []string{timers, wallClock, answers}
	for name := range calls.callees {
		if strings.HasPrefix(name, module+"/internal/company") && strings.HasSuffix(strings.ToLower(name), "timers") {
			entrances = append(entrances, name)
		}
	}
	byTimers := calls.emits(entrances...)
	if len(byTimers) == 0 {
		t.Fatalf("%s writes no event: has the timers' entrance moved?", timers)
	}
	declared := map[string]bool{}
	for _, o := range operation.Table() {
		for _, kind := range o.Events {
			declared[string(kind)] = true
		}
	}
	for _, d := range event.All() {
		kind, row := string(d.Type), eventRow(string(d.Type))
		if c.owes(row) {
			if emitted[kind] || declared[kind] || d.Data != nil {
				t.Errorf("%s is made (written %t, declared %t, data %t), but its row %s is owed",
					kind, emitted[kind], declared[kind], d.Data != nil, row)
			}
			continue
		}
		if d.Data == nil {
			t.Errorf("%s has no struct for its data, and its row %s is not owed", kind, row)
		}
		if !emitted[kind] {
			t.Errorf("nothing writes %s, and its row %s is not owed", kind, row)
		}
		if !declared[kind] && !byTimers[kind] {
			t.Errorf("%s is written by no timer and declared by no operation", kind)
		}
	}
}

// TestOperationsDeclareTheEventsTheyWrite: what a row of the table declares is
// exactly what the company can write in the commands that its function runs.
// Signals of the caller, which may complete a mission with any call, and time
// that passes before a command are no part of it.
func TestOperationsDeclareTheEventsTheyWrite(t *testing.T) {
	t.Parallel()
	p, calls := theProgram(t), readCalls(t)
	found := 0
	for _, c := range p.check(t, func(u *unit) bool { return u.path == "internal/operation" }) {
		for _, f := range c.sources() {
			for _, declaration := range f.Decls {
				d, ok := declaration.(*ast.FuncDecl)
				if !ok {
					continue
				}
				commands, declares := mentions(c.info, d)
				writes := calls.emits(commands...)
				if len(writes) > 0 {
					found++
				}
				if got, want := sortedKeys(declares), sortedKeys(writes); !slices.Equal(got, want) {
					t.Errorf("%s: %s declares %v, its command writes %v", p.at(d.Pos()), d.Name.Name, got, want)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no operation writes an event: have commands moved?")
	}
}

// mentions lists the functions of the core and the event types that a
// function names.
func mentions(info *types.Info, d *ast.FuncDecl) (functions []string, kinds map[string]bool) {
	kinds = map[string]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch used := info.Uses[id].(type) {
		case *types.Func:
			functions = append(functions, used.Origin().FullName())
		case *types.Const:
			if used.Type().String() == eventType {
				kinds[constant.StringVal(used.Val())] = true
			}
		}
		return true
	})
	return functions, kinds
}

const (
	eventType = module + "/internal/words/event.Type"
	// emit writes an event, timers is where all timers come in (their handlers are
	// in functions whose names end in Timers), and wallClock writes the one event
	// that the company's own clock does not bring.
	emit   = "(*" + module + "/internal/company/record.Recorder).Emit"
	timers = "(*" + module + "/internal/company.Company).fire"

	wallClock = "(*" + module + "/internal/desk.Desk).Expiring"
	// answers is where the answers of webhook receivers come in.
	answers = "(*" + module + "/internal/desk/subscription.Subscriptions).Record"
)

// calls is who calls whom in the core and at the desk, as far as it is written out: calls
// through interfaces are not followed, and nothing in the core emits by one.
type calls struct {
	// callees are the functions that a function names, direct the event types
	// that it emits itself.
	callees, direct map[string][]string
}

func readCalls(t *testing.T) *calls {
	t.Helper()
	p := theProgram(t)
	g := &calls{callees: map[string][]string{}, direct: map[string][]string{}}
	for _, c := range p.check(t, func(u *unit) bool { return u.inCore() || u.path == "internal/desk" }) {
		for _, f := range c.sources() {
			for _, declaration := range f.Decls {
				d, ok := declaration.(*ast.FuncDecl)
				if !ok {
					continue
				}
				name := c.info.Defs[d.Name].(*types.Func).FullName()
				g.callees[name], _ = mentions(c.info, d)
				ast.Inspect(d, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok || called(c.info, call) != emit {
						return true
					}
					kind := c.info.Types[call.Args[0]].Value
					if kind == nil {
						t.Errorf("%s: Emit wants a constant, so that it can be found who writes what", p.at(call.Pos()))
						return true
					}
					g.direct[name] = append(g.direct[name], constant.StringVal(kind))
					return true
				})
			}
		}
	}
	if len(g.direct) == 0 {
		t.Fatalf("nothing calls %s: has the recorder moved?", emit)
	}
	return g
}

func called(info *types.Info, call *ast.CallExpr) string {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	f, ok := info.Uses[selector.Sel].(*types.Func)
	if !ok {
		return ""
	}
	return f.FullName()
}

// emits collects the event types that functions can write, themselves or by
// what they call.
func (g *calls) emits(functions ...string) map[string]bool {
	kinds, seen := map[string]bool{}, map[string]bool{}
	for len(functions) > 0 {
		name := functions[len(functions)-1]
		functions = functions[:len(functions)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		for _, kind := range g.direct[name] {
			kinds[kind] = true
		}
		functions = append(functions, g.callees[name]...)
	}
	return kinds
}

// constants lists the values of a package's constants of one of its types.
func constants(t *testing.T, path, typeName string) []string {
	t.Helper()
	var values []string
	for _, c := range theProgram(t).check(t, func(u *unit) bool { return u.path == path }) {
		for _, object := range c.info.Defs {
			if k, ok := object.(*types.Const); ok && k.Type().String() == module+"/"+path+"."+typeName {
				values = append(values, constant.StringVal(k.Val()))
			}
		}
	}
	slices.Sort(values)
	if len(values) == 0 {
		t.Fatalf("%s has no constants of type %s", path, typeName)
	}
	return values
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
