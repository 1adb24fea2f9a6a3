package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"platen/internal/operation"
	"platen/internal/operation/schema"
	"platen/internal/publish/find"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
)

const (
	argumentQuery = "query"
	foundDefault  = 5
	maxFound      = 20
)

// Page is one place of the docs.
type Page struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Text  string `json:"text"`
}

// found is the data of the response to a search.
type found[T any] struct {
	Items []T `json:"items"`
}

// searching are the arguments of a search.
func searching(of string) []schema.Argument {
	return []schema.Argument{
		{Name: argumentQuery, Doc: of, Required: true, Filled: true, Verbatim: true},
		{Name: "limit", Integer: true, Minimum: 1, Maximum: maxFound, Default: new(int64(foundDefault))},
	}
}

// most is the most results of a search.
func (c *call) most() int {
	var most int
	_ = json.Unmarshal(c.arguments["limit"], &most) // checked before
	return most
}

// own runs a tool without an operation. It costs the same as a request, and
// nothing is done before that is paid.
func (c *call) own(find func() (any, error)) (*reply, error) {
	api := c.endpoint.options.API
	if err := c.endpoint.spend(c.incoming, c.credential(operation.Shared)); err != nil {
		return &reply{status: http.StatusTooManyRequests, body: api.Envelope(nil, err)}, nil
	}
	data, err := find()
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: api.Envelope(data, nil)}, nil
}

// searchDocs makes the tool that searches the docs.
func (b *builder) searchDocs(in entry) (*tool, error) {
	return in.tool(searching("Words, such as an error code or a resource."),
		func(_ context.Context, c *call) (*reply, error) {
			return c.own(func() (any, error) {
				pages, err := b.endpoint.options.Docs.Search(c.arguments.text(argumentQuery), c.most(), c.graded())
				return found[Page]{append([]Page{}, pages...)}, err //nolint:wrapcheck // it names the page
			})
		})
}

// graded reports whether the caller plays an evaluation.
func (c *call) graded() bool {
	mine := c.credential(operation.Shared)
	if mine == (apikey.Credential{}) {
		return false
	}
	caller, err := c.endpoint.options.API.Recognise(c.incoming.Request, mine)
	return err == nil && caller.Evaluation
}

// catalogueOf makes operations findable.
func catalogueOf(table []operation.Operation) *find.Index {
	texts := make([]find.Text, len(table))
	for i := range table {
		op := &table[i]
		texts[i] = find.Text{Title: op.ID + " " + op.Summary, Body: op.Path + " " + op.Description}
	}
	return find.New(texts)
}

// callable is an operation as search_operations shows it.
type callable struct {
	Operation   string            `json:"operation"`
	Summary     string            `json:"summary"`
	Description string            `json:"description,omitempty"`
	System      operation.System  `json:"system"`
	Request     string            `json:"request"`
	Places      []string          `json:"ids,omitempty"`
	Query       []string          `json:"query,omitempty"`
	Body        *schema.Arguments `json:"body,omitempty"`
	Problems    []problem.Code    `json:"errors,omitempty"`
}

// searchOperations makes the tool that finds the operations which other tools
// do not cover.
func (b *builder) searchOperations(in entry) (*tool, error) {
	shown := map[string]*callable{}
	for i := range b.endpoint.options.Operations {
		op := &b.endpoint.options.Operations[i]
		c := &callable{
			Operation: op.ID, Summary: op.Summary, Description: op.Description, System: op.System,
			Request: op.Method + " " + op.Path, Places: op.PathParamNames(), Problems: op.Problems,
		}
		for _, p := range op.Query() {
			c.Query = append(c.Query, p.Name)
		}
		if op.In != nil && op.In.NumField() > 0 {
			fields, err := b.body(op)
			if err != nil {
				return nil, err
			}
			if c.Body, err = schema.NewArguments(fields...); err != nil {
				return nil, fmt.Errorf("publish the body of %s: %w", op.ID, err)
			}
		}
		shown[op.ID] = c
	}
	return in.tool(searching("The thing to do, such as 'webhook' or 'hire'."),
		func(_ context.Context, c *call) (*reply, error) {
			return c.own(func() (any, error) {
				items := []*callable{}
				for _, i := range b.endpoint.catalogue.Search(c.arguments.text(argumentQuery), maxFound) {
					op := &b.endpoint.options.Operations[i]
					if c.reaches(op) && len(items) < c.most() {
						items = append(items, shown[op.ID])
					}
				}
				return found[*callable]{items}, nil
			})
		})
}

// reaches reports whether an address has an operation. The ones that need no
// key have a tool of their own. No agent ends the company that it works for, or goes on
// in a copy, which would have keys of its own.
func (c *call) reaches(op *operation.Operation) bool {
	return op.System != operation.Open && op.Kind != operation.Deletion && op.Kind != operation.Fork &&
		(c.system == operation.Shared || op.System == operation.Shared || op.System == c.system)
}

// anything makes the tool that calls any operation.
func (b *builder) anything(in entry) (*tool, error) {
	arguments := []schema.Argument{
		{Name: "operation", Doc: "Its id, from search_operations.", Required: true, Filled: true},
		{Name: "id", Doc: "The {id} of the path.", Filled: true},
		{Name: "delivery_id", Doc: "The {delivery_id} of the path.", Filled: true},
		{Name: "query", Doc: "Of reads, such as status=active&limit=5."},
		{Name: "body", Doc: "Of writes: a JSON object, or one written as text.", Anything: true},
	}
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		in, err := c.free()
		if err != nil {
			return nil, err
		}
		return c.perform(ctx, in)
	})
}

// free is the request of call_operation.
func (c *call) free() (toolRequest, error) {
	op := c.endpoint.operations[c.arguments.text("operation")]
	if op == nil || !c.reaches(op) {
		return toolRequest{}, refused(c.tool, problem.Field{Field: "operation", Rule: "enum",
			Message: "operation must be one that search_operations names for this address."})
	}
	in := toolRequest{
		operation: op, places: map[string]string{}, key: c.arguments.text(argumentIdempotency),
	}
	var faults []problem.Field
	switch body := c.arguments["body"]; {
	case len(body) == 0:
	case body[0] == '"':
		in.text = c.arguments.text("body")
	case body[0] == '{':
		in.text = string(body)
	default:
		faults = append(faults, problem.Field{Field: "body", Rule: "type", Message: "body must be a JSON object."})
	}
	for _, place := range op.PathParamNames() {
		if in.places[place] = c.arguments.text(place); in.places[place] == "" {
			faults = append(faults, missing(place))
		}
	}
	var err error
	if in.query, err = url.ParseQuery(c.arguments.text("query")); err != nil {
		faults = append(faults,
			problem.Field{Field: "query", Rule: "format", Message: "query must look like status=active&limit=5."})
	}
	if in.text != "" && op.Method == http.MethodGet {
		faults = append(faults, problem.Field{
			Field: "body", Rule: "additionalProperties", Message: op.ID + " is a read and takes no body.",
		})
	}
	if len(faults) > 0 {
		return toolRequest{}, refused(c.tool, faults...)
	}
	if op.Paged() && !in.query.Has(operation.ParameterLimit) {
		in.query.Set(operation.ParameterLimit, strconv.Itoa(pageDefault))
	}
	return in, nil
}
