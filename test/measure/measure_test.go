package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"testing"
)

const shopSource = `package shop

type kind string

const (
	goodbye kind = "shop.goodbye"
	hello   kind = "shop.hello"
)

type row struct {
	of   kind
	text string
}

var rows = []row{{goodbye, goodbyeText}, {hello, helloText}}

const (
	goodbyeText = "Goodbye."
	helloText   = "Hello."
)

func Say(k kind) string {
	switch k {
	case goodbye:
		return wave()
	default:
		return rows[1].text
	}
}

func wave() string {
	return func() string { return string(goodbye) }()
}
`

// shop is a module of one file.
func shop(t *testing.T) *module {
	t.Helper()
	m := &module{
		path: "shop", fset: token.NewFileSet(), files: map[string]*source{}, declared: map[types.Object]span{},
		uses: map[types.Object][]token.Pos{},
		info: &types.Info{
			Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{},
		},
	}
	syntax, err := parser.ParseFile(m.fset, "shop/shop.go", shopSource, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	m.files["shop/shop.go"] = &source{path: "shop/shop.go", text: shopSource, syntax: syntax, built: true}
	if _, err := (&types.Config{}).Check("shop/shop", m.fset, []*ast.File{syntax}, m.info); err != nil {
		t.Fatal(err)
	}
	m.index()
	return m
}

// TestOwnCodeIsUsedForOneThingAlone follows a name through a row and a case.
func TestOwnCodeIsUsedForOneThingAlone(t *testing.T) {
	t.Parallel()
	own := shop(t).ownCode("shop.goodbye")
	if got := slices.Collect(maps.Keys(own.everywhere)); !slices.Equal(got, []string{"goodbye"}) {
		t.Errorf("%v follow from the name, not goodbye", got)
	}
	if got := slices.Sorted(maps.Keys(own.beside["shop"])); !slices.Equal(got, []string{"goodbyeText", "wave"}) {
		t.Errorf("%v are used for it alone, not goodbyeText and wave", got)
	}
}

// TestLiteralsBelongToTheDeclarationAroundThem also when only they ran.
func TestLiteralsBelongToTheDeclarationAroundThem(t *testing.T) {
	t.Parallel()
	got, err := shop(t).
		functionsOf("mode: atomic\nshop/shop/shop.go:32.23,32.48 1 3\nshop/shop/shop.go:24.2,24.10 1 0\n")
	if want := map[function]int{{"shop/shop.go", "wave"}: 3}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
}

func TestFilesHaveTheirClass(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]class{
		"docs/reference/contract.md": contract, "CHANGELOG.md": changelog, "client/types_gen.go": generatedCode,
		"internal/openapi/examples.json": generatedCode, "internal/event/testdata/numbers.txt": generatedCode,
		"cmd/platen/command/testdata/script/commands.txtar": tests, "test/economy/main.go": tests,
		"internal/web/static/console/feed.js": program, "docs/guides/ci.md": program,
	} {
		if got := shop(t).classOf(path); got != want {
			t.Errorf("%s is of the class %s, not %s", path, got, want)
		}
	}
}

func TestFiltersAreFoundByTheirLine(t *testing.T) {
	t.Parallel()
	r := representative{"kind", "/office/orders"}
	for text, want := range map[string]bool{
		"Filters: []string{\"kind\"}":    true,
		"GET /office/orders (kind)":      true,
		"filters\nkind":                  false,
		"/office/orders/{id} has a kind": false,
		"Filters: []string{\"kinds\"}":   false,
	} {
		if got := searchFilter(shop(t), []document{{"a.md", text}}, r); (len(got) == 1) != want {
			t.Errorf("%q: found %v", text, got)
		}
	}
}

func TestHouseWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"NewHouse": "house", "House": "house", "Deeds": "deed", "settle": "settle", "TurnAway": "turnAway",
		"linesMost": "...Most", "HeatWave": "", "registerUser": "", "most": "", "warehouse": "", "Order": "",
	} {
		if got := houseWord(name); got != want {
			t.Errorf("%s has the word %q, not %q", name, got, want)
		}
	}
}
