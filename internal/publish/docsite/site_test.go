package docsite_test

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"platen/docs"
	"platen/internal/company/preset"
	"platen/internal/operation"
	"platen/internal/publish/docsite"
	"platen/internal/words/problem"
)

const origin = "https://sandbox.test:8443"

// files are all documents of the site: to render them takes longer than most tests.
func files(t *testing.T) map[string]docsite.File {
	t.Helper()
	all, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var rendered = sync.OnceValues(func() (map[string]docsite.File, error) {
	presets, err := preset.Builtin()
	if err != nil {
		return nil, err
	}
	site := docsite.New(docsite.Options{
		Origin: origin, Asset: func(name string) string { return "/static/" + name }, Operations: operation.Table(),
		Presets: preset.Ordered(presets),
	})
	paths, err := site.Paths()
	files := map[string]docsite.File{}
	for _, path := range paths {
		file, ok, wrong := site.File(path)
		if !ok {
			wrong = errors.Join(wrong, fmt.Errorf("there is no %s", path))
		}
		files[path], err = file, errors.Join(err, wrong)
	}
	return files, err
})

// body is a file of the site.
func body(t *testing.T, path string) string {
	t.Helper()
	file, ok := files(t)[path]
	if !ok {
		t.Errorf("there is no %s", path)
	}
	return string(file.Body)
}

var (
	pre  = regexp.MustCompile(`(?s)<pre[^>]*>(.*?)</pre>`)
	mark = regexp.MustCompile(`<[^>]+>`)
)

// snippets are the texts of a page's code blocks.
func snippets(body string) []string {
	var out []string
	for _, m := range pre.FindAllStringSubmatch(body, -1) {
		out = append(out, html.UnescapeString(mark.ReplaceAllString(m[1], "")))
	}
	return out
}

// TestTheReceiversOfThePageAreTheFilesThatAreTested: what is copied from the
// page is one whose programs docs/webhooks runs.
func TestTheReceiversOfThePageAreTheFilesThatAreTested(t *testing.T) {
	t.Parallel()
	shown := snippets(body(t, "/docs/webhooks"))
	files, err := fs.ReadDir(docs.Receivers, "webhooks")
	if err != nil || len(files) != 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := docs.Receivers.ReadFile("webhooks/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(shown, func(s string) bool {
			return strings.TrimSpace(s) == strings.TrimSpace(string(text))
		}) {
			t.Errorf("the page does not show %s as it is", file.Name())
		}
	}
}

// TestEveryCodeSaysHowToProvokeIt, or that it cannot be provoked.
func TestEveryCodeSaysHowToProvokeIt(t *testing.T) {
	t.Parallel()
	for _, d := range problem.All() {
		if !strings.Contains(body(t, "/docs/errors/"+string(d.Code)), "Provoke it") {
			t.Errorf("the page of %s does not say how to provoke it", d.Code)
		}
	}
}

// TestNoBoxOfCodeIsEmpty: a page whose text has no command shows no box to copy one from.
func TestNoBoxOfCodeIsEmpty(t *testing.T) {
	t.Parallel()
	boxes := 0
	for path, file := range files(t) {
		for _, snippet := range snippets(string(file.Body)) {
			if boxes++; strings.TrimSpace(snippet) == "" {
				t.Errorf("%s has an empty box of code", path)
			}
		}
	}
	if boxes == 0 {
		t.Error("no page has a box of code")
	}
}

var (
	aside = regexp.MustCompile(`(?s)<(script|style|pre)\b.*?</(script|style|pre)>`)
	// misfit is the article before a vowel, also where a word of code follows it.
	misfit = regexp.MustCompile(`[\s(>][Aa] [aeioAEIO]\w*`)
	// consonant begins words that are written with a vowel and spoken with a consonant.
	consonant = regexp.MustCompile(`(?i)a (one|once|eu)`)
)

// TestArticlesFitTheirWords: an error's page, for instance, says "an ordinary sandbox".
func TestArticlesFitTheirWords(t *testing.T) {
	t.Parallel()
	for path, file := range files(t) {
		if file.ContentType != docsite.TypeHTML {
			continue
		}
		text := mark.ReplaceAllString(aside.ReplaceAllString(string(file.Body), " "), "")
		for _, found := range misfit.FindAllString(text, -1) {
			if !consonant.MatchString(found) {
				t.Errorf("%s says %q", path, found)
			}
		}
	}
}
