package contract

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// resolver is the only resolver of this process, so no name in any test leads out
// of the machine.
var resolver = &nameserver{addresses: map[string][]netip.Addr{}}

// nameserver answers what it was last told to, over UDP. Names that it was told
// nothing about do not exist.
type nameserver struct {
	address string

	mu        sync.Mutex
	addresses map[string][]netip.Addr
	// asked counts the questions about a name.
	asked map[string]int
}

// serve listens until the process ends, and makes it the resolver of all
// dialers that have none of their own.
func (s *nameserver) serve() error {
	listener, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.address, s.asked = listener.LocalAddr().String(), map[string]int{}
	//nolint:reassign // the whole process asks it, so the server needs no seam for tests
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.address)
	}}
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := listener.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply, err := s.reply(buffer[:n]); err == nil {
				_, _ = listener.WriteTo(reply, from)
			}
		}
	}()
	return nil
}

func (s *nameserver) reply(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := m.Questions[0]
	addresses, known := s.addresses[q.Name.String()]
	s.asked[q.Name.String()]++
	m.Response, m.Additionals = true, nil
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addresses {
		header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers,
				dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return m.Pack()
}

// leads makes a name lead to addresses from now on.
func (s *nameserver) leads(name string, to ...netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addresses[name+"."] = to
}

func (s *nameserver) questions(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name+"."]
}

// notPublic are addresses that a name of the public must not lead to: private,
// mapped, tunnelled and special ones.
var notPublic = []string{
	"127.0.0.1", "127.0.0.2", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "172.16.0.1",
	"172.31.255.254", "192.168.0.1", "192.168.255.254", "169.254.0.1", "169.254.169.254", "100.64.0.1",
	"100.100.100.200", "168.63.129.16", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.254",
	"198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
	"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
	"::ffff:0:127.0.0.1", "::127.0.0.1", "::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "100::1",
	"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1",
	"2002:7f00:1::", "2002:a00:1::1", "2002:c0a8:101::1", "3ffe::1", "3fff::1", "5f00::1", "fc00::1",
	"fd00:ec2::254", "fe80::1", "fec0::1", "ff01::1", "ff02::1",
	"2a00:1450::5efe:127.0.0.1", "2a00:1450::200:5efe:10.0.0.1",
}

// TestANameThatChangesLeadsNowhere: creation takes a name by its text; where it
// leads counts at each connection.
func TestANameThatChangesLeadsNowhere(t *testing.T) {
	t.Parallel()
	rows(t, "WHK.URL.PUBLIC", "OPEN.WHK.URL.WHEN", "OPEN.DLV.ERROR_CLASS", "OPEN.WHK.TEST.PING")
	const name = "changing.hooks.example.com"
	server := serve(t, map[string]string{"key-rate": "0"})
	n := server.create(t, `{"clock":"manual"}`)
	s, pings := n.subscribe("https://"+name+"/", `"*"`), 0
	if asked := resolver.questions(name); asked != 0 {
		t.Errorf("creation looked up the name %d times", asked)
	}
	ping := func() object {
		t.Helper()
		if pings++; pings%50 == 0 { // a sandbox may send 60 in a minute
			n = server.create(t, `{"clock":"manual"}`)
			s = n.subscribe("https://"+name+"/", `"*"`)
		}
		test := n.test(text(s, "id"))
		if test["delivered"] != false || test["status_code"] != nil || test["status"] != "pending_verification" {
			t.Errorf("the test says %v", test)
		}
		return test
	}
	if test := ping(); test["error_class"] != "dns" {
		t.Errorf("a name that does not exist is %v", test)
	}
	if len(notPublic) < 50 {
		t.Fatalf("only %d addresses are tried", len(notPublic))
	}
	asked := 0
	for _, address := range notPublic {
		resolver.leads(name, netip.MustParseAddr(address))
		if test := ping(); test["error_class"] != "dns" {
			t.Errorf("at %s the test says %v", address, test)
		}
		if now := resolver.questions(name); now == asked {
			t.Errorf("at %s the name was not looked up again", address)
		} else {
			asked = now
		}
	}
	resolver.leads(name, netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"))
	if test := ping(); test["error_class"] != "dns" {
		t.Errorf("at several addresses the test says %v", test)
	}
}

// TestARedirectIsNotFollowed: not to this machine either, where the service may
// send in this test.
func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	rows(t, "WHK.URL.REDIRECTS")
	service, inner := private(t), receive(t)
	for _, status := range []int{
		http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
	} {
		// Each has a receiver of its own, whose earlier failures delay nothing.
		n, r := service.create(t, `{"clock":"manual"}`), receive(t)
		s := n.serving(r.URL, `"office.sales_order.declined"`)
		r.redirects(status, inner.URL+"/admin")
		event := n.happens()
		eventually(t, "it arrives", 10*time.Second, func() bool { return len(r.of(event)) >= 1 })
		eventually(t, "its outcome is known", 10*time.Second, func() bool {
			for _, d := range n.deliveries(s) {
				if d["event_id"] == event["id"] && d["status"] == "failed" && d["error_class"] == "http_3xx" &&
					number(t, d, "status_code") == int64(status) {
					return true
				}
			}
			return false
		})
		ping := n.test(text(s, "id"))
		if ping["delivered"] != false || ping["error_class"] != "http_3xx" {
			t.Errorf("a test says %v", ping)
		}
	}
	if got := append(inner.requests(), inner.pings()...); len(got) != 0 {
		t.Errorf("%d requests went where the redirects led", len(got))
	}
}
