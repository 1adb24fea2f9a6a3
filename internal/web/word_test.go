package web_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// replaced are words that readers of the docs find under another one: error,
// request, response, field, sandbox, or the name of who acts. Answer stays
// where the trade means it, of an order or a lot.
var (
	replaced = regexp.MustCompile(
		`(?i)\b(refus(?:e[ds]?|als?)|tenants?|members?|callers?|who(?:so)?ever|somebody|nobody|is answered|answers? ` +
			`(?:with|is|was)|(?:the|first|second|every|this) answer)\b`)
	tags   = regexp.MustCompile(`<[^>]*>`)
	inCode = regexp.MustCompile(`(?s)<(pre|code|script|style)\b.*?</(pre|code|script|style)>`)
)

// TestPagesUseTheWordsOfTheGlossary reads every page of the docs, and with them
// the texts of operations, errors, events, missions, presets and settings.
func TestPagesUseTheWordsOfTheGlossary(t *testing.T) {
	t.Parallel()
	for path, body := range documents(t) {
		_, main, _ := strings.Cut(body, `<main id="main">`)
		text := html.UnescapeString(tags.ReplaceAllString(inCode.ReplaceAllString(main, " "), " "))
		for _, at := range replaced.FindAllStringIndex(text, -1) {
			t.Errorf("%s: %q in %q", path, text[at[0]:at[1]],
				strings.Join(strings.Fields(text[max(0, at[0]-60):min(len(text), at[1]+60)]), " "))
		}
	}
}
