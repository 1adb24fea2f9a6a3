package integration

import (
	"cmp"
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/share"
)

// Kinds of intents that meet no obligation of their own: to accept or decline an order or a lot, and to decide on a
// requisition.
const (
	Answer   Kind = "answer"
	Approval Kind = "approval"
)

// Intent is a write of the client that a fault hit: one operation and its subject.
type Intent struct {
	Operation string
	// Step is the kind of the obligation that it meets, or Answer, Approval or Decision.
	Step Kind
	// Subject is the id of the record that it is for, "" for a decision. Made is the record that it made while its
	// response was lost, "" for none.
	Subject, Made string
	// Day is that of the newest hit, Hit its moment.
	Day sim.Day
	Hit moment.Instant
	// Closed is set while the newest attempt was not turned away. Saved is that a check of the company refused to do it
	// again, Twice that the client did it again.
	Closed, Saved, Twice bool
	// Luck is that the record was made by a request that arrived late, and that nothing told the client.
	Luck bool
}

// Outcome says what became of an intent that a fault hit.
type Outcome string

// Outcomes.
const (
	Recovered Outcome = "recovered"
	Saved     Outcome = "saved"
	Abandoned Outcome = "abandoned"
	DoneTwice Outcome = "repeated"
	undecided Outcome = ""
)

// expiryDays is how many working days after its end a client that came back too late is known not to come at all.
const expiryDays = 1

// Unrecovered is an intent that the client did not carry itself.
type Unrecovered struct {
	Operation string
	Outcome   Outcome
	Record    Record
	Text      string
	Hit       moment.Instant
}

// Recovery counts the intents that a fault hit, once they are judged.
type Recovery struct {
	Hit, Recovered, Saved, Abandoned, Repeated int64
	// Unrecovered are in the order of their newest hits, the newest first.
	Unrecovered []Unrecovered
}

// Client is the part of the intents that the client itself carried, nil when none was hit.
func (r *Recovery) Client() *share.PPM {
	if r.Hit == 0 {
		return nil
	}
	return new(share.PPM(r.Recovered * sim.Million / r.Hit))
}

// met says of an obligation that it has an effect, or is missed.
type met struct{ done, missed bool }

// key names an obligation.
type key struct {
	kind  Kind
	cause string
}

// remember notes what became of an obligation, if that is asked for.
func (v *verifier) remember(kind Kind, cause string, o *obligation) {
	if v.met != nil {
		v.met[key{kind, cause}] = met{done: len(o.effects) > 0, missed: v.lost(o)}
	}
}

// recovered judges the intents that a fault hit. The obligations are known by then.
func (v *verifier) recovered() Recovery {
	var r Recovery
	for i := range v.Intents {
		t := &v.Intents[i]
		outcome := v.outcome(t)
		switch outcome {
		case undecided:
			continue
		case Recovered:
			r.Recovered++
		case Saved:
			r.Saved++
		case Abandoned:
			r.Abandoned++
		case DoneTwice:
			r.Repeated++
		}
		r.Hit++
		if outcome != Recovered {
			u := Unrecovered{Operation: t.Operation, Outcome: outcome, Record: v.subject(t), Hit: t.Hit}
			u.Text = v.sayUnrecovered(t, &u)
			r.Unrecovered = append(r.Unrecovered, u)
		}
	}
	slices.SortStableFunc(r.Unrecovered, func(a, b Unrecovered) int { return cmp.Compare(b.Hit, a.Hit) })
	return r
}

// outcome judges an intent, or returns undecided while it may still turn out well.
func (v *verifier) outcome(t *Intent) Outcome {
	switch {
	case t.Twice && (t.Step != Decision || v.today > t.Day):
		return DoneTwice
	case t.Twice:
		return undecided
	case t.Saved:
		return Saved
	case t.Closed:
		return Recovered
	}
	outcome := v.unanswered(t)
	if t.Luck && outcome == Recovered {
		outcome = Abandoned
	}
	if (outcome == Recovered || t.Luck) && v.today <= t.Day+missedDays { // the client may still come back
		return undecided
	}
	return outcome
}

// unanswered judges an intent whose newest attempt was turned away.
func (v *verifier) unanswered(t *Intent) Outcome {
	switch t.Step {
	case Answer:
		return v.answered(t)
	case Approval:
		return v.approved(t.Subject)
	case Decision:
		return Recovered
	default:
	}
	found, ok := v.met[v.keyOf(t)]
	switch {
	case !ok:
		return v.lapsed(t)
	case found.done:
		return Recovered
	case found.missed:
		return Abandoned
	}
	return undecided
}

// keyOf names the obligation that an intent meets.
func (v *verifier) keyOf(t *Intent) key {
	switch t.Step {
	case Order:
		p, _ := v.addressed(t.Subject)
		return key{p.kind, t.Subject}
	case Receipt:
		if order, ok := v.Office.PurchaseOrders.Find(t.Subject); ok {
			return key{Receipt, order.Number}
		}
	default:
	}
	return key{t.Step, t.Subject}
}

// answered judges an accept or a decline. A client may come back too late and be
// told so: until a day is over nobody knows that it does not.
// A hit on the last day is not judged: there may have been no time left.
func (v *verifier) answered(t *Intent) Outcome {
	p, ok := v.addressed(t.Subject)
	switch {
	case !ok || p.open || p.expired && t.Day >= p.answerBy:
		return undecided
	case p.accepted != nil || !p.expired:
		return Recovered
	case v.today > p.answerBy+expiryDays:
		return Abandoned
	}
	return undecided
}

// approved judges a decision on a requisition.
func (v *verifier) approved(id string) Outcome {
	q, ok := v.Office.Requisitions.Find(id)
	switch {
	case !ok || q.Status == office.RequisitionReceived:
		return undecided
	case q.DecidedBy == nil || *q.DecidedBy != office.ByLapse || v.arrived(q):
		return Recovered
	case v.today > sim.DayFrom(q.CreatedOn)+office.RequisitionDays+expiryDays:
		return Abandoned
	}
	return undecided
}

// arrived reports whether the material of a requisition came another way.
func (v *verifier) arrived(q *office.Requisition) bool {
	if q.Reference == nil {
		return false
	}
	wish, ok := v.wishes()[catalog.Folded(*q.Reference)]
	return ok && wish.Status == factory.RequisitionClosed
}

// lapsed judges an intent without an obligation: it may be there later, or never again.
func (v *verifier) lapsed(t *Intent) Outcome {
	switch t.Step {
	case Order, Parcel:
		if p, ok := v.addressed(t.Subject); ok && (p.open || p.accepted != nil && !p.expired) {
			return undecided
		}
	case Purchase:
		if q, ok := v.Office.Requisitions.Find(t.Subject); ok && q.Status == office.RequisitionReceived {
			return undecided
		}
	case Payment:
		if bill, ok := v.Office.SupplierInvoices.Find(t.Subject); ok && bill.PaidOn == nil {
			return undecided
		}
	case Receipt, Week:
		return undecided
	default:
	}
	return Recovered
}

// Subject returns the id of the record that an intent is for, which a client may name in other ways too, and false for
// one that is not there.
func (c Company) Subject(step Kind, name string) (id string, ok bool) {
	v := &verifier{Company: c}
	folded := catalog.Folded(name)
	switch step {
	case Answer, Order, Parcel:
		p, ok := v.addressed(name)
		return p.ID, ok
	case Approval, Purchase:
		for q := range c.Office.Requisitions.All {
			if q.ID == folded || catalog.Folded(q.Number) == folded {
				return q.ID, true
			}
		}
	case Requisition:
		q, ok := v.wishes()[folded]
		if ok {
			return q.ID, true
		}
	case Receipt:
		for order := range c.Office.PurchaseOrders.All {
			if order.ID == folded || catalog.Folded(order.Number) == folded {
				return order.ID, true
			}
		}
	case Payment:
		for bill := range c.Office.SupplierInvoices.All {
			if bill.ID == folded || catalog.Folded(bill.Number) == folded {
				return bill.ID, true
			}
		}
	case Week:
		return name, true
	case Decision:
		return "", true
	default:
	}
	return "", false
}

// subject names the record that an intent is for; of a decision the one that it made.
func (v *verifier) subject(t *Intent) Record {
	switch t.Step {
	case Answer, Order, Parcel:
		p, _ := v.addressed(t.Subject)
		return p.Record
	case Approval, Purchase:
		q, _ := v.Office.Requisitions.Find(t.Subject)
		return Record{event.Office, "office_requisition", q.ID, q.Number}
	case Requisition:
		q, _ := v.Factory.Requisitions.Find(t.Subject)
		return Record{event.Factory, "factory_requisition", q.ID, q.Number}
	case Receipt:
		order, _ := v.Office.PurchaseOrders.Find(t.Subject)
		return Record{event.Office, "purchase_order", order.ID, order.Number}
	case Payment:
		bill, _ := v.Office.SupplierInvoices.Find(t.Subject)
		return Record{event.Office, "supplier_invoice", bill.ID, bill.Number}
	case Week:
		return Record{event.Factory, "attendance", t.Subject, "The week of " + t.Subject}
	default:
	}
	if order, ok := v.Office.PurchaseOrders.Find(t.Made); ok {
		return Record{event.Office, "purchase_order", order.ID, order.Number}
	}
	return Record{event.Office, "market_trade", t.Made, ""}
}

// sayUnrecovered says how the client did not carry an intent itself.
func (v *verifier) sayUnrecovered(t *Intent, u *Unrecovered) string {
	first := v.made(t)
	switch {
	case u.Outcome == Saved && t.Made == "":
		return fmt.Sprintf("%s for %s came again with another Idempotency-Key before the first request arrived, "+
			"which %s rejected.", t.Operation, u.Record.Name(), guard(t.Step))
	case u.Outcome == DoneTwice && t.Made == "":
		return fmt.Sprintf("%s for %s was done with another Idempotency-Key before the first request arrived, "+
			"and then again.", t.Operation, u.Record.Name())
	case u.Outcome == Abandoned && t.Luck:
		return fmt.Sprintf("%s for %s never came again after a fault hit it; the first request arrived late.",
			t.Operation, u.Record.Name())
	default:
	}
	switch u.Outcome {
	case Saved:
		return fmt.Sprintf("%s for %s came again with another Idempotency-Key; %s rejected it, having %s.",
			t.Operation, u.Record.Name(), guard(t.Step), first)
	case DoneTwice:
		return fmt.Sprintf("%s for %s was done again with another Idempotency-Key, although there was %s.",
			t.Operation, u.Record.Name(), first)
	default:
	}
	return fmt.Sprintf("%s for %s never came again after a fault hit it.", t.Operation, u.Record.Name())
}

// guard names the check that refuses a step a second time.
func guard(step Kind) string {
	if step == Order {
		return "the Factory's check of references"
	}
	return "Head Office's check"
}

// made names the record that an intent made while its response was lost.
func (v *verifier) made(t *Intent) string {
	if w, ok := v.Factory.WorkOrders.Find(t.Made); ok {
		return w.Number
	}
	if q, ok := v.Office.Requisitions.Find(t.Made); ok {
		return q.Number
	}
	if s, ok := v.Office.Shipments.Find(t.Made); ok {
		return s.Number
	}
	if order, ok := v.Office.PurchaseOrders.Find(t.Made); ok {
		return order.Number
	}
	return t.Made
}
