// Package mission says what a client may try next and notices when it has:
// predicates over signals, which only ever grow.
package mission

import (
	"math/bits"
	"slices"

	"platen/internal/company/record"
	"platen/internal/event"
	"platen/internal/moment"
)

// Signals is the set of things that the client's own calls have done.
type Signals uint64

// Signals, one bit each.
const (
	ReadAnything Signals = 1 << iota
	ReachedOffice
	ReachedFactory
	AcceptedOrder
	StartedPrintRun
	BilledOrder
	WasPaid
	Restocked
	PaidMatched
	PaidPayrollInTime
	VerifiedWebhook
	// HandledTwice: an event was acknowledged twice, and the feed read past it.
	HandledTwice
)

// definition is a mission as it is written here.
type definition struct {
	id, title, objective, hint, track string
	// wanted are the signals that complete it.
	wanted Signals
}

const (
	trackBasics = "basics"
	trackOrder  = "order_to_cash"
	trackBuying = "procure_to_pay"
	trackPeople = "people"
	trackEvents = "events"
)

var definitions = []definition{ //nolint:gochecknoglobals // the table itself
	{"first_call", "First call", "Read anything with one of your keys.", "GET /office/sales-orders with the lab_off_ key.", trackBasics, ReadAnything},
	{"both_keys", "Two doors", "Talk to both systems.", "Each key opens one door; 403 wrong_system names the prefix of the other.", trackBasics, ReachedOffice | ReachedFactory},
	{"accept_order", "A deal", "Accept a sales order.", "Look at answer_by and due_date first.", trackOrder, AcceptedOrder},
	{"start_print_run", "Ink on paper", "Start a print run for it.", "Small jobs belong on prs_digital: no plates, little make-ready.", trackOrder, StartedPrintRun},
	{"ship_order", "Out of the door", "Ship an order that you accepted, and bill it.", "Wait for factory.work_order.ready, then POST /factory/shipments.", trackOrder, BilledOrder},
	{"order_to_cash", "Order to cash", "Be paid for an order that you accepted.", "Follow invoice.due_date, or move the clock with POST /sandbox/tick.", trackOrder, WasPaid},
	{"restock", "Refill before it hurts", "Order material after an item went low, and count the delivery in.", "Suppliers differ in lead time and price: GET /office/suppliers.", trackBuying, Restocked},
	{"three_way_match", "Trust, but match", "Close a supplier invoice that does not match at its matched amount.", "The very first supplier invoice is wrong: compare billed_minor with matched_minor.", trackBuying, PaidMatched},
	{"payroll_on_time", "Payday", "Pay the wages of a week by their due date.", "They are due on the Wednesday after: POST /office/payroll-runs.", trackPeople, PaidPayrollInTime},
	{"verified_webhook", "Receive signed events", "Take a webhook subscription into service.", "POST /webhooks, then POST /webhooks/{id}/test: your URL must answer the ping with 2xx.", trackEvents, VerifiedWebhook},
	{"webhook_and_feed", "Once is enough", "Acknowledge the same event twice, and read the feed past it.", "POST /webhooks/{id}/deliveries/{delivery_id}/redeliver sends an event again. Handle each id once.", trackEvents, HandledTwice},
}

// Introduction is what is fixed about a mission, for the docs.
type Introduction struct {
	ID                            string
	Order                         int
	Title, Objective, Hint, Track string
	// DocsURL is relative to the origin.
	DocsURL string
}

// All introduces every mission, in the order of teaching.
func All() []Introduction {
	all := make([]Introduction, len(definitions))
	for i, d := range definitions {
		all[i] = Introduction{ID: d.id, Order: i + 1, DocsURL: d.docsURL(), Title: d.title, Objective: d.objective, Hint: d.hint, Track: d.track}
	}
	return all
}

// Status is the status of a mission.
//
//	upcoming ──among the first three uncompleted──▶ active ──done──▶ completed
//
// Only completed is stored and has an event; the others follow from the order.
type Status string

// Statuses (contract: MIS.STATUS).
const (
	Upcoming  Status = "upcoming"
	Active    Status = "active"
	Completed Status = "completed"
)

// activeAtOnce is how many missions are active at a time.
const activeAtOnce = 3

// Progress counts the steps of a mission.
type Progress struct {
	Current int `json:"current"`
	Target  int `json:"target"`
}

// Mission is a mission as the client reads it (contract: MIS.FIELDS).
type Mission struct {
	record.Head
	Order       int             `json:"order"`
	Title       string          `json:"title"`
	Objective   string          `json:"objective"`
	Hint        string          `json:"hint"`
	Track       string          `json:"track" enum:"basics,order_to_cash,procure_to_pay,people,events"`
	Status      Status          `json:"status" enum:"upcoming,active,completed"`
	Progress    Progress        `json:"progress"`
	CompletedAt *moment.Instant `json:"completed_at"`
	// DocsURL is relative to the origin.
	DocsURL string `json:"docs_url"`
	record.Stamps
}

// Resource implements record.Row.
func (*Mission) Resource() string { return "mission" }

// State implements record.Row.
func (m *Mission) State() string { return string(m.Status) }

// Board is the missions of one sandbox.
type Board struct {
	Missions *record.Table[Mission, struct{}]
	// Signals is stored with every commit.
	Signals Signals
}

// New returns an empty board.
func New() *Board {
	return &Board{Missions: record.NewTable[Mission, struct{}](
		record.Definition{Resource: "mission", Filters: []string{"status"}},
		func(m *Mission) []string { return []string{string(m.Status)} })}
}

// Open writes the missions, last to first, since lists are newest first and
// these are to be read in the order of teaching.
func (b *Board) Open(r *record.Recorder) {
	for i := range slices.Backward(definitions) {
		d := definitions[i]
		status := Upcoming
		if i < activeAtOnce {
			status = Active
		}
		b.Missions.Add(r, Mission{
			Head: record.Head{ID: d.id}, Order: i + 1, Title: d.title, Objective: d.objective, Hint: d.hint, Track: d.track, Status: status,
			Progress: Progress{Target: d.target()}, DocsURL: d.docsURL(),
		}, struct{}{})
	}
}

// Completes reports whether new signals beside the known ones complete a
// mission.
func Completes(known, added Signals) bool {
	if added&^known == 0 {
		return false
	}
	for i := range definitions {
		if d := &definitions[i]; known&d.wanted != d.wanted && (known|added)&d.wanted == d.wanted {
			return true
		}
	}
	return false
}

// Note adds signals and completes the missions that they complete.
func (b *Board) Note(r *record.Recorder, added Signals) {
	before := b.Signals
	if added&^before == 0 {
		return
	}
	b.Signals |= added
	for i := range definitions {
		d := &definitions[i]
		if d.wanted&b.Signals == d.wanted&before {
			continue
		}
		if _, known := b.Missions.Find(d.id); !known {
			continue // the sandbox is older than this mission
		}
		m, _ := b.Missions.Edit(r, d.id)
		m.Progress.Current = d.current(b.Signals)
		if m.Progress.Current == m.Progress.Target {
			b.complete(r, m)
		}
	}
}

func (b *Board) complete(r *record.Recorder, m *Mission) {
	m.CompletedAt = new(r.Wall())
	record.Move(r, m, &m.Status, Completed)
	completed := int64(0)
	for other := range b.Missions.All {
		if other.Status == Completed {
			completed++
		}
	}
	r.Emit(event.MissionCompleted, m, &event.MissionCompletedData{Title: m.Title, CompletedCount: completed, TotalCount: int64(b.Missions.Len())})
	b.activate(r)
}

// activate makes the first uncompleted missions active.
func (b *Board) activate(r *record.Recorder) {
	active := 0
	for i := range definitions {
		m, known := b.Missions.Find(definitions[i].id)
		if !known || m.Status == Completed {
			continue
		}
		if active == activeAtOnce {
			return
		}
		active++
		if m.Status == Upcoming {
			m, _ = b.Missions.Edit(r, m.ID)
			m.Status = Active // derived from the order: no event
		}
	}
}

func (d *definition) docsURL() string { return "/docs/missions/" + d.id }

func (d *definition) target() int { return bits.OnesCount64(uint64(d.wanted)) }

func (d *definition) current(s Signals) int { return bits.OnesCount64(uint64(d.wanted & s)) }
