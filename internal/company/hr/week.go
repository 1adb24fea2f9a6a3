package hr

import (
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// Week is a working week, counted from 0, which begins when the company opens.
type Week int64

// weekOf returns the week of a day.
func weekOf(day sim.Day) Week { return Week(day / sim.DaysPerWeek) }

func (w Week) monday() sim.Day { return sim.Day(w) * sim.DaysPerWeek }

func (w Week) friday() sim.Day { return w.monday() + sim.DaysPerWeek - 1 }

// start is the date of the week's Monday, end that of its Friday.
func (w Week) start() moment.Date { return w.monday().Date() }

func (w Week) end() moment.Date { return w.friday().Date() }

// recordable is the moment from which the hours of the week can be recorded.
func (w Week) recordable() sim.Minute { return w.friday().At(sim.TimesheetMinute) }

// weekStarting returns the week that begins on a date, and false when the date
// is no Monday. The week may lie before the first.
func weekStarting(date moment.Date) (Week, bool) {
	const daysPerWeek = 7
	days := int64(date) - int64(sim.Start)
	return Week(days / daysPerWeek), days%daysPerWeek == 0
}
