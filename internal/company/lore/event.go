package lore

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// Kind is the subject of a lore event.
type Kind string

// Kinds of lore events.
const (
	Culture    Kind = "culture"
	People     Kind = "people"
	Technology Kind = "technology"
	Trade      Kind = "trade"
	Transport  Kind = "transport"
	Weather    Kind = "weather"
)

// EventStatus is the status of a lore event.
//
//	running ──its disruption ends──▶ over
//
// A story without a disruption is over from the start.
type EventStatus string

// Statuses (contract: OPEN.STATE.LORE_EVENT).
const (
	EventRunning EventStatus = "running"
	EventOver    EventStatus = "over"
)

// Event is something that happened in the world (contract:
// OPEN.FIELDS.LORE_EVENT).
type Event struct {
	_ struct{} `doc:"A story of the world, which may bring a disruption to the company."`

	record.Head
	Kind       Kind            `json:"kind" enum:"culture,people,technology,trade,transport,weather" doc:"The part of life that it is about: culture, people, technology, trade, transport or weather."`
	Title      string          `json:"title" doc:"Its headline."`
	Story      string          `json:"story" doc:"Its text, for people."`
	StartedOn  moment.Date     `json:"started_on" doc:"The in-world date on which it happened or began."`
	Disruption *DisruptionNote `json:"disruption" doc:"Its effect on the company; null for a story that changes nothing."`
	Status     EventStatus     `json:"status" enum:"running,over" doc:"running while its disruption lasts, then over. A story without a disruption is over from the start."`
	record.Stamps
}

// DisruptionNote is the public part of a disruption.
type DisruptionNote struct {
	_ struct{} `doc:"The disruption that a story of the world brings to the company: kind, severity and end."`

	Kind       event.DisruptionKind `json:"kind" doc:"The thing that goes wrong; effect_text says how it is felt."`
	Severity   Severity             `json:"severity" enum:"low,medium,high" doc:"low, medium or high: how long it lasts, among disruptions of its kind."`
	EndsOn     moment.Date          `json:"ends_on" doc:"The day on which it is over: from its opening, after a power cut from 12:00."`
	EffectText string               `json:"effect_text" doc:"The effect on the company, in a sentence for people."`
}

// EventPrivate holds the state of a lore event that is never served.
type EventPrivate struct {
	Ends sim.Minute `json:"ends,omitzero"`
	// PressID is the press that is out of order.
	PressID string `json:"press_id,omitzero"`
	// Planned is set for a disruption that was triggered.
	Planned bool `json:"planned,omitzero"`
}

// Resource implements record.Row.
func (*Event) Resource() string { return "lore_event" }

// State implements record.Row.
func (e *Event) State() string { return string(e.Status) }

// TellStory writes the story of today, if there is one. It changes nothing.
func (l *Lore) TellStory(r *record.Recorder) {
	day := int64(r.Today())
	if !comes(day, l.stories.EveryDays, l.stories.FirstDays, l.streams.story, l.streams.firstStory) {
		return
	}
	l.tell(r)
}

// tell tells the next story, and returns its id.
func (l *Lore) tell(r *record.Recorder) string {
	tale := l.nextStory()
	row, _ := l.Events.Add(r, Event{
		Kind: tale.kind, Title: tale.title, Story: tale.text, StartedOn: r.Date(), Status: EventOver,
	}, EventPrivate{})
	r.Born(row)
	r.Emit(event.LoreEventStarted, row, &event.LoreEventStartedData{Kind: string(row.Kind), Title: row.Title})
	return row.ID
}

// nextStory walks through all stories before it tells one again, in an order
// of the seed's own: their number is a prime, so every stride meets them all.
func (l *Lore) nextStory() tale {
	count, told := int64(len(stories)), int64(0)
	for e := range l.Events.All {
		if e.Disruption == nil {
			told++
		}
	}
	stride := 1 + l.streams.stride.Below(count-1, 0)
	return stories[(l.streams.stride.Below(count, 1)+told%count*stride)%count]
}

// nextTale is the text about a disruption: another one each time, until all of
// its kind have been told.
func (l *Lore) nextTale(kind event.DisruptionKind, tales []tale) tale {
	told := int64(0)
	for e := range l.Events.All {
		if e.Disruption != nil && e.Disruption.Kind == kind {
			told++
		}
	}
	count := int64(len(tales))
	return tales[(l.streams.tale.Below(count, int64(placeOf(kind)))+told)%count]
}
