package api

import (
	"net"
	"net/http"
	"strings"

	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
)

func exchangeOf(w http.ResponseWriter) *exchange {
	x, ok := w.(*exchange)
	if !ok {
		panic("a request came past ServeHTTP")
	}
	return x
}

// authenticate finds out who calls. Open routes do not look at keys.
func (s *Server) authenticate(r *http.Request, op *bound) (sandbox.Caller, error) {
	if op.System == operation.Open {
		return sandbox.Caller{}, nil
	}
	key := sentKey(r.Header)
	if key == "" {
		return sandbox.Caller{}, problem.New(problem.Unauthorized, "This route wants a key.")
	}
	return s.house.Authenticate(r.Context(), key)
}

// sentKey returns the key of a request: the Bearer token, or X-Api-Key where
// there is none (contract: AUTH.X_API_KEY, AUTH.BEARER_WINS).
func sentKey(h http.Header) string {
	if scheme, token, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return h.Get("X-Api-Key")
}

// rightSystem refuses a key of the other system (contract: AUTH.WRONG_SYSTEM).
func rightSystem(op *bound, caller sandbox.Caller) error {
	var want sandbox.System
	switch op.System {
	case operation.Office:
		want = sandbox.Office
	case operation.Factory:
		want = sandbox.Factory
	case operation.Open, operation.Shared:
		return nil
	}
	if caller.System == want {
		return nil
	}
	return problem.New(problem.WrongSystem, "This route belongs to the other system.").
		Hinting("Use the key that begins with %s.", want.Prefix())
}

// network returns the network group of a request: one IPv4 address, or the
// first 64 bits of an IPv6 one.
func network(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip := net.ParseIP(host)
	if ip == nil || ip.To4() != nil {
		return host
	}
	const groupBits, addressBits = 64, 128
	return ip.Mask(net.CIDRMask(groupBits, addressBits)).String()
}
