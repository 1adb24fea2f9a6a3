package integration

import (
	"cmp"
	"fmt"
	"strings"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// purpose is a sales order or a contract lot: what the Factory works for.
type purpose struct {
	kind Kind
	Record
	sku      string
	quantity int64
	// came is how much of it reached the customer, parts the parcels before the last.
	came  int64
	parts []office.Part
	// accepted and arrived are the days on which it was accepted and the customer had all of
	// it, nil before; ends is the day on which it is over when nobody bills it.
	accepted, arrived *sim.Day
	ends              sim.Day
	expired           bool
	// answerBy is the last day on which it can be answered.
	answerBy sim.Day
	// open is set while it waits for an answer.
	open    bool
	updated moment.Instant
	ordinal int
}

func (v *verifier) orderPurpose(order *office.SalesOrder) purpose {
	private := record.Private(v.Office.SalesOrders, order.ID)
	return purpose{
		kind: Order, Record: Record{event.Office, "sales_order", order.ID, order.Number},
		sku: order.SKU, quantity: order.Quantity, came: private.Arrived,
		accepted: private.AcceptedOn, arrived: private.ArrivedOn,
		parts: private.Parts, ends: sim.DayAfter(order.CancelAfter), expired: order.Status == office.OrderExpired,
		answerBy: sim.DayFrom(order.AnswerBy), open: order.Status == office.OrderReceived, updated: order.UpdatedAt,
		ordinal: v.Office.SalesOrders.Rows.Ordinal(order.ID),
	}
}

func (v *verifier) lotPurpose(lot *office.ContractLot) purpose {
	private := record.Private(v.Office.ContractLots, lot.ID)
	return purpose{
		kind: Lot, Record: Record{event.Office, "contract_lot", lot.ID, lot.Number},
		sku: lot.SKU, quantity: lot.Quantity, came: private.Arrived,
		accepted: private.AcceptedOn, arrived: private.ArrivedOn,
		ends: sim.DayAfter(lot.DeliverBy), expired: lot.Status == office.LotExpired,
		answerBy: sim.DayFrom(lot.AnswerBy), open: lot.Status == office.LotOffered, updated: lot.UpdatedAt,
		ordinal: v.Office.ContractLots.Rows.Ordinal(lot.ID),
	}
}

// cameBy is how much had reached the customer when a day was over.
func (p *purpose) cameBy(day sim.Day) (units int64) {
	if p.arrived != nil && *p.arrived <= day {
		return p.came
	}
	for _, part := range p.parts {
		if part.On <= day {
			units = part.UpTo
		}
	}
	return units
}

// addressed returns what a reference names: an order or a lot, by its id or its number.
func (v *verifier) addressed(reference string) (purpose, bool) {
	if lot, ok := v.Office.LotByReference(reference); ok {
		return v.lotPurpose(lot), true
	}
	if order, ok := v.Office.OrderByReference(reference); ok {
		return v.orderPurpose(order), true
	}
	return purpose{}, false
}

// purposes lists all orders and lots.
func (v *verifier) purposes(yield func(*purpose) bool) {
	for order := range v.Office.SalesOrders.All {
		if p := v.orderPurpose(order); !yield(&p) {
			return
		}
	}
	for lot := range v.Office.ContractLots.All {
		if p := v.lotPurpose(lot); !yield(&p) {
			return
		}
	}
}

// worked compares accepted orders and lots with the work orders that name them.
func (v *verifier) worked() {
	works, closed := map[string][]effect{}, map[string]int{}
	rows := map[string]*factory.WorkOrder{}
	ordinal := -1
	for w := range v.Factory.WorkOrders.All {
		ordinal++
		if w.Source != factory.SourceClient || w.Reference == nil {
			continue
		}
		e := effect{Record{event.Factory, "work_order", w.ID, w.Number}, sim.DayFrom(w.CreatedOn), w.UpdatedAt, ordinal}
		p, known := v.addressed(*w.Reference)
		switch {
		case !known:
			v.unexplained(Order, &e, false,
				fmt.Sprintf("%s is for %q, which is no order and no lot.", w.Number, *w.Reference))
		case p.accepted == nil:
			v.unexplained(p.kind, &e, p.open, fmt.Sprintf("%s is for %s, which was not accepted.", w.Number, p.Number))
		default:
			works[p.ID], rows[w.ID] = append(works[p.ID], e), w
			if w.ClosedShort() { // another may follow for the rest
				closed[p.ID]++
			}
		}
	}
	for p := range v.purposes {
		if p.accepted == nil {
			continue
		}
		o := obligation{
			kind: p.kind, Record: p.Record, since: *p.accepted, updated: p.updated, ordinal: p.ordinal,
			effects: works[p.ID], doubled: len(works[p.ID]) > max(1, closed[p.ID]+1),
			inTime: inTimeDays, missed: missedDays,
			wants: "work order",
		}
		if p.expired && o.over(p.ends) {
			continue
		}
		if len(o.effects) == 1 {
			w := rows[o.effects[0].ID]
			o.differs = firstOf(compared("sku", w.SKU, p.sku), compared("quantity", w.Quantity, p.quantity))
		}
		v.judge(&o)
		if v.lost(&o) {
			v.uncarried[p.ID] = &o
		}
	}
}

// billed compares the goods that customers have with the shipments that Head Office has
// billed.
func (v *verifier) billed() {
	bills := map[string][]effect{}
	rows := map[string]*office.Shipment{}
	ordinal := -1
	for s := range v.Office.Shipments.All {
		ordinal++
		id := s.SalesOrderID
		if id == nil {
			id = s.ContractLotID
		}
		if s.Source != office.SourceClient {
			continue
		}
		row := Record{event.Office, "office_shipment", s.ID, s.Number}
		bills[*id] = append(bills[*id], effect{row, sim.DayFrom(s.ShippedOn), s.UpdatedAt, ordinal})
		rows[s.ID] = s
	}
	for p := range v.purposes {
		effects := bills[p.ID]
		sum, early, ahead := int64(0), -1, ""
		for i, e := range effects {
			sum += rows[e.ID].Quantity
			if sum > p.came && early < 0 {
				early = i
			}
			later := e.on + missedDays
			if came := p.cameBy(later); came > 0 && sum > came && v.today > later && ahead == "" {
				ahead = fmt.Sprintf("%d were billed by %s, and two working days later %d had come",
					sum, e.on.Date(), came)
			}
		}
		whole := p.arrived
		if whole == nil && p.kind == Order && p.expired && p.came > 0 {
			whole = &p.ends // parts that came are billed, whatever becomes of the rest
		}
		switch {
		case p.accepted == nil:
		case whole == nil && len(effects) == 0:
			if o := v.uncarried[p.ID]; o != nil {
				v.missedToo(o, Parcel)
			}
		case whole == nil && ahead != "":
			v.billedWhole(p, p.parts[0].On, effects, rows, billing{sum, ahead})
		case whole == nil && early >= 0:
			v.unexplained(Parcel, &effects[early], true,
				fmt.Sprintf("%s bills %s, whose goods the Factory has not sent.", effects[early].Number, p.Number))
		case whole == nil: // the rest is still to come
		default:
			v.billedWhole(p, *whole, effects, rows, billing{sum, ahead})
		}
	}
}

// billing is how much of an order is billed, and says what was billed too early, "" for nothing.
type billing struct {
	sum   int64
	ahead string
}

// billedWhole judges the bills for an order or a lot of which the customer gets no more: the last of them ends it.
func (v *verifier) billedWhole(
	p *purpose, whole sim.Day, effects []effect, rows map[string]*office.Shipment, b billing,
) {
	o := obligation{
		kind: Parcel, Record: p.Record, since: whole, updated: p.updated,
		ordinal: 2 * p.ordinal, effects: effects, doubled: p.arrived != nil && b.sum > min(p.came, p.quantity),
		differs: b.ahead,
		inTime:  inTimeDays, missed: missedDays, wants: "bill",
	}
	if p.kind == Lot {
		o.ordinal++ // orders and lots are counted apart
	}
	if p.expired && p.arrived != nil && o.over(p.ends) {
		return
	}
	named := map[string]bool{}
	for i, e := range effects {
		if ref := rows[e.ID].FactoryShipmentRef; ref != nil {
			o.doubled = o.doubled || named[catalog.Folded(*ref)]
			named[catalog.Folded(*ref)] = true
			o.differs = cmp.Or(o.differs, v.foreign(ref, p))
		}
		o.met = &effects[i].on
	}
	if missing := min(p.came, p.quantity) - b.sum; missing > 0 && len(effects) > 0 {
		if v.today <= whole+missedDays {
			return
		}
		o.differs = cmp.Or(o.differs, fmt.Sprintf("%d of the %d that came are not billed", missing, p.came))
	}
	v.judge(&o)
}

// foreign says that a bill names the parcel of another order.
func (v *verifier) foreign(reference *string, p *purpose) string {
	for parcel := range v.Factory.Shipments.All {
		if folded := catalog.Folded(*reference); parcel.ID != folded && catalog.Folded(parcel.Number) != folded {
			continue
		}
		if of, ok := v.addressed(parcel.Reference); ok && of.ID == p.ID {
			return ""
		}
		return fmt.Sprintf("factory_shipment_ref names %s, which went to %s", parcel.Number,
			strings.ToValidUTF8(parcel.Reference, "�"))
	}
	return ""
}
