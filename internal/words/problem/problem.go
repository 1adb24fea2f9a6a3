// Package problem is the vocabulary of refusals: every error code with its
// status, and the Problem that a client reads. Everything that is refused
// anywhere in the program is refused with one of these.
package problem

import (
	"fmt"
	"strings"
	"time"
)

// Code distinguishes refusals for clients (contract: ENV.ERROR.CODE).
type Code string

// Problem is one refusal. It is an error: the core returns it, and package api
// alone turns it into a response.
type Problem struct {
	Code Code
	// Message is a plain sentence: the reason, with the value at fault.
	Message string
	// Hint names the next step. Empty means the hint of the code.
	Hint string
	// Details is an optional object for programs. It must encode as JSON.
	Details any
	// RetryAt is when the same request may work. Zero means not known.
	RetryAt time.Time
	// Final is set where the same request works only after another action,
	// whatever the code says of others.
	Final bool
	// Setting is the setting of the server that is the reason, where one is: a limit, or how
	// long something lasts.
	Setting string
	// RetryAfter asks for a Retry-After header of so many seconds; 0 for none.
	RetryAfter int
}

// New returns a problem whose message is formatted like fmt.Sprintf.
func New(code Code, format string, values ...any) *Problem {
	return &Problem{Code: code, Message: fmt.Sprintf(format, values...)}
}

// With sets the details and returns the problem.
func (p *Problem) With(details any) *Problem {
	p.Details = details
	return p
}

// Hinting sets the hint and returns the problem.
func (p *Problem) Hinting(format string, values ...any) *Problem {
	p.Hint = fmt.Sprintf(format, values...)
	return p
}

// RetryingAt sets the moment from which the request may work.
func (p *Problem) RetryingAt(t time.Time) *Problem {
	p.RetryAt = t
	return p
}

// DueTo names the setting of the server that is the reason.
func (p *Problem) DueTo(setting string) *Problem {
	p.Setting = setting
	return p
}

// Error implements error.
func (p *Problem) Error() string { return string(p.Code) + ": " + p.Message }

// NotFoundDetails are the details of not_found.
type NotFoundDetails struct {
	Resource string `json:"resource"`
	ID       string `json:"id"`
}

// Missing says that there is no such record.
func Missing(resource, id string) *Problem {
	return New(NotFound, "There is no %s with the id %q in this sandbox.", words(resource), id).
		With(NotFoundDetails{Resource: resource, ID: id})
}

// StateDetails are the details of invalid_state.
type StateDetails struct {
	Status  string   `json:"status"`
	Allowed []string `json:"allowed"`
}

// QuantityDetails are the details of quantity_mismatch: the quantity that fits.
type QuantityDetails struct {
	Quantity int64 `json:"quantity"`
}

// WrongState says that a record's status does not allow the request, which would have had it done: accepted, for
// instance.
func WrongState(resource, id, status, done string, allowed ...string) *Problem {
	records := words(resource) + "s"
	if stem, ok := strings.CutSuffix(records, "ys"); ok {
		records = stem + "ies"
	}
	return New(InvalidState, "%s is %s. Only %s with status %s can be %s.",
		id, words(status), records, alternatives(allowed), done).
		With(StateDetails{Status: status, Allowed: allowed})
}

// VersionDetails are the details of precondition_failed.
type VersionDetails struct {
	ETag string `json:"etag"`
}

// Field is one bad field of a body.
type Field struct {
	// Field is the path of the field, such as lines[2].quantity.
	Field string `json:"field"`
	// Rule is the rule that it breaks, in the words of JSON Schema.
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// FieldDetails are the details of validation_failed.
type FieldDetails struct {
	Fields []Field `json:"fields"`
}

// Invalid says which fields of a body break which rules.
func Invalid(fields ...Field) *Problem {
	p := New(ValidationFailed, "%d fields of the body are invalid; the details name each.", len(fields))
	if len(fields) == 1 {
		p.Message = fields[0].Message
	}
	return p.With(FieldDetails{Fields: fields})
}

func words(identifier string) string {
	b := []byte(identifier)
	for i := range b {
		if b[i] == '_' {
			b[i] = ' '
		}
	}
	return string(b)
}

func alternatives(states []string) string {
	var text strings.Builder
	for i, state := range states {
		switch {
		case i == 0:
		case i == len(states)-1:
			text.WriteString(" or ")
		default:
			text.WriteString(", ")
		}
		text.WriteString("`" + state + "`")
	}
	return text.String()
}
