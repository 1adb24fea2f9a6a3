// Package record is the company's memory: tables of typed rows, and the
// recorder that makes rows and events together.
//
// A row is the form that a client reads; its type is the wire type, so a write
// responds with the same row as a read by construction. Beside each row lives
// private state that is never served. Rows and events are encoded once, when a
// command is flushed; the store keeps these bytes and readers get them.
//
// The rule that every change of a status belongs to exactly one event
// (contract: EVT.ONE) is kept by construction: statuses move only through Move
// and Recorder.Born, the moves wait in the recorder, and the next Emit takes
// them along: its own record's as the event's status, all others as its riders.
// A command that ends with a move that no event took is a mistake of the
// program and panics.
package record

import (
	"strconv"
	"strings"

	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// Head begins every row.
type Head struct {
	ID string `json:"id" doc:"Names the record in paths, in other records and in events. It never changes."`
}

// RowID returns the id.
func (h *Head) RowID() string { return h.ID }

func (h *Head) head() *Head { return h }

// Stamps ends every row: when it was born and last changed, in wall time, and
// the in-world date of its birth.
type Stamps struct {
	CreatedAt moment.Instant `json:"created_at" doc:"When the record was created, in wall time."`
	UpdatedAt moment.Instant `json:"updated_at" doc:"When a field of the record last changed, in wall time; updated_since is compared with it."`
	CreatedOn moment.Date    `json:"created_on" doc:"The in-world date on which the record was created."`
}

func (s *Stamps) stamps() *Stamps { return s }

// Row is a pointer to a struct that embeds Head first and Stamps last.
type Row interface {
	RowID() string
	// Resource names the kind of record, such as sales_order.
	Resource() string
	// State returns the status, or "" for records without one.
	State() string

	head() *Head
	stamps() *Stamps
}

// TimerHandler lets the timers of one kind happen. Whole is the department or
// the company that they happen to.
type TimerHandler[Whole any] struct {
	Kind string
	Fire func(Whole, *Recorder, sim.Timer)
}

// Definition is the fixed part of a table.
type Definition struct {
	// Resource names one record, such as sales_order.
	Resource string
	// Prefix begins the ids; tables with readable ids have none.
	Prefix string
	// Filters are the names of the filters of its lists, in the order in which entries have the values. Dates are those
	// whose values are dates. NewTable fills both.
	Filters, Dates []string
	// Removes is set for a table whose rows can be removed, which lies beside the company.
	Removes bool
}

// Layout identifies the filter fields and their order. A table without any has
// layout 0.
func (d *Definition) Layout() uint32 {
	if len(d.Filters) == 0 {
		return 0
	}
	return max(uint32(sim.Hash(strings.Join(d.Filters, "\x00"))), 1)
}

// Changes holds the output of one flush, to be stored.
type Changes struct {
	// Rows lists the touched rows by table name.
	Rows []TableRows
	// Set and Fired are the difference of the schedule.
	Set   []sim.Timer
	Fired []uint64
	// State is everything else that the company keeps, Desk everything else that lies beside it, as JSON.
	State, Desk []byte
	// Feed is how far the feed has come.
	Feed Position
	// Events are the events that the step wrote, in order.
	Events []Event
}

// TableRows are rows of one table.
type TableRows struct {
	Table string
	// Layout tells in which order the entries have their filter values: that of
	// the definition they were flushed by. 0 is an unknown order.
	Layout  uint32
	Entries []*Entry
}

// Event is one row of the feed, encoded.
type Event struct {
	Sequence  uint64
	ID        string
	Type      string
	CreatedAt moment.Instant
	// Body is the JSON of the event as it is delivered, without its sequence
	// number.
	Body []byte
}

// Numbered returns the event as the feed shows it: as it is delivered, with its
// number in front.
func (e *Event) Numbered() []byte {
	b := make([]byte, 0, len(e.Body)+24)
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, e.Sequence, 10)
	b = append(b, ',')
	return append(b, e.Body[1:]...)
}

// Image is a whole sandbox as it was stored: the company, and what lies beside it.
type Image struct {
	Tables      []TableRows
	Timers      []sim.Timer
	State, Desk []byte
	Feed        Position
}
