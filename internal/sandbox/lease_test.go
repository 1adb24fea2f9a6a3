package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// extend asks for an extension, with an idempotency key unless that is "".
func extend(key string) sandbox.Command {
	return sandbox.Command{
		Scope: "office", Key: key,
		Status: 200, Run: func(tx *sandbox.Tx) (sandbox.Result, error) {
			return sandbox.Result{Value: func(v *sandbox.View) any {
				return fmt.Sprintf("%s %d", v.ExpiresAt, v.ExtensionsLeft)
			}}, tx.Extend()
		},
	}
}

// announced returns the events sandbox.expiring of a sandbox.
func (b *bench) announced(s *sandbox.Sandbox) []record.Event {
	b.t.Helper()
	events, err := s.Events(b.t.Context(), b.view(s),
		sandbox.Query{Limit: 1 << 30, Types: event.SetOf(event.SandboxExpiring)})
	if err != nil {
		b.t.Fatal(err)
	}
	return events
}

// feed is every event of a sandbox, without what is random.
func (b *bench) feed(s *sandbox.Sandbox) []string {
	b.t.Helper()
	events, err := s.Events(b.t.Context(), b.view(s), sandbox.Query{Limit: 1 << 30})
	if err != nil {
		b.t.Fatal(err)
	}
	var lines []string
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("%d %s %s", e.Sequence, e.CreatedAt, e.Type))
	}
	return lines
}

// sweepUntil lets time pass in steps, with a sweep after each and no caller.
func (b *bench) sweepUntil(end time.Time, step time.Duration) {
	b.t.Helper()
	for b.Now().Before(end) {
		b.pass(min(step, end.Sub(b.Now())))
		if !b.registry.Sweep(b.t.Context()) {
			b.t.Fatalf("the sweep at %s did not go well", b.Now())
		}
	}
}

func TestTheEndIsAnnouncedOncePerLease(t *testing.T) {
	t.Parallel()
	for _, mode := range []sim.Mode{sim.Manual, sim.Realtime} {
		b := open(t, nil)
		begun := b.Now()
		s := b.create(mode)
		b.sweepUntil(begun.Add(lease-warning-time.Millisecond), time.Minute)
		if got := b.announced(s); len(got) != 0 {
			t.Fatalf("%s: announced too early: %s", mode, got[0].Body)
		}
		b.sweepUntil(begun.Add(lease-3*time.Minute), 700*time.Millisecond)
		if _, err := s.Do(t.Context(), extend("")); err != nil {
			t.Fatal(err)
		}
		b.sweepUntil(begun.Add(lease+extension), 7*time.Second)
		got := b.announced(s)
		if len(got) != 2 {
			t.Fatalf("%s: announced %d times in two leases", mode, len(got))
		}
		for i, e := range got {
			var body struct {
				Data struct {
					ID             string         `json:"id"`
					ExpiresAt      moment.Instant `json:"expires_at"`
					ExtensionsLeft int            `json:"extensions_left"`
				} `json:"data"`
				Links struct {
					Self string `json:"self"`
				} `json:"links"`
			}
			if err := json.Unmarshal(e.Body, &body); err != nil {
				t.Fatal(err)
			}
			ends := moment.InstantOf(begun.Add(lease + time.Duration(i)*extension))
			if body.Data.ExpiresAt != ends || body.Data.ExtensionsLeft != 2-i || body.Links.Self != "/sandbox" ||
				body.Data.ID != b.view(s).SandboxID {
				t.Errorf("%s: the lease until %s is announced by %s", mode, ends, e.Body)
			}
			if late := e.CreatedAt.Sub(ends.Add(-warning)); late < 0 || late > time.Millisecond {
				t.Errorf("%s: the end at %s is announced at %s", mode, ends, e.CreatedAt)
			}
		}
	}
}

// A lease that is extended before it was announced never is: there is nothing
// to warn of any more.
func TestALeaseExtendedInTimeIsNotAnnounced(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	b.sweepUntil(b.Now().Add(lease-warning-time.Minute), time.Minute)
	if _, err := s.Do(t.Context(), extend("")); err != nil {
		t.Fatal(err)
	}
	b.sweepUntil(b.Now().Add(extension), time.Minute)
	if got := b.announced(s); len(got) != 0 {
		t.Errorf("announced was %s", got[0].Body)
	}
}

func TestALeaseIsExtendedTwiceAndOnlyNearItsEnd(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	begun := b.Now()
	s := b.create(sim.Manual)
	ends := begun.Add(lease)
	for left := 2; left > 0; left-- {
		for _, early := range []time.Duration{20 * time.Minute, 10*time.Minute + time.Microsecond} {
			b.pass(ends.Add(-early).Sub(b.Now()))
			before := b.view(s).Version
			_, err := s.Do(t.Context(), extend("early"))
			p, ok := errors.AsType[*problem.Problem](err)
			if !ok || p.Code != problem.ExtensionNotYet || !p.RetryAt.Equal(ends.Add(-10*time.Minute)) {
				t.Fatalf("%s before the end: %v", early, err)
			}
			if v := b.view(s); v.Version != before || !v.ExpiresAt.Time().Equal(ends) {
				t.Fatalf("a refused extension changed the sandbox: it ends at %s", v.ExpiresAt)
			}
		}
		b.pass(time.Microsecond)
		sequence := b.view(s).Sequence
		reply, err := s.Do(t.Context(), extend(fmt.Sprint("key-", left)))
		if err != nil {
			t.Fatalf("ten minutes before the end: %v", err)
		}
		ends = ends.Add(extension)
		want := fmt.Sprintf(`"data":"%s %d"}`, moment.InstantOf(ends), left-1)
		if !strings.HasSuffix(string(reply.Body), want) {
			t.Errorf("the response is %s, want %s", reply.Body, want)
		}
		again, err := s.Do(t.Context(), extend(fmt.Sprint("key-", left)))
		if err != nil || !again.Replayed || string(again.Body) != string(reply.Body) {
			t.Errorf("the replay is %s, %v", again.Body, err)
		}
		if v := b.view(s); v.Sequence != sequence || !v.ExpiresAt.Time().Equal(ends) || v.ExtensionsLeft != left-1 {
			t.Errorf("after extension: %d events, ends %s, %d left", v.Sequence-sequence, v.ExpiresAt, v.ExtensionsLeft)
		}
	}
	b.pass(ends.Add(-time.Minute).Sub(b.Now()))
	if _, err := s.Do(t.Context(), extend("")); !isProblem(err, problem.NoExtensionsLeft) {
		t.Errorf("a third extension: %v", err)
	}
	b.pass(time.Minute)
	if _, err := s.Do(t.Context(), extend("")); !isProblem(err, problem.SandboxExpired) {
		t.Errorf("an extension after the end: %v", err)
	}
}

// TestALifeIsTheSameWhoeverLooksAtIt: read all the time, swept all the time, or
// looked at once at its end, with restarts or without.
func TestALifeIsTheSameWhoeverLooksAtIt(t *testing.T) {
	t.Parallel()
	lives := map[string]func(b *bench, id string, ends time.Time){
		"read": func(b *bench, id string, ends time.Time) {
			for b.Now().Before(ends) {
				b.pass(3 * time.Second)
				b.view(b.registry.Sandbox(id))
			}
		},
		"swept":     func(b *bench, _ string, ends time.Time) { b.sweepUntil(ends, time.Second) },
		"forgotten": func(b *bench, _ string, ends time.Time) { b.sweepUntil(ends.Add(time.Minute), 40*time.Minute) },
		"restarted": func(b *bench, _ string, ends time.Time) {
			for b.Now().Before(ends) {
				b.sweepUntil(b.Now().Add(4*time.Minute), time.Minute)
				b.reopen(nil)
			}
		},
	}
	var want []string
	for _, name := range []string{"read", "swept", "forgotten", "restarted"} {
		b := open(t, nil)
		begun := b.Now()
		id := b.view(b.create(sim.Realtime)).SandboxID
		lives[name](b, id, begun.Add(lease))
		s := b.registry.Sandbox(id)
		if got := b.view(s).Status(moment.InstantOf(b.Now())); got != "expired" {
			t.Errorf("%s: after its end the sandbox is %s", name, got)
		}
		got := b.feed(s)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d events, want %d; the last is %s, want %s",
				name, len(got), len(want), got[len(got)-1], want[len(want)-1])
		}
	}
}

func TestASandboxIsDeletedAfterItsGraceAndNotBefore(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	created, err := b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter"})
	if err != nil {
		t.Fatal(err)
	}
	deleted := created.ExpiresAt.Add(grace).Time()
	b.sweepUntil(deleted.Add(-time.Microsecond), time.Minute)
	if _, err := b.registry.Authenticate(t.Context(), created.OfficeKey); err != nil {
		t.Errorf("within its grace: %v", err)
	}
	b.pass(time.Microsecond)
	for _, key := range []string{created.OfficeKey, created.FactoryKey} {
		if _, err := b.registry.Authenticate(t.Context(), key); !isProblem(err, problem.Unauthorized) {
			t.Errorf("after its grace, before any sweep: %v", err)
		}
	}
	b.registry.Sweep(t.Context())
	if n, err := b.store.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("%d sandboxes are left, %v", n, err)
	}
}

// The key table remembers until when a key works. An extension moves that,
// also for keys that were looked up before.
func TestAnExtensionIsKnownToItsKeys(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	created, err := b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, err := b.registry.Authenticate(t.Context(), created.OfficeKey); err != nil {
			t.Fatal(err)
		}
		b.pass(created.ExpiresAt.Add(time.Duration(i)*extension - time.Minute).Time().Sub(b.Now()))
		if _, err := b.registry.Sandbox(created.SandboxID).Do(t.Context(), extend("")); err != nil {
			t.Fatal(err)
		}
	}
	b.pass(created.ExpiresAt.Add(2 * extension).Time().Sub(b.Now()))
	if _, err := b.registry.Authenticate(t.Context(), created.OfficeKey); err != nil {
		t.Errorf("at the end of the last lease: %v", err)
	}
}

// A step of its life that a sandbox took stays taken when the wall clock steps
// back.
func TestAClockThatStepsBackBringsNothingBack(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Realtime)
	id := b.view(s).SandboxID
	b.pass(lease)
	feed := b.feed(s)
	for _, restarted := range []bool{false, true} {
		b.pass(-20 * time.Minute)
		if restarted {
			b.reopen(nil)
			s = b.registry.Sandbox(id)
		}
		b.registry.Sweep(t.Context())
		v := b.view(s)
		if now := moment.InstantOf(b.Now()); v.Status(now) != "expired" || v.ExpiresInSeconds(now) != 0 {
			t.Errorf("restarted %t: after the step back the sandbox is %s for %d s",
				restarted, v.Status(now), v.ExpiresInSeconds(now))
		}
		if _, err := s.Do(t.Context(), extend("")); !isProblem(err, problem.SandboxExpired) {
			t.Errorf("restarted %t: after the step back an extension answers %v", restarted, err)
		}
		if got := b.feed(s); !slices.Equal(got, feed) {
			t.Errorf("restarted %t: the feed went from %d events to %d", restarted, len(feed), len(got))
		}
		b.pass(20 * time.Minute)
	}
}

// TestAnExtensionOfUnknownOutcomeHappensOnce: the retry with the same key
// finds what became of the first try.
func TestAnExtensionOfUnknownOutcomeHappensOnce(t *testing.T) {
	t.Parallel()
	for _, fault := range []storetest.Fault{storetest.NotApplied, storetest.AppliedButFailed} {
		fail := storetest.NoFault
		b := open(t, func(inner store.Store) store.Store {
			return storetest.NewFaulty(inner, func(int) storetest.Fault { return fail })
		})
		s := b.create(sim.Manual)
		ends := b.view(s).ExpiresAt
		b.pass(lease - time.Minute)
		b.view(s)
		fail = fault
		if _, err := s.Do(t.Context(), extend("key")); err == nil {
			t.Fatal("no fault")
		}
		fail = storetest.NoFault
		reply, err := s.Do(t.Context(), extend("key"))
		v := b.view(s)
		if err != nil || v.ExpiresAt != ends.Add(extension) || v.ExtensionsLeft != 1 ||
			reply.Replayed != (fault == storetest.AppliedButFailed) {
			t.Errorf("fault %d: %v, ends %s, %d left, replayed %t",
				fault, err, v.ExpiresAt, v.ExtensionsLeft, reply.Replayed)
		}
	}
}

// unreadable is a store that cannot load some sandboxes.
type unreadable struct {
	store.Store
	ids map[string]bool
}

func (u *unreadable) Load(ctx context.Context, id string) (store.Image, error) {
	if u.ids[id] {
		return store.Image{}, errors.New("unreadable on purpose")
	}
	return u.Store.Load(ctx, id)
}

// A fault of one sandbox must not reach the others, and must not keep it from
// being deleted.
func TestASandboxThatCannotBeReadHarmsNobodyElse(t *testing.T) {
	t.Parallel()
	broken := &unreadable{ids: map[string]bool{}}
	wrap := func(inner store.Store) store.Store { broken.Store = inner; return broken }
	b := open(t, wrap)
	var well []string
	for i := range 6 {
		id := b.view(b.create(sim.Manual)).SandboxID
		if i%2 == 0 {
			broken.ids[id] = true
		} else {
			well = append(well, id)
		}
	}
	b.reopen(wrap)
	b.pass(lease - warning)
	if b.registry.Sweep(t.Context()) {
		t.Error("a sweep that could not read went well")
	}
	for _, id := range well {
		if got := b.announced(b.registry.Sandbox(id)); len(got) != 1 {
			t.Errorf("the end of %s is announced %d times", id, len(got))
		}
	}
	b.pass(warning + grace)
	if !b.registry.Sweep(t.Context()) {
		t.Error("sandboxes that nobody can read cannot be deleted")
	}
	if n, err := b.store.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("%d sandboxes are left, %v", n, err)
	}
}
