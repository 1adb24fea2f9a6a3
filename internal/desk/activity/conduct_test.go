package activity_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"platen/internal/company/fault"
	"platen/internal/company/mission"
	"platen/internal/desk/activity"
	"platen/internal/words/problem"
)

func TestOneCallShowsSomeThingsByItself(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.call(activity.Call{Status: 406, CSV: true})
	c.call(activity.Call{Status: 404, Business: true, Agent: true})
	c.call(activity.Call{Status: 503, Business: true, Factory: true, Write: true})
	c.never("a request that fails", ^mission.Signals(0))
	c.call(activity.Call{})
	c.never("a plain request", ^mission.ReadAnything)
	c.gives("a plain request", c.known, mission.ReadAnything)
	c.gives("one to Head Office", c.call(activity.Call{Business: true}), mission.ReachedOffice)
	c.call(activity.Call{Factory: true})
	c.never("a shared operation with the Factory's key", mission.ReachedFactory)
	c.gives("one to the Factory", c.call(activity.Call{Business: true, Factory: true}), mission.ReachedFactory)
	c.never("programs", mission.AgentCalled)
	c.gives("a tool call", c.call(activity.Call{Agent: true}), mission.AgentCalled)
	c.gives("a replay", c.call(activity.Call{Status: 201, Write: true, Replayed: true}), mission.RepeatedSafely)
	c.gives("a 304", c.call(activity.Call{Status: 304}), mission.HeldAlready)
	c.gives("a CSV", c.call(activity.Call{CSV: true}), mission.TookCSV)
	if again := c.call(activity.Call{CSV: true}); again != 0 {
		t.Errorf("a second CSV gives %b", again)
	}
}

func TestBackingOffIsSilenceAndThenSuccess(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.limited(false, 5)
	c.call(activity.Call{Factory: true}) // the other key may speak
	c.now = c.in(6)
	c.call(activity.Call{Status: 404})
	c.gives("success after silence", c.call(activity.Call{}), mission.BackedOff)

	c = newClient(t)
	c.call(activity.Call{})
	c.never("success without a limit", mission.BackedOff)
	c.limited(false, 60)
	c.call(activity.Call{})
	c.now = c.in(60)
	c.call(activity.Call{})
	c.never("a success too early, and one in time", mission.BackedOff)

	c = newClient(t)
	c.limited(false, 10)
	c.limited(false, 10)
	c.now = c.in(7)
	c.call(activity.Call{})
	c.never("a second limit, and success before that is over", mission.BackedOff)

	c = newClient(t)
	c.limited(true, 5)
	c.now = c.in(6)
	c.call(activity.Call{})
	c.never("the other key's success", mission.BackedOff)
	c.gives("the key's own success", c.call(activity.Call{Factory: true}), mission.BackedOff)
}

// TestCallsThatWereUnderWayBreakNoSilence: of a burst, some are answered after
// the first that is refused.
func TestCallsThatWereUnderWayBreakNoSilence(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	began := c.in(0)
	c.limited(false, 5)
	c.call(activity.Call{Arrived: began, Answered: c.in(2)})
	c.never("a call that came before", mission.BackedOff)
	c.now = c.in(6)
	c.gives("success after silence", c.call(activity.Call{}), mission.BackedOff)
}

func TestWaitingForAPressIsToLeaveItAlone(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.busy("prs_offset", 10)
	c.call(run("prs_digital")) // another one may be started
	c.now = c.in(10)
	c.gives("a run in time", c.call(run("prs_offset")), mission.WaitedForPress)

	for what, early := range map[string]activity.Call{
		"a run too early": run("prs_offset"),
		"a run too early for it": {Status: 409, Code: problem.InsufficientStock, Press: "prs_offset",
			Write: true, Business: true},
	} {
		c := newClient(t)
		c.busy("prs_offset", 10)
		c.call(early)
		c.now = c.in(10)
		c.call(run("prs_offset"))
		c.never(what, mission.WaitedForPress)
	}

	c = newClient(t)
	c.busy("prs_offset", 10)
	c.busy("prs_offset", 20)
	c.now = c.in(12)
	c.call(run("prs_offset"))
	c.never("a second try, and a run before its time", mission.WaitedForPress)

	c = newClient(t)
	c.busy("prs_offset", 3)
	c.now = c.in(10)
	replay := run("prs_offset")
	replay.Replayed = true
	c.call(replay)
	c.never("a replay of an older run", mission.WaitedForPress)
}

func TestWritesAreCountedAndRefusals(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for range 99 {
		c.call(write(201, ""))
	}
	c.call(write(429, problem.RateLimited))
	c.call(write(409, problem.PressBusy))
	c.call(write(503, problem.Unavailable))
	c.call(activity.Call{Status: 404})                                 // a read
	c.call(activity.Call{Write: true})                                 // a tick
	c.call(activity.Call{Write: true, Business: true, Replayed: true}) // no second success
	c.never("99 writes", mission.WroteCleanly)
	if c.conduct.Refused != 0 {
		t.Errorf("%d writes are said to be refused", c.conduct.Refused)
	}
	c.call(write(422, problem.ValidationFailed))
	c.call(activity.Call{Status: 404, Write: true})
	if c.conduct.Refused != 2 {
		t.Errorf("of two refused writes %d are counted", c.conduct.Refused)
	}
	for range 99 {
		c.call(write(200, ""))
	}
	c.never("99 writes after a refusal", mission.WroteCleanly)
	c.gives("the hundredth", c.call(write(200, "")), mission.WroteCleanly)
}

// TestConductIsBoundedAndSurvivesBeingStored: whatever clients do, and at every
// point of it.
func TestConductIsBoundedAndSurvivesBeingStored(t *testing.T) {
	t.Parallel()
	const most = 2_000 // bytes
	c := newClient(t)
	for i := range uint64(3_000) {
		c.call(page(1+i%50, 0, 7+i))
		c.call(page(1+i%50, 7+i, 8+i))
		c.call(read(i, i+1, i, i))
		c.call(ledger(0, i, 1, i))
		c.busy([]string{"prs_offset", "prs_digital"}[i%2], 5)
		c.limited(i%2 == 0, 5)
		for _, kind := range []fault.Kind{
			fault.ResponseLost, fault.RequestLost, fault.Storm, fault.Outage, fault.InProgress, fault.ShortPage,
		} {
			failing := keyed(^i, kind).call
			failing.Factory, failing.RetryAt, failing.Page.Query = i%2 == 0, c.in(5), ^i
			c.call(failing)
		}
		c.known = 0
		stored, err := json.Marshal(c.conduct)
		if err != nil || len(stored) > most {
			t.Fatalf("after %d rounds %d bytes: %v", i, len(stored), err)
		}
		var loaded activity.ClientActivity
		if err := json.Unmarshal(stored, &loaded); err != nil || !reflect.DeepEqual(loaded, c.conduct) {
			t.Fatalf("stored was %s, loaded is %+v: %v", stored, loaded, err)
		}
		c.conduct = loaded
	}
}
