package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"platen/internal/problem"
	"platen/internal/wire"
)

// AdmitPage spends the cost of a request for something beside the API: a page, a
// file or a document, in tokens (contract: OPEN.RATE.PAGES). When the network has spent its
// budget, or is banned, it responds and returns false: in a sentence to those who
// read pages, with an envelope to programs.
func (s *Server) AdmitPage(w http.ResponseWriter, r *http.Request, tokens int) bool {
	x := s.exchange(w, r, s.groupOf(r))
	x.spent = s.gate.Browse(x.now.Time(), x.group, tokens)
	err := x.passed()
	if err == nil {
		return true
	}
	defer x.observed()
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok || !strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html") {
		x.refuse(err)
		return false
	}
	x.code = p.Code
	x.status = problem.Lookup(p.Code).Status
	h := w.Header()
	h.Set(wire.HeaderRetryAfter, strconv.Itoa(p.RetryAfter))
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h["X-Content-Type-Options"] = fixed.contentTypeOptions
	w.WriteHeader(x.status)
	fmt.Fprintf(w, "%s Come back at %s.\n", p.Message, p.RetryAt.UTC().Format(time.RFC1123))
	return false
}
