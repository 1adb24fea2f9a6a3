package company_test

import (
	"slices"
	"strings"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// transitions are the state diagrams of the doc comments and of the domain:
// what may follow a status, "" being no record yet.
var transitions = map[string]map[string][]string{
	"sales_order": {
		"": {"received"}, "received": {"accepted", "in_production", "declined", "expired"},
		"accepted": {"shipped", "expired"}, "in_production": {"shipped", "expired"}, "shipped": {"paid", "expired"},
	},
	"customer_invoice": {"": {"open"}, "open": {"overdue", "paid"}, "overdue": {"paid"}},
	"office_shipment":  {"": {"shipped"}},
	"factory_shipment": {"": {"shipped"}},
	"work_order": {"": {"created"}, "created": {"printing", "ready"}, "printing": {"ready", "stocked", "shipped"},
		"ready": {"shipped"}},
	"print_run":   {"": {"running"}, "running": {"completed"}},
	"press":       {"idle": {"running", "down"}, "running": {"idle", "down"}, "down": {"idle", "running"}},
	"lore_event":  {"": {"running", "over"}, "running": {"over"}},
	"major_order": {"": {"open"}, "open": {"fulfilled", "missed"}},
	"stock_item":  {"ok": {"low"}, "low": {"ok"}},
	"mission":     {"unfinished": {"completed"}},
	"achievement": {"": {"unlocked"}},
	"sandbox":     {"": {"bankrupt"}},

	"office_requisition":  {"": {"received"}, "received": {"approved", "rejected"}},
	"factory_requisition": {"": {"open"}, "open": {"closed"}},
	"purchase_order": {"": {"draft"}, "draft": {"approved", "pending_approval"},
		"pending_approval": {"approved"}},
	"delivery":              {"": {"arrived"}, "arrived": {"received"}},
	"factory_goods_receipt": {"": {"recorded"}},
	"office_goods_receipt":  {"": {"recorded"}},
	"contract_lot": {"": {"offered"}, "offered": {"accepted", "declined", "expired"},
		"accepted": {"delivered", "expired"}, "delivered": {"expired"}},
	"market_trade":     {"": {"executed"}},
	"market_delivery":  {"": {"received"}},
	"supplier_invoice": {"": {"open"}, "open": {"overdue", "paid"}, "overdue": {"paid"}},

	"employee": {"": {"active"}, "active": {"sick", "left"}, "sick": {"active", "left"}},
	// A timesheet that comes late leaves its payroll run late.
	"payroll_run": {"": {"due", "late"}, "due": {"late", "paid"}, "late": {"late", "paid"}},
}

// resources are the kinds of records that events are about, by the words of
// their types.
var resources = map[string]string{
	"office.sales_order": "sales_order", "office.customer_invoice": "customer_invoice", "office.payment": "payment",
	"factory.work_order": "work_order", "factory.shipment": "factory_shipment", "factory.print_run": "print_run",
	"factory.stock": "stock_item", "sandbox.mission": "mission", "sandbox.achievement": "achievement",
	"sandbox": "sandbox",

	"office.requisition": "office_requisition", "office.purchase_order": "purchase_order",
	"office.goods_receipt": "office_goods_receipt", "factory.requisition": "factory_requisition",
	"factory.delivery": "delivery", "factory.goods_receipt": "factory_goods_receipt",
	"office.supplier_invoice": "supplier_invoice", "office.contract_lot": "contract_lot",
	"office.market_trade": "market_trade", "factory.market_delivery": "market_delivery",
	"world.lore_event": "lore_event", "world.major_order": "major_order", "sandbox.disruption": "lore_event",
	"hr.employee": "employee", "hr.leave_request": "leave_request", "hr.payroll": "payroll_run",
}

// aboutOthers are the types whose words name another kind of record than the
// one that they are about.
var aboutOthers = map[string]string{"office.payment.overdue": "supplier_invoice"}

// body has the fields of an event that the tests read.
type body struct {
	ID         string         `json:"id"`
	Type       string         `json:"type"`
	CreatedAt  moment.Instant `json:"created_at"`
	SimDate    moment.Date    `json:"sim_date"`
	SandboxID  string         `json:"sandbox_id"`
	System     string         `json:"system"`
	Simulation bool           `json:"simulation"`
	Data       data           `json:"data"`
	Links      struct {
		Self string `json:"self"`
	} `json:"links"`
}

type data struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Changes []struct {
		Resource string `json:"resource"`
		ID       string `json:"id"`
		From     string `json:"from"`
		To       string `json:"to"`
	} `json:"changes"`

	Source         string      `json:"source"`
	Milestone      int64       `json:"milestone"`
	AmountMinor    money.Minor `json:"amount_minor"`
	CashMinor      money.Minor `json:"cash_minor"`
	RemainingMinor money.Minor `json:"remaining_minor"`
	PaidMinor      money.Minor `json:"paid_minor"`
	PenaltyMinor   money.Minor `json:"penalty_minor"`
	Side           string      `json:"side"`

	Stock []struct {
		SKU      string `json:"sku"`
		Quantity int64  `json:"quantity"`
	} `json:"stock"`
	FeeMinor       money.Minor `json:"fee_minor"`
	SeveranceMinor money.Minor `json:"severance_minor"`
	TotalMinor     money.Minor `json:"total_minor"`
	GrossMinor     money.Minor `json:"gross_minor"`
	ArrearsMinor   money.Minor `json:"arrears_minor"`
}

// cashMoves are the events that move cash, and how far by what their data
// says: all that a client needs to keep the books.
var cashMoves = map[string]func(*data) money.Minor{
	"office.payment.received":      func(d *data) money.Minor { return d.AmountMinor },
	"office.supplier_invoice.paid": func(d *data) money.Minor { return -d.PaidMinor },
	"office.market_trade.executed": func(d *data) money.Minor {
		if d.Side == "buy" {
			return -d.TotalMinor
		}
		return d.TotalMinor
	},
	"office.contract_lot.expired": func(d *data) money.Minor { return -d.PenaltyMinor },
	"hr.employee.hired":           func(d *data) money.Minor { return -d.FeeMinor },
	"hr.employee.dismissed":       func(d *data) money.Minor { return -d.SeveranceMinor },
	"hr.payroll.paid":             func(d *data) money.Minor { return -d.TotalMinor },
}

// story is the knowledge of a client that has read nothing but the feed.
type story struct {
	l        *life
	statuses map[string]string
	bodies   map[string]body
}

// checkFeed replays the feed of a whole life and compares it with the rows.
func checkFeed(t reporter, l *life) {
	t.Helper()
	s := story{l: l, statuses: map[string]string{}, bodies: map[string]body{}}
	s.read(t)
	s.checkStatuses(t)
	s.checkCash(t)
	s.checkStock(t)
}

// read replays the events: numbers without gaps, times that grow, and statuses
// that follow the diagrams.
func (s *story) read(t reporter) {
	t.Helper()
	last := moment.Instant(0)
	today := moment.Date(0)
	for i, e := range s.l.events {
		b := decoded[body](t, e.Body)
		if e.Sequence != uint64(i)+1 {
			t.Fatalf("%s: event %d has the sequence number %d", s.l.label, i+1, e.Sequence)
		}
		if b.CreatedAt <= last || b.CreatedAt != e.CreatedAt {
			t.Fatalf("%s: event %d was created at %s (stored as %s), the one before it at %s",
				s.l.label, e.Sequence, b.CreatedAt, e.CreatedAt, last)
		}
		if b.SimDate < today {
			t.Fatalf("%s: event %d (%s) is of %s, the one before it of %s",
				s.l.label, e.Sequence, e.Type, b.SimDate, today)
		}
		if _, twice := s.bodies[b.ID]; twice || b.ID != e.ID || b.Type != e.Type || !b.Simulation ||
			b.SandboxID != s.l.company.Settings().SandboxID {
			t.Fatalf("%s: event %d (%s, %s) has the body %s", s.l.label, e.Sequence, e.ID, e.Type, e.Body)
		}
		if !strings.HasPrefix(b.Type, b.System+".") ||
			!strings.HasSuffix(b.Links.Self, "/"+b.Data.ID) && b.Links.Self != "/sandbox" {
			t.Fatalf("%s: event %d is of the system %q and about %q: %s",
				s.l.label, e.Sequence, b.System, b.Links.Self, e.Body)
		}
		if len(e.Body) > 4096 && b.Type != "hr.payroll.due" { // a crew of 20 makes that one larger
			t.Fatalf("%s: event %d (%s) has %d bytes, the most is 4096", s.l.label, e.Sequence, e.Type, len(e.Body))
		}
		last, today, s.bodies[b.ID] = b.CreatedAt, b.SimDate, b
		s.apply(t, &b)
	}
}

// apply moves the records of an event: the one it is about, and its riders.
func (s *story) apply(t reporter, b *body) {
	t.Helper()
	resource, ok := resources[b.Type[:strings.LastIndexByte(b.Type, '.')]]
	if other := aboutOthers[b.Type]; other != "" {
		resource = other
	}
	if !ok {
		t.Fatalf("%s: %s is about an unknown kind of record", s.l.label, b.Type)
	}
	progress := resource == "major_order" && s.statuses[resource+" "+b.Data.ID] == b.Data.Status // a milestone
	if resource != "payment" && resource != "leave_request" && b.Type != "sandbox.expiring" && !progress {
		s.move(t, b, resource, b.Data.ID, b.Data.Status)
	}
	for _, c := range b.Data.Changes {
		known := s.statuses[c.Resource+" "+c.ID]
		if known == "" && (c.Resource == "press" || c.Resource == "stock_item") {
			known = c.From // reference data is there before the first event
		}
		if known != c.From {
			t.Fatalf("%s: %s moves %s %s from %q, it was %q", s.l.label, b.Type, c.Resource, c.ID, c.From, known)
		}
		s.move(t, b, c.Resource, c.ID, c.To)
	}
}

func (s *story) move(t reporter, b *body, resource, id, to string) {
	t.Helper()
	from, known := s.statuses[resource+" "+id]
	if !known {
		from = map[string]string{"press": "idle", "stock_item": "ok", "mission": "unfinished"}[resource]
	}
	opening := resource == "sales_order" && from == "" && to == "shipped" && b.Data.Source == office.SourceOpening
	if !opening && !slices.Contains(transitions[resource][from], to) {
		t.Fatalf("%s: %s moves %s %s from %q to %q", s.l.label, b.Type, resource, id, from, to)
	}
	s.statuses[resource+" "+id] = to
}

// checkStatuses compares every row that has a status with the story.
func (s *story) checkStatuses(t reporter) {
	t.Helper()
	rows := 0
	for resource := range transitions {
		for _, e := range s.l.entries(resource) {
			rows++
			status := decoded[data](t, e.Row()).Status
			told, known := s.statuses[resource+" "+e.ID]
			if !known {
				told = map[string]string{"press": "idle", "stock_item": "ok"}[resource]
				if resource == "mission" && status != "completed" {
					told = status // which missions are next follows from their order
				}
			}
			if told != status {
				t.Fatalf("%s: %s %s is %q, the feed says %q", s.l.label, resource, e.ID, status, told)
			}
		}
	}
	if len(s.statuses) > rows {
		t.Fatalf("%s: the feed tells of %d records, there are %d", s.l.label, len(s.statuses), rows)
	}
}

// checkCash replays the cash from the feed alone, and compares it with the
// ledger: each entry but the opening balance belongs to one event, of that
// amount, and each event that moves cash has its entry.
func (s *story) checkCash(t reporter) {
	t.Helper()
	entries := rowsOf[office.LedgerEntry](s.l, "ledger_entry")
	if entries[0].Kind != office.OpeningBalance || entries[0].EventID != nil {
		t.Fatalf("%s: the ledger begins with %+v", s.l.label, entries[0])
	}
	cash, next := entries[0].AmountMinor, 1
	for _, e := range s.l.events {
		b := s.bodies[e.ID]
		moved, ok := cashMoves[b.Type]
		if !ok || moved(&b.Data) == 0 {
			continue // nothing moves without an amount, such as the fee of the opening crew
		}
		cash += moved(&b.Data)
		if next == len(entries) {
			t.Fatalf("%s: %s moves cash and is in no ledger entry", s.l.label, e.Body)
		}
		if entry := entries[next]; *entry.EventID != b.ID || entry.AmountMinor != moved(&b.Data) ||
			entry.BalanceMinor != cash || b.Data.CashMinor != cash || *entry.ReferenceID != b.Data.ID {
			t.Fatalf("%s: ledger entry %+v belongs to the event %s; the cash is %d", s.l.label, entry, e.Body, cash)
		}
		next++
	}
	if got := s.l.company.Summary().CashMinor; got != cash || next != len(entries) {
		t.Fatalf("%s: cash is %d, the feed adds up to %d; %d of %d ledger entries have an event",
			s.l.label, got, cash, next, len(entries))
	}
}

// causes are the events that stock moves may belong to.
var causes = map[factory.MoveKind][]string{
	factory.MoveMarketIn:  {"factory.market_delivery.received"},
	factory.MoveMarketOut: {"office.market_trade.executed"},
	factory.MoveReceipt:   {"factory.goods_receipt.recorded"},
	factory.MoveIssue:     {"factory.print_run.started"},
	factory.MoveOutput:    {"factory.print_run.completed", "factory.work_order.ready"},
	factory.MoveWaste:     {"factory.print_run.completed"},
	factory.MoveShipment:  {"factory.shipment.created"},
}

// checkStock replays the stock from the opening and the feed alone, and
// compares it with the items and with the stock moves, each of which belongs to
// one event that says the same.
func (s *story) checkStock(t reporter) {
	t.Helper()
	told, onHand := map[string]int64{}, map[string]int64{}
	for _, m := range rowsOf[factory.StockMove](s.l, "stock_move") {
		onHand[m.SKU] += m.Quantity
		if m.BalanceAfter != onHand[m.SKU] || m.BalanceAfter < 0 || m.Quantity == 0 {
			t.Fatalf("%s: stock move %+v, the moves add up to %d", s.l.label, m, onHand[m.SKU])
		}
		if m.Kind == factory.MoveOpening {
			if m.EventID != nil {
				t.Fatalf("%s: opening move %s names the event %s", s.l.label, m.ID, *m.EventID)
			}
			told[m.SKU] += m.Quantity
			continue
		}
		b := s.bodies[*m.EventID]
		if !slices.Contains(causes[m.Kind], b.Type) {
			t.Fatalf("%s: stock move %+v belongs to the event %+v", s.l.label, m, b)
		}
		said := false
		for _, change := range b.Data.Stock {
			said = said || change.SKU == m.SKU && change.Quantity == m.Quantity
		}
		if !said {
			t.Fatalf("%s: stock move %+v is not in what its event says: %+v", s.l.label, m, b.Data.Stock)
		}
	}
	for _, e := range s.l.events {
		for _, change := range s.bodies[e.ID].Data.Stock {
			told[change.SKU] += change.Quantity
		}
	}
	for _, item := range rowsOf[factory.StockItem](s.l, "stock_item") {
		if item.OnHand != onHand[item.SKU] || item.OnHand != told[item.SKU] {
			t.Fatalf("%s: %d of %s are on hand, the moves add up to %d, the feed to %d",
				s.l.label, item.OnHand, item.SKU, onHand[item.SKU], told[item.SKU])
		}
	}
}
