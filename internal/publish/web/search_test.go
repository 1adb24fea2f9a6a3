package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
		"":                             "Search guides, routes",
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

func TestProgramsSearchTheDocsInJSON(t *testing.T) {
	t.Parallel()
	h := pages(t)
	for query, want := range map[string]string{
		"press_busy":         `"path":"/docs/errors/press_busy"`,
		"waits_for":          `list_work_orders","excerpt":"Factory has been asked for. waits_for `,
		"verify+a+signature": `"path":"/docs/webhooks#verify"`,
		"xyzzy":              `[]`, "": `[]`, "lab_off_" + strings.Repeat("a", 43): `[]`,
	} {
		r := httptest.NewRequest(http.MethodGet, "/docs/search?q="+query, nil)
		r.Header.Set("Accept", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), want) || w.Header().Get("Content-Type") != "application/json" ||
			(w.Code == http.StatusBadRequest) != strings.HasPrefix(query, "lab_") {
			t.Errorf("%q: %d %s", query, w.Code, w.Body)
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
