package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// ErrNotModified is the error of a list that was asked with IfNoneMatch and
// has not changed.
var ErrNotModified = errors.New("not modified")

// Error is an error that the server returned.
type Error struct {
	// Operation is the id of the operation, such as accept_sales_order.
	Operation string
	// Status is the HTTP status.
	Status int
	// Code tells errors apart; the constants that begin with Code list them.
	// It is empty when a proxy or another intermediary sent the response.
	Code string
	// Message and Hint are sentences for people: the cause, and the remedy.
	Message, Hint string
	// DocsURL is the page about the code.
	DocsURL string
	// Details is an object for programs, nil for most codes.
	Details json.RawMessage
	// Retryable is set when the same request can succeed later.
	Retryable bool
	// RetryAt is the retry_at of the response, by the server's clock, and zero
	// where there was none.
	RetryAt time.Time
	// RetryAfter is the time to wait from the response on, after both the
	// header and RetryAt, with the clocks' difference taken out; 0 where the
	// server named no time.
	RetryAfter time.Duration
	// RequestID finds the request in the server's log.
	RequestID string
}

// Error implements error.
func (e *Error) Error() string {
	text := "platen: " + e.Operation + ": " + strconv.Itoa(e.Status)
	if e.Code != "" {
		text += " " + e.Code
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Hint != "" {
		text += " " + e.Hint
	}
	return text
}

// IsCode reports whether an error is one of the server with a code, such as
// CodePressBusy.
func IsCode(err error, code string) bool {
	refusal, ok := errors.AsType[*Error](err)
	return ok && refusal.Code == code
}

// envelope is the JSON object around the data of a success. Data is a pointer
// to decode into.
type envelope struct {
	Meta Meta `json:"meta"`
	Data any  `json:"data"`
}

type errorBody struct {
	Code      string          `json:"code"`
	Message   string          `json:"message"`
	Retryable bool            `json:"retryable"`
	Hint      string          `json:"hint"`
	DocsURL   string          `json:"docs_url"`
	Details   json.RawMessage `json:"details"`
	RetryAt   time.Time       `json:"retry_at"`
}

// refusal reads a response that is no success. A body that is not an envelope
// comes from an intermediary and is described by its status alone.
func (a *answer) refusal(operation string, now time.Time) *Error {
	e := &Error{Operation: operation, Status: a.status, RequestID: a.header.Get("Request-Id")}
	var body struct {
		Meta  Meta       `json:"meta"`
		Error *errorBody `json:"error"`
	}
	if err := json.Unmarshal(a.body, &body); err != nil || body.Error == nil {
		e.Message = fmt.Sprintf("The response (%s) is not one of the API.", http.StatusText(a.status))
	} else {
		a.meta = body.Meta
		e.Code, e.Message, e.Hint, e.DocsURL = body.Error.Code, body.Error.Message, body.Error.Hint, body.Error.DocsURL
		e.Details, e.Retryable, e.RetryAt = body.Error.Details, body.Error.Retryable, body.Error.RetryAt
	}
	if a.meta.RequestID != "" {
		e.RequestID = a.meta.RequestID
	}
	e.RetryAfter = a.wait(e.RetryAt, now)
	return e
}

// wait is the time that the server asks to wait: Retry-After or the time to
// retry_at, whichever is longer. Moments are compared with the server's own
// clock, since ours may be wrong; now is used only where the response had no
// date.
func (a *answer) wait(retryAt, now time.Time) time.Duration {
	if date, err := http.ParseTime(a.header.Get("Date")); err == nil {
		now = date
	}
	if !a.meta.ServerTime.IsZero() {
		now = a.meta.ServerTime
	}
	var wait time.Duration
	if text := a.header.Get("Retry-After"); text != "" {
		if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
			wait = time.Duration(seconds) * time.Second
		} else if at, err := http.ParseTime(text); err == nil {
			wait = at.Sub(now)
		}
	}
	if !retryAt.IsZero() {
		wait = max(wait, retryAt.Sub(now))
	}
	return max(wait, 0)
}
