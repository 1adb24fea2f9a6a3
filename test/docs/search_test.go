package docs_test

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// found finds the places in a page of the search, in their order.
var found = regexp.MustCompile(`<li><a href="([^"]*)">`)

// TestPeopleFindWhatTheyAskFor types what people type, and looks for the page
// that answers it among the first three.
func TestPeopleFindWhatTheyAskFor(t *testing.T) {
	t.Parallel()
	p := shared()
	const first = 3
	for _, c := range []struct{ query, page string }{
		{"requests per minute", "/docs/limits"},
		{"rate limit", "/docs/limits"},
		{"too many requests", "/docs/errors/rate_limited"},
		{"429", "/docs/limits"},
		{"how long does a sandbox live", "/docs/limits"},
		{"verify signature python", "/docs/webhooks"},
		{"retry webhook", "/docs/webhooks"},
		{"webhook localhost", "/docs/webhooks"},
		{"ngrok", "/docs/webhooks"},
		{"409", "/docs/errors"},
		{"list of error codes", "/docs/errors"},
		{"idempotency key reused", "/docs/errors/idempotency_key_reused"},
		{"safe retries", "/docs/idempotency"},
		{"exponential backoff", "/docs/idempotency"},
		{"cursor", "/docs/lists"},
		{"pagination", "/docs/lists"},
		{"export csv", "/docs/lists"},
		{"etag", "/docs/lists"},
		{"filter by status", "/docs/lists"},
		{"mcp claude", "/docs/agents"},
		{"connect an ai agent", "/docs/agents"},
		{"self host postgres", "/docs/self-hosting"},
		{"docker", "/docs/self-hosting"},
		{"backup", "/docs/self-hosting"},
		{"environment variables", "/docs/settings"},
		{"bankrupt", "/docs/errors/sandbox_bankrupt"},
		{"bankruptcy", "/docs/errors/sandbox_bankrupt"},
		{"paper runs out", "/docs/handbook"},
		{"what makes money", "/docs/handbook"},
		{"how do I earn", "/docs/handbook"},
		{"strategy", "/docs/handbook"},
		{"three way match", "/docs/errors/three_way_mismatch"},
		{"order cancelled", "/docs/events/office.sales_order.expired"},
		{"cancel an order", "/docs/api/decline_sales_order"},
		{"press is busy", "/docs/errors/press_busy"},
		{"proof of work", "/docs/errors/pow_required"},
		{"queue", "/docs/api/poll_ticket"},
		{"delete sandbox", "/docs/api/delete_sandbox"},
		{"fork", "/docs/checkpoints"},
		{"undo", "/docs/checkpoints"},
		{"make an event happen", "/docs/triggers"},
		{"create a sandbox", "/docs/api/create_sandbox"},
		{"get an api key", "/docs/two-systems"},
		{"api key", "/docs/two-systems"},
		{"why 423", "/docs/errors/sandbox_expired"},
		{"work order", "/docs/api/list_work_orders"},
		{"authentication", "/docs/two-systems"},
		{"wrong key", "/docs/errors/wrong_system"},
		{"resend failed webhooks", "/docs/webhooks"},
		{"idle pause", "/docs/limits"},
		{"conditional write", "/docs/lost-updates"},
		{"unknown event type", "/docs/clients"},
		{"har", "/docs/troubleshooting"},
		{"grafana", "/docs/self-hosting"},
		{"rotate secret", "/docs/api/rotate_webhook_secret"},
		{"manual clock", "/docs/ci"},
		{"speed up time", "/docs/api/advance_time"},
		{"seed", "/docs/ci"},
		{"openapi", "/docs/"},
		{"swagger", "/docs/"},
		{"long polling", "/docs/feed"},
		{"stream events", "/docs/feed"},
		{"hire employee", "/docs/api/hire_employee"},
		{"pay a supplier", "/docs/api/pay_supplier_invoice"},
		{"github actions", "/docs/ci"},
		{"getting started", "/docs/quickstart"},
	} {
		_, body, _ := strings.Cut(read(t, p.Origin+"/docs/search?q="+url.QueryEscape(c.query)), `<ol class="hits">`)
		body, _, _ = strings.Cut(body, "</ol>")
		var places []string
		for _, m := range found.FindAllStringSubmatch(body, first) {
			place, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			places = append(places, place)
		}
		if !slices.Contains(places, c.page) {
			t.Errorf("%q finds %s, not %s", c.query, strings.Join(places, " "), c.page)
		}
	}
}

// TestTheUsefulSectionIsFirst of those that are found, in either spelling.
func TestTheUsefulSectionIsFirst(t *testing.T) {
	t.Parallel()
	p := shared()
	for query, want := range map[string]string{
		"share link":        "/docs/troubleshooting#share",
		"cash falls":        "/docs/troubleshooting#cash-falls",
		"signature invalid": "/docs/webhooks#verify",
		"serialised":        "/docs/listen#when-a-signature-does-not-fit",
		"serialized":        "/docs/listen#when-a-signature-does-not-fit",
		"body_reserialised": "/docs/listen#when-a-signature-does-not-fit",
		"webhook disabled":  "/docs/webhooks#failures",
	} {
		_, body, _ := strings.Cut(read(t, p.Origin+"/docs/search?q="+url.QueryEscape(query)), `<ol class="hits">`)
		if got := found.FindStringSubmatch(body); got == nil || html.UnescapeString(got[1]) != want {
			t.Errorf("%q finds %q first, not %s", query, got, want)
		}
	}
}
