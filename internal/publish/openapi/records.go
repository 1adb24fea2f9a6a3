package openapi

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/operation"
	"platen/internal/operation/schema"
)

// collection describes the records of one list.
type collection struct {
	Path     string           `json:"path"`
	Resource string           `json:"resource"`
	System   operation.System `json:"system"`
	// Prefix begins the ids; empty for records with readable ids.
	Prefix string           `json:"prefix,omitempty"`
	Fields map[string]field `json:"fields"`
}

// field describes a field and, of an object or of a list of them, its fields.
type field struct {
	Text   string           `json:"text"`
	Fields map[string]field `json:"fields,omitempty"`
}

// Records returns the descriptions of the records of all lists as JSON. They are a tenth of the
// document, and all that a page needs to explain records.
func Records(table []operation.Operation) ([]byte, error) {
	registry := schema.New()
	collections := []collection{}
	for i := range table {
		op := &table[i]
		if op.Kind != operation.List {
			continue
		}
		c := collection{
			Path: op.Path, Resource: op.Resource, System: op.System, Prefix: operation.IDPrefix(op.Resource),
		}
		c.Fields = fieldsOf(registry, registry.Ref(op.Out))
		collections = append(collections, c)
	}
	b, err := json.Marshal(collections)
	if err != nil {
		return nil, fmt.Errorf("encode the descriptions of records: %w", err)
	}
	return b, nil
}

// fieldsOf returns the fields of an object, of a reference to one, or of the items of a list of
// such; nil for anything else.
func fieldsOf(registry *schema.Registry, s *huma.Schema) map[string]field {
	switch {
	case s == nil:
		return nil
	case s.Ref != "":
		return fieldsOf(registry, registry.Schemas()[path.Base(s.Ref)])
	case s.Items != nil:
		return fieldsOf(registry, s.Items)
	case len(s.OneOf) > 0:
		return fieldsOf(registry, s.OneOf[0])
	case len(s.Properties) == 0:
		return nil
	}
	fields := make(map[string]field, len(s.Properties))
	for name, property := range s.Properties {
		fields[name] = field{Text: property.Description, Fields: fieldsOf(registry, property)}
	}
	return fields
}
