package tokens

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"
)

// agent counts what it writes and reads.
type agent struct {
	t       testing.TB
	session *sdk.ClientSession
	codec   tokenizer.Codec
	// calls, and the tokens of what was written and read, each once.
	calls, refused, written, read int
	// context is the list of tools and all that was written and read so far, billed what a model is sent: the whole
	// context at each call.
	context, billed int
}

// keyed sends a key with every request.
type keyed string

// RoundTrip implements http.RoundTripper.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

func newAgent(t testing.TB, origin, key string) *agent {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "tokens", Version: "1"}, nil)
	session, err := client.Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: origin + "/mcp", HTTPClient: &http.Client{Transport: keyed(key)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	codec, err := tokenizer.Get(tokenizer.O200kBase) // its data is compiled in
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, session: session, codec: codec}
	a.context = a.tools()
	return a
}

func (a *agent) count(text string) int {
	n, err := a.codec.Count(text)
	if err != nil {
		a.t.Fatal(err)
	}
	return n
}

// tools is how many tokens the list of tools takes, once.
func (a *agent) tools() int {
	list, err := a.session.ListTools(a.t.Context(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	raw, err := json.Marshal(list.Tools)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.count(string(raw))
}

// call calls a tool and returns its text.
func (a *agent) call(tool string, arguments map[string]any) (text string, refused bool) {
	a.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		a.t.Fatal(err)
	}
	result, err := a.session.CallTool(context.WithoutCancel(a.t.Context()),
		&sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	text = result.Content[0].(*sdk.TextContent).Text
	written, read := a.count(tool)+a.count(string(raw)), a.count(text)
	a.calls++
	a.billed += a.context
	a.context += written + read
	a.written, a.read = a.written+written, a.read+read
	if result.IsError {
		a.refused++
	}
	return text, result.IsError
}

// data calls a tool that answers with an envelope.
func (a *agent) data(tool string, arguments map[string]any) map[string]any {
	a.t.Helper()
	text, refused := a.call(tool, arguments)
	var envelope struct {
		Data map[string]any `json:"data"`
	}
	if err := json.Unmarshal([]byte(text), &envelope); err != nil || refused {
		a.t.Fatalf("%s(%v) is answered %s", tool, arguments, text)
	}
	return envelope.Data
}
