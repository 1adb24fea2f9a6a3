package openapi

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/event"
	"platen/internal/operation"
)

const schemas = "#/components/schemas/"

// events registers the events of the feed, one schema for each type in place
// of the form that they share, and describes the deliveries.
func (w *writer) events() {
	components := w.registry.Huma().Map()
	name := strings.TrimPrefix(w.registry.Ref(reflect.TypeFor[operation.FeedEvent]()).Ref, schemas)
	form := components[name]
	union := &huma.Schema{
		Description:   form.Description,
		Discriminator: &huma.Discriminator{PropertyName: "type", Mapping: map[string]string{}},
	}
	for _, definition := range event.All() {
		of := componentOf(definition.Type) + "Event"
		components[of] = w.eventOf(form, &definition)
		union.OneOf = append(union.OneOf, &huma.Schema{Ref: schemas + of})
		union.Discriminator.Mapping[string(definition.Type)] = schemas + of
	}
	components[name] = union
	w.deliveries(form)
}

// componentOf spells a type as the name of a component:
// office.sales_order.received is OfficeSalesOrderReceived.
func componentOf(t event.Type) string {
	var name strings.Builder
	for word := range strings.FieldsFuncSeq(string(t), func(c rune) bool { return c == '.' || c == '_' }) {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}

// eventOf is the form of all events with the type, the system and the data of
// one of them.
func (w *writer) eventOf(form *huma.Schema, definition *event.Definition) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeObject, Description: definition.Cause, Required: slices.Clone(form.Required),
		Properties: maps.Clone(form.Properties),
	}
	described := func(name string) string { return form.Properties[name].Description }
	s.Properties["type"] = &huma.Schema{
		Type: huma.TypeString, Enum: []any{string(definition.Type)}, Description: described("type"),
	}
	system := definition.Type.System()
	if definition.Type == ping.Type {
		system = event.Sandbox
	}
	s.Properties["system"] = &huma.Schema{
		Type: huma.TypeString, Enum: []any{string(system)}, Description: described("system"),
	}
	s.Properties["data"] = w.dataOf(definition)
	s.Properties["data"].Description = "The record that the event is about, and what changed."
	return s
}

func (w *writer) dataOf(definition *event.Definition) *huma.Schema {
	if definition.Data == nil {
		return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	}
	ref := w.registry.Ref(reflect.TypeOf(definition.Data).Elem())
	w.registry.Huma().SchemaFromRef(ref.Ref).Description = "The data of " + string(definition.Type) + " events. " +
		definition.Cause
	return ref
}

// ping is the delivery that is no event (contract: OPEN.WHK.TEST.PING).
var ping = event.Definition{ //nolint:gochecknoglobals // read only
	Type: "webhook.ping", Cause: "The client tests a subscription; no event of the feed.", Data: &pingData{},
}

// pingData is the data of a ping.
type pingData struct {
	event.Head   `json:"-"`
	event.Riders `json:"-"`

	WebhookID string `json:"webhook_id" doc:"The subscription that is tested."`
}

// deliveries describes the deliveries to a subscription, a webhook for each
// type (contract: EVT.BODY.FULL_RECORD and the rows around it).
func (w *writer) deliveries(form *huma.Schema) {
	w.registry.Huma().Map()["ShortenedData"] = &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Description: "The short scalars of the event's data, where the whole of it would make the body longer than " +
			"4096 bytes. The record stands at links.self.",
	}
	w.document.Webhooks = map[string]*huma.PathItem{}
	for _, definition := range slices.Concat(event.Catalogue(), []event.Definition{ping}) {
		of := componentOf(definition.Type) + "Delivery"
		w.registry.Huma().Map()[of] = w.deliveryOf(form, &definition)
		w.document.Webhooks[string(definition.Type)] = &huma.PathItem{Post: w.delivery(&definition, schemas+of)}
	}
}

// deliveryOf is the body of a delivery: the event without its number, and
// perhaps shortened.
func (w *writer) deliveryOf(form *huma.Schema, definition *event.Definition) *huma.Schema {
	s := w.eventOf(form, definition)
	delete(s.Properties, "seq")
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == "seq" })
	s.Properties["truncated"] = &huma.Schema{
		Type: huma.TypeBoolean, Enum: []any{true}, Description: "Only there when data was shortened.",
	}
	if definition.Data != nil {
		s.Properties["data"] = &huma.Schema{
			AnyOf:       []*huma.Schema{{Ref: s.Properties["data"].Ref}, {Ref: schemas + "ShortenedData"}},
			Description: "The record that the event is about, and what changed; its short fields alone when truncated.",
		}
	}
	return s
}

func (w *writer) delivery(definition *event.Definition, ref string) *huma.Operation {
	header := func(name, description string) *huma.Param {
		return &huma.Param{
			Name: name, In: "header", Required: true, Description: description,
			Schema: &huma.Schema{Type: huma.TypeString},
		}
	}
	return &huma.Operation{
		OperationID: "deliver_" + strings.ReplaceAll(string(definition.Type), ".", "_"),
		Summary:     string(definition.Type),
		Description: definition.Cause +
			" Sent to subscriptions that name this type, or all. It comes at least once: deduplicate by webhook-id.",
		Tags: []string{deliveriesTag},
		Parameters: []*huma.Param{
			header("webhook-id", "The id of the event, the same on every attempt."),
			header("webhook-timestamp", "When this attempt was sent, in seconds since 1970. "+
				"Reject a delivery that is more than 300 seconds from your clock."),
			header("webhook-signature", "v1, and the base64 of HMAC-SHA256 over webhook-id, webhook-timestamp and "+
				"the raw body, joined by dots. For a day after a rotation there are two, with a space between them; "+
				"a match with either will do."),
			header("user-agent", "Platen-Webhooks/1.0 and where to read about it."),
		},
		RequestBody: &huma.RequestBody{
			Required: true, Content: map[string]*huma.MediaType{mediaJSON: w.deliveryExample(definition.Type, ref)},
		},
		Responses: map[string]*huma.Response{
			"2XX": {Description: "Delivered. At most 1024 bytes of the response are read, and nothing " +
				"is kept of them."},
			"default": {Description: "Anything else, or nothing within 5 seconds, is a failure: " +
				"the next attempts come after 10, 60 and 300 seconds."},
		},
		Security: []map[string][]string{},
	}
}
