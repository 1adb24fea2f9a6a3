package books

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"platen/test/testclient"
)

// row is a record as the API sends it. The functions below panic at a field that is not there: a check of a field that
// was misspelled would never fail.
type row = testclient.Object

func field(r row, name string) any {
	value, ok := r[name]
	if !ok {
		panic(fmt.Sprintf("there is no field %s in %v", name, r))
	}
	return value
}

// text is a text, "" for null.
func text(r row, name string) string {
	value, ok := field(r, name).(string)
	if !ok && r[name] != nil {
		panic(fmt.Sprintf("%s is no text in %v", name, r))
	}
	return value
}

// number is a whole number, 0 for null.
func number(r row, name string) int64 {
	value := field(r, name)
	if value == nil {
		return 0
	}
	n, err := value.(json.Number).Int64()
	if err != nil {
		panic(fmt.Sprintf("%s is no whole number in %v", name, r))
	}
	return n
}

// decimal is a number that may have a fraction.
func decimal(r row, name string) float64 {
	value, err := field(r, name).(json.Number).Float64()
	if err != nil {
		panic(fmt.Sprintf("%s is no number in %v", name, r))
	}
	return value
}

func yes(r row, name string) bool { return field(r, name).(bool) }

// given tells whether a field is neither null nor left out.
func given(r row, name string) bool { return r[name] != nil }

func object(r row, name string) row { return field(r, name).(row) }

// lines are the objects of an array; an event leaves out an empty one.
func lines(r row, name string) []row {
	array, _ := r[name].([]any)
	objects := make([]row, len(array))
	for i := range array {
		objects[i] = array[i].(row)
	}
	return objects
}

// texts are the texts of an array.
func texts(r row, name string) []string {
	array := field(r, name).([]any)
	all := make([]string, len(array))
	for i := range array {
		all[i] = array[i].(string)
	}
	return all
}

// index finds rows by a field.
func index(rows []row, name string) map[string]row {
	by := make(map[string]row, len(rows))
	for _, r := range rows {
		by[text(r, name)] = r
	}
	return by
}

// grouped collects rows by a field.
func grouped(rows []row, name string) map[string][]row {
	by := map[string][]row{}
	for _, r := range rows {
		by[text(r, name)] = append(by[text(r, name)], r)
	}
	return by
}

// sum adds up a field.
func sum(rows []row, name string) (total int64) {
	for _, r := range rows {
		total += number(r, name)
	}
	return total
}

// having counts the rows with one of some values in a field.
func having(rows []row, name string, values ...string) (count int64) {
	for _, r := range rows {
		if slices.Contains(values, text(r, name)) {
			count++
		}
	}
	return count
}

// Every company opens on this Monday (contract: OPEN.TIME.START), and works five days a week.
const (
	daysOfWeek     = 7
	workingDays    = 5
	minutesOfDay   = 480
	openingHour    = 8
	minutesOfHour  = 60
	hoursOfDay     = 24
	hundredPercent = 100
)

func opening() time.Time { return time.Date(2026, time.September, 7, 0, 0, 0, 0, time.UTC) }

// dayOf counts the working days from the opening to a date; a date of a weekend is the Monday after.
func dayOf(date string) int {
	at := dateOf(date)
	days := int(at.Sub(opening()).Hours()) / hoursOfDay
	if at.Before(opening()) { // of a document from before the opening only the order counts
		return days
	}
	return days/daysOfWeek*workingDays + min(days%daysOfWeek, workingDays)
}

func dateOf(date string) time.Time {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err)
	}
	return at
}

// dateAfter is the date so many calendar days later, moved to a Monday where it falls on a weekend.
func dateAfter(date string, days int64) string {
	at := dateOf(date).AddDate(0, 0, int(days))
	for at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
		at = at.AddDate(0, 0, 1)
	}
	return at.Format(time.DateOnly)
}

// mondayOf is the first day of a week, counted from 0.
func mondayOf(week int) string { return opening().AddDate(0, 0, week*daysOfWeek).Format(time.DateOnly) }

// minuteOf counts working minutes to a moment, such as 2026-09-07T08:30.
func minuteOf(moment string) int {
	at, err := time.Parse("2006-01-02T15:04", moment)
	if err != nil {
		panic(err)
	}
	return dayOf(moment[:len(time.DateOnly)])*minutesOfDay + (at.Hour()-openingHour)*minutesOfHour + at.Minute()
}

// share is so many per cent of an amount, rounded to the nearest unit.
func share(amount, percent int64) int64 {
	return (amount*percent + hundredPercent/2) / hundredPercent
}

// upTo divides and rounds up.
func upTo(a, b int64) int64 { return (a + b - 1) / b }
