package webhook

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"platen/internal/edge/netguard"
)

const (
	// maxUrl is the length of a URL in bytes.
	maxUrl = 2048
	// Lengths of a host and of its labels (RFC 1035).
	maxHost, maxLabel = 253, 63

	maxPort    = 65535
	publicPort = "443"
)

// Policy is which URLs a server subscribes.
type Policy struct {
	// Private allows http, any port and any host (contract:
	// OPEN.WHK.URL.PRIVATE).
	Private bool
	// OwnHosts are the names of this server, without ports. They are refused
	// unless the policy is private.
	OwnHosts []string
}

// Reason is the rule that a URL breaks (contract: WHK.URL.REJECTED).
type Reason string

// Reasons.
const (
	Unparsable          Reason = "url_unparsable"
	TooLong             Reason = "url_too_long"
	SchemeNotHTTPS      Reason = "scheme_not_https"
	HasUserinfo         Reason = "userinfo_not_allowed"
	HasFragment         Reason = "fragment_not_allowed"
	PortNotAllowed      Reason = "port_not_allowed"
	HostnameInvalid     Reason = "hostname_invalid"
	HostnameNotASCII    Reason = "hostname_not_ascii"
	HostnameNotPublic   Reason = "hostname_not_public"
	OwnHost             Reason = "own_host"
	AddressNotCanonical Reason = "address_not_canonical"
	AddressLoopback     Reason = "address_loopback"
	AddressPrivate      Reason = "address_private"
	AddressLinkLocal    Reason = "address_link_local"
	AddressReserved     Reason = "address_reserved"
)

// Reasons lists all reasons.
func Reasons() []Reason {
	return []Reason{
		Unparsable, TooLong, SchemeNotHTTPS, HasUserinfo, HasFragment, PortNotAllowed, HostnameInvalid,
		HostnameNotASCII, HostnameNotPublic, OwnHost, AddressNotCanonical, AddressLoopback, AddressPrivate,
		AddressLinkLocal, AddressReserved,
	}
}

// Sentence describes the fault of the URL and its correction.
func (r Reason) Sentence() string {
	switch r {
	case Unparsable:
		return "The URL cannot be read. It needs a scheme, a host and printable ASCII; percent-encode everything else."
	case TooLong:
		return "The URL is longer than " + strconv.Itoa(maxUrl) + " bytes."
	case SchemeNotHTTPS:
		return "The URL must begin with https://."
	case HasUserinfo:
		return "The URL must hold no user name or password. Put a token into its path or query."
	case HasFragment:
		return "The URL must hold no fragment (#…): it would never be sent."
	case PortNotAllowed:
		return "The URL must use port 443, the default of https://."
	case HostnameInvalid:
		return "The host is not a valid name. Labels have 1 to 63 letters, digits and hyphens, and no dot " +
			"is at the end."
	case HostnameNotASCII:
		return "Write the host in its ASCII form, in which such labels begin with xn--."
	case HostnameNotPublic:
		return "The host is a name that exists on inner networks only. Use one that everybody can look up."
	case OwnHost:
		return "The host is this service itself."
	case AddressNotCanonical:
		return "The host is an address in an unusual notation. " +
			"Use a name, or four decimal numbers, or [IPv6] without a zone."
	case AddressLoopback, AddressPrivate, AddressLinkLocal, AddressReserved:
		return "The host is an address that cannot be reached in public. Use a public name."
	}
	return ""
}

// CheckURL reads a URL as it is going to be used, looking at its text alone: no
// name is looked up (contract: OPEN.WHK.URL.WHEN). It returns the host, in lower
// case and with its port where that is not the scheme's own, which is all that
// is ever shown (contract: WHK.URL_HOST), and no reason; or the first rule that
// the URL breaks.
func CheckURL(raw string, policy Policy) (host string, refusal Reason) {
	if len(raw) > maxUrl {
		return "", TooLong
	}
	unreadable := func(c rune) bool { return c <= ' ' || c == '\\' || c == 0x7f }
	if raw == "" || strings.ContainsFunc(raw, unreadable) {
		return "", Unparsable
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", Unparsable
	}
	for _, rule := range []func(*url.URL, Policy) Reason{checkScheme, checkParts, checkPort, checkHost} {
		if reason := rule(u, policy); reason != "" {
			return "", reason
		}
	}
	if !isASCII(raw) {
		return "", Unparsable
	}
	host = strings.ToLower(u.Hostname())
	if p := u.Port(); p != "" && p != standardPort(u.Scheme) {
		return net.JoinHostPort(host, p), ""
	}
	return host, ""
}

func standardPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return publicPort
}

func checkScheme(u *url.URL, policy Policy) Reason {
	if u.Scheme != "https" && (u.Scheme != "http" || !policy.Private) {
		return SchemeNotHTTPS
	}
	return ""
}

func checkParts(u *url.URL, _ Policy) Reason {
	switch {
	case u.User != nil:
		return HasUserinfo
	case u.Opaque != "" || u.Host == "" || u.Hostname() == "":
		return Unparsable
	case u.Fragment != "":
		return HasFragment
	}
	return ""
}

func checkPort(u *url.URL, policy Policy) Reason {
	p := u.Port()
	if p == "" {
		if strings.HasSuffix(u.Host, ":") {
			return PortNotAllowed
		}
		return ""
	}
	n, err := strconv.Atoi(p)
	if err != nil || n < 1 || n > maxPort || strconv.Itoa(n) != p {
		return PortNotAllowed
	}
	if p != publicPort && !policy.Private {
		return PortNotAllowed
	}
	return ""
}

func checkHost(u *url.URL, policy Policy) Reason {
	host := strings.ToLower(u.Hostname())
	if !isASCII(host) {
		return HostnameNotASCII
	}
	if strings.HasPrefix(u.Host, "[") || endsInNumber(host) {
		return checkAddress(host, policy)
	}
	if !isName(host) {
		return HostnameInvalid
	}
	if policy.Private {
		return ""
	}
	if slices.ContainsFunc(policy.OwnHosts, func(own string) bool {
		return strings.EqualFold(strings.TrimSuffix(own, "."), host)
	}) {
		return OwnHost
	}
	if !isPublicName(host) {
		return HostnameNotPublic
	}
	return ""
}

// checkAddress requires an address in the one notation that all parsers read
// alike.
func checkAddress(host string, policy Policy) Reason {
	a, err := netip.ParseAddr(host)
	if err != nil || a.Zone() != "" || a.Is4() && a.String() != host {
		return AddressNotCanonical
	}
	if policy.Private {
		return ""
	}
	if slices.Contains(policy.OwnHosts, host) {
		return OwnHost
	}
	switch netguard.KindOf(a) {
	case netguard.Public:
		return ""
	case netguard.Loopback:
		return AddressLoopback
	case netguard.Private:
		return AddressPrivate
	case netguard.LinkLocal:
		return AddressLinkLocal
	case netguard.Reserved:
	}
	return AddressReserved
}

// endsInNumber reports whether browsers and system libraries take a host for an
// IPv4 address, in whatever notation: its last label is a number, and a dot at
// the end does not count.
func endsInNumber(host string) bool {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := labels[len(labels)-1]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

func isName(host string) bool {
	if len(host) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// innerNames end names that lead nowhere in public: those set aside for other
// uses (RFC 6761, 6762, 7686, 8375, 9476) and those that inner networks are
// known to use.
var innerNames = []string{ //nolint:gochecknoglobals // the table itself
	"localhost", "local", "localdomain", "internal", "intranet", "private", "lan", "home", "corp", "home.arpa",
	"test", "invalid", "example", "onion", "alt", "arpa",
}

func isPublicName(host string) bool {
	return strings.Contains(host, ".") && !slices.ContainsFunc(innerNames, func(inner string) bool {
		return strings.HasSuffix(host, "."+inner)
	})
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c > 0x7e })
}
