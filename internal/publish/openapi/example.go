package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/words/event"
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

// exemplify gives a media type with an envelope its example, which is the recorded response to the
// first operation that has it. Pages have none: their rows have.
func (w *writer) exemplify(media *huma.MediaType, name, recorded string) {
	known, ok := w.examples.Operations[recorded]
	if !ok || strings.HasSuffix(name, pageSuffix) {
		return
	}
	if w.document.Components.Examples[name] == nil {
		w.document.Components.Examples[name] = &huma.Example{
			Value: map[string]json.RawMessage{"meta": json.RawMessage(exampleMeta), "data": known.Data},
		}
	}
	media.Examples = map[string]*huma.Example{"recorded": {Ref: "#/components/examples/" + name}}
}

// bodyExample is a media type with the body of a request, where there is one.
func (w *writer) bodyExample(name string, s *huma.Schema) *huma.MediaType {
	media := &huma.MediaType{Schema: s}
	if known := w.examples.Operations[name].Body; len(known) > 0 {
		media.Example = known
	}
	return media
}
