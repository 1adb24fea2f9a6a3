package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"platen/internal/company/mission"
	"platen/internal/event"
	"platen/internal/find"
	"platen/internal/operation"
	"platen/internal/problem"
)

const (
	argumentQuery = "query"
	foundDefault  = 5
	maxFound      = 20
	// maxText is the largest part of a page that is shown, in bytes.
	maxText = 1200
)

// Page is one place of the docs.
type Page struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Text  string `json:"text"`
}

// library holds the docs that are built into the endpoint.
type library struct {
	pages []Page
	index *find.Index
}

// Search implements Docs.
func (l *library) Search(query string, most int) []Page {
	found := []Page{}
	for _, i := range l.index.Search(query, most) {
		page := l.pages[i]
		if len(page.Text) > maxText {
			page.Text = strings.ToValidUTF8(page.Text[:maxText], "") + "…"
		}
		found = append(found, page)
	}
	return found
}

// indexOf reads the tables and the resources.
func indexOf(o Options) *library {
	l, texts := &library{}, []find.Text(nil)
	add := func(title, url, text string) {
		l.pages = append(l.pages, Page{Title: title, URL: url, Text: text})
		texts = append(texts, find.Text{Title: title, Body: text})
	}
	for _, d := range documents() {
		for _, section := range sections(d.text(o)) {
			add(d.title+": "+section.title, d.uri, section.text)
		}
	}
	for i := range o.Operations {
		op := &o.Operations[i]
		add(op.ID+": "+op.Summary, o.Origin+"/docs/api/"+op.ID, op.Method+" "+op.Path+". "+op.Description)
	}
	for _, d := range problem.All() {
		add("Error "+string(d.Code), o.Origin+"/docs/errors/"+string(d.Code), d.Meaning+" "+d.Remedy)
	}
	for _, d := range event.All() {
		add("Event "+string(d.Type), o.Origin+"/docs/events/"+string(d.Type), d.Cause)
	}
	for _, m := range mission.All() {
		add("Mission "+m.ID+": "+m.Title, o.Origin+m.DocsURL, m.Objective+" "+m.Hint)
	}
	l.index = find.New(texts)
	return l
}

// section is a part of a document under one heading.
type section struct{ title, text string }

// sections cuts Markdown at its headings.
func sections(text string) []section {
	var all []section
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			all = append(all, section{title: strings.TrimSpace(strings.TrimLeft(line, "#"))})
		} else if len(all) > 0 {
			all[len(all)-1].text += line
		}
	}
	return slices.DeleteFunc(all, func(s section) bool { return strings.TrimSpace(s.text) == "" })
}

// found is the data of the response to a search.
type found[T any] struct {
	Items []T `json:"items"`
}

// searching are the arguments of a search.
func searching(of string) *object {
	arguments := newObject()
	arguments.require(argumentQuery, id(of))
	arguments.Properties["limit"] = number("", 1, maxFound).or(foundDefault)
	return arguments
}

// most is the most results of a search.
func (c *call) most() int {
	var most int
	_ = json.Unmarshal(c.arguments["limit"], &most) // checked before
	return most
}

// own runs a tool without an operation. It costs the same as a request, and
// nothing is done before that is paid.
func (c *call) own(find func() any) (*reply, error) {
	door := c.endpoint.options.Door
	if err := c.endpoint.spend(c.incoming, c.caller()); err != nil {
		return &reply{http.StatusTooManyRequests, door.Refusal(err)}, nil
	}
	return &reply{http.StatusOK, door.Success(find())}, nil
}

// search finds pages in the built-in docs and in the docs of the site, by
// turns: the best of each comes first.
func (e *Endpoint) search(query string, most int) []Page {
	own, site := e.docs.Search(query, most), []Page(nil)
	if e.options.Docs != nil {
		site = e.options.Docs.Search(query, most)
	}
	pages, known := []Page{}, map[string]bool{}
	for i := range max(len(own), len(site)) {
		for _, from := range [][]Page{site, own} {
			if i < len(from) && len(pages) < most && !known[from[i].URL] {
				known[from[i].URL] = true
				pages = append(pages, from[i])
			}
		}
	}
	return pages
}

// searchDocs makes the tool that searches the docs.
func (b *builder) searchDocs(in entry) (*tool, error) {
	return in.tool(searching("Words, such as an error code or a resource."),
		func(_ context.Context, c *call) (*reply, error) {
			return c.own(func() any {
				return found[Page]{b.endpoint.search(c.arguments.text(argumentQuery), c.most())}
			})
		})
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
	Operation   string           `json:"operation"`
	Summary     string           `json:"summary"`
	Description string           `json:"description,omitempty"`
	System      operation.System `json:"system"`
	Request     string           `json:"request"`
	Places      []string         `json:"ids,omitempty"`
	Query       []string         `json:"query,omitempty"`
	Body        *object          `json:"body,omitempty"`
	Problems    []problem.Code   `json:"errors,omitempty"`
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
			c.Body = newObject()
			if err := b.body(c.Body, op); err != nil {
				return nil, err
			}
		}
		shown[op.ID] = c
	}
	return in.tool(searching("What to do, such as 'webhook' or 'hire'."),
		func(_ context.Context, c *call) (*reply, error) {
			return c.own(func() any {
				items := []*callable{}
				for _, i := range b.endpoint.catalogue.Search(c.arguments.text(argumentQuery), maxFound) {
					op := &b.endpoint.options.Operations[i]
					if c.reaches(op) && len(items) < c.most() {
						items = append(items, shown[op.ID])
					}
				}
				return found[*callable]{items}
			})
		})
}

// reaches reports whether an address has an operation. The ones that need no
// key have a tool of their own, and no agent ends the company that it works
// for.
func (c *call) reaches(op *operation.Operation) bool {
	return op.System != operation.Open && op.Kind != operation.Deletion &&
		(c.system == operation.Shared || op.System == operation.Shared || op.System == c.system)
}

// anything makes the tool that calls any operation.
func (b *builder) anything(in entry) (*tool, error) {
	arguments := newObject()
	arguments.require("operation", id("Its id, from search_operations."))
	arguments.Properties["id"] = id("The {id} of the path.")
	arguments.Properties["delivery_id"] = id("The {delivery_id} of the path.")
	arguments.Properties["query"] = text("Of reads, such as status=active&limit=5.")
	arguments.Properties["body"] = text("Of writes: a JSON object, written as text.")
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
		operation: op, places: map[string]string{}, text: c.arguments.text("body"),
		key: c.arguments.text(argumentIdempotency),
	}
	var faults []problem.Field
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
