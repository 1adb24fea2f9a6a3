package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// AdmitPage spends the cost of a request for something beside the API: a page, a
// file or a document, in tokens (contract: OPEN.RATE.PAGES). When the network has spent its
// budget, or is banned, it responds and returns false: in a sentence to those who
// read pages, with an envelope to programs.
func (s *Server) AdmitPage(w http.ResponseWriter, r *http.Request, tokens int) bool {
	in := s.outline(r)
	spent := s.gate.Browse(in.Arrived.Time(), in.Network, tokens)
	err := s.passed(in, &spent)
	if err == nil {
		return true
	}
	out := s.errors.Response(in, in.At, err)
	s.show(in, out, spent)
	p, ok := errors.AsType[*problem.Problem](err)
	if _, specificity := wire.Weight(r.Header, "text/html"); ok && specificity == wire.Named {
		out.Error, out.NoStore, out.Type = nil, true, "text/plain; charset=utf-8"
		out.Raw = fmt.Appendf(nil, "%s Come back at %s.\n", p.Message, p.RetryAt.UTC().Format(time.RFC1123))
	}
	if s.options.Observe != nil {
		s.options.Observe(answered(in, out))
	}
	s.writer.Send(w, in, out)
	return false
}

// Standalone is the response to a request that no handler will see, since it
// was not even HTTP: it spends the cost of any request without a key. The client
// is known by the address that the connection comes from.
// The keys that its line has in the place of a URL are revoked (contract: OPEN.AUTH.KEY_IN_URL.MALFORMED).
func (s *Server) Standalone(p *problem.Problem, client string, keys []string) (
	status int, header http.Header, body []byte,
) {
	in := s.outline(&http.Request{RemoteAddr: client})
	in.Refusal = p
	if in.Exposed = keys; len(keys) > 0 {
		in.OwnBudget, in.Endpoint = true, s.exposed
	}
	out := s.noted(in)
	header = http.Header{}
	out.Head(header, in)
	body = out.Body()
	header.Set("Content-Length", strconv.Itoa(len(body)))
	return out.Status, header, body
}
