package operation

import (
	"context"
	"slices"
	"sync"

	"platen/internal/company/record"
	"platen/internal/desk"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
)

// Reading is a request for the data of an object.
type Reading struct {
	Context context.Context //nolint:containedctx // it lasts as long as the request
	Sandbox *sandbox.Sandbox
	// View is the state to be shown, At the moment of the request.
	View *sandbox.View
	At   moment.Instant
	// Grades is set for a grading key, Since is the parameter of that name.
	Grades bool
	Since  uint64
}

// ReadFunc computes the data of an object, and returns the state that it is of.
type ReadFunc func(r *Reading) (*sandbox.View, any, error)

// shown is the data that a view alone tells.
func shown(value func(v *sandbox.View, now moment.Instant) any) ReadFunc {
	return func(r *Reading) (*sandbox.View, any, error) { return r.View, value(r.View, r.View.ShownAt(r.At)), nil }
}

// definitions are those of the company's tables, by their resources.
//
//nolint:gochecknoglobals // read only
var definitions = sync.OnceValue(func() map[string]record.Definition {
	all := map[string]record.Definition{}
	for _, d := range desk.Definitions() {
		all[d.Resource] = d
	}
	return all
})

// index finds operations and paths by name.
type index struct {
	operations map[string]Operation
	// rowPaths are the paths at which rows are read, by their resources.
	rowPaths map[string]string
}

var (
	indexed   index     //nolint:gochecknoglobals // read only
	indexOnce sync.Once //nolint:gochecknoglobals // makes indexed; sync.OnceValue would refer to itself by Table
)

func lookup() *index {
	indexOnce.Do(func() {
		indexed = index{map[string]Operation{}, map[string]string{}}
		for _, op := range Table() {
			if indexed.operations[op.ID] = op; op.Kind == Row {
				indexed.rowPaths[op.Resource] = op.Path
			}
		}
	})
	return &indexed
}

// filterOf is the value of a field that the list of a row may be filtered by.
func filterOf(resource, name string, e *record.Entry) string {
	return e.Filters[slices.Index(definitions()[resource].Filters, name)]
}

// belonging are the filters of a list of the records that belong to one: all but the last, for which the path has the
// value.
func belonging(resource string) []string {
	filters := definitions()[resource].Filters
	return filters[:len(filters)-1]
}
