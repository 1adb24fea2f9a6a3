package activity_test

import (
	"testing"

	"platen/internal/company/fault"
	"platen/internal/company/mission"
	"platen/internal/desk/activity"
	"platen/internal/desk/injection"
	"platen/internal/words/problem"
)

// step is a call so many seconds after the one before it, which asks to wait so many seconds.
type step struct {
	call        activity.Call
	after, wait int64
}

// story is a client's way with a failure.
type story struct {
	what  string
	steps []step
	want  bool
}

// tell has clients live some stories, of which some end with a signal.
func tell(t *testing.T, signal mission.Signals, stories ...story) {
	t.Helper()
	for _, s := range stories {
		c := newClient(t)
		for _, step := range s.steps {
			c.now = c.in(step.after)
			if step.wait > 0 {
				step.call.RetryAt = c.in(step.wait + 1)
			}
			c.call(step.call)
		}
		if got := c.known&signal != 0; got != s.want {
			t.Errorf("%s gives the signal: %t", s.what, got)
		}
		c.never(s.what, mission.OfFailures&^signal)
	}
}

// keyed is a write with a key that ends in a way.
func keyed(key uint64, as fault.Kind) step {
	s := step{call: activity.Call{Key: key, Status: 201, Write: true, Business: true, Exposed: true, Fault: as}}
	switch as { //nolint:exhaustive // the other ones change nothing here
	case fault.RequestLost, fault.RequestLate:
		s.call.Status = 502
	case fault.InProgress:
		s.call.Status, s.call.Code, s.wait = 409, problem.RequestInProgress, 5
	case fault.Storm:
		s.call.Status, s.call.Code, s.wait = 503, problem.Unavailable, 5
	}
	return s
}

// replayed is the same with the stored response.
func replayed(key uint64, as fault.Kind) step {
	s := keyed(key, as)
	s.call.Replayed = true
	return s
}

func (s step) later(seconds int64) step {
	s.after = seconds
	return s
}

func (s step) unsuccessful() step {
	s.call.Status, s.call.Code = 422, problem.ValidationFailed
	return s
}

func TestALostResponseIsGotWithItsKey(t *testing.T) {
	t.Parallel()
	tell(t, mission.GotLostResponse,
		story{"the same key again", []step{keyed(1, fault.ResponseLost), replayed(1, "")}, true},
		story{"the same key, lost again in between", []step{
			keyed(1, fault.ResponseLost), replayed(1, fault.ResponseLost), keyed(1, fault.Storm), replayed(1, ""),
		}, true},
		story{"the same key after three others", []step{
			keyed(1, fault.ResponseLost), keyed(2, fault.ResponseLost), keyed(3, fault.ResponseLost),
			keyed(4, fault.ResponseLost), replayed(1, ""),
		}, true},
		story{"another key", []step{keyed(1, fault.ResponseLost), keyed(2, ""), replayed(2, "")}, false},
		story{"a repetition that is lost as well", []step{
			keyed(1, fault.ResponseLost), replayed(1, fault.ResponseLost),
		}, false},
		story{"a response that came before", []step{
			keyed(1, ""), replayed(1, fault.ResponseLost), replayed(1, ""),
		}, false},
		story{"a write that was not carried out", []step{
			keyed(1, fault.ResponseLost).unsuccessful(), keyed(1, "").unsuccessful(),
		}, false},
		story{"a write without a key", []step{keyed(0, fault.ResponseLost), keyed(0, "")}, false},
		story{"a key that is forgotten by now", []step{
			keyed(1, fault.ResponseLost), keyed(2, fault.ResponseLost), keyed(3, fault.ResponseLost),
			keyed(4, fault.ResponseLost), keyed(5, fault.ResponseLost), replayed(1, ""),
		}, false},
	)
}

func TestALostRequestIsDoneWithItsKey(t *testing.T) {
	t.Parallel()
	tell(t, mission.RepeatedLostRequest,
		story{"the same key again", []step{keyed(1, fault.RequestLost), keyed(1, "")}, true},
		story{"the same key, lost again in between", []step{
			keyed(1, fault.RequestLost), keyed(1, fault.RequestLost), keyed(1, ""),
		}, true},
		story{"the same key, done though its response is lost", []step{
			keyed(1, fault.RequestLost), keyed(1, fault.ResponseLost),
		}, true},
		story{"another key", []step{keyed(1, fault.RequestLost), keyed(2, "")}, false},
		story{"a write that was done before", []step{
			keyed(1, ""), keyed(1, fault.RequestLost), replayed(1, ""),
		}, false},
		story{"a repetition that fails", []step{keyed(1, fault.RequestLost), keyed(1, "").unsuccessful()}, false},
		story{"a write without a key", []step{keyed(0, fault.RequestLost), keyed(0, "")}, false},
	)
}

func TestALateRequestIsRepeatedWithItsKey(t *testing.T) {
	t.Parallel()
	tell(t, mission.RepeatedLateRequest,
		story{"the same key before it arrives", []step{keyed(1, fault.RequestLate), keyed(1, "")}, true},
		story{"the same key after it arrived", []step{keyed(1, fault.RequestLate), replayed(1, "")}, true},
		story{"the same key, late twice", []step{
			keyed(1, fault.RequestLate), keyed(1, fault.RequestLate), replayed(1, ""),
		}, true},
		story{"another key", []step{keyed(1, fault.RequestLate), keyed(2, ""), replayed(2, "")}, false},
		story{"a repetition that fails", []step{keyed(1, fault.RequestLate), keyed(1, "").unsuccessful()}, false},
		story{"a repetition whose response is lost", []step{
			keyed(1, fault.RequestLate), replayed(1, fault.ResponseLost),
		}, false},
		story{"a write without a key", []step{keyed(0, fault.RequestLate), keyed(0, "")}, false},
	)
}

func TestAStormIsSatOut(t *testing.T) {
	t.Parallel()
	turned, again := keyed(1, fault.Storm), keyed(1, "")
	other, spared, crowded := keyed(2, ""), keyed(2, ""), keyed(1, "")
	other.call.Factory = true
	spared.call.Exposed = false
	crowded.call.Status, crowded.call.Code, crowded.wait = 503, problem.Unavailable, 5
	tell(t, mission.SatOutStorm,
		story{"silence until retry_at", []step{turned, again.later(5)}, true},
		story{"silence until the second retry_at", []step{turned, turned.later(5), again.later(5)}, true},
		story{"silence of one key alone", []step{turned, other, again.later(5)}, true},
		story{"what is spared first", []step{turned, spared.later(5), again}, true},
		story{"a request too early", []step{turned, again}, false},
		story{"one too early, and one in time", []step{turned, again, again.later(5)}, false},
		story{"one too early that is lost", []step{turned, keyed(2, fault.RequestLost), again.later(5)}, false},
		story{"what is spared too early", []step{turned, spared, again.later(5)}, false},
		story{"what is spared alone", []step{turned, spared.later(5)}, false},
		story{"the other key", []step{turned, other.later(5)}, false},
		story{"what fails", []step{turned, again.unsuccessful().later(5)}, false},
		story{"what is lost", []step{turned, keyed(1, fault.ResponseLost).later(5)}, false},
		story{"a real overload", []step{crowded, again.later(5)}, false},
	)
}

func TestTheOtherHalfOfTheCompanyGoesOn(t *testing.T) {
	t.Parallel()
	call := func(factory bool, away injection.System) step {
		s := step{call: activity.Call{Business: true, Exposed: true, Factory: factory, Away: away}}
		if own := away == injection.Factory; away != "" && own == factory {
			s.call.Status, s.call.Code, s.call.Fault, s.wait = 503, problem.Unavailable, fault.Outage, 1
		}
		return s
	}
	away, elsewhere, back := call(false, injection.Office), call(true, injection.Office), call(false, "")
	fails, shared, late := elsewhere, elsewhere, elsewhere
	fails.call.Status = 404
	shared.call.Business = false
	late.call.Away = ""
	early := back
	early.call.Arrived = 1
	tell(t, mission.WentOnElsewhere,
		story{"the other system, and then the first", []step{away, elsewhere, away, back}, true},
		story{"the Factory away", []step{
			call(true, injection.Factory), call(false, injection.Factory), call(true, ""),
		}, true},
		story{"no other system", []step{away, back, elsewhere, back}, false},
		story{"an outage that was not met", []step{elsewhere, back}, false},
		story{"the other system alone", []step{away, elsewhere, late}, false},
		story{"the other system once it is over", []step{away, late, back}, false},
		story{"what fails in the other system", []step{away, fails, back}, false},
		story{"what belongs to neither", []step{away, shared, back}, false},
		story{"a request that was under way", []step{away, elsewhere, early}, false},
	)
}

func TestAListIsStartedOver(t *testing.T) {
	t.Parallel()
	part := func(query, from, to uint64) step {
		s := step{call: page(query, from, to)}
		s.call.Page.List, s.call.Page.Query = 0, query // pages of any length
		return s
	}
	forgotten := step{call: activity.Call{
		Status: 400, Code: problem.InvalidCursor, Fault: fault.ShortPage, Page: activity.Page{Query: 1},
	}}
	lost := part(1, 5, 0)
	lost.call.Fault = fault.ResponseLost
	invalid := forgotten
	invalid.call.Fault = ""
	tell(t, mission.StartedOver,
		story{"every page", []step{part(1, 0, 9), forgotten, part(1, 0, 9), part(1, 9, 5), part(1, 5, 0)}, true},
		story{"one page that is all", []step{forgotten, part(1, 0, 0)}, true},
		story{"every page, forgotten twice", []step{
			forgotten, part(1, 0, 9), forgotten, part(1, 0, 9), part(1, 9, 0),
		}, true},
		story{"a page twice", []step{forgotten, part(1, 0, 9), part(1, 9, 5), part(1, 9, 5), part(1, 5, 0)}, true},
		story{"the same cursor again", []step{part(1, 0, 9), forgotten, part(1, 9, 5), part(1, 5, 0)}, false},
		story{"another list", []step{forgotten, part(2, 0, 9), part(2, 9, 0)}, false},
		story{"no end", []step{forgotten, part(1, 0, 9), part(1, 9, 5)}, false},
		story{"a gap", []step{forgotten, part(1, 0, 9), part(1, 5, 0)}, false},
		story{"no new beginning after the second time", []step{
			forgotten, part(1, 0, 9), forgotten, part(1, 9, 0),
		}, false},
		story{"a last page that is lost", []step{forgotten, part(1, 0, 5), lost}, false},
		story{"a cursor of the client's own making", []step{invalid, part(1, 0, 9), part(1, 9, 0)}, false},
	)
}

func TestTheFirstAttemptIsWaitedFor(t *testing.T) {
	t.Parallel()
	busy := keyed(1, fault.InProgress)
	crowded := busy
	crowded.call.Fault = ""
	tell(t, mission.WaitedForFirst,
		story{"the same key in time", []step{busy, replayed(1, "").later(5)}, true},
		story{"the same key once it is told again", []step{busy, busy, replayed(1, "").later(5)}, true},
		story{"the same key in time, lost at first", []step{
			busy, replayed(1, fault.ResponseLost).later(5), keyed(1, fault.Storm), replayed(1, ""),
		}, true},
		story{"another write meanwhile", []step{busy, keyed(2, ""), replayed(1, "").later(5)}, true},
		story{"the same key too early", []step{busy, replayed(1, "")}, false},
		story{"the same key too early, and in time", []step{busy, replayed(1, ""), replayed(1, "").later(5)}, false},
		story{"another key", []step{busy, keyed(2, "").later(5), replayed(2, "")}, false},
		story{"a response that is lost", []step{busy, replayed(1, fault.ResponseLost).later(5)}, false},
		story{"an attempt that was really at work", []step{crowded, replayed(1, "").later(5)}, false},
	)
}
