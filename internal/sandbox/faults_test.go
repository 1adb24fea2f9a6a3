package sandbox_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/store"
	"platen/internal/store/storetest"
)

// disturbed makes a sandbox in which things go wrong.
func (b *bench) disturbed(plan fault.PlanName) *sandbox.Sandbox {
	b.t.Helper()
	created, err := b.registry.Create(b.t.Context(), sandbox.Creation{
		Preset: "starter", Seed: new(int64(7)), Clock: new(sim.Manual),
		Faults: &fault.Faults{Plan: &plan, Seed: new(int64(3)), DelayPct: new(int64(0))},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.registry.Sandbox(created.SandboxID)
}

// meets draws for a call, and says what it meets.
func meets(t *testing.T, s *sandbox.Sandbox, path string) string {
	t.Helper()
	f := s.Faults(t.Context())
	if f == nil {
		t.Fatal("nothing goes wrong")
	}
	d := f.Begin(fault.Call{
		Key: fault.Office, System: fault.Office, Operation: "list_sales_orders", Method: "GET", Path: path,
		Manual: true,
	})
	text := fmt.Sprint(d.Turned, d.Away)
	for _, kind := range []fault.Kind{fault.ResponseLost, fault.RequestLost, fault.Growth, fault.ShortPage} {
		text += fmt.Sprint(" ", f.Hit(d, kind))
	}
	return text
}

// TestDrawsGoOnAfterAStop: counters, storms and what was asked for by hand outlive it, and the
// company that is evicted and loaded again. A crash repeats the draws since the last commit.
func TestDrawsGoOnAfterAStop(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	whole, parted := b.disturbed(fault.Severe), b.disturbed(fault.Severe)
	id, other := b.view(parted).SandboxID, b.view(whole).SandboxID
	const rounds = 60
	paths := []string{"/v1/office/a", "/v1/office/b", "/v1/office/c"}
	var want, got []string
	for range rounds {
		for _, path := range paths {
			want = append(want, meets(t, whole, path))
		}
	}
	for round := range rounds {
		for _, path := range paths {
			got = append(got, meets(t, parted, path))
		}
		switch round % 3 {
		case 0:
			b.registry.Close(t.Context())
			b.reopen(nil)
			parted = b.registry.Sandbox(id)
		case 1: // idle for long: the company leaves memory
			b.pass(6 * time.Minute / rounds)
			b.registry.Sweep(t.Context())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("stopped in between, the same calls met other faults:\n%v\n%v", got, want)
	}
	if compact := slices.Compact(slices.Sorted(slices.Values(want))); len(compact) < 8 {
		t.Errorf("only this happened: %v", compact)
	}
	if _, err := b.registry.Sandbox(other).View(t.Context()); err != nil {
		t.Fatal(err)
	}

	// A crash forgets what no commit has: the same draws come again.
	parted = b.registry.Sandbox(id)
	if _, err := parted.Do(t.Context(), accept("", b.received(parted)[0])); err != nil {
		t.Fatal(err)
	}
	first := []string{meets(t, parted, paths[0]), meets(t, parted, paths[0])}
	b.reopen(nil)
	parted = b.registry.Sandbox(id)
	if again := []string{meets(t, parted, paths[0]), meets(t, parted, paths[0])}; !slices.Equal(again, first) {
		t.Errorf("after a crash the calls met %v, before it %v", again, first)
	}
}

// TestManyPathsAreForgottenInTurn: what is remembered is bounded, and the path that is called
// again and again is not forgotten.
func TestManyPathsAreForgottenInTurn(t *testing.T) {
	t.Parallel()
	var m fault.Memory
	plan := &fault.Plan{Seed: 5, DelayPct: 100, Rules: []fault.Rule{{Kind: fault.Growth, SharePPM: sim.Million / 2}}}
	call := func(path string) bool {
		return m.Hit(m.Begin(plan, fault.Call{Method: "GET", Path: path}), fault.Growth)
	}
	var alone, among []bool
	for range 40 {
		alone = append(alone, call("/often"))
	}
	m = fault.Memory{}
	for i := range 40 {
		among = append(among, call("/often"))
		for j := range 200 {
			call(fmt.Sprintf("/%d/%d", i, j))
		}
	}
	if !slices.Equal(alone, among) {
		t.Errorf("a path that is called often meets %v, among others %v", alone, among)
	}
	const bound = 2 * 512 * 6
	if got := len(m.Paths) + len(m.Older); got > bound {
		t.Errorf("8,040 paths take %d bytes, want at most %d", got, bound)
	}
}

// TestAFaultThatIsNotCommittedWasNotAskedFor: the store fails once, the client repeats its request, and one fault is
// pending.
func TestAFaultThatIsNotCommittedWasNotAskedFor(t *testing.T) {
	t.Parallel()
	for _, stores := range []storetest.Fault{storetest.NotApplied, storetest.AppliedButFailed} {
		fail := storetest.NoFault
		b := open(t, func(inner store.Store) store.Store {
			return storetest.NewFaulty(inner, func(int) storetest.Fault { return fail })
		})
		s := b.disturbed(fault.Light)
		b.view(s)
		asks := sandbox.Command{Key: "storm", Status: 200, Run: ran(func(tx *sandbox.Tx) error {
			tx.InjectFault(fault.Injection{Kind: fault.Storm, Count: 2})
			return nil
		})}
		fail = stores
		if _, err := s.Do(t.Context(), asks); err == nil {
			t.Fatal("the store did not fail")
		}
		fail = storetest.NoFault
		if _, err := s.Do(t.Context(), asks); err != nil {
			t.Fatal(err)
		}
		if pending := s.Faults(t.Context()).Pending(); len(pending) != 1 || pending[0].Count != 2 {
			t.Errorf("%v: two storms were asked for once, and pending are %v", stores, pending)
		}
	}
}
