package moment_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"platen/internal/words/moment"
)

var (
	// rfc3339 is the form of a time, date that of a day.
	rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
	date    = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// FuzzInstant: what is read has the form of RFC 3339, means what package time
// takes it for, and is the same when it is written and read again.
func FuzzInstant(f *testing.F) {
	for _, seed := range []string{
		"2026-09-07T08:00:00Z", "2026-09-07T08:00:00.123456789+02:00", "2026-09-07T08:00:00,5Z", "2026-09-07T8:00:00Z",
		"2026-09-07T08:00:00+24:00", "2026-09-07T08:00:00-23:60", "0000-01-01T00:00:00+00:01",
		"9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2026-02-29T00:00:00Z",
		"2026-09-07T08:00:60Z", "2026-09-07t08:00:00z", "", "Z",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const before = moment.Instant(42)
		read := before
		if err := read.UnmarshalText([]byte(text)); err != nil {
			if read != before {
				t.Errorf("%q is refused and has left %d", text, read)
			}
			return
		}
		capital := strings.ToUpper(text)
		at, err := time.Parse(time.RFC3339Nano, capital)
		if err != nil || !rfc3339.MatchString(capital) || moment.InstantOf(at) != read {
			t.Errorf("%q is read as %s; package time reads %s, %v", text, read, at, err)
		}
		var again moment.Instant
		if err := again.UnmarshalText([]byte(read.String())); err != nil || again != read ||
			len(read.String()) != len("2026-09-07T08:00:00.000000Z") {
			t.Errorf("%q is read as %s, and that as %s, %v", text, read, again, err)
		}
		if appended, err := read.AppendText([]byte("at ")); string(appended) != "at "+read.String() || err != nil {
			t.Errorf("%s is appended as %q, %v", read, appended, err)
		}
	})
}

// FuzzDate: what is read is a day of the calendar, and is written as it was.
func FuzzDate(f *testing.F) {
	for _, seed := range []string{
		"2026-09-07", "2028-02-29", "2026-02-29", "0000-01-01", "9999-12-31", "1969-12-31", "2026-9-7",
		"2026-09-07T00:00:00Z", "+2026-09-07", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const before = moment.Date(42)
		read := before
		if err := read.UnmarshalText([]byte(text)); err != nil {
			if read != before {
				t.Errorf("%q is refused and has left %d", text, read)
			}
			return
		}
		if !date.MatchString(text) || read.String() != text {
			t.Errorf("%q is read as %s", text, read)
		}
	})
}
