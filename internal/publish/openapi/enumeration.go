package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/operation"
	"platen/internal/words/event"
)

// This file gives an enumeration with several uses one component, so that a program
// that is made of the document has one type for it.

// common are the enumerations that records, events and requests of many kinds have.
func common() map[string][]string {
	return map[string][]string{
		"Role":           event.Role("").Enum(),
		"DisruptionKind": event.DisruptionKind("").Enum(),
		"System": {
			string(event.Office), string(event.Factory), string(event.HR), string(event.World), string(event.Sandbox),
		},
	}
}

// filter is the schema of a filter with values: that of the field of the rows.
func (w *writer) filter(op *operation.Operation, p *operation.Parameter) *huma.Schema {
	row := strings.TrimPrefix(w.registry.Ref(op.Out).Ref, schemas)
	field := w.registry.Schemas()[row].Properties[p.Name]
	if field == nil || field.Nullable || len(field.Enum) == 0 && field.Ref == "" {
		return nil
	}
	if field.Ref == "" {
		name := row + componentOf(p.Name)
		w.registry.Schemas()[name] = &huma.Schema{
			Type: huma.TypeString, Enum: field.Enum, Description: fmt.Sprintf("The values of %s in %s.", p.Name, row),
		}
		*field = huma.Schema{Ref: schemas + name, Description: field.Description}
	}
	return &huma.Schema{Ref: field.Ref}
}

// share puts a reference in the place of each enumeration that is a common one.
func (w *writer) share() {
	components := w.registry.Schemas()
	for name, values := range common() {
		enum := make([]any, len(values))
		for i, value := range values {
			enum[i] = value
		}
		used := false
		var walk func(s *huma.Schema)
		walk = func(s *huma.Schema) {
			if s == nil {
				return
			}
			if s.Type == huma.TypeString && !s.Nullable && slices.Equal(s.Enum, enum) {
				*s = huma.Schema{Ref: schemas + name, Description: s.Description}
				used = true
			}
			for _, property := range s.Properties {
				walk(property)
			}
			walk(s.Items)
			for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
				walk(part)
			}
		}
		for _, s := range components {
			walk(s)
		}
		if used {
			components[name] = &huma.Schema{
				Type: huma.TypeString, Enum: enum,
				Description: "One of the values of " + strings.ToLower(name) + " fields.",
			}
		}
	}
}
