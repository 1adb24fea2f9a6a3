package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/client"
	"platen/cmd/platen/cli/resource"
	"platen/internal/operation"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

func TestPackageClientIsUpToDate(t *testing.T) {
	t.Parallel()
	files, err := generate(operation.Table())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", "client", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("client/%s is not what the table says: run `make generate`", name)
		}
	}
}

// TestTheOtherClientsAreUpToDate with the table and with the version that they share.
func TestTheOtherClientsAreUpToDate(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "..", "clients")
	files, err := generateForeign(operation.Table(), folder)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("clients/%s is not what the table says: run `make generate`", name)
		}
	}
}

// ofNoOperation are the methods of the Go client for requests of one's own, and for the feed.
var ofNoOperation = map[string]bool{
	"Do": true, "Send": true, "Rows": true, "FollowEvents": true, "WaitForRequest": true,
}

// TestTheClientsHaveTheSameMethods: each that the Go client has, by the name that its
// language gives it.
func TestTheClientsHaveTheSameMethods(t *testing.T) {
	t.Parallel()
	files, err := foreign(operation.Table(), "0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	generated := func(name string) map[string]bool {
		found := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^ +(?:async )?(?:def )?([A-Za-z][A-Za-z_]*)\(`).
			FindAllStringSubmatch(string(files[name]), -1) {
			found[strings.ToLower(strings.ReplaceAll(m[1], "_", ""))] = true
		}
		return found
	}
	for _, name := range []string{
		"javascript/operations.gen.js", "javascript/operations.gen.d.ts",
		"python/platen/_operations.py", "python/platen/_async_operations.py",
	} {
		methods := generated(name)
		for m := range reflect.TypeFor[*client.Client]().Methods() {
			if !ofNoOperation[m.Name] && m.Name != "Events" && !methods[strings.ToLower(m.Name)] {
				t.Errorf("clients/%s has no method for %s", name, m.Name)
			}
		}
	}
}

func TestTheTableOfTheTerminalIsUpToDate(t *testing.T) {
	t.Parallel()
	files, err := generateVerbs(operation.Table())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", "cmd", "platen", "cli", "resource", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("cmd/platen/cli/resource/%s is not what the table says: run `make generate`", name)
		}
	}
}

// TestEveryOperationHasACommand: one about records, by words that no other has, or its own.
func TestEveryOperationHasACommand(t *testing.T) {
	t.Parallel()
	commands, ids := map[string]bool{}, map[string]bool{}
	for _, op := range resource.Table() {
		words := op.Resource + " " + op.Verb
		if commands[words] || op.Verb == "" {
			t.Errorf("there are two of %q", words)
		}
		commands[words], ids[op.ID] = true, true
	}
	for _, op := range operation.Table() {
		if ids[op.ID] == (ownCommands[op.ID] != "") {
			t.Errorf("%s has no command of the terminal, or two", op.ID)
		}
		delete(ids, op.ID)
	}
	for id := range ids {
		t.Errorf("there is no operation %s", id)
	}
}

func TestEveryOperationHasItsMethods(t *testing.T) {
	t.Parallel()
	c := reflect.TypeFor[*client.Client]()
	// Do sends what no operation covers; FollowEvents is made of two, and WaitForRequest repeats one.
	known := maps.Clone(ofNoOperation)
	for _, op := range operation.Table() {
		name := camel(op.ID)
		wanted := []string{name}
		switch op.Kind {
		case operation.List:
			wanted = append(wanted, strings.TrimPrefix(name, "List"))
		case operation.Feed:
			wanted = append(wanted, strings.TrimPrefix(name, "List"), strings.TrimPrefix(name, "List")+"Where")
		default:
		}
		if op.Preview != nil {
			wanted = append(wanted, "Preview"+name)
		}
		for _, method := range wanted {
			if known[method] = true; !hasMethod(c, method) {
				t.Errorf("%s has no method %s", op.ID, method)
			}
		}
	}
	for m := range c.Methods() {
		if !known[m.Name] {
			t.Errorf("the method %s belongs to no operation", m.Name)
		}
	}
}

func hasMethod(t reflect.Type, name string) bool {
	_, ok := t.MethodByName(name)
	return ok
}

// TestTheVocabularyIsWhole: what a client can meet, it can name.
func TestTheVocabularyIsWhole(t *testing.T) {
	t.Parallel()
	files, err := generate(operation.Table())
	if err != nil {
		t.Fatal(err)
	}
	types := string(files["types_gen.go"])
	for _, d := range problem.All() {
		if !strings.Contains(types, `= "`+string(d.Code)+`"`) {
			t.Errorf("there is no constant for the code %s", d.Code)
		}
	}
	for _, d := range event.All() {
		if !strings.Contains(types, `EventType = "`+string(d.Type)+`"`) {
			t.Errorf("there is no constant for the event %s", d.Type)
		}
	}
}

func TestGenerationIsRepeatable(t *testing.T) {
	t.Parallel()
	first, err := generate(operation.Table())
	if err != nil {
		t.Fatal(err)
	}
	second, err := generate(operation.Table())
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("two runs differ (%v)", err)
	}
}

func TestTablesThatCannotBeWrittenAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*operation.Operation)
		want   string
	}{
		"a kind":       {func(o *operation.Operation) { o.Kind = "stream" }, "kind stream"},
		"a path":       {func(o *operation.Operation) { o.Path = "/x/{id}/y/l{line}" }, "no whole segment"},
		"an answer":    {func(o *operation.Operation) { o.Out = reflect.TypeFor[string]() }, "no struct"},
		"a nameless":   {func(o *operation.Operation) { o.Out = reflect.TypeFor[nested]() }, "without a name"},
		"a list":       {func(o *operation.Operation) { o.Kind = operation.List }, "list_"},
		"a twin by id": {func(o *operation.Operation) { o.ID = "get_sandbox" }, "two of method GetSandbox"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := operation.Table()
			i := slices.IndexFunc(table, func(o operation.Operation) bool { return o.ID == "get_cash" })
			c.change(&table[i])
			if _, err := generate(table); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

type nested struct {
	Inner struct {
		X int `json:"x"`
	} `json:"inner"`
}

func TestNamesAreThoseOfGo(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"accept_sales_order": "AcceptSalesOrder", "customer_id": "CustomerID", "sku": "SKU",
		"hr.employee.sick": "HREmployeeSick", "office.sales_order.received": "OfficeSalesOrderReceived", "ok": "OK",
	} {
		if got := camel(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestCommentsAreWrapped(t *testing.T) {
	t.Parallel()
	got := comment(strings.Repeat("word ", 30), "", "The end.")
	want := "//" + strings.Repeat(" word", 19) + "\n//" + strings.Repeat(" word", 11) + "\n//\n// The end.\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
