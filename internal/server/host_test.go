package server

import (
	"net/http"
	"strings"
	"testing"

	"platen/internal/config"
	"platen/internal/testclient"
)

func TestPagesAndTheAPIAreServedUnderThePublicNameOnly(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.PublicURL = "https://Platen.example.com" })
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
	named := start(t, func(c *config.Config) { c.Listen, c.PublicURL = "0.0.0.0:0", "https://platen.example.com" })
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
		"this machine":           {config.Config{Listen: "127.0.0.1:8080"}, true},
		"this machine by name":   {config.Config{Listen: "localhost:8080"}, true},
		"every address":          {config.Config{Listen: "0.0.0.0:8080"}, false},
		"a private address":      {config.Config{Listen: "10.0.0.7:8080"}, false},
		"a private public URL":   {config.Config{Listen: "0.0.0.0:80", PublicURL: "http://10.0.0.7"}, true},
		"a loopback public URL":  {config.Config{Listen: "0.0.0.0:80", PublicURL: "http://platen.localhost:80"}, true},
		"a public URL":           {config.Config{Listen: "127.0.0.1:80", PublicURL: "https://platen.test"}, false},
		"a name without a dot":   {config.Config{Listen: "0.0.0.0:80", PublicURL: "http://platen"}, false},
		"the PROXY protocol":     {config.Config{Listen: "127.0.0.1:80", ProxyProtocol: true}, false},
		"a trusted proxy":        {config.Config{Listen: "127.0.0.1:80", TrustedProxy: []string{"127.0.0.1"}}, false},
		"a node of several":      {config.Config{PublicURL: "http://10.0.0.7", NodeAddress: "a:1"}, false},
		"an address without one": {config.Config{Listen: "8080"}, false},
	} {
		if got := (&Server{config: &c.config}).oneOffice(); got != c.office {
			t.Errorf("%s: %t", name, got)
		}
	}
}
