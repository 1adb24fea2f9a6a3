// Package resource makes requests about records from words of the terminal: which resource,
// which verb, which fields. Which there are is a table that clientgen writes from that of the
// operations.
package resource

import (
	"slices"
	"strings"
)

//go:generate go run ../../../../internal/publish/clientgen -for terminal -out .

// Kind is the form of a field's value.
type Kind string

// Kinds.
const (
	Text    Kind = "text"
	Integer Kind = "integer"
	Boolean Kind = "boolean"
	// Texts is a list of texts, Objects one of objects with fields of their own.
	Texts   Kind = "texts"
	Objects Kind = "objects"
)

// Field is a field of a body, or a filter of a list.
type Field struct {
	Name string
	Kind Kind
	Doc  string
	// Required fields must be in a body.
	Required bool
	// Values are all that a text can be, empty for any.
	Values []string
	// Fields are those of one of Objects.
	Fields []Field
}

// Flag is the name of the field's flag.
func (f *Field) Flag() string { return strings.ReplaceAll(f.Name, "_", "-") }

// Operation is something that can be done to records of a resource.
type Operation struct {
	// ID is that of the operation in the API.
	ID string
	// Resource and Verb are its words of the terminal.
	Resource, Verb string
	// System is office, factory or shared.
	System               string
	Method, Path         string
	Summary, Description string
	// Paged operations read lists. IfMatch is set where a write can ask for a version of its record.
	Paged, IfMatch bool
	Fields         []Field
}

// Places returns the names of the ids in the path, in their order.
func (o *Operation) Places() []string {
	var places []string
	for part := range strings.SplitSeq(o.Path, "/") {
		if strings.HasPrefix(part, "{") {
			places = append(places, strings.Trim(part, "{}"))
		}
	}
	return places
}

// Resource has the names of records of one kind in the terminal.
type Resource struct {
	Name, System string
	// Aliases are shorter names.
	Aliases    []string
	Operations []Operation
}

// About says in a few words what the records are, as the description of their list begins.
func (r *Resource) About() string {
	about := strings.TrimPrefix(r.Operations[0].Description, "The ")
	if i := strings.IndexAny(about, ".,:;"); i >= 0 {
		about = about[:i]
	}
	return strings.ToUpper(about[:1]) + about[1:]
}

// aliases are other names of some resources.
//
//nolint:gochecknoglobals // read only
var aliases = map[string][]string{
	"sales-orders": {"orders"}, "customer-invoices": {"invoices"}, "supplier-invoices": {"bills"},
	"contract-lots": {"lots"}, "payroll-runs": {"payroll"}, "print-runs": {"runs"},
}

// All returns the resources, in the order of the reference pages.
func All() []Resource {
	var all []Resource
	for _, op := range Table() {
		i := slices.IndexFunc(all, func(r Resource) bool { return r.Name == op.Resource })
		if i < 0 {
			i = len(all)
			all = append(all, Resource{Name: op.Resource, System: op.System, Aliases: aliases[op.Resource]})
		}
		all[i].Operations = append(all[i].Operations, op)
	}
	return all
}

// listOf returns the operation that lists the records whose ids a field of a body holds.
func listOf(field, system string) (Operation, bool) {
	singular := strings.TrimSuffix(strings.TrimSuffix(field, "s"), "_id")
	for _, op := range Table() {
		of, isGet := strings.CutPrefix(op.ID, "get_")
		if isGet && (of == singular || of == system+"_"+singular) && op.System == system {
			return listAt(op.Resource)
		}
	}
	return Operation{}, false
}

// listAt returns the operation that lists a resource.
func listAt(resource string) (Operation, bool) {
	for _, op := range Table() {
		if op.Resource == resource && op.Verb == "list" {
			return op, true
		}
	}
	return Operation{}, false
}
