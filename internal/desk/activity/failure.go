package activity

import (
	"slices"

	"platen/internal/company/fault"
	"platen/internal/company/mission"
	"platen/internal/desk/injection"
	"platen/internal/words/moment"
)

const (
	// maxLost bounds the writes of each kind that are remembered to be lost or at work.
	maxLost = 4
	// maxRestarts bounds the lists that are remembered to be begun anew.
	maxRestarts = 4
)

// Failures remembers the injected faults, until the client has got over them. Writes are hashes
// of their keys. The oldest is forgotten first.
type Failures struct {
	// Responses are the writes that were carried out and whose responses were lost, Requests
	// those that were lost before they did anything, Late those that were to arrive late.
	Responses []uint64 `json:"responses,omitempty"`
	Requests  []uint64 `json:"requests,omitempty"`
	Late      []uint64 `json:"late,omitempty"`
	// Working are the writes whose first attempts were said to be still at work.
	Working []Attempt `json:"working,omitempty"`
	Lists   []Restart `json:"lists,omitempty"`
	Absence Absence   `json:"absence,omitzero"`
}

// Attempt is that a client was told to wait for the first attempt at a write.
type Attempt struct {
	Key   uint64         `json:"key"`
	Told  moment.Instant `json:"told"`
	Until moment.Instant `json:"until"`
}

// Restart is a list whose cursor was forgotten, and how far it was read since.
type Restart struct {
	Query uint64         `json:"query"`
	Told  moment.Instant `json:"told"`
	Begun bool           `json:"begun,omitzero"`
	Next  uint64         `json:"next,omitzero"`
}

// Absence is a system that a client found away. WentOn is set once the client has succeeded in
// the other one meanwhile.
type Absence struct {
	System injection.System `json:"system"`
	Told   moment.Instant   `json:"told"`
	WentOn bool             `json:"went_on,omitzero"`
}

// remember adds something to what is remembered, of which there is at most so much.
func remember[T any](all []T, added T, most int) []T {
	all = append(all, added)
	return slices.Delete(all, 0, max(0, len(all)-most))
}

// without removes what is at a place. None is nil: the stored form does not tell it from empty.
func without[T any](all []T, at int) []T {
	if len(all) == 1 {
		return nil
	}
	return slices.Delete(all, at, at+1)
}

// fail looks for clients that get over what goes wrong.
func (c *ClientActivity) fail(call *Call, known mission.Signals) (added mission.Signals) {
	lacks := func(wanted mission.Signals) bool { return wanted&^known != 0 }
	if lacks(mission.GotLostResponse | mission.RepeatedLostRequest) {
		added |= c.repeatLost(call)
	}
	if lacks(mission.RepeatedLateRequest) {
		added |= c.repeatLate(call)
	}
	if lacks(mission.SatOutStorm) {
		added |= c.sitOut(call)
	}
	if lacks(mission.WentOnElsewhere) {
		added |= c.goOnElsewhere(call)
	}
	if lacks(mission.StartedOver) {
		added |= c.startOver(call)
	}
	if lacks(mission.WaitedForFirst) {
		added |= c.waitForFirst(call)
	}
	return added
}

// repeatLost looks for writes that are repeated after they or their responses were lost. A
// write that is lost when it was carried out before is no lost request: its repetition is a
// replay.
func (c *ClientActivity) repeatLost(call *Call) (added mission.Signals) {
	f := &c.Failures
	response, request := slices.Index(f.Responses, call.Key), slices.Index(f.Requests, call.Key)
	switch {
	case call.Key == 0:
	case call.Fault == fault.RequestLost:
		if request < 0 {
			f.Requests = remember(f.Requests, call.Key, maxLost)
		}
	case call.Replayed && call.got() && response >= 0:
		f.Responses = without(f.Responses, response)
		return mission.GotLostResponse
	case call.Replayed || !call.succeeded():
	default:
		if request >= 0 { // it is done, even if the response is lost now
			f.Requests = without(f.Requests, request)
			added = mission.RepeatedLostRequest
		}
		if call.Fault == fault.ResponseLost {
			f.Responses = remember(f.Responses, call.Key, maxLost)
		}
	}
	return added
}

// repeatLate looks for writes that were to arrive late, and that succeed when they are repeated: before they arrive,
// so that what arrives does nothing, or after that with the stored response.
func (c *ClientActivity) repeatLate(call *Call) mission.Signals {
	f := &c.Failures
	late := slices.Index(f.Late, call.Key)
	switch {
	case call.Key == 0:
	case call.Fault == fault.RequestLate:
		if late < 0 {
			f.Late = remember(f.Late, call.Key, maxLost)
		}
	case late >= 0 && call.got():
		f.Late = nil
		return mission.RepeatedLateRequest
	}
	return 0
}

// sitOut looks for a key that a storm turns away, that is silent as long as it is told, and
// then succeeds where the storm would be met.
func (c *ClientActivity) sitOut(call *Call) mission.Signals {
	w := &c.key(call).Storm
	switch {
	case call.Fault == fault.Storm:
		*w = Wait{Told: call.Answered, Until: max(w.Until, call.RetryAt)}
	case w.Until == 0 || call.Arrived < w.Told: // never told, or not yet
	case call.Arrived < w.Until:
		*w = Wait{}
	case call.Exposed && call.got():
		c.Office.Storm, c.Factory.Storm = Wait{}, Wait{}
		return mission.SatOutStorm
	}
	return 0
}

// goOnElsewhere looks for a client that finds a system away, succeeds in the other one while it
// is, and then in the one that was away.
func (c *ClientActivity) goOnElsewhere(call *Call) mission.Signals {
	a := &c.Failures.Absence
	system := injection.Office
	if call.Factory {
		system = injection.Factory
	}
	switch {
	case call.Fault == fault.Outage:
		if a.System != system {
			*a = Absence{System: system, Told: call.Answered}
		}
	case a.System == "" || call.Arrived < a.Told || !call.Business || !call.got():
	case system != a.System:
		a.WentOn = a.WentOn || call.Away == a.System
	default:
		wentOn := a.WentOn
		*a = Absence{}
		if wentOn {
			return mission.WentOnElsewhere
		}
	}
	return 0
}

// startOver looks for a list whose cursor is forgotten, and which is then read from its first
// page to its last. Another limit does not matter, other filters make another list.
func (c *ClientActivity) startOver(call *Call) mission.Signals {
	f, p := &c.Failures, &call.Page
	if p.Query == 0 || call.Fault == fault.ResponseLost {
		return 0
	}
	i := slices.IndexFunc(f.Lists, func(r Restart) bool { return r.Query == p.Query })
	if call.Fault == fault.ShortPage {
		if i >= 0 {
			f.Lists = without(f.Lists, i)
		}
		f.Lists = remember(f.Lists, Restart{Query: p.Query, Told: call.Answered}, maxRestarts)
		return 0
	}
	if i < 0 || call.Arrived < f.Lists[i].Told {
		return 0
	}
	if r := &f.Lists[i]; p.First || r.Begun && p.From == r.Next {
		r.Begun, r.Next = true, p.Next
		if p.Last {
			f.Lists = nil
			return mission.StartedOver
		}
	}
	return 0
}

// waitForFirst looks for a write whose first attempt is said to be at work, which is left alone
// as long as that was told, and then repeated.
func (c *ClientActivity) waitForFirst(call *Call) mission.Signals {
	f := &c.Failures
	i := slices.IndexFunc(f.Working, func(a Attempt) bool { return a.Key == call.Key })
	switch {
	case call.Key == 0:
	case call.Fault == fault.InProgress:
		if i >= 0 {
			f.Working = without(f.Working, i)
		}
		f.Working = remember(f.Working, Attempt{Key: call.Key, Told: call.Answered, Until: call.RetryAt}, maxLost)
	case i < 0 || call.Arrived < f.Working[i].Told:
	case call.Arrived < f.Working[i].Until:
		f.Working = without(f.Working, i)
	case call.Replayed && call.got():
		f.Working = nil
		return mission.WaitedForFirst
	}
	return 0
}
