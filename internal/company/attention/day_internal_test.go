package attention

import (
	"testing"
	"time"

	"platen/internal/words/moment"
)

// TestDaysAreSaidAsTheyAre on each working day: the next one is tomorrow, but after a Friday.
func TestDaysAreSaidAsTheyAre(t *testing.T) {
	t.Parallel()
	monday := moment.NewDate(2026, time.September, 7)
	const next = "2026-09-14"
	for day, want := range []struct{ on, evening string }{
		{"tomorrow", "tomorrow evening"},
		{"tomorrow", "tomorrow evening"},
		{"tomorrow", "tomorrow evening"},
		{"tomorrow", "tomorrow evening"},
		{"on " + next, "on the evening of " + next},
	} {
		today := monday.AddDays(day)
		l := &look{today: today, tomorrow: today.AddDays(1)}
		if today.Weekday() == time.Friday {
			l.tomorrow = monday.AddDays(7)
		}
		for _, c := range []struct{ got, want string }{
			{l.on(l.tomorrow), want.on},
			{l.evening(l.tomorrow), want.evening},
			{l.dueText(l.tomorrow), "due " + want.on},
			{l.on(today), "today"},
			{l.evening(today), "tonight"},
			{l.dueText(today), "due today"},
			{l.dueText(monday.AddDays(-3)), "which was due on 2026-09-04"},
			{l.dueText(monday.AddDays(30)), "due on 2026-10-07"},
			{said("lot", "lots", l.groups(dues{past: 1})...), "1 lot is overdue"},
			{said("lot", "lots", l.groups(dues{today: 2})...), "2 lots are due today"},
			{said("lot", "lots", l.groups(dues{next: 1})...), "1 lot is due " + want.on},
			{
				said("lot", "lots", l.groups(dues{past: 3, today: 1, next: 2})...),
				"6 lots: 3 are overdue, 1 is due today, 2 are due " + want.on,
			},
		} {
			if c.got != c.want {
				t.Errorf("%s %s: %q, want %q", today.Weekday(), today, c.got, c.want)
			}
		}
	}
}
