package gateway

import (
	"net/http"
	"sync"

	"platen/internal/api/message"
)

// left is the budget that the calls of one request were taken from, nil before there is one.
type left struct {
	mu     sync.Mutex // guards the field below
	budget *message.Budget
}

// Charged notes the budget that the response to a call shows. The response to
// the request shows the budget after the last of its calls.
func (r *Request) Charged(budget message.Budget) {
	r.left.mu.Lock()
	defer r.left.mu.Unlock()
	r.left.budget = &budget
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
	budget := b.request.left.budget
	if budget == nil {
		own := b.api.Remaining(b.request.Request, b.request.Credential())
		budget = &own
	}
	budget.Show(b.Header())
}
