package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// Staff is Head Office's knowledge of its own people today.
type Staff struct {
	// Bookkeepers and Sales count those who are at work.
	Bookkeepers int64 `json:"bookkeepers"`
	Sales       int64 `json:"sales"`
}

// Vacancies counts the days of a week on which there was work for a role that nobody held.
type Vacancies struct {
	Bookkeeping int64 `json:"bookkeeping,omitzero"`
	Handling    int64 `json:"handling,omitzero"`
	// Booked and Handled are how many payments, and how many parcels and trucks, there had
	// been at the last close.
	Booked  int `json:"booked"`
	Handled int `json:"handled"`
}

// NoteVacancies counts, at the close of a day, the work of the day for roles that nobody
// holds. handled is how many parcels and trucks there have been.
func (o *Office) NoteVacancies(bookkeeping, handling bool, handled int) {
	v := &o.State.Vacancies
	if booked := o.Ledger.Rows.Len(); booked > v.Booked {
		v.Booked = booked
		if bookkeeping {
			v.Bookkeeping++
		}
	}
	if handled > v.Handled {
		v.Handled = handled
		if handling {
			v.Handling++
		}
	}
}

const (
	// maxBookingDays is how many working days a supplier's bill waits for a bookkeeper.
	maxBookingDays = 3
	// alonePPM is the share of customers' orders that come while nobody sells.
	alonePPM = 500_000
	// A day of an agency's people costs a third more than the wage of the crew's own.
	bookkeepingPerDay money.Minor = 27_000
	handlingPerDay    money.Minor = 23_000
)

// billVacancies brings the agency's invoice for the past week.
func (o *Office) billVacancies(r *record.Recorder) {
	v := o.State.Vacancies
	o.billOverhead(r, catalog.Agency, []service{
		{"bookkeeping", v.Bookkeeping, bookkeepingPerDay}, {"goods_handling", v.Handling, handlingPerDay},
	})
	o.State.Vacancies.Bookkeeping, o.State.Vacancies.Handling = 0, 0
}

// waitsForBookkeeper reports whether a supplier's bill that came so many working days ago
// is put off to the next one, since nobody is there to book it.
func (o *Office) waitsForBookkeeper(days int64) bool {
	return o.State.Staff.Bookkeepers == 0 && days < maxBookingDays
}

// salesPPM is the share of customers' orders that are taken today.
func (s Staff) salesPPM() int64 {
	if s.Sales == 0 {
		return alonePPM
	}
	return sim.Million
}
