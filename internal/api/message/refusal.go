package message

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"platen/internal/sandbox"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Errors turns errors into responses: it is the one place where that is done.
type Errors struct {
	// Origin is the scheme and host that links begin with.
	Origin string
	Log    *slog.Logger
	// Advise, when set, tells how to lift a limit that a setting causes, "" when it cannot be lifted.
	Advise func(setting string) string
}

// HeaderError is a problem whose response has a header field of its own.
type HeaderError struct {
	*problem.Problem

	Name, Value string
}

// Unwrap returns the problem.
func (w *HeaderError) Unwrap() error { return w.Problem }

// Stopping is the error of a request while the server stops.
func Stopping() error {
	p := problem.New(problem.Unavailable, "The server is stopping.")
	p.RetryAfter = 1
	return p
}

// Response is the response to a request that failed with an error, as of a moment. An error that is no
// problem is internal: it is logged, and not shown.
func (e *Errors) Response(r *Request, at moment.Instant, err error) *Response {
	p := e.problemOf(r, err)
	// The view only dates the response; without one the date is left out.
	var view *sandbox.View
	switch {
	case r.Sandbox == nil || errors.Is(err, sandbox.ErrCrowded):
	case p.Code == problem.RateLimited || p.Code == problem.Banned: // a flood loads no company
		view = r.Sandbox.Published()
	default:
		view, _ = r.Sandbox.View(r.Context())
	}
	out := &Response{Meta: MetaOf(r, view, at)}
	if field, ok := errors.AsType[*HeaderError](err); ok {
		out.Set(field.Name, field.Value)
	}
	definition := problem.Lookup(p.Code)
	out.Status, out.Code = definition.Status, p.Code
	out.RetryAfter = retryAfter(p, at.Time())
	if out.Status == http.StatusUnauthorized {
		out.Set("Www-Authenticate", "Bearer")
	}
	if !p.RetryAt.IsZero() {
		out.RetryAt = moment.InstantOf(p.RetryAt)
	}
	out.Error = e.encode(p, definition, r.Conditions.Offset)
	return out
}

// problemOf is the problem that an error is for the client.
func (e *Errors) problemOf(r *Request, err error) *problem.Problem {
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok {
		e.Log.Error("request failed", append(r.Logged(), "error", err)...)
		p = problem.New(problem.InternalError, "Something went wrong on our side.")
	}
	return p
}

// encode renders the error of an envelope.
func (e *Errors) encode(p *problem.Problem, definition problem.Definition, offset time.Duration) []byte {
	w := wire.Error{
		Code: string(p.Code), Message: p.Message, Retryable: definition.Retryable && !p.Final,
		Hint: cmp.Or(p.Hint, definition.Hint), DocsURL: e.Origin + "/docs/errors/" + string(p.Code), Details: p.Details,
	}
	if !p.RetryAt.IsZero() {
		w.RetryAt = moment.InstantOf(p.RetryAt).Add(offset)
	}
	if e.Advise != nil && p.Setting != "" {
		if advice := e.Advise(p.Setting); advice != "" {
			w.Hint += " " + advice + "."
		}
	}
	return wire.Encode(w)
}

// retryAfter is the seconds of the Retry-After header, 0 for none. The moment of retry_at is
// counted from the server_time of the envelope: the request may have waited for its turn since
// it came, and the two must be the same moment (contract: ENV.ERROR.RETRY_AT).
func retryAfter(p *problem.Problem, serverTime time.Time) int {
	if p.RetryAfter == 0 || p.RetryAt.IsZero() {
		return p.RetryAfter
	}
	return max(p.RetryAfter, int((p.RetryAt.Sub(serverTime)+time.Second-1)/time.Second))
}

// MetaOf is the head of an envelope, from a view at a moment. A nil view is a request without a sandbox.
func MetaOf(r *Request, v *sandbox.View, at moment.Instant) wire.Meta {
	m := r.Head()
	if v != nil {
		return v.Meta(m, at, r.Conditions.Offset)
	}
	m.ServerTime = at.Add(r.Conditions.Offset)
	return m
}

// Short cuts a client's text to a length that fits a message.
func Short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
