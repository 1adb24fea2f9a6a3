// Package openapi writes the OpenAPI 3.1 document of the API. It reads the
// table of operations, the problems and the types; nothing is described here
// that is not said there.
package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/yaml"

	"platen/internal/operation"
	"platen/internal/operation/schema"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// writer collects the document.
type writer struct {
	registry *schema.Registry
	document *huma.OpenAPI
	examples *examples
}

// subscribing is the operation to whose URL deliveries go.
const subscribing = "create_webhook"

// Names of the security schemes.
const (
	officeScheme  = "office_key"
	factoryScheme = "factory_key"
	gradingScheme = "grading_key"
)

// Document returns the document of a table as JSON.
func Document(table []operation.Operation, baseURL, version string) ([]byte, error) {
	registry := schema.New()
	known, err := readExamples()
	if err != nil {
		return nil, err
	}
	w := &writer{
		registry: registry, examples: known,
		document: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Platen", Version: version,
				Description: "A simulated printing company with two systems that share no data: " +
					"Head Office and the Factory. All data is simulation data.\n\n" +
					"The headers that every response has are in " + headersExtension + ", and the codes of errors in " +
					errorsExtension + ". Any request may name the dated version of the API that it wants in the " +
					"header " + wire.HeaderVersion + ", any GET an ETag in " + wire.HeaderIfNoneMatch + ", and any " +
					"request a traceparent, which goes along with the deliveries of its events.",
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: baseURL}},
			Components: &huma.Components{
				Schemas: registry.Huma(), SecuritySchemes: securitySchemes(),
				Parameters: map[string]*huma.Param{}, Responses: map[string]*huma.Response{},
				Examples: map[string]*huma.Example{}, Headers: map[string]*huma.Header{},
			},
			Tags: []*huma.Tag{
				{Name: string(operation.Open), Description: "Without a key."},
				{Name: string(operation.Shared), Description: "With either key."},
				{Name: string(operation.Office), Description: "Head Office, with the lab_off_ key."},
				{Name: string(operation.Factory), Description: "The Factory, with the lab_fac_ key."},
			},
			Paths:      map[string]*huma.PathItem{},
			Extensions: map[string]any{headersExtension: always(), errorsExtension: failures()},
		},
	}
	for _, group := range operation.Tasks() {
		w.document.Tags = append(w.document.Tags, &huma.Tag{Name: string(group.Task), Description: group.About})
	}
	w.events()
	for i := range table {
		if err := w.add(&table[i]); err != nil {
			return nil, fmt.Errorf("operation %s: %w", table[i].ID, err)
		}
	}
	w.tables(table)
	w.share()
	w.open()
	b, err := json.Marshal(w.document)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b, nil
}

// YAML writes a document that Document returned in that form.
func YAML(document []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := yaml.Convert(&b, bytes.NewReader(document)); err != nil {
		return nil, fmt.Errorf("write as YAML: %w", err)
	}
	return b.Bytes(), nil
}

func securitySchemes() map[string]*huma.SecurityScheme {
	return map[string]*huma.SecurityScheme{
		officeScheme: {Type: "http", Scheme: "bearer",
			Description: "A key that begins with lab_off_. X-Api-Key works too."},
		factoryScheme: {Type: "http", Scheme: "bearer",
			Description: "A key that begins with lab_fac_. X-Api-Key works too."},
		gradingScheme: {Type: "http", Scheme: "bearer",
			Description: "The key that judges an evaluation; it begins with lab_grd_. X-Api-Key works too."},
	}
}

func security(op *operation.Operation) []map[string][]string {
	office, factory := map[string][]string{officeScheme: {}}, map[string][]string{factoryScheme: {}}
	switch op.System {
	case operation.Office:
		return []map[string][]string{office}
	case operation.Factory:
		return []map[string][]string{factory}
	case operation.Shared:
		if op.Grading == operation.GradingNot {
			return []map[string][]string{office, factory}
		}
		return []map[string][]string{office, factory, {gradingScheme: {}}}
	case operation.Open:
	}
	return []map[string][]string{}
}

func (w *writer) add(op *operation.Operation) error {
	described := &huma.Operation{
		OperationID: op.ID, Summary: op.Summary, Description: describe(op),
		Tags:       []string{string(op.System), string(op.Task())},
		Parameters: w.parameters(op), Responses: w.responses(op), Security: security(op),
		Deprecated: op.Deprecated != nil,
	}
	if codes := particular(op); len(codes) > 0 {
		described.Extensions = map[string]any{codesExtension: codes}
	}
	if op.In != nil && op.In.NumField() > 0 { // an empty object is as good as no body, and needs no type
		input, err := schema.NewInput(w.registry, op.In)
		if err != nil {
			return err
		}
		described.RequestBody = &huma.RequestBody{
			Required: !op.BodyOptional,
			Content:  map[string]*huma.MediaType{mediaJSON: w.bodyExample(op.ID, input.Ref())},
		}
	}
	if op.ID == subscribing {
		described.Callbacks = map[string]map[string]*huma.PathItem{
			"delivery": {"{$request.body#/url}": {Post: delivery()}},
		}
	}
	item := w.document.Paths[op.Path]
	if item == nil {
		item = &huma.PathItem{}
		w.document.Paths[op.Path] = item
	}
	switch op.Method {
	case http.MethodGet:
		item.Get = described
	case http.MethodPost:
		item.Post = described
	case http.MethodPatch:
		item.Patch = described
	case http.MethodDelete:
		item.Delete = described
	default:
		return fmt.Errorf("no place for the method %s", op.Method)
	}
	return nil
}

// describe is the operation's description with the errors that are its own, the events that it
// writes, and the other form of a list.
func describe(op *operation.Operation) string {
	text := op.Description
	if op.Deprecated != nil {
		text = strings.TrimSpace(op.Deprecated.String() + "\n\n" + text)
	}
	if op.Grading == operation.GradingAlone {
		text = strings.TrimSpace(text + "\n\nIn an evaluation this takes the grading key.")
	}
	var more []string
	if codes := particular(op); len(codes) > 0 {
		more = append(more, "Errors of its own: "+ownErrors(codes)+".")
	}
	if len(op.Events) > 0 {
		names := make([]string, len(op.Events))
		for i, t := range op.Events {
			names[i] = "`" + string(t) + "`"
		}
		more = append(more, "Events: "+strings.Join(names, ", ")+".")
	}
	if op.Paged() {
		more = append(more, "Also as CSV, with `.csv` behind the path.")
	}
	return strings.TrimSpace(text + "\n\n" + strings.Join(more, " "))
}

// ownErrors are codes with their statuses.
func ownErrors(codes []problem.Code) string {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = fmt.Sprintf("`%s` (%d)", code, problem.Lookup(code).Status)
	}
	return strings.Join(texts, ", ")
}
