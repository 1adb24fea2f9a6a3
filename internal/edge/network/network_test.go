package network_test

import (
	"net/netip"
	"strings"
	"testing"

	"platen/internal/edge/network"
)

func rules(t testing.TB, trusted ...string) *network.Rules {
	t.Helper()
	networks, err := network.ParseNetworks(trusted)
	if err != nil {
		t.Fatal(err)
	}
	r, err := network.New(network.Options{Trusted: networks, IPv4Bits: network.IPv4Bits, IPv6Bits: network.IPv6Bits})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAGroupIsOneIPv4AddressOrOneIPv6Network(t *testing.T) {
	t.Parallel()
	r := rules(t)
	for peer, want := range map[string]string{
		"203.0.113.7:4711":                "203.0.113.7/32",
		"203.0.113.7":                     "203.0.113.7/32",
		"[2001:db8:1:2:3:4:5:6]:4711":     "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::]:1":         "2001:db8:1:2::/64",
		"2001:db8:1:3::1":                 "2001:db8:1:3::/64",
		"[2001:db8:1:3::1]":               "2001:db8:1:3::/64",
		"[::ffff:203.0.113.7]:4711":       "203.0.113.7/32",
		"[fe80::1%eth0]:4711":             "fe80::/64",
		"[fe80::2%a-very-odd-zone]:4711":  "fe80::/64",
		"127.0.0.1:1":                     "127.0.0.1/32",
		"":                                "invalid Prefix",
		"pipe":                            "invalid Prefix",
		"203.0.113.7:99999999999":         "invalid Prefix",
		"203.0.113.007:1":                 "invalid Prefix",
		"localhost:80":                    "invalid Prefix",
		"203.0.113.7, 203.0.113.8":        "invalid Prefix",
		strings.Repeat("[", 10) + "::1]:": "invalid Prefix",
	} {
		if got := r.Group(peer, nil).String(); got != want {
			t.Errorf("%q is of %s, want %s", peer, got, want)
		}
	}
}

func TestOnlyTrustedProxiesAreBelieved(t *testing.T) {
	t.Parallel()
	r := rules(t, "10.0.0.0/8", "2001:db8:ffff::/48")
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"an untrusted peer", "203.0.113.7:1", []string{"198.51.100.1"}, "203.0.113.7/32"},
		{"a proxy without the header", "10.0.0.1:1", nil, "10.0.0.1/32"},
		{"a proxy", "10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1/32"},
		{"a proxy that is written as IPv6", "[::ffff:10.0.0.1]:1", []string{"198.51.100.1"}, "198.51.100.1/32"},
		{"an IPv6 proxy", "[2001:db8:ffff::1]:1", []string{"2001:db8:9:9::1"}, "2001:db8:9:9::/64"},
		{"what a client wrote itself", "10.0.0.1:1", []string{"192.0.2.1, 198.51.100.1"}, "198.51.100.1/32"},
		{"a trusted address that a client wrote", "10.0.0.1:1", []string{"10.9.9.9, 198.51.100.1"}, "198.51.100.1/32"},
		{"two proxies", "10.0.0.1:1", []string{"192.0.2.1, 198.51.100.1, 10.0.0.2"}, "198.51.100.1/32"},
		{"two headers", "10.0.0.1:1", []string{"192.0.2.1", "198.51.100.1,10.0.0.2"}, "198.51.100.1/32"},
		{"a second header with proxies only", "10.0.0.1:1", []string{"192.0.2.1, 198.51.100.1", "10.0.0.3, 10.0.0.2"},
			"198.51.100.1/32"},
		{"with a port", "10.0.0.1:1", []string{"198.51.100.1:4711"}, "198.51.100.1/32"},
		{"with a port and brackets", "10.0.0.1:1", []string{"[2001:db8:9:9::1]:4711"}, "2001:db8:9:9::/64"},
		{"nobody but proxies", "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3/32"},
		{"nonsense", "10.0.0.1:1", []string{"198.51.100.1, nonsense"}, "10.0.0.1/32"},
		{"nonsense behind a proxy", "10.0.0.1:1", []string{"198.51.100.1, unknown, 10.0.0.2"}, "10.0.0.2/32"},
		{"an empty header", "10.0.0.1:1", []string{""}, "10.0.0.1/32"},
		{"a comma", "10.0.0.1:1", []string{"198.51.100.1,"}, "10.0.0.1/32"},
		{"an endless trail", "10.0.0.1:1", []string{strings.Repeat("10.0.0.2,", 10_000) + "10.0.0.3"}, "10.0.0.2/32"},
	} {
		if got := r.Group(c.peer, c.forwarded).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if !r.Trusts("10.1.2.3:80") || r.Trusts("203.0.113.7:80") || r.Trusts("pipe") {
		t.Error("the wrong peers are trusted")
	}
}

func TestTheOperatorChoosesTheLengths(t *testing.T) {
	t.Parallel()
	r, err := network.New(network.Options{IPv4Bits: 24, IPv6Bits: 48})
	if err != nil {
		t.Fatal(err)
	}
	for peer, want := range map[string]string{
		"203.0.113.7:1": "203.0.113.0/24", "[2001:db8:1:2::1]:1": "2001:db8:1::/48",
	} {
		if got := r.Group(peer, nil).String(); got != want {
			t.Errorf("%s is of %s, want %s", peer, got, want)
		}
	}
	for _, o := range []network.Options{
		{IPv4Bits: 0, IPv6Bits: 64}, {IPv4Bits: 33, IPv6Bits: 64}, {IPv4Bits: 32, IPv6Bits: 0},
		{IPv4Bits: 32, IPv6Bits: 129},
	} {
		if _, err := network.New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	for _, text := range []string{"", "10.0.0.0", "10.0.0.0/33", "localhost/8", "10.0.0.0/8,"} {
		if _, err := network.ParseNetworks([]string{text}); err == nil {
			t.Errorf("%q is accepted as a network", text)
		}
	}
}

// FuzzGroup looks for headers with which a client behind a proxy could pass for
// another client: whatever it writes, the proxy adds its address at the end.
func FuzzGroup(f *testing.F) {
	for _, seed := range []string{
		"", "1.2.3.4", "10.0.0.1, ::1", "[::1]:80,", "unknown", "10.0.0.1,\t10.0.0.2", "for=1.2.3.4",
	} {
		f.Add(seed)
	}
	r := rules(f, "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, sent string) {
		want := netip.MustParsePrefix("198.51.100.1/32")
		for _, forwarded := range [][]string{{sent + ", 198.51.100.1"}, {sent, "198.51.100.1"}} {
			if got := r.Group("10.0.0.1:1", forwarded); got != want {
				t.Errorf("%q is of %s", forwarded, got)
			}
		}
		// The header of an untrusted peer is ignored.
		if got := r.Group("198.51.100.1:1", []string{sent}); got != want {
			t.Errorf("%q from an untrusted peer is of %s", sent, got)
		}
	})
}

// FuzzHops: of a trail of hops the client is the first from the right that is
// no proxy. A hop that cannot be read ends the trail at the proxy before it.
func FuzzHops(f *testing.F) {
	for _, seed := range []string{
		"10.0.0.2", " 10.0.0.2\t", "10.0.0.2:80", "[::ffff:10.0.0.2]:80", "", "[10.0.0.2]", "10.0.0.2,", "unknown",
		"_hidden", "::1%10.0.0.1", "[2001:db8::1]", "2001:db8::1", "\u00a010.0.0.2", "10.0.0.02", "[[::1", "::1]",
	} {
		f.Add(seed)
	}
	r := rules(f, "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, hop string) {
		if strings.Contains(hop, ",") {
			return // it is several
		}
		got := r.Group("10.0.0.1:1", []string{"198.51.100.1, " + hop})
		address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(hop), "["), "]"))
		if withPort, portErr := netip.ParseAddrPort(strings.TrimSpace(hop)); portErr == nil {
			address, err = withPort.Addr(), nil
		}
		address = address.Unmap().WithZone("")
		switch {
		case err == nil && !netip.MustParsePrefix("10.0.0.0/8").Contains(address):
			if !got.Contains(address) {
				t.Errorf("the hop %q is of %s", hop, got)
			}
		case got.String() != "198.51.100.1/32" &&
			(got.Bits() != 32 || !netip.MustParsePrefix("10.0.0.0/8").Contains(got.Addr())):
			t.Errorf("before the hop %q the client is of %s", hop, got)
		case err == nil && got.String() != "198.51.100.1/32":
			t.Errorf("behind the proxy %q the client is of %s", hop, got)
		}
	})
}

// FuzzParseNetworks: what is taken is a network whose addresses are in it, and
// is the same when it is written and read again.
func FuzzParseNetworks(f *testing.F) {
	for _, seed := range []string{
		"10.0.0.0/8", "10.1.2.3/8", "::/0", "::ffff:10.0.0.0/104", "fe80::1%eth0/64", "10.0.0.0/08", "10.0.0.0", "/8",
		"10.0.0.0/-1", "010.0.0.0/8", "::ffff:10.0.0.0/80",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := network.ParseNetworks([]string{text})
		if err != nil {
			return
		}
		again, err := network.ParseNetworks([]string{read[0].String()})
		if err != nil || again[0] != read[0] || !read[0].Contains(read[0].Addr()) {
			t.Errorf("%q is read as %s, and that as %s, %v", text, read, again, err)
		}
		address, _, _ := strings.Cut(text, "/")
		if !rules(t, text).Trusts(address) {
			t.Errorf("%q does not contain the address %s", text, address)
		}
	})
}

func BenchmarkGroup(b *testing.B) {
	r := rules(b, "10.0.0.0/8")
	forwarded := []string{"192.0.2.1, 198.51.100.1, 10.0.0.2"}
	b.ReportAllocs()
	for b.Loop() {
		r.Group("10.0.0.1:4711", forwarded)
	}
}

func TestAGroupIsInABlock(t *testing.T) {
	t.Parallel()
	rules := func(v4, v6 int) *network.Rules {
		r, err := network.New(network.Options{IPv4Bits: 32, IPv6Bits: 64, IPv4Block: v4, IPv6Block: v6})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := rules(24, 48)
	for peer, want := range map[string]string{
		"198.51.100.7:1": "198.51.100.0/24", "[::ffff:198.51.100.8]:1": "198.51.100.0/24",
		"[2001:db8:0:ff::1]:1": "2001:db8::/48", "[2001:db8:1::1]:1": "2001:db8:1::/48",
		"127.0.0.1:1": "", "[::1]:1": "", "@": "",
	} {
		got := r.Block(r.Group(peer, nil))
		if want == "" && got.IsValid() || want != "" && got.String() != want {
			t.Errorf("%s is in the block %s, want %q", peer, got, want)
		}
	}
	if off := rules(0, 0); off.Block(off.Group("198.51.100.7:1", nil)).IsValid() {
		t.Error("there is a block though blocks are off")
	}
	if _, err := network.New(network.Options{IPv4Bits: 16, IPv6Bits: 64, IPv4Block: 24, IPv6Block: 48}); err == nil {
		t.Error("a block smaller than a group is accepted")
	}
}

func TestNearIsThisMachineAndItsPrivateNetwork(t *testing.T) {
	t.Parallel()
	for _, near := range []string{
		"localhost", "platen.localhost", "127.0.0.1", "127.8.0.1:80", "[::1]:80", "::1", "10.0.0.1", "192.168.3.4:5",
		"172.16.0.1",
		"fd00::1", "[fd00::1%eth0]:80", "::ffff:10.0.0.1",
	} {
		if !network.Near(near) {
			t.Errorf("%s is not near", near)
		}
	}
	for _, far := range []string{
		"", "platen", "localhost.example.com", "10.0.0.1.example.com", "8.8.8.8", "2001:db8::1", "172.32.0.1",
		"100.64.0.1", "0.0.0.0", "::", "169.254.0.1",
	} {
		if network.Near(far) {
			t.Errorf("%s is near", far)
		}
	}
}
