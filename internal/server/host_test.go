package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"platen/internal/config"
	"platen/internal/mcp"
	"platen/test/testclient"
)

func TestPagesAndTheAPIAreServedUnderThePublicNameOnly(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.PublicURL = []string{"https://Platen.example.com"} })
	for host, serves := range map[string]bool{
		"platen.example.com": true, "PLATEN.EXAMPLE.COM:443": true,
		"platen.example.com.": true, "localhost:1": true, "192.0.2.7": true, "[2001:db8::1]:80": true,
		"example.com": false, "elsewhere.example": false, "platen.example.com.elsewhere.example": false,
		"platen.monitoring.local": false, "platen.monitoring.svc": false,
	} {
		for path, want := range map[string]int{
			"/": http.StatusOK, "/console": http.StatusOK, "/v1/missions": http.StatusUnauthorized,
			"/status.json": http.StatusOK, "/healthz": http.StatusOK, "/metrics": http.StatusOK,
		} {
			if !serves && path != "/healthz" && (path != "/metrics" || !strings.HasPrefix(host, "platen.monitoring.")) {
				want = http.StatusMisdirectedRequest
			}
			a := testclient.Request{
				Method: http.MethodGet, URL: "http://" + s.Addr().String() + path, Headers: []string{"Host", host},
			}.Send(t)
			if a.Status != want {
				t.Errorf("%s of %s is answered %d, want %d", path, host, a.Status, want)
			}
		}
	}
}

// TestAContainerIsFoundByItsName: a server that others reach, and that was given
// no public name, answers to those of a local network; one for this machine only,
// or with a public name, does not.
func TestAContainerIsFoundByItsName(t *testing.T) {
	t.Parallel()
	open := start(t, func(c *config.Config) { c.Listen = "0.0.0.0:0" })
	named := start(t, func(c *config.Config) {
		c.Listen, c.PublicURL = "0.0.0.0:0", []string{"https://platen.example.com"}
	})
	here := start(t)
	for _, host := range []string{
		"platen:8080", "platen", "host.docker.internal:8080", "platen.team.svc.cluster.local:8080", "platen.team.svc",
		"PLATEN.TEAM.SVC.", "myhost.local", "platen.corp.internal", "platen.test:80",
	} {
		if !open.acceptsHost(host) || named.acceptsHost(host) || here.acceptsHost(host) {
			t.Errorf("%s: open %t, named %t, here %t",
				host, open.acceptsHost(host), named.acceptsHost(host), here.acceptsHost(host))
		}
	}
	for _, host := range []string{
		"evil.example", "svc.example", "platen.local.example", "platen.notlocal", "platen.svc.com", "x..", "x.svc..",
	} {
		if open.acceptsHost(host) {
			t.Errorf("%s is served", host)
		}
	}
}

// TestStrangersShareNoAddressInOneOffice: on this machine and on a private network, without
// proxies or other nodes (contract: OPEN.IDEM.CREATION).
func TestStrangersShareNoAddressInOneOffice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config config.Config
		office bool
	}{
		"this machine":          {config.Config{Listen: "127.0.0.1:8080"}, true},
		"this machine by name":  {config.Config{Listen: "localhost:8080"}, true},
		"every address":         {config.Config{Listen: "0.0.0.0:8080"}, false},
		"a private address":     {config.Config{Listen: "10.0.0.7:8080"}, false},
		"a private public URL":  {public("0.0.0.0:80", "http://10.0.0.7"), true},
		"a loopback public URL": {public("0.0.0.0:80", "http://platen.localhost:80"), true},
		"two that are near":     {public("0.0.0.0:80", "http://10.0.0.7", "http://LocalHost:80/"), true},
		"one of two is far":     {public("127.0.0.1:80", "http://10.0.0.7", "https://sandbox.example"), false},
		"the first is far":      {public("127.0.0.1:80", "https://sandbox.example", "http://10.0.0.7"), false},
		"a public URL":          {public("127.0.0.1:80", "https://platen.test"), false},
		"a name without a dot":  {public("0.0.0.0:80", "http://platen"), false},
		"the PROXY protocol":    {config.Config{Listen: "127.0.0.1:80", ProxyProtocol: true}, false},
		"a trusted proxy":       {config.Config{Listen: "127.0.0.1:80", TrustedProxy: []string{"127.0.0.1"}}, false},
		"a node of several": {config.Config{PublicURL: []string{"http://10.0.0.7"}, NodeAddress: "a:1"},
			false},
		"an address without one": {config.Config{Listen: "8080"}, false},
	} {
		if got := (&Server{config: &c.config}).oneOffice(); got != c.office {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// public is the configuration of a server with public URLs.
func public(listen string, origins ...string) config.Config {
	return config.Config{Listen: listen, PublicURL: origins}
}

// TestAServerHasSeveralNames: links begin with the first, requests may use all of them, as Host and as Origin, also
// behind a proxy that changes the Host.
func TestAServerHasSeveralNames(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) {
		c.PublicURL = []string{"https://sandbox.example/", "http://Platen:8080", "https://platen.example.org"}
	})
	if s.Origin() != "https://sandbox.example" {
		t.Errorf("links begin with %s", s.Origin())
	}
	ask := func(method, path, body string, headers ...string) *testclient.Answer {
		t.Helper()
		return testclient.Request{Method: method, URL: "http://" + s.Addr().String() + path, Body: body,
			Headers: append(headers, "Accept", "application/json, text/event-stream")}.Send(t)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for host, serves := range map[string]bool{
		"sandbox.example": true, "platen:8080": true, "platen": true, "PLATEN.example.org": true, "localhost": true,
		"elsewhere.example": false, "platen.local": false, "example.org": false,
	} {
		page, agent := http.StatusOK, http.StatusOK
		if !serves {
			page, agent = http.StatusMisdirectedRequest, http.StatusForbidden
		}
		if a := ask(http.MethodGet, "/status.json", "", "Host", host); a.Status != page {
			t.Errorf("%s is answered %d, want %d", host, a.Status, page)
		}
		if a := ask(http.MethodPost, mcp.Path, ping, "Host", host); a.Status != agent {
			t.Errorf("%s is answered %d at %s, want %d", host, a.Status, mcp.Path, agent)
		}
	}
	for origin, own := range map[string]bool{
		"https://sandbox.example": true, "http://platen:8080": true, "https://platen.example.org": true,
		"http://sandbox.example": false, "http://platen": false, "https://elsewhere.example": false, "null": false,
	} {
		made, agent := http.StatusCreated, http.StatusOK
		if !own {
			made, agent = http.StatusForbidden, http.StatusForbidden
		}
		a := ask(http.MethodPost, "/v1/sandboxes", "{}", "Host", "localhost", "Origin", origin)
		if a.Status != made {
			t.Errorf("a page of %s is answered %d, want %d: %s", origin, a.Status, made, a.Raw)
		}
		if a := ask(http.MethodPost, mcp.Path, ping, "Host", "localhost", "Origin", origin); a.Status != agent {
			t.Errorf("a page of %s is answered %d at %s, want %d", origin, a.Status, mcp.Path, agent)
		}
	}
	if a := ask(http.MethodPost, "/v1/sandboxes", "{}", "Host", "localhost", "Origin", "https://sandbox.example",
		"Sec-Fetch-Site", "cross-site"); a.Status != http.StatusForbidden {
		t.Errorf("a browser that names another site is answered %d", a.Status)
	}
	for _, own := range []string{"sandbox.example", "platen.example.org"} {
		if !slices.Contains(s.policy.OwnHosts, own) {
			t.Errorf("webhooks may lead to %s, which is this server", own)
		}
	}
}
