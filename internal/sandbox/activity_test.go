package sandbox_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"platen/internal/company/mission"
	"platen/internal/company/sim"
	"platen/internal/desk/activity"
	"platen/internal/sandbox"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/moment"
)

// observe lets a sandbox see a call that comes and is answered a second later
// than the one before it.
func (b *bench) observe(s *sandbox.Sandbox, call activity.Call) {
	b.t.Helper()
	b.pass(time.Second)
	now := moment.InstantOf(b.Now())
	call.Arrived, call.Answered = now, now
	if call.Status == 0 {
		call.Status = 200
	}
	s.Observe(b.t.Context(), &call)
}

// page is one of a list of three: the nth of them.
func page(nth int) activity.Call {
	places := []uint64{0, 20, 10, 0}
	return activity.Call{
		Page: activity.Page{List: 1, First: nth == 1, From: places[nth-1], Next: places[nth], Last: nth == 3},
	}
}

func refused() activity.Call { return activity.Call{Status: 422, Write: true} }

// status is that of a mission, and how many events complete it.
func (b *bench) status(s *sandbox.Sandbox, id string) (status mission.Status, events int) {
	b.t.Helper()
	v := b.view(s)
	row, ok := v.Row("mission", id)
	if !ok {
		b.t.Fatalf("there is no mission %s", id)
	}
	var m mission.Mission
	if err := json.Unmarshal(row.Row(), &m); err != nil {
		b.t.Fatal(err)
	}
	feed, err := s.Events(b.t.Context(), v, sandbox.Query{Limit: 1000})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range feed {
		var body struct{ Data struct{ ID string } }
		if err := json.Unmarshal(e.Body, &body, json.MatchCaseInsensitiveNames(true)); err != nil {
			b.t.Fatal(err)
		}
		if e.Type == "sandbox.mission.completed" && body.Data.ID == id {
			events++
		}
	}
	return m.Status, events
}

// isDone expects a mission to be completed, once.
func (b *bench) isDone(s *sandbox.Sandbox, id string) {
	b.t.Helper()
	if status, events := b.status(s, id); status != mission.Completed || events != 1 {
		b.t.Errorf("%s is %s by %d events", id, status, events)
	}
}

// TestHowCallsWentOutlivesAStop: a server that is told to stop forgets nothing,
// and neither does one that lets an idle company go.
func TestHowCallsWentOutlivesAStop(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	id := b.view(s).SandboxID
	for nth := 1; nth <= 3; nth++ {
		b.observe(s, page(nth))
		b.observe(s, refused())
		if nth == 1 { // also when there was a commit in between
			if _, err := s.Do(t.Context(), accept("", b.received(s)[0])); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.view(s).WritesRefused(); got != int64(nth) {
			t.Fatalf("%d writes were refused, counted are %d", nth, got)
		}
		b.registry.Close(t.Context())
		b.reopen(nil)
		s = b.registry.Sandbox(id)
		b.view(s)
	}
	b.isDone(s, "page_through")
	b.pass(6 * time.Minute)
	b.observe(s, refused())
	b.registry.Sweep(t.Context())
	if got := b.view(s).WritesRefused(); got != 4 {
		t.Errorf("of four refusals %d are counted after a rest", got)
	}
}

// TestACrashMayForgetWhatOnlyReadsHaveDone since the last commit, and never
// what they have completed.
func TestACrashMayForgetWhatOnlyReadsHaveDone(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	id := b.view(s).SandboxID
	crash := func() {
		b.reopen(nil)
		s = b.registry.Sandbox(id)
		b.view(s)
	}
	b.observe(s, page(1))
	b.observe(s, refused())
	if _, err := s.Do(t.Context(), accept("", b.received(s)[0])); err != nil {
		t.Fatal(err)
	}
	b.observe(s, refused())
	crash()
	if got := b.view(s).WritesRefused(); got != 1 {
		t.Errorf("one refusal was before a commit, %d are counted", got)
	}
	b.observe(s, page(2))
	b.observe(s, page(3))
	b.isDone(s, "page_through")
	crash()
	b.isDone(s, "page_through")
	for nth := 1; nth <= 3; nth++ {
		b.observe(s, page(nth))
	}
	b.isDone(s, "page_through")
}

// TestAMissionIsNotLostWithACommit that failed, and not given twice when it was
// applied all the same.
func TestAMissionIsNotLostWithACommit(t *testing.T) {
	t.Parallel()
	for _, fault := range []storetest.Fault{storetest.AppliedButFailed, storetest.NotApplied} {
		t.Run(fmt.Sprint(fault), func(t *testing.T) {
			t.Parallel()
			b := open(t, func(inner store.Store) store.Store {
				return storetest.NewFaulty(inner, storetest.At(map[int]storetest.Fault{2: fault}))
			})
			s := b.create(sim.Manual)
			b.view(s)
			b.observe(s, activity.Call{CSV: true})
			b.view(s)
			if _, err := s.Do(t.Context(), accept("", b.received(s)[0])); err != nil {
				t.Fatal(err)
			}
			b.isDone(s, "take_csv")
		})
	}
}

func TestManyAtOnceCompleteAMissionOnce(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	b.view(s)
	now := moment.InstantOf(b.Now())
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() { s.Observe(t.Context(), &activity.Call{Arrived: now, Answered: now, Status: 200, CSV: true}) })
		wg.Go(func() { s.Observe(t.Context(), &activity.Call{Arrived: now, Answered: now, Status: 422, Write: true}) })
	}
	wg.Wait()
	b.isDone(s, "take_csv")
	if got := b.view(s).WritesRefused(); got != 30 {
		t.Errorf("of thirty refusals %d are counted", got)
	}
}

// TestTwoReadsCompleteAMissionTogether, at the same moment too.
func TestTwoReadsCompleteAMissionTogether(t *testing.T) {
	t.Parallel()
	for range 20 {
		b := open(t, nil)
		s := b.create(sim.Manual)
		b.view(s)
		now := moment.InstantOf(b.Now())
		var wg sync.WaitGroup
		for _, factory := range []bool{false, true} {
			wg.Go(func() {
				s.Observe(t.Context(),
					&activity.Call{Arrived: now, Answered: now, Status: 200, Business: true, Factory: factory})
			})
		}
		wg.Wait()
		b.isDone(s, "both_keys")
	}
}

func TestNothingIsNotedAfterTheEnd(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	b.view(s)
	b.pass(lease)
	b.observe(s, activity.Call{CSV: true})
	b.observe(s, refused())
	if status, events := b.status(s, "take_csv"); status == mission.Completed || events > 0 {
		t.Errorf("take_csv is %s", status)
	}
	if got := b.view(s).WritesRefused(); got != 0 {
		t.Errorf("%d refusals are counted", got)
	}
}
