// Package network finds the network that a request comes from. The result is a
// group of addresses that one client can be expected to hold: limits are kept
// for groups, since the addresses of a client with a /64 are too many to count
// one by one.
package network

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Sizes of a group unless the operator says otherwise (contract:
// OPEN.RATE.GROUP).
const (
	IPv4Bits = 32
	IPv6Bits = 64
	// Sizes of a block: the groups that one customer of a provider can hold.
	IPv4Block = 24
	IPv6Block = 48

	maxIPv4Bits, maxIPv6Bits = 32, 128
	// mappedBits precede an IPv4 address that is written as an IPv6 one.
	mappedBits = 96
	// maxHops is the most proxies that are followed back.
	maxHops = 16
)

// Options are the settings of an operator.
type Options struct {
	// Trusted are the networks of the proxies whose X-Forwarded-For counts.
	Trusted []netip.Prefix
	// IPv4Bits and IPv6Bits are the lengths of the prefixes that make a group.
	IPv4Bits, IPv6Bits int
	// IPv4Block and IPv6Block are the lengths of the prefixes that make a block of
	// groups (contract: OPEN.RATE.BLOCK); 0 for no blocks.
	IPv4Block, IPv6Block int
}

// Rules assign addresses to groups.
type Rules struct {
	options Options
}

// New returns the rules of an operator.
func New(o Options) (*Rules, error) {
	if o.IPv4Bits < 1 || o.IPv4Bits > maxIPv4Bits || o.IPv6Bits < 1 || o.IPv6Bits > maxIPv6Bits {
		return nil, fmt.Errorf("a network group cannot be an IPv4 /%d or an IPv6 /%d", o.IPv4Bits, o.IPv6Bits)
	}
	if o.IPv4Block < 0 || o.IPv4Block > o.IPv4Bits || o.IPv6Block < 0 || o.IPv6Block > o.IPv6Bits {
		return nil, fmt.Errorf("a block of network groups cannot be an IPv4 /%d or an IPv6 /%d",
			o.IPv4Block, o.IPv6Block)
	}
	return &Rules{options: o}, nil
}

// ParseNetworks reads networks in CIDR notation. IPv4 networks that are written
// as IPv6 ones are the same networks, as addresses are.
func ParseNetworks(texts []string) ([]netip.Prefix, error) {
	networks := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if mapped := p.Addr().Is4In6(); mapped && p.Bits() >= mappedBits {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mappedBits)
		} else if mapped || err != nil {
			return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
		}
		networks = append(networks, p.Masked())
	}
	return networks, nil
}

// Group returns the group of a request from its peer, an address with a port,
// and its X-Forwarded-For headers. These count only when the peer is a trusted
// proxy, and only from the right up to the first address that is not one: the
// entries further left were written by the client itself. The zero Group is
// that of every peer without an address.
func (r *Rules) Group(peer string, forwardedFor []string) netip.Prefix {
	address, ok := parse(peer)
	if !ok {
		return netip.Prefix{}
	}
	if len(forwardedFor) > 0 && r.trusts(address) {
		address = r.client(address, forwardedFor)
	}
	bits := r.options.IPv6Bits
	if address.Is4() {
		bits = r.options.IPv4Bits
	}
	group, err := address.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // New has seen that the lengths are possible
	}
	return group
}

// Trusts reports whether a peer, an address with a port, is a trusted proxy.
func (r *Rules) Trusts(peer string) bool {
	address, ok := parse(peer)
	return ok && r.trusts(address)
}

// client follows the proxies back to the first address that is not trusted. At
// a hop that is no address the trail ends: the proxy that wrote it stands for
// it.
func (r *Rules) client(proxy netip.Addr, forwardedFor []string) netip.Addr {
	hops := 0
	for _, rest := range slices.Backward(forwardedFor) {
		for more := true; more; {
			comma := strings.LastIndexByte(rest, ',')
			address, ok := parse(strings.TrimSpace(rest[comma+1:]))
			rest, more = rest[:max(comma, 0)], comma >= 0
			if hops++; !ok || hops > maxHops {
				return proxy
			}
			if !r.trusts(address) {
				return address
			}
			proxy = address
		}
	}
	return proxy
}

// Block returns the block that a group is in. The zero Prefix is that of a group
// without one: of no address, or of the loopback network, where all programs of
// a machine are.
func (r *Rules) Block(group netip.Prefix) netip.Prefix {
	bits := r.options.IPv6Block
	if group.Addr().Is4() {
		bits = r.options.IPv4Block
	}
	if !group.IsValid() || bits == 0 || Loopback(group) {
		return netip.Prefix{}
	}
	block, err := group.Addr().Prefix(bits)
	if err != nil {
		return netip.Prefix{} // New has seen that the lengths are possible
	}
	return block
}

// Loopback reports whether a group is that of the server's own machine.
func Loopback(group netip.Prefix) bool {
	// All of ::/32 is set aside for addresses such as ::1, so a group that holds
	// it holds no client from elsewhere.
	const setAside = 32
	return group.Addr().Unmap().IsLoopback() || group.Bits() >= setAside && group.Contains(netip.IPv6Loopback())
}

// Near reports whether a host, or an address with or without a port, is of this machine or of a
// private network.
func Near(host string) bool {
	a, ok := parse(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ok && (a.IsLoopback() || a.IsPrivate())
}

func (r *Rules) trusts(address netip.Addr) bool {
	for _, network := range r.options.Trusted {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// parse reads an address with or without a port. An IPv4 address that is
// written as an IPv6 one is the same address, and a zone is ignored.
func parse(text string) (netip.Addr, bool) {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone(""), true
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	address, err := netip.ParseAddr(text)
	return address.Unmap().WithZone(""), err == nil
}
