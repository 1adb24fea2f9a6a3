package netguard

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// Kind is the kind of an address.
type Kind string

// Kinds.
const (
	Public    Kind = "public"
	Loopback  Kind = "loopback"
	LinkLocal Kind = "link-local"
	// Private are the addresses of inner networks, those between a provider and
	// its customers included.
	Private Kind = "private"
	// Reserved are all others that lead to no public host: unspecified,
	// multicast, documentation, benchmarks, tunnels, and addresses that are not
	// assigned.
	Reserved Kind = "reserved"
)

// platformAddress is that of Azure's own services in every machine there.
//
//nolint:gochecknoglobals // a constant that has no literal
var platformAddress = netip.MustParsePrefix("168.63.129.16/32")

// carrierNetwork lies between providers and their customers (RFC 6598). A
// cloud's metadata service is in it, too.
var carrierNetwork = netip.MustParsePrefix("100.64.0.0/10") //nolint:gochecknoglobals // a constant that has no literal

// returnedToRegistry was the test network of IPv6 (RFC 3701).
var returnedToRegistry = netip.MustParsePrefix("3ffe::/16") //nolint:gochecknoglobals // a constant that has no literal

// registries matches all special addresses.
//
//nolint:gochecknoglobals // it never changes
var registries = ssrf.New(ssrf.WithDeniedV4Prefixes(platformAddress), ssrf.WithDeniedV6Prefixes(returnedToRegistry))

// KindOf returns the kind of an address. An IPv4 address inside of one of IPv6
// has the kind of the inner one, except that it is never public: public
// addresses are not written that way.
func KindOf(a netip.Addr) Kind {
	if inner, ok := embedded(a); ok {
		if kind := KindOf(inner); kind != Public {
			return kind
		}
		return Reserved
	}
	switch {
	case a.IsLoopback():
		return Loopback
	case a.IsLinkLocalUnicast():
		return LinkLocal
	case a.IsPrivate(), carrierNetwork.Contains(a):
		return Private
	case !a.IsValid(), a.Zone() != "", registries.SafeAddr(a) != nil:
		return Reserved
	}
	return Public
}

// Tunnels: networks of IPv6 whose addresses hold one of IPv4, and at which byte.
var tunnels = []struct { //nolint:gochecknoglobals // the table itself
	network netip.Prefix
	at      int
}{
	{netip.MustParsePrefix("::ffff:0:0/96"), 12},   // mapped (RFC 4291)
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // translated (RFC 2765)
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64 (RFC 6052)
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12},  // NAT64 of a network's own (RFC 8215)
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4 (RFC 3056)
}

// compatible are the oldest tunnels: zeros, and then an address of IPv4.
var compatible = netip.MustParsePrefix("::/96") //nolint:gochecknoglobals // a constant that has no literal

// embedded returns the IPv4 address in a tunnel's address. Teredo (RFC 4380)
// hides it, and ISATAP (RFC 5214) keeps it behind any prefix.
func embedded(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return netip.Addr{}, false
	}
	a = a.WithZone("")
	b := a.As16()
	at := func(i int) (netip.Addr, bool) { return netip.AddrFrom4([4]byte(b[i : i+4])), true }
	for _, t := range tunnels {
		if t.network.Contains(a) {
			return at(t.at)
		}
	}
	switch {
	case compatible.Contains(a) && !a.IsUnspecified() && !a.IsLoopback():
		return at(12)
	case b[0] == 0x20 && b[1] == 0x01 && b[2] == 0 && b[3] == 0: // Teredo
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	case b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe: // ISATAP
		return at(12)
	}
	return netip.Addr{}, false
}
