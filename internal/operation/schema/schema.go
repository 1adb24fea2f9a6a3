// Package schema makes JSON Schemas from Go structs and reads request bodies,
// and the arguments of agents' tools, by them. It is the one place that knows
// foreign schema libraries.
//
// # Out
//
// huma's reflection turns struct tags into schemas; the registry that it
// recurses through is ours, because huma's own cannot name two types alike,
// makes each slice nullable unless a package variable says otherwise, forbids
// additional properties everywhere and has no nullable objects. Everything
// that is changed afterwards is in finish.
//
// A component is named for its type, with the system in front for types of
// packages office and factory: OfficeShipment, FactoryShipment, and, always the
// same way, OfficeSalesOrder. Types of other packages keep their names, so
// SalesOrderReceivedData is the data of an event. So do bodies, which are named for
// their operations: CreateWorkOrder. Two types that would share a
// name are a mistake of the program and panic. So is one type that is both an
// input and an output, because the two differ in the fields that are required,
// nullable and allowed beside the named ones.
//
// # In
//
// An Input is compiled once from the schema that is published, and checks
// bodies by walking the two side by side. Neither library does this: jsonschema
// v6 spends milliseconds on 1e999999 and panics at
// 1e9999999 where a number has a limit, reports in the order of a Go map, and
// leaves paths, sentences and one entry per field to the caller; huma's
// validator compares floats and names no rules. The tests compare the checks
// with jsonschema v6 instead, so that the enforced rules are the published
// ones. An Input refuses to compile a schema with a rule that it would not
// enforce.
//
// Stricter than the published schema are: integers, which must fit 64 bits,
// however they are spelled (60.0 and 6e1 are 60); other numbers, which must fit a
// float; strings and free field names, which hold no control characters
// (Unicode category Cc); and times, whose year has four digits in UTC.
//
// # Arguments
//
// The Arguments of a tool are checked by the same code and, where they are the
// fields of a body, by the same rules. Agents' clients take few words of JSON
// Schema: the published schema of a tool has fewer rules than are enforced.
package schema

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Registry holds the schemas of the OpenAPI document's components. It is
// filled while the program starts and is not safe for concurrent use until
// then.
type Registry struct {
	components map[string]*huma.Schema
	owners     map[string]owner
}

// owner is the type that a component was made from, and for which direction.
type owner struct {
	of    reflect.Type
	input bool
}

// New returns an empty registry.
func New() *Registry {
	return &Registry{components: map[string]*huma.Schema{}, owners: map[string]owner{}}
}

// Ref returns the schema of a value of type t: a reference for a named struct,
// whose component is registered, and the schema itself for anything else. A
// pointer is nullable. It panics when tags do not fit their fields.
func (r *Registry) Ref(t reflect.Type) *huma.Schema {
	return r.Huma().Schema(t, true, "")
}

// Schemas returns the components by name. The caller only reads them.
func (r *Registry) Schemas() map[string]*huma.Schema { return r.components }

// Huma returns the registry as huma's document types need it, for
// huma.Components. A type registered through it is an output.
func (r *Registry) Huma() huma.Registry { return generator{Registry: r} }
