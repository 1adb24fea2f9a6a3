package client

import "time"

// Date is an in-world calendar day, as YYYY-MM-DD. Dates compare like text;
// the empty one is none.
type Date string

// DateOf returns the day on which t falls in its own location.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// Time returns the beginning of the day in UTC, and the zero time when d is no
// date.
func (d Date) Time() time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}
