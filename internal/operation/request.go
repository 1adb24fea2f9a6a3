package operation

import (
	"net/http"
	"reflect"
	"strings"

	"platen/internal/company/fault"
	"platen/internal/desk"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// CallResource names the calls of clients among the resources that can be
// listed.
const CallResource = "call"

// LoggedCall is one request of a client and its outcome (contract:
// OPEN.ROUTE.REQUESTS).
type LoggedCall struct {
	_ struct{} `doc:"One request of a client of this sandbox and its outcome, without bodies."`

	ID               string         `json:"id" doc:"The request_id of its response."`
	Number           int64          `json:"number" doc:"Counts the requests from 1, also those no longer listed."`
	Method           string         `json:"method" example:"POST" doc:"The HTTP method."`
	Path             string         `json:"path" example:"/v1/factory/print-runs" doc:"Without its query string."`
	Operation        *string        `json:"operation" example:"start_print_run" doc:"The id of the operation; null for a path or a method that none has."`
	Status           int            `json:"status" example:"201" doc:"The HTTP status of the response."`
	DurationMS       int64          `json:"duration_ms" doc:"Until the response was ready, in whole milliseconds."`
	System           string         `json:"system" enum:"office,factory" doc:"The system of the key that was sent: office or factory."`
	IdempotentReplay bool           `json:"idempotent_replay" doc:"The response was the stored one of an earlier request."`
	RepeatedAfterMS  *int64         `json:"repeated_after_ms" doc:"How long after the response to the request before, with the same Idempotency-Key, a replay came, in milliseconds: a few where an HTTP library resent a request by itself. Null for other requests, in a sandbox without faults, and for the player of an evaluation."`
	ErrorCode        *string        `json:"error_code" doc:"The code of the error; null for none."`
	Faults           *[]fault.Kind  `json:"faults" example:"[\"response_lost\"]" doc:"The kinds of the faults that were injected into the request or its response, such as response_lost; null for the player of an evaluation."`
	Traceparent      *string        `json:"traceparent" example:"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" doc:"The trace context that the request came with (W3C Trace Context); null for none. Deliveries of the events that it caused carry it, too."`
	FirstSeq         *uint64        `json:"first_seq" doc:"The number of the first event that the request wrote, seq of the feed; null for none. Events of missions that it completed are among them."`
	LastSeq          *uint64        `json:"last_seq" doc:"The number of the last event that the request wrote."`
	CreatedAt        moment.Instant `json:"created_at" doc:"When the response was sent."`
}

// LoggedExchange is one request of a client with what was sent and received (contract:
// OPEN.REQUEST.BODIES).
type LoggedExchange struct {
	_ struct{} `doc:"One request of a client of this sandbox with the bodies that were sent and received."`

	LoggedCall
	Query          *string `json:"query" doc:"The query string of the request, at most its first 2,048 bytes, followed by … where it was longer. Null if there is none, and where bodies are hidden."`
	IdempotencyKey *string `json:"idempotency_key" doc:"The Idempotency-Key that was sent; null for none, and where the bodies are not shown."`
	RequestBody    *string `json:"request_body" doc:"The body that was sent, at most its first 4,096 bytes; null for none, and for a request with another key, an older one, or where the server keeps no bodies. Keys, secrets and the URLs of webhooks are removed."`
	RequestBytes   *int64  `json:"request_bytes" doc:"How long that body was, in bytes; null where it is not shown."`
	ResponseBody   *string `json:"response_body" doc:"The body of the response, like request_body."`
	ResponseBytes  *int64  `json:"response_bytes" doc:"How long that body was, in bytes; null where it is not shown."`
}

// LoggedExchangeOf returns the row of a request, with its faults and its bodies if these are to be shown.
func LoggedExchangeOf(c *desk.Call, faults, bodies bool) LoggedExchange {
	row := LoggedExchange{LoggedCall: LoggedCallOf(c, faults)}
	if !bodies {
		return row
	}
	filled := func(text string) *string {
		if text == "" {
			return nil
		}
		return new(strings.ToValidUTF8(text, "\uFFFD"))
	}
	e := c.Exchange
	query := e.Query
	if e.QueryBytes > desk.MaxQuery {
		query += "…"
	}
	row.Query, row.IdempotencyKey = filled(query), filled(e.IdempotencyKey)
	row.RequestBody, row.RequestBytes = filled(string(e.Request)), &e.RequestBytes
	row.ResponseBody, row.ResponseBytes = filled(string(e.Response)), &e.ResponseBytes
	return row
}

// LoggedCallOf returns the row of a request, with its faults if these are to be shown.
func LoggedCallOf(c *desk.Call, faults bool) LoggedCall {
	row := LoggedCall{
		ID: c.ID, Number: c.Number, Method: c.Method, Path: c.Path, Status: c.Status, DurationMS: c.Milliseconds,
		System: string(c.System), IdempotentReplay: c.Replayed, CreatedAt: c.At,
	}
	if c.Operation != "" {
		row.Operation = &c.Operation
	}
	if c.Code != "" {
		row.ErrorCode = &c.Code
	}
	if c.Last != 0 {
		row.FirstSeq, row.LastSeq = &c.First, &c.Last
	}
	if c.Traceparent != "" {
		row.Traceparent = &c.Traceparent
	}
	if faults {
		if c.RepeatedAfter != nil {
			row.RepeatedAfterMS = new(c.RepeatedAfter.Milliseconds())
		}
		row.Faults = new(append([]fault.Kind{}, c.Faults...))
	}
	return row
}

// Filters of the list of requests.
const (
	FilterMethod = iota
	FilterPath
	FilterOperation
	FilterStatus
)

var callFilters = []string{"method", "path", "operation", "status"} //nolint:gochecknoglobals // read only

// describeCallFilter describes a filter of the list of requests.
func describeCallFilter(p *Parameter) {
	switch p.Name {
	case callFilters[FilterPath]:
		p.Doc, p.Example = "Only requests of this path; /v1 may be left out.", "/v1/factory/print-runs"
	case callFilters[FilterOperation]:
		p.Doc, p.Example = "Only requests of this operation.", "start_print_run"
	case callFilters[FilterStatus]:
		p.Doc, p.Example = "Only responses with this status, or of this class: 2xx, 4xx, 5xx.", "201"
	}
}

func requestOperations() []Operation {
	return []Operation{{
		ID: "list_requests", Kind: List, Method: http.MethodGet, Path: "/requests", System: Shared,
		Grading: GradingToo, Key: KeyNone, Status: http.StatusOK,
		Summary: "List your requests",
		Description: "The last 500 requests of this sandbox with the key of either system, failed ones included. " +
			"Requests for this list are not in it, nor are requests after the end of the lease. The players of an " +
			"evaluation see none from before the first checkpoint of its grader. " +
			"The list is kept in memory: it begins anew when the server does. GET /requests.har sends all of them " +
			"with their bodies as an HTTP Archive, for browsers' tools, k6 and Insomnia. With wait_s it responds " +
			"when a request has come that fits its parameters, so that a test can wait for the program that it tests.",
		Resource: CallResource, Filters: callFilters, Problems: []problem.Code{problem.PollInProgress},
		Out: reflect.TypeFor[LoggedCall](),
	}, {
		ID: "get_request", Kind: Row, Method: http.MethodGet, Path: "/requests/{id}", System: Shared,
		Grading: GradingToo, Key: KeyNone, Status: http.StatusOK,
		Summary: "Get one of your requests",
		Description: "The row of the list for one request, whose id is the Request-Id of the response, and to " +
			"the key that sent it also the query string, the Idempotency-Key and both bodies. The " +
			"bodies are those of the newest 200 requests, and fewer where they are long.",
		Resource: CallResource, Out: reflect.TypeFor[LoggedExchange](),
	}}
}
