package browser_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// asks sends a request to a server as a program would, with a method that may be
// none.
func asks(t *testing.T, p *platentest.Platen, key, method, path string) {
	t.Helper()
	r, err := testclient.Request{Method: http.MethodGet, URL: p.Origin + "/v1", Key: key}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Method, r.URL.Path, r.URL.RawPath, r.URL.Opaque = method, "", "", "/v1"+path
	if _, err := testclient.Exchange(nil, r); err != nil {
		t.Fatal(err)
	}
}

// TestAnOpenedRequestStaysInItsCard: its command is longer than the card is
// wide. The copied command runs nothing that the client of the sandbox has
// written.
func TestAnOpenedRequestStaysInItsCard(t *testing.T) {
	t.Parallel()
	p := shared()
	s := p.Sandbox(t, platentest.Options{Preset: "starter", Clock: "manual"})
	for _, path := range []string{"/$(id)", "/sandbox;id", "/office/" + strings.Repeat("sales-orders-and-more-", 12)} {
		asks(t, p, s.OfficeKey, http.MethodGet, path)
	}
	asks(t, p, s.OfficeKey, "`id`", "/sandbox")
	x := open(t, p.Origin, looks[0])
	x.enter(s, "/console/requests")
	x.until(`document.querySelectorAll('tr[data-row]').length >= 4`)
	for _, l := range looks {
		x.look(l)
		for row := range 4 {
			x.until(`(document.querySelectorAll('tr[data-row]')[` + strconv.Itoa(row) + `].click(), true)`)
			x.until(`document.querySelector('tr.under') !== null`)
			x.until(`(() => {
				const card = document.querySelector('tr.under').closest('.card').getBoundingClientRect();
				return [...document.querySelectorAll('tr[data-row] > td:last-child, tr.under > td > *')]
					.filter(e => e.checkVisibility())
					.every(e => e.getBoundingClientRect().right <= card.right + 1);
			})()`)
			x.shot("request-open-" + strconv.Itoa(row))
			x.until(`(document.querySelector('tr.under').previousElementSibling.click(), true)`)
			x.until(`document.querySelector('tr.under') === null`)
		}
	}
	for _, text := range []string{"'" + p.Origin + "/v1/$(id)'", "'" + p.Origin + "/v1/sandbox;id'", "-X '`id`'"} {
		x.until(`[...document.querySelectorAll('tr[data-row]')].some(e => e.dataset.curl.includes(` +
			quote(text) + `))`)
	}
}
