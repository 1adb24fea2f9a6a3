// Package integration compares the two systems of a company whose records a client carries:
// what had to have one effect on the other side, and what came of it. It sees all of both,
// which no key does, and changes nothing.
//
// An obligation is a hand-off (an order, a lot, a parcel, a requisition, a goods receipt, a
// week), the purchase order for an approved requisition, or the payment of a bill for
// materials. It begins on the working day on which it could first be
// met, and is judged by days: rows have no minute.
//
//	met by the end of the next working day ──▶ exact, if once and right
//	met later                              ──▶ late
//	not met when two more days are over    ──▶ missed
//
// A payment has until its due date, and one working day more before it is missed. An effect
// that no obligation explains is unexpected. An obligation that is missed takes what it would
// have led to with it: no work order, no bill. A decision of the client, a trade or a purchase
// that nothing obliges to, is judged only when the client makes it again for a lost response:
// then it is repeated. Whatever may still turn out well is not judged
// yet and shows nowhere: the list must not tell a client what to carry.
package integration

import (
	"cmp"
	"slices"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/share"
)

// Kind is the subject of an obligation.
type Kind string

// Kinds: six hand-offs, two that follow from them, and the client's own decisions.
const (
	Order       Kind = "order"
	Lot         Kind = "lot"
	Parcel      Kind = "parcel"
	Requisition Kind = "requisition"
	Receipt     Kind = "receipt"
	Week        Kind = "week"
	Purchase    Kind = "purchase"
	Payment     Kind = "payment"
	Decision    Kind = "decision"
)

// Kinds lists them in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{Order, Lot, Parcel, Requisition, Receipt, Week, Purchase, Payment, Decision}
}

// Verdict is the outcome of an obligation.
type Verdict string

// Verdicts.
const (
	Exact      Verdict = "exact"
	Late       Verdict = "late"
	Missed     Verdict = "missed"
	Doubled    Verdict = "doubled"
	Wrong      Verdict = "wrong"
	Unexpected Verdict = "unexpected"
	Repeated   Verdict = "repeated"
)

const (
	// inTimeDays is how many working days after its own an obligation is met in time.
	inTimeDays = 1
	// missedDays is how many working days after its own it is not yet missed.
	missedDays = 2
	// missedPaymentDays is the same for payments, after the due date.
	missedPaymentDays = 1
)

// Record names a record of one of the systems.
type Record struct {
	System   event.System
	Resource string
	ID       string
	// Number is the number that people use for it, "" where it has none.
	Number string
}

// Name is the number, or the id of a record without one.
func (r *Record) Name() string {
	if r.Number != "" {
		return r.Number
	}
	return r.ID
}

// Finding is an obligation that has been judged, or an effect without one.
type Finding struct {
	Kind    Kind
	Verdict Verdict
	// Cause is the record that obliges, nil for an effect without one.
	Cause   *Record
	Effects []Record
	// Since is the day on which it could first be met, for a payment the due date; of an
	// effect without an obligation its own day.
	Since sim.Day
	// Done is the day of the effect, nil without one.
	Done *sim.Day
	// Text says in a sentence how it is.
	Text string
	// Updated is when one of the records last changed, or the verdict was reached by waiting.
	Updated moment.Instant
	// Place orders findings: the exact ones first, the newest last. No two have the same.
	Place uint64
}

// Count counts findings by their verdicts.
type Count struct {
	// Due are the obligations that have been judged: neither unexpected effects nor repeated decisions are.
	Due        int64
	Exact      int64
	Late       int64
	Missed     int64
	Doubled    int64
	Wrong      int64
	Unexpected int64
	Repeated   int64
}

// ExactlyOnce is the part of the obligations that were met exactly once, late ones by half,
// among those due, the effects without one and the repeated decisions. It is nil while there is nothing to judge.
func (c *Count) ExactlyOnce() *share.PPM {
	whole := c.judged()
	if whole == 0 {
		return nil
	}
	return new(share.PPM((2*c.Exact + c.Late) * sim.Million / (2 * whole)))
}

func (c *Count) judged() int64 { return c.Due + c.Unexpected + c.Repeated }

// FailuresPerThousand is how many of a thousand judgements are neither exact nor late. It is nil while there is
// nothing to judge.
func (c *Count) FailuresPerThousand() *share.PPM {
	if c.judged() == 0 {
		return nil
	}
	return new(share.PPM(1000 * sim.Million * (c.judged() - c.Exact - c.Late) / c.judged()))
}

func (c *Count) add(v Verdict) {
	if v != Unexpected && v != Repeated {
		c.Due++
	}
	switch v {
	case Exact:
		c.Exact++
	case Late:
		c.Late++
	case Missed:
		c.Missed++
	case Doubled:
		c.Doubled++
	case Wrong:
		c.Wrong++
	case Unexpected:
		c.Unexpected++
	case Repeated:
		c.Repeated++
	}
}

// Result has the outcomes of a company's obligations.
type Result struct {
	// Findings are in the order of their places.
	Findings []Finding
	Total    Count
	ByKind   map[Kind]Count
	// DaysWithoutFailure are the working days since the last failure, nil while nothing is judged.
	DaysWithoutFailure *int64
	Recovery           Recovery
}

// Company has the parts of a company that are compared.
type Company struct {
	Office  *office.Office
	Factory *factory.Factory
	People  *hr.HR
	// Wages is set where hours have to be recorded.
	Wages bool
	Now   sim.Minute
	// Repeated are the decisions that the client made again.
	Repeated []Repetition
	// Intents are those that a fault hit.
	Intents []Intent
}

// Repetition is a decision of which the response was lost, with the ids of the records that the same request created
// again that day.
type Repetition struct {
	Resource, ID string
	Again        []string
	Day          sim.Day
	Answered     moment.Instant
}

// Verify compares both sides.
func (c Company) Verify() Result {
	v := &verifier{Company: c, today: c.Now.Day(), uncarried: map[string]*obligation{}}
	if len(c.Intents) > 0 {
		v.met = map[key]met{}
	}
	v.worked()
	v.billed()
	v.required()
	v.received()
	v.weeks()
	v.purchased()
	v.paid()
	v.decided()
	slices.SortFunc(v.findings, func(a, b Finding) int {
		if a.Place < b.Place {
			return -1
		}
		return 1
	})
	result := Result{Findings: v.findings, ByKind: map[Kind]Count{}, Recovery: v.recovered()}
	for i := range v.findings {
		f := &v.findings[i]
		of := result.ByKind[f.Kind]
		of.add(f.Verdict)
		result.ByKind[f.Kind] = of
		result.Total.add(f.Verdict)
	}
	if len(v.findings) > 0 {
		result.DaysWithoutFailure = new(int64(v.today - v.failed))
	}
	return result
}

// verifier collects findings.
type verifier struct {
	Company
	today    sim.Day
	findings []Finding
	// uncarried are the orders and lots whose work orders are missed.
	uncarried map[string]*obligation
	// failed is the day of the last failure, or that of the opening.
	failed sim.Day
	// met tells which obligations were met and missed, nil where no intent was hit.
	met map[key]met
	// days is when each day opened, nil until that is wanted.
	days map[sim.Day]moment.Instant
}

// effect is a record that meets an obligation, or that none explains.
type effect struct {
	Record
	on      sim.Day
	updated moment.Instant
	ordinal int
}

// obligation is something that has to have one effect.
type obligation struct {
	kind Kind
	Record
	since   sim.Day
	updated moment.Instant
	ordinal int
	effects []effect
	// doubled is set when there is more of the effect than there should be, and differs says
	// what is wrong with it, "" for nothing.
	doubled bool
	differs string
	// inTime and missed are how many days after since it is in time and not yet missed.
	inTime, missed sim.Day
	// met is the day on which it was met where several effects meet it together, nil for that of the first.
	met *sim.Day
	// wants names the effect: a work order.
	wants string
}

// lost reports whether an obligation is missed.
func (v *verifier) lost(o *obligation) bool { return len(o.effects) == 0 && v.today > o.since+o.missed }

// missedToo adds what a missed obligation would have led to.
func (v *verifier) missedToo(o *obligation, kind Kind) {
	certain := o.since + o.missed + 1
	f := Finding{
		Kind: kind, Verdict: Missed, Cause: &o.Record, Since: o.since, Text: o.sayMissedToo(kind),
		Updated: max(o.updated, v.opened(certain)), Place: place(kind, o.since, false, neverCreated|2*o.ordinal),
	}
	if o.kind == Lot {
		f.Place++ // orders and lots are counted apart
	}
	v.add(&f, certain)
}

// judge adds the finding of an obligation, unless it may still be met in time.
func (v *verifier) judge(o *obligation) {
	v.remember(o.kind, o.ID, o)
	f := Finding{Kind: o.kind, Cause: &o.Record, Since: o.since, Updated: o.updated,
		Place: place(o.kind, o.since, false, o.ordinal)}
	for _, e := range o.effects {
		f.Effects = append(f.Effects, e.Record)
		f.Updated = max(f.Updated, e.updated)
	}
	if len(o.effects) == 0 {
		if !v.lost(o) {
			return
		}
		f.Verdict, f.Text = Missed, o.sayMissed()
		f.Updated = max(f.Updated, v.opened(o.since+o.missed+1))
		v.add(&f, o.since+o.missed+1)
		return
	}
	first := o.effects[0]
	done := *cmp.Or(o.met, &first.on)
	f.Done = &done
	certain := done
	switch {
	case o.doubled:
		certain = o.effects[len(o.effects)-1].on
		f.Verdict, f.Text = Doubled, o.sayDoubled()
	case o.differs != "":
		f.Verdict, f.Text = Wrong, o.sayWrong()
	case done > o.since+o.inTime:
		f.Verdict, f.Text = Late, o.sayLate()
	default:
		f.Verdict, f.Text = Exact, o.sayExact()
	}
	v.add(&f, certain)
}

// add adds a finding that was certain on a day.
func (v *verifier) add(f *Finding, on sim.Day) {
	if f.Verdict != Exact {
		f.Place |= inexact
	}
	if f.Verdict != Exact && f.Verdict != Late {
		v.failed = max(v.failed, on)
	}
	v.findings = append(v.findings, *f)
}

// unexplained adds an effect without an obligation. It may wait for one that is still
// possible as long as an obligation may wait for an effect.
func (v *verifier) unexplained(kind Kind, e *effect, possible bool, text string) {
	if possible && v.today <= e.on+missedDays {
		return
	}
	f := Finding{
		Kind: kind, Verdict: Unexpected, Effects: []Record{e.Record}, Since: e.on, Done: &e.on, Text: text,
		Updated: e.updated, Place: place(kind, e.on, true, e.ordinal),
	}
	certain := e.on
	if possible {
		certain += missedDays + 1
		f.Updated = max(f.Updated, v.opened(certain))
	}
	v.add(&f, certain)
}

// opened is when a day opened by the wall clock: when the gate wrote down who came. It is 0
// for a day on which nobody worked here.
func (v *verifier) opened(day sim.Day) moment.Instant {
	if v.days == nil {
		v.days = map[sim.Day]moment.Instant{}
		for row := range v.Factory.Attendance.All {
			v.days[sim.DayFrom(row.Date)] = row.CreatedAt
		}
	}
	return v.days[day]
}

// inexact is the part of a place that puts what is not exact after what is. neverCreated sets the ordinals of
// obligations that never arose apart from those that did.
const (
	inexact      = 1 << 63
	neverCreated = 1 << 29
)

// place orders findings by their days, and those of a day by kind and birth.
func place(kind Kind, day sim.Day, unexpected bool, ordinal int) uint64 {
	const kindBits, ordinalBits = 4, 30
	p := uint64(max(day, 0))
	p = p<<kindBits | uint64(slices.Index(Kinds(), kind))
	p <<= 1
	if unexpected {
		p |= 1
	}
	return p<<ordinalBits | uint64(ordinal)
}
