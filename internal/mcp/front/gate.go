package front

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// acceptable refuses a request that does not name what it can be answered with
// (contract: MCP.ACCEPT, MCP.NOT_ACCEPTABLE, OPEN.MCP.ACCEPT). Wildcards do not
// count.
func acceptable(r *http.Request) error {
	whole, stream := accepts(r.Header, "application/json"), accepts(r.Header, "text/event-stream")
	switch {
	case r.Method == http.MethodPost && (!whole || !stream):
		return &refusal{status: http.StatusNotAcceptable, code: codeRefused, message: "Not Acceptable: Client must accept both application/json and text/event-stream"}
	case r.Method == http.MethodGet && !stream:
		return &refusal{status: http.StatusNotAcceptable, code: codeRefused, message: "Not Acceptable: Client must accept text/event-stream"}
	}
	return nil
}

func accepts(h http.Header, wanted string) bool {
	for _, value := range h.Values("Accept") {
		for part := range strings.SplitSeq(value, ",") {
			if media, _, err := mime.ParseMediaType(part); err == nil && media == wanted {
				return true
			}
		}
	}
	return false
}

// fromHere refuses requests that a page of another site may have caused: a name
// that is not the server's, or an origin that is not its own.
func (f *Front) fromHere(r *http.Request) error {
	if !f.rightHost(r) {
		return &refusal{status: http.StatusForbidden, code: codeRefused, message: "Forbidden: the header Host names another server"}
	}
	origin := r.Header.Get("Origin")
	if origin == "" || sameHost(origin, r.Host) || strings.EqualFold(origin, f.options.Origin) {
		return nil
	}
	return &refusal{status: http.StatusForbidden, code: codeRefused, message: "Forbidden: requests from pages of other origins are not answered"}
}

// rightHost reports whether a request names this machine itself, the address
// at which it arrived, or the public host.
func (f *Front) rightHost(r *http.Request) bool {
	if sameHost(f.options.Origin, r.Host) {
		return true
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return false
	}
	if address.Unmap().IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap() == address.Unmap()
}

func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// sentKey returns the key of a request: the Bearer token, or X-Api-Key where
// there is none.
func sentKey(h http.Header) string {
	if scheme, token, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return h.Get("X-Api-Key")
}
