package contract

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	contractFile = "../../docs/reference/contract.md"
	owedFile     = "owed.txt"
)

// rowOpening is how a table row or list item of the contract begins.
var rowOpening = regexp.MustCompile("^(?:\\| |[*-] )`([A-Z][A-Z0-9_]*(?:\\.[A-Z0-9_]+)+)`")

// contractRows returns the text of every row by its id.
var contractRows = sync.OnceValues(func() (map[string]string, error) {
	text, err := os.ReadFile(contractFile)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if match := rowOpening.FindStringSubmatch(line); match != nil {
			all[match[1]] = line
		}
	}
	return all, nil
})

// rows says which rows of the contract a test proves. Their ids are in the call as plain
// strings, where TestEveryRowHasATest finds them.
func rows(t testing.TB, ids ...string) {
	t.Helper()
	all, err := contractRows()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if all[id] == "" {
			t.Errorf("the contract has no row %s", id)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("not proven: %s", strings.Join(ids, " "))
		}
	})
}

// owedRows returns the rows of owed.txt.
func owedRows() ([]string, error) {
	file, err := os.Open(owedFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	line := regexp.MustCompile(`^([A-Z0-9_.]+) {2,}(\S.*)$`)
	var ids []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if lines.Text() == "" || strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		match := line.FindStringSubmatch(lines.Text())
		if match == nil {
			return nil, fmt.Errorf("owed.txt: %q is not an id, two spaces and a reason", lines.Text())
		}
		ids = append(ids, match[1])
	}
	return ids, lines.Err()
}

// citation is a function of this folder that cites a row, and whether go test ./... runs it.
type citation struct {
	name  string
	quick bool
}

// citedRows returns which functions of this folder cite each row.
func citedRows(t testing.TB) map[string][]citation {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	all, err := contractRows()
	if err != nil {
		t.Fatal(err)
	}
	cited := map[string][]citation{}
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range parsed.Decls {
			by, ids := citation{name: name, quick: true}, []string(nil)
			if f, ok := declared.(*ast.FuncDecl); ok {
				by.name = f.Name.Name
			}
			ast.Inspect(declared, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.SelectorExpr:
					by.quick = by.quick && node.Sel.Name != "InCheck"
				case *ast.BasicLit:
					if id, err := strconv.Unquote(node.Value); err == nil && all[id] != "" {
						ids = append(ids, id)
					}
				}
				return true
			})
			for _, id := range ids {
				cited[id] = append(cited[id], by)
			}
		}
	}
	return cited
}

// elsewhere are the tests of rows that no single client of the service can see,
// each with its file: what receivers do is shown at the receivers of the docs,
// and limits of connections with thousands of them. The
// comment of the test cites the row.
var elsewhere = map[string][2]string{
	"OPEN.MCP.REVISION":          {"internal/mcp/gateway_test.go", "TestAnUnknownRevisionIsNamed"},
	"OPEN.MCP.PROGRESS":          {"internal/mcp/progress_test.go", "TestACallThatTakesLongSaysSo"},
	"OPEN.DOC.POSTMAN":           {"test/postman/postman_test.go", "TestEveryRequestOfTheCollectionSucceeds"},
	"SIG.RECEIVER.TOLERANCE":     {"docs/webhooks/receiver_test.go", "TestReceiversOfTheDocsAreRight"},
	"LIMIT.SIGNATURE_AGE":        {"docs/webhooks/receiver_test.go", "TestReceiversOfTheDocsAreRight"},
	"SIG.RECEIVER.DEDUPLICATE":   {"docs/webhooks/receiver_test.go", "TestReceiversOfTheDocsAreRight"},
	"SIG.RECEIVER.CONSTANT_TIME": {"docs/webhooks/receiver_test.go", "TestReceiversCompareInConstantTime"},
	"OPEN.CONN.GROUP":            {"internal/server/place_test.go", "TestANetworkHoldsItsShareOfConnectionsOnly"},
	"OPEN.CONN.BLOCK":            {"internal/server/half_test.go", "TestABlockHoldsItsShareOfConnectionsOnly"},
	"OPEN.CONN.RESERVE":          {"internal/server/newcomer_test.go", "TestABlockWithFewConnectionsDoesNotWait"},
	"OPEN.CONN.UNREAD":           {"internal/server/half_test.go", "TestAResponseDoesNotWaitForABodyThatNobodyReads"},
	"OPEN.CONN.INCOMPLETE":       {"internal/server/half_test.go", "TestTheRequestThatHasBeenComingLongestGivesWay"},
	"OPEN.CONN.SILENT": {"internal/server/hostile_test.go",
		"TestTheTimeOfAFirstRequestBeginsWithItsFirstByte"},
	"OPEN.CONN.STUCK": {"internal/server/hostile_test.go", "TestAClientThatDoesNotReadGivesWay"},
	"OPEN.CONN.LAST": {"internal/server/hostile_test.go",
		"TestARequestWithAnEncodingIsTheLastOfItsConnection"},
	"OPEN.CONN.IDLE": {"internal/server/place_test.go", "TestTheLongestIdleConnectionGivesWayToANewcomer"},
}

func TestRowsThatAreProvenElsewhereAre(t *testing.T) {
	t.Parallel()
	for row, at := range elsewhere {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", at[0]), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		cited := slices.ContainsFunc(parsed.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			return ok && f.Name.Name == at[1] &&
				regexp.MustCompile(`\b`+regexp.QuoteMeta(row)+`[,.)]`).MatchString(f.Doc.Text())
		})
		if !cited {
			t.Errorf("%s has no test %s that cites %s", at[0], at[1], row)
		}
	}
}

// table asks for the rows with their tests: go test ./test/contract -run TestEveryRowHasATest -rows -v.
var table = flag.Bool("rows", false, "print each row of the contract with the tests that prove it and their level")

func printRows(t testing.TB, cited map[string][]citation) {
	t.Helper()
	for _, id := range slices.Sorted(maps.Keys(cited)) {
		for _, by := range cited[id] {
			level := "make test"
			if !by.quick {
				level = "make check"
			}
			if at, ok := elsewhere[id]; ok {
				by.name = at[1] + " in " + at[0]
			}
			t.Logf("%s  %s  %s", id, by.name, level)
		}
	}
}

func TestEveryRowHasATest(t *testing.T) {
	t.Parallel()
	all, err := contractRows()
	if err != nil {
		t.Fatal(err)
	}
	cited := citedRows(t)
	owed, err := owedRows()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(owed) {
		t.Error("owed.txt is not sorted by id")
	}
	if len(slices.Compact(slices.Sorted(slices.Values(owed)))) != len(owed) {
		t.Error("owed.txt names a row twice")
	}
	for _, id := range owed {
		if all[id] == "" {
			t.Errorf("owed.txt names %s, which the contract does not have", id)
		}
		if len(cited[id]) > 0 {
			t.Errorf("%s is owed, yet a test proves it: %v", id, cited[id])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		quick := slices.ContainsFunc(cited[id], func(by citation) bool { return by.quick })
		if !quick && !slices.Contains(owed, id) {
			t.Errorf("%s is not owed, and go test ./... has no test of it: %s", id, strings.TrimSpace(all[id]))
		}
	}
	if *table {
		printRows(t, cited)
	}
	t.Logf("%d rows, %d proven, %d owed", len(all), len(cited), len(owed))
}
