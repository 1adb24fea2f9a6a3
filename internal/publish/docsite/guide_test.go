package docsite_test

import (
	"html"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"platen/docs"
	"platen/internal/config"
	"platen/internal/operation"
	"platen/internal/publish/docsite"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// TestEveryGuideIsServedAndInTheList: a file in docs/guides that no page shows
// is a mistake; a page without its file does not start.
func TestEveryGuideIsServedAndInTheList(t *testing.T) {
	t.Parallel()
	guides, err := fs.ReadDir(docs.Guides, "guides")
	if err != nil {
		t.Fatal(err)
	}
	list := body(t, "/llms.txt")
	for _, file := range guides {
		name := strings.TrimSuffix(file.Name(), ".md")
		if name == "overview" {
			name = "index"
		}
		if f := files(t)["/docs/"+name+".md"]; f.ContentType != "text/markdown; charset=utf-8" ||
			!strings.HasPrefix(string(f.Body), "# ") {
			t.Errorf("/docs/%s.md is %q, %.100q", name, f.ContentType, f.Body)
		}
		if !strings.Contains(list, origin+"/docs/"+name+".md)") {
			t.Errorf("llms.txt does not lead to %s", name)
		}
	}
}

// TestProgramsFindEveryPageOfTheReference looks for each operation, event and
// code in llms.txt, and for the words of its page in its Markdown.
func TestProgramsFindEveryPageOfTheReference(t *testing.T) {
	t.Parallel()
	list := body(t, "/llms.txt")
	want := func(path, text string) {
		t.Helper()
		if !strings.Contains(list, "]("+origin+path+".md): ") {
			t.Errorf("llms.txt does not lead to %s", path)
		}
		if markdown := body(t, path+".md"); !strings.Contains(markdown, text) ||
			strings.Contains(markdown, "</") {
			t.Errorf("%s.md is %.300q", path, markdown)
		}
	}
	for _, op := range operation.Table() {
		want("/docs/api/"+op.ID, "`/v1"+op.Path+"`")
	}
	for _, d := range event.Catalogue() {
		want("/docs/events/"+string(d.Type), "# `"+string(d.Type)+"`")
	}
	for _, d := range problem.All() {
		want("/docs/errors/"+string(d.Code), "# `"+string(d.Code)+"`")
	}
	full := body(t, "/llms-full.txt")
	for _, title := range []string{"# Quickstart", "# The manual bridge", "# Settings", "# Agents"} {
		if !strings.Contains(full, title+"\n") {
			t.Errorf("llms-full.txt has no %q", title)
		}
	}
}

// TestMarkdownHasTheWordsOfThePage, each as often at least, and none made of two:
// what a style sheet keeps apart on a page must not run together in its Markdown.
func TestMarkdownHasTheWordsOfThePage(t *testing.T) {
	t.Parallel()
	unseen := regexp.MustCompile(`(?s)<(svg|fieldset|form|nav)\b.*?</(svg|fieldset|form|nav)>|<(p|span) ` +
		`class="(?:label|jump|vh)">.*?</(p|span)>`)
	addresses := regexp.MustCompile(`\]\([^)\s]*\)|\{#[a-z0-9-]+\}|(?m:^\d+\. )`) // and what Markdown numbers by itself
	fences := regexp.MustCompile("(?m)^```.*$")
	word := regexp.MustCompile(`[\pL\pN]+`)
	words := func(text string) map[string]int {
		all := map[string]int{}
		for _, found := range word.FindAllString(text, -1) {
			all[found]++
		}
		return all
	}
	compared := 0
	for path, file := range files(t) {
		if file.ContentType != docsite.TypeHTML {
			continue
		}
		compared++
		_, main, _ := strings.Cut(string(file.Body), `<main id="main">`)
		main, _, _ = strings.Cut(main, "</main>")
		page := words(html.UnescapeString(mark.ReplaceAllString(unseen.ReplaceAllString(main, " "), " ")))
		source := strings.TrimSuffix(path, "/") + ".md"
		if path == "/docs/" {
			source = "/docs/index.md"
		}
		markdown := body(t, source)
		written := words(fences.ReplaceAllString(addresses.ReplaceAllString(markdown, " "), " "))
		for found := range written {
			if page[found] == 0 {
				t.Errorf("%s says %q, which its page does not", source, found)
			}
		}
		for found, times := range page {
			if written[found] < times { // a row of a table repeats what spans several on the page
				t.Errorf("%s says %q %d times, its page %d times", source, found, written[found], times)
			}
		}
	}
	if compared == 0 {
		t.Error("no page was compared")
	}
}

func TestEverySettingHasItsLine(t *testing.T) {
	t.Parallel()
	page := body(t, "/docs/settings")
	for _, f := range config.Default().Fields() {
		if strings.Contains(page, "<code>--"+f.Name+"</code>") == f.Key || !strings.Contains(page, f.Variable()) {
			t.Errorf("--%s or %s is missing, or a key has a flag", f.Name, f.Variable())
		}
		if n := strings.Count(page, `<div id="`+f.Name+`">`); n != 1 {
			t.Errorf("%s has %d lines", f.Name, n)
		}
	}
}

var (
	remarks = regexp.MustCompile(`(?s)<!-- (.*?) -->`)
	cited   = regexp.MustCompile(`^([A-Z][A-Z0-9_.]+): (.+)$`)
)

// TestNumbersOfTheGuidesAreThoseOfTheContract: where a paragraph says a number
// of the contract, a remark behind it names the row. Both have to hold it.
func TestNumbersOfTheGuidesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile("../../../docs/reference/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(docs.Guides, "guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		raw, err := docs.Guides.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range remarks.FindAllSubmatchIndex(raw, -1) {
			before := string(raw[:at[0]])
			if end := strings.LastIndex(before, "\n\n"); end >= 0 {
				before = before[end:]
			}
			for citation := range strings.SplitSeq(string(raw[at[2]:at[3]]), "; ") {
				checked++
				m := cited.FindStringSubmatch(citation)
				if m == nil {
					t.Fatalf("%s: %q names no row and its numbers", file, citation)
				}
				row := regexp.MustCompile("(?m)^[-|] `" + regexp.QuoteMeta(m[1]) + "`.*$").FindString(string(contract))
				for number := range strings.FieldsSeq(m[2]) {
					whole := regexp.MustCompile(`(?i)(?:^|[^0-9a-z])` + regexp.QuoteMeta(number) + `(?:[^0-9a-z]|$)`)
					if !whole.MatchString(row) || !whole.MatchString(before) {
						t.Errorf("%s: %s is not in %s and in the paragraph: %q", file, number, m[1], row)
					}
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no guide cites a row")
	}
}
