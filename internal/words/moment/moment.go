// Package moment has the two kinds of time that rows and events carry: wall
// instants and in-world dates. Both are plain integers with a text form, so
// that they compare, sort and encode without surprises.
package moment

import (
	"bytes"
	"fmt"
	"time"
)

// Instant is a wall-clock time in microseconds since 1970, UTC. Its text form
// is RFC 3339 with exactly six fraction digits, so instants sort as text.
type Instant int64

// Microsecond is the smallest step between two instants.
const Microsecond Instant = 1

const instantLayout = "2006-01-02T15:04:05.000000Z"

// InstantOf drops fractions finer than a microsecond.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMicro()) }

// Time returns the instant as a time in UTC.
func (i Instant) Time() time.Time { return time.UnixMicro(int64(i)).UTC() }

// Add returns the instant d later.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d.Microseconds()) }

// Sub returns the time from j to i.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i-j) * time.Microsecond }

// CeilSecond returns the first whole second at or after i.
func (i Instant) CeilSecond() Instant {
	const second = 1_000_000
	if r := i % second; r > 0 {
		return i + second - r
	}
	return i
}

// String returns the text form.
func (i Instant) String() string { return i.Time().Format(instantLayout) }

// AppendText implements encoding.TextAppender.
func (i Instant) AppendText(b []byte) ([]byte, error) {
	t := i.Time()
	b = t.AppendFormat(b, time.RFC3339) // which package time writes much faster than other layouts
	b[len(b)-1] = '.'
	micros := t.Nanosecond() / 1000
	for unit := 100_000; unit > 0; unit /= 10 {
		b = append(b, byte('0'+micros/unit%10))
	}
	return append(b, 'Z'), nil
}

// MarshalText implements encoding.TextMarshaler.
func (i Instant) MarshalText() ([]byte, error) { return i.AppendText(nil) }

// UnmarshalText takes any RFC 3339 time whose year in UTC has four digits, and
// drops fractions finer than a microsecond. Forms that package time lets pass
// beyond the RFC are refused: a comma before the fraction, an hour of one
// digit, an offset of more than a day.
func (i *Instant) UnmarshalText(b []byte) error {
	text := bytes.ToUpper(b) // its letters may be small (RFC 3339, 5.6)
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil || !plain(text) || t.UTC().Year() < 0 || t.UTC().Year() > maxYear {
		return fmt.Errorf("%q is not an RFC 3339 time", b)
	}
	*i = InstantOf(t)
	return nil
}

// maxYear is the last year of four digits.
const maxYear = 9999

// plain reports whether a time that package time has read is written as RFC
// 3339 has it.
func plain(b []byte) bool {
	if bytes.ContainsRune(b, ',') || b[len("2006-01-02T15")] != ':' {
		return false
	}
	offset := b[len(b)-len("+00:00"):]
	return b[len(b)-1] == 'Z' || string(offset[1:3]) <= "23" && string(offset[4:]) <= "59"
}
