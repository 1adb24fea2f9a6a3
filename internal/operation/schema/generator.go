package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/words/jsonfield"
	"platen/internal/words/moment"
	"platen/internal/words/share"
	"platen/internal/words/wire"
)

const (
	refPrefix = "#/components/schemas/"
	typeNull  = "null"
)

// generator is a registry in one direction, as huma's reflection needs it.
type generator struct {
	*Registry
	input bool
}

// Schema implements huma.Registry. The hint would name anonymous structs,
// which are inlined here.
func (g generator) Schema(t reflect.Type, allowRef bool, _ string) *huma.Schema {
	base := jsonfield.Base(t)
	nullable := base != t && !g.input
	if isComponent(base) {
		name := g.component(base)
		if !allowRef {
			return g.components[name]
		}
		ref := &huma.Schema{Ref: refPrefix + name}
		if nullable {
			return &huma.Schema{AnyOf: []*huma.Schema{ref, {Type: typeNull}}}
		}
		return ref
	}
	s := known(base)
	if s == nil {
		s = huma.SchemaFromType(g, base)
	}
	if s == nil {
		return nil // no JSON: a function, a channel
	}
	if base.Kind() == reflect.Struct && base.Name() == "" {
		g.finish(s, base)
	}
	if base == reflect.TypeFor[int64]() || base == reflect.TypeFor[int]() {
		s.Format = "" // a count; amounts, which have a type of their own, can be beyond 32 bits
	}
	for _, value := range jsonfield.EnumOf(base) {
		s.Enum = append(s.Enum, value)
	}
	s.Nullable = nullable && s.Type != ""
	return s
}

// known are the types of ours whose Go kind says nothing about their JSON.
func known(t reflect.Type) *huma.Schema {
	switch t {
	case reflect.TypeFor[moment.Instant]():
		return &huma.Schema{Type: huma.TypeString, Format: formatTime}
	case reflect.TypeFor[moment.Date]():
		return &huma.Schema{Type: huma.TypeString, Format: formatDate}
	case reflect.TypeFor[share.PerCent](), reflect.TypeFor[share.PPM]():
		return &huma.Schema{Type: huma.TypeNumber}
	case reflect.TypeFor[jsontext.Value]():
		return &huma.Schema{}
	case reflect.TypeFor[wire.Details]():
		return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{}}
	}
	return nil
}

func isComponent(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.Name() != "" &&
		!reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) &&
		!reflect.PointerTo(t).Implements(reflect.TypeFor[huma.SchemaProvider]())
}

func (g generator) component(t reflect.Type) string {
	name := componentName(t)
	if g.input {
		name = prefixed("", t.Name()) // a body is named for its operation, which no other system has
	}
	if o, ok := g.owners[name]; ok {
		if o.of != t {
			panic(fmt.Sprintf("schema: %s and %s would share the name %s", o.of, t, name))
		}
		if o.input != g.input {
			panic(fmt.Sprintf("schema: %s is used as an input and as an output", t))
		}
		return name
	}
	g.owners[name] = owner{of: t, input: g.input}
	g.components[name] = &huma.Schema{} // for a type that contains itself
	s := huma.SchemaFromType(g, t)
	g.finish(s, t)
	g.components[name] = s
	return name
}

// finish adapts huma's schema of a struct to the promises of this API.
//
//   - Outputs may grow fields; inputs allow none but the named.
//   - In outputs a field is required unless its tag omits zero values; in
//     inputs only the tag `required:"true"` makes it so.
//   - Of the input fields with the tag `oneOf:"true"` exactly one is sent.
//   - A pointer that omits nil is never null.
//   - The enum of a nullable field contains null.
//   - The struct's own description is the tag of its blank field.
//   - A description also explains the values of the field's type, where that does.
func (g generator) finish(s *huma.Schema, t reflect.Type) {
	s.AdditionalProperties = nil
	if g.input {
		s.AdditionalProperties = false
	}
	s.Required = nil
	s.Description = jsonfield.About(t)
	for _, f := range jsonfield.Of(t) {
		p, ok := s.Properties[f.JSON]
		if !ok {
			panic(fmt.Sprintf("schema: %s of %s would be sent and is not described", f.JSON, t))
		}
		p.Description = f.Doc()
		if p.Type == huma.TypeInteger && p.Maximum != nil && *p.Maximum > math.MaxInt32 {
			p.Format = "int64"
		}
		if f.Required() || !g.input && !f.Omits && f.Tag.Get("required") == "" {
			s.Required = append(s.Required, f.JSON)
		}
		if g.input && f.Tag.Get(tagOneOf) == "true" {
			s.OneOf = append(s.OneOf, &huma.Schema{Required: []string{f.JSON}})
		}
		if f.Omits && !g.input && f.Tag.Get("nullable") != "true" {
			p.Nullable = false
			if len(p.AnyOf) > 0 {
				p.Ref, p.AnyOf = p.AnyOf[0].Ref, nil
			}
		}
		if p.Nullable && len(p.Enum) > 0 {
			p.Enum = append(slices.Clip(p.Enum), nil)
		}
	}
}

// SchemaFromRef implements huma.Registry.
func (g generator) SchemaFromRef(ref string) *huma.Schema {
	name, ok := strings.CutPrefix(ref, refPrefix)
	if !ok {
		return nil
	}
	return g.components[name]
}

// TypeFromRef implements huma.Registry.
func (g generator) TypeFromRef(ref string) reflect.Type {
	return g.owners[strings.TrimPrefix(ref, refPrefix)].of
}

// Map implements huma.Registry.
func (g generator) Map() map[string]*huma.Schema { return g.components }

// RegisterTypeAlias implements huma.Registry. There are no aliases here.
func (generator) RegisterTypeAlias(t, _ reflect.Type) {
	panic(fmt.Sprintf("schema: no aliases, so none for %s", t))
}

// MarshalJSON writes the components, for the OpenAPI document.
func (g generator) MarshalJSON() ([]byte, error) { return json.Marshal(g.components) }
