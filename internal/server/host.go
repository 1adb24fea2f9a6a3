package server

import (
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"platen/internal/api"
	"platen/internal/edge/network"
	"platen/internal/mcp"
	"platen/internal/publish/docsite"
	"platen/internal/words/wire"
)

// unnamed are the paths that are served whatever a server is called: those that
// operators' own machines ask, often by names that only they know, and those
// that check the host themselves, to refuse in the form of their protocol.
//
//nolint:gochecknoglobals // read only
var unnamed = []string{"/healthz", "/readyz", mcp.Path, mcp.OfficePath, mcp.FactoryPath}

// acceptsHost reports whether a Host header names this server (contract:
// OPEN.ERR.HOST_REFUSED): by a public name, or as this machine. Addresses
// of numbers are let in wherever they lead: a page of another site can have a
// name lead here, but no number. No browser leaves the header out. A server
// that others can reach, and that has no public name, is also served under
// names that only a local network gives.
func (s *Server) acceptsHost(host string) bool {
	host = hostname(host)
	if host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host) != nil {
		return true
	}
	if len(s.config.PublicURL) == 0 && !s.local() && siteless(host) {
		return true
	}
	return slices.Contains(s.names(), host)
}

// names are the hosts of all public URLs, in lower case, or that of the address where there are none.
func (s *Server) names() []string {
	origins := s.config.PublicURL
	if len(origins) == 0 {
		origins = []string{s.origin}
	}
	var names []string
	for _, origin := range origins {
		if u, err := url.Parse(origin); err == nil {
			names = append(names, strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
		}
	}
	return names
}

// ours reports whether an Origin header names this server by a public URL. A proxy may have changed the Host beside it.
func (s *Server) ours(origin string) bool {
	return strings.EqualFold(origin, s.origin) || slices.ContainsFunc(s.config.PublicURL, func(public string) bool {
		return strings.EqualFold(origin, strings.TrimRight(public, "/"))
	})
}

// serves reports whether a path is served under the Host of a request. Metrics also go to operators' own machines.
func (s *Server) serves(r *http.Request) bool {
	return s.acceptsHost(r.Host) || slices.Contains(unnamed, r.URL.Path) ||
		r.URL.Path == "/metrics" && s.acceptsOperator(r.Host)
}

// acceptsOperator reports whether operators may use a Host: a name that no site can have, wherever the server is
// bound, or any that clients may use.
func (s *Server) acceptsOperator(host string) bool {
	return siteless(hostname(host)) || s.acceptsHost(host)
}

// siteless reports whether no site of the internet can have a name, and lead it here (DNS rebinding): it has no dot,
// or ends in a domain that is set aside (RFC 6761, RFC 6762, .internal by ICANN), or in .svc, the one of clusters,
// which nothing sets aside and no registry sells. Clusters end their full names in .svc.cluster.local.
func siteless(name string) bool {
	end := name[strings.LastIndexByte(name, '.')+1:]
	return end == name || slices.Contains([]string{"local", "internal", "test", "localhost", "svc"}, end)
}

// hostname is the name or the address of a Host header.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// unpaid are the paths beside the API that cost no page: health, which is served
// to the banned too, and the endpoints of agents, whose messages spend budgets of
// the API.
//
//nolint:gochecknoglobals // read only
var unpaid = []string{"/healthz", "/readyz", mcp.Path, mcp.OfficePath, mcp.FactoryPath}

// searchTokens is the price of a search in the budget for pages: it takes the processor as long as some
// files do.
const searchTokens = 5

// paid serves those whose network has something left of its budget for pages.
func (s *Server) paid(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens := 1
		if r.URL.Path == docsite.SearchPath {
			tokens = searchTokens
		}
		if slices.Contains(unpaid, r.URL.Path) || s.api.AdmitPage(w, r, tokens) {
			next.ServeHTTP(w, r)
		}
	})
}

// local reports whether only programs of this machine can reach the server.
func (s *Server) local() bool {
	host, _, err := net.SplitHostPort(s.config.Listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// oneOffice reports whether all clients without a proxy before them are of this machine or of its
// private network, where no strangers share an address (contract: OPEN.IDEM.CREATION).
func (s *Server) oneOffice() bool {
	c := s.config
	if c.NodeAddress != "" || c.ProxyProtocol || len(c.TrustedProxy) > 0 {
		return false
	}
	if len(c.PublicURL) == 0 {
		return s.local()
	}
	return !slices.ContainsFunc(s.names(), func(name string) bool { return !network.Near(name) })
}

// split sends paths below the API's to the API before any router can touch
// them: routers redirect unclean paths, and a redirect would repeat the path.
// Wherever a URL holds a key, the API revokes it, and it refuses requests for
// another host.
func (s *Server) split(below, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clean := path.Clean(r.URL.Path)
		unclean := !strings.HasPrefix(clean, "/") || clean != r.URL.Path && clean+"/" != r.URL.Path
		if unclean || r.Method == http.MethodOptions || r.URL.Path == wire.BasePath ||
			strings.HasPrefix(r.URL.Path, wire.BasePath+"/") || api.ForConsole(r.URL.Path) || api.HasKey(r) ||
			!s.serves(r) {
			below.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}
