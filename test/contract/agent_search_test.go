package contract

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestAgentsFindWhatTheDocsSearchFinds: guides, errors, events, missions and
// operations are among the first three results, and the pages of the docs come
// in the order in which the site's own search has them.
func TestAgentsFindWhatTheDocsSearchFinds(t *testing.T) {
	t.Parallel()
	a := shared.agent(t, shared.create(t, `{"clock":"manual"}`).office)
	hit := regexp.MustCompile(`<li><a href="([^"]+)">`)
	for _, c := range []struct{ query, page string }{
		{"verify webhook signature", "/docs/webhooks"},
		{"safe retries", "/docs/idempotency"},
		{"what makes money", "/docs/handbook"},
		{"how do I earn", "/docs/handbook"},
		{"strategy", "/docs/handbook"},
		{"copy a sandbox", "/docs/checkpoints"},
		{"environment variables", "/docs/settings"},
		{"three way match", "/docs/errors/three_way_mismatch"},
		{"order cancelled", "/docs/events/office.sales_order.expired"},
		{"pay the wages on time", "/docs/missions/payroll_on_time"},
		{"speed up time", "/docs/api/advance_time"},
	} {
		body, _, _ := strings.Cut(shared.words(t, "/docs/search?q="+url.QueryEscape(c.query)), "</ol>")
		var want []string
		for _, m := range hit.FindAllStringSubmatch(body, -1) {
			want = append(want, html.UnescapeString(m[1]))
		}
		var got []string
		first := false
		found := a.data("search_docs", fmt.Sprintf(`{"query":%q,"limit":20}`, c.query))
		for i, page := range children(t, found, "items") {
			path, inside := strings.CutPrefix(text(page, "url"), a.Origin)
			if inside {
				got = append(got, path)
			}
			place, _, _ := strings.Cut(path, "#")
			first = first || i < 3 && place == c.page
			if text(page, "title") == "" || text(page, "text") == "" {
				t.Errorf("%q finds %v", c.query, page)
			}
		}
		if !first {
			t.Errorf("%q finds %v, not %s among the first three", c.query, got, c.page)
		}
		for i, path := range got {
			if i >= len(want) || path != want[i] {
				t.Errorf("%q finds %v, the site finds %v", c.query, got, want)
				break
			}
		}
	}
}
