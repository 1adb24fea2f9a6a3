package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// extensibleEnum lists the values of an enumeration that may get more of them.
const extensibleEnum = "x-extensible-enum"

// extensible ends the descriptions of such enumerations.
const extensible = "Extensible enum."

// open takes the enumerations off everything that is received: the server may add values to them, and a program
// that is made of the document must go on (contract: OPEN.HTTP.EXTENSIBLE). Their values are examples. What is sent
// keeps its enumerations.
func (w *writer) open() {
	sent, received := &reach{of: w}, &reach{of: w}
	for _, item := range w.document.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			for _, p := range op.Parameters {
				sent.visit(p.Schema)
			}
			if op.RequestBody != nil {
				sent.content(op.RequestBody.Content)
			}
			for _, r := range op.Responses {
				received.content(r.Content)
			}
			for _, callback := range op.Callbacks {
				for _, item := range callback {
					received.content(item.Post.RequestBody.Content)
				}
			}
		}
	}
	for _, p := range w.document.Components.Parameters {
		sent.visit(p.Schema)
	}
	for _, r := range w.document.Components.Responses {
		received.content(r.Content)
	}
	components := w.registry.Schemas()
	both := map[*huma.Schema]bool{} // that requests refer to: what is received has the values in its own place
	for name := range sent.names {
		both[components[name]] = true
	}
	for _, s := range received.seen {
		target := w.target(s)
		switch {
		case both[s]:
		case s.Ref == "":
			if slices.Contains(sent.seen, s) {
				panic("an object with an enumeration is sent and received: " + s.Description)
			}
			extend(s)
		case both[target] && len(target.Enum) > 0:
			inline := *target
			inline.Description = cmp.Or(s.Description, inline.Description)
			*s = inline
			extend(s)
		}
	}
}

// target is the schema that a reference leads to, over others.
func (w *writer) target(s *huma.Schema) *huma.Schema {
	for s.Ref != "" {
		s = w.registry.Schemas()[strings.TrimPrefix(s.Ref, schemas)]
	}
	return s
}

// extend turns an enumeration into text with examples.
func extend(s *huma.Schema) {
	values := slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return v == nil })
	s.Enum, s.Examples = nil, values
	s.Description = strings.TrimSpace(s.Description + " " + extensible)
	s.Extensions = map[string]any{extensibleEnum: values}
}

// reach collects the enumerations that some schemas lead to, and the references to components.
type reach struct {
	of    *writer
	names map[string]bool
	seen  []*huma.Schema
}

func (r *reach) content(media map[string]*huma.MediaType) {
	for _, m := range media {
		r.visit(m.Schema)
	}
}

func (r *reach) visit(s *huma.Schema) {
	if s == nil {
		return
	}
	if name, is := strings.CutPrefix(s.Ref, schemas); is {
		r.seen = append(r.seen, s)
		if !r.names[name] {
			if r.names == nil {
				r.names = map[string]bool{}
			}
			r.names[name] = true
			r.visit(r.of.registry.Schemas()[name])
		}
		return
	}
	if len(s.Enum) > 0 && s.Type == huma.TypeString {
		r.seen = append(r.seen, s)
	}
	for _, property := range s.Properties {
		r.visit(property)
	}
	r.visit(s.Items)
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		r.visit(part)
	}
}
