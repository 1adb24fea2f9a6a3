package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/desk"
	"platen/internal/desk/activity"
	"platen/internal/sandbox"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
)

// errElsewhere is the refusal of a sandbox that another server owns.
var errElsewhere = problem.New(problem.Unavailable, "Another server owns it.")

// shop is several servers on one storage.
type shop struct {
	b       *bench
	shared  *storetest.Shared
	servers []*server
}

// server is one of them, with the least that it has to know of the others.
type server struct {
	*sandbox.Registry

	name   string
	handle *storetest.Handle
	// distrusts is set while it may not serve what it has in memory.
	distrusts atomic.Bool
	fences    atomic.Int64
	woken     chan string

	mu      sync.Mutex // guards the fields below
	session store.Session
	lives   int
	held    map[string]store.Fence
}

// share opens a shop of two servers.
func share(t *testing.T) (b *bench, one, other *server) {
	t.Helper()
	b = open(t, nil)
	s := &shop{b: b, shared: storetest.NewShared(b.store, b.Now)}
	for i := range 2 {
		s.servers = append(s.servers, s.open(t, fmt.Sprint("server", i)))
	}
	b.registry = s.servers[0].Registry
	return b, s.servers[0], s.servers[1]
}

func (h *shop) open(t *testing.T, name string) *server {
	t.Helper()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{name: name, handle: h.shared.Handle(), woken: make(chan string, 10)}
	s.join(t)
	s.Registry = sandbox.NewRegistry(sandbox.Options{
		TickPause: time.Second, Store: s.handle, Presets: atOnce(presets), Lease: lease, Extension: extension,
		ExtensionWindow: 10 * time.Minute, Grace: grace, Log: slog.New(slog.DiscardHandler), Now: h.b.Now,
		Webhooks: sandbox.Webhooks{Wake: func(id string) { s.woken <- id }},
		Ownership: sandbox.Ownership{
			Hold: s.hold, Held: s.holds, Trusted: func() bool { return !s.distrusts.Load() },
			Fenced:   func(id string, _ store.Fence) { s.fences.Add(1); s.release(id, store.Fence{}) },
			Released: s.release,
			ClaimDue: func(ctx context.Context, limit int) error {
				claimed, err := s.handle.ClaimDue(ctx, s.present(), h.b.Now(), limit)
				for _, id := range claimed {
					if _, err := s.hold(ctx, id); err != nil {
						return err
					}
				}
				return err
			},
			ClaimNamed: func(ctx context.Context, kind string, limit int) ([]string, error) {
				return s.handle.ClaimNamed(ctx, s.present(), kind, h.b.Now(), limit)
			},
		},
	})
	return s
}

// join begins a session.
func (s *server) join(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lives++
	s.session, s.held = store.Session(fmt.Sprint(s.name, " life ", s.lives)), map[string]store.Fence{}
	err := s.handle.Join(t.Context(), store.Node{Session: s.session, Address: s.name}, 24*time.Hour,
		func(store.Node) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
}

func (s *server) present() store.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

func (s *server) holds(id string) (store.Fence, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.held[id]
	return f, ok
}

func (s *server) release(id string, _ store.Fence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
}

func (s *server) hold(ctx context.Context, id string) (store.Fence, error) {
	if f, ok := s.holds(id); ok {
		return f, nil
	}
	session := s.present()
	owned, err := s.handle.Look(ctx, id)
	fence := owned.Fence
	switch {
	case err != nil:
		return store.Fence{}, err
	case owned.Owner == session:
	case owned.Node != nil:
		return store.Fence{}, errElsewhere
	default:
		if fence, err = s.handle.Claim(ctx, id, owned.Fence, session); err != nil {
			return store.Fence{}, errElsewhere
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == session {
		s.held[id] = fence
	}
	return fence, nil
}

// end ends the session in the storage, whatever the server itself believes.
func (s *server) end(t *testing.T) {
	t.Helper()
	if _, err := s.handle.Bury(t.Context(), s.present(), true); err != nil {
		t.Fatal(err)
	}
}

// anew begins a new session, as a server does that was taken for dead.
func (s *server) anew(t *testing.T) {
	t.Helper()
	s.LetGo()
	s.join(t)
}

func (s *server) create(t *testing.T) sandbox.Created {
	t.Helper()
	created, err := s.Create(t.Context(),
		sandbox.Creation{Preset: "starter", Seed: new(int64(1)), Clock: new(sim.Manual)})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

// refusedAsMoved checks the answer of a server that does not own a sandbox.
func refusedAsMoved(t *testing.T, what string, err error) {
	t.Helper()
	if !isProblem(err, problem.Unavailable) {
		t.Errorf("%s: %v, want a refusal that may be repeated", what, err)
	}
}

func TestASandboxIsServedByOneServerAtATime(t *testing.T) {
	t.Parallel()
	b, one, other := share(t)
	id := one.create(t).SandboxID
	if one.Memory().Companies != 0 {
		t.Error("the server that made it keeps it in memory")
	}
	s := other.Sandbox(id)
	order := b.received(s)[0]
	reply, err := s.Do(t.Context(), accept("key", order))
	if err != nil {
		t.Fatal(err)
	}
	_, err = one.Sandbox(id).View(t.Context())
	refusedAsMoved(t, "a read elsewhere", err)
	_, err = one.Sandbox(id).Do(t.Context(), accept("key", order))
	refusedAsMoved(t, "a write elsewhere", err)
	want := dump(t, s, b.view(s))

	other.Close(t.Context())
	other.end(t)
	s = one.Sandbox(id)
	if got := dump(t, s, b.view(s)); got != want {
		t.Error("the next owner shows something else: " + firstDifference(got, want))
	}
	again, err := s.Do(t.Context(), accept("key", order))
	if err != nil || !again.Replayed || string(again.Body) != string(reply.Body) {
		t.Errorf("the same request at the next owner: %v, replayed %t", err, again.Replayed)
	}
}

// TestAnOldOwnerChangesNothingAndServesNothing: it trusts itself for longer than it may,
// and its writes do not count all the same.
func TestAnOldOwnerChangesNothingAndServesNothing(t *testing.T) {
	t.Parallel()
	b, one, other := share(t)
	id := one.create(t).SandboxID
	old := one.Sandbox(id)
	orders := b.received(old)
	waiting := b.view(old).Changed()
	one.end(t)
	s := other.Sandbox(id)
	if _, err := s.Do(t.Context(), accept("theirs", orders[0])); err != nil {
		t.Fatal(err)
	}
	want := dump(t, s, b.view(s))

	_, err := old.Do(t.Context(), accept("ours", orders[1]))
	refusedAsMoved(t, "a write of the old owner", err)
	if one.fences.Load() != 1 {
		t.Errorf("%d writes were fenced", one.fences.Load())
	}
	select {
	case <-waiting:
	default:
		t.Error("a reader still waits for events at the old owner")
	}
	_, err = old.View(t.Context())
	refusedAsMoved(t, "a read of what the old owner had", err)
	_, err = one.Sandbox(id).View(t.Context())
	refusedAsMoved(t, "a read at the old owner", err)
	if got := dump(t, s, b.view(s)); got != want {
		t.Error("the new owner shows something else: " + firstDifference(got, want))
	}
	if used := one.Memory(); used.Companies != 0 || used.Bytes != 0 {
		t.Errorf("the old owner keeps %d companies of %d bytes", used.Companies, used.Bytes)
	}
}

// TestAnOldOwnerLoadsNothing: what it finds in the storage is another's.
func TestAnOldOwnerLoadsNothing(t *testing.T) {
	t.Parallel()
	b, one, other := share(t)
	id := one.create(t).SandboxID
	b.view(one.Sandbox(id))
	b.pass(6 * time.Minute) // it is let go
	one.Sweep(t.Context())
	one.end(t)
	b.view(other.Sandbox(id))
	_, err := one.Sandbox(id).View(t.Context())
	refusedAsMoved(t, "a read of the old owner", err)
	if one.fences.Load() != 1 {
		t.Errorf("it noticed %d times", one.fences.Load())
	}
}

// TestNothingIsServedThatIsNotTrusted: neither reads nor refusals nor replays, for all of
// them say how things are. A write that was committed is answered.
func TestNothingIsServedThatIsNotTrusted(t *testing.T) {
	t.Parallel()
	b, one, _ := share(t)
	created := one.create(t)
	s := one.Sandbox(created.SandboxID)
	orders := b.received(s)
	if _, err := s.Do(t.Context(), accept("key", orders[0])); err != nil {
		t.Fatal(err)
	}
	calls := map[string]func() error{
		"a read":    func() error { _, err := s.View(t.Context()); return err },
		"a replay":  func() error { _, err := s.Do(t.Context(), accept("key", orders[0])); return err },
		"a refusal": func() error { _, err := s.Do(t.Context(), accept("", orders[0])); return err },
		"a look at replays": func() error {
			_, _, err := s.ReplayOrRefuse(t.Context(), accept("key", orders[0]))
			return err
		},
	}
	one.distrusts.Store(true)
	for what, call := range calls {
		refusedAsMoved(t, what, call())
	}
	if _, err := s.Do(t.Context(), accept("late", orders[1])); err != nil {
		t.Errorf("a write that the storage took: %v", err)
	}
	one.distrusts.Store(false)
	for what, call := range calls {
		if err := call(); err != nil && (what != "a refusal" || isProblem(err, problem.Unavailable)) {
			t.Errorf("%s of a server that trusts itself again: %v", what, err)
		}
	}
}

// TestAServerThatLostItsSessionForgetsEverything, and those who wait are told.
func TestAServerThatLostItsSessionForgetsEverything(t *testing.T) {
	t.Parallel()
	b, one, other := share(t)
	created := one.create(t)
	id := created.SandboxID
	old := one.Sandbox(id)
	v := b.view(old)
	order := b.received(old)[0]
	one.end(t)
	other.hold(t.Context(), id)
	s := other.Sandbox(id)
	if _, err := s.Do(t.Context(), accept("key", order)); err != nil {
		t.Fatal(err)
	}
	one.anew(t)
	select {
	case <-v.Changed():
	default:
		t.Error("a reader still waits for events")
	}
	_, err := old.View(t.Context())
	refusedAsMoved(t, "a read of what it had", err)
	_, err = old.Do(t.Context(), accept("key", order))
	refusedAsMoved(t, "a write to what it had", err)
	other.end(t)
	if got := b.view(one.Sandbox(id)).Version; got != v.Version+1 {
		t.Errorf("when it owns the sandbox again it shows version %d, want %d", got, v.Version+1)
	}
}

func TestAKeyThatWasRevokedElsewhereIsDeadHere(t *testing.T) {
	t.Parallel()
	b, one, other := share(t)
	created := one.create(t)
	b.view(other.Sandbox(created.SandboxID))
	if !b.works(created.OfficeKey) {
		t.Fatal("the key does not work to begin with")
	}
	if err := other.Revoke(t.Context(), created.OfficeKey); err != nil {
		t.Fatal(err)
	}
	other.end(t)
	b.view(one.Sandbox(created.SandboxID))
	if b.works(created.OfficeKey) {
		t.Error("the server that knew the key before lets it in")
	}
	if !b.works(created.FactoryKey) {
		t.Error("the other key does not work")
	}
}

// TestLeasesOfADeadServerGoOn: others announce the end of its sandboxes and delete them.
func TestLeasesOfADeadServerGoOn(t *testing.T) {
	t.Parallel()
	b, one, other := share(t)
	dead, ours := one.create(t).SandboxID, one.create(t).SandboxID
	b.view(one.Sandbox(dead))
	b.view(other.Sandbox(ours))
	b.pass(lease - time.Minute)
	other.Sweep(t.Context())
	if _, held := other.holds(dead); held {
		t.Fatal("a sandbox is taken from an owner that lives")
	}
	one.end(t)
	other.Sweep(t.Context())
	if events := b.announced(other.Sandbox(dead)); len(events) != 1 {
		t.Errorf("the end was announced %d times", len(events))
	}
	b.pass(time.Minute + grace)
	other.Sweep(t.Context())
	if left, err := b.store.Count(t.Context()); err != nil || left != 0 {
		t.Errorf("%d sandboxes are left, %v", left, err)
	}
	if len(other.held) != 0 {
		t.Errorf("claims are kept of sandboxes that are gone: %v", other.held)
	}
}

// TestRequestsOfTwoOwnersAreToldApart: nothing that refers to a request of one fits a
// request of the next.
func TestRequestsOfTwoOwnersAreToldApart(t *testing.T) {
	t.Parallel()
	b, one, other := share(t)
	id := one.create(t).SandboxID
	var newest []uint64
	for _, s := range []*server{one, other} {
		b.view(s.Sandbox(id))
		s.Sandbox(id).Note(desk.Call{ID: "req_1", At: b.registry.Now()})
		calls, last := s.Sandbox(id).Client().Calls.All()
		if len(calls) != 1 || calls[0].Ordinal != last {
			t.Fatalf("%v, %d", calls, last)
		}
		newest = append(newest, last)
		s.end(t)
	}
	if newest[0] == 0 || newest[1] <= newest[0] {
		t.Errorf("the ordinals of two owners are %v", newest)
	}
}

// TestASandboxThatMovesFromServerToServerLivesTheSameLife, in order or by surprise, also
// when the old owner goes on writing for a while.
func TestASandboxThatMovesFromServerToServerLivesTheSameLife(t *testing.T) {
	t.Parallel()
	for range 2 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			still := begin(t, seed, sim.Manual, nil)
			still.move = func(bool) {}
			still.live(stepsOfLife)
			moving, moves, late := moves(t, seed)
			moving.live(stepsOfLife)
			if *moves < 3 || *late < 1 {
				t.Fatalf("it moved %d times, with %d late writes", *moves, *late)
			}
			if want, got := still.life(t), moving.life(t); got != want {
				t.Errorf("the lives differ\n%s", firstDifference(got, want))
			} else {
				t.Logf("%d moves, %d late writes, %d lines of life the same", *moves, *late, strings.Count(got, "\n"))
			}
		})
	}
}

// moves returns a client whose sandbox moves whenever another one's server starts again.
func moves(t *testing.T, seed uint64) (c *client, moves, late *int) {
	t.Helper()
	b, one, other := share(t)
	c = &client{b: b, random: rand.New(rand.NewPCG(seed, 0))}
	c.id = one.create(t).SandboxID
	c.s = one.Sandbox(c.id)
	moves, late = new(int), new(int)
	c.move = func(inOrder bool) {
		old := c.s
		v := c.view()
		if inOrder {
			one.Close(t.Context())
		}
		one.end(t)
		c.s, b.registry = other.Sandbox(c.id), other.Registry
		if *moves++; !inOrder {
			c.view()
			_, err := old.Do(t.Context(), sandbox.Command{
				Scope: "office", Status: 200, Run: ran(func(tx *sandbox.Tx) error { return tx.Tick(1) }),
			})
			if err == nil {
				t.Error("the old owner wrote something")
			}
			old.Observe(t.Context(), &activity.Call{Status: 200, Answered: v.LastEventAt})
			*late++
		}
		one.anew(t)
		one, other = other, one
	}
	return c, moves, late
}

// TestNobodyIsKeptWaitingByAStorageThatHangs while a session ends.
func TestNobodyIsKeptWaitingByAStorageThatHangs(t *testing.T) {
	t.Parallel()
	b, one, _ := share(t)
	id := one.create(t).SandboxID
	s := one.Sandbox(id)
	order := b.received(s)[0]
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		cmd := accept("key", order)
		run := cmd.Run
		cmd.Run = func(tx *sandbox.Tx) (sandbox.Result, error) {
			close(inside)
			<-leave
			return run(tx)
		}
		_, err := s.Do(context.WithoutCancel(t.Context()), cmd)
		done <- err
	}()
	<-inside
	one.end(t)
	one.anew(t) // does not wait for the writer
	_, err := s.View(t.Context())
	refusedAsMoved(t, "a read of what the writer had begun with", err)
	v := b.view(one.Sandbox(id))
	close(leave)
	err = <-done
	refusedAsMoved(t, "a write that was under way", err)
	if errors.Is(err, errElsewhere) {
		t.Error("it was refused before it ran")
	}
	if got := b.view(one.Sandbox(id)); got.Version != v.Version {
		t.Errorf("it became version %d of the next session, which began with %d", got.Version, v.Version)
	}
	if used := one.Memory(); used.Companies != 1 {
		t.Errorf("%d companies are in memory, want that of the new session", used.Companies)
	}
}
