// Package openapi writes the OpenAPI 3.1 document of the API. It reads the
// table of operations, the problems and the types; nothing is described here
// that is not said there.
package openapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/moment"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/schema"
)

// Meta is the head of every envelope.
type Meta struct {
	Simulation bool           `json:"simulation" doc:"Always true."`
	RequestID  string         `json:"request_id"`
	ServerTime moment.Instant `json:"server_time"`
	SimDate    moment.Date    `json:"sim_date,omitzero" doc:"The in-world date; on answers about a sandbox."`
	ExpiresInS int64          `json:"expires_in_s,omitzero" doc:"Seconds left; on answers about a sandbox."`
	APIVersion string         `json:"api_version"`
}

// Error is the error of an envelope.
type Error struct {
	Code      string         `json:"code" doc:"Programs read this, never the message."`
	Message   string         `json:"message"`
	Retryable bool           `json:"retryable"`
	Hint      string         `json:"hint"`
	DocsURL   string         `json:"docs_url"`
	Details   map[string]any `json:"details,omitzero"`
	RetryAt   moment.Instant `json:"retry_at,omitzero"`
}

// writer collects the document.
type writer struct {
	registry *schema.Registry
	document *huma.OpenAPI
}

// Names of the security schemes.
const (
	officeScheme  = "office_key"
	factoryScheme = "factory_key"
)

// Document returns the document of a table as JSON.
func Document(table []operation.Operation, baseURL, version string) ([]byte, error) {
	registry := schema.New()
	w := &writer{registry: registry, document: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Platen", Version: version,
			Description: "A simulated printing company with two systems that share no data: Head Office and the Factory. All data is simulation data.",
			License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Servers:    []*huma.Server{{URL: baseURL}},
		Components: &huma.Components{Schemas: registry.Huma(), SecuritySchemes: securitySchemes()},
		Tags: []*huma.Tag{
			{Name: string(operation.Open), Description: "Without a key."},
			{Name: string(operation.Shared), Description: "With either key."},
			{Name: string(operation.Office), Description: "Head Office, with the lab_off_ key."},
			{Name: string(operation.Factory), Description: "The Factory, with the lab_fac_ key."},
		},
		Paths: map[string]*huma.PathItem{},
	}}
	for i := range table {
		if err := w.add(&table[i]); err != nil {
			return nil, fmt.Errorf("operation %s: %w", table[i].ID, err)
		}
	}
	b, err := json.Marshal(w.document)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b, nil
}

func securitySchemes() map[string]*huma.SecurityScheme {
	return map[string]*huma.SecurityScheme{
		officeScheme:  {Type: "http", Scheme: "bearer", Description: "A key that begins with lab_off_. X-Api-Key works too."},
		factoryScheme: {Type: "http", Scheme: "bearer", Description: "A key that begins with lab_fac_. X-Api-Key works too."},
	}
}

func security(system operation.System) []map[string][]string {
	office, factory := map[string][]string{officeScheme: {}}, map[string][]string{factoryScheme: {}}
	switch system {
	case operation.Office:
		return []map[string][]string{office}
	case operation.Factory:
		return []map[string][]string{factory}
	case operation.Shared:
		return []map[string][]string{office, factory}
	case operation.Open:
	}
	return []map[string][]string{}
}

func (w *writer) add(op *operation.Operation) error {
	described := &huma.Operation{
		OperationID: op.ID, Summary: op.Summary, Description: describe(op), Tags: []string{string(op.System)},
		Parameters: parameters(op), Responses: w.responses(op), Security: security(op.System), Deprecated: op.Deprecated != nil,
	}
	if op.In != nil {
		input, err := schema.NewInput(w.registry, op.In)
		if err != nil {
			return err
		}
		described.RequestBody = &huma.RequestBody{
			Required: !op.BodyOptional, Content: map[string]*huma.MediaType{"application/json": {Schema: input.Ref()}},
		}
	}
	item := w.document.Paths[op.Path]
	if item == nil {
		item = &huma.PathItem{}
		w.document.Paths[op.Path] = item
	}
	switch op.Method {
	case http.MethodGet:
		item.Get = described
	case http.MethodPost:
		item.Post = described
	case http.MethodPatch:
		item.Patch = described
	case http.MethodDelete:
		item.Delete = described
	default:
		return fmt.Errorf("no place for the method %s", op.Method)
	}
	return nil
}

// describe is the operation's description with the events that it writes.
func describe(op *operation.Operation) string {
	text := op.Description
	if op.Deprecated != nil {
		text = strings.TrimSpace(op.Deprecated.String() + "\n\n" + text)
	}
	if len(op.Events) > 0 {
		names := make([]string, len(op.Events))
		for i, t := range op.Events {
			names[i] = "`" + string(t) + "`"
		}
		text = strings.TrimSpace(text + "\n\nEvents: " + strings.Join(names, ", ") + ".")
	}
	return text
}

func parameters(op *operation.Operation) []*huma.Param {
	var params []*huma.Param
	text := func() *huma.Schema { return &huma.Schema{Type: huma.TypeString} }
	query := func(name, description string, s *huma.Schema) {
		params = append(params, &huma.Param{Name: name, In: "query", Description: description, Schema: s})
	}
	for _, place := range op.Places() {
		description := "The record's id."
		if place != "id" {
			description = "The " + strings.ReplaceAll(strings.TrimSuffix(place, "_id"), "_", " ") + "'s id."
		}
		params = append(params, &huma.Param{Name: place, In: "path", Required: true, Description: description, Schema: text()})
	}
	if op.Paged() {
		least, most := 1.0, 100.0
		query("limit", "Rows in a page.", &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most, Default: 50})
		query("cursor", "next_cursor of the page before, unchanged.", text())
		query("updated_since", "Only rows changed at or after this time.", &huma.Schema{Type: huma.TypeString, Format: "date-time"})
		words := op.FilterWords()
		for _, name := range op.Filters {
			s := text()
			for _, word := range words[name] {
				s.Enum = append(s.Enum, word)
			}
			query(name, filterDoc(op, name), s)
		}
		if op.Kind != operation.Poll {
			params = append(params, &huma.Param{Name: "If-None-Match", In: "header", Description: "An ETag; answers 304 when nothing changed.", Schema: text()})
		}
	}
	least := 0.0
	if op.ValueSince != nil {
		query("since", "Only points from this event on; the point that you have seen last comes again.", &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Default: 0})
	}
	switch op.Kind {
	case operation.Feed:
		query("after_seq", "Only events with a greater number.", &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Default: 0})
	case operation.Poll:
		most := float64(operation.PollMostSeconds)
		query("after_seq", "Only events with a greater number; wanted unless there is a cursor.", &huma.Schema{Type: huma.TypeInteger, Minimum: &least})
		query("wait_s", "How long to wait, in seconds.", &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most, Default: operation.PollDefaultSeconds})
	default:
	}
	if op.Kind == operation.Creation {
		params = append(params, &huma.Param{Name: "Sim-PoW", In: "header", Description: "A proof of work, where the server asks for one: <challenge>.<nonce>.", Schema: text()})
	}
	params = append(params, &huma.Param{Name: "Sim-Version", In: "header", Description: "The dated version of the API that is wanted.", Schema: text()})
	if op.Key != operation.KeyNone {
		least, most := 1, 64
		params = append(params, &huma.Param{
			Name: "Idempotency-Key", In: "header", Required: op.Key == operation.KeyRequired,
			Description: "One key for each intention, the same on every retry.",
			Schema:      &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most},
		})
	}
	return params
}

func filterDoc(op *operation.Operation, name string) string {
	if op.Streams() && name == "types" {
		return "Only events of these types, separated by commas."
	}
	return "Only rows with this " + strings.ReplaceAll(name, "_", " ") + "."
}

// responses are the success and, by status, the refusals.
func (w *writer) responses(op *operation.Operation) map[string]*huma.Response {
	responses := map[string]*huma.Response{strconv.Itoa(op.Status): w.success(op)}
	if op.Kind == operation.List || op.Kind == operation.Feed || op.Kind == operation.Row || op.Kind == operation.Object {
		responses["304"] = &huma.Response{Description: "Nothing changed."}
	}
	if op.Accepted != nil {
		responses["202"] = &huma.Response{
			Description: "There is no place yet: a ticket for the queue.",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: w.envelope("data", w.registry.Ref(op.Accepted))}},
			Headers:     map[string]*huma.Param{"Retry-After": {Description: "Seconds to leave before the next poll.", Schema: &huma.Schema{Type: huma.TypeString}}},
		}
	}
	byStatus := map[int][]string{}
	for _, code := range op.Common() {
		status := problem.Lookup(code).Status
		if text := "`" + string(code) + "`"; !slices.Contains(byStatus[status], text) {
			byStatus[status] = append(byStatus[status], text)
		}
	}
	failure := w.envelope("error", w.registry.Ref(reflect.TypeFor[Error]()))
	for status, codes := range byStatus {
		responses[strconv.Itoa(status)] = &huma.Response{
			Description: strings.Join(codes, ", "), Content: map[string]*huma.MediaType{"application/json": {Schema: failure}},
		}
	}
	return responses
}

func (w *writer) success(op *operation.Operation) *huma.Response {
	data := w.registry.Ref(op.Out)
	content := map[string]*huma.MediaType{}
	if op.Paged() {
		data = w.page(op, data)
	}
	if op.Kind == operation.List || op.Kind == operation.Feed {
		content["text/csv"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
	content["application/json"] = &huma.MediaType{Schema: w.envelope("data", data)}
	response := &huma.Response{Description: "Success.", Content: content, Headers: map[string]*huma.Param{}}
	header := func(name, description string) {
		response.Headers[name] = &huma.Param{Description: description, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	header("X-RateLimit-Limit", "Requests in a minute, by the caller's own budget.")
	header("X-RateLimit-Remaining", "Requests that are left now.")
	if op.Deprecated != nil {
		header("Deprecation", "Since when the operation is deprecated: @ and seconds since 1970.")
		header("Sunset", "From when it may be gone.")
	}
	if op.Key != operation.KeyNone {
		header("Idempotency-Replayed", "true when this is the stored answer of an earlier request.")
	} else if op.Kind != operation.Ticket && op.Kind != operation.Poll {
		header("ETag", "Version of what was read.")
	}
	return response
}

// page is the data of a list.
func (w *writer) page(op *operation.Operation, item *huma.Schema) *huma.Schema {
	properties := map[string]*huma.Schema{
		"items":       {Type: huma.TypeArray, Items: item},
		"next_cursor": {OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: "null"}}, Description: "Where to go on; null when the list has ended."},
	}
	required := []string{"items", "next_cursor"}
	if op.Streams() {
		properties["last_seq"] = &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: "The number of the newest event."}
		required = append(required, "last_seq")
	}
	return &huma.Schema{Type: huma.TypeObject, Properties: properties, Required: required}
}

// envelope is an object of meta and one other member.
func (w *writer) envelope(member string, s *huma.Schema) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"meta", member},
		Properties: map[string]*huma.Schema{"meta": w.registry.Ref(reflect.TypeFor[Meta]()), member: s},
	}
}
