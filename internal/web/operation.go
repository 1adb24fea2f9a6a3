package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"platen/internal/operation"
	"platen/internal/problem"
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

// operationGroup is the operations of one system.
type operationGroup struct {
	System     operation.System
	Operations []operationView
}

// apiPath is where the reference of operations is.
const apiPath = "/docs/api"

func operationPath(op *operation.Operation) string { return apiPath + "/" + op.ID }

func (s *site) operationView(op *operation.Operation) (operationView, error) {
	v := operationView{Operation: op, URL: basePath + op.Path, Query: queryOf(op), Reader: s.reader(op)}
	if op.In != nil {
		v.Body = fieldsOf(op.In, input)
	}
	if op.Out != nil && (v.Reader == nil || !op.Paged()) {
		v.Returns = fieldsOf(op.Out, output)
	}
	if op.In != nil {
		v.TryBody = sampleBody(op, v.Body)
	}
	v.Answer = indented(s.examples.Operations[op.ID].Answer)
	general := op.Common()
	for _, d := range s.problems {
		switch {
		case slices.Contains(op.Problems, d.Code):
			v.Own = append(v.Own, d)
		case slices.Contains(general, d.Code):
			v.General = append(v.General, d)
		}
	}
	var err error
	v.Samples, err = s.samples(op, v)
	return v, err
}

// Tried reports whether the page can make the call: with a key, and in the
// form of a call that ends.
func (v operationView) Tried() bool { return v.System != operation.Open }

// QueryNames are the parameters, with spaces between them.
func (v operationView) QueryNames() string {
	names := make([]string, len(v.Query))
	for i := range v.Query {
		names[i] = v.Query[i].Name
	}
	return strings.Join(names, " ")
}

// reader finds the operation that reads the data of an operation's response.
func (s *site) reader(op *operation.Operation) *operation.Operation {
	for i := range s.operations {
		other := &s.operations[i]
		if other.Kind == operation.Row && other.ID != op.ID && other.Out == op.Out {
			return other
		}
	}
	return nil
}

// queryOf lists the parameters of a list.
func queryOf(op *operation.Operation) []field {
	if op.ValueSince != nil {
		return []field{{Name: "since", Type: "integer", Limits: "at least 0", Doc: "Only points from this event on; the point that you have seen last comes again."}}
	}
	if !op.Paged() {
		return nil
	}
	query := []field{}
	if op.Streams() {
		query = append(query, field{Name: "after_seq", Type: "integer", Required: op.Kind == operation.Poll, Limits: "at least 0", Doc: "Only events with a greater number."})
	}
	if op.Kind == operation.Poll {
		query = append(query, field{
			Name: "wait_s", Type: "integer", Limits: fmt.Sprintf("0 to %d", operation.PollMostSeconds),
			Doc: fmt.Sprintf("How long to wait, in seconds; %d when left out.", operation.PollDefaultSeconds),
		})
	}
	for _, name := range op.Filters {
		query = append(query, field{Name: name, Type: "string", Doc: filterDoc(op, name)})
	}
	return append(query,
		field{Name: "limit", Type: "integer", Limits: "1 to 100", Doc: "Rows in a page; 50 when left out."},
		field{Name: "cursor", Type: "string", Doc: "next_cursor of the page before, unchanged."},
		field{Name: "updated_since", Type: "time", Doc: "Only what was written or changed at or after this time."},
	)
}

func filterDoc(op *operation.Operation, name string) string {
	if op.Streams() && name == "types" {
		return "Only events of these types, separated by commas."
	}
	for _, f := range fieldsOf(op.Out, output) {
		if f.Name == name && len(f.Values) > 0 {
			return "One of " + strings.Join(f.Values, ", ") + "."
		}
	}
	return "Only rows with this " + strings.ReplaceAll(name, "_", " ") + "."
}

// KeyText describes the operation's treatment of the header Idempotency-Key.
func (v operationView) KeyText() string {
	switch v.Key {
	case operation.KeyRequired:
		return "Idempotency-Key required"
	case operation.KeyAccepted:
		return "Idempotency-Key accepted"
	case operation.KeyNone:
	}
	return ""
}

// Plural reports whether the response is a page of many.
func (v operationView) Plural() bool { return v.Paged() }

// indented is JSON with indentation, for people. A text that is no JSON becomes
// empty.
func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return b.String()
}

func (s *site) addOperations() error {
	var groups []operationGroup
	beside := []contents{{Links: []link{{Path: apiPath, Text: "All operations"}}}}
	for _, system := range []operation.System{operation.Open, operation.Shared, operation.Office, operation.Factory} {
		group, list := operationGroup{System: system}, contents{Title: systemName(system), System: system}
		for i := range s.operations {
			if op := &s.operations[i]; op.System == system {
				v, err := s.operationView(op)
				if err != nil {
					return err
				}
				group.Operations = append(group.Operations, v)
				list.Links = append(list.Links, link{Path: operationPath(op), Text: op.Summary, Mark: op.Method})
			}
		}
		if len(group.Operations) > 0 {
			groups, beside = append(groups, group), append(beside, list)
		}
	}
	err := s.add(page{
		Template: "operations", Title: "Operations", Path: apiPath, Section: apiPath, Contents: beside, Content: groups,
		Description: "Every operation of the API: path, key, body, response, errors and events.",
	})
	var all []link
	for _, list := range beside[1:] {
		all = append(all, list.Links...)
	}
	i := 0
	for _, group := range groups {
		for _, v := range group.Operations {
			if err != nil {
				return err
			}
			p := page{Template: "operation", Title: v.Summary, Path: operationPath(v.Operation), Section: apiPath, Contents: beside, Content: v, Description: v.Description, Scripts: []string{"try.js"}, Styles: []string{"parts.css"}}
			p.Previous, p.Next = neighbours(all, i)
			err = s.add(p)
			i++
		}
	}
	return err
}
