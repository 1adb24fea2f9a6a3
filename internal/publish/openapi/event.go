package openapi

import (
	"maps"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/operation"
	"platen/internal/words/event"
)

const schemas = "#/components/schemas/"

// feedCore and eventCore have the fields that all events share in the feed and in deliveries: everything
// but the type and the data, and in deliveries the number.
const feedCore, eventCore = "FeedCore", "EventCore"

// events registers the events of the feed, one schema for each type in place
// of the form that they share, and describes the deliveries.
func (w *writer) events() {
	components := w.registry.Schemas()
	w.registry.Ref(reflect.TypeFor[operation.FeedEvent]())
	form := components[feedEvent]
	components[feedCore] = part(form, "type", "data")
	components[feedCore].Description = "The fields of all types of events in the feed."
	components[eventCore] = part(form, "type", "data", "seq")
	components[eventCore].Description = "The fields of all types of events in a delivery."
	union := &huma.Schema{
		Discriminator: &huma.Discriminator{PropertyName: "type", Mapping: map[string]string{}},
	}
	for _, definition := range event.All() {
		of := componentOf(string(definition.Type)) + "Event"
		components[of] = w.eventOf(&definition)
		union.OneOf = append(union.OneOf, &huma.Schema{Ref: schemas + of})
		union.Discriminator.Mapping[string(definition.Type)] = schemas + of
	}
	union.Description = "An event of a type that this document knows: its type decides the form of its data."
	components[knownEvent], components[otherEvent] = union, other()
	components[feedEvent] = &huma.Schema{
		Description: form.Description,
		AnyOf:       []*huma.Schema{{Ref: schemas + knownEvent}, {Ref: schemas + otherEvent}},
	}
	w.deliveries(form)
}

// knownEvent names the events of the types in this document, otherEvent those of types that a later
// version adds: a client that validates strictly survives them.
const knownEvent, otherEvent = "KnownEvent", "OtherEvent"

// feedEvent names either.
const feedEvent = "FeedEvent"

// other is an event of a type that is not in this document.
func other() *huma.Schema {
	known := make([]any, 0, len(event.All()))
	for _, definition := range event.All() {
		known = append(known, string(definition.Type))
	}
	return &huma.Schema{
		Description: "An event of a type that a later version adds. Ignore what you do not know.",
		AllOf: []*huma.Schema{{Ref: schemas + feedCore}, {
			Type: huma.TypeObject, Required: []string{"type", "data"},
			Properties: map[string]*huma.Schema{
				"type": {
					Type: huma.TypeString, Not: &huma.Schema{Enum: known},
					Description: "The system, the kind of record, and the thing that happened to it; " +
						"not one of KnownEvent.",
				},
				"data": {
					Type: huma.TypeObject, AdditionalProperties: true,
					Description: "The record that the event is about.",
				},
			},
		}},
	}
}

// part is a schema without some of its properties.
func part(of *huma.Schema, without ...string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, Properties: maps.Clone(of.Properties)}
	for _, name := range without {
		delete(s.Properties, name)
	}
	for _, name := range of.Required {
		if s.Properties[name] != nil {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// componentOf spells the name of a type or of a field as that of a component:
// office.sales_order.received is OfficeSalesOrderReceived.
func componentOf(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(c rune) bool { return c == '.' || c == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// eventOf is an event of one type in the feed.
func (w *writer) eventOf(definition *event.Definition) *huma.Schema {
	data := w.dataOf(definition)
	data.Description = "The record that the event is about, and what changed."
	return &huma.Schema{
		Description: definition.Cause,
		AllOf: []*huma.Schema{{Ref: schemas + feedCore}, {
			Type: huma.TypeObject, Required: []string{"type", "data"},
			Properties: map[string]*huma.Schema{
				"data": data,
				"type": {
					Type: huma.TypeString, Description: "The type, which decides the form of data.",
					Extensions: map[string]any{"const": definition.Type},
				},
			},
		}},
	}
}

// subject names the fields that the data of all events begin with.
const subject = "EventSubject"

// dataOf is a reference to the data of a type of event. The fields that all of them begin with have a schema of
// its own.
func (w *writer) dataOf(definition *event.Definition) *huma.Schema {
	components := w.registry.Schemas()
	ref := w.registry.Ref(reflect.TypeOf(definition.Data).Elem())
	name := strings.TrimPrefix(ref.Ref, schemas)
	s := components[name]
	if len(s.AllOf) > 0 {
		return ref
	}
	head := []string{"id", "status", "changes"}
	if components[subject] == nil {
		properties := map[string]*huma.Schema{}
		for _, field := range head {
			properties[field] = s.Properties[field]
		}
		components[subject] = &huma.Schema{
			Type: huma.TypeObject, Properties: properties, Required: head[:1],
			Description: "The record that an event is about, and others that changed with it.",
		}
	}
	components[name] = &huma.Schema{
		Description: "The data of " + string(definition.Type) + " events.",
		AllOf:       []*huma.Schema{{Ref: schemas + subject}, part(s, head...)},
	}
	return ref
}

// deliveries describes the deliveries to a subscription
// (contract: EVT.BODY.FULL_RECORD and the rows around it).
func (w *writer) deliveries(form *huma.Schema) {
	w.registry.Schemas()[delivered] = &huma.Schema{
		Description: "The body of a delivery: an event of the feed without its number, or a webhook.ping. Of a body " +
			"that would be longer than 4096 bytes only the short scalars of data are left.",
		AllOf: []*huma.Schema{{Ref: schemas + eventCore}, {
			Type: huma.TypeObject, Required: []string{"type", "data"},
			Properties: map[string]*huma.Schema{
				"type": form.Properties["type"],
				"truncated": {
					Type: huma.TypeBoolean, Extensions: map[string]any{"const": true},
					Description: "Present only if data was shortened; the full record is at links.self.",
				},
				"data": {
					Type: huma.TypeObject, AdditionalProperties: true,
					Description: "The data of that type of event, as the feed has it.",
				},
			},
		}},
	}
}

// delivered names the body of a delivery.
const delivered = "DeliveredEvent"

// delivery is a request to the URL of a subscription.
func delivery() *huma.Operation {
	return &huma.Operation{
		OperationID: "deliver_event", Summary: "Deliver an event",
		Description: "Every type of event that a subscription asks for comes to its one URL; type tells them apart. " +
			"It comes at least once: deduplicate by webhook-id.",
		Parameters: deliveryHeaders(), Security: []map[string][]string{},
		RequestBody: &huma.RequestBody{
			Required: true,
			Content:  map[string]*huma.MediaType{mediaJSON: {Schema: &huma.Schema{Ref: schemas + delivered}}},
		},
		Responses: map[string]*huma.Response{
			"2XX": {Description: "Delivered. At most 1024 bytes of the response are read, and nothing is kept of " +
				"them."},
			"default": {Description: "Anything else, or nothing within 5 seconds, is a failure: the next attempts " +
				"come after 10, 60 and 300 seconds."},
		},
	}
}

// deliveryHeaders are those of every delivery.
func deliveryHeaders() []*huma.Param {
	header := func(name, description string) *huma.Param {
		return &huma.Param{
			Name: name, In: "header", Required: true, Description: description,
			Schema: &huma.Schema{Type: huma.TypeString},
		}
	}
	return []*huma.Param{
		header("webhook-id", "The id of the event, the same on every attempt."),
		header("webhook-timestamp", "When this attempt was sent, in seconds since 1970. "+
			"Reject a delivery that is more than 300 seconds from your clock."),
		header("webhook-signature", "v1, and the base64 of HMAC-SHA256 over webhook-id, webhook-timestamp and "+
			"the raw body, joined by dots. For a day after a rotation there are two, with a space between them; "+
			"a match with either will do."),
		header("user-agent", "Platen-Webhooks/1.0 and where to read about it."),
	}
}
