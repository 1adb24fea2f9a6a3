// Package lore is the world outside: its events, the disruptions that get in
// the company's way, and the goals that it sets for all printers.
//
// Events are drawn by the day alone. No action of a client can bring a
// disruption, spare it one, or change the results of the other printers. The
// effects of a disruption are not known here: they belong to the departments.
package lore

import (
	"fmt"
	"slices"

	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// Lore holds the world's tables and its other state.
type Lore struct {
	Events      *record.Table[Event, EventPrivate]
	MajorOrders *record.Table[MajorOrder, MajorOrderPrivate]

	// State is stored with every commit.
	State State

	disruptions preset.Disruptions
	stories     preset.Stories
	majorOrders preset.MajorOrders
	streams     streams
}

// State is the world's state outside its tables.
type State struct {
	// Running lists the events whose disruption is not over, oldest first.
	Running []string `json:"running"`
}

// streams are the random streams of the world. Their coordinate is the day, or
// the number of the major order.
type streams struct {
	starts, first, kind, days, press, tale sim.Stream
	story, firstStory, stride              sim.Stream
	peers, pace                            sim.Stream
}

// Timers of the world.
const (
	// TimerDay may bring an event when a day opens.
	TimerDay = "lore.day"
	// TimerDisruptionEnds ends a disruption; its Ref is the event's id.
	TimerDisruptionEnds = "lore.disruption_ends"
	// TimerMajorOrder counts, opens and closes major orders when a day opens.
	TimerMajorOrder = "major_order.day"
	// TimerBonus brings the bonus of a major order; its Ref is the order's id.
	TimerBonus = "major_order.bonus"
)

// New returns a world in which nothing has happened.
func New(p preset.Preset, seed uint64) *Lore {
	stream := func(name string) sim.Stream { return sim.NewStream(seed, name) }
	return &Lore{
		Events: record.NewTable[Event, EventPrivate](record.Definition{Resource: "lore_event", Prefix: "lor"},
			nil),
		MajorOrders: record.NewTable[MajorOrder, MajorOrderPrivate](record.Definition{
			Resource: "major_order", Prefix: "mjo",
		}, nil),
		disruptions: p.Disruptions, stories: p.Stories, majorOrders: p.MajorOrders,
		streams: streams{
			starts: stream("dis.n"), first: stream("dis.first"),
			kind: stream("dis.k"), days: stream("dis.d"), press: stream("dis.pr"), tale: stream("dis.tale"),
			story: stream("lore.n"), firstStory: stream("lore.first"), stride: stream("lore.tale"),
			peers: stream("mjo.peers"), pace: stream("mjo.pace"),
		},
	}
}

// Tables lists the tables in the order in which they are stored.
func (l *Lore) Tables() []*record.Rows { return []*record.Rows{l.Events.Rows, l.MajorOrders.Rows} }

// Schedule sets the timers of a day's opening, unless nothing ever happens.
func (l *Lore) Schedule(r *record.Recorder, day sim.Day) {
	if l.Eventful() {
		r.Set(sim.Timer{Due: day.Open(), Class: sim.ClassDisruptionStarts, Kind: TimerDay})
	}
	if l.Ambitious() {
		r.Set(sim.Timer{Due: day.Open(), Class: sim.ClassMajorOrder, Kind: TimerMajorOrder})
	}
}

// Eventful reports whether anything can happen in this world, Ambitious whether
// it sets goals.
func (l *Lore) Eventful() bool { return l.disruptions.EveryDays > 0 || l.stories.EveryDays > 0 }

// Ambitious reports whether the world sets goals.
func (l *Lore) Ambitious() bool { return l.majorOrders.EveryDays > 0 || !l.CanOpen() }

// comes reports whether a day is one of those on which something happens: one
// among the first days for certain, and later ones by chance.
func comes(day, everyDays int64, firstDays [2]int64, chance, first sim.Stream) bool {
	if everyDays == 0 || day < firstDays[0] {
		return false
	}
	certain := firstDays[0] + first.Below(firstDays[1]-firstDays[0]+1)
	return day == certain || chance.Below(everyDays, day) == 0
}

// Check reports a state that cannot be.
func (l *Lore) Check() error {
	var running []string
	for e := range l.Events.All {
		if e.Status == EventRunning {
			running = append(running, e.ID)
		}
		if e.Status == EventRunning && e.Disruption == nil {
			return fmt.Errorf("lore event %s runs and disrupts nothing", e.ID)
		}
	}
	if !slices.Equal(running, l.State.Running) {
		return fmt.Errorf("the disruptions %v run, noted are %v", running, l.State.Running)
	}
	if n := l.drawn(); n > l.disruptions.MostAtOnce {
		return fmt.Errorf("%d disruptions run at once", n)
	}
	return l.checkMajorOrders()
}
