package openapi

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/operation"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Media types of responses. A list in CSV is an operation of its own: beside JSON, it would make the data of each list
// either of two things in the types of a program.
const (
	mediaJSON = "application/json"
	mediaCSV  = "text/csv"
)

// unchanged names the response to If-None-Match among the components.
const unchanged = "unchanged"

// Extensions of the document.
const (
	// headersExtension describes the headers of every response, and those of deprecated operations. With each response
	// they would be half of the document.
	headersExtension = "x-response-headers"
	// codesExtension lists the codes that an operation can fail with beside those of any operation,
	// and in the response that any operation can have, these.
	codesExtension = "x-error-codes"
	// errorsExtension says of every code its status, and what it means. The pages of the docs have
	// examples.
	errorsExtension = "x-errors"
)

// failure is the document's entry for a code.
type failure struct {
	Status    int    `json:"status"`
	Retryable bool   `json:"retryable"`
	Meaning   string `json:"meaning"`
}

// failures are all codes.
func failures() map[problem.Code]failure {
	all := map[problem.Code]failure{}
	for _, d := range problem.All() {
		all[d.Code] = failure{d.Status, d.Retryable, d.Meaning}
	}
	return all
}

// Names of components that responses share.
const (
	// errorEnvelope is the schema of all errors.
	errorEnvelope = "Error" + envelopeSuffix
	// pageSuffix and envelopeSuffix end the names of what data comes in.
	pageSuffix, envelopeSuffix = "Page", "Envelope"
	// anyError is the response to whatever goes wrong with a request of any operation.
	anyError = "Failure"
)

// responses are the success, the errors that are of this operation, by status, and one for those
// that any operation can have.
func (w *writer) responses(op *operation.Operation) map[string]*huma.Response {
	responses := map[string]*huma.Response{strconv.Itoa(op.Status): w.success(op), "default": w.anyError()}
	if op.Conditional() {
		w.document.Components.Responses[unchanged] = &huma.Response{
			Description: "Nothing changed.", Headers: w.headers(wire.HeaderETag),
		}
		responses["304"] = &huma.Response{Ref: responseRef + unchanged}
	}
	if op.Accepted != nil {
		responses["202"] = &huma.Response{
			Description: "There is no place yet: a ticket for the queue.",
			Headers:     w.headers(wire.HeaderRetryAfter, wire.HeaderReplayed),
			Content:     w.enveloped(op.ID+"_202", w.registry.Ref(op.Accepted)),
		}
	}
	if op.Preview != nil {
		responses["200"] = &huma.Response{
			Description: "A dry run: the expected result. Nothing was done.",
			Content:     w.enveloped(op.ID+"_200", w.registry.Ref(op.Preview)),
		}
	}
	w.refusals(op, responses)
	return responses
}

// refusals adds the errors that are of an operation to its responses.
func (w *writer) refusals(op *operation.Operation, responses map[string]*huma.Response) {
	for _, code := range particular(op) {
		status := problem.Lookup(code).Status
		responses[strconv.Itoa(status)] = w.refusal(status)
	}
}

// general are the codes that do not depend on what an operation is about: how HTTP, keys, limits,
// bodies and cursors are handled, and what the server itself can meet.
func general() []problem.Code {
	return []problem.Code{
		problem.BadRequest, problem.KeyInURL, problem.InvalidParameter, problem.InvalidCursor, problem.InvalidJSON,
		problem.IdempotencyKeyInvalid, problem.IdempotencyRequired, problem.Unauthorized, problem.WrongSystem,
		problem.Banned, problem.MethodNotAllowed, problem.NotAcceptable, problem.RequestTimeout,
		problem.RequestInProgress, problem.BodyTooLarge, problem.UnsupportedMediaType, problem.HostRefused,
		problem.IdempotencyKeyReused, problem.RateLimited, problem.HeadersTooLarge, problem.InternalError,
		problem.SandboxDamaged, problem.Unavailable,
	}
}

// particular are the other codes of an operation.
func particular(op *operation.Operation) []problem.Code {
	var codes []problem.Code
	for _, code := range op.Common() {
		if !slices.Contains(general(), code) && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes
}

// responseRef begins references to responses.
const responseRef = "#/components/responses/"

// anyError is a reference to the response that every operation can have.
func (w *writer) anyError() *huma.Response {
	if w.document.Components.Responses[anyError] == nil {
		r := w.refusing(general(), "The request cannot be handled, whatever the operation is")
		r.Extensions = map[string]any{codesExtension: general()}
		r.Headers = w.headers(wire.HeaderRetryAfter, headerAuthenticate, headerAllow)
		w.document.Components.Responses[anyError] = r
	}
	return &huma.Response{Ref: responseRef + anyError}
}

// refusal is a reference to the response of a status, which operations share. It is named for
// the status: NotFound.
func (w *writer) refusal(status int) *huma.Response {
	name := strings.ReplaceAll(http.StatusText(status), " ", "")
	if w.document.Components.Responses[name] == nil {
		var codes []problem.Code
		for _, d := range problem.All() {
			if d.Status == status && !slices.Contains(general(), d.Code) {
				codes = append(codes, d.Code)
			}
		}
		r := w.refusing(codes, http.StatusText(status))
		switch status {
		case http.StatusPreconditionFailed:
			r.Headers = w.headers(wire.HeaderETag)
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			r.Headers = w.headers(wire.HeaderRetryAfter)
		}
		w.document.Components.Responses[name] = r
	}
	return &huma.Response{Ref: responseRef + name}
}

// refusing is a response with some codes.
func (w *writer) refusing(codes []problem.Code, text string) *huma.Response {
	media := &huma.MediaType{Schema: w.errorEnvelope()}
	ticked := make([]string, len(codes))
	for i, code := range codes {
		ticked[i] = "`" + string(code) + "`"
	}
	return &huma.Response{
		Description: text + ": " + strings.Join(ticked, ", ") + ".",
		Content:     map[string]*huma.MediaType{mediaJSON: media},
	}
}

// errorEnvelope is a reference to the one form of all errors.
func (w *writer) errorEnvelope() *huma.Schema {
	if w.registry.Schemas()[errorEnvelope] == nil {
		s := w.envelope("error", w.registry.Ref(reflect.TypeFor[wire.Error]()))
		s.Description = "The response to a request that failed, whatever the operation and the status."
		w.registry.Schemas()[errorEnvelope] = s
	}
	return &huma.Schema{Ref: schemas + errorEnvelope}
}

func (w *writer) success(op *operation.Operation) *huma.Response {
	data := w.registry.Ref(op.Out)
	if op.Paged() {
		data = w.page(op, data)
	}
	return &huma.Response{
		Description: "Success.", Headers: w.headers(successHeaders(op)...), Content: w.enveloped(op.ID, data),
	}
}

// page is a reference to the data of a list.
func (w *writer) page(op *operation.Operation, item *huma.Schema) *huma.Schema {
	name := strings.TrimPrefix(item.Ref, schemas) + pageSuffix
	if w.registry.Schemas()[name] != nil {
		return &huma.Schema{Ref: schemas + name}
	}
	properties := map[string]*huma.Schema{
		"items": {
			Type: huma.TypeArray, Items: item, Description: "The rows of this page.",
		},
		"next_cursor": {
			Type: huma.TypeString, Nullable: true, Description: "Where to go on; null at the end.",
		},
	}
	required := []string{"items", "next_cursor"}
	if op.Streams() {
		properties["last_seq"] = &huma.Schema{
			Type: huma.TypeInteger, Format: "int64", Description: "The number of the newest event.",
		}
		required = append(required, "last_seq")
	}
	w.registry.Schemas()[name] = &huma.Schema{
		Type: huma.TypeObject, Properties: properties, Required: required,
		Description: "Rows of a list, and where to go on in it.",
	}
	return &huma.Schema{Ref: schemas + name}
}

// enveloped is the content of a response with some data.
func (w *writer) enveloped(recorded string, data *huma.Schema) map[string]*huma.MediaType {
	name := strings.TrimPrefix(data.Ref, schemas)
	if w.registry.Schemas()[name+envelopeSuffix] == nil {
		s := w.envelope("data", data)
		s.Description = "A response with its data."
		w.registry.Schemas()[name+envelopeSuffix] = s
	}
	media := &huma.MediaType{Schema: &huma.Schema{Ref: schemas + name + envelopeSuffix}}
	w.exemplify(media, name, recorded)
	return map[string]*huma.MediaType{mediaJSON: media}
}

// envelope is an object of meta and one other field.
func (w *writer) envelope(member string, s *huma.Schema) *huma.Schema {
	meta := w.registry.Ref(reflect.TypeFor[wire.Meta]())
	meta.Description = "About the response itself."
	described := *s
	if described.Description = "The data of the response."; member == "error" {
		described.Description = "Why the request failed, and what to do about it."
	}
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"meta", member},
		Properties: map[string]*huma.Schema{"meta": meta, member: &described},
	}
}
