package operation

import (
	"net/http"
	"reflect"

	"platen/internal/moment"
)

// CallResource names the calls of clients among the resources that can be
// listed.
const CallResource = "call"

// LoggedCall is one request of a client and its outcome (contract:
// OPEN.ROUTE.REQUESTS).
type LoggedCall struct {
	ID               string         `json:"id" doc:"The request_id of its answer."`
	Method           string         `json:"method" example:"POST"`
	Path             string         `json:"path" example:"/v1/factory/print-runs" doc:"Without its query string."`
	Status           int            `json:"status" example:"201"`
	DurationMS       int64          `json:"duration_ms" doc:"Until the answer was ready, in whole milliseconds."`
	System           string         `json:"system" enum:"office,factory" doc:"The system of the key that was sent."`
	IdempotentReplay bool           `json:"idempotent_replay" doc:"The answer was the stored one of an earlier request."`
	ErrorCode        *string        `json:"error_code" doc:"The code of a refusal; null for none."`
	CreatedAt        moment.Instant `json:"created_at" doc:"When it was answered."`
}

func requestOperations() []Operation {
	return []Operation{{
		ID: "list_requests", Kind: List, Method: http.MethodGet, Path: "/requests", System: Shared, Key: KeyNone, Status: http.StatusOK,
		Summary: "What you sent",
		Description: "The last 500 calls of this sandbox with either key, refused ones included. Reading this list is not a call that it shows, " +
			"and calls after the end of the lease are not noted. The list is kept in memory: it begins anew when the server does.",
		Resource: CallResource, Out: reflect.TypeFor[LoggedCall](),
	}, {
		ID: "get_request", Kind: Row, Method: http.MethodGet, Path: "/requests/{id}", System: Shared, Key: KeyNone, Status: http.StatusOK,
		Summary: "Read one of your calls", Resource: CallResource, Out: reflect.TypeFor[LoggedCall](),
	}}
}
