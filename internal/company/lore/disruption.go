package lore

import (
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
)

// Severity is how long a disruption lasts, among those of its kind.
type Severity string

// Severities.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// definition is a kind of disruption as it is written here.
type definition struct {
	kind  event.DisruptionKind
	about Kind
	// daysLeast and maxDays bound the working days that it lasts; both are 0
	// for half a day, until powerBack.
	daysLeast, maxDays int64
	effect             string
	tales              []tale
}

// powerBack is the minute of the day at which a power cut ends, 12:00.
const powerBack sim.Minute = 240

var definitions = []definition{ //nolint:gochecknoglobals // the table itself
	{event.PaperShortage, Trade, 5,
		9, "Suppliers ask a quarter more for paper and take three working days longer, and the market's prices climb.",
		shortageTales},
	{event.CourierStrike, Transport, 2, 4,
		"What is ordered from suppliers now comes two working days later.", strikeTales},
	{event.FluWave, People, 3, 6, "People fall ill five times as often.", fluTales},
	{event.PressFault, Technology, 1, 3, "A press is down: ", faultTales},
	{event.PowerCut, Technology, 0, 0, "No press runs until 12:00. What was printing goes on afterwards.", powerTales},
	{event.TradeFair, Trade, 4, 7, "Customers ask for posters and brochures 1.8 times as often.", fairTales},
	{event.PaymentOutage, Technology, 2, 4, "Payments of customers arrive when it is over.", outageTales},
	{event.HeatWave, Weather, 3, 5,
		"Print runs that start now go at seven tenths of the speed and spoil one sheet in a hundred more.", heatTales},
}

func placeOf(kind event.DisruptionKind) int {
	return slices.IndexFunc(definitions, func(d definition) bool { return d.kind == kind })
}

// Disruption is something that gets in the way, for so long.
type Disruption struct {
	Kind event.DisruptionKind
	Ends sim.Minute
	// PressID is the press that is out of order, "" unless Kind is PressFault.
	PressID string

	severity Severity
	// planned is set for one that was triggered.
	planned bool
}

// Draw returns the disruption that begins today, if one does: as many as the
// preset allows at once, and never two of a kind.
func (l *Lore) Draw(today sim.Day) (Disruption, bool) {
	p, s, day := l.disruptions, &l.streams, int64(today)
	if !comes(day, p.EveryDays, p.FirstDays, s.starts, s.first) {
		return Disruption{}, false
	}
	d := definitions[s.kind.Below(int64(len(definitions)), day)]
	if l.drawn() >= p.MostAtOnce || l.runs(d.kind) {
		return Disruption{}, false
	}
	longer := s.days.Below(d.maxDays-d.daysLeast+1, day)
	begins := Disruption{
		Kind: d.kind, Ends: (today + sim.Day(d.daysLeast+longer)).Open(),
		severity: severity(longer, d.maxDays-d.daysLeast+1),
	}
	switch d.kind {
	case event.PowerCut:
		begins.Ends = today.At(powerBack)
	case event.PressFault:
		presses := catalog.Presses()
		begins.PressID = presses[s.press.Below(int64(len(presses)), day)].ID
	default:
	}
	return begins, true
}

func (l *Lore) runs(kind event.DisruptionKind) bool {
	return slices.ContainsFunc(l.State.Running, func(id string) bool {
		e, _ := l.Events.Find(id)
		return e.Disruption.Kind == kind
	})
}

// drawn counts the disruptions that run and came by themselves.
func (l *Lore) drawn() int64 {
	count := int64(0)
	for _, id := range l.State.Running {
		if !record.Private(l.Events, id).Planned {
			count++
		}
	}
	return count
}

// severity divides the lengths that a kind can have into thirds.
func severity(longer, lengths int64) Severity {
	return []Severity{Low, Medium, High}[longer*3/lengths]
}

// Begin writes a disruption that begins now. Its event takes along the changes
// of status that it has brought.
func (l *Lore) Begin(r *record.Recorder, d Disruption) (id string) {
	about := definitions[placeOf(d.Kind)]
	told := l.nextTale(d.Kind, about.tales)
	effect := about.effect
	if press, ok := catalog.PressByID(d.PressID); ok {
		effect += press.ID + ". A run on it goes on afterwards."
	}
	endsOn := d.Ends.Date()
	row, _ := l.Events.Add(r, Event{
		Kind: about.about, Title: told.title, Story: told.text, StartedOn: r.Date(), Status: EventRunning,
		Disruption: &DisruptionNote{Kind: d.Kind, Severity: d.severity, EndsOn: endsOn, EffectText: effect},
	}, EventPrivate{Ends: d.Ends, PressID: d.PressID, Planned: d.planned})
	l.State.Running = append(slices.Clone(l.State.Running), row.ID)
	r.Born(row)
	r.Set(sim.Timer{Due: d.Ends, Class: sim.ClassDisruptionEnds, Kind: TimerDisruptionEnds, Ref: row.ID})
	r.Emit(event.LoreEventStarted, row, &event.LoreEventStartedData{
		Kind: string(row.Kind), Title: row.Title, DisruptionKind: &d.Kind, EndsOn: &endsOn,
	})
	return row.ID
}

// Disruption returns the effect of an event of the world while it runs.
func (l *Lore) Disruption(id string) Disruption {
	e, _ := l.Events.Find(id)
	private := record.Private(l.Events, id)
	return Disruption{
		Kind: e.Disruption.Kind, Ends: private.Ends, PressID: private.PressID, severity: e.Disruption.Severity,
	}
}

// End writes that a disruption is over. Its event takes along the changes of
// status that this has brought.
func (l *Lore) End(r *record.Recorder, id string) {
	row, _ := l.Events.Edit(r, id)
	record.Move(r, row, &row.Status, EventOver)
	l.State.Running = slices.DeleteFunc(slices.Clone(l.State.Running), func(other string) bool { return other == id })
	r.Emit(event.DisruptionEnded, row,
		&event.DisruptionEndedData{LoreEventID: id, DisruptionKind: row.Disruption.Kind, StartedOn: row.StartedOn})
}
