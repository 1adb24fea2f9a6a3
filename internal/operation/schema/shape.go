package schema

import (
	"encoding"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/words/jsonfield"
	"platen/internal/words/moment"
	"platen/internal/words/share"
)

// form is the kind of JSON value that a shape takes.
type form string

const (
	formObject  form = "an object"
	formMapping form = "an object with free field names"
	formArray   form = "an array"
	formString  form = "a string"
	formInteger form = "a whole number"
	formNumber  form = "a number"
	formBoolean form = "true or false"
	formAny     form = "anything"
)

// Formats that are checked; those of numbers say how wide they are and are
// implied by the Go type.
const (
	formatDate = "date"
	formatTime = "date-time"
)

// maxExact is the largest integer of which a schema's limits, which are
// floats, are exact.
const maxExact = 1<<53 - 1

// shape is a schema made ready for checking: references followed, fields in the
// order of the struct, limits filled in.
type shape struct {
	form     form
	nullable bool
	// members are the fields of an object, index their places by name.
	members []member
	index   map[string]int
	// element is the shape of the elements of an array or a mapping.
	element *shape
	// enum are the allowed texts of a string, or literals of an integer.
	enum             []string
	minimum, maximum float64
	// oneOf are the places of the fields of which exactly one is sent.
	oneOf []int
	// least and most count characters, items or fields.
	least, most int
	unique      bool
	pattern     *regexp.Regexp
	patternText string
	format      string
	// verbatim strings may contain control characters.
	verbatim bool
}

const (
	// tagOneOf marks fields of which exactly one is sent.
	tagOneOf = "oneOf"
	// tagVerbatim marks strings whose control characters the handler looks at.
	tagVerbatim = "verbatim"
)

type member struct {
	name     string
	required bool
	shape    *shape
	// doc describes the field to agents.
	doc string
}

// compiler makes shapes. The types on the way down are kept, because a body of
// a type that contains itself would have no deepest field.
type compiler struct {
	generator
	path []reflect.Type
}

func (c *compiler) compile(s *huma.Schema, t reflect.Type) (*shape, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	nullable := s.Nullable
	if s.Ref != "" {
		s = c.SchemaFromRef(s.Ref)
	}
	if err := unenforced(s); err != nil {
		return nil, err
	}
	out := &shape{
		nullable: nullable, minimum: math.Inf(-1), maximum: math.Inf(1), most: math.MaxInt,
		unique: s.UniqueItems, format: s.Format,
	}
	var err error
	switch s.Type {
	case huma.TypeObject:
		err = c.object(out, s, t)
	case huma.TypeArray:
		err = c.array(out, s, t)
	case huma.TypeString:
		err = c.text(out, s, t)
	case huma.TypeInteger, huma.TypeNumber:
		err = c.number(out, s, t)
	case huma.TypeBoolean:
		out.form = formBoolean
		err = plain(t, reflect.Bool)
	default:
		out.form = formAny
		if t != reflect.TypeFor[jsontext.Value]() && t != reflect.TypeFor[stdjson.RawMessage]() {
			err = errors.New("a free member is a jsontext.Value")
		}
	}
	return out, err
}

// unenforced names a rule that the schema publishes and nothing here checks.
func unenforced(s *huma.Schema) error {
	for keyword, used := range map[string]bool{
		"exclusiveMinimum": s.ExclusiveMinimum != nil, "exclusiveMaximum": s.ExclusiveMaximum != nil,
		"multipleOf": s.MultipleOf != nil, "dependentRequired": len(s.DependentRequired) > 0,
		"contentEncoding": s.ContentEncoding != "", "not": s.Not != nil,
		"anyOf": len(s.AnyOf) > 0, "oneOf": slices.ContainsFunc(s.OneOf,
			func(one *huma.Schema) bool { return len(one.Required) != 1 }), "allOf": len(s.AllOf) > 0,
	} {
		if used {
			return fmt.Errorf("the rule %s is not enforced", keyword)
		}
	}
	return nil
}

// plain says whether a type decodes by its kind alone, so that a checked value
// cannot fail to decode.
func plain(t reflect.Type, kinds ...reflect.Kind) error {
	pointer := reflect.PointerTo(t)
	if !slices.Contains(kinds, t.Kind()) || pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) ||
		pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) ||
		pointer.Implements(reflect.TypeFor[json.UnmarshalerFrom]()) {
		return fmt.Errorf("whether a body decodes into a %s cannot be known", t)
	}
	return nil
}

func (c *compiler) object(out *shape, s *huma.Schema, t reflect.Type) error {
	out.least, out.most = limits(s.MinProperties, s.MaxProperties)
	if t.Kind() == reflect.Map {
		return c.mapping(out, s, t)
	}
	out.form, out.index = formObject, map[string]int{}
	if slices.Contains(c.path, t) {
		return fmt.Errorf("%s contains itself", t)
	}
	c.path = append(c.path, t)
	defer func() { c.path = c.path[:len(c.path)-1] }()
	for _, f := range jsonfield.Of(t) {
		p, ok := s.Properties[f.JSON]
		if !ok {
			return fmt.Errorf("%s has no schema", f.JSON)
		}
		child, err := c.compile(p, f.Type)
		if err != nil {
			return fmt.Errorf("%s: %w", f.JSON, err)
		}
		child.verbatim = f.Tag.Get(tagVerbatim) == "true"
		out.index[f.JSON] = len(out.members)
		out.members = append(out.members, member{f.JSON, slices.Contains(s.Required, f.JSON), child, words(&f, p)})
		if slices.ContainsFunc(s.OneOf, func(one *huma.Schema) bool { return one.Required[0] == f.JSON }) {
			out.oneOf = append(out.oneOf, len(out.members)-1)
		}
	}
	return plain(t, reflect.Struct)
}

func (c *compiler) mapping(out *shape, s *huma.Schema, t reflect.Type) error {
	out.form = formMapping
	values, ok := s.AdditionalProperties.(*huma.Schema)
	if !ok {
		return fmt.Errorf("the values of %s have no schema", t)
	}
	var err error
	if out.element, err = c.compile(values, t.Elem()); err != nil {
		return err
	}
	return errors.Join(plain(t, reflect.Map), plain(t.Key(), reflect.String))
}

func (c *compiler) array(out *shape, s *huma.Schema, t reflect.Type) error {
	out.form = formArray
	out.least, out.most = limits(s.MinItems, s.MaxItems)
	if err := plain(t, reflect.Slice); err != nil {
		return err
	}
	var err error
	if out.element, err = c.compile(s.Items, t.Elem()); err != nil {
		return err
	}
	if out.unique && out.element.form != formString && out.element.form != formInteger {
		return errors.New("uniqueItems wants strings or integers")
	}
	return nil
}

func (c *compiler) text(out *shape, s *huma.Schema, t reflect.Type) error {
	out.form = formString
	out.least, out.most = limits(s.MinLength, s.MaxLength)
	for _, value := range s.Enum {
		if text, ok := value.(string); ok { // the other one is null
			out.enum = append(out.enum, text)
		}
	}
	if s.Pattern != "" {
		pattern, err := regexp.Compile(s.Pattern)
		if err != nil {
			return fmt.Errorf("pattern: %w", err)
		}
		out.pattern, out.patternText = pattern, s.PatternDescription
	}
	switch {
	case t == reflect.TypeFor[moment.Date]() && s.Format == formatDate,
		t == reflect.TypeFor[moment.Instant]() && s.Format == formatTime:
		return nil
	case s.Format != "" && s.Format != formatDate && s.Format != formatTime:
		return fmt.Errorf("the format %s is not enforced", s.Format)
	}
	return plain(t, reflect.String)
}

func (c *compiler) number(out *shape, s *huma.Schema, t reflect.Type) error {
	if s.Minimum != nil {
		out.minimum = *s.Minimum
	}
	if s.Maximum != nil {
		out.maximum = *s.Maximum
	}
	if s.Type == huma.TypeNumber {
		out.form = formNumber
		if len(s.Enum) > 0 {
			return errors.New("the enum of a number that may have decimals is not enforced")
		}
		if t == reflect.TypeFor[share.PerCent]() || t == reflect.TypeFor[share.PPM]() {
			if s.Minimum == nil || s.Maximum == nil {
				return errors.New("a share needs a minimum and a maximum, or it overflows")
			}
			return nil
		}
		return plain(t, reflect.Float64)
	}
	out.form = formInteger
	for _, limit := range []*float64{s.Minimum, s.Maximum} {
		if limit != nil && (*limit != math.Trunc(*limit) || math.Abs(*limit) > maxExact) {
			return fmt.Errorf("the limit %v is not an exact integer", *limit)
		}
	}
	for _, value := range s.Enum {
		if v, ok := value.(float64); ok {
			out.enum = append(out.enum, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	return plain(t, reflect.Int, reflect.Int64)
}

func limits(least, most *int) (int, int) {
	from, to := 0, math.MaxInt
	if least != nil {
		from = *least
	}
	if most != nil {
		to = *most
	}
	return from, to
}
