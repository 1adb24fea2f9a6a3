package mcp

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// question asks the user for one member of a form.
func question(message, member, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{member: map[string]any{"type": kind}},
		"required": []string{member},
	}}
}

func sample(prompt string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{
		Messages: []*sdk.SamplingMessage{{Role: "user", Content: text("%s", prompt)}}, MaxTokens: 50,
	}
}

// answers reports whether a response answers a request: a form that was filled
// in and accepted, anything else that came.
func answers(request any, response any) bool {
	form, asked := request.(*sdk.ElicitParams)
	if !asked {
		return response != nil
	}
	filled, ok := response.(*sdk.ElicitResult)
	if !ok || filled == nil || filled.Action != "accept" {
		return false
	}
	schema := form.RequestedSchema.(map[string]any)
	for member, property := range schema["properties"].(map[string]any) {
		value, there := filled.Content[member]
		if _, isText := value.(string); !there ||
			isText != (property.(map[string]any)["type"] == "string") || value == "" {
			return false
		}
	}
	return true
}

// asking is a tool or prompt that cannot go on without its client.
type asking struct {
	requests sdk.InputRequestMap
	// state goes to the client and has to come back as it was, "" for none.
	state string
}

// lacks reports what is still to be asked for, or refuses a state that was
// changed on its way.
func (a *asking) lacks(responses sdk.InputResponseMap, state string) (sdk.InputRequestMap, error) {
	if state != "" && state != a.state {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the state was changed on its way"}
	}
	for name, request := range a.requests {
		if !answers(request, responses[name]) {
			return maps.Clone(a.requests), nil
		}
	}
	if state != a.state {
		return maps.Clone(a.requests), nil
	}
	return nil, nil
}

func (a *asking) call(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	lacking, err := a.lacks(r.Params.InputResponses, r.Params.RequestState)
	if err != nil {
		return nil, err
	}
	if lacking != nil {
		return &sdk.CallToolResult{InputRequests: lacking, RequestState: a.state}, nil
	}
	return result(text("state-ok: everything that was asked for has come")), nil
}

// addAsking adds what asks its client within a result.
func addAsking(s *sdk.Server) {
	name := question("What is your name?", "name", "string")
	confirm := question("Please confirm", "ok", "boolean")
	for tool, a := range map[string]*asking{
		"test_input_required_result_elicitation": {requests: sdk.InputRequestMap{"user_name": name}},
		"test_input_required_result_sampling": {requests: sdk.InputRequestMap{"capital_question": sample(
			"What is the capital of France?")}},
		"test_input_required_result_list_roots": {
			requests: sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}},
		},
		"test_input_required_result_request_state": {requests: sdk.InputRequestMap{"confirm": confirm},
			state: "sealed"},
		"test_input_required_result_tampered_state": {requests: sdk.InputRequestMap{"confirm": confirm},
			state: "sealed"},
		"test_input_required_result_multiple_inputs": {requests: sdk.InputRequestMap{"user_name": name,
			"greeting": sample("Greet somebody"), "client_roots": &sdk.ListRootsParams{}}, state: "several"},
	} {
		add(s, tool, a.call)
	}
	add(s, "test_input_required_result_multi_round", twice)
	add(s, "test_input_required_result_capabilities", able)
	prompt := &asking{requests: sdk.InputRequestMap{"user_context": question("What is it about?", "context", "string")}}
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "A fixture."},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			lacking, err := prompt.lacks(r.Params.InputResponses, r.Params.RequestState)
			if err != nil || lacking != nil {
				return &sdk.GetPromptResult{InputRequests: lacking}, err
			}
			about := r.Params.InputResponses["user_context"].(*sdk.ElicitResult).Content["context"]
			return &sdk.GetPromptResult{
				Messages: []*sdk.PromptMessage{{Role: "user", Content: text("Context: %v", about)}},
			}, nil
		})
}

// twice asks in two rounds and tells them apart by the state.
func twice(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	switch r.Params.RequestState {
	case "":
		return &sdk.CallToolResult{
			InputRequests: sdk.InputRequestMap{"step1": question("Step 1: What is your name?", "name", "string")},
			RequestState:  "round 1",
		}, nil
	case "round 1":
		return &sdk.CallToolResult{
			InputRequests: sdk.InputRequestMap{"step2": question("Step 2: What is your favorite color?", "color",
				"string")}, RequestState: "round 2",
		}, nil
	default:
		return result(text("both rounds are over")), nil
	}
}

// able asks only for what the client has said it can do.
func able(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if len(r.Params.InputResponses) > 0 {
		return result(text("everything that was asked for has come")), nil
	}
	declared, requests := r.ClientCapabilities(), sdk.InputRequestMap{}
	if declared != nil && declared.Elicitation != nil {
		requests["user_name"] = question("What is your name?", "name", "string")
	}
	if declared != nil && declared.Sampling != nil {
		requests["greeting"] = sample("Greet somebody")
	}
	if declared != nil && declared.RootsV2 != nil {
		requests["client_roots"] = &sdk.ListRootsParams{}
	}
	if len(requests) == 0 {
		return result(text("the client can do nothing that could be asked for")), nil
	}
	return &sdk.CallToolResult{InputRequests: requests}, nil
}

// lacking is the error for a client that cannot sample.
func lacking() error {
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}},
	})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{
		Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client has to be able to sample", Data: data,
	}
}
