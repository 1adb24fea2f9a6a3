// Package operation is the table of everything a client can do. The routes,
// the OpenAPI document, the reference pages, the metrics' labels and the agent
// tools are all read from it: no operation is described twice.
package operation

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// System says which key a route requires.
type System string

// Systems.
const (
	// Open routes want no key.
	Open System = "open"
	// Shared routes take either key.
	Shared  System = "shared"
	Office  System = "office"
	Factory System = "factory"
)

// Kind says how a route is served.
type Kind string

// Kinds.
const (
	// List serves the rows of a table, newest first.
	List Kind = "list"
	// Row serves one row by its id.
	Row Kind = "row"
	// Object serves a value computed from the present state.
	Object Kind = "object"
	// Feed serves events, oldest first.
	Feed Kind = "feed"
	// Poll serves events as the feed does, and waits for them.
	Poll Kind = "poll"
	// Write runs a command.
	Write Kind = "write"
	// Creation makes a sandbox, or hands out a ticket.
	Creation Kind = "creation"
	// Fork makes a sandbox from the one of the caller.
	Fork Kind = "fork"
	// Ticket looks at a ticket, and makes its sandbox.
	Ticket Kind = "ticket"
	// Deletion deletes the sandbox.
	Deletion Kind = "deletion"
)

// Grading says what a route is to the grading key of an evaluation.
type Grading string

// Grading rules (contract: OPEN.EVAL.GRADER, OPEN.EVAL.PLAYER).
const (
	// GradingNot keeps the grading key out.
	GradingNot Grading = ""
	// GradingToo lets it in beside the keys of players.
	GradingToo Grading = "too"
	// GradingAlone lets it in, and in an evaluation no other key: the route would tell a
	// player what is to come, or how it is judged.
	GradingAlone Grading = "alone"
)

// KeyRule is a write's treatment of the header Idempotency-Key.
type KeyRule string

// Key rules (contract: IDEM.ACCEPTED, IDEM.REQUIRED).
const (
	KeyNone     KeyRule = "none"
	KeyAccepted KeyRule = "accepted"
	KeyRequired KeyRule = "required"
)

// Operation is one row of the table.
type Operation struct {
	// ID is the operation's one name: OpenAPI operationId, docs anchor,
	// metrics label and the base of the agent tool's name.
	ID     string
	Kind   Kind
	Method string
	// Path is relative to the base URL; {id} stands for a record's id, and
	// {delivery_id} for that of a record which belongs to it.
	Path   string
	System System
	// Grading tells how the route treats a grading key; others than shared routes never let
	// it in.
	Grading Grading
	Summary string
	// Description adds facts that a client should know before calling it.
	Description string
	Key         KeyRule
	// Status is that of success.
	Status int
	// Problems are the codes that this route gives beside those that its
	// kind and system give anyway; Common adds those.
	Problems []problem.Code
	// Events are the types that a success may write.
	Events []event.Type
	// Deprecated is set once it is announced that the operation is to go.
	Deprecated *Deprecation

	// Resource names the table of lists and rows. Parent is set for a list of
	// the records that belong to the one that the path names: its resource. The
	// id of that record is the filter behind Filters.
	Resource, Parent string
	// Filters are the query parameters of a list beside limit, cursor and
	// updated_since.
	Filters []string
	// Dates are those of the filters whose values are dates.
	Dates []string
	// In is the type of the body, nil for none. BodyOptional bodies may be
	// left out.
	In           reflect.Type
	BodyOptional bool
	// Out is the type of data, or of one of its items for lists; Accepted that
	// of a 202, nil where there is none.
	Out, Accepted reflect.Type

	// Read computes the data of an object. Since is set for one that takes the parameter since: the number of the
	// event that it is to begin with. Like updated_since it is inclusive, since nothing need happen between two points.
	Read  ReadFunc
	Since bool
	// Preview is the type of the data of a dry run, nil for writes without a field dry_run.
	Preview reflect.Type
	// New makes the command of a write, for one request. Calls is set where it sends something before it runs.
	New   func() Command
	Calls bool
}

// Table returns every operation, in the order of the reference pages.
func Table() []Operation {
	var table []Operation
	for _, group := range [][]Operation{
		sandboxOperations(), checkpointOperations(), triggerOperations(), faultOperations(), integrationOperations(),
		requestOperations(), missionOperations(),
		worldOperations(), officeOperations(),
		lotOperations(), marketOperations(), procurementOperations(), peopleOperations(), factoryOperations(),
		deliveryOperations(), marketDeliveryOperations(), gateOperations(), webhookOperations(),
	} {
		table = append(table, group...)
	}
	for i := range table {
		if o := &table[i]; o.Grading == GradingAlone {
			o.Problems = append(slices.Clip(o.Problems), problem.NotInEvaluation)
		}
	}
	return table
}

// Common returns the codes that an operation gives because of its kind and its
// rules, followed by its own.
func (o *Operation) Common() []problem.Code {
	codes := []problem.Code{
		problem.BadRequest, problem.KeyInURL, problem.Banned,
		problem.RateLimited, problem.InvalidParameter, problem.MethodNotAllowed, problem.NotAcceptable,
		problem.HostRefused, problem.HeadersTooLarge, problem.InternalError, problem.Unavailable,
	}
	if o.System != Open {
		codes = append(codes, problem.Unauthorized, problem.SandboxDamaged)
	}
	if o.System == Office || o.System == Factory || o.System == Shared && o.Grading == GradingNot {
		codes = append(codes, problem.WrongSystem)
	}
	switch o.Kind {
	case List, Feed, Poll:
		codes = append(codes, problem.InvalidCursor)
		if slices.Contains(o.Filters, filterWeekStart) {
			codes = append(codes, problem.ValidationFailed)
		}
		if o.HasID() {
			codes = append(codes, problem.NotFound)
		}
	case Row:
		codes = append(codes, problem.NotFound)
	case Write:
		codes = append(codes, problem.InvalidJSON, problem.ValidationFailed,
			problem.BodyTooLarge, problem.UnsupportedMediaType, problem.RequestTimeout, problem.IdempotencyKeyInvalid,
			problem.IdempotencyKeyReused, problem.SandboxExpired, problem.SandboxBankrupt)
	case Creation, Fork:
		codes = append(codes, problem.InvalidJSON,
			problem.ValidationFailed, problem.BodyTooLarge, problem.UnsupportedMediaType, problem.RequestTimeout,
			problem.IdempotencyKeyInvalid, problem.IdempotencyKeyReused, problem.RequestInProgress)
	case Deletion:
		codes = append(codes, problem.InvalidJSON,
			problem.ValidationFailed, problem.BodyTooLarge, problem.UnsupportedMediaType, problem.RequestTimeout,
			problem.IdempotencyKeyInvalid, problem.IdempotencyKeyReused)
	case Object, Ticket:
	}
	if o.Key == KeyRequired {
		codes = append(codes, problem.IdempotencyRequired)
	}
	if o.TakesIfMatch() && o.Named() != "" {
		codes = append(codes, problem.PreconditionFailed)
	}
	return append(codes, o.Problems...)
}

// Paged reports whether an operation responds with a page of rows.
func (o *Operation) Paged() bool { return o.Kind == List || o.Streams() }

// Streams reports whether an operation responds with events.
func (o *Operation) Streams() bool { return o.Kind == Feed || o.Kind == Poll }

// Conditional reports whether a client can ask for the response only where it
// is not the one that it has.
func (o *Operation) Conditional() bool {
	switch o.Kind {
	case List, Feed, Poll, Row, Object:
		return true
	default:
		return false
	}
}

// TakesIfMatch reports whether a client can ask for a write only where the record is still of the version that it
// read (contract: OPEN.IF_MATCH).
func (o *Operation) TakesIfMatch() bool {
	switch o.Kind {
	case Write, Deletion:
		return o.Named() != "" || o.Method == http.MethodPatch || o.Method == http.MethodDelete
	default:
		return false
	}
}

// Named is the resource of the record whose id is in the path, "" where there is none.
func (o *Operation) Named() string {
	before, _, found := strings.Cut(o.Path, "{id}")
	if !found {
		return ""
	}
	for resource, path := range rowPaths() {
		if path == before+"{id}" {
			return resource
		}
	}
	return ""
}

// HasID reports whether the path names a record.
func (o *Operation) HasID() bool { return len(o.PathParamNames()) > 0 }

// PathParamNames lists the parameters of the path, such as id, in their order.
func (o *Operation) PathParamNames() []string {
	var places []string
	for part := range strings.SplitSeq(o.Path, "/") {
		if strings.HasPrefix(part, "{") {
			places = append(places, strings.Trim(part, "{}"))
		}
	}
	return places
}

// noun describes a resource that can be listed and read.
type noun struct {
	system   System
	grading  Grading
	path     string
	resource string
	singular string // of the operation ids, such as sales_order
	plural   string
	summary  string
	// one is the singular in words, with its article.
	one string
	// ids says how ids are made where a reader can know them, "" where not.
	ids             string
	listDescription string
}

// reads makes the list and the row operation of a noun whose rows are of
// type R.
func reads[R any](n noun) []Operation {
	list := Operation{
		ID: "list_" + n.plural, Kind: List, Method: http.MethodGet, Path: n.path, System: n.system,
		Grading: n.grading, Key: KeyNone, Status: http.StatusOK,
		Summary: "List " + n.summary, Description: n.listDescription, Resource: n.resource,
		Out: reflect.TypeFor[R](),
	}
	d := definitions()[n.resource]
	list.Filters, list.Dates = d.Filters, d.Dates
	row := Operation{
		ID: "get_" + n.singular, Kind: Row, Method: http.MethodGet, Path: n.path + "/{id}", System: n.system,
		Grading: n.grading, Key: KeyNone, Status: http.StatusOK,
		Summary: "Get " + n.one, Resource: n.resource,
		Description: strings.TrimSpace("The row that GET " + n.path + " lists under this id. " + n.ids),
		Out:         reflect.TypeFor[R](),
	}
	return []Operation{list, row}
}

// IDPrefix returns the beginning of the ids of a resource, "" where ids are readable or the
// company keeps no such records.
func IDPrefix(resource string) string { return definitions()[resource].Prefix }
