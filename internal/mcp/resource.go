package mcp

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// Documents that are written by hand.
var (
	//go:embed document/overview.md
	overview string
	//go:embed document/order-to-cash.md
	orderToCash string
	//go:embed document/procure-to-pay.md
	procureToPay string
	//go:embed document/protocol.md
	protocol string
)

const markdown = "text/markdown"

// document is a resource: a text about the company that an agent can read.
type document struct {
	uri, name, title, description string
	text                          func() string
}

// documents lists the resources.
func documents() []document {
	written := func(text string) func() string { return func() string { return text } }
	return []document{
		{"platen://docs/overview", "overview", "Overview", "The two systems, the bridge, time, the life of a sandbox.",
			written(overview)},
		{"platen://docs/order-to-cash", "order-to-cash", "Order to cash",
			"How a sales order becomes money, tool call by tool call.", written(orderToCash)},
		{"platen://docs/procure-to-pay", "procure-to-pay", "Procure to pay",
			"How material is bought, received and paid; wages.", written(procureToPay)},
		{"platen://docs/protocol", "protocol", "How tool calls behave", "Results, repeating, budgets, lists, events.",
			written(protocol)},
		{"platen://docs/errors", "errors", "Errors", "Every error code: its meaning and its remedy.", errorList},
		{"platen://docs/events", "events", "Events", "Every event type and its cause.", eventList},
	}
}

// Documents returns the resources that are found by search_docs: all but the lists
// of errors and of events, which have a page for each.
func Documents() []Page {
	var all []Page
	for _, d := range documents() {
		if d.name != "errors" && d.name != "events" {
			all = append(all, Page{Title: d.title, URL: d.uri, Text: d.text()})
		}
	}
	return all
}

// errorList is every error code.
func errorList() string {
	var b strings.Builder
	b.WriteString("# Errors\n")
	for _, d := range problem.All() {
		fmt.Fprintf(&b, "\n## %s\n\n%d. %s %s\n", d.Code, d.Status, d.Meaning, d.Remedy)
	}
	return b.String()
}

// eventList is every event type.
func eventList() string {
	var b strings.Builder
	b.WriteString("# Events\n")
	for _, d := range event.All() {
		fmt.Fprintf(&b, "\n## %s\n\n%s About: %s\n", d.Type, d.Cause, d.Self)
	}
	return b.String()
}

// The company handbook is a guide of the docs, and a resource besides: some hosts let their
// model read resources and no pages.
const (
	handbookURI  = "platen://docs/handbook"
	handbookFile = "handbook.md"
)

// addHandbook serves the handbook, which is written when it is asked for.
func (e *Endpoint) addHandbook(s *sdk.Server) {
	s.AddResource(
		&sdk.Resource{
			URI: handbookURI, Name: "handbook", Title: "The company handbook", MIMEType: markdown,
			Description: "How the company works, what earns money and what goes wrong: products, presses, suppliers, " +
				"customers, people.",
		},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			text, err := e.options.Docs.Guide(handbookFile)
			if err != nil {
				return nil, err //nolint:wrapcheck // it names the guide
			}
			return &sdk.ReadResourceResult{
				Contents: []*sdk.ResourceContents{{URI: handbookURI, MIMEType: markdown, Text: text}},
			}, nil
		})
}

// addResources serves the documents.
func (e *Endpoint) addResources(s *sdk.Server) {
	e.addHandbook(s)
	for _, d := range documents() {
		text := d.text()
		s.AddResource(
			&sdk.Resource{
				URI: d.uri, Name: d.name, Title: d.title, Description: d.description, MIMEType: markdown,
				Size: int64(len(text)),
			},
			func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{
					Contents: []*sdk.ResourceContents{{URI: d.uri, MIMEType: markdown, Text: text}},
				}, nil
			})
	}
}
