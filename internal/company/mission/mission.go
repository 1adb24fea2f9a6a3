// Package mission holds the missions that a client may try, and notices when
// one is completed.
//
// Signals come from two sides. Package desk/activity watches the client's
// requests, of which some show nothing by themselves: pages that follow each
// other, a silence that was kept. Totals add up the company's own events. Both
// end in signals, which only ever grow, and missions are sets of them.
package mission

import (
	"math/bits"
	"slices"

	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// definition is a mission as it is written here.
type definition struct {
	// order is its place in the teaching. The bridge's comes before all others.
	order                             int
	id, title, objective, hint, track string
	// wanted are the signals that complete it.
	wanted Signals
	// byHand is set for missions that only a company with the manual bridge can
	// complete.
	byHand bool
}

const (
	trackBasics   = "basics"
	trackOrder    = "order_to_cash"
	trackProtocol = "protocol"
	trackEvents   = "events"
	trackBuying   = "procure_to_pay"
	trackPeople   = "people"
	trackWorld    = "world"
	trackBridge   = "bridge"
	trackFailures = "failures"
)

var definitions = []definition{ //nolint:gochecknoglobals // the table itself
	{order: 0, id: "bridge_it", title: "Carry your first order", track: trackBridge, wanted: CarriedAcross,
		byHand: true,
		objective: "Carry one sales order through both systems: accept it, order the work, ship it on both " +
			"sides, and be paid.",
		hint: "Put the order's id into reference of the work order, and the Factory shipment's id into " +
			"factory_shipment_ref of the bill."},
	{order: 1, id: "first_call", title: "First request", track: trackBasics, wanted: ReadAnything,
		objective: "Read anything with one of your keys.",
		hint:      "GET /office/sales-orders with the lab_off_ key."},
	{order: 2, id: "both_keys", title: "Use both keys", track: trackBasics, wanted: ReachedOffice | ReachedFactory,
		objective: "Talk to both systems.",
		hint:      "Each key opens one door; 403 wrong_system names the prefix of the other."},
	{order: 3, id: "accept_order", title: "Accept an order", track: trackOrder, wanted: AcceptedOrder,
		objective: "Accept a sales order.",
		hint:      "Look at answer_by and due_date first."},
	{order: 4, id: "start_print_run", title: "Start a print run", track: trackOrder, wanted: StartedPrintRun,
		objective: "Start a print run for a work order.",
		hint:      "Small jobs belong on prs_digital: no plates, little make-ready."},
	{order: 5, id: "ship_order", title: "Ship and bill an order", track: trackOrder, wanted: BilledOrder,
		objective: "Ship an order that you accepted, and bill it.",
		hint:      "Wait for factory.work_order.ready, then POST /factory/shipments."},
	{order: 6, id: "order_to_cash", title: "Be paid for an order", track: trackOrder, wanted: WasPaid,
		objective: "Be paid for an order that you accepted.",
		hint:      "Follow invoice.due_date, or move the clock with POST /sandbox/tick."},
	{order: 7, id: "safe_retry", title: "Retry with the same key", track: trackProtocol, wanted: RepeatedSafely,
		objective: "Repeat a write, and get its first response again.",
		hint: "Send the same POST twice with the same Idempotency-Key: " +
			"the second response has the header Idempotency-Replayed: true."},
	{order: 8, id: "page_through", title: "Read a list to its end", track: trackProtocol,
		wanted:    BeganList | WentOnInList | ReachedListEnd,
		objective: "Read a list of three pages or more to its end.",
		hint:      "Request limit=2, and pass next_cursor until it is null. Keep the filters and the limit."},
	{order: 9, id: "not_modified", title: "Get 304 with an ETag", track: trackProtocol, wanted: HeldAlready,
		objective: "Save a transfer: get 304 because nothing has changed.",
		hint:      "Send the ETag of a response back in If-None-Match."},
	{order: 10, id: "take_csv", title: "Take a list as CSV", track: trackProtocol, wanted: TookCSV,
		objective: "Take a list for a spreadsheet.",
		hint:      "Put .csv behind the path of a list, or send Accept: text/csv."},
	{order: 11, id: "press_busy_wait", title: "Wait for a busy press", track: trackProtocol, wanted: WaitedForPress,
		objective: "Find a press busy, leave it alone until it is free, and start it then.",
		hint:      "409 press_busy holds the moment in retry_at. Send no other start before it."},
	{order: 12, id: "back_off", title: "Back off from a rate limit", track: trackProtocol, wanted: BackedOff,
		objective: "Run into a rate limit, be silent until it is over, and go on.",
		hint:      "Send 40 requests at once. After a 429, send nothing with that key until retry_at."},
	{order: 13, id: "read_the_feed", title: "Follow the feed", track: trackEvents,
		wanted:    FollowedOnce | FollowedTwice | FollowedOn,
		objective: "Read the feed three times, each time from where you were, over 20 events or more.",
		hint:      "Keep the last seq that you have handled, and ask for /events?after_seq= with it."},
	{order: 14, id: "verified_webhook", title: "Receive signed events", track: trackEvents, wanted: VerifiedWebhook,
		objective: "Activate a webhook subscription.",
		hint:      "POST /webhooks, then POST /webhooks/{id}/test: your URL must respond to the ping with 2xx."},
	{order: 15, id: "webhook_and_feed", title: "Handle an event once", track: trackEvents, wanted: HandledTwice,
		objective: "Acknowledge the same event twice, and read the feed past it.",
		hint:      "POST /webhooks/{id}/deliveries/{delivery_id}/redeliver sends an event again. Handle each id once."},
	{order: 16, id: "restock", title: "Restock a material", track: trackBuying, wanted: Restocked,
		objective: "Order material after an item went low, and count the delivery in.",
		hint:      "Suppliers differ in lead time and price: GET /office/suppliers."},
	{order: 17, id: "three_way_match", title: "Match a wrong bill", track: trackBuying, wanted: PaidMatched,
		objective: "Close a supplier invoice that does not match at its matched amount.",
		hint:      "The very first supplier invoice is wrong: compare billed_minor with matched_minor."},
	{order: 18, id: "payroll_on_time", title: "Pay wages on time", track: trackPeople, wanted: PaidPayrollInTime,
		objective: "Pay the wages of a week by their due date.",
		hint:      "They are due on the Wednesday after: POST /office/payroll-runs."},
	{order: 19, id: "ride_out_disruption", title: "Ship during a disruption", track: trackWorld, wanted: RodeOut,
		objective: "Ship something during a disruption, and let no order expire until it is over.",
		hint:      "GET /sandbox lists in disruptions those that run, and until when."},
	{order: 20, id: "agent_call", title: "Call a tool as an agent", track: trackProtocol, wanted: AgentCalled,
		objective: "Have an agent call a tool in this sandbox.",
		hint:      "Connect it to the address /mcp with the lab_off_ key as Bearer token, and ask it for get_sandbox."},
	{order: 21, id: "lost_response", title: "Recover a lost response", track: trackFailures, wanted: GotLostResponse,
		objective: "Lose the response to a write that was carried out, and get it by repeating the request.",
		hint: `POST /sandbox/faults {"kind":"response_lost"} and send a write with an Idempotency-Key. ` +
			"The connection is cut, or there is a 502. Send the same request with the same key again."},
	{order: 22, id: "lost_request", title: "Repeat a lost request", track: trackFailures, wanted: RepeatedLostRequest,
		objective: "Lose a write before it does anything, and get it done by repeating the request.",
		hint: `POST /sandbox/faults {"kind":"request_lost"} and send a write with an Idempotency-Key. ` +
			"It looks like a lost response, and what to do is the same: send it again with the same key."},
	{order: 23, id: "sit_out_storm", title: "Sit out a storm", track: trackFailures, wanted: SatOutStorm,
		objective: "Be turned away by a storm, send nothing with that key until retry_at, and then succeed with it.",
		hint: `POST /sandbox/faults {"kind":"storm"} and send any request to Head Office or to the Factory. ` +
			"After 503 unavailable or 429 rate_limited, be silent until retry_at, however often it comes."},
	{order: 24, id: "half_a_company", title: "Work through an outage", track: trackFailures, wanted: WentOnElsewhere,
		objective: "Find one system away, succeed in the other meanwhile, and succeed in the first when it is back.",
		hint: `POST /sandbox/faults {"kind":"outage"}. The system that your next request is for is away: ` +
			"it responds with 503 unavailable. Go on in the other at once, and then come back."},
	{order: 25, id: "start_over", title: "Restart a forgotten cursor", track: trackFailures, wanted: StartedOver,
		objective: "Have a cursor forgotten, and read that list from its beginning to its end.",
		hint: `POST /sandbox/faults {"kind":"short_page","count":10} and read a list with limit=2 by next_cursor, ` +
			"until there is 400 invalid_cursor. Begin again without a cursor and with the same filters."},
	{order: 26, id: "still_at_work", title: "Wait for a first attempt", track: trackFailures, wanted: WaitedForFirst,
		objective: "Be told that the first attempt at a write is still at work, and get its response later.",
		hint: `POST /sandbox/faults {"kind":"in_progress"} and send a write twice with the same Idempotency-Key. ` +
			"After 409 request_in_progress, wait until retry_at, and send it again with that key."},
	{order: 27, id: "late_request", title: "Outrun a late request", track: trackFailures, wanted: RepeatedLateRequest,
		objective: "Lose a write that takes effect later, and get its response by repeating the request.",
		hint: `POST /sandbox/faults {"kind":"request_late"} and send a write with an Idempotency-Key. ` +
			"It looks lost, and no list shows it yet, but a new key would do it twice. Send it again with its key."},
	{order: 28, id: "order_in_parts", title: "Ship an order in parts", track: trackOrder, wanted: PaidInParts,
		objective: "Ship an order that you accepted in two parts or more, and be paid for all of them.",
		hint: "POST /factory/shipments takes quantity. accepts_parts of the customer says whether each part is paid " +
			"when it comes."},
	{order: 29, id: "close_short", title: "Close an order short", track: trackOrder, wanted: ClosedShort,
		objective: "Close an order that you accepted with fewer units than were ordered.",
		hint: "Send final with the last part. delivery_tolerance_pct of the customer says how few it takes as the " +
			"whole."},
}

// Introduction is the fixed part of a mission, for the docs.
type Introduction struct {
	ID                            string
	Order                         int
	Title, Objective, Hint, Track string
	// DocsURL is relative to the origin.
	DocsURL string
	// ByHand is set for a mission of companies with the manual bridge only, ByFault for one
	// that presets in which players are compared do not have.
	ByHand, ByFault bool
}

// All introduces every mission, in the order of teaching.
func All() []Introduction {
	all := make([]Introduction, len(definitions))
	for i, d := range definitions {
		all[i] = Introduction{
			ID: d.id, Order: d.order, DocsURL: d.docsURL(), Title: d.title, Objective: d.objective, Hint: d.hint,
			Track: d.track, ByHand: d.byHand, ByFault: d.byFault(),
		}
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

// activeAtOnce is the number of missions that are active at a time.
const activeAtOnce = 3

// Progress counts the steps of a mission.
type Progress struct {
	_ struct{} `doc:"The steps of a mission that are done, and how many there are."`

	Current int `json:"current" doc:"Steps taken so far."`
	Target  int `json:"target" doc:"Steps that complete the mission."`
}

// Mission is a mission as the client reads it (contract: MIS.FIELDS).
type Mission struct {
	_ struct{} `doc:"A mission of the sandbox: its objective, a hint and the client's progress."`

	record.Head
	Order       int             `json:"order" doc:"Its position in the order of missions; numbers can be missing."`
	Title       string          `json:"title" doc:"The title, for people."`
	Objective   string          `json:"objective" doc:"The thing to do, in a sentence."`
	Hint        string          `json:"hint" doc:"How to go about it."`
	Track       string          `json:"track" enum:"basics,order_to_cash,protocol,events,procure_to_pay,people,world,bridge,failures" doc:"The subject that it teaches: basics, order_to_cash, protocol, events, procure_to_pay, people, world, failures; bridge with the bridge manual."`
	Status      Status          `json:"status" enum:"upcoming,active,completed" doc:"active is one of the next three to do, upcoming comes later, completed is done. A mission can be completed before it was active."`
	Progress    Progress        `json:"progress" doc:"How far it has come."`
	CompletedAt *moment.Instant `json:"completed_at" doc:"When it was completed, in wall time; null before."`
	DocsURL     string          `json:"docs_url" doc:"The page of the docs about it."`
	record.Stamps
}

// Resource names the table of missions.
const Resource = "mission"

// Resource implements record.Row.
func (*Mission) Resource() string { return Resource }

// State implements record.Row.
func (m *Mission) State() string { return string(m.Status) }

// Board is the missions and achievements of one sandbox.
type Board struct {
	Missions     *record.Table[Mission, struct{}]
	Achievements *record.Table[Achievement, struct{}]
	// Signals and Totals are stored with every commit.
	Signals Signals
	Totals  Totals
}

// New returns an empty board.
func New() *Board {
	return &Board{
		Missions: record.NewTable(record.Definition{Resource: Resource}, []record.Filter[Mission, struct{}]{
			{Name: "status", Of: (*Mission).State},
		}),
		Achievements: record.NewTable[Achievement, struct{}](record.Definition{Resource: "achievement"}, nil),
	}
}

// Open writes the missions, last to first, since lists are newest first and
// these are to be read in the order of teaching. byHand says that the bridge
// is manual, compared that players are compared.
func (b *Board) Open(r *record.Recorder, byHand, compared bool) {
	offered := []definition{}
	for _, d := range definitions {
		if (byHand || !d.byHand) && (!compared || !d.byFault()) {
			offered = append(offered, d)
		}
	}
	for i, d := range slices.Backward(offered) {
		status := Upcoming
		if i < activeAtOnce {
			status = Active
		}
		b.Missions.Add(r, Mission{
			Head: record.Head{ID: d.id}, Order: d.order, Title: d.title, Objective: d.objective, Hint: d.hint,
			Track: d.track, Status: status,
			Progress: Progress{Target: d.target()}, DocsURL: d.docsURL(),
		}, struct{}{})
	}
}

// Completes reports whether new signals beside the known ones complete a
// mission or unlock an achievement.
func Completes(known, added Signals) bool {
	if added&^known == 0 {
		return false
	}
	if added&^known&(WroteCleanly|BooksBalance) != 0 {
		return true
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
			continue // not of this bridge or preset, or the sandbox is older than the mission
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
	r.Emit(event.MissionCompleted, m,
		&event.MissionCompletedData{
			Title: m.Title, CompletedCount: completed, TotalCount: int64(b.Missions.Rows.Len()),
		})
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

// byFault reports whether the mission needs an injected fault. It is not for presets in which
// players are compared.
func (d *definition) byFault() bool { return d.track == trackFailures }

func (d *definition) docsURL() string { return "/docs/missions/" + d.id }

func (d *definition) target() int { return bits.OnesCount64(uint64(d.wanted)) }

func (d *definition) current(s Signals) int { return bits.OnesCount64(uint64(d.wanted & s)) }
