package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/operation"
	"platen/internal/operation/schema"
)

// pageDefault is the number of rows of a list unless the model asks for
// another: half of the number for programs, since a model reads them all.
const pageDefault = 20

// tool is a tool with its implementation.
type tool struct {
	sdk.Tool
	// system is the system at whose address the tool is; Shared tools are
	// everywhere.
	system operation.System
	// plays is set for the few tools that playing takes.
	plays bool
	input *schema.Arguments
	// output is the form of its results, nil where they have several.
	output json.RawMessage
	run    func(ctx context.Context, c *call) (*reply, error)
}

// shownAt reports whether the address of a system has the tool.
func (t *tool) shownAt(s operation.System) bool {
	return s == operation.Shared || t.system == operation.Shared || t.system == s
}

// entry is the hand-written part of a tool; the rest is read from the
// operations that it names.
type entry struct {
	name, title, description string
	system                   operation.System
	// deletes is set for tools whose effect cannot be undone, open for tools
	// that reach out of the sandbox.
	deletes, open bool
	// writes is set for tools that may change the company.
	writes bool
	// unowned tools need no sandbox.
	unowned bool
	// plays is set for the few tools that playing takes.
	plays bool
	// viewed tools show their response in short where a call asks for it.
	viewed bool
}

// tool makes a tool of an entry. Of two arguments with one name the later counts. It has no
// output schema, which would double the list that a model reads: an address that asks for them has those of the tools
// whose results have one form.
func (e *entry) tool(arguments []schema.Argument, run func(context.Context, *call) (*reply, error)) (*tool, error) {
	if !e.unowned {
		arguments = append(arguments, schema.Argument{Name: argumentSandbox, Doc: "The handle."})
	}
	if e.writes {
		arguments = append(arguments, schema.Argument{Name: argumentIdempotency, Filled: true})
	}
	slices.SortStableFunc(arguments, func(a, b schema.Argument) int { return cmp.Compare(a.Name, b.Name) })
	input, err := schema.NewArguments(arguments...)
	if err != nil {
		return nil, fmt.Errorf("compile its arguments: %w", err)
	}
	return &tool{
		Tool: sdk.Tool{
			Name: e.name, Title: e.title, Description: e.description, InputSchema: input,
			Annotations: &sdk.ToolAnnotations{
				ReadOnlyHint: !e.writes, DestructiveHint: new(e.deletes), IdempotentHint: !e.writes,
				OpenWorldHint: new(e.open),
			},
		},
		system: e.system, plays: e.plays, input: input, run: run,
	}, nil
}

// builder makes tools from the operation table.
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

// body returns the fields of an operation's body as arguments, but for objects,
// which some clients refuse in a schema: call_operation takes those.
func (b *builder) body(op *operation.Operation) ([]schema.Argument, error) {
	if op.In == nil {
		return nil, nil
	}
	in, err := schema.NewInput(b.registry, op.In)
	if err != nil {
		return nil, fmt.Errorf("read the body of %s: %w", op.ID, err)
	}
	return slices.DeleteFunc(in.Arguments(), func(a schema.Argument) bool { return a.IsObject() }), nil
}

// one makes a tool of one operation: the ids of its path, its parameters and
// the fields of its body are the arguments.
func (b *builder) one(in entry, operationID string) (*tool, error) {
	op, err := b.operation(operationID)
	if err != nil {
		return nil, err
	}
	in.writes = op.Kind == operation.Write
	arguments, err := b.body(op)
	if err != nil {
		return nil, err
	}
	arguments = append(arguments, query(op)...)
	for _, place := range op.PathParamNames() {
		arguments = append(arguments, schema.Argument{Name: place, Required: true, Filled: true})
	}
	if in.viewed {
		arguments = append(arguments, viewing()...)
	}
	t, err := in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) { return c.read(ctx, op) })
	if err == nil {
		t.output, err = b.output(op)
	}
	return t, err
}

// read performs an operation with the arguments of the call, and shows the response as they
// say. used are arguments that are no part of the request.
func (c *call) read(ctx context.Context, op *operation.Operation, used ...string) (*reply, error) {
	w, err := c.wants(op)
	if err != nil {
		return nil, err
	}
	return w.show(c.perform(ctx, c.toolRequest(op, used)))
}

// query returns the parameters of the operations' queries as arguments. Models
// read each page whole, so they get fewer rows in one unless they ask for more.
func query(ops ...*operation.Operation) []schema.Argument {
	var all []schema.Argument
	for _, op := range ops {
		for _, p := range op.Query() {
			a := schema.Argument{Name: p.Name, Doc: p.Doc}
			switch p.Type {
			case operation.Integer, operation.Sequence:
				// Other numbers do not pass through all clients.
				a.Integer, a.Minimum, a.Maximum, a.Default = true, p.Minimum, min(p.Maximum, 1<<53-1), p.Default
			case operation.Time:
				a.Doc = "An RFC 3339 time." // its name says the rest
			case operation.Text, operation.Date:
				if a.Values = p.Values; len(a.Values) > 0 {
					a.Doc = ""
				}
			}
			if p.Name == operation.ParameterLimit {
				a.Default, a.Doc = new(int64(pageDefault)), "" // its name and bounds say it
			}
			if p.Name == operation.ParameterCursor {
				a.Doc = "next_cursor."
			}
			all = append(all, a)
		}
	}
	return all
}

// toolRequest is the request for an operation. The arguments go to their places
// in the operation; those that were used for something else are left out.
func (c *call) toolRequest(op *operation.Operation, used []string) toolRequest {
	in := toolRequest{
		operation: op, places: map[string]string{}, query: url.Values{}, body: map[string]json.RawMessage{},
		key: c.arguments.text(argumentIdempotency),
	}
	used = append(slices.Concat(op.PathParamNames(),
		[]string{argumentSandbox, argumentIdempotency, argumentView, argumentFields}), used...)
	for _, place := range op.PathParamNames() {
		in.places[place] = c.arguments.text(place)
	}
	for name, value := range c.arguments {
		switch {
		case slices.Contains(used, name):
		case op.Method == http.MethodGet:
			in.query.Set(name, c.arguments.plain(name))
		default:
			in.body[name] = value
		}
	}
	return in
}

// grouped is the operations of one kind of a system, by the word that picks one.
type grouped map[string]*operation.Operation

// group collects the operations of a system whose paths hold no more than one
// id. All are known by the names of their lists, so that a model needs one word
// for a resource.
func (b *builder) group(system operation.System, kinds ...operation.Kind) grouped {
	names, picked := map[string]string{}, grouped{}
	for i := range b.endpoint.options.Operations {
		if op := &b.endpoint.options.Operations[i]; op.System == system &&
			op.Kind == operation.List && op.Parent == "" {
			names[op.Resource] = plain(op.ID, "list_", system)
		}
	}
	for i := range b.endpoint.options.Operations {
		op := &b.endpoint.options.Operations[i]
		if op.System != system || op.Parent != "" || !slices.Contains(kinds, op.Kind) {
			continue
		}
		word := names[op.Resource]
		if word == "" {
			word = plain(op.ID, "get_", system)
		}
		picked[word] = op
	}
	return picked
}

// plain is the noun of an operation's id, without the system.
func plain(id, verb string, system operation.System) string {
	return strings.TrimPrefix(strings.TrimPrefix(id, verb), string(system)+"_")
}

func (g grouped) words() []string { return slices.Sorted(maps.Keys(g)) }

// maxNamed is the largest number of lists that the description of a filter
// names: models read every word of it.
const maxNamed = 4

// filters are the filters of the lists as arguments, which say for which lists
// they are.
func (g grouped) filters() []schema.Argument {
	lists, all := map[string][]string{}, []schema.Argument(nil)
	for _, word := range g.words() {
		for _, name := range g[word].Filters {
			lists[name] = append(lists[name], word)
		}
	}
	for name, of := range lists {
		a := schema.Argument{Name: name, Doc: "For " + strings.Join(of, ", ") + "."}
		if len(of) > maxNamed {
			a.Doc = "For most lists."
		}
		all = append(all, a)
	}
	return all
}

const argumentResource = "resource"

// list makes a tool of all lists of a system.
func (b *builder) list(in entry) (*tool, error) {
	lists := b.group(in.system, operation.List)
	arguments := append(query(slices.Collect(maps.Values(lists))...), lists.filters()...)
	arguments = append(arguments, schema.Argument{Name: argumentResource, Required: true, Values: lists.words()})
	arguments = append(arguments, viewing()...)
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		return c.read(ctx, lists[c.arguments.text(argumentResource)], argumentResource)
	})
}

// row makes a tool of all rows and objects of a system.
func (b *builder) row(in entry) (*tool, error) {
	rows := b.group(in.system, operation.Row, operation.Object)
	arguments := []schema.Argument{
		{Name: argumentResource, Required: true, Values: rows.words()}, {Name: "id", Filled: true},
	}
	arguments = append(arguments, viewing()...)
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		op := rows[c.arguments.text(argumentResource)]
		if op.HasID() && c.arguments.text("id") == "" {
			return nil, refused(c.tool, missing("id"))
		}
		return c.read(ctx, op, argumentResource, "id")
	})
}

// answer makes a tool of two operations that accept and decline an offer.
func (b *builder) answer(in entry, accept, decline string) (*tool, error) {
	yes, err := b.operation(accept)
	if err != nil {
		return nil, err
	}
	no, err := b.operation(decline)
	if err != nil {
		return nil, err
	}
	in.writes = true
	arguments, err := b.body(no)
	if err != nil {
		return nil, err
	}
	arguments = append(arguments, schema.Argument{Name: "id", Required: true, Filled: true},
		schema.Argument{Name: "answer", Required: true, Values: []string{"accept", "decline"}})
	t, err := in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		op := no
		if c.arguments.text("answer") == "accept" {
			op = yes
		}
		return c.perform(ctx, c.toolRequest(op, []string{"answer"}))
	})
	if err == nil {
		t.output, err = b.output(yes) // an order or a lot, whatever the answer
	}
	return t, err
}

// wait makes the tool that waits for events.
func (b *builder) wait(in entry) (*tool, error) {
	op, err := b.operation("poll_events")
	if err != nil {
		return nil, err
	}
	// A number alone says where to go on, so that a model has one thing to keep.
	arguments := slices.DeleteFunc(query(op), func(a schema.Argument) bool {
		return a.Name == operation.ParameterCursor || a.Name == operation.ParameterUpdatedSince
	})
	for i := range arguments {
		switch a := &arguments[i]; a.Name {
		case operation.ParameterWaitS:
			a.Doc = ""
		case operation.ParameterAfterSeq:
			a.Default, a.Doc = new(int64), "The last seq that you have seen; 0 for none."
		}
	}
	arguments = append(arguments, viewing()...)
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) { return c.read(ctx, op) })
}
