package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/words/jsonfield"
	"platen/internal/words/problem"
)

// Argument describes one argument of a tool: a text, an integer, or a field of
// a request's body, which has the rules of that field.
type Argument struct {
	Name, Doc string
	Required  bool
	// Values are the texts that are allowed, empty for any.
	Values []string
	// Filled texts are not empty. Verbatim ones may contain control characters.
	Filled, Verbatim bool
	// Anything is set for a text in whose place anything may be sent: some clients send objects as text.
	Anything bool
	// Integer is set for numbers from Minimum to Maximum, the bounds included.
	Integer          bool
	Minimum, Maximum int64
	// Default is the number that counts when none is sent, nil for none.
	Default *int64

	// field and oneOf are the rules of a field of a body.
	field *shape
	oneOf bool
}

// IsObject reports whether an argument is an object with fields of its own.
func (a *Argument) IsObject() bool { return a.field != nil && a.field.form == formObject }

// Spelled is the JSON of an argument that was written as bare text: of a text that text, of a
// list of texts those between its commas, and of anything else what the text is as JSON.
func (a *Argument) Spelled(text string) json.RawMessage {
	quoted := func(value any) json.RawMessage {
		raw, _ := json.Marshal(value) // texts
		return raw
	}
	switch s := a.rules(); {
	case s.form == formArray && s.element.form == formString:
		return quoted(strings.Split(text, ","))
	case s.form != formString && json.Valid([]byte(text)):
		return json.RawMessage(text)
	default:
		return quoted(text)
	}
}

// rules returns the shape that an argument is checked by.
func (a *Argument) rules() *shape {
	switch {
	case a.field != nil:
		return a.field
	case a.Anything:
		return &shape{form: formAny, minimum: math.Inf(-1), maximum: math.Inf(1), verbatim: true}
	case a.Integer:
		return &shape{form: formInteger, minimum: float64(a.Minimum), maximum: float64(a.Maximum)}
	}
	s := &shape{
		form: formString, enum: a.Values, minimum: math.Inf(-1), maximum: math.Inf(1), most: math.MaxInt,
		verbatim: a.Verbatim,
	}
	if a.Filled {
		s.least = 1
	}
	return s
}

// Arguments returns the fields of a body as arguments, in the order of the
// struct.
func (i *Input) Arguments() []Argument {
	all := make([]Argument, len(i.shape.members))
	for at, m := range i.shape.members {
		all[at] = Argument{
			Name: m.name, Doc: m.doc, Required: m.required, field: m.shape, oneOf: slices.Contains(i.shape.oneOf, at),
		}
	}
	return all
}

// Arguments are the arguments of a tool with their compiled rules. They do not
// change and are safe for concurrent use.
type Arguments struct {
	shape     *shape
	defaults  map[string]json.RawMessage
	published json.RawMessage
}

// NewArguments compiles the arguments of a tool. Of two with one name the later
// counts.
func NewArguments(all ...Argument) (*Arguments, error) {
	a := &Arguments{
		shape:    &shape{form: formObject, index: map[string]int{}, minimum: math.Inf(-1), maximum: math.Inf(1)},
		defaults: map[string]json.RawMessage{},
	}
	for _, one := range all {
		at, again := a.shape.index[one.Name]
		if !again {
			at = len(a.shape.members)
			a.shape.index[one.Name], a.shape.members = at, append(a.shape.members, member{})
		}
		a.shape.members[at] = member{one.Name, one.Required, one.rules(), one.Doc}
		if one.oneOf {
			a.shape.oneOf = append(a.shape.oneOf, at)
		}
		if one.Default != nil {
			a.defaults[one.Name] = strconv.AppendInt(nil, *one.Default, 10)
		}
	}
	p := a.shape.published("")
	for name, value := range a.defaults {
		p.Properties[name].Default = value
	}
	for _, one := range all {
		if one.Anything {
			p.Properties[one.Name].Type = formString.keyword()
		}
	}
	var err error
	if a.published, err = json.Marshal(p); err != nil {
		return nil, fmt.Errorf("publish the schema of arguments: %w", err)
	}
	return a, nil
}

// MarshalJSON implements json.Marshaler: the published schema.
func (a *Arguments) MarshalJSON() ([]byte, error) { return a.published, nil }

// Read checks the arguments of a call, as Decode checks a body, and returns them
// as they were sent, with the defaults of those that were left out. An argument
// that is null counts as left out. Unknown arguments are among the faults only.
// The rules of the faults are the keywords of JSON Schema that the arguments
// break. Arguments that are no JSON object are refused with invalid_json.
func (a *Arguments) Read(raw []byte) (given map[string]json.RawMessage, faults []problem.Field, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = []byte("{}")
	}
	root, refusal := read(raw, "field arguments")
	if refusal != nil {
		return nil, nil, refusal
	}
	sent := &value{kind: root.kind}
	for i, v := range root.values {
		if v.kind != jsontext.KindNull {
			sent.names, sent.values = append(sent.names, root.names[i]), append(sent.values, v)
		}
	}
	c := checker{}
	c.object(a.shape, sent, "")
	for i := range c.fields {
		switch c.fields[i].Rule {
		case ruleUnknown:
			c.fields[i].Rule = "additionalProperties"
		case ruleInteger:
			c.fields[i].Rule = "type"
		}
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, nil, fmt.Errorf("split checked arguments: %w", err)
	}
	given = map[string]json.RawMessage{}
	for _, m := range a.shape.members {
		if v, ok := all[m.name]; ok && string(v) != "null" {
			given[m.name] = v
		} else if v, ok := a.defaults[m.name]; ok {
			given[m.name] = v
		}
	}
	return given, c.fields, nil
}

// property is a schema in the subset that every agent's client takes: flat
// objects of scalars, with at most one list, of flat objects or texts. Nothing
// that some client refuses is in it: no references, no lists of types, no
// combinations, no formats. All the other rules of a body are enforced and not
// published.
type property struct {
	Type        string               `json:"type,omitempty"`
	Description string               `json:"description,omitempty"`
	Enum        []any                `json:"enum,omitempty"`
	Default     json.RawMessage      `json:"default,omitempty"`
	Minimum     *float64             `json:"minimum,omitempty"`
	Maximum     *float64             `json:"maximum,omitempty"`
	Items       *property            `json:"items,omitempty"`
	Properties  map[string]*property `json:"properties,omitzero"`
	Required    []string             `json:"required,omitempty"`
	//nolint:tagliatelle // JSON Schema's spelling
	AdditionalProperties *bool `json:"additionalProperties,omitempty"`
}

// published is a shape in that subset.
func (s *shape) published(doc string) *property {
	p := &property{Type: s.form.keyword(), Description: doc}
	for _, word := range s.enum {
		if s.form == formInteger {
			p.Enum = append(p.Enum, json.Number(word))
			continue
		}
		p.Enum = append(p.Enum, word)
	}
	if !math.IsInf(s.minimum, 0) {
		p.Minimum = &s.minimum
	}
	if !math.IsInf(s.maximum, 0) {
		p.Maximum = &s.maximum
	}
	switch s.form {
	case formArray:
		// The words of a list would fill the model's context: 50 event types.
		if p.Items = (&property{Type: s.element.form.keyword()}); s.element.form == formObject {
			p.Items = s.element.published("")
		}
	case formObject:
		p.Properties, p.AdditionalProperties = map[string]*property{}, new(false)
		for _, m := range s.members {
			p.Properties[m.name] = m.shape.published(m.doc)
			if m.required {
				p.Required = append(p.Required, m.name)
			}
		}
	case formMapping, formString, formInteger, formNumber, formBoolean, formAny:
	}
	return p
}

// keyword is the form as JSON Schema names it, "" for any.
func (f form) keyword() string {
	switch f {
	case formObject, formMapping:
		return huma.TypeObject
	case formArray:
		return huma.TypeArray
	case formString:
		return huma.TypeString
	case formInteger:
		return huma.TypeInteger
	case formNumber:
		return huma.TypeNumber
	case formBoolean:
		return huma.TypeBoolean
	case formAny:
	}
	return ""
}

// words describes a field where its schema is published in that subset: the
// format, or an example, is said in the text.
func words(f *jsonfield.Field, s *huma.Schema) string {
	text := f.AgentDoc()
	switch {
	case s.Format == formatDate:
		text += " YYYY-MM-DD."
	case len(s.Examples) > 0:
		text += fmt.Sprintf(" Such as %v.", s.Examples[0])
	}
	return strings.TrimSpace(text)
}
