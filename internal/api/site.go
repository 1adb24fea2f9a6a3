package api

import (
	"net/http"
	"path"
	"strings"

	"platen/internal/api/message"
	"platen/internal/words/problem"
)

// unroutable is the refusal of a request that is not for any route.
func (s *Server) unroutable(r *http.Request) error {
	// There is no CORS: a preflight gets the response of any request without a
	// key.
	if r.Method == http.MethodOptions {
		return problem.New(problem.Unauthorized,
			"OPTIONS is not served: pages of other sites cannot send requests to this API.").
			Hinting("Send the request itself, from a program: the API has no CORS, and no key changes that.")
	}
	if clean := path.Clean(r.URL.Path); clean != r.URL.Path || !strings.HasPrefix(clean, "/") {
		return problem.New(problem.BadRequest,
			"The path has an empty or a dot segment, or a slash at its end.")
	}
	if !s.isHere(r) {
		return problem.New(problem.HostRefused, "This server is not %s.", message.Short(r.Host))
	}
	return nil
}

// isHere reports whether a request was meant for this server.
func (s *Server) isHere(r *http.Request) bool {
	return s.options.Serves == nil || s.options.Serves(r.Host)
}

// sameSiteOnly refuses requests that a browser sends for a page of another
// site, where that could do harm (contract: OPEN.ERR.ORIGIN_REFUSED). Programs
// are not browsers and pass. A browser that does not say which site it comes
// from, as over plain HTTP, is known by the public origin: a proxy may have
// changed the Host.
func (b *bound) sameSiteOnly(r *http.Request) error {
	fromOurs := r.Header.Get("Sec-Fetch-Site") == "" && b.ours != nil && b.ours(r.Header.Get("Origin"))
	if fromOurs {
		return nil
	}
	var protection http.CrossOriginProtection
	if err := protection.Check(r); err != nil {
		return problem.New(problem.OriginRefused, "A browser sent this for a page of another site.")
	}
	return nil
}
