package openapi

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/operation"
)

// shared notes a parameter that many operations have among the components, and
// returns the reference to it.
func (w *writer) shared(component string, p *huma.Param) *huma.Param {
	w.document.Components.Parameters[component] = p
	return &huma.Param{Ref: "#/components/parameters/" + component}
}

// parameters are those of an operation's path, query and headers.
func (w *writer) parameters(op *operation.Operation) []*huma.Param {
	var params []*huma.Param
	for _, place := range op.PathParamNames() {
		description := "The record's id."
		if place != "id" {
			description = "The " + strings.ReplaceAll(strings.TrimSuffix(place, "_id"), "_", " ") + "'s id."
		}
		params = append(params, w.shared(place, &huma.Param{Name: place, In: "path", Required: true, Description: description, Schema: text()}))
	}
	if op.Paged() {
		params = append(params, w.paging(op)...)
	}
	params = append(params, w.positions(op)...)
	if conditional(op) {
		params = append(params, w.shared("If-None-Match", &huma.Param{Name: "If-None-Match", In: "header", Description: "An ETag; the response is 304 when nothing changed.", Schema: text()}))
	}
	if op.Kind == operation.Creation {
		params = append(params, &huma.Param{Name: "Sim-PoW", In: "header", Description: "A proof of work, where the server asks for one: <challenge>.<nonce>.", Schema: text()})
	}
	params = append(params, w.shared("Sim-Version", &huma.Param{Name: "Sim-Version", In: "header", Description: "The dated version of the API that is wanted.", Schema: text()}))
	if op.Key != operation.KeyNone {
		params = append(params, w.idempotencyKey(op.Key == operation.KeyRequired))
	}
	return params
}

func text() *huma.Schema { return &huma.Schema{Type: huma.TypeString} }

// counted is the schema of an integer from 0.
func counted() *huma.Schema {
	least := 0.0
	return &huma.Schema{Type: huma.TypeInteger, Minimum: &least}
}

// paging are the parameters of every list, and the filters of this one.
func (w *writer) paging(op *operation.Operation) []*huma.Param {
	limit := counted()
	least, most := 1.0, 100.0
	limit.Minimum, limit.Maximum, limit.Default = &least, &most, 50
	params := []*huma.Param{
		w.shared("limit", &huma.Param{Name: "limit", In: "query", Description: "Rows in a page.", Schema: limit}),
		w.shared("cursor", &huma.Param{Name: "cursor", In: "query", Description: "next_cursor of the page before, unchanged.", Schema: text()}),
		w.shared("updated_since", &huma.Param{
			Name: "updated_since", In: "query", Description: "Only rows changed at or after this time.", Schema: &huma.Schema{Type: huma.TypeString, Format: "date-time"},
		}),
	}
	words := op.FilterWords()
	for _, name := range op.Filters {
		s := text()
		if operation.FilterIsDate(name) {
			s.Format = "date"
		}
		for _, word := range words[name] {
			s.Enum = append(s.Enum, word)
		}
		params = append(params, &huma.Param{Name: name, In: "query", Description: filterDoc(op, name), Schema: s})
	}
	return params
}

// positions are the parameters that say from where on, and how long to wait.
func (w *writer) positions(op *operation.Operation) []*huma.Param {
	var params []*huma.Param
	query := func(name, description string, s *huma.Schema) {
		params = append(params, &huma.Param{Name: name, In: "query", Description: description, Schema: s})
	}
	from := counted()
	from.Default = 0
	if op.ValueSince != nil {
		query("since", "Only points from this event on; the point that you have seen last comes again.", from)
	}
	switch op.Kind {
	case operation.Feed:
		query("after_seq", "Only events with a greater number.", from)
	case operation.Poll:
		wait := counted()
		most := float64(operation.PollMostSeconds)
		wait.Maximum, wait.Default = &most, operation.PollDefaultSeconds
		query("after_seq", "Only events with a greater number; wanted unless there is a cursor.", counted())
		query("wait_s", "How long to wait, in seconds.", wait)
	default:
	}
	return params
}

func (w *writer) idempotencyKey(required bool) *huma.Param {
	component := "Idempotency-Key"
	if required {
		component += ".required"
	}
	least, most := 1, 64
	return w.shared(component, &huma.Param{
		Name: "Idempotency-Key", In: "header", Required: required,
		Description: "One key for each intention, the same on every retry.",
		Schema:      &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most},
	})
}

func filterDoc(op *operation.Operation, name string) string {
	if op.Streams() && name == "types" {
		return "Only events of these types, separated by commas."
	}
	return "Only rows with this " + strings.ReplaceAll(name, "_", " ") + "."
}
