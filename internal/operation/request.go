package operation

import (
	"net/http"
	"reflect"

	"platen/internal/moment"
	"platen/internal/sandbox"
)

// CallResource names the calls of clients among the resources that can be
// listed.
const CallResource = "call"

// LoggedCall is one request of a client and its outcome (contract:
// OPEN.ROUTE.REQUESTS).
type LoggedCall struct {
	ID               string         `json:"id" doc:"The request_id of its response."`
	Method           string         `json:"method" example:"POST" doc:"The HTTP method."`
	Path             string         `json:"path" example:"/v1/factory/print-runs" doc:"Without its query string."`
	Status           int            `json:"status" example:"201" doc:"The HTTP status of the response."`
	DurationMS       int64          `json:"duration_ms" doc:"Until the response was ready, in whole milliseconds."`
	System           string         `json:"system" enum:"office,factory" doc:"The system of the key that was sent: office or factory."`
	IdempotentReplay bool           `json:"idempotent_replay" doc:"The response was the stored one of an earlier request."`
	ErrorCode        *string        `json:"error_code" doc:"The code of the error; null for none."`
	CreatedAt        moment.Instant `json:"created_at" doc:"When the response was sent."`
}

// LoggedCallOf returns the row of a request.
func LoggedCallOf(c *sandbox.Call) LoggedCall {
	row := LoggedCall{
		ID: c.ID, Method: c.Method, Path: c.Path, Status: c.Status, DurationMS: c.Milliseconds,
		System: string(c.System), IdempotentReplay: c.Replayed, CreatedAt: c.At,
	}
	if c.Code != "" {
		row.ErrorCode = &c.Code
	}
	return row
}

func requestOperations() []Operation {
	return []Operation{{
		ID: "list_requests", Kind: List, Method: http.MethodGet, Path: "/requests", System: Shared,
		Grading: GradingToo, Key: KeyNone, Status: http.StatusOK,
		Summary: "List your requests",
		Description: "The last 500 requests of this sandbox with the key of either system, failed ones included. " +
			"Requests for this list are not in it, nor are requests after the end of the lease. " +
			"The list is kept in memory: it begins anew when the server does.",
		Resource: CallResource, Out: reflect.TypeFor[LoggedCall](),
	}, {
		ID: "get_request", Kind: Row, Method: http.MethodGet, Path: "/requests/{id}", System: Shared,
		Grading: GradingToo, Key: KeyNone, Status: http.StatusOK,
		Summary:     "Get one of your requests",
		Description: "The row of the list for one request. Its id is the Request-Id of the response.",
		Resource:    CallResource,
		Out:         reflect.TypeFor[LoggedCall](),
	}}
}
