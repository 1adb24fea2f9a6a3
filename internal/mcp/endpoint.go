// Package mcp is the agent endpoint: tools of the Model Context Protocol that
// are read from the operation table, behind the gateway of package gateway. A tool
// call is a request like any other. It goes through the same door as HTTP, so
// budgets, idempotency, the lease, the log of requests and the feed are the
// same for agents and for programs.
package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/find"
	"platen/internal/mcp/gateway"
	"platen/internal/mcp/session"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/schema"
)

// Paths of the endpoint (contract: OPEN.MCP.ADDRESS). The narrower two have the
// tools of one system and the shared ones, so that two agents can each hold one.
const (
	Path        = "/mcp"
	OfficePath  = Path + "/office"
	FactoryPath = Path + "/factory"
)

// listsKept is the time, in milliseconds, that a client may keep the lists of
// the endpoint: they stay the same until another program serves them.
const listsKept = 300_000

// Door is the part of the API that the endpoint uses. Errors are problems, or
// internal ones.
type Door interface {
	// Act serves a request with all the steps of any other, for the holder of
	// the key of a credential; the zero one stands for no key.
	Act(w http.ResponseWriter, r *http.Request, as sandbox.Credential)
	// Recognise returns the caller that a credential belongs to, KeysOf both
	// keys of its sandbox.
	Recognise(r *http.Request, c sandbox.Credential) (sandbox.Caller, error)
	KeysOf(r *http.Request, c sandbox.Credential) (sandbox.Keys, error)
	// Shuts reports whether the network of a request is shut out.
	Shuts(r *http.Request) bool
	// Enter spends the cost of a message from a known caller, Spend the cost of
	// a caller's request for which no operation runs.
	Enter(r *http.Request) error
	Spend(r *http.Request, caller sandbox.Caller) error
	// Show adds the headers of a caller's remaining budget to a response.
	Show(h http.Header, r *http.Request, caller sandbox.Caller)
	// Success and Refusal render envelopes.
	Success(data any) []byte
	Refusal(err error) []byte
}

// Docs are the pages that search_docs searches.
type Docs interface {
	// Search returns at most so many pages, the best first.
	Search(query string, most int) []Page
}

// Options configure an endpoint.
type Options struct {
	Door       Door
	Sessions   *session.Store
	Operations []operation.Operation
	// Presets are the names of the companies that one can begin with.
	Presets []string
	Policy  gateway.Policy
	// Origin is the scheme and host that links begin with, Version that of the
	// program.
	Origin, Version string
	// Serves reports whether a host is this server's.
	Serves func(host string) bool
	// Docs is searched beside the tables and served as resources, nil for
	// nothing.
	Docs Docs
	Log  *slog.Logger
}

// Endpoint is the handler of the three addresses.
type Endpoint struct {
	options    Options
	operations map[string]*operation.Operation
	catalogue  *find.Index
	docs       *library
	tools      []*tool
	mux        *http.ServeMux
}

// Tool is a tool as the docs show it.
type Tool struct {
	Name, Title, Description string
	// System is the system at whose address the tool is; Shared tools are
	// everywhere.
	System operation.System
	// Writes is set for tools that may change the company.
	Writes bool
}

// Tools lists the tools in the order in which a company needs them.
func (e *Endpoint) Tools() []Tool {
	all := make([]Tool, len(e.tools))
	for i, t := range e.tools {
		all[i] = Tool{
			Name: t.Name, Title: t.Title, Description: t.Description, System: t.system,
			Writes: !t.Annotations.ReadOnlyHint,
		}
	}
	return all
}

// New returns an endpoint, or a mistake in its tables.
func New(o Options) (*Endpoint, error) {
	e := &Endpoint{options: o, operations: map[string]*operation.Operation{}, docs: indexOf(o), mux: http.NewServeMux()}
	for i := range o.Operations {
		e.operations[o.Operations[i].ID] = &o.Operations[i]
	}
	e.catalogue = catalogueOf(o.Operations)
	var err error
	if e.tools, err = tools(&builder{endpoint: e, registry: schema.New()}); err != nil {
		return nil, fmt.Errorf("make the tools: %w", err)
	}
	for path, system := range map[string]operation.System{
		Path: operation.Shared, OfficePath: operation.Office, FactoryPath: operation.Factory,
	} {
		here := slices.DeleteFunc(slices.Clone(e.tools), func(t *tool) bool { return !t.shownAt(system) })
		e.mux.Handle(path, gateway.New(gateway.Options{
			Sessionless: e.server(system, here, nil), Sessions: e.server(system, here, gateway.Earlier()),
			Policy: o.Policy, SessionStore: o.Sessions, Gate: gate{o.Door}, Origin: o.Origin,
			Serves: o.Serves, Log: o.Log,
		}))
	}
	return e, nil
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.mux.ServeHTTP(w, r) }

// server is the library's server for one address.
func (e *Endpoint) server(system operation.System, tools []*tool, revisions []string) *sdk.Server {
	s := sdk.NewServer(
		&sdk.Implementation{
			Name: "platen", Title: "Platen, a simulated printing company", Version: e.options.Version,
			WebsiteURL: e.options.Origin + "/docs/agents",
		},
		&sdk.ServerOptions{
			Instructions: instructions(system), SupportedProtocolVersions: revisions,
			Logger: slog.New(slog.DiscardHandler), CompletionHandler: complete,
			Capabilities: &sdk.ServerCapabilities{
				Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{},
				Resources: &sdk.ResourceCapabilities{}, Completions: &sdk.CompletionCapabilities{},
			},
			SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) {
				c.TTLMs, c.CacheScope = listsKept, "public"
			},
		})
	known := map[string]bool{}
	for _, t := range tools {
		known[t.Name] = true
		s.AddTool(&t.Tool, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return e.call(ctx, system, t, r), nil
		})
	}
	addPrompts(s, system)
	addResources(s, e.options)
	s.AddReceivingMiddleware(e.guard(known))
	return s
}

// guard cancels the work on a message when the request that it came in ends,
// makes an unknown tool cost the same as a request without a key, and survives
// panics: in the library one would end the process.
func (e *Endpoint) guard(known map[string]bool) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
			v := gateway.RequestOf(ctx)
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			stop := context.AfterFunc(v.Request.Context(), cancel)
			defer stop()
			defer func() {
				if mistake := recover(); mistake != nil {
					e.options.Log.Error("panic", "method", method, "panic", mistake, "stack", string(debug.Stack()))
					result, err = e.broken(method)
				}
			}()
			if call, ok := r.GetParams().(*sdk.CallToolParamsRaw); ok && !known[call.Name] {
				if err := e.spend(v, sandbox.Caller{}); err != nil {
					return e.failed(err), nil
				}
			}
			if strings.HasPrefix(method, "notifications/") {
				return next(ctx, method, r)
			}
			return v.Answer(func() (sdk.Result, error) { return next(ctx, method, r) })
		}
	}
}

// broken is the response for a handler that panicked: a call with a tool error,
// so that the model reads it.
func (e *Endpoint) broken(method string) (sdk.Result, error) {
	err := problem.New(problem.InternalError, "Something went wrong on our side.")
	if method != "tools/call" {
		return nil, err
	}
	return e.failed(err), nil
}

// failed is the result of a call that was refused (contract:
// OPEN.MCP.ENVELOPE).
func (e *Endpoint) failed(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(e.options.Door.Refusal(err))}},
	}
}

// spend takes the price of a call for which no operation runs from the budget
// of a caller, and has the response show the rest.
func (e *Endpoint) spend(v *gateway.Request, caller sandbox.Caller) error {
	err := e.options.Door.Spend(v.Request, caller)
	left := http.Header{}
	e.options.Door.Show(left, v.Request, caller)
	v.Charged(left)
	return err //nolint:wrapcheck // a problem, which the model reads
}

// gate shows the door to the gateway.
type gate struct{ door Door }

// Knows implements gateway.Gate.
func (g gate) Knows(r *http.Request, key string) error {
	c, _ := sandbox.CredentialOf(key) // zero for a text that cannot be a key
	_, err := g.door.Recognise(r, c)
	return err //nolint:wrapcheck // a problem, which the gateway renders
}

// Shuts implements gateway.Gate.
func (g gate) Shuts(r *http.Request) bool { return g.door.Shuts(r) }

// Anonymous implements gateway.Gate.
func (g gate) Anonymous(r *http.Request) error {
	return g.door.Spend(r, sandbox.Caller{}) //nolint:wrapcheck // a problem
}

// Known implements gateway.Gate.
func (g gate) Known(r *http.Request) error { return g.door.Enter(r) } //nolint:wrapcheck // a problem

// Show implements gateway.Gate.
func (g gate) Show(h http.Header, r *http.Request, key string) {
	caller := sandbox.Caller{}
	if c, ok := sandbox.CredentialOf(key); ok {
		caller, _ = g.door.Recognise(r, c) // the zero Caller for a key that does not work
	}
	g.door.Show(h, r, caller)
}
