package moment

import (
	"fmt"
	"time"
)

// Date is a calendar day, counted from 1970-01-01. Its text form is
// YYYY-MM-DD.
type Date int32

const dateLayout = "2006-01-02"

// NewDate returns the day of a civil date.
func NewDate(year int, month time.Month, day int) Date {
	return Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

const secondsPerDay = 24 * 60 * 60

func (d Date) time() time.Time { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.time().Weekday() }

// Month returns the month of the year.
func (d Date) Month() time.Month { return d.time().Month() }

// AddDays returns the date n calendar days later.
func (d Date) AddDays(n int) Date { return d + Date(n) }

// String returns YYYY-MM-DD.
func (d Date) String() string { return d.time().Format(dateLayout) }

// AppendText implements encoding.TextAppender.
func (d Date) AppendText(b []byte) ([]byte, error) {
	b = d.time().AppendFormat(b, time.RFC3339) // which package time writes much faster than other layouts
	return b[:len(b)-len("T00:00:00Z")], nil
}

// MarshalText implements encoding.TextMarshaler.
func (d Date) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// UnmarshalText takes YYYY-MM-DD and nothing else.
func (d *Date) UnmarshalText(b []byte) error {
	t, err := time.Parse(dateLayout, string(b))
	if err != nil {
		return fmt.Errorf("%q is not a date like 2026-09-07", b)
	}
	*d = Date(t.Unix() / secondsPerDay)
	return nil
}
