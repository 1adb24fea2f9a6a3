package schema

import (
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"platen/internal/words/problem"
)

// MaxFields is how many bad fields one refusal lists. A body of 16 KiB can hold
// thousands of unknown fields, and a response must not be many times as long as
// its request.
const MaxFields = 100

// Input is the struct of a request body with its compiled rules. It does not
// change and is safe for concurrent use.
//
// Tags: a field is optional unless `required:"true"`, and null is refused
// unless `nullable:"true"`, which structs cannot have. Strings, dates and
// instants of package moment, int64, float64, bool, structs, slices, maps and
// jsontext.Value are possible; enum, pattern, format, default, doc, example,
// uniqueItems and the minimums and maximums are huma's. A default is
// documentation: the handler applies it. `verbatim:"true"` leaves control
// characters of a string to the handler.
type Input struct {
	of    reflect.Type
	ref   *huma.Schema
	shape *shape
}

// NewInput registers the component of a struct type as an input and compiles
// its rules. The error is a mistake in the struct, found when the program
// starts: a tag that does not fit its field, or a rule that would be
// published and not enforced.
func NewInput(r *Registry, t reflect.Type) (in *Input, err error) {
	defer func() {
		if mistake := recover(); mistake != nil { // how huma reports bad tags
			in, err = nil, fmt.Errorf("input %s: %v", t, mistake)
		}
	}()
	if !isComponent(t) {
		return nil, fmt.Errorf("input %s: not a named struct", t)
	}
	g := generator{Registry: r, input: true}
	ref := g.Schema(t, true, "")
	shape, err := (&compiler{generator: g}).compile(ref, t)
	if err != nil {
		return nil, fmt.Errorf("input %s: %w", t, err)
	}
	return &Input{of: t, ref: ref, shape: shape}, nil
}

// Ref returns the reference to the input's component, for the document.
func (i *Input) Ref() *huma.Schema { return &huma.Schema{Ref: i.ref.Ref} }

// Empty returns a pointer to a zero value: the input of an operation whose body
// is optional and missing.
func (i *Input) Empty() any { return reflect.New(i.of).Interface() }

// Decode is DecodeInto a new value.
func (i *Input) Decode(body []byte) (any, error) {
	v := i.Empty()
	if err := i.DecodeInto(body, v); err != nil {
		return nil, err
	}
	return v, nil
}

// DecodeInto reads a body into a value that v points to, of the type. It refuses with
// invalid_json when the body is not one JSON object, and with
// validation_failed, which lists every bad field, when the object is not as
// the schema says. Any other error is a mistake of the program.
func (i *Input) DecodeInto(body []byte, v any) error {
	root, refusal := read(body, "body")
	if refusal != nil {
		return refusal
	}
	c := checker{}
	c.object(i.shape, root, "")
	if refusal := c.refusal(); refusal != nil {
		return refusal
	}
	if c.respelled {
		body = root.append(nil)
	}
	if err := json.Unmarshal(body, v, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("decode a checked body into %s: %w", i.of, err)
	}
	return nil
}

func (c *checker) refusal() *problem.Problem {
	if len(c.fields) == 0 {
		return nil
	}
	p := problem.Invalid(c.fields...)
	if c.unlisted > 0 {
		p.Message = fmt.Sprintf("%d fields of the body are invalid; the details name the first %d.",
			len(c.fields)+c.unlisted, len(c.fields))
	}
	return p
}
