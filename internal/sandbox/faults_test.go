package sandbox_test

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/desk/injection"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
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
	d := f.Begin(injection.Call{
		Key: injection.Office, System: injection.Office, Operation: "list_sales_orders", Method: "GET", Path: path,
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
	var m injection.Memory
	plan := injection.Plan{Plan: &fault.Plan{
		Seed: 5, DelayPct: 100, Rules: []fault.Rule{{Kind: fault.Growth, SharePPM: sim.Million / 2}},
	}}
	call := func(path string) bool {
		return m.Hit(m.Begin(plan, injection.Call{Method: "GET", Path: path}), fault.Growth)
	}
	var alone, among []bool
	for range 40 {
		alone = append(alone, call("/often"))
	}
	m = injection.Memory{}
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
	got := 0
	for _, c := range m.Calls {
		got += len(c.Paths) + len(c.Older)
	}
	if got > bound {
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
			_, err := tx.InjectFault(injection.Injection{Kind: fault.Storm, Count: 2})
			return err
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

// TestWhatFaultsRememberIsStoredAfterACommitThatFailed: the parts that went with it go with the next one, though
// nothing has changed them since.
func TestWhatFaultsRememberIsStoredAfterACommitThatFailed(t *testing.T) {
	t.Parallel()
	const path = "/v1/office/customers"
	live := func(fails storetest.Fault) (after []string) {
		fail := storetest.NoFault
		b := open(t, func(inner store.Store) store.Store {
			return storetest.NewFaulty(inner, func(int) storetest.Fault { return fail })
		})
		s := b.disturbed(fault.Severe)
		id := b.view(s).SandboxID
		b.do(s, func(tx *sandbox.Tx) error {
			_, err := tx.InjectFault(injection.Injection{Kind: fault.Growth, Count: 3})
			return err
		})
		b.do(s, func(tx *sandbox.Tx) error {
			_, err := tx.InjectFault(injection.Injection{
				Kind: fault.StaleRead, Count: 1, Operations: []string{"list_x"},
			})
			return err
		})
		for range 20 {
			meets(t, s, path)
		}
		if fail = fails; fails != storetest.NoFault {
			if _, err := s.Do(t.Context(), tick("lost", 30)); err == nil {
				t.Fatal("the store did not fail")
			}
		}
		fail = storetest.NoFault
		b.pass(2 * time.Second)
		if _, err := s.Do(t.Context(), tick("kept", 30)); err != nil {
			t.Fatal(err)
		}
		b.reopen(nil) // as after a crash
		s = b.registry.Sandbox(id)
		after = append(after, fmt.Sprint(s.Faults(t.Context()).Pending()))
		for range 5 {
			after = append(after, meets(t, s, path))
		}
		return after
	}
	want := live(storetest.NoFault)
	for _, fails := range []storetest.Fault{storetest.NotApplied, storetest.AppliedButFailed} {
		if got := live(fails); !slices.Equal(got, want) {
			t.Errorf("after a commit that failed (%v) faults remember\n%v, want\n%v", fails, got, want)
		}
	}
}

// TestPendingFaultsAreStoredOneByOne: a commit holds those that have changed, however many are pending, and all are
// there in their order when the sandbox is loaded again.
func TestPendingFaultsAreStoredOneByOne(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Mode("manual"))
	inject := func(n int) error {
		_, err := s.Do(t.Context(), sandbox.Command{
			Key: fmt.Sprint("fault ", n), Status: 200, Run: ran(func(tx *sandbox.Tx) error {
				_, err := tx.InjectFault(injection.Injection{
					Kind: fault.Growth, Count: 1, Operations: []string{fmt.Sprintf("operation_%03d", n)},
				})
				return err
			}),
		})
		return err
	}
	second, last := 0, 0
	for n := range injection.MaxInjected {
		if err := inject(n); err != nil {
			t.Fatal(err)
		}
		if last = b.newestCommit(); n == 1 {
			second = last
		}
	}
	if last > second+40 {
		t.Errorf("the second fault takes %d bytes and the last of %d takes %d", second, injection.MaxInjected, last)
	}
	var refusal *problem.Problem
	if err := inject(injection.MaxInjected); !errors.As(err, &refusal) || refusal.Code != problem.TooManyOpen {
		t.Errorf("one more than there may be is %v", err)
	}
	f := s.Faults(t.Context())
	for _, n := range []int{3, 50, 99} {
		call := injection.Call{Operation: fmt.Sprintf("operation_%03d", n), Method: "GET", Path: "/x"}
		if !f.Hit(f.Begin(call), fault.Growth) {
			t.Errorf("the fault for operation %d did not happen", n)
		}
	}
	for _, n := range []int{injection.MaxInjected, injection.MaxInjected + 1} {
		if err := inject(n); err != nil {
			t.Fatal(err)
		}
	}
	want, id := f.Pending(), b.view(s).SandboxID
	b.registry.Close(t.Context())
	b.reopen(nil)
	got := b.registry.Sandbox(id).Faults(t.Context()).Pending()
	if len(got) != injection.MaxInjected-1 || !cmp.Equal(got, want) {
		t.Errorf("after a restart %d faults are pending, before it %d:\n%v\n%v", len(got), len(want), got, want)
	}
}

// TestAPinEndsWhenItsCompanyLeavesMemory: a client that reads no more would keep the rows of an older state for ever.
func TestAPinEndsWhenItsCompanyLeavesMemory(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.disturbed(fault.Severe)
	old := b.view(s)
	s.Pin(apikey.Office, old)
	if _, err := s.Do(t.Context(), accept("", b.received(s)[0])); err != nil {
		t.Fatal(err)
	}
	if shown, stale := s.Pinned(apikey.Office, b.view(s)); !stale || shown != old {
		t.Fatal("the pin does not hold")
	}
	b.pass(6 * time.Minute)
	b.registry.Sweep(t.Context())
	if _, stale := s.Pinned(apikey.Office, b.view(s)); stale {
		t.Error("the pin outlives the company in memory")
	}
}

// newestCommit is the size of the newest commit.
func (b *bench) newestCommit() (bytes int) {
	b.t.Helper()
	db, err := sql.Open("sqlite", "file:"+b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	const newest = "SELECT length(body) FROM commits ORDER BY rowid DESC LIMIT 1"
	if err := db.QueryRowContext(b.t.Context(), newest).Scan(&bytes); err != nil {
		b.t.Fatal(err)
	}
	return bytes
}

// TestALateRequestOutlivesAStop, and the company that is evicted and loaded again.
func TestALateRequestOutlivesAStop(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.disturbed(fault.Treacherous)
	id := b.view(s).SandboxID
	sent := injection.Late{
		ID: "req_1", Operation: "create_work_order", Method: "POST", URL: "/v1/factory/work-orders?a=b",
		ContentType: "application/json", IdempotencyKey: "work", IfMatch: `W/"1"`, Body: []byte(`{"sku":"x"}`),
	}
	call := injection.Call{
		Key: injection.Factory, System: injection.Factory, Operation: sent.Operation, Method: sent.Method,
		Path: "/v1/factory/work-orders", Writes: true, Manual: true,
	}
	f := s.Faults(t.Context())
	for !f.Send(f.Begin(call), func() injection.Late { return sent }) {
	}
	b.pass(6 * time.Minute)
	b.registry.Sweep(t.Context())
	b.registry.Close(t.Context())
	b.reopen(nil)
	again := b.registry.Sandbox(id).Faults(t.Context())
	if !again.Underway() {
		t.Fatal("it is forgotten")
	}
	arrived := again.Arrive("", 0, true)
	if len(arrived) != 1 || again.Underway() {
		t.Fatalf("a tick brings %+v", arrived)
	}
	got := arrived[0]
	if sent.Key, sent.Requests, sent.Sent = injection.Factory, got.Requests, 1; !reflect.DeepEqual(got, sent) {
		t.Errorf("got  %+v\nwant %+v", got, sent)
	}
	if got.Requests < 1 || got.Requests > 3 {
		t.Errorf("%d requests come before it", got.Requests)
	}
}
