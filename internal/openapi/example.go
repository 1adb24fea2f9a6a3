package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/event"
	"platen/internal/problem"
)

// examplesJSON holds the responses of a company in a test of package contract,
// which writes the file with -update.
//
//go:embed examples.json
var examplesJSON []byte

// examples are recorded responses, by operation and by event type.
type examples struct {
	// Operations has the bodies by operation id; a 202 has _202 behind it.
	Operations map[string]struct {
		Body json.RawMessage `json:"body"`
		Data json.RawMessage `json:"data"`
	} `json:"operations"`
	Events map[event.Type]json.RawMessage `json:"events"`
}

// Example is a recorded request and its response.
type Example struct {
	// Body is the request's body, empty for none; Data is that of the response.
	Body, Data json.RawMessage
}

// Examples returns the responses of a company in a test, by operation id and by
// event type.
func Examples() (operations map[string]Example, events map[event.Type]json.RawMessage, err error) {
	known, err := readExamples()
	if err != nil {
		return nil, nil, err
	}
	operations = map[string]Example{}
	for id, of := range known.Operations {
		operations[id] = Example{of.Body, of.Data}
	}
	return operations, known.Events, nil
}

func readExamples() (*examples, error) {
	var e examples
	if err := json.Unmarshal(examplesJSON, &e); err != nil {
		return nil, fmt.Errorf("read the examples: %w", err)
	}
	return &e, nil
}

// Fields of the meta that every example has.
const exampleMeta = `{"simulation":true,"request_id":"req_8k2m4x7q0v5dn","server_time":"2026-09-07T08:00:04.250000Z",` +
	`"api_version":"2026-09"}`

// example is a media type with the response of an operation, where there is
// one.
func (w *writer) example(name string, s *huma.Schema) *huma.MediaType {
	media := &huma.MediaType{Schema: s}
	if known, ok := w.examples.Operations[name]; ok {
		media.Example = map[string]json.RawMessage{"meta": json.RawMessage(exampleMeta), "data": known.Data}
	}
	return media
}

// bodyExample is a media type with the body of a request, where there is one.
func (w *writer) bodyExample(name string, s *huma.Schema) *huma.MediaType {
	media := &huma.MediaType{Schema: s}
	if known := w.examples.Operations[name].Body; len(known) > 0 {
		media.Example = known
	}
	return media
}

// deliveryExample is an event as a subscription gets it.
func (w *writer) deliveryExample(t event.Type, ref string) *huma.MediaType {
	media := &huma.MediaType{Schema: &huma.Schema{Ref: ref}}
	if known := w.examples.Events[t]; known != nil {
		media.Example = known
	}
	return media
}

// refusalExample is a reference to the error object of a code.
func (w *writer) refusalExample(code problem.Code) *huma.Example {
	name := string(code)
	if w.document.Components.Examples[name] == nil {
		e := w.refusals[code]
		e.DocsURL = w.origin + "/docs/errors/" + name
		w.document.Components.Examples[name] = &huma.Example{
			Summary: problem.Lookup(code).Meaning,
			Value:   map[string]any{"meta": json.RawMessage(exampleMeta), "error": e},
		}
	}
	return &huma.Example{Ref: "#/components/examples/" + name}
}
