package contract

import (
	"net/http"
	"strings"
	"testing"
)

func TestPagesOfOtherSitesCannotChangeWhichSandboxesThereAre(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.ORIGIN_REFUSED")
	n := shared.create(t, "")
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://elsewhere.test"},
		{"Origin", "null"},
		{"Origin", shared.Origin, "Sec-Fetch-Site", "cross-site"},
	} {
		shared.send(t, request{method: http.MethodPost, path: "/sandboxes", body: "{}", headers: headers}).
			want(http.StatusForbidden, "origin_refused")
		n.post("/sandbox/extend", "", headers...).want(http.StatusForbidden, "origin_refused")
		n.call("DELETE", "/sandbox", "", headers...).want(http.StatusForbidden, "origin_refused")
	}
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", shared.Origin},
	} {
		shared.send(t, request{method: http.MethodPost, path: "/sandboxes", body: "{}", headers: headers}).
			want(http.StatusCreated, "")
		n.post("/sandbox/extend", "", headers...).want(http.StatusConflict, "extension_not_yet")
	}
	// Everything else needs a key in a header, which no page of another site has.
	n.get("/sandbox", "Sec-Fetch-Site", "cross-site").want(http.StatusOK, "")
}

func TestOnlyTheServersOwnNamesAreServed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.HOST_REFUSED")
	s := serve(t, nil)
	for _, host := range []string{"elsewhere.test", "elsewhere.test:8080", "localhost.elsewhere.test", "notlocalhost"} {
		a := s.send(t,
			request{method: http.MethodPost, path: "/sandboxes", body: "{}", headers: []string{"Host", host}}).
			want(http.StatusMisdirectedRequest, "host_refused")
		if !strings.Contains(text(a.Failure(), "message"), host) {
			t.Errorf("%s: the message does not name it: %v", host, a.Failure())
		}
	}
	for _, host := range []string{
		"localhost", "localhost:9000", "platen.localhost", "127.0.0.1", "[::1]:8080", "192.0.2.7",
	} {
		s.send(t, request{method: http.MethodPost, path: "/sandboxes", body: "{}", headers: []string{"Host", host}}).
			want(http.StatusCreated, "")
	}
}
