package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"platen/internal/operation"
	"platen/internal/words/wire"
)

// output is the form of an operation's results, nil where there is more than one: of a list or a row a call picks the
// fields, and a dry run has a form of its own. Words for people and the values of enumerations, which may get more, are
// left out.
func (b *builder) output(op *operation.Operation) (json.RawMessage, error) {
	if op.Preview != nil || op.Accepted != nil || op.Kind != operation.Write {
		return nil, nil
	}
	data, meta := b.registry.Ref(op.Out), b.registry.Ref(reflect.TypeFor[wire.Meta]())
	encoded, err := json.Marshal(map[string]any{
		"result": map[string]any{
			"type": "object", "required": []string{"data", "meta"},
			"properties": map[string]any{"data": data, "meta": meta},
		},
		"all": b.registry.Schemas(),
	})
	if err != nil {
		return nil, fmt.Errorf("encode the results of %s: %w", op.ID, err)
	}
	var read struct {
		Result map[string]any `json:"result"`
		All    map[string]any `json:"all"`
	}
	if err := json.Unmarshal(encoded, &read); err != nil {
		return nil, fmt.Errorf("read the results of %s: %w", op.ID, err)
	}
	definitions := map[string]any{}
	refer(read.Result, read.All, definitions)
	read.Result["$defs"] = definitions
	form, err := json.Marshal(read.Result)
	if err != nil {
		return nil, fmt.Errorf("encode the results of %s: %w", op.ID, err)
	}
	return form, nil
}

// refer collects the components that a schema leads to, and points its references at them.
func refer(node any, all, definitions map[string]any) {
	switch node := node.(type) {
	case map[string]any:
		for _, word := range []string{"description", "example", "examples", "enum", "default"} {
			if _, isText := node["type"]; isText || node["$ref"] != nil {
				delete(node, word)
			}
		}
		if ref, ok := node["$ref"].(string); ok {
			name := ref[strings.LastIndex(ref, "/")+1:]
			node["$ref"] = "#/$defs/" + name
			if definitions[name] == nil {
				definitions[name] = all[name]
				refer(all[name], all, definitions)
			}
		}
		for _, child := range node {
			refer(child, all, definitions)
		}
	case []any:
		for _, child := range node {
			refer(child, all, definitions)
		}
	}
}
