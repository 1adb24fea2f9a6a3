// Package mcp is the agent endpoint: tools of the Model Context Protocol that
// are read from the operation table, behind the gateway of package gateway. A tool
// call is a request like any other. It goes the same way as over HTTP, so
// budgets, idempotency, the lease, the log of requests and the feed are the
// same for agents and for programs.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/mcp/gateway"
	"platen/internal/mcp/session"
	"platen/internal/operation"
	"platen/internal/operation/schema"
	"platen/internal/publish/find"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
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

// Docs are the pages that search_docs searches.
type Docs interface {
	// Search returns at most so many pages, the best first, and none about grading to a player who is graded.
	Search(query string, limit int, graded bool) ([]Page, error)
	// Guide returns a guide of the docs in Markdown.
	Guide(file string) (string, error)
}

// Options configure an endpoint.
type Options struct {
	API        gateway.API
	Sessions   *session.Store
	Operations []operation.Operation
	// Presets are the names of the companies that one can begin with.
	Presets []string
	// Origin is the scheme and host that links begin with, Version that of the
	// program.
	Origin, Version string
	// Serves reports whether a host is this server's.
	Serves func(host string) bool
	// Ours reports whether an Origin header names this server.
	Ours func(origin string) bool
	// Docs has the pages of the docs and the Documents of this package.
	Docs Docs
	// Pace is the time between two notifications of a call that takes long, progressPace when it is 0.
	Pace time.Duration
	Log  *slog.Logger
}

// Endpoint is the handler of the three addresses.
type Endpoint struct {
	options    Options
	operations map[string]*operation.Operation
	catalogue  *find.Index
	tools      []*tool
	// layouts are how rows are shown in short, by their types.
	layouts map[reflect.Type]*layout
	mux     *http.ServeMux
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
	o.Pace = cmp.Or(o.Pace, progressPace)
	e := &Endpoint{options: o, operations: map[string]*operation.Operation{}, mux: http.NewServeMux()}
	for i := range o.Operations {
		e.operations[o.Operations[i].ID] = &o.Operations[i]
	}
	e.catalogue = catalogueOf(o.Operations)
	var err error
	if e.layouts, err = layoutsOf(o.Operations); err != nil {
		return nil, fmt.Errorf("lay out compact rows: %w", err)
	}
	if e.tools, err = tools(&builder{endpoint: e, registry: schema.New()}); err != nil {
		return nil, fmt.Errorf("make the tools: %w", err)
	}
	for path, system := range map[string]operation.System{
		Path: operation.Shared, OfficePath: operation.Office, FactoryPath: operation.Factory,
	} {
		all, few := e.gateway(address{system: system}), e.gateway(address{system: system, few: true})
		typed := e.gateway(address{system: system, typed: true})
		e.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			switch asked := r.URL.Query(); {
			case asked.Get(gateway.ParameterTools) == gateway.ToolsToPlay:
				few.ServeHTTP(w, r)
			case asked.Get(gateway.ParameterStructured) == gateway.StructuredTyped:
				typed.ServeHTTP(w, r)
			default:
				all.ServeHTTP(w, r)
			}
		})
	}
	return e, nil
}

// address is the address of a request.
type address struct {
	// system is Shared for the address with the tools of both.
	system operation.System
	// few is set for the few tools that playing takes (contract: OPEN.MCP.PLAY).
	few bool
	// keyless is set for clients without a key, who have to create a sandbox.
	keyless bool
	// typed is set for tools that declare the form of their results (contract: OPEN.MCP.OUTPUT).
	typed bool
}

// gateway is the handler of one address.
func (e *Endpoint) gateway(at address) *gateway.Gateway {
	keyless := at
	keyless.keyless = true
	o := &e.options
	return gateway.New(gateway.Options{
		Sessionless: e.server(at, nil), Sessions: e.server(keyless, gateway.Earlier()),
		SessionStore: o.Sessions, API: o.API, Serves: o.Serves, Ours: o.Ours, Log: o.Log,
	})
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.mux.ServeHTTP(w, r) }

// server is the library's server for one address.
func (e *Endpoint) server(at address, revisions []string) *sdk.Server {
	tools := slices.DeleteFunc(slices.Clone(e.tools), func(t *tool) bool {
		first := at.keyless && t.Name == createSandbox
		return !t.shownAt(at.system) || at.few && !t.plays && !first
	})
	capabilities := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}}
	if !at.few {
		capabilities.Prompts, capabilities.Completions = &sdk.PromptCapabilities{}, &sdk.CompletionCapabilities{}
	}
	s := sdk.NewServer(
		&sdk.Implementation{
			Name: "platen", Title: "Platen, a simulated printing company", Version: e.options.Version,
			WebsiteURL: e.options.Origin + "/docs/agents",
		},
		&sdk.ServerOptions{
			Instructions: instructions(at), SupportedProtocolVersions: revisions,
			Logger: slog.New(slog.DiscardHandler), CompletionHandler: complete, Capabilities: capabilities,
			SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) {
				c.TTLMs, c.CacheScope = listsKept, "public"
			},
		})
	known := make([]string, len(tools))
	for i, t := range tools {
		known[i] = t.Name
		shown := t.Tool
		if at.typed && t.output != nil {
			shown.OutputSchema = t.output
		}
		s.AddTool(&shown, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return e.call(ctx, at, t, r), nil
		})
	}
	addPrompts(s, at)
	e.addResources(s)
	s.AddReceivingMiddleware(e.guard(known))
	return s
}

// guard cancels the work on a message when the request that it came in ends,
// makes an unknown tool cost the same as a request without a key and names those that the
// address has, and survives panics: in the library one would end the process.
func (e *Endpoint) guard(known []string) sdk.Middleware {
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
			if call, ok := r.GetParams().(*sdk.CallToolParamsRaw); ok && !slices.Contains(known, call.Name) {
				if err := e.spend(v, apikey.Credential{}); err != nil {
					return e.failed(err), nil
				}
				return v.Answer(func() (sdk.Result, error) { return nil, unknownTool(call.Name, known) })
			}
			if strings.HasPrefix(method, "notifications/") {
				return next(ctx, method, r)
			}
			return v.Answer(func() (sdk.Result, error) { return next(ctx, method, r) })
		}
	}
}

// unknownTool is the error for a tool that the address does not have. It goes where the library's own
// would go, and a model reads which tools there are.
func unknownTool(name string, known []string) error {
	const most = 100
	if len(name) > most {
		name = name[:most] + "..."
	}
	hint := ""
	if slices.Contains(known, "do") {
		hint = " Tool do performs a command of any operation: its description has their form."
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(
		"unknown tool %q: this address has %s.%s", name, strings.Join(known, ", "), hint)}
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

// failed is the result of a call that was refused.
func (e *Endpoint) failed(err error) *sdk.CallToolResult {
	return refusal(e.options.API.Envelope(nil, err))
}

// refusal is the result of a call that was answered with an error: the envelope without meta (contract:
// OPEN.MCP.ENVELOPE).
func refusal(envelope []byte) *sdk.CallToolResult {
	var parts struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(envelope, &parts); err == nil && parts.Error != nil {
		envelope = slices.Concat([]byte(`{"error":`), parts.Error, []byte("}"))
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(envelope)}}}
}

// spend takes the price of a call for which no operation runs from the budget
// of a credential's holder, and has the response show the rest.
func (e *Endpoint) spend(v *gateway.Request, as apikey.Credential) error {
	err := e.options.API.Spend(v.Request, as)
	v.Charged(e.options.API.Remaining(v.Request, as))
	return err //nolint:wrapcheck // a problem, which the model reads
}
