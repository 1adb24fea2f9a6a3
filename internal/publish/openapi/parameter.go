package openapi

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/operation"
	"platen/internal/words/wire"
)

// parameterRef begins references to parameters.
const parameterRef = "#/components/parameters/"

// parameters are those of an operation's path, query and headers. Those that
// mean the same everywhere are among the components.
func (w *writer) parameters(op *operation.Operation) []*huma.Param {
	var params []*huma.Param
	for _, p := range op.Parameters() {
		if p.Name == wire.HeaderVersion || p.Name == wire.HeaderIfNoneMatch {
			continue // the description of the API has it
		}
		if p.Name == wire.HeaderIdempotencyKey && op.Kind == operation.Creation {
			// An importer would make a text of it that all its users send, and get one sandbox between them.
			continue
		}
		param := &huma.Param{
			Name: p.Name, In: string(p.In), Required: p.Required && p.InsteadOf == "", Description: p.Doc,
			Schema: schemaOf(&p),
		}
		if p.Example != "" {
			param.Example = p.Example
		}
		if p.Filter && len(p.Values) > 0 {
			if of := w.filter(op, &p); of != nil {
				param.Schema = of
			}
		}
		if p.Filter && len(param.Schema.Enum) == 0 {
			// The schema of the rows says the rest.
			first, _, _ := strings.Cut(p.Doc, ". ")
			param.Description = strings.TrimSuffix(first, ".") + "."
		}
		if p.Common {
			component := p.Name
			if p.In == operation.InHeader && p.Required {
				component += ".required"
			}
			w.document.Components.Parameters[component] = param
			param = &huma.Param{Ref: parameterRef + component}
		}
		params = append(params, param)
	}
	return params
}

// schemaOf is the schema of a parameter's value.
func schemaOf(p *operation.Parameter) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	switch p.Type {
	case operation.Integer, operation.Sequence:
		s.Type, s.Minimum = huma.TypeInteger, new(float64(p.Minimum))
		if p.Type == operation.Integer {
			s.Maximum = new(float64(p.Maximum))
		}
		if p.Default != nil {
			s.Default = *p.Default
		}
	case operation.Time:
		s.Format = "date-time"
	case operation.Date:
		s.Format = "date"
	case operation.Text:
		if p.MaxLength > 0 {
			s.MinLength, s.MaxLength = new(int(p.Minimum)), new(p.MaxLength)
		}
		for _, value := range p.Values {
			s.Enum = append(s.Enum, value)
		}
	}
	return s
}
