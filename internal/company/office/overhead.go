package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// accrualUnit divides a day's storage and interest: rates are in hundredths of
// a per cent (basis points), so sums are kept in ten-thousandths of a minor
// unit until they are billed.
const accrualUnit = 10_000

// CloseDay books the costs of the day and counts the closes in a row with
// negative cash.
func (o *Office) CloseDay(stockValue money.Minor) {
	o.State.StorageAccrued += int64(stockValue) * o.preset.Overhead.StorageBasisPointsPerDay
	if o.State.CashMinor < 0 {
		o.State.NegativeCloses++
		o.State.InterestAccrued += int64(-o.State.CashMinor) * o.preset.OverdraftBasisPointsPerDay
		return
	}
	o.State.NegativeCloses = 0
}

// BillOverheads brings the invoices for the past week, on a Monday; they are
// debited at the close of its Friday. clicks is the cost of the digital press.
func (o *Office) BillOverheads(r *record.Recorder, clicks money.Minor) {
	p := o.preset.Overhead
	week := int64(sim.DaysPerWeek)
	o.billOverhead(r, catalog.Landlord, []service{
		{"rent", week, p.RentMinorPerDay}, {"utilities", week, p.UtilitiesMinorPerDay},
		{"insurance", week, p.InsuranceMinorPerDay},
		{"storage", 1, accrued(&o.State.StorageAccrued)},
	})
	o.billOverhead(r, catalog.Lessor, []service{{"press_lease", week, p.LeaseMinorPerDay}, {"clicks", 1, clicks}})
	o.billOverhead(r, catalog.Bank, []service{{"overdraft_interest", 1, accrued(&o.State.InterestAccrued)}})
	o.billVacancies(r)
}

// service is a line of an overhead invoice.
type service struct {
	name     string
	quantity int64
	price    money.Minor
}

// accrued takes the whole minor units out of an accrual, rounded half up. The
// rest is forgiven.
func accrued(sum *int64) money.Minor {
	minor := money.Minor((*sum + accrualUnit/2) / accrualUnit)
	*sum = 0
	return minor
}

// billOverhead adds an invoice, unless it would be over nothing.
func (o *Office) billOverhead(r *record.Recorder, supplierID string, services []service) {
	lines := []SupplierInvoiceLine{}
	for _, s := range services {
		if s.price > 0 && s.quantity > 0 {
			lines = append(lines, SupplierInvoiceLine{
				Service: &s.name, Quantity: s.quantity, UnitPriceMinor: s.price, AmountMinor: s.price.Times(s.quantity),
			})
		}
	}
	if len(lines) == 0 {
		return
	}
	debit := r.Today() + sim.DaysPerWeek - 1
	row := o.addSupplierInvoice(r, SupplierInvoice{
		SupplierID: supplierID, Kind: OverheadInvoice, Lines: lines, IssuedOn: r.Date(), DueDate: debit.Date(),
		CollectOn: new(debit.Date()),
	}, SupplierInvoicePrivate{})
	r.Set(sim.Timer{Due: debit.At(sim.CloseMinute), Class: sim.ClassDirectDebit, Kind: TimerDirectDebit, Ref: row.ID})
}
