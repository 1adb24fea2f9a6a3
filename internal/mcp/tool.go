package mcp

import (
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
	input  *object
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
}

// output is the schema of every result: an envelope (contract:
// OPEN.MCP.ENVELOPE).
const output = `{"type":"object","properties":{"meta":{"type":"object"},"data":{"type":"object"}},` +
	`"required":["meta","data"]}`

// tool makes a tool of an entry.
func (in *entry) tool(arguments *object, run func(context.Context, *call) (*reply, error)) (*tool, error) {
	if !in.unowned {
		arguments.Properties[argumentSandbox] = text("Handle; if the session lost it.")
	}
	if in.writes {
		arguments.Properties[argumentIdempotency] = text("")
	}
	slices.Sort(arguments.Required)
	published, err := encode(arguments)
	if err != nil {
		return nil, err
	}
	return &tool{
		Tool: sdk.Tool{
			Name: in.name, Title: in.title, Description: in.description, InputSchema: published,
			OutputSchema: json.RawMessage(output),
			Annotations: &sdk.ToolAnnotations{
				ReadOnlyHint: !in.writes, DestructiveHint: new(in.deletes), IdempotentHint: !in.writes,
				OpenWorldHint: new(in.open),
			},
		},
		system: in.system, input: arguments, run: run,
	}, nil
}

// one makes a tool of one operation: the ids of its path, its parameters and
// the fields of its body are the arguments.
func (b *builder) one(in entry, operationID string) (*tool, error) {
	op, err := b.operation(operationID)
	if err != nil {
		return nil, err
	}
	in.writes = op.Kind == operation.Write
	arguments := newObject()
	for _, place := range op.PathParamNames() {
		arguments.require(place, id(""))
	}
	b.query(arguments, op)
	if err := b.body(arguments, op); err != nil {
		return nil, err
	}
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		return c.perform(ctx, c.toolRequest(op, nil))
	})
}

// query adds the parameters of the operations' queries. Models read each page
// whole, so they get fewer rows in one unless they ask for more.
func (b *builder) query(o *object, ops ...*operation.Operation) {
	for _, op := range ops {
		for _, p := range op.Query() {
			argument := argumentOf(&p)
			if p.Name == operation.ParameterLimit {
				argument.or(pageDefault).Description = "" // its name and bounds say it
			}
			o.Properties[p.Name] = argument
		}
	}
}

// argumentOf is a parameter as an argument of a tool.
func argumentOf(p *operation.Parameter) *property {
	a := text(p.Doc)
	switch p.Type {
	case operation.Integer, operation.Sequence:
		// Other numbers do not pass through all clients.
		a = number(p.Doc, p.Minimum, min(p.Maximum, 1<<53-1))
		if p.Default != nil {
			a.or(*p.Default)
		}
	case operation.Time:
		a.Description = "An RFC 3339 time." // its name says the rest
	case operation.Text, operation.Date:
		if a.Enum = p.Values; len(a.Enum) > 0 {
			a.Description = ""
		}
	}
	return a
}

// toolRequest is the request for an operation. The arguments go to their places
// in the operation; those that were used for something else are left out.
func (c *call) toolRequest(op *operation.Operation, used []string) toolRequest {
	in := toolRequest{
		operation: op, places: map[string]string{}, query: url.Values{}, body: map[string]json.RawMessage{},
		key: c.arguments.text(argumentIdempotency),
	}
	used = append(slices.Concat(op.PathParamNames(), []string{argumentSandbox, argumentIdempotency}), used...)
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

// describeFilters says of each filter for which lists it is.
func (g grouped) describeFilters(o *object) {
	lists := map[string][]string{}
	for _, word := range g.words() {
		for _, name := range g[word].Filters {
			lists[name] = append(lists[name], word)
		}
	}
	for name, of := range lists {
		o.Properties[name] = text("For " + strings.Join(of, ", ") + ".")
		if len(of) > maxNamed {
			o.Properties[name] = text("For most lists.")
		}
	}
}

const argumentResource = "resource"

// list makes a tool of all lists of a system.
func (b *builder) list(in entry) (*tool, error) {
	lists, arguments := b.group(in.system, operation.List), newObject()
	arguments.require(argumentResource, choice("", lists.words()...))
	b.query(arguments, slices.Collect(maps.Values(lists))...)
	lists.describeFilters(arguments)
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		return c.perform(ctx, c.toolRequest(lists[c.arguments.text(argumentResource)], []string{argumentResource}))
	})
}

// row makes a tool of all rows and objects of a system.
func (b *builder) row(in entry) (*tool, error) {
	rows, arguments := b.group(in.system, operation.Row, operation.Object), newObject()
	arguments.require(argumentResource, choice("", rows.words()...))
	arguments.Properties["id"] = id("")
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		op := rows[c.arguments.text(argumentResource)]
		if op.HasID() && c.arguments.text("id") == "" {
			return nil, refused(c.tool, missing("id"))
		}
		return c.perform(ctx, c.toolRequest(op, []string{argumentResource, "id"}))
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
	arguments := newObject()
	arguments.require("id", id(""))
	arguments.require("answer", choice("", "accept", "decline"))
	if err := b.body(arguments, no); err != nil {
		return nil, err
	}
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		op := no
		if c.arguments.text("answer") == "accept" {
			op = yes
		}
		return c.perform(ctx, c.toolRequest(op, []string{"answer"}))
	})
}

// wait makes the tool that waits for events.
func (b *builder) wait(in entry) (*tool, error) {
	op, err := b.operation("poll_events")
	if err != nil {
		return nil, err
	}
	arguments := newObject()
	b.query(arguments, op)
	// A number alone says where to go on, so that a model has one thing to keep.
	delete(arguments.Properties, operation.ParameterCursor)
	delete(arguments.Properties, operation.ParameterUpdatedSince)
	arguments.Properties[operation.ParameterWaitS].Description = ""
	arguments.Properties[operation.ParameterAfterSeq].or(0).Description = "The last seq that you have seen; 0 for none."
	return in.tool(arguments, func(ctx context.Context, c *call) (*reply, error) {
		return c.perform(ctx, c.toolRequest(op, nil))
	})
}

func errNoTool(name string, err error) error { return fmt.Errorf("tool %s: %w", name, err) }
