package contract

import (
	"net/http"
	"strings"
	"testing"

	"platen/test/testclient"
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

// TestNamesOfALocalNetworkAreServed: those that no site can have, by a server that others can reach.
func TestNamesOfALocalNetworkAreServed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.HOST_REFUSED")
	everywhere := serve(t, map[string]string{"listen": "0.0.0.0:0"})
	for _, c := range []struct {
		s      *service
		served bool
		hosts  []string
	}{
		{everywhere, true, []string{
			"platen:8080", "host.docker.internal", "platen.team.svc.cluster.local:8080", "platen.team.svc",
			"printer.local", "platen.corp.internal.", "PLATEN.TEST",
		}},
		{everywhere, false, []string{"elsewhere.example", "svc.example", "platen.local.example", "platen.svc.cluster"}},
		{shared, false, []string{"platen", "platen.team.svc.cluster.local", "platen.team.svc", "printer.local"}},
	} {
		for _, host := range c.hosts {
			status, code, agents := http.StatusUnauthorized, "unauthorized", http.StatusOK
			if !c.served { // in the form of each protocol
				status, code, agents = http.StatusMisdirectedRequest, "host_refused", http.StatusForbidden
			}
			c.s.send(t, request{method: http.MethodGet, path: "/sandbox", headers: []string{"Host", host}}).
				want(status, code)
			a := c.s.ask(t, testclient.Request{
				Method: http.MethodPost, URL: c.s.Origin + "/mcp", Body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
				Headers: []string{"Host", host, "Accept", "application/json, text/event-stream"},
			})
			if a.Status != agents {
				t.Errorf("%s is answered %d at /mcp, want %d: %s", host, a.Status, agents, a.Raw)
			}
		}
	}
}
