package node_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/cluster/node"
	"platen/internal/cluster/ownership"
	"platen/internal/store"
	"platen/internal/store/sqlite"
	"platen/internal/store/storetest"
)

// wire is a node's way to the storage, which can be cut: then nothing that is sent
// arrives, and nothing comes back.
type wire struct {
	*storetest.Handle

	cut     atomic.Bool
	looks   atomic.Int64
	assumes atomic.Int64
}

// Assume counts how often it was asked.
func (w *wire) Assume(
	ctx context.Context, role string, s store.Session,
) (store.Session, store.Record, error) {
	w.assumes.Add(1)
	return w.Handle.Assume(ctx, role, s)
}

// Look counts how often it was asked.
func (w *wire) Look(ctx context.Context, sandboxID string) (store.Owned, error) {
	w.looks.Add(1)
	return w.Handle.Look(ctx, sandboxID)
}

func (w *wire) Beat(ctx context.Context, s store.Session, lifetime time.Duration) (time.Time, error) {
	if w.cut.Load() {
		<-ctx.Done()
		return time.Time{}, ctx.Err()
	}
	return w.Handle.Beat(ctx, s, lifetime)
}

// pass lets time pass in a bubble.
func pass(d time.Duration) { <-time.After(d) }

// passBeats lets every node of a bubble beat twice. None is at it when this returns, as
// one would be for which that is the very moment.
func passBeats() { pass(5 * ownership.Standard().Beat / 2) }

// member is a node with what a test looks at.
type member struct {
	*node.Node

	wire *wire
	lost atomic.Int64
	// ahead is how much its wall clock is ahead of the storage's.
	ahead atomic.Int64
	// standing is set when its other clock stops, as some do while a machine sleeps.
	standing atomic.Bool
	stood    atomic.Int64
}

// cluster is a storage with nodes, all in one bubble.
type cluster struct {
	t      *testing.T
	shared *storetest.Shared
}

// inCluster runs a test in a bubble, where seconds take no time.
func inCluster(t *testing.T, test func(t *testing.T, c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		test(t, &cluster{t, storetest.NewShared(db, time.Now)})
	})
}

// member returns a node that has not joined.
func (c *cluster) member(address, settings string, engine int) *member {
	m := &member{wire: &wire{Handle: c.shared.Handle()}}
	began := time.Now()
	m.Node = node.New(node.Options{
		Nodes: m.wire, Address: address, Settings: settings, Name: "the node at " + address, Engine: engine,
		Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Now().Add(time.Duration(m.ahead.Load())) },
		Boot: func() time.Duration {
			if !m.standing.Load() {
				m.stood.Store(int64(time.Since(began)))
			}
			return time.Duration(m.stood.Load())
		},
		Lost: func() { m.lost.Add(1) },
	})
	return m
}

// join returns a node that has joined, and stops at the end of the test.
func (c *cluster) join(address string) *member {
	c.t.Helper()
	return c.joinWith(address, 0)
}

// joinWith is join for a node with a version of the simulation.
func (c *cluster) joinWith(address string, engine int) *member {
	c.t.Helper()
	m := c.member(address, "alike", engine)
	if err := m.Start(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { m.Stop(context.Background()) })
	return m
}

// create makes a sandbox that nobody owns.
func (c *cluster) create(id string) {
	c.t.Helper()
	c.createWith(id, 0)
}

// createWith is create for a sandbox that a version began.
func (c *cluster) createWith(id string, engine int) {
	c.t.Helper()
	err := c.shared.Handle().Commit(c.t.Context(), store.Commit{
		SandboxID: id, Version: 1, Engine: engine,
		Header: &store.Sandbox{ID: id, OfficeKey: store.KeyHash{1, id[0]}},
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// hold makes a sandbox a node's.
func (c *cluster) hold(m *member, id string, epoch uint64) {
	c.t.Helper()
	got, err := m.Hold(c.t.Context(), id)
	if want := (store.Fence{Owner: m.Session(), Epoch: epoch}); err != nil || got != want {
		c.t.Fatalf("hold %s: %v, %v, want %v", id, got, err, want)
	}
}

// next checks what a search does next.
func (c *cluster) next(s *node.Search, want ownership.Step, wantErr error) {
	c.t.Helper()
	step, err := s.Next(c.t.Context())
	if !errors.Is(err, wantErr) || err == nil && step != want {
		c.t.Fatalf("step %d, %v, want %d, %v", step, err, want, wantErr)
	}
}

func TestASandboxIsHeldByOneNode(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join("a:1"), c.join("b:1")
		c.create("s")
		c.hold(a, "s", 1)
		c.hold(a, "s", 1)
		if _, err := b.Hold(t.Context(), "s"); !errors.Is(err, node.ErrElsewhere) {
			t.Fatalf("the other node: %v", err)
		}
		if err := a.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.hold(b, "s", 2)
		if _, err := a.Hold(t.Context(), "s"); !errors.Is(err, node.ErrDistrust) {
			t.Errorf("one that has stopped: %v", err)
		}
	})
}

// TestMemoryIsTrustedWhileNobodyCanBuryTheNode, and no longer, also when the wall clock
// is set meanwhile.
func TestMemoryIsTrustedWhileNobodyCanBuryTheNode(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]func(*member){
		"clocks are right": func(*member) {},
		"set back":         func(m *member) { m.ahead.Store(int64(-time.Hour)) },
		"set forward":      func(m *member) { m.ahead.Store(int64(time.Hour)) },
		"asleep":           func(m *member) { m.standing.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCluster(t, func(t *testing.T, c *cluster) {
				a, b := c.join("a:1"), c.join("b:1")
				c.create("s")
				c.hold(a, "s", 1)
				pass(time.Minute)
				if !a.Trusted() || a.lost.Load() > 0 {
					t.Fatal("a node that beats does not trust itself")
				}
				a.wire.cut.Store(true)
				wrong(a)
				trusted, buried := time.Duration(0), time.Duration(0)
				for began := time.Now(); buried == 0; pass(10 * time.Millisecond) {
					if a.Trusted() {
						trusted = time.Since(began)
					}
					if list, _ := b.wire.Living(t.Context()); len(list) == 1 {
						buried = time.Since(began)
					}
				}
				terms := ownership.Standard()
				if margin := buried - trusted; margin < terms.Margin {
					t.Errorf("it trusts itself for %s and is buried after %s", trusted, buried)
				}
				if a.ahead.Load() == 0 && trusted < terms.Lifetime-terms.Margin-terms.Beat-time.Second {
					t.Errorf("it trusts itself for %s only", trusted)
				}
				c.hold(b, "s", 2)
				a.wire.cut.Store(false)
				pass(2 * terms.Lifetime)
				if a.lost.Load() != 1 || !a.Trusted() {
					t.Errorf("it lost %d sessions, and trusts itself: %t", a.lost.Load(), a.Trusted())
				}
				if _, err := a.Hold(t.Context(), "s"); !errors.Is(err, node.ErrElsewhere) {
					t.Errorf("the old owner: %v", err)
				}
			})
		})
	}
}

// TestAShortCutCostsNoSession: nobody has buried the node, so all is as it was.
func TestAShortCutCostsNoSession(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		a := c.join("a:1")
		c.create("s")
		c.hold(a, "s", 1)
		session := a.Session()
		a.wire.cut.Store(true)
		pass(time.Minute) // nobody is there to bury it
		c.next(a.Search("s", false), 0, node.ErrDistrust)
		a.wire.cut.Store(false)
		pass(5 * time.Second)
		if a.Session() != session || a.lost.Load() > 0 {
			t.Error("it has another session")
		}
		c.hold(a, "s", 1)
	})
}

// owned returns two nodes, of which the first owns a sandbox, and a search of the second
// that is about to be sent on.
func (c *cluster) owned() (a, b *member, s *node.Search) {
	c.t.Helper()
	a, b = c.join("a:1"), c.join("b:1")
	c.create("s")
	c.hold(a, "s", 1)
	s = b.Search("s", false)
	c.next(s, ownership.Forward, nil)
	if s.Owner().Address != "a:1" || s.Known() != (store.Fence{Owner: a.Session(), Epoch: 1}) {
		c.t.Fatalf("it is sent to %+v", s.Owner())
	}
	return a, b, s
}

// TestANodeRemembersWhoOwnsWhat, and does not ask the storage for each request. Its
// memory may be old.
func TestANodeRemembersWhoOwnsWhat(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b, _ := c.owned()
		x := c.join("x:1")
		passBeats() // all have seen who is there
		looks := b.wire.looks.Load()
		c.next(b.Search("s", false), ownership.Forward, nil)
		c.next(b.Search("s", false), ownership.Forward, nil)
		if n := b.wire.looks.Load() - looks; n != 0 {
			t.Errorf("it looked %d times", n)
		}
		// The owner ends, and another node is the new one.
		if err := a.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.hold(x, "s", 2)
		s := b.Search("s", false)
		c.next(s, ownership.Forward, nil)
		if s.Owner().Address != "a:1" {
			t.Fatalf("it is sent to %+v", s.Owner())
		}
		s.Absent()
		c.next(s, ownership.Forward, nil)
		s.Absent()
		c.next(s, ownership.Forward, nil)
		if s.Owner().Address != "x:1" {
			t.Errorf("it is sent to %+v", s.Owner())
		}
		// A node that was told keeps that in mind, and one that is gone is out of mind.
		s = b.Search("s", false)
		c.next(s, ownership.Forward, nil)
		if s.Owner().Address != "x:1" {
			t.Errorf("then it is sent to %+v", s.Owner())
		}
		if err := x.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		passBeats()
		c.next(b.Search("s", false), ownership.Serve, nil)
	})
}

// TestARoleIsHadForAsLongAsItsNodeLives, and asked for once.
func TestARoleIsHadForAsLongAsItsNodeLives(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join("a:1"), c.join("b:1")
		first := a.Role("admission", false)
		c.next(first, ownership.Serve, nil)
		passBeats()
		c.next(b.Role("admission", false), ownership.Forward, nil)
		for range 3 {
			again, sent := a.Role("admission", true), b.Role("admission", false)
			c.next(again, ownership.Serve, nil)
			if string(again.Record().Body) != string(first.Record().Body) {
				t.Errorf("its record is %q, and was %q", again.Record().Body, first.Record().Body)
			}
			c.next(sent, ownership.Forward, nil)
			if sent.Owner().Session != a.Session() {
				t.Errorf("it is sent to %+v", sent.Owner())
			}
		}
		if n, m := a.wire.assumes.Load(), b.wire.assumes.Load(); n != 1 || m != 1 {
			t.Errorf("they asked for it %d and %d times", n, m)
		}
		if err := a.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.next(a.Role("admission", false), 0, node.ErrDistrust)
		lost := b.Role("admission", false)
		c.next(lost, ownership.Forward, nil) // it has not looked since
		lost.Absent()
		c.next(lost, ownership.Forward, nil)
		lost.Absent()
		c.next(lost, ownership.Serve, nil)
		if string(lost.Record().Body) == string(first.Record().Body) {
			t.Error("two nodes have the same record of a role")
		}
	})
}

func TestAnOwnerThatHasEndedIsBuriedAtOnce(t *testing.T) {
	t.Parallel()
	inCluster(t, func(_ *testing.T, c *cluster) {
		_, b, s := c.owned()
		s.Absent()
		c.next(s, ownership.Forward, nil) // a mistake of the network, perhaps
		s.Absent()
		c.next(s, ownership.Serve, nil)
		c.hold(b, "s", 2)
	})
}

func TestAnOwnerWhoseAddressHasAnotherSessionIsBuriedAtOnce(t *testing.T) {
	t.Parallel()
	inCluster(t, func(_ *testing.T, c *cluster) {
		_, b, s := c.owned()
		s.Replaced()
		c.next(s, ownership.Serve, nil)
		c.hold(b, "s", 2)
	})
}

func TestAnOwnerThatIsSilentIsBuriedWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	for name, tell := range map[string]func(*node.Search){
		"silent":      func(s *node.Search) { s.Silent(); s.Silent() },
		"distrusting": (*node.Search).Distrusting,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCluster(t, func(_ *testing.T, c *cluster) {
				a, b, s := c.owned()
				tell(s)
				c.next(s, 0, node.ErrUnsettled)
				a.wire.cut.Store(true)
				s = b.Search("s", false)
				c.next(s, ownership.Forward, nil)
				pass(ownership.Standard().Lifetime + time.Second)
				tell(s)
				c.next(s, ownership.Serve, nil)
				c.hold(b, "s", 2)
			})
		})
	}
}

func TestARequestFollowsAMoveOnce(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		a, _, s := c.owned()
		x := c.join("x:1")
		list, err := x.wire.Living(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		moved := list[2]
		s.Misdirected(store.Fence{Owner: x.Session(), Epoch: 2}, &moved)
		c.next(s, ownership.Forward, nil)
		if s.Owner().Address != "x:1" {
			t.Errorf("it is sent to %+v", s.Owner())
		}
		s.Misdirected(store.Fence{}, nil)
		c.next(s, ownership.Refuse, node.ErrUnsettled)
		c.hold(a, "s", 1)
	})
}

func TestARequestThatWasSentOnIsNeverSentOnAgain(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b, _ := c.owned()
		s := b.Search("s", true)
		c.next(s, ownership.Misdirect, nil)
		if s.Owner().Session != a.Session() {
			t.Errorf("it says that the owner is %+v", s.Owner())
		}
		c.create("t")
		c.next(b.Search("t", true), ownership.Serve, nil) // nobody's: the sender means this node to claim it
		c.next(a.Search("s", true), ownership.Serve, nil)
	})
}

// TestEachVersionGetsItsOwnSandboxes: while a new version takes the place of an old one,
// a request goes to a node that can go on with the sandbox, and only when there is none
// does the node that has it say so.
func TestEachVersionGetsItsOwnSandboxes(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		old, recent := c.joinWith("a:1", 1), c.joinWith("b:1", 2)
		c.createWith("s", 1)
		search := recent.Search("s", false)
		c.next(search, ownership.Forward, nil)
		if search.Owner().Session != old.Session() {
			t.Errorf("a sandbox of version 1 goes to %+v", search.Owner())
		}
		c.next(old.Search("s", true), ownership.Serve, nil)
		c.hold(old, "s", 1)
		search = recent.Search("s", false)
		c.next(search, ownership.Forward, nil) // its owner now
		search.Absent()
		c.next(search, ownership.Forward, nil)
		// The old version ends, and may come back at once. When it does not, the new one
		// has the sandbox, to say what became of it.
		passBeats()
		if err := old.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		search = recent.Search("s", false)
		c.next(search, ownership.Forward, nil) // it has not looked since
		search.Absent()
		c.next(search, ownership.Forward, nil)
		search.Absent()
		c.next(search, 0, node.ErrUnsettled)
		pass(time.Minute)
		c.next(recent.Search("s", false), ownership.Serve, nil)
		c.next(recent.Search("s", false), ownership.Serve, nil)
		if fence, held := recent.Held("s"); !held || fence.Epoch != 2 {
			t.Errorf("after the old version's end: %+v, %t", fence, held)
		}
		// Back again, it goes on with it, wherever a request arrives first.
		old = c.joinWith("a:1", 1)
		search = recent.Search("s", false)
		c.next(search, ownership.Forward, nil)
		if search.Owner().Session != old.Session() {
			t.Errorf("a sandbox of version 1 goes to %+v", search.Owner())
		}
		c.next(old.Search("s", false), ownership.Serve, nil)
		c.hold(old, "s", 3)
		// A node that is to claim it and is not there is not asked for again and again.
		c.createWith("t", 1)
		search = recent.Search("t", false)
		c.next(search, ownership.Forward, nil)
		search.Absent()
		c.next(search, ownership.Refuse, node.ErrUnsettled)
	})
}

func TestASandboxThatIsGoneIsSaidToBe(t *testing.T) {
	t.Parallel()
	inCluster(t, func(_ *testing.T, c *cluster) {
		a := c.join("a:1")
		c.next(a.Search("none", false), 0, store.ErrNotFound)
	})
}

// TestAFencedWriteGivesTheSandboxUp: the node asks again who owns it.
func TestAFencedWriteGivesTheSandboxUp(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b, _ := c.owned()
		claim, err := a.Hold(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.wire.Bury(t.Context(), a.Session(), true); err != nil {
			t.Fatal(err)
		}
		c.hold(b, "s", 2)
		a.Fenced("s", claim)
		if _, err := a.Hold(t.Context(), "s"); !errors.Is(err, node.ErrElsewhere) {
			t.Errorf("after a fenced write: %v", err)
		}
		if got := a.Figures().Fenced; got != 1 {
			t.Errorf("%d writes were fenced", got)
		}
	})
}

func TestOnlyNodesThatFitWorkTogether(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]struct{ first, second, secondSettings, says string }{
		"other settings":        {"a:1", "b:1", "other", "other settings: the node at a:1"},
		"beside one alone":      {"", "b:1", "alike", "for itself: the node at "},
		"alone beside another":  {"a:1", "", "alike", "give this one a node-address"},
		"the same address anew": {"a:1", "a:1", "alike", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCluster(t, func(t *testing.T, c *cluster) {
				first := c.join(others.first)
				second := c.member(others.second, others.secondSettings, 0)
				err := second.Start(t.Context())
				defer second.Stop(t.Context())
				if (err == nil) != (others.says == "") || err != nil && !strings.Contains(err.Error(), others.says) {
					t.Fatalf("it is told %v", err)
				}
				list, err := first.wire.Living(t.Context())
				if err != nil || len(list) != 1 || (list[0].Session == first.Session()) != (others.says != "") {
					t.Errorf("the nodes are %v, %v", list, err)
				}
			})
		})
	}
}

func TestANodeThatCannotBeReachedDoesNotJoin(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		n := node.New(node.Options{
			Nodes: c.shared.Handle(), Address: "a:1", Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Prove: func(context.Context) error { return errors.New("somebody else is there") },
		})
		if err := n.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "a:1: somebody else is there") {
			t.Errorf("it is told %v", err)
		}
		if list, err := c.shared.Handle().Living(t.Context()); err != nil || len(list) > 0 {
			t.Errorf("the nodes are %v, %v", list, err)
		}
	})
}

// TestAllNodesGoByTheClockOfTheStorage, whatever their own says.
func TestAllNodesGoByTheClockOfTheStorage(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		a := c.join("a:1")
		for _, ahead := range []time.Duration{0, time.Hour, -3 * time.Minute} {
			a.ahead.Store(int64(ahead))
			pass(10 * time.Second)
			if off := time.Until(a.Now()); off != 0 {
				t.Errorf("a clock that is %s ahead makes it go by one that is %s off", ahead, off)
			}
		}
	})
}

// TestNobodyWaitsForASessionThatIsOver, and others are waited for.
func TestNobodyWaitsForASessionThatIsOver(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b, x := c.join("a:1"), c.join("b:1"), c.join("x:1")
		gone, end := b.Await(t.Context(), a.Session())
		defer end()
		there, endThere := b.Await(t.Context(), x.Session())
		defer endThere()
		a.wire.cut.Store(true)
		began := time.Now()
		<-gone.Done()
		terms := ownership.Standard()
		took, cause := time.Since(began), context.Cause(gone)
		if took > terms.Lifetime+2*terms.Beat || !errors.Is(cause, node.ErrEnded) {
			t.Errorf("it ended after %s: %v", took, cause)
		}
		if there.Err() != nil {
			t.Error("nobody waits any more for one that lives")
		}
	})
}
