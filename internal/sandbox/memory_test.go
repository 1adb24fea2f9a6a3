package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/company/fault"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/desk"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// roomFor is the memory in which that many new companies fit.
func roomFor(t *testing.T, companies int64) int64 {
	t.Helper()
	b := open(t, nil)
	b.create(sim.Manual)
	one := b.registry.Memory().Bytes
	return companies*one + one/2
}

// TestCompaniesBeyondTheMemoryAreEvictedAndLoseNothing has 40 companies take
// turns where four fit, and compares them with those of a server with plenty.
func TestCompaniesBeyondTheMemoryAreEvictedAndLoseNothing(t *testing.T) {
	t.Parallel()
	const companies, room = 40, 4
	limit := roomFor(t, room)
	lives := func(memory int64) (dumps []string, use sandbox.MemoryUse) {
		b := openWithin(t, memory, nil)
		all := make([]*sandbox.Sandbox, companies)
		for i := range all {
			all[i] = b.createSeeded(sim.Manual, int64(i))
		}
		for round := range 3 {
			for _, s := range all {
				for _, id := range b.received(s)[:1] {
					if _, err := s.Do(t.Context(), accept(fmt.Sprint("key-", round, id), id)); err != nil {
						t.Fatal(err)
					}
				}
				if use := b.registry.Memory(); use.Bytes > use.Limit && memory > 0 && use.Companies > 1 {
					t.Fatalf("%d companies have %d bytes, the limit is %d", use.Companies, use.Bytes, use.Limit)
				}
			}
		}
		for _, s := range all {
			v := b.view(s)
			text := ""
			for _, e := range v.Table("sales_order").Entries {
				text += e.Filters[0] + " "
			}
			events, err := s.Events(t.Context(), v, sandbox.Query{Limit: 1 << 30})
			if err != nil {
				t.Fatal(err)
			}
			dumps = append(dumps, fmt.Sprintf("%d events, orders %s, cash %v", len(events), text, v.Summary.CashMinor))
		}
		return dumps, b.registry.Memory()
	}
	want, plenty := lives(0)
	got, little := lives(limit)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("company %d: got %s\nwant %s", i, got[i], want[i])
		}
	}
	if plenty.Companies != companies || plenty.Evictions > 0 {
		t.Errorf("of plenty of memory %d companies had to leave, %d are in it", plenty.Evictions, plenty.Companies)
	}
	if little.Companies > room || little.Evictions < 3*companies-room {
		t.Errorf("%d companies are in memory, and %d were evicted", little.Companies, little.Evictions)
	}
}

func TestTheLeastRecentlyUsedCompanyIsEvicted(t *testing.T) {
	t.Parallel()
	b := openWithin(t, roomFor(t, 3), nil)
	var all []*sandbox.Sandbox
	for i := range 3 {
		all = append(all, b.createSeeded(sim.Manual, int64(i)))
		b.pass(time.Second)
	}
	b.view(all[0]) // the second one is the oldest now
	b.pass(time.Second)
	b.createSeeded(sim.Manual, 9)
	before := b.registry.Memory().Loads
	b.view(all[0])
	b.view(all[2])
	if now := b.registry.Memory().Loads; now != before {
		t.Errorf("%d companies that were used since had to be loaded", now-before)
	}
	b.view(all[1])
	if now := b.registry.Memory().Loads; now != before+1 {
		t.Errorf("for the oldest company %d were loaded, want 1", now-before)
	}
}

// TestALoadIsRefusedWhileAllMemoryIsAtWork, and served once one of those at work
// is done.
func TestALoadIsRefusedWhileAllMemoryIsAtWork(t *testing.T) {
	t.Parallel()
	b := openWithin(t, roomFor(t, 2), nil)
	outside := b.createSeeded(sim.Manual, 0)
	leave, entered := make(chan struct{}), make(chan struct{}, 2)
	var working sync.WaitGroup
	for i := range 2 {
		s := b.createSeeded(sim.Manual, int64(i+1))
		working.Go(func() {
			_, err := s.Do(context.WithoutCancel(t.Context()), sandbox.Command{
				Run: ran(func(*sandbox.Tx) error {
					entered <- struct{}{}
					<-leave
					return nil
				}),
			})
			if err != nil {
				t.Errorf("a company at work: %v", err)
			}
		})
		<-entered
	}
	_, err := outside.View(t.Context())
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Code != problem.Unavailable || p.RetryAfter < 1 {
		t.Errorf("with all memory at work a load ends with %v", err)
	}
	_, err = b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter"})
	if !isProblem(err, problem.Unavailable) {
		t.Errorf("with all memory at work a creation ends with %v", err)
	}
	if use := b.registry.Memory(); use.Refusals != 2 || use.Companies != 2 || use.Bytes > use.Limit {
		t.Errorf("memory is %+v", use)
	}
	close(leave)
	working.Wait()
	b.view(outside)
}

// TestAClientThatWaitsOutlivesAnEviction: its company leaves memory, and the next
// event wakes it all the same.
func TestAClientThatWaitsOutlivesAnEviction(t *testing.T) {
	t.Parallel()
	limit := roomFor(t, 2)
	synctest.Test(t, func(t *testing.T) {
		registry := liveWithin(t, limit)
		s := settle(t, registry, sim.Realtime)
		v := viewOf(t, s)
		defer s.Watch()()
		changed, sequence := v.Changed(), v.Sequence
		<-time.After(time.Millisecond)
		for range 3 {
			settle(t, registry, sim.Manual)
		}
		select {
		case <-changed:
			t.Fatal("the eviction woke the client")
		default:
		}
		before := registry.Memory().Loads
		for v.Sequence == sequence {
			<-changed // or somebody did not order after all
			v = viewOf(t, s)
			changed = v.Changed()
		}
		if late := moment.InstantOf(time.Now()).Sub(v.LastEventAt); late.Abs() > time.Millisecond {
			t.Errorf("the event is seen %s later", late)
		}
		if registry.Memory().Loads == before {
			t.Error("its company never left memory: the test shows nothing")
		}
	})
}

// TestACompanyThatOnlyTheClockTouchesLeavesMemory: with nobody's request for some
// minutes it is in memory only while something happens, also while it is
// scheduled.
func TestACompanyThatOnlyTheClockTouchesLeavesMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := live(t)
		s := settle(t, registry, sim.Realtime)
		sequence := viewOf(t, s).Sequence
		defer s.Watch()()
		<-time.After(5*time.Minute + 2*time.Second)
		absent := 0
		for range 100 {
			<-time.After(1100 * time.Millisecond) // a sweep is within that
			if registry.Memory().Companies == 0 {
				absent++
			}
		}
		if absent == 0 {
			t.Error("it was in memory all the time")
		}
		loads := registry.Memory().Loads
		if loads == 0 {
			t.Error("nothing has loaded it, though time passes in it")
		}
		if now := viewOf(t, s).Sequence; now <= sequence {
			t.Error("time did not pass in it")
		}
	})
}

func TestRememberedRequestsAreBounded(t *testing.T) {
	t.Parallel()
	b := openWithin(t, 1<<20, nil)
	limit := b.registry.Memory().Limit / 8
	var all []*sandbox.Sandbox
	for i := range 12 {
		hit := b.disturbed(fault.Light)
		for n := range desk.MaxFaultHits {
			hit.Faults(t.Context()).Note(desk.FaultHit{Kind: fault.Growth, RequestID: fmt.Sprint(n)})
		}
		hit.Note(desk.Call{At: moment.InstantOf(b.Now())})
		all = append(all, hit)
		s := b.createSeeded(sim.Manual, int64(i))
		all = append(all, s)
		for n := range desk.MaxCalls {
			b.pass(time.Microsecond)
			s.Note(desk.Call{ID: fmt.Sprint(n), At: moment.InstantOf(b.Now())})
		}
		few := b.createSeeded(sim.Manual, int64(100+i))
		for range 4 {
			long := desk.Exchange{Request: make([]byte, desk.MaxExchangeBody)}
			few.Note(desk.Call{At: moment.InstantOf(b.Now()), Exchange: long.Kept(false)})
		}
		all = append(all, few)
		if use := b.registry.Memory(); use.CallBytes > limit {
			t.Fatalf("requests of %d sandboxes take %d bytes, the limit is %d", i+1, use.CallBytes, limit)
		}
	}
	for i, s := range all {
		calls, count := s.Client().Calls.All()
		if len(calls) == 0 || calls[len(calls)-1].Ordinal != count {
			t.Errorf("sandbox %d remembers %d of %d requests, and not the newest", i, len(calls), count)
		}
	}
	for _, s := range all {
		if _, _, err := s.Delete(t.Context(), sandbox.Command{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if use := b.registry.Memory(); use.CallBytes != 0 || use.Bytes != 0 || use.Companies != 0 {
		t.Errorf("without a sandbox memory is %+v", use)
	}
}

// TestMemoryIsCountedAsItIs compares the estimates with the heap, of companies that were
// played and of the same that were loaded.
//
//nolint:paralleltest // it measures the process
func TestMemoryIsCountedAsItIs(t *testing.T) {
	const companies = 16
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for name, days := range map[string]int{"empty": 0, "starter": 0, "crunch": 10, "agent_eval": 4} {
		db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
		if err != nil {
			t.Fatal(err)
		}
		open := func() *sandbox.Registry {
			return sandbox.NewRegistry(sandbox.Options{
				Store: db, Presets: atOnce(presets), Lease: lease, Grace: grace,
				Log: slog.New(slog.DiscardHandler), Now: time.Now,
			})
		}
		var all []string
		compare := func(how string, before int64, registry *sandbox.Registry) {
			is, counted := heapInUse()-before, registry.Memory().Bytes
			t.Logf("%s on day %d, %s: %d bytes are counted, the heap has %d", name, days, how,
				counted/companies, is/companies)
			if ratio := float64(counted) / float64(is); ratio < 0.7 || ratio > 1.4 {
				t.Errorf("%s on day %d, %s: %d bytes are counted, the heap has %d", name, days, how,
					counted/companies, is/companies)
			}
			runtime.KeepAlive(registry)
		}
		before, registry := heapInUse(), open()
		for i := range companies {
			created, err := registry.Create(t.Context(),
				sandbox.Creation{Preset: name, Seed: new(int64(i)), Clock: new(sim.Manual)})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, created.SandboxID)
			for range days {
				if _, err := registry.Sandbox(created.SandboxID).Do(t.Context(), sandbox.Command{
					Run: ran(func(tx *sandbox.Tx) error { return tx.Tick(int(sim.DayLength)) }),
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
		compare("played", before, registry)
		registry.Close(t.Context())
		before, registry = heapInUse(), open()
		for _, id := range all {
			if _, err := registry.Sandbox(id).View(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		compare("loaded", before, registry)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // pools need a second one
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
