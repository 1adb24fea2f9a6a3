package lore

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
)

// Runs reports whether a disruption of a kind runs.
func (l *Lore) Runs(kind event.DisruptionKind) bool { return l.runs(kind) }

// Planned returns a disruption of a kind that is triggered now: for some working days,
// or as few as it lasts by itself when days is 0. A power cut lasts until the next
// noon, whatever the days.
func Planned(kind event.DisruptionKind, now sim.Minute, days int64, pressID string) Disruption {
	about := definitions[placeOf(kind)]
	d := Disruption{Kind: kind, PressID: pressID, severity: Low, planned: true}
	if about.maxDays == 0 {
		d.Ends = now.Day().At(powerBack)
		if now.OfDay() >= powerBack {
			d.Ends = (now.Day() + 1).At(powerBack)
		}
		return d
	}
	if days == 0 {
		days = about.daysLeast
	}
	d.Ends = (now.Day() + sim.Day(days)).Open()
	lengths := about.maxDays - about.daysLeast + 1
	d.severity = severity(min(max(days-about.daysLeast, 0), lengths-1), lengths)
	return d
}

// Tell tells a story that changes nothing, and returns its id.
func (l *Lore) Tell(r *record.Recorder) string { return l.tell(r) }

// CanOpen reports whether a major order can open: there is one at a time.
func (l *Lore) CanOpen() bool {
	_, open := l.open()
	return !open
}

// OpenNow opens the next major order, and returns its id.
func (l *Lore) OpenNow(r *record.Recorder) string {
	if !l.Ambitious() {
		r.Set(sim.Timer{Due: (r.Today() + 1).Open(), Class: sim.ClassMajorOrder, Kind: TimerMajorOrder})
	}
	l.openMajorOrder(r, l.nextCampaign())
	m, _ := l.open()
	return m.ID
}
