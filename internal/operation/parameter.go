package operation

import (
	"math"
	"slices"
	"strings"

	"platen/internal/words/jsonfield"
	"platen/internal/words/wire"
)

// Names of parameters that are read by their meaning. Filters and the ids of
// paths are read by their place in the table alone.
const (
	ParameterLimit        = "limit"
	ParameterCursor       = "cursor"
	ParameterUpdatedSince = "updated_since"
	ParameterAfterSeq     = "after_seq"
	ParameterWaitS        = "wait_s"
	ParameterAfter        = "after"
	ParameterSince        = "since"
	// ParameterTypes takes several event types, separated by commas.
	ParameterTypes  = "types"
	ParameterSystem = "system"

	// filterWeekStart compares no field of the row: attendance is by day.
	filterWeekStart = "week_start"
)

// Limits of a page (contract: LIST.LIMIT), of a long-poll (contract:
// OPEN.FEED.POLL) and of an idempotency key (contract: LIMIT.IDEMPOTENCY_KEY).
const (
	defaultLimit = 50
	maxLimit     = 100

	defaultPollSeconds = 20
	maxPollSeconds     = 25

	// MaxIdempotencyKeyLength is in characters.
	MaxIdempotencyKeyLength = 64
)

// Location says which part of a request has a parameter.
type Location string

// Locations.
const (
	InPath   Location = "path"
	InQuery  Location = "query"
	InHeader Location = "header"
)

// ParameterType says which texts a parameter takes.
type ParameterType string

// Parameter types.
const (
	Text ParameterType = "text"
	// Integer is a whole number from Minimum to Maximum.
	Integer ParameterType = "integer"
	// Sequence is the number of an event, from 0.
	Sequence ParameterType = "sequence"
	// Time is an RFC 3339 time with its offset.
	Time ParameterType = "time"
	// Date is a day of the company's calendar, such as 2026-09-07.
	Date ParameterType = "date"
)

// Parameter is one parameter of an operation. Requests are checked by it, and
// the OpenAPI document, the reference pages, package client and the agents'
// tools describe it by it.
type Parameter struct {
	Name     string
	In       Location
	Type     ParameterType
	Required bool
	// InsteadOf names the parameter in whose place this one is sent: a request
	// with both is invalid, and one with neither where Required is set.
	InsteadOf string
	// Minimum and Maximum are the bounds of numbers.
	Minimum, Maximum int64
	// Default is the number that counts when none is sent, nil for none.
	Default *int64
	// MaxLength is the longest header, in characters, 0 for no limit of its own.
	MaxLength int
	// Values are the texts that are allowed, empty for any.
	Values []string
	// Example is a value that a request to any company can send, since importers fill it in; "" where there is none, as
	// for a cursor or the id of a record.
	Example string
	// Doc says in one sentence what the parameter does.
	Doc string
	// Filter is set for parameters that rows or events are chosen by.
	Filter bool
	// Monday is set for a date that has to be one.
	Monday bool
	// Common is set for parameters that mean the same in all operations.
	Common bool
}

// Parameters lists the parameters of an operation: those of its path, of its
// query and of its headers.
func (o *Operation) Parameters() []Parameter {
	var all []Parameter
	for _, name := range o.PathParamNames() {
		doc := "The record's id, or its number where it has one, such as SO-1001."
		if name != "id" {
			doc = "The " + strings.ReplaceAll(strings.TrimSuffix(name, "_id"), "_", " ") + "'s id."
		}
		all = append(all, Parameter{Name: name, In: InPath, Type: Text, Required: true, Doc: doc, Common: true})
	}
	all = append(all, o.Query()...)
	return append(all, o.headers()...)
}

// Query lists the parameters of an operation's query.
func (o *Operation) Query() []Parameter {
	var query []Parameter
	if o.Paged() {
		query = append(query,
			Parameter{
				Name: ParameterLimit, Type: Integer, Minimum: 1, Maximum: maxLimit, Default: new(int64(defaultLimit)),
				Common: true, Doc: "Rows in a page.",
			},
			Parameter{
				Name: ParameterCursor, Type: Text, Common: true,
				Doc: "next_cursor of the page before, unchanged. Leave it out for the first page.",
			},
			Parameter{
				Name: ParameterUpdatedSince, Type: Time, Common: true,
				Doc: "Only rows changed at or after this time.", Example: "2026-09-07T08:00:00Z",
			},
		)
		query = append(query, o.filters()...)
	}
	number := Parameter{Type: Sequence, Maximum: math.MaxInt64}
	switch {
	case o.Kind == List && o.Resource == CallResource:
		query = append(query, Parameter{
			Name: ParameterAfter, Type: Text, Doc: "Only requests after the one with this id: the request_id of any " +
				"response of this sandbox that is still listed.",
		}, Parameter{
			Name: ParameterWaitS, Type: Integer, Maximum: maxPollSeconds, Default: new(int64),
			Doc: "How long to wait for a request that fits, in seconds.",
		})
	case o.Since:
		number.Name, number.Default = ParameterSince, new(int64)
		number.Doc = "Only points from this event on; the point that you have seen last comes again."
		query = append(query, number)
	case o.Kind == Feed:
		number.Name, number.Default, number.InsteadOf = ParameterAfterSeq, new(int64), ParameterCursor
		number.Doc = "Only events with a greater number."
		query = append(query, number)
	case o.Kind == Poll:
		number.Name, number.Required, number.InsteadOf = ParameterAfterSeq, true, ParameterCursor
		number.Doc = "Only events with a greater number than the last that you have, 0 for none; wanted unless " +
			"there is a cursor."
		query = append(query, number, Parameter{
			Name: ParameterWaitS, Type: Integer, Maximum: maxPollSeconds, Default: new(int64(defaultPollSeconds)),
			Doc: "How long to wait, in seconds.",
		})
	}
	for i := range query {
		query[i].In = InQuery
	}
	return query
}

// filters are the parameters that rows or events are chosen by, in the order
// of Filters.
func (o *Operation) filters() []Parameter {
	rows := o.filteredFields()
	filters := make([]Parameter, len(o.Filters))
	for i, name := range o.Filters {
		p := Parameter{Name: name, Type: Text, Filter: true}
		p.Doc = "Only rows with this " + name + "."
		if field, ok := rows[name]; ok {
			p.Values, p.Doc = field.Enum(), strings.TrimSpace(p.Doc+" "+field.Doc())
		}
		if name == ParameterTypes && o.Streams() {
			p.Doc = "Only events of these types, separated by commas."
		}
		if name == ParameterSystem && o.Streams() {
			p.Doc = "Only events of this part of the company: office, factory, hr, world or sandbox."
		}
		if slices.Contains(o.Dates, name) {
			p.Type = Date
		}
		if name == filterWeekStart {
			p.Doc, p.Monday = "Only rows of the week that begins on this Monday. Another day is 422.", true
		}
		p.Example = o.exampleOf(name)
		if o.Resource == CallResource {
			describeCallFilter(&p)
		}
		filters[i] = p
	}
	return filters
}

// exampleOf is an example of a filter's value, "" where its values or its form say enough.
func (o *Operation) exampleOf(name string) string {
	switch name {
	case ParameterTypes:
		return "office.sales_order.received,factory.print_run.completed"
	case "sku":
		if o.ID == "list_sales_orders" {
			return "prd_flyer"
		}
		return "mat_coated"
	case filterWeekStart:
		return "2026-09-07"
	case "badge_no":
		return "1001"
	case "press_id":
		return "prs_digital"
	case "supplier_id":
		return "sup_mill"
	case "customer_id":
		return "cus_kestrel"
	}
	return ""
}

// filteredFields are the fields of the rows that the filters of a list compare, by filter.
func (o *Operation) filteredFields() map[string]jsonfield.Field {
	fields := map[string]jsonfield.Field{}
	for _, field := range jsonfield.Of(o.Out) {
		if slices.Contains(o.Filters, field.JSON) {
			fields[field.JSON] = field
		}
	}
	return fields
}

// headers are the headers that change what the operation does.
func (o *Operation) headers() []Parameter {
	var headers []Parameter
	if o.Conditional() {
		headers = append(headers, Parameter{
			Name: wire.HeaderIfNoneMatch, Common: true, Doc: "An ETag; the response is 304 when nothing changed.",
		})
	}
	if o.TakesIfMatch() {
		doc := "An ETag of GET by id, or *; the response is 412 when the record has changed since."
		if o.Named() == "" {
			doc = "Only *, which always fits."
		}
		headers = append(headers, Parameter{Name: wire.HeaderIfMatch, Common: o.Named() != "", Doc: doc, Example: "*"})
	}
	if o.Kind == Creation {
		headers = append(headers, Parameter{
			Name: wire.HeaderProof, Doc: "A proof of work, where the server asks for one: <challenge>.<nonce>.",
		})
	}
	headers = append(headers, Parameter{
		Name: wire.HeaderVersion, Common: true, Doc: "The dated version of the API that is wanted.",
	})
	if o.Key != KeyNone {
		headers = append(headers, Parameter{
			Name: wire.HeaderIdempotencyKey, Required: o.Key == KeyRequired, Minimum: 1,
			MaxLength: MaxIdempotencyKeyLength,
			Common:    true, Doc: "One key for each intention, the same on every retry.",
		})
	}
	for i := range headers {
		headers[i].In, headers[i].Type = InHeader, Text
	}
	return headers
}
