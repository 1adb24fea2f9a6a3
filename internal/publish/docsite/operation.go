package docsite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"platen/internal/operation"
	"platen/internal/publish/specimen"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// operationView is the data of an operation's page in the reference.
type operationView struct {
	*operation.Operation
	URL string
	// Samples are the call in each language.
	Samples []sample
	// Answer is a recorded response, empty while none was recorded.
	Answer string
	Query  []field
	Body   []field
	// TryBody is the initial body in the page's form.
	TryBody string
	// Reader is the operation that reads the data of this one's response, nil
	// when the fields are listed here.
	Reader  *operation.Operation
	Returns []field
	// Own are the problems of this operation, General those that follow from
	// its kind and its rules.
	Own, General []problem.Definition
}

// operationGroup is the operations of one task.
type operationGroup struct {
	operation.TaskGroup
	Operations []*operation.Operation
}

// apiPath is where the reference of operations is.
const apiPath = "/docs/api"

func operationPath(op *operation.Operation) string { return apiPath + "/" + op.ID }

func (l *library) operationView(op *operation.Operation) (operationView, error) {
	v := operationView{Operation: op, URL: wire.BasePath + op.Path, Query: queryOf(op), Reader: l.reader(op)}
	if op.In != nil {
		v.Body = fieldsOf(op.In, input)
	}
	if op.Out != nil && (v.Reader == nil || !op.Paged()) {
		v.Returns = fieldsOf(op.Out, output)
	}
	if op.In != nil {
		v.TryBody = specimen.Body(op)
	}
	v.Answer = indented(l.examples.Operations[op.ID].Answer)
	general := op.Common()
	for _, d := range l.problems {
		switch {
		case slices.Contains(op.Problems, d.Code):
			v.Own = append(v.Own, d)
		case slices.Contains(general, d.Code):
			v.General = append(v.General, d)
		}
	}
	var err error
	v.Samples, err = l.samples(op)
	return v, err
}

// Tried reports whether the page can make the call: with a key, and in the
// form of a call that ends.
func (o operationView) Tried() bool { return o.System != operation.Open }

// QueryNames are the parameters, with spaces between them.
func (o operationView) QueryNames() string {
	names := make([]string, len(o.Query))
	for i := range o.Query {
		names[i] = o.Query[i].Name
	}
	return strings.Join(names, " ")
}

// reader finds the operation that reads the data of an operation's response.
func (s *Site) reader(op *operation.Operation) *operation.Operation {
	for i := range s.operations {
		other := &s.operations[i]
		if other.Kind == operation.Row && other.ID != op.ID && other.Out == op.Out {
			return other
		}
	}
	return nil
}

// queryOf describes the parameters of an operation's query: first those that
// are its own.
func queryOf(op *operation.Operation) []field {
	var own, common []field
	for _, p := range op.Query() {
		f := field{Name: p.Name, Required: p.Required, Doc: p.Doc, Values: p.Values}
		switch p.Type {
		case operation.Integer:
			f.Type, f.Limits = "integer", fmt.Sprintf("%d to %d", p.Minimum, p.Maximum)
		case operation.Sequence:
			f.Type, f.Limits = "integer", "at least 0"
		case operation.Text:
			f.Type = "string"
		case operation.Time, operation.Date:
			f.Type = string(p.Type)
		}
		if p.Default != nil && *p.Default > 0 {
			f.Doc = fmt.Sprintf("%s; %d when left out.", strings.TrimSuffix(p.Doc, "."), *p.Default)
		}
		if p.Common {
			common = append(common, f)
		} else {
			own = append(own, f)
		}
	}
	return append(own, common...)
}

// KeyText describes the operation's treatment of the header Idempotency-Key.
func (o operationView) KeyText() string {
	switch o.Key {
	case operation.KeyRequired:
		return "Idempotency-Key required"
	case operation.KeyAccepted:
		return "Idempotency-Key accepted"
	case operation.KeyNone:
	}
	return ""
}

// Plural reports whether the response is a page of many.
func (o operationView) Plural() bool { return o.Paged() }

// indented is JSON with indentation, for people. A text that is no JSON becomes
// empty.
func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return b.String()
}

func (l *library) addOperations() error {
	var groups []operationGroup
	beside := []contents{{Links: []link{{Path: apiPath, Text: "All operations"}}}}
	for _, task := range operation.Tasks() {
		group, list := operationGroup{TaskGroup: task}, contents{Title: string(task.Task)}
		for i := range l.operations {
			if op := &l.operations[i]; op.Task() == task.Task {
				group.Operations = append(group.Operations, op)
				list.Links = append(list.Links, link{Path: operationPath(op), Text: op.Summary, Mark: op.Method})
			}
		}
		if len(group.Operations) > 0 {
			groups, beside = append(groups, group), append(beside, list)
		}
	}
	err := l.add(apiPath, apiPath, func() (page, error) {
		return page{
			Template: "operations", Title: "Operations", Contents: beside, Content: groups,
			Description: "Every operation of the API: path, key, body, response, errors and events.",
		}, nil
	})
	var all []link
	for _, list := range beside[1:] {
		all = append(all, list.Links...)
	}
	for _, group := range groups {
		for _, op := range group.Operations {
			if err != nil {
				return err
			}
			err = l.add(operationPath(op), apiPath, func() (page, error) {
				v, err := l.operationView(op)
				p := page{
					Template: "operation", Title: v.Summary, Contents: beside, Content: v, Description: v.Description,
					Scripts: []string{"try.js"}, Styles: []string{"parts.css"},
				}
				p.Previous, p.Next = neighbours(all, slices.IndexFunc(all, func(to link) bool {
					return to.Path == operationPath(op)
				}))
				return p, err
			})
		}
	}
	return err
}
