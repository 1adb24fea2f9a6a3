// Package integration compares the two systems of a company whose records a client carries:
// what had to have one effect on the other side, and what came of it. It sees all of both,
// which no key does, and changes nothing.
//
// An obligation is a hand-off (an order, a lot, a parcel, a requisition, a goods receipt, a
// week) or a decision that is meant once (the purchase order for an approved requisition, the
// payment of a bill for materials). It begins on the working day on which it could first be
// met, and is judged by days: rows have no minute.
//
//	met by the end of the next working day ──▶ exact, if once and right
//	met later                              ──▶ late
//	not met when two more days are over    ──▶ missed
//
// A payment has until its due date, and one working day more before it is missed. An effect
// that no obligation explains is unexpected. Whatever may still turn out well is not judged
// yet and shows nowhere: the list must not tell a client what to carry.
package integration

import (
	"slices"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/event"
	"platen/internal/moment"
	"platen/internal/share"
)

// Kind is the subject of an obligation.
type Kind string

// Kinds: six hand-offs and two decisions.
const (
	Order       Kind = "order"
	Lot         Kind = "lot"
	Parcel      Kind = "parcel"
	Requisition Kind = "requisition"
	Receipt     Kind = "receipt"
	Week        Kind = "week"
	Purchase    Kind = "purchase"
	Payment     Kind = "payment"
)

// Kinds lists them in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{Order, Lot, Parcel, Requisition, Receipt, Week, Purchase, Payment}
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
	// Place orders findings, the newest last. No two have the same.
	Place uint64
}

// Count counts findings by their verdicts.
type Count struct {
	// Due are the obligations that have been judged.
	Due        int64
	Exact      int64
	Late       int64
	Missed     int64
	Doubled    int64
	Wrong      int64
	Unexpected int64
}

// ExactlyOnce is the part of the obligations that were met exactly once, late ones by half,
// among those due and the effects without one. It is nil while there is nothing to judge.
func (c *Count) ExactlyOnce() *share.PPM {
	whole := c.Due + c.Unexpected
	if whole == 0 {
		return nil
	}
	return new(share.PPM((2*c.Exact + c.Late) * sim.Million / (2 * whole)))
}

func (c *Count) add(v Verdict) {
	if v != Unexpected {
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
	}
}

// Result has the outcomes of a company's obligations.
type Result struct {
	// Findings are in the order of their days, the newest last.
	Findings []Finding
	Total    Count
	ByKind   map[Kind]Count
}

// Company has the parts of a company that are compared.
type Company struct {
	Office  *office.Office
	Factory *factory.Factory
	People  *hr.HR
	// Wages is set where hours have to be recorded.
	Wages bool
	Now   sim.Minute
}

// Verify compares both sides.
func (c Company) Verify() Result {
	v := &verifier{Company: c, today: c.Now.Day()}
	v.worked()
	v.billed()
	v.required()
	v.received()
	v.weeks()
	v.purchased()
	v.paid()
	slices.SortFunc(v.findings, func(a, b Finding) int {
		if a.Place < b.Place {
			return -1
		}
		return 1
	})
	result := Result{Findings: v.findings, ByKind: map[Kind]Count{}}
	for i := range v.findings {
		f := &v.findings[i]
		of := result.ByKind[f.Kind]
		of.add(f.Verdict)
		result.ByKind[f.Kind] = of
		result.Total.add(f.Verdict)
	}
	return result
}

// verifier collects findings.
type verifier struct {
	Company
	today    sim.Day
	findings []Finding
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
	// wants names the effect: a work order.
	wants string
}

// judge adds the finding of an obligation, unless it may still be met in time.
func (v *verifier) judge(o *obligation) {
	f := Finding{Kind: o.kind, Cause: &o.Record, Since: o.since, Updated: o.updated,
		Place: place(o.kind, o.since, false, o.ordinal)}
	for _, e := range o.effects {
		f.Effects = append(f.Effects, e.Record)
		f.Updated = max(f.Updated, e.updated)
	}
	if len(o.effects) == 0 {
		if v.today <= o.since+o.missed {
			return
		}
		f.Verdict, f.Text = Missed, o.sayMissed()
		f.Updated = max(f.Updated, v.opened(o.since+o.missed+1))
		v.findings = append(v.findings, f)
		return
	}
	first := o.effects[0]
	f.Done = &first.on
	switch {
	case o.doubled:
		f.Verdict, f.Text = Doubled, o.sayDoubled()
	case o.differs != "":
		f.Verdict, f.Text = Wrong, o.sayWrong()
	case first.on > o.since+o.inTime:
		f.Verdict, f.Text = Late, o.sayLate()
	default:
		f.Verdict, f.Text = Exact, o.sayExact()
	}
	v.findings = append(v.findings, f)
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
	if possible {
		f.Updated = max(f.Updated, v.opened(e.on+missedDays+1))
	}
	v.findings = append(v.findings, f)
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
