package client

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Wait is a pause of a call that is about to begin. Ticket is set in the queue for
// a sandbox and Difficulty for a proof of work; any other wait is for the next
// attempt.
type Wait struct {
	// Operation is the id of the operation, such as accept_sales_order.
	Operation string
	// Duration is the time until the next attempt, or until the next look at the
	// ticket. It is 0 for a proof of work, which takes as long as it takes.
	Duration time.Duration
	// Err is the reason: the error of the last attempt, nil in the queue.
	Err error
	// Ticket is the place in the queue.
	Ticket *QueueTicket
	// Difficulty of a proof of work is a number of bits: 2 to its power is the
	// number of hashes to expect.
	Difficulty int
}

// OnWait has f called before each wait of a call. A client that is used by several
// goroutines calls it in each of them.
func OnWait(f func(Wait)) Option { return func(s *settings) { s.onWait = f } }

// Exchange is one attempt of a call: a request and its response. Header and bodies
// must not be changed.
//
// The bodies are as they were sent and received. The response of create_sandbox has
// the keys of the sandbox in it, and those about webhooks their secrets; String and
// LogValue leave the bodies out.
type Exchange struct {
	// Operation is the id of the operation, such as accept_sales_order, empty for
	// a request of Do.
	Operation string
	Method    string
	// Path is below the base URL and has the query, such as
	// /office/sales-orders?status=received.
	Path string
	// System is that of the key that was sent, office, factory or grading, and empty where
	// there was none.
	System string
	// Attempt counts the attempts of the call from 1.
	Attempt int
	// Request is the body of the request, nil for none.
	Request []byte
	// Status and the rest of the response are zero when there was none.
	Status   int
	Header   http.Header
	Response []byte
	// Duration is the time from sending to the last byte of the response.
	Duration time.Duration
	// Err is the reason why there was no response. A response with an error has
	// none: its Status and Response say so.
	Err error
}

// OnExchange has f called after each attempt of a call. A client that is used by
// several goroutines calls it in each of them.
func OnExchange(f func(Exchange)) Option { return func(s *settings) { s.onExchange = f } }

// String describes the exchange without its bodies.
func (e Exchange) String() string {
	outcome := fmt.Sprint(e.Status)
	if e.Err != nil {
		outcome = e.Err.Error()
	}
	return fmt.Sprintf("%s %s: %s after %s", e.Method, e.Path, outcome, e.Duration)
}

// GoString is String, so that %#v shows no key either.
func (e Exchange) GoString() string { return e.String() }

// LogValue keeps keys out of logs.
func (e Exchange) LogValue() slog.Value { return slog.StringValue(e.String()) }
