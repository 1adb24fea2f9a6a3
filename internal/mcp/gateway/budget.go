package gateway

import (
	"net/http"
	"sync"

	"platen/internal/wire"
)

// shown are the headers that show a budget, spelled as the API spells them
// (contract: LIMIT.KEY_RATE.HEADERS, OPEN.RATE.DRAFT_HEADERS).
//
//nolint:gochecknoglobals // read only
var shown = [...]string{wire.HeaderLimit, wire.HeaderRemaining, wire.HeaderPolicy, wire.HeaderRate}

// left are the headers of the budget that the calls of one request were taken
// from.
type left struct {
	mu     sync.Mutex // guards the fields below
	header http.Header
}

// Charged notes the budget that the response to a call shows. The response to
// the request shows the budget after the last of its calls.
func (r *Request) Charged(answer http.Header) {
	r.left.mu.Lock()
	defer r.left.mu.Unlock()
	if r.left.header == nil {
		r.left.header = http.Header{}
	}
	take(r.left.header, answer)
}

func take(to, from http.Header) {
	for _, name := range shown {
		if value, has := from[name]; has {
			to[name] = value
		}
	}
}

// budgeted shows a budget on a response, whichever handler writes it: that of
// the calls which were made, or else the caller's own.
type budgeted struct {
	http.ResponseWriter
	api     API
	request *Request
	begun   bool
}

// Unwrap lets http.ResponseController reach the writer below.
func (b *budgeted) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (b *budgeted) WriteHeader(status int) {
	b.begin()
	b.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (b *budgeted) Write(p []byte) (int, error) {
	b.begin()
	return b.ResponseWriter.Write(p) //nolint:wrapcheck // a writer, and nothing else
}

// begin fills the headers in before the first byte.
func (b *budgeted) begin() {
	if b.begun {
		return
	}
	b.begun = true
	b.request.left.mu.Lock()
	defer b.request.left.mu.Unlock()
	if b.request.left.header == nil {
		b.api.Show(b.Header(), b.request.Request, b.request.Credential())
		return
	}
	take(b.Header(), b.request.left.header)
}
