// Package sim is the kernel of the simulation: working-minute time, the clock
// that maps it to wall time, the schedule of timers, and counter-based random
// streams. It holds no business and no I/O, and the same inputs give the same
// outputs on every processor.
package sim

import "platen/internal/words/moment"

// Minute is a moment of the simulation: working minutes since it began at
// 08:00 of day 0. Nights and weekends take no time at all.
type Minute int64

// Day is a working day, counted from 0.
type Day int64

// The working day.
const (
	// DayLength is 08:00 to 16:00.
	DayLength Minute = 480
	// DaysPerWeek is Monday to Friday.
	DaysPerWeek Day = 5

	opensAtHour = 8
)

// Start is the date of day 0, a Monday, the same in every sandbox: seasons
// are reproducible.
var Start = moment.NewDate(2026, 9, 7) //nolint:gochecknoglobals // a constant that Go cannot express as one

// Day returns the working day that contains m.
func (m Minute) Day() Day { return Day(m / DayLength) }

// OfDay returns how many minutes of its day have passed at m.
func (m Minute) OfDay() Minute { return m % DayLength }

// Date returns the date of the day that contains m.
func (m Minute) Date() moment.Date { return m.Day().Date() }

// ClockText returns the in-world time of day as HH:MM.
func (m Minute) ClockText() string {
	minutes := int(m.OfDay())
	hour, minute := opensAtHour+minutes/60, minutes%60
	return string([]byte{byte('0' + hour/10), byte('0' + hour%10), ':', byte('0' + minute/10), byte('0' + minute%10)})
}

// Text returns the in-world date and time, 2026-09-07T08:00.
func (m Minute) Text() string { return m.Date().String() + "T" + m.ClockText() }

// Open returns 08:00 of the day.
func (d Day) Open() Minute { return Minute(d) * DayLength }

// At returns the moment m minutes after the day opened.
func (d Day) At(m Minute) Minute { return d.Open() + m }

// Monday returns the first day of the week that the day is in.
func (d Day) Monday() Day { return d - d%DaysPerWeek }

// Date returns the calendar date of a working day.
func (d Day) Date() moment.Date {
	return Start.AddDays(int(7*(d/DaysPerWeek) + d%DaysPerWeek))
}

// DayFrom returns the first working day at or after a date; day 0 for dates
// before the start.
func DayFrom(date moment.Date) Day {
	days := Day(date - Start)
	if days <= 0 {
		return 0
	}
	week, rest := days/7, days%7
	return week*DaysPerWeek + min(rest, DaysPerWeek)
}

// DayAfter returns the first working day after a date.
func DayAfter(date moment.Date) Day { return DayFrom(date.AddDays(1)) }

// At returns the moment at or after a time of a date, in minutes after midnight.
// Before the day opens it is its opening, from 16:00 on its close, the last minute of the day: 16:00 is also 08:00 of
// the next day, of which nothing may happen yet. A date without work gives the opening of the next day
// with work. Dates before the start give the first moment.
func At(date moment.Date, minuteOfDay int) Minute {
	day := DayFrom(date)
	if day.Date() != date {
		return day.Open()
	}
	return day.At(min(max(Minute(minuteOfDay-opensAtHour*60), 0), CloseMinute))
}
