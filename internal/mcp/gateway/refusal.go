package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Codes of JSON-RPC, and those that clients of the protocol know.
const (
	codeParse          = -32700
	codeInvalid        = -32600
	codeMethodNotFound = -32601
	codeParams         = -32602
	codeInternal       = -32603
	codeRefused        = -32000
	codeNoSession      = -32001
	codeRevision       = -32022
)

// refusal is an error that belongs to the protocol and not to a tool.
type refusal struct {
	status, code int
	message      string
	data         any
	header       http.Header
}

// Error implements error.
func (r *refusal) Error() string { return r.message }

// reject refuses a request that no operation sees. It costs the same as a
// request without a key, unless it comes with a session.
func (g *Gateway) reject(w http.ResponseWriter, r *http.Request, err error, requests ...*Request) {
	known := slices.ContainsFunc(requests, func(v *Request) bool {
		return v.Session != nil || v.Key != "" && g.checkKey(v) == nil
	})
	if spent := g.spend(r, known); spent != nil {
		err = spent
	}
	g.refuse(w, err)
}

// refuse responds with an error that belongs to no message.
func (g *Gateway) refuse(w http.ResponseWriter, err error) { g.refuseMessage(w, nil, err) }

// refuseMessage responds with an error, to the message if there is one.
func (g *Gateway) refuseMessage(w http.ResponseWriter, messages []rpcMessage, err error) {
	said := g.said(err)
	maps.Copy(w.Header(), said.header)
	var id json.RawMessage
	if len(messages) == 1 {
		id = messages[0].ID
	}
	writeError(w, said, id)
}

// said is the refusal that clients see for an error. An error that is neither a
// refusal nor a problem is internal: it is logged, and not shown.
func (g *Gateway) said(err error) *refusal {
	if said, ok := errors.AsType[*refusal](err); ok {
		return said
	}
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok {
		g.options.Log.Error("agent request failed", "error", err)
		return &refusal{status: http.StatusInternalServerError, code: codeInternal, message: "Internal error"}
	}
	definition := problem.Lookup(p.Code)
	hint := p.Hint
	if hint == "" {
		hint = definition.Hint
	}
	data := struct {
		Code      problem.Code `json:"code"`
		Retryable bool         `json:"retryable"`
		Hint      string       `json:"hint"`
		RetryAt   string       `json:"retry_at,omitempty"`
	}{Code: p.Code, Retryable: definition.Retryable, Hint: hint}
	header := http.Header{}
	if !p.RetryAt.IsZero() {
		data.RetryAt = p.RetryAt.UTC().Format(time.RFC3339)
	}
	if p.RetryAfter > 0 {
		header.Set(wire.HeaderRetryAfter, strconv.Itoa(p.RetryAfter))
	}
	if definition.Status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", "Bearer")
	}
	return &refusal{status: definition.Status, code: codeRefused, message: p.Message, data: data, header: header}
}

// writeError writes a JSON-RPC error. Without an id it belongs to no message.
func writeError(w http.ResponseWriter, said *refusal, id json.RawMessage) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	type failure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}
	body, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   failure         `json:"error"`
	}{"2.0", id, failure{said.code, said.message, said.data}})
	if err != nil {
		panic("encode an error: " + err.Error()) // our own type always encodes
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(said.status)
	w.Write(body)
}

// normaliser turns the library's plain text errors into JSON-RPC errors.
type normaliser struct {
	http.ResponseWriter
	messages []rpcMessage
	status   int
	text     *bytes.Buffer
}

// Unwrap lets http.ResponseController reach the writer below.
func (n *normaliser) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (n *normaliser) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(n.Header().Get("Content-Type"), "text/plain") {
		n.status, n.text = status, new(bytes.Buffer)
		return
	}
	n.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (n *normaliser) Write(b []byte) (int, error) {
	if n.text != nil {
		return n.text.Write(b) //nolint:wrapcheck // a buffer takes everything
	}
	return n.ResponseWriter.Write(b) //nolint:wrapcheck // a writer, and nothing else
}

// finish writes the response that was held back.
func (n *normaliser) finish() {
	if n.text == nil {
		return
	}
	said := &refusal{status: n.status, code: codeRefused, message: strings.TrimSpace(n.text.String())}
	first := n.messages[0]
	unhandled := strings.HasPrefix(said.message, "JSON RPC not handled")
	switch {
	case unhandled && len(first.ID) > 0:
		// Before the revision without sessions, an unknown method is a response
		// like any other.
		said.status, said.code, said.message = http.StatusOK, codeMethodNotFound, "Method not found: "+first.Method
	case unhandled:
		n.Header().Del("Content-Type")
		n.ResponseWriter.WriteHeader(http.StatusAccepted) // an unknown notification is let be
		return
	case n.status == http.StatusBadRequest && (first.Version != "2.0" || len(n.messages) > 1):
		said.code, said.message = codeInvalid, "Invalid Request: "+said.message
	}
	var id json.RawMessage
	if len(n.messages) == 1 {
		id = first.ID
	}
	writeError(n.ResponseWriter, said, id)
}
