package player

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"platen/internal/company"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// door is all that a player has of a company: the requests of the operation
// table, by their ids. Nothing that a key does not open passes through it.
type door interface {
	// list returns the rows of a list, newest first. The filters are pairs of a
	// name and a value. Rows that come as JSON are decoded.
	list(operationID string, decode func(raw []byte) any, filters ...string) ([]any, error)
	// glance is GET /sandbox.
	glance() (operation.SandboxStatus, error)
	// series is GET /sandbox/series.
	series() ([]*company.SeriesPoint, error)
	// due counts the judged obligations of GET /sandbox/integration, 0 for the player of an evaluation.
	due() (int64, error)
	// call sends a command. The body is a pointer to the operation's In, nil
	// for none. A refusal is a *problem.Problem.
	call(operationID, id string, body any) error
}

// tickOperation moves the clock.
const tickOperation = "advance_time"

// table finds operations by their ids, filters by their names, and resources by the prefixes of
// their ids.
type table struct {
	operations map[string]*operation.Operation
	filters    map[string][]string
	resources  map[string]string
}

// theTable is the one table of all players.
//
//nolint:gochecknoglobals // made once, read only
var theTable = sync.OnceValue(func() *table {
	t := &table{
		operations: map[string]*operation.Operation{}, filters: map[string][]string{}, resources: map[string]string{},
	}
	rows := operation.Table()
	for i := range rows {
		t.operations[rows[i].ID] = &rows[i]
	}
	for _, d := range company.Definitions() {
		t.filters[d.Resource] = d.Filters
		if d.Prefix != "" {
			t.resources[d.Prefix] = d.Resource
		}
	}
	return t
})

func (t *table) operation(id string) *operation.Operation {
	o := t.operations[id]
	if o == nil {
		panic("no operation is called " + id)
	}
	return o
}

// inside is a door without HTTP and without a disk. It shows what a view of
// the sandbox would: copies of the rows, after each command, without their
// private state.
type inside struct {
	table   *table
	company *company.Company
	rows    map[string][]shown
}

// shown is a row and the values that lists filter by.
type shown struct {
	row     any
	filters []string
}

// opened is the wall time of everything that happens inside: under a manual
// clock the company does not look at it.
const opened = moment.Instant(1_790_000_000_000_000)

func newInside(t *table, settings company.Settings) *inside {
	settings.SandboxID, settings.UID = "sbx_0", 1
	if settings.Bridge == "" {
		settings.Bridge = settings.Preset.Bridge
	}
	return &inside{table: t, company: company.New(settings, sim.Manual, opened), rows: map[string][]shown{}}
}

// settle takes what has changed, as a commit would.
func (d *inside) settle() {
	if !d.company.Changed() {
		return
	}
	d.company.Reveal(func(resource string, ordinal int, row record.Row, filters []string) {
		all := d.rows[resource]
		if ordinal < len(all) {
			all[ordinal] = shown{row, filters}
		} else {
			d.rows[resource] = append(all, shown{row, filters})
		}
	})
}

func (d *inside) list(operationID string, _ func([]byte) any, filters ...string) ([]any, error) {
	d.settle()
	o := d.table.operation(operationID)
	var places []int
	for i := 0; i < len(filters); i += 2 {
		place := slices.Index(d.table.filters[o.Resource], filters[i])
		if place < 0 {
			return nil, fmt.Errorf("%s has no filter %s", operationID, filters[i])
		}
		places = append(places, place)
	}
	var found []any
next:
	for _, s := range slices.Backward(d.rows[o.Resource]) {
		for i, place := range places {
			if s.filters[place] != filters[2*i+1] {
				continue next
			}
		}
		found = append(found, s.row)
	}
	return found, nil
}

func (d *inside) series() ([]*company.SeriesPoint, error) {
	d.settle()
	var points []*company.SeriesPoint
	for _, s := range d.rows[company.SeriesResource] {
		point, ok := s.row.(*company.SeriesPoint)
		if !ok {
			return nil, fmt.Errorf("the series has a %T", s.row)
		}
		points = append(points, point)
	}
	return points, nil
}

func (d *inside) glance() (operation.SandboxStatus, error) {
	newest := d.company.Feed().Position()
	v := &sandbox.View{
		Summary: d.company.Summary(), Sequence: newest.Sequence, LastEventAt: newest.At, ExpiresAt: opened.Add(1),
	}
	return operation.Status(v, opened), nil
}

func (d *inside) due() (int64, error) {
	result, _ := d.company.Integration(d.company.Summary().Now, nil, nil)
	return result.Total.Due, nil
}

func (d *inside) call(operationID, id string, body any) error {
	if d.company.Bankrupt() {
		return problem.New(problem.SandboxBankrupt, "This company is bankrupt.")
	}
	if operationID == tickOperation {
		in, ok := body.(*operation.TickInput)
		if !ok || in.Minutes == nil {
			return fmt.Errorf("a tick got a body of type %T", body)
		}
		d.company.Tick(opened, int(*in.Minutes))
		return nil
	}
	o := d.table.operation(operationID)
	command := o.New()
	if body != nil {
		reflect.ValueOf(command.Body()).Elem().Set(reflect.ValueOf(body).Elem())
	}
	_, err := command.Run(&sandbox.Tx{Company: d.company, Now: opened}, operation.PathParams{ID: id})
	return err
}
