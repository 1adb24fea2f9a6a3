package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/api/message"
	"platen/internal/mcp/gateway"
	"platen/internal/mcp/session"
	"platen/internal/operation"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Arguments that every tool may have.
const (
	argumentSandbox     = "sandbox"
	argumentIdempotency = "idempotency_key"
)

// call is one call of a tool.
type call struct {
	endpoint *Endpoint
	address
	tool      *tool
	incoming  *gateway.Request
	request   *sdk.CallToolRequest
	arguments arguments
	holder    holder
}

// reply is the result of a call: an envelope and its status, or lines of text.
type reply struct {
	status int
	body   []byte
	// text, when set, takes the place of the body.
	text string
	// unknown is set where it is not known whether the request was done.
	unknown bool
}

// call runs a tool. A call that is refused before it reaches an operation costs
// the same as a request.
func (e *Endpoint) call(ctx context.Context, at address, t *tool, r *sdk.CallToolRequest) *sdk.CallToolResult {
	c := &call{endpoint: e, address: at, tool: t, incoming: gateway.RequestOf(ctx), request: r}
	stop := c.report(ctx)
	answer, err := c.run(ctx)
	stop()
	if ctx.Err() != nil {
		return &sdk.CallToolResult{IsError: true} // the client is gone and reads no response
	}
	if err != nil {
		if spent := e.spend(c.incoming, c.credential(operation.Shared)); spent != nil {
			err = spent
		}
		return e.failed(err)
	}
	if answer.text != "" {
		return &sdk.CallToolResult{
			IsError: answer.status/100 != 2, Content: []sdk.Content{&sdk.TextContent{Text: answer.text}},
		}
	}
	if answer.status/100 != 2 {
		return refusal(answer.body)
	}
	result := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(answer.body)}}}
	if c.incoming.Request.URL.Query().Get(gateway.ParameterStructured) != gateway.StructuredNot {
		result.StructuredContent = json.RawMessage(answer.body)
	}
	return result
}

// run reads the arguments, finds the sandbox, and runs the tool. The caller of
// a call with bad arguments is still known by the key or the session.
func (c *call) run(ctx context.Context) (*reply, error) {
	given, bad := readArguments(c.tool, c.request.Params.Arguments)
	c.arguments = given
	var err error
	if c.holder, err = c.identify(ctx); err != nil {
		return nil, err
	}
	if bad != nil {
		return nil, bad
	}
	return c.tool.run(ctx, c)
}

// source is the origin of a call's sandbox.
type source int

const (
	fromNowhere source = iota
	fromHandle
	fromKey
	fromSession
)

// holder is the owner of the sandbox that a call is about.
type holder struct {
	source source
	// keys are those of a handle or a session.
	keys apikey.Pair
	// key is the credential of a key.
	key apikey.Credential
}

// identify finds the sandbox that a call is about: that of the handle among its
// arguments, of the key of its request, or of its session, in this order.
func (c *call) identify(ctx context.Context) (holder, error) {
	if key := c.incoming.Credential(); key.System == apikey.Grading {
		_, err := c.endpoint.options.API.Recognise(c.incoming.Request, key)
		return holder{}, err //nolint:wrapcheck // a problem: the endpoint takes no such key
	}
	if handle := c.arguments.text(argumentSandbox); handle != "" {
		return c.byHandle(ctx, handle)
	}
	if c.incoming.Key != "" {
		return holder{source: fromKey, key: c.incoming.Credential()}, nil
	}
	if c.incoming.Session != nil {
		if keys, ok := c.incoming.Session.Keys(); ok {
			return holder{source: fromSession, keys: keys}, nil
		}
	}
	return holder{}, nil
}

// byHandle finds the sandbox of a handle. A key of another sandbox beside it is
// a mix-up, and is refused.
func (c *call) byHandle(ctx context.Context, handle string) (holder, error) {
	keys, err := c.endpoint.options.Sessions.Holds(ctx, handle)
	if errors.Is(err, session.ErrUnknown) {
		return holder{}, c.gone(fromHandle)
	}
	if err != nil {
		return holder{}, err //nolint:wrapcheck // the error names the failed step
	}
	if key := c.incoming.Credential(); key != (apikey.Credential{}) {
		if caller, err := c.endpoint.options.API.Recognise(c.incoming.Request, key); err == nil &&
			caller.SandboxID != keys.SandboxID {
			return holder{}, problem.New(problem.Unauthorized,
				"The sandbox handle and the key of this connection belong to different sandboxes.").
				Hinting("Leave the argument sandbox out to use the key's sandbox, or connect without the key.")
		}
	}
	return holder{source: fromHandle, keys: keys}, nil
}

// gone is the refusal when there is no sandbox to act on, with the remedy
// (contract: OPEN.MCP.GONE). A key that came in another form is not there, and
// is named (contract: OPEN.AUTH.SCHEME).
func (c *call) gone(from source) *problem.Problem {
	switch from {
	case fromHandle:
		return problem.New(problem.Unauthorized,
			"This sandbox handle is unknown, or its sandbox has expired and was deleted, or its keys were revoked.").
			Hinting("Call create_sandbox, and pass the sandbox value that it returns.")
	case fromKey:
		return problem.New(problem.Unauthorized, "The key of this connection does not work: "+
			"it is unknown, revoked, or of a sandbox that has expired and was deleted.").
			Hinting("Call create_sandbox, and pass the sandbox value that it returns as the argument sandbox; or " +
				"connect with another key.")
	case fromSession:
		return problem.New(problem.Unauthorized,
			"The sandbox of this session has expired and was deleted, or its keys were revoked.").
			Hinting("Call create_sandbox to get another; this session then uses it.")
	case fromNowhere:
	}
	sentence, hint := wire.Misplaced(c.incoming.Request.Header)
	p := problem.New(problem.Unauthorized, "There is no sandbox yet: this tool call has no key, no sandbox handle, "+
		"and no session with a sandbox. %s", sentence)
	p.Message = strings.TrimSpace(p.Message)
	return p.Hinting("%s", cmp.Or(hint, "Call create_sandbox. If the next call does not know its sandbox either, "+
		"pass the sandbox value that it returns as the argument sandbox."))
}

// credential is the credential that a call presents to an operation of a
// system. Shared operations see the system of the address, or else Head Office,
// or else the one that the key is of.
func (c *call) credential(s operation.System) apikey.Credential {
	system := apikey.Office
	if s == operation.Factory || s != operation.Office && c.system == operation.Factory {
		system = apikey.Factory
	}
	switch c.holder.source {
	case fromHandle, fromSession:
		// A shared operation takes either key, so one that was revoked is no loss.
		if own := c.holder.keys.Credential(system); s == operation.Office || s == operation.Factory || c.opens(own) {
			return own
		}
		if other := c.holder.keys.Credential(otherSystem(system)); c.opens(other) {
			return other
		}
		return c.holder.keys.Credential(system)
	case fromKey:
		if c.holder.key.System == apikey.Office && system == apikey.Factory {
			return c.sibling()
		}
		return c.holder.key
	case fromNowhere:
	}
	return apikey.Credential{}
}

// otherSystem is Head Office for the Factory, and the Factory for Head Office.
func otherSystem(s apikey.System) apikey.System {
	if s == apikey.Office {
		return apikey.Factory
	}
	return apikey.Office
}

// opens reports whether a credential works.
func (c *call) opens(key apikey.Credential) bool {
	_, err := c.endpoint.options.API.Recognise(c.incoming.Request, key)
	return err == nil
}

// unauthorized is the error of an operation whose credential does not work: the sandbox is gone, or only the key was
// revoked that the operation takes.
func (c *call) unauthorized(refused apikey.Credential) *problem.Problem {
	from := c.holder.source
	if from != fromHandle && from != fromSession || !c.opens(c.holder.keys.Credential(otherSystem(refused.System))) {
		return c.gone(from)
	}
	name, works := "Head Office", "the Factory"
	if refused.System == apikey.Factory {
		name, works = "the Factory", "Head Office"
	}
	return problem.New(problem.Unauthorized, "The key of %s was revoked, and this tool takes no other.", name).
		Hinting("The tools of %s and the shared ones still work. Call create_sandbox for a sandbox with both keys.",
			works)
}

// sibling is the Factory's credential for a key of Head Office, which reaches
// all tools of its sandbox (contract: OPEN.MCP.FACTORY_KEY).
func (c *call) sibling() apikey.Credential {
	keys, err := c.endpoint.options.API.KeysOf(c.incoming.Request, c.holder.key)
	if err != nil {
		return c.holder.key
	}
	return keys.Credential(apikey.Factory)
}

// toolRequest is a request that a call makes.
type toolRequest struct {
	operation *operation.Operation
	// places are the ids of the path.
	places map[string]string
	query  url.Values
	body   map[string]json.RawMessage
	// text, when set, is the body as it is.
	text string
	key  string
	// proof is that of work, for a creation.
	proof string
}

// perform has the API serve a request.
func (c *call) perform(ctx context.Context, in toolRequest) (*reply, error) {
	if in.key == "" && in.operation.Method != http.MethodGet {
		in.key = rand.Text()
	}
	r, body, err := c.requestOf(ctx, in)
	if err != nil {
		return nil, err
	}
	api := c.endpoint.options.API
	key := c.credential(in.operation.System)
	out := api.Do(r, body, key)
	if out.Discard != nil {
		defer out.Discard()
	}
	c.incoming.Charged(out.Budget)
	switch {
	case out.Gone:
		return &reply{}, nil // the caller looks at the context
	case out.Severed != message.Unsevered:
		return &reply{
			status: http.StatusBadGateway, body: api.Envelope(nil, unknownOutcome(in.key)), unknown: true,
		}, nil
	case out.Status == http.StatusUnauthorized:
		return &reply{status: out.Status, body: api.Envelope(nil, c.unauthorized(key))}, nil
	}
	return &reply{status: out.Status, body: out.Body()}, nil
}

// unknownOutcome is the error of a request whose response was lost, with the key by which it can be
// repeated safely, "" for a read.
func unknownOutcome(key string) error {
	p := problem.New(problem.InternalError,
		"The connection was lost before a response arrived. It is not known whether the request was done.")
	if key == "" {
		return p.Hinting("Send the request again.")
	}
	return p.Hinting("Send the request again with the idempotency_key %s.", key)
}

// requestOf is the request of a tool request: from the network that the call came
// from.
func (c *call) requestOf(ctx context.Context, in toolRequest) (r *http.Request, body []byte, err error) {
	body = []byte(in.text)
	if len(in.body) > 0 {
		if body, err = json.Marshal(in.body); err != nil {
			return nil, nil, err
		}
	}
	path := wire.BasePath + in.operation.Path
	for name, id := range in.places {
		if id == "." || id == ".." { // no path can have it
			return nil, nil, problem.Missing(cmp.Or(in.operation.Named(), in.operation.Resource, "record"), id)
		}
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(id))
	}
	if r, err = http.NewRequestWithContext(ctx, in.operation.Method, path, http.NoBody); err != nil {
		return nil, nil, err
	}
	r.URL.RawQuery = in.query.Encode()
	r.RemoteAddr, r.Host = c.incoming.Request.RemoteAddr, c.incoming.Request.Host
	if forwarded := c.incoming.Request.Header["X-Forwarded-For"]; forwarded != nil {
		r.Header["X-Forwarded-For"] = forwarded
	}
	for _, name := range []string{wire.HeaderTraceparent, wire.HeaderTracestate} {
		if sent := c.incoming.Request.Header[name]; sent != nil {
			r.Header[name] = sent
		}
	}
	r.Header.Set("Accept", "application/json")
	if in.operation.Method == http.MethodGet {
		return r, nil, nil
	}
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set(wire.HeaderIdempotencyKey, in.key)
	if in.proof != "" {
		r.Header.Set(wire.HeaderProof, in.proof)
	}
	return r, body, nil
}
