package office

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// Timers returns the handlers of the timers that concern this department alone.
func Timers() []record.TimerHandler[*Office] {
	return []record.TimerHandler[*Office]{
		{Kind: TimerDemand, Fire: func(o *Office, r *record.Recorder, t sim.Timer) { o.Candidate(r, t.Index) }},
		{Kind: TimerInvoiceOverdue,
			Fire: func(o *Office, r *record.Recorder, t sim.Timer) { o.InvoiceOverdue(r, t.Ref) }},
		{Kind: TimerLotOffer, Fire: func(o *Office, r *record.Recorder, _ sim.Timer) { o.OfferLot(r) }},
		{Kind: TimerSupplierBills,
			Fire: func(o *Office, r *record.Recorder, t sim.Timer) { o.SupplierBills(r, t.Ref) }},
		{Kind: TimerBilledTwice,
			Fire: func(o *Office, r *record.Recorder, t sim.Timer) { o.SecondBill(r, t.Ref, t.Index) }},
		{Kind: TimerSupplierOverdue,
			Fire: func(o *Office, r *record.Recorder, t sim.Timer) { o.SupplierInvoiceOverdue(r, t.Ref) }},
		{Kind: TimerCollection, Fire: func(o *Office, r *record.Recorder, t sim.Timer) { o.Collect(r, t.Ref) }},
		{Kind: TimerDirectDebit, Fire: func(o *Office, r *record.Recorder, t sim.Timer) { o.DirectDebit(r, t.Ref) }},
	}
}
