package openapi

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/wire"
)

// Media types.
const (
	mediaJSON = "application/json"
	mediaCSV  = "text/csv"
)

// unchanged names the response to If-None-Match among the components.
const unchanged = "unchanged"

// always are the headers of every response.
//
//nolint:gochecknoglobals // read only
var always = []string{
	wire.HeaderRequestID, wire.HeaderLimit, wire.HeaderRemaining, wire.HeaderRate, wire.HeaderPolicy, "Cache-Control",
	"Vary",
}

// headers describes each response header once.
func headers() map[string]*huma.Header {
	described := map[string]*huma.Header{}
	for name, description := range map[string]string{
		wire.HeaderRequestID: "The request_id of the envelope's meta; also on responses without a body.",
		wire.HeaderLimit: "Requests in a minute, by the client's own budget; 1000000 when the operator has " +
			"switched it off.",
		wire.HeaderRemaining: "Requests that are left in that budget now.",
		wire.HeaderRate: "The same budget as a structured field: r requests are left, and t seconds pass until " +
			"there is one more.",
		wire.HeaderPolicy: "The policy of that budget as a structured field: q requests in a window of w seconds.",
		"Cache-Control": "Always private, no-cache: keep a response in a private cache only, and check it with " +
			"its ETag before you use it again.",
		"Vary":                "The request headers that a response depends on.",
		wire.HeaderRetryAfter: "Seconds to leave before the next try.",
		wire.HeaderETag: "The version of the record or list. Sent back as If-None-Match, it saves the transfer " +
			"when nothing changed.",
		wire.HeaderLink: "The next page with rel=\"next\", and with rel=\"deprecation\" where to read about an " +
			"operation that will be removed.",
		wire.HeaderReplayed: "true when this is the stored response of an earlier request with the same " +
			"Idempotency-Key.",
		wire.HeaderIgnored: "Says why the Idempotency-Key of the request had no effect, where it had none.",
		"WWW-Authenticate": "Bearer: a key belongs into the Authorization header.",
		"Allow":            "The methods of this path.",
		"Deprecation":      "Since when the operation is deprecated: @ and seconds since 1970.",
		"Sunset":           "From when the operation may be gone.",
	} {
		described[name] = &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return described
}

// headed returns references to the headers of every response and to some more.
func headed(more ...string) map[string]*huma.Header {
	refs := map[string]*huma.Header{}
	for _, name := range slices.Concat(always, more) {
		refs[name] = &huma.Header{Ref: "#/components/headers/" + name}
	}
	return refs
}

// departing are the headers of an operation that will be removed.
func departing(op *operation.Operation) []string {
	if op.Deprecated == nil {
		return nil
	}
	return []string{"Deprecation", "Sunset", wire.HeaderLink}
}

// responses are the success and, by status, the refusals.
func (w *writer) responses(op *operation.Operation) map[string]*huma.Response {
	responses := map[string]*huma.Response{strconv.Itoa(op.Status): w.success(op)}
	if op.Conditional() {
		w.document.Components.Responses[unchanged] = &huma.Response{
			Description: "Nothing changed.", Headers: headed("Deprecation", "Sunset", wire.HeaderLink, wire.HeaderETag),
		}
		responses["304"] = &huma.Response{Ref: "#/components/responses/" + unchanged}
	}
	if op.Accepted != nil {
		responses["202"] = &huma.Response{
			Description: "There is no place yet: a ticket for the queue.",
			Content: map[string]*huma.MediaType{mediaJSON: w.example(op.ID+"_202",
				w.envelope("data", w.registry.Ref(op.Accepted)))},
			Headers: headed(wire.HeaderRetryAfter, wire.HeaderReplayed, wire.HeaderIgnored),
		}
	}
	if op.Preview != nil {
		responses["200"] = &huma.Response{
			Description: "A dry run: the expected result. Nothing was done.",
			Content: map[string]*huma.MediaType{mediaJSON: w.example(op.ID+"_200",
				w.envelope("data", w.registry.Ref(op.Preview)))},
			Headers: headed(departing(op)...),
		}
	}
	for status, codes := range byStatus(op) {
		responses[strconv.Itoa(status)] = w.refusal(status, codes)
	}
	return responses
}

// byStatus sorts the codes of an operation by their status.
func byStatus(op *operation.Operation) map[int][]problem.Code {
	sorted := map[int][]problem.Code{}
	for _, code := range op.Common() {
		status := problem.Lookup(code).Status
		if !slices.Contains(sorted[status], code) {
			sorted[status] = append(sorted[status], code)
		}
	}
	return sorted
}

// refusal is a reference to the response of some codes with one status, which
// many operations share. It is named for them.
func (w *writer) refusal(status int, codes []problem.Code) *huma.Response {
	names, ticked := make([]string, len(codes)), make([]string, len(codes))
	for i, code := range codes {
		names[i], ticked[i] = string(code), "`"+string(code)+"`"
	}
	name := strings.Join(names, ".")
	ref := &huma.Response{Ref: "#/components/responses/" + name}
	if w.document.Components.Responses[name] != nil {
		return ref
	}
	media := &huma.MediaType{
		Schema:   w.envelope("error", w.registry.Ref(reflect.TypeFor[wire.Error]())),
		Examples: map[string]*huma.Example{},
	}
	for _, code := range codes {
		media.Examples[string(code)] = w.refusalExample(code)
	}
	w.document.Components.Responses[name] = &huma.Response{
		Description: strings.Join(ticked, ", "), Content: map[string]*huma.MediaType{mediaJSON: media},
		Headers: refusalHeaders(status),
	}
	return ref
}

func refusalHeaders(status int) map[string]*huma.Header {
	var more []string
	switch status {
	case http.StatusUnauthorized:
		more = []string{"WWW-Authenticate"}
	case http.StatusMethodNotAllowed:
		more = []string{"Allow"}
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		more = []string{wire.HeaderRetryAfter}
	default:
	}
	return headed(append(more, "Deprecation", "Sunset", wire.HeaderLink)...)
}

func (w *writer) success(op *operation.Operation) *huma.Response {
	data := w.registry.Ref(op.Out)
	more := departing(op)
	if op.Paged() {
		data = w.page(op, data)
		more = append(more, wire.HeaderLink)
	}
	if op.Key != operation.KeyNone && op.Kind != operation.Deletion {
		more = append(more, wire.HeaderReplayed)
	}
	if op.Kind == operation.Creation || op.Kind == operation.Fork {
		more = append(more, wire.HeaderIgnored)
	}
	if op.Conditional() {
		more = append(more, wire.HeaderETag)
	}
	return &huma.Response{
		Description: "Success.",
		Content:     map[string]*huma.MediaType{mediaJSON: w.example(op.ID, w.envelope("data", data))},
		Headers:     headed(more...),
	}
}

// table is the twin of a list whose path ends in .csv.
func (w *writer) table(op *operation.Operation, list *huma.Operation) *huma.Operation {
	twin := *list
	twin.OperationID += "_csv"
	twin.Summary += " as CSV"
	twin.Description = "The same rows as comma-separated values, a header line first. Accept: " +
		"text/csv on the path without .csv asks for the same."
	twin.Responses = maps.Clone(list.Responses)
	table := *list.Responses[strconv.Itoa(op.Status)]
	table.Content = map[string]*huma.MediaType{mediaCSV: csvMedia()}
	twin.Responses[strconv.Itoa(op.Status)] = &table
	plain := *list.Responses[strconv.Itoa(op.Status)]
	plain.Content = map[string]*huma.MediaType{mediaJSON: plain.Content[mediaJSON], mediaCSV: csvMedia()}
	list.Responses[strconv.Itoa(op.Status)] = &plain
	return &twin
}

func csvMedia() *huma.MediaType { return &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}} }

// page is the data of a list.
func (w *writer) page(op *operation.Operation, item *huma.Schema) *huma.Schema {
	properties := map[string]*huma.Schema{
		"items": {
			Type: huma.TypeArray, Items: item, Description: "The rows of this page, in the order of the list.",
		},
		"next_cursor": {OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: "null"}},
			Description: "Where to go on; null when the list has ended."},
	}
	required := []string{"items", "next_cursor"}
	if op.Streams() {
		properties["last_seq"] = &huma.Schema{
			Type: huma.TypeInteger, Format: "int64", Description: "The number of the newest event.",
		}
		required = append(required, "last_seq")
	}
	return &huma.Schema{Type: huma.TypeObject, Properties: properties, Required: required}
}

// envelope is an object of meta and one other field.
func (w *writer) envelope(member string, s *huma.Schema) *huma.Schema {
	meta := w.registry.Ref(reflect.TypeFor[wire.Meta]())
	meta.Description = "About the response itself."
	described := *s
	if described.Description = "The response to the request."; member == "error" {
		described.Description = "Why the request failed, and what to do about it."
	}
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"meta", member},
		Properties: map[string]*huma.Schema{"meta": meta, member: &described},
	}
}
