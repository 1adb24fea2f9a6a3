package web_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestAPageIsSentAsMarkdownToThoseWhoAskForIt by its own path, and both forms say that they
// depend on what is asked for.
func TestAPageIsSentAsMarkdownToThoseWhoAskForIt(t *testing.T) {
	t.Parallel()
	h := pages(t)
	const html, markdown = "text/html; charset=utf-8", "text/markdown; charset=utf-8"
	twin := request(h, http.MethodGet, "/docs/quickstart.md")
	for accept, want := range map[string]string{
		"":              html,
		"*/*":           html,
		"text/*":        html,
		"text/markdown": markdown,
		"TEXT/Markdown": markdown,
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8": html,
		"text/markdown, */*":                        markdown,
		"text/markdown, text/html, */*":             markdown,
		"text/markdown;q=0.5, text/html":            html,
		"text/html;q=0.8, text/markdown":            markdown,
		"text/html ; q=0.8, text/markdown ; q=0.9":  markdown,
		"text/markdown;q=0":                         html,
		"text/markdown;q=0, */*":                    html,
		"text/markdown;q=many":                      html,
		"text/markdown;q=7":                         html,
		"text/markdown;q=NaN":                       html,
		"text/markdown;charset=utf-8":               markdown,
		"text/*;q=0.9, text/markdown;q=0.5":         html,
		"*/*;q=0.1, text/markdown;q=0.2":            markdown,
		"text/markdownish, text/html;q=0.1":         html,
		"application/json":                          html,
		"text/markdown;variant=GFM;q=0.9,text/html": html,
	} {
		w := requestFor(h, "/docs/quickstart", accept)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != want {
			t.Errorf("Accept %q: %d %s, want %s", accept, w.Code, w.Header().Get("Content-Type"), want)
		}
		vary := w.Header().Values("Vary")
		if !slices.Contains(vary, "Accept") || !slices.Contains(vary, "Accept-Encoding") {
			t.Errorf("Accept %q: Vary is %q", accept, vary)
		}
		location := w.Header().Get("Content-Location")
		if (want == markdown) != (location == "/docs/quickstart.md") {
			t.Errorf("Accept %q: Content-Location is %q", accept, location)
		}
		if want == markdown && w.Body.String() != twin.Body.String() {
			t.Errorf("Accept %q: the body is not that of quickstart.md", accept)
		}
	}
	if w := requestFor(h, "/docs/", "text/markdown"); !strings.HasPrefix(w.Body.String(), "# Platen") {
		t.Errorf("/docs/ is %.100q", w.Body.String())
	}
	page, text := requestFor(h, "/docs/quickstart", ""), requestFor(h, "/docs/quickstart", "text/markdown")
	if page.Header().Get("ETag") == text.Header().Get("ETag") {
		t.Error("both forms have one tag")
	}
}

func requestFor(h http.Handler, path, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
