package server

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/config"
	"platen/test/testclient"
)

// from is a connection that comes from an address.
type from struct {
	net.Conn
	address net.Addr
}

func (c from) RemoteAddr() net.Addr { return c.address }

// connectFrom waits until the connection from an address is accepted.
func (l *pipes) connectFrom(address string) net.Conn {
	near, far := net.Pipe()
	l.waiting <- from{far, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 4711))}
	return near
}

// standing counts the connections that the server has not closed.
func standing(t *testing.T, connections []net.Conn) int {
	t.Helper()
	n := 0
	for _, c := range connections {
		c.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
			continue
		}
		c.SetReadDeadline(time.Time{})
		n++
	}
	return n
}

// groupLimits are those of a server with its defaults, but for a total.
func groupLimits(t *testing.T, total int, trusted ...string) connectionLimits {
	t.Helper()
	c := config.Default()
	c.TrustedProxy, c.Connections = trusted, total
	rules, err := networks(c)
	if err != nil {
		t.Fatal(err)
	}
	return connectionLimits{
		total: total, group: groupConnections(c, total), block: blockConnections(c, total), network: rules,
	}
}

// asks sends a request and expects the response to it.
func asks(t *testing.T, c net.Conn) {
	t.Helper()
	client := over(t, c)
	client.send("GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if got := code(t, client.receive(http.MethodGet)); got != "route_not_found" {
		t.Errorf("the request gets %s", got)
	}
}

// TestANetworkHoldsItsShareOfConnectionsOnly is the proof of
// OPEN.CONN.GROUP.
func TestANetworkHoldsItsShareOfConnectionsOnly(t *testing.T) {
	t.Parallel()
	const attempts, share = 10_050, 256
	for name, address := range map[string]func(i int) string{
		"one address": func(int) string { return "198.51.100.1" },
		"one /64":     func(i int) string { return fmt.Sprintf("2001:db8::%x", i+1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				limits, refused := groupLimits(t, config.Default().Connections), 0
				limits.ended = func(reason string) {
					if reason != groupFull {
						t.Errorf("a connection is closed for the reason %s", reason)
					}
					refused++
				}
				l := bubble(t, limits)
				flood := make([]net.Conn, attempts)
				for i := range flood {
					flood[i] = l.connectFrom(address(i))
				}
				began := time.Now()
				honest := l.connectFrom("203.0.113.1")
				asks(t, honest)
				if took := time.Since(began); took != 0 {
					t.Errorf("another network waits for %s", took)
				}
				if n := standing(t, flood); n != share || refused != attempts-share {
					t.Errorf("%d of %d connections stand and %d were closed, want %d and %d",
						n, attempts, refused, share, attempts-share)
				}
				// A place that is given back is free for the network.
				flood[0].Close()
				synctest.Wait()
				again := l.connectFrom(address(0))
				asks(t, again)
				for _, c := range slices.Concat(flood, []net.Conn{honest, again}) {
					c.Close()
				}
			})
		})
	}
}

func TestProxiesAndThisMachineHaveNoShareOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1", "::1", "10.0.0.1"} {
		synctest.Test(t, func(t *testing.T) {
			l := bubble(t, groupLimits(t, 10_000, "10.0.0.0/8"))
			flood := make([]net.Conn, 1000)
			for i := range flood {
				flood[i] = l.connectFrom(address)
			}
			if n := standing(t, flood); n != len(flood) {
				t.Errorf("%d connections of %s stand, want %d", n, address, len(flood))
			}
			for _, c := range flood {
				c.Close()
			}
		})
	}
}

// TestTheLongestIdleConnectionGivesWayToANewcomer is, with the next test, the
// proof of OPEN.CONN.IDLE.
func TestTheLongestIdleConnectionGivesWayToANewcomer(t *testing.T) {
	t.Parallel()
	const total = 1000
	synctest.Test(t, func(t *testing.T) {
		limits, reasons := groupLimits(t, total), map[string]int{}
		limits.ended = func(reason string) { reasons[reason]++ }
		l := bubble(t, limits)
		crowd := make([]net.Conn, total)
		for i := range crowd {
			crowd[i] = l.connectFrom(fmt.Sprintf("198.51.%d.1", i/5))
			if i%2 == 0 { // every other one has sent nothing yet
				asks(t, crowd[i])
			}
		}
		if len(reasons) > 0 {
			t.Errorf("connections were closed while places were free, and young ones: %v", reasons)
		}
		// The first one is the youngest of them now.
		<-time.After(2 * freshTime)
		asks(t, crowd[0])
		began := time.Now()
		newcomer := l.connectFrom("203.0.113.1")
		asks(t, newcomer)
		if took := time.Since(began); took != 0 {
			t.Errorf("the newcomer waits for %s", took)
		}
		if n := standing(t, crowd); n != total-1 || standing(t, crowd[1:2]) != 0 {
			t.Errorf("%d of %d connections stand, want all but the second, that has waited longest", n, total)
		}
		if reasons[gaveWay] != 1 || len(reasons) != 1 {
			t.Errorf("connections were closed for the reasons %v, want one idle", reasons)
		}
		for _, c := range slices.Concat(crowd, []net.Conn{newcomer}) {
			c.Close()
		}
	})
}

// TestARequestUnderWayIsNotCutOffForANewcomer fills all places with requests that have come whole,
// and whose clients do not read yet.
func TestARequestUnderWayIsNotCutOffForANewcomer(t *testing.T) {
	t.Parallel()
	const total = 100
	synctest.Test(t, func(t *testing.T) {
		l := bubble(t, groupLimits(t, total))
		busy := make([]net.Conn, total)
		for i := range busy {
			busy[i] = l.connectFrom(fmt.Sprintf("198.51.%d.1", i))
			request := "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
			if i%2 == 0 {
				request = "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
					"Content-Length: 2\r\n\r\n{]"
			}
			io.WriteString(busy[i], request)
		}
		synctest.Wait()
		newcomer := l.connectFrom("203.0.113.1")
		served := make(chan struct{})
		go func() {
			defer close(served)
			asks(t, newcomer)
		}()
		synctest.Wait()
		if closed(served) {
			t.Error("a newcomer is served, though all places have a request under way")
		}
		for i, c := range busy {
			got := over(t, c).receive(http.MethodGet).status
			if got < http.StatusBadRequest || got > http.StatusNotFound {
				t.Errorf("request %d, which was under way, gets %d", i, got)
			}
		}
		<-served // the first that had its response gave way
		for _, c := range slices.Concat(busy, []net.Conn{newcomer}) {
			c.Close()
		}
	})
}

// TestTheProxyProtocolCountsConnectionsOfClients: one balancer carries many of them.
func TestTheProxyProtocolCountsConnectionsOfClients(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.ProxyProtocol, c.IPConnections = true, 3 })
	ask := func(client string) *client {
		c := dial(t, s)
		io.WriteString(c, "PROXY TCP4 "+client+" 10.0.0.1 4711 8080\r\n"+question) // it may be closed already
		return c
	}
	for range 3 {
		if got := code(t, ask("198.51.100.1").receive(http.MethodGet)); got != "route_not_found" {
			t.Errorf("a connection within the limit gets %s", got)
		}
	}
	if b, err := ask("198.51.100.1").r.ReadByte(); err == nil {
		t.Errorf("a fourth connection of a client gets %q", b)
	}
	if got := code(t, ask("198.51.100.2").receive(http.MethodGet)); got != "route_not_found" {
		t.Errorf("another client gets %s", got)
	}
}

// send makes a request on a connection of its own.
func send(t *testing.T, method, url, origin string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if r.Close = true; origin != "" {
		r.Header.Set("Origin", origin)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(b)
}

func TestOperatorsAreServedWhileEveryPlaceIsTaken(t *testing.T) {
	t.Parallel()
	const total = 20
	s := start(t, func(c *config.Config) { c.OpsListen, c.Connections = "127.0.0.1:0", total })
	for range total {
		dial(t, s).send("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{")
	}
	ops := "http://" + s.OpsAddr().String()
	for path, want := range map[string]string{
		"/healthz": "ok", "/readyz": "ready", "/status.json": `"version"`, "/metrics": "platen_connections ",
	} {
		status, body := send(t, http.MethodGet, ops+path, "")
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, path := range []string{"/", "/docs/", "/v1/sandbox", "/openapi.json"} {
		if status, body := send(t, http.MethodGet, ops+path, ""); status != http.StatusNotFound {
			t.Errorf("%s is served at the address of operators: %d %s", path, status, body)
		}
	}
}

func TestMetricsAreAtTheAddressOfOperatorsAlone(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]int{"": http.StatusOK, "127.0.0.1:0": http.StatusNotFound} {
		s := shared()
		if address != "" {
			s = startBeside(t, func(c *config.Config) { c.OpsListen = address })
		}
		for path, want := range map[string]int{
			"/metrics": want, "/healthz": http.StatusOK, "/readyz": http.StatusOK, "/status.json": http.StatusOK,
			"/bans/lift": http.StatusNotFound,
		} {
			if status, _ := send(t, http.MethodGet, s.Origin()+path, ""); status != want {
				t.Errorf("ops-listen %q: %s gets %d, want %d", address, path, status, want)
			}
		}
		if (s.OpsAddr() == nil) != (address == "") {
			t.Errorf("ops-listen %q: the address is %v", address, s.OpsAddr())
		}
	}
}

func TestOperatorsLiftBans(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) {
		c.OpsListen, c.AnonymousRate, c.TrustedProxy = "127.0.0.1:0", 1, []string{"127.0.0.0/8"}
	})
	ask := func() int {
		c := dial(t, s)
		c.send("GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n")
		return c.receive(http.MethodGet).status
	}
	for range banRefusals + 1 {
		ask()
	}
	if got := ask(); got != http.StatusForbidden {
		t.Fatalf("after %d refusals: %d, want a ban", banRefusals, got)
	}
	lift := "http://" + s.OpsAddr().String() + "/bans/lift"
	if status, _ := send(t, http.MethodPost, lift, "https://attacker.example"); status != http.StatusForbidden {
		t.Errorf("a page of another site gets %d", status)
	}
	if status, _ := send(t, http.MethodGet, lift, ""); status != http.StatusMethodNotAllowed {
		t.Errorf("GET gets %d", status)
	}
	for _, want := range []string{"{\"bans_lifted\":1}\n", "{\"bans_lifted\":0}\n"} {
		if status, body := send(t, http.MethodPost, lift, ""); status != http.StatusOK || body != want {
			t.Errorf("got %d %s, want %s", status, body, want)
		}
	}
	if got := ask(); got == http.StatusForbidden {
		t.Error("the ban goes on")
	}
}

func TestTheAddressForOperatorsIsAnotherOne(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.OpsListen = c.Listen
	if err := c.Check(); err == nil || err.Error() != "ops-listen must not be the address of listen, 127.0.0.1:8080" {
		t.Errorf("got %v", err)
	}
}

// TestOperatorsAreAskedForByNamesThatNoSiteHas: a site could lead a name of its own to the address.
func TestOperatorsAreAskedForByNamesThatNoSiteHas(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) {
		c.OpsListen, c.PublicURL = "127.0.0.1:0", []string{"https://platen.example.com"}
	})
	for host, want := range map[string]int{
		"127.0.0.1:9090": 200, "localhost": 200, "platen-1:9090": 200, "platen.example.com": 200, "[::1]:1": 200,
		"platen.default.svc.cluster.local": 200, "evil.example": 421, "127.0.0.1.evil.example:9090": 421,
	} {
		for path, method := range map[string]string{"/bans/lift": http.MethodPost, "/metrics": http.MethodGet} {
			a := testclient.Request{
				Method: method, URL: "http://" + s.OpsAddr().String() + path, Headers: []string{"Host", host},
			}.Send(t)
			if a.Status != want {
				t.Errorf("%s of %s: %d, want %d", path, host, a.Status, want)
			}
		}
	}
}
