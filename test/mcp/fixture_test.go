package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/api/message"
	"platen/internal/mcp/gateway"
	"platen/internal/mcp/session"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/store/sqlite"
)

// anything is the schema of a tool that looks at no arguments.
var anything = json.RawMessage(`{"type":"object"}`)

// A red dot and a moment of silence.
const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func media(text string) []byte {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

// everybody lets every message pass. The fixtures' tools call nothing else.
type everybody struct{ gateway.API }

// Recognise implements gateway.API.
func (everybody) Recognise(*http.Request, apikey.Credential) (sandbox.Caller, error) {
	return sandbox.Caller{}, nil
}

// Shuts implements gateway.API.
func (everybody) Shuts(*http.Request) bool { return false }

// Enter implements gateway.API.
func (everybody) Enter(*http.Request) error { return nil }

// Spent implements gateway.API.
func (everybody) Spent(*http.Request) bool { return false }

// Spend implements gateway.API.
func (everybody) Spend(*http.Request, apikey.Credential) error { return nil }

// Share implements gateway.API.
func (everybody) Share() *message.Share { return message.NewShare(nil) }

// Remaining implements gateway.API.
func (everybody) Remaining(*http.Request, apikey.Credential) message.Budget { return message.Budget{} }

// fixtures serves what the conformance suite asks for, behind the gateway that
// the product has.
func fixtures(t testing.TB) string {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	door := gateway.New(gateway.Options{
		Sessionless: suiteServer(nil), Sessions: suiteServer(gateway.Earlier()),
		SessionStore: session.NewStore(db, time.Now), API: everybody{},
		Serves: func(host string) bool { return host == server.Listener.Addr().String() },
		Ours:   func(named string) bool { return named == origin },
		Log:    slog.New(slog.DiscardHandler),
	})
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer of-everybody") // without a key there is no revision without sessions
		door.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return origin
}

func suiteServer(revisions []string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "fixtures", Version: "1"}, &sdk.ServerOptions{
		SupportedProtocolVersions: revisions, Logger: slog.New(slog.DiscardHandler),
		CompletionHandler: func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
		},
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
	})
	addContents(s)
	addOddTools(s)
	addAsking(s)
	addSuiteResources(s)
	addSuitePrompts(s)
	return s
}

func text(format string, values ...any) *sdk.TextContent {
	return &sdk.TextContent{Text: fmt.Sprintf(format, values...)}
}

func result(content ...sdk.Content) *sdk.CallToolResult { return &sdk.CallToolResult{Content: content} }

// add adds a tool of any arguments.
func add(s *sdk.Server, name string, handler sdk.ToolHandler) {
	s.AddTool(&sdk.Tool{Name: name, Description: "A fixture of the conformance suite.", InputSchema: anything}, handler)
}

// addContents adds tools that answer with one kind of content each.
func addContents(s *sdk.Server) {
	embedded := &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource",
	}}
	image := &sdk.ImageContent{Data: media(picture), MIMEType: "image/png"}
	for name, content := range map[string][]sdk.Content{
		"test_simple_text":            {text("This is a simple text response for testing.")},
		"test_image_content":          {image},
		"test_audio_content":          {&sdk.AudioContent{Data: media(silence), MIMEType: "audio/wav"}},
		"test_embedded_resource":      {embedded},
		"test_multiple_content_types": {text("This is text content"), image, embedded},
		"test_streaming_elicitation":  {text("nothing is asked for on the stream")},
		"test_logging_tool":           {text("nothing is logged")},
	} {
		add(s, name, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return result(content...), nil
		})
	}
}

// addOddTools adds those with a behaviour of their own.
func addOddTools(s *sdk.Server) {
	add(s, "test_error_handling", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := &sdk.CallToolResult{}
		r.SetError(errors.New("this tool fails on purpose"))
		return r, nil
	})
	add(s, "test_tool_with_progress", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		token := r.Params.GetProgressToken()
		for _, done := range []float64{0, 50, 100} {
			if err := r.Session.NotifyProgress(ctx,
				&sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
				return nil, err
			}
		}
		return result(text("%v", token)), nil
	})
	add(s, "test_missing_capability", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if declared := r.ClientCapabilities(); declared != nil && declared.Sampling != nil {
			return result(text("the client can sample")), nil
		}
		return nil, lacking()
	})
	s.AddTool(&sdk.Tool{Name: "test_x_mcp_header", Description: "One argument travels in a header too.",
		InputSchema: json.RawMessage(
			`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},` +
				`"level":{"type":"integer"}}}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return result(text("fine")), nil
		})
	s.AddTool(&sdk.Tool{Name: "json_schema_2020_12_tool", Description: "Its schema has to arrive as it is.",
		InputSchema: json.RawMessage(
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
				`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},` +
				`"city":{"type":"string"}}}},` +
				`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{` +
				`"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},` +
				`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
				`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},` +
				`"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return result(text("fine")), nil
		})
	add(s, "test_trigger_tool_change", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add(s, "added_while_running", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return result(), nil
		})
		return result(text("there is another tool")), nil
	})
	add(s, "test_trigger_prompt_change", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		s.AddPrompt(&sdk.Prompt{Name: "added_while_running", Description: "A fixture."},
			func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				return &sdk.GetPromptResult{}, nil
			})
		return result(text("there is another prompt")), nil
	})
}

func addSuiteResources(s *sdk.Server) {
	for _, c := range []sdk.ResourceContents{
		{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		{URI: "test://static-binary", MIMEType: "image/png", Blob: media(picture)},
		{URI: "test://watched-resource", MIMEType: "text/plain", Text: "It stays as it is."},
	} {
		s.AddResource(&sdk.Resource{Name: c.URI, URI: c.URI, MIMEType: c.MIMEType},
			func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{
					Contents: []*sdk.ResourceContents{{URI: c.URI, MIMEType: c.MIMEType, Text: c.Text, Blob: c.Blob}},
				}, nil
			})
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json",
	},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			var id string
			if _, err := fmt.Sscanf(r.Params.URI, "test://template/%3s", &id); err != nil {
				return nil, err
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
				URI: r.Params.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id),
			}}}, nil
		})
}

func addSuitePrompts(s *sdk.Server) {
	user := func(contents ...sdk.Content) *sdk.GetPromptResult {
		said := &sdk.GetPromptResult{}
		for _, c := range contents {
			said.Messages = append(said.Messages, &sdk.PromptMessage{Role: "user", Content: c})
		}
		return said
	}
	argument := func(name string) *sdk.PromptArgument {
		return &sdk.PromptArgument{Name: name, Description: "Any text.", Required: true}
	}
	for _, p := range []struct {
		name      string
		arguments []*sdk.PromptArgument
		say       func(map[string]string) *sdk.GetPromptResult
	}{
		{"test_simple_prompt", nil, func(map[string]string) *sdk.GetPromptResult {
			return user(text("This is a simple prompt for testing."))
		}},
		{"test_prompt_with_arguments", []*sdk.PromptArgument{argument("arg1"), argument("arg2")},
			func(a map[string]string) *sdk.GetPromptResult {
				return user(text("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))
			}},
		{"test_prompt_with_embedded_resource", []*sdk.PromptArgument{argument("resourceUri")},
			func(a map[string]string) *sdk.GetPromptResult {
				return user(&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
					URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing.",
				}},
					text("Please process the embedded resource above."))
			}},
		{"test_prompt_with_image", nil, func(map[string]string) *sdk.GetPromptResult {
			return user(&sdk.ImageContent{Data: media(picture), MIMEType: "image/png"},
				text("Please analyze the image above."))
		}},
	} {
		s.AddPrompt(&sdk.Prompt{Name: p.name, Description: "A fixture.", Arguments: p.arguments},
			func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				return p.say(r.Params.Arguments), nil
			})
	}
}
