package main

import (
	"context"
	"fmt"
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// addition is a kind of thing that is added to the program again and again. The
// places it touches are measured by the things of that kind that are there
// already: the files that name one are the files that adding it changed.
type addition struct {
	name string
	// representatives are named as they are on the wire.
	representatives []representative
	// search finds the files that name one.
	search func(*module, []document, representative) []string
}

// representative is a thing that little else refers to, so that few files name
// it for another reason.
type representative struct {
	wire string
	// route is the path of an operation, or of the list of a filter.
	route string
}

var additions = []addition{
	{"list filter", []representative{
		{"match_status", "/office/supplier-invoices"}, {"customer_id", "/office/sales-orders"},
		{"badge_no", "/factory/attendance"},
	}, searchFilter},
	{"operation", []representative{
		{"decline_sales_order", "/office/sales-orders/{id}/decline"}, {"decline_contract_lot",
			"/office/contract-lots/{id}/decline"}, {"reject_requisition", "/office/requisitions/{id}/reject"},
		{"dismiss_employee", "/office/employees/{id}/dismiss"},
		{"pay_supplier_invoice", "/office/supplier-invoices/{id}/pay"},
	}, searchNamed},
	{"event type", []representative{
		{wire: "office.sales_order.declined"}, {wire: "office.requisition.rejected"},
		{wire: "factory.market_delivery.received"},
		{wire: "hr.employee.quit"}, {wire: "hr.payroll.late"},
	}, searchNamed},
	{"disruption kind", []representative{
		{wire: "paper_shortage"}, {wire: "courier_strike"}, {wire: "flu_wave"}, {wire: "press_fault"},
		{wire: "power_cut"}, {wire: "trade_fair"}, {wire: "payment_outage"}, {wire: "heat_wave"},
	}, searchNamed},
}

// measurePlaces counts the files that name each representative.
func measurePlaces(_ context.Context, m *module) ([]figure, error) {
	documents, err := readDocuments(m)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, a := range additions {
		var narrow, all, generated []int
		var details []string
		for _, r := range a.representatives {
			found := map[class][]string{}
			for _, path := range a.search(m, documents, r) {
				c := m.classOf(path)
				found[c] = append(found[c], path)
			}
			if len(found[program]) == 0 {
				return figures, fmt.Errorf("no file of the program names the %s %s", a.name, r.wire)
			}
			// Each addition has a line in the changelog, with its name or without.
			found[changelog] = []string{changelogFile}
			narrow = append(narrow, len(found[program]))
			all = append(all, len(found[program])+len(found[contract])+len(found[tests])+len(found[changelog]))
			generated = append(generated, len(found[generatedCode]))
			for _, c := range []class{program, contract, tests, changelog, generatedCode} {
				for _, path := range found[c] {
					details = append(details, fmt.Sprintf("%s  %s  %s", r.wire, c, path))
				}
			}
		}
		figures = append(figures,
			medianFigure("add "+article(a.name)+": files by hand, without contract row, tests, CHANGELOG",
				narrow, details),
			medianFigure("add "+article(a.name)+": files by hand, all", all, nil),
			medianFigure("add "+article(a.name)+": generated files", generated, nil))
	}
	return figures, nil
}

func article(noun string) string {
	if strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// class is the kind of a file.
type class string

const (
	program       class = "program"
	contract      class = "contract"
	tests         class = "test"
	changelog     class = "changelog"
	generatedCode class = "generated"

	contractFile  = "docs/reference/contract.md"
	changelogFile = "CHANGELOG.md"
)

// classOf tells files apart by their paths; Go files also by their first line.
// Scripts of commands are tests, all else under testdata is the output of some
// program. Documentation and examples belong to the program.
func (m *module) classOf(path string) class {
	base := filepath.Base(path)
	f := m.files[path]
	switch {
	case path == contractFile:
		return contract
	case path == changelogFile:
		return changelog
	case strings.HasSuffix(base, ".txtar"):
		return tests
	case f != nil && ast.IsGenerated(f.syntax), strings.HasSuffix(base, "_gen.go"), strings.Contains(path, "testdata/"),
		strings.Contains(base, "golden"), base == "examples.json", base == "released.json", base == "measured.json":
		return generatedCode
	case isTest(path):
		return tests
	default:
		return program
	}
}

func isTest(path string) bool {
	return strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "test/") ||
		strings.HasPrefix(path, "platentest/")
}

// searchFilter finds the files that say a list has a filter. The names of
// filters are those of fields too, so a line must have the filter's name
// together with the list's path or the word filter. Generated code asks for
// filters by string literals.
func searchFilter(m *module, documents []document, r representative) []string {
	name, filter := regexp.MustCompile(`\b`+r.wire+`\b`), regexp.MustCompile(`(?i)filter`)
	path := regexp.MustCompile(regexp.QuoteMeta(r.route) + `([^/\w-]|$)`)
	var found []string
	for _, d := range documents {
		generated := m.classOf(d.path) == generatedCode
		for line := range strings.Lines(d.text) {
			said := filter.MatchString(line) || path.MatchString(line) ||
				generated && strings.Contains(line, `("`+r.wire+`"`)
			if said && name.MatchString(line) {
				found = append(found, d.path)
				break
			}
		}
	}
	return found
}

// searchNamed finds the files that have the name on the wire, the route, or an
// identifier of the code that exists for it.
func searchNamed(m *module, documents []document, r representative) []string {
	own := m.ownCode(r.wire)
	found := own.files
	pattern := `\b` + regexp.QuoteMeta(r.wire) + `\b`
	if r.route != "" {
		// A test puts an id in between: "/orders/"+id+"/decline". A document may give
		// two routes at once: `/orders/{id}/accept` and `/decline`.
		before, after, _ := strings.Cut(r.route, "{id}")
		before, after = regexp.QuoteMeta(before), regexp.QuoteMeta(after)
		pattern += `|` + before + `[^\s/]*` + after + `\b|` + before + "\\{id\\}.*`" + after + "`"
	}
	text := regexp.MustCompile(pattern)
	for _, d := range documents {
		if f := m.files[d.path]; text.MatchString(d.text) ||
			f != nil && (f.names(own.everywhere) || isTest(f.path) && f.names(own.beside[filepath.Dir(f.path)])) {
			found = append(found, d.path)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// names reports whether one of the identifiers is in the code.
func (s *source) names(identifiers map[string]bool) bool {
	found := false
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && identifiers[id.Name]
		return !found
	})
	return found
}
