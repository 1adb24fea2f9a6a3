package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
	"platen/internal/store/sqlite"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
)

// Leases of the bench: those of the contract.
const (
	lease, extension, grace = 30 * time.Minute, 30 * time.Minute, 10 * time.Minute
	warning                 = 5 * time.Minute
)

// bench is a registry over a database in a temporary folder.
type bench struct {
	t        *testing.T
	path     string
	store    store.Store
	registry *sandbox.Registry
	// memory is that of the registry in bytes, 0 for plenty.
	memory int64
	// idle is how long clocks of the registry run without a client, 0 for ever.
	idle time.Duration
	mu   sync.Mutex
	now  time.Time
}

func open(t *testing.T, wrap func(store.Store) store.Store) *bench {
	t.Helper()
	return openWithin(t, 0, wrap)
}

// openWithin is open with a bound on the memory in bytes.
func openWithin(t *testing.T, memory int64, wrap func(store.Store) store.Store) *bench {
	t.Helper()
	b := &bench{
		t: t, path: filepath.Join(t.TempDir(), "platen.db"), memory: memory,
		now: time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC),
	}
	b.reopen(wrap)
	t.Cleanup(func() { b.store.Close() })
	return b
}

// ran is the run of a command whose response has no data.
func ran(run func(*sandbox.Tx) error) func(*sandbox.Tx) (sandbox.Result, error) {
	return func(tx *sandbox.Tx) (sandbox.Result, error) {
		return sandbox.Result{Value: func(*sandbox.View) any { return nil }}, run(tx)
	}
}

// reopen forgets everything in memory, as a restart does.
func (b *bench) reopen(wrap func(store.Store) store.Store) {
	b.t.Helper()
	if b.store != nil {
		if err := b.store.Close(); err != nil {
			b.t.Fatal(err)
		}
	}
	db, err := sqlite.Open(b.t.Context(), b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.store = db
	if wrap != nil {
		b.store = wrap(db)
	}
	presets, err := preset.Builtin()
	if err != nil {
		b.t.Fatal(err)
	}
	b.registry = sandbox.NewRegistry(sandbox.Options{
		TickPause: time.Second,
		Store:     b.store, Presets: atOnce(presets), Lease: lease, Extension: extension,
		ExtensionWindow: 10 * time.Minute, Grace: grace,
		Log: slog.New(slog.DiscardHandler), Now: b.Now, Memory: b.memory,
		Webhooks: sandbox.Webhooks{
			Wake: func(string) {}, NewSecret: func() string { return "another" },
			Seal: func(plain, _, _ string) []byte { return []byte(plain) },
		}, IdlePause: b.idle,
	})
}

func (b *bench) Now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

func (b *bench) create(mode sim.Mode) *sandbox.Sandbox {
	b.t.Helper()
	return b.createSeeded(mode, 1)
}

func (b *bench) createSeeded(mode sim.Mode, seed int64) *sandbox.Sandbox {
	b.t.Helper()
	created, err := b.registry.Create(b.t.Context(),
		sandbox.Creation{Preset: "starter", Seed: &seed, Clock: &mode})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.registry.Sandbox(created.SandboxID)
}

func (b *bench) view(s *sandbox.Sandbox) *sandbox.View {
	b.t.Helper()
	v, err := s.View(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// received returns the ids of the orders that wait for an answer.
func (b *bench) received(s *sandbox.Sandbox) []string {
	b.t.Helper()
	var ids []string
	for _, e := range b.view(s).Table("sales_order").Entries {
		if e.Filters[0] == "received" {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func accept(key, id string) sandbox.Command {
	return sandbox.Command{
		Scope: "office", Key: key, Fingerprint: commitlog.Fingerprint([]byte(fmt.Sprintf("%32s", id))),
		Status: 200, Run: func(tx *sandbox.Tx) (sandbox.Result, error) {
			return sandbox.Result{Resource: "sales_order", ID: id}, tx.Company.AcceptSalesOrder(id)
		},
	}
}

// dump is everything that clients can read of a view.
func dump(t *testing.T, s *sandbox.Sandbox, v *sandbox.View) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(dumpRows(v))
	events, err := s.Events(t.Context(), v, sandbox.Query{Limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		fmt.Fprintf(&b, "%d %s\n", e.Sequence, e.Body)
	}
	return b.String()
}

func dumpRows(v *sandbox.View) string {
	var b bytes.Buffer
	for _, table := range []string{
		"sales_order", "work_order", "ledger_entry", "stock_item", "mission", "office_shipment", "customer_invoice",
		"payment",
	} {
		for _, e := range v.Table(table).Entries {
			fmt.Fprintf(&b, "%s %d %s %s\n", table, e.Version, e.Row(), e.Private())
		}
	}
	return b.String()
}

func isProblem(err error, code problem.Code) bool {
	p, ok := errors.AsType[*problem.Problem](err)
	return ok && p.Code == code
}

func TestConcurrentDuplicatesRunOnce(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	id := b.received(s)[0]
	replies := make([]sandbox.Reply, 20)
	var wg sync.WaitGroup
	for i := range replies {
		wg.Go(func() {
			var err error
			if replies[i], err = s.Do(t.Context(), accept("same-key", id)); err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	firsts := 0
	for i, reply := range replies {
		if !reply.Replayed {
			firsts++
		}
		if !bytes.Equal(reply.Body, replies[0].Body) {
			t.Errorf("reply %d differs: %s", i, reply.Body)
		}
	}
	if firsts != 1 {
		t.Errorf("the command ran %d times", firsts)
	}
}

func TestARestartChangesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Realtime)
	id := b.view(s).SandboxID
	var reply sandbox.Reply
	orders := b.received(s)
	for i, order := range orders {
		b.pass(7 * time.Second)
		var err error
		if reply, err = s.Do(t.Context(), accept(fmt.Sprintf("key-%d", i), order)); err != nil {
			t.Fatal(err)
		}
	}
	// More commits than a snapshot waits for.
	for range 300 {
		b.pass(time.Second)
		if _, err := s.Do(t.Context(), sandbox.Command{
			Status: 200, Run: ran(func(tx *sandbox.Tx) error { return tx.Tick(1) }),
		}); err != nil {
			t.Fatal(err)
		}
	}
	before := dump(t, s, b.view(s))
	for _, how := range []string{"killed", "stopped"} {
		if how == "stopped" {
			b.registry.Close(t.Context())
		}
		b.reopen(nil)
		s = b.registry.Sandbox(id)
		if after := dump(t, s, b.view(s)); after != before {
			t.Fatalf("%s: what clients read differs after a restart\nbefore %d bytes, after %d",
				how, len(before), len(after))
		}
		replay, err := s.Do(t.Context(), accept(fmt.Sprintf("key-%d", len(orders)-1), orders[len(orders)-1]))
		if err != nil || !replay.Replayed || !bytes.Equal(replay.Body, reply.Body) {
			t.Fatalf("%s: replay is %q %v, want %q", how, replay.Body, err, reply.Body)
		}
	}
}

func TestACommitThatFailsIsNotSeen(t *testing.T) {
	t.Parallel()
	for _, fault := range []storetest.Fault{storetest.AppliedButFailed, storetest.NotApplied} {
		t.Run(fmt.Sprint(fault), func(t *testing.T) {
			t.Parallel()
			// Call 1 creates the sandbox, call 2 is the command's.
			b := open(t, func(inner store.Store) store.Store {
				return storetest.NewFaulty(inner, storetest.At(map[int]storetest.Fault{2: fault}))
			})
			s := b.create(sim.Manual)
			id := b.received(s)[0]
			before := b.view(s)
			if _, err := s.Do(t.Context(), accept("key", id)); err == nil || isProblem(err, problem.InvalidState) {
				t.Fatalf("the failed commit answered %v", err)
			}
			applied := b.view(s).Version > before.Version
			if applied != (fault == storetest.AppliedButFailed) {
				t.Fatalf("after %v the version went from %d to %d", fault, before.Version, b.view(s).Version)
			}
			reply, err := s.Do(t.Context(), accept("key", id))
			if err != nil || reply.Replayed != applied {
				t.Fatalf("the retry answered %+v %v", reply, err)
			}
			e, _ := b.view(s).Row("sales_order", id)
			if e.Filters[0] != "in_production" || len(b.view(s).Table("work_order").Entries) != 1 {
				t.Fatalf("after the retry the order is %s with %d work orders",
					e.Filters[0], len(b.view(s).Table("work_order").Entries))
			}
		})
	}
}

func TestARefusedCommandChangesNothing(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	before := b.view(s)
	text := dump(t, s, before)
	if _, err := s.Do(t.Context(), accept("key", "so_nothing")); !isProblem(err, problem.NotFound) {
		t.Fatalf("got %v, want not_found", err)
	}
	if after := b.view(s); after.Version != before.Version || dump(t, s, after) != text {
		t.Error("a refused command changed the sandbox")
	}
	// The refusal is not stored: the key can still be used.
	if _, err := s.Do(t.Context(), accept("key", b.received(s)[0])); err != nil {
		t.Errorf("the key of a refused command was spent: %v", err)
	}
}

func TestAnExpiredSandboxCanBeReadUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Realtime)
	order := b.received(s)[0]
	reply, err := s.Do(t.Context(), accept("key", order))
	if err != nil {
		t.Fatal(err)
	}
	b.pass(30*time.Minute + time.Second)
	if _, err := s.Do(t.Context(), accept("other", b.received(s)[0])); !isProblem(err, problem.SandboxExpired) {
		t.Fatalf("a write after the lease answered %v", err)
	}
	if replay, err := s.Do(t.Context(), accept("key", order)); err != nil || !bytes.Equal(replay.Body, reply.Body) {
		t.Errorf("a replay after the lease answered %v", err)
	}
	frozen := b.view(s)
	b.pass(5 * time.Minute)
	if v := b.view(s); v.Version != frozen.Version {
		t.Error("an expired company went on")
	}
	b.pass(5 * time.Minute)
	b.registry.Sweep(context.WithoutCancel(t.Context()))
	if _, err := s.View(t.Context()); !isProblem(err, problem.Unauthorized) {
		t.Errorf("reading a deleted sandbox answered %v", err)
	}
	if n, err := b.store.Count(t.Context()); err != nil || n != 0 {
		t.Errorf("%d sandboxes are left, %v", n, err)
	}
}

func TestTheFeedHasNoGapAndGrowsInTime(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Realtime)
	for range 20 {
		b.pass(61 * time.Second)
		b.view(s)
	}
	v := b.view(s)
	last := ""
	after := uint64(0)
	for after < v.Sequence {
		page, err := s.Events(t.Context(), v, sandbox.Query{After: after, Limit: 7})
		if err != nil || len(page) == 0 {
			t.Fatalf("after %d: %d events, %v", after, len(page), err)
		}
		for _, e := range page {
			if e.Sequence != after+1 || e.CreatedAt.String() <= last {
				t.Fatalf("event %d of %s follows %d of %s", e.Sequence, e.CreatedAt, after, last)
			}
			after, last = e.Sequence, e.CreatedAt.String()
		}
	}
}
