package web_test

import (
	"html"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"platen/docs"
	"platen/internal/config"
	"platen/internal/event"
	"platen/internal/operation"
	"platen/internal/problem"
)

// TestEveryGuideIsServedAndInTheList: a file in docs/guides that no page shows
// is a mistake; a page without its file does not start.
func TestEveryGuideIsServedAndInTheList(t *testing.T) {
	t.Parallel()
	h := pages(t)
	files, err := fs.ReadDir(docs.Guides, "guides")
	if err != nil {
		t.Fatal(err)
	}
	list := request(h, http.MethodGet, "/llms.txt").Body.String()
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), ".md")
		if name == "overview" {
			name = "index"
		}
		if w := request(h, http.MethodGet, "/docs/"+name+".md"); w.Code != http.StatusOK ||
			w.Header().Get("Content-Type") != "text/markdown; charset=utf-8" ||
			!strings.HasPrefix(w.Body.String(), "# ") {
			t.Errorf("/docs/%s.md answers %d, %q", name, w.Code, w.Header().Get("Content-Type"))
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
	h := pages(t)
	list := request(h, http.MethodGet, "/llms.txt").Body.String()
	want := func(path, text string) {
		t.Helper()
		if !strings.Contains(list, "]("+origin+path+".md): ") {
			t.Errorf("llms.txt does not lead to %s", path)
		}
		if body := request(h, http.MethodGet, path+".md").Body.String(); !strings.Contains(body, text) ||
			strings.Contains(body, "</") {
			t.Errorf("%s.md is %.300q", path, body)
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
	full := request(h, http.MethodGet, "/llms-full.txt").Body.String()
	for _, title := range []string{"# Quickstart", "# The bridge by hand", "# Settings", "# Agents"} {
		if !strings.Contains(full, title+"\n") {
			t.Errorf("llms-full.txt has no %q", title)
		}
	}
}

// TestMarkdownHasTheWordsOfThePage, each as often at least, and none made of two:
// what a style sheet keeps apart on a page must not run together in its Markdown.
func TestMarkdownHasTheWordsOfThePage(t *testing.T) {
	t.Parallel()
	h := pages(t)
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
	for path, body := range documents(t) {
		if !strings.HasPrefix(path, "/docs/") || path == "/docs/search" {
			continue
		}
		compared++
		_, main, _ := strings.Cut(body, `<main id="main">`)
		main, _, _ = strings.Cut(main, "</main>")
		page := words(html.UnescapeString(mark.ReplaceAllString(unseen.ReplaceAllString(main, " "), " ")))
		source := strings.TrimSuffix(path, "/") + ".md"
		if path == "/docs/" {
			source = "/docs/index.md"
		}
		markdown := request(h, http.MethodGet, source).Body.String()
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
	body := request(pages(t), http.MethodGet, "/docs/settings").Body.String()
	fields := config.Default().Fields()
	for _, f := range fields {
		if !strings.Contains(body, "<code>--"+f.Name+"</code>") || !strings.Contains(body, f.Variable()) {
			t.Errorf("--%s or %s is missing", f.Name, f.Variable())
		}
	}
	if n := strings.Count(body, "<dt><code>--"); n != len(fields) {
		t.Errorf("%d lines for %d settings", n, len(fields))
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
	contract, err := os.ReadFile("../../docs/reference/contract.md")
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

func TestTheSearchFindsWhatItIsAskedFor(t *testing.T) {
	t.Parallel()
	h := pages(t)
	for query, want := range map[string]string{
		"press_busy":                   `href="/docs/errors/press_busy"`,
		"factory.work_order.ready":     `href="/docs/events/factory.work_order.ready"`,
		"accept+sales+order":           `href="/docs/api/accept_sales_order"`,
		"idempotency+key":              `href="/docs/idempotency`,
		"verify+a+signature":           `href="/docs/webhooks#verify"`,
		"pow-difficulty":               `href="/docs/settings"`,
		"quickst":                      `href="/docs/quickstart"`,
		"xyzzy":                        "No page has these words",
		"":                             "what do you look for",
		"%3Cscript%3Ealert(1)":         "search",
		"%ff%fe":                       "<h1>Search</h1>",
		strings.Repeat("press+", 1000): "<h1>Search</h1>",
	} {
		w := request(h, http.MethodGet, "/docs/search?q="+query)
		if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, want) ||
			strings.Contains(body, "<script>") {
			t.Errorf("%.40q answers %d without %q", query, w.Code, want)
		}
	}
}

func TestTheSearchRefusesKeys(t *testing.T) {
	t.Parallel()
	h := pages(t)
	for _, secret := range []string{
		"lab_off_" + strings.Repeat("a", 43), "LAB_FAC_12345678", "my+whsec_abc", "sbh_abc",
	} {
		w := request(h, http.MethodGet, "/docs/search?q="+secret)
		if w.Code != http.StatusBadRequest || strings.Contains(w.Body.String(), secret) ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s answers %d with %v", secret, w.Code, w.Header())
		}
	}
}

func TestOldAddressesLeadOn(t *testing.T) {
	t.Parallel()
	h := pages(t)
	for path, to := range map[string]string{
		"/docs/operations": "/docs/api", "/docs/operations/": "/docs/api", "/docs/.md": "/docs/index.md",
		"/docs.md": "/docs/index.md",
	} {
		if w := request(h, http.MethodGet, path); w.Code != http.StatusPermanentRedirect ||
			w.Header().Get("Location") != to {
			t.Errorf("%s answers %d %q", path, w.Code, w.Header().Get("Location"))
		}
	}
}
