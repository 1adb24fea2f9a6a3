package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"platen/internal/operation"
	"platen/internal/schema"
)

// Types of the portable subset of JSON Schema that every client takes.
const (
	typeString  = "string"
	typeInteger = "integer"
	typeBoolean = "boolean"
	typeArray   = "array"
	typeObject  = "object"
)

// object is the schema of a tool's arguments: flat, with at most one list, of
// flat objects or of texts. Nothing that some client refuses is in it: no
// references, no lists of types, no combinations, no formats.
type object struct {
	Type       string               `json:"type"`
	Properties map[string]*property `json:"properties"`
	Required   []string             `json:"required,omitempty"`
	//nolint:tagliatelle // JSON Schema's spelling
	AdditionalProperties bool `json:"additionalProperties"`
}

// property is one argument.
type property struct {
	Type        string          `json:"type"`
	Description string          `json:"description,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Minimum     *int64          `json:"minimum,omitempty"`
	Maximum     *int64          `json:"maximum,omitempty"`
	Items       *element        `json:"items,omitempty"`

	// filled texts are not empty.
	filled bool
}

// element is the schema of a list's elements.
type element struct {
	Type       string               `json:"type"`
	Properties map[string]*property `json:"properties,omitempty"`
	Required   []string             `json:"required,omitempty"`
	// AdditionalProperties is nil for texts.
	AdditionalProperties *bool `json:"additionalProperties,omitempty"` //nolint:tagliatelle // JSON Schema's spelling
}

func newObject() *object {
	return &object{Type: typeObject, Properties: map[string]*property{}}
}

// names lists the arguments in words.
func (o *object) names() string { return strings.Join(slices.Sorted(maps.Keys(o.Properties)), ", ") }

// require adds an argument that has to be there.
func (o *object) require(name string, p *property) {
	o.Properties[name] = p
	o.Required = append(o.Required, name)
}

func text(description string) *property { return &property{Type: typeString, Description: description} }

func id(description string) *property {
	return &property{Type: typeString, Description: description, filled: true}
}

func choice(description string, words ...string) *property {
	return &property{Type: typeString, Description: description, Enum: words}
}

func number(description string, least, most int64) *property {
	return &property{Type: typeInteger, Description: description, Minimum: &least, Maximum: &most}
}

// or gives an argument its default.
func (p *property) or(value int64) *property {
	p.Default = json.RawMessage(fmt.Sprint(value))
	return p
}

// component holds the parts of a schema of the API that are read.
type component struct {
	Properties map[string]componentProperty `json:"properties"`
	Required   []string                     `json:"required"`
}

type componentProperty struct {
	Type        soleType `json:"type"`
	Description string   `json:"description"`
	Format      string   `json:"format"`
	Enum        []string `json:"enum"`
	Examples    []any    `json:"examples"`
	Minimum     *int64   `json:"minimum"`
	Maximum     *int64   `json:"maximum"`
	MinLength   int64    `json:"minLength"` //nolint:tagliatelle // JSON Schema's spelling
	Items       *struct {
		Type string `json:"type"`
		Ref  string `json:"$ref"`
	} `json:"items"`
}

// soleType is the type of a field, null apart: an argument that is null can be
// left out.
type soleType string

// UnmarshalJSON implements json.Unmarshaler: a type, or a type and null.
func (t *soleType) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '[' {
		b = slices.Concat([]byte("["), b, []byte("]"))
	}
	var types []string
	if err := json.Unmarshal(b, &types); err != nil {
		return fmt.Errorf("read a type: %w", err)
	}
	types = slices.DeleteFunc(types, func(name string) bool { return name == "null" })
	if len(types) != 1 {
		return fmt.Errorf("%d types in the place of one", len(types))
	}
	*t = soleType(types[0])
	return nil
}

// builder makes the arguments of tools from the operation table.
type builder struct {
	endpoint *Endpoint
	registry *schema.Registry
}

// operation returns an operation of the table.
func (b *builder) operation(id string) (*operation.Operation, error) {
	op := b.endpoint.operations[id]
	if op == nil {
		return nil, fmt.Errorf("there is no operation %s", id)
	}
	return op, nil
}

// body adds the fields of an operation's body.
func (b *builder) body(o *object, op *operation.Operation) error {
	if op.In == nil {
		return nil
	}
	in, err := schema.NewInput(b.registry, op.In)
	if err != nil {
		return fmt.Errorf("read the body of %s: %w", op.ID, err)
	}
	c, err := b.component(in.Ref().Ref)
	if err != nil {
		return err
	}
	for name, p := range c.Properties {
		if o.Properties[name], err = b.property(p); err != nil {
			return fmt.Errorf("%s of %s: %w", name, op.ID, err)
		}
	}
	o.Required = append(o.Required, c.Required...)
	return nil
}

// component reads a schema of the registry by its reference.
func (b *builder) component(ref string) (component, error) {
	var c component
	published, err := json.Marshal(b.registry.Schemas()[ref[strings.LastIndex(ref, "/")+1:]])
	if err != nil {
		return c, fmt.Errorf("encode %s: %w", ref, err)
	}
	if err := json.Unmarshal(published, &c); err != nil {
		return c, fmt.Errorf("read %s: %w", ref, err)
	}
	return c, nil
}

// property puts a field of a body in the portable subset. Rules that do not fit
// there are left to the refusals of the API.
func (b *builder) property(in componentProperty) (*property, error) {
	p := &property{
		Type: string(in.Type), Description: in.Description, Enum: in.Enum, Minimum: in.Minimum, Maximum: in.Maximum,
		filled: in.MinLength > 0,
	}
	switch {
	case in.Format == "date":
		p.Description = strings.TrimSpace(p.Description + " YYYY-MM-DD.")
	case len(in.Examples) > 0:
		p.Description = strings.TrimSpace(fmt.Sprintf("%s Such as %v.", p.Description, in.Examples[0]))
	}
	if in.Items == nil {
		return p, nil
	}
	if p.Items = (&element{Type: in.Items.Type}); in.Items.Ref == "" {
		return p, nil
	}
	c, err := b.component(in.Items.Ref)
	if err != nil {
		return nil, err
	}
	p.Items = &element{
		Type: typeObject, Properties: map[string]*property{}, Required: c.Required, AdditionalProperties: new(false),
	}
	for name, member := range c.Properties {
		if p.Items.Properties[name], err = b.property(member); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// encode renders the published parts of a tool.
func encode(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode a schema: %w", err)
	}
	return b, nil
}
