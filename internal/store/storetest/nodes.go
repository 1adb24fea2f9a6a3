package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"platen/internal/store"
)

// A NodeStore is a store that several servers share.
type NodeStore interface {
	store.Store
	store.Nodes
}

// nodeClaims are the requirements of store.Nodes. Each gets a storage that holds
// nothing, and two ways to it; the first error is the failure.
var nodeClaims = []struct {
	name  string
	check func(*sharing) error
}{
	{"ANodeIsListedUntilItLeaves", nodeIsListed},
	{"WhoJoinsIsAskedAboutTheOthers", joinAsks},
	{"ABeatMovesTheEndAndRevivesNobody", beatRevivesNobody},
	{"OnlyANodeWhoseTimeIsOverIsBuried", onlyOverdueAreBuried},
	{"ASandboxIsClaimedFromNobodyOrFromOneThatIsGone", claimsNeedABurial},
	{"OneOfManyClaimsWins", oneClaimWins},
	{"WhatIsWrittenUnderAnotherClaimIsFenced", otherClaimsAreFenced},
	{"AClaimComesBeforeACommitOrAfterIt", claimsAndCommits},
	{"ClaimsAreDurable", claimsAreDurable},
	{"ASandboxGoesToANodeThatCanGoOnWithIt", claimsFollowTheEngine},
	{"DueSandboxesAreClaimedByOneNode", dueAreClaimedOnce},
	{"SandboxesThatARecordNamesAreClaimed", namedAreClaimed},
	{"ARoleIsHeldByOneNode", roleIsHeldByOne},
}

// RunNodes checks each sentence of store.Nodes against an engine. fresh makes a storage
// that holds nothing, and opens it each time that what it returns is called.
func RunNodes(t *testing.T, fresh func(t *testing.T) func(ctx context.Context) (NodeStore, error)) {
	t.Helper()
	for _, claim := range nodeClaims {
		t.Run(claim.name, func(t *testing.T) {
			t.Parallel()
			if err := checkNodes(t, fresh(t), claim.check); err != nil {
				t.Error(err)
			}
		})
	}
}

// BrokenClaims lists the requirements of store.Nodes that an engine does not meet, to
// show that the suite sees defects that it plants.
func BrokenClaims(t *testing.T, fresh func(t *testing.T) func(ctx context.Context) (NodeStore, error)) []string {
	t.Helper()
	var broken []string
	for _, claim := range nodeClaims {
		if checkNodes(t, fresh(t), claim.check) != nil {
			broken = append(broken, claim.name)
		}
	}
	return broken
}

func checkNodes(t *testing.T, open func(ctx context.Context) (NodeStore, error), check func(*sharing) error) error {
	t.Helper()
	s := &sharing{Context: t.Context()}
	for _, way := range []*NodeStore{&s.a, &s.b} {
		opened, err := open(t.Context())
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		t.Cleanup(func() {
			if err := opened.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		*way = opened
	}
	return check(s)
}

// sharing is one storage with two servers.
type sharing struct {
	context.Context

	a, b NodeStore
}

const (
	// long is a lifetime that ends in no test, over one that has ended before it
	// began.
	long = time.Hour
	over = -time.Second
)

func alone(store.Node) error { return nil }

func nodeOf(session store.Session) store.Node {
	return store.Node{Session: session, Address: "node-" + string(session) + ":7000", Settings: "alike", Name: "the " +
		string(session)}
}

// join lets two nodes join, a by the first way and b by the second.
func (s *sharing) join() error {
	return errors.Join(s.a.Join(s, nodeOf("a"), long, alone), s.b.Join(s, nodeOf("b"), long, alone))
}

// create makes a sandbox of one commit, and claims it for the node a.
func (s *sharing) create(id string) (store.Fence, error) {
	if err := s.a.Commit(s, commitOf(id, 1)); err != nil {
		return store.Fence{}, err
	}
	return s.a.Claim(s, id, store.Fence{}, "a")
}

func wants(what string, err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("%s: got %v, want %w", what, err, want) //nolint:errorlint // the test fails either way
}

func equal[T any](what string, got, want T) error {
	if diff := difference(got, want); diff != "" {
		return fmt.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
	return nil
}

func (s *sharing) sessions() ([]store.Session, error) {
	list, err := s.b.Living(s)
	sessions := []store.Session{}
	for _, n := range list {
		sessions = append(sessions, n.Session)
	}
	return sessions, err
}

// listed checks which nodes there are.
func (s *sharing) listed(want ...store.Session) error {
	got, err := s.sessions()
	return errors.Join(err, equal("the list of nodes", got, append([]store.Session{}, want...)))
}

func nodeIsListed(s *sharing) error {
	if err := s.join(); err != nil {
		return err
	}
	list, err := s.b.Living(s)
	if err != nil {
		return err
	}
	for i, session := range []store.Session{"a", "b"} {
		n := list[i]
		if lifetime := n.Until.Sub(n.StartedAt); lifetime != long {
			return fmt.Errorf("node %s lives for %s, want %s", session, lifetime, long)
		}
		n.StartedAt, n.Until = time.Time{}, time.Time{}
		if err := equal("a node", n, nodeOf(session)); err != nil {
			return err
		}
	}
	return errors.Join(s.listed("a", "b"), s.a.Leave(s, "a"), s.listed("b"), s.a.Leave(s, "a"), s.listed("b"))
}

func joinAsks(s *sharing) error {
	if err := s.join(); err != nil {
		return err
	}
	asked := []store.Session{}
	refusal := errors.New("not with that one")
	err := s.a.Join(s, nodeOf("c"), long, func(other store.Node) error {
		if asked = append(asked, other.Session); other.Session == "b" {
			return refusal
		}
		return nil
	})
	return errors.Join(wants("a node that fits not", err, refusal),
		equal("who was asked about", asked, []store.Session{"a", "b"}), s.listed("a", "b"),
		s.a.Join(s, nodeOf("d"), over, alone), s.b.Join(s, nodeOf("e"), long, func(other store.Node) error {
			if other.Session == "d" {
				return errors.New("asked about a node whose time is over")
			}
			return nil
		}), s.listed("a", "b", "e"))
}

func beatRevivesNobody(s *sharing) error {
	if err := s.a.Join(s, nodeOf("a"), over, alone); err != nil {
		return err
	}
	before, err := s.a.Beat(s, "a", long)
	if err != nil {
		return err
	}
	list, err := s.b.Living(s)
	if err != nil {
		return err
	}
	if lives := list[0].Until.Sub(before); lives != long {
		return fmt.Errorf("after a beat it lives for %s, want %s", lives, long)
	}
	if _, err := s.a.Beat(s, "a", over); err != nil {
		return err
	}
	if list, err = s.b.Living(s); err != nil || list[0].Until.Sub(before) < long {
		return fmt.Errorf("a shorter beat takes time away: %v, %w", list[0].Until.Sub(before), err)
	}
	if gone, err := s.b.Bury(s, "a", true); err != nil || !gone {
		return fmt.Errorf("bury a node that has ended: %t, %w", gone, err)
	}
	_, err = s.a.Beat(s, "a", long)
	return errors.Join(wants("a beat of a node that was buried", err, store.ErrNotFound), s.listed())
}

func onlyOverdueAreBuried(s *sharing) error {
	if err := errors.Join(s.join(), s.a.Join(s, nodeOf("c"), over, alone), s.listed("a", "b", "c")); err != nil {
		return err
	}
	if gone, err := s.a.Bury(s, "b", false); err != nil || gone {
		return fmt.Errorf("bury one that lives: %t, %w", gone, err)
	}
	if gone, err := s.a.Bury(s, "c", false); err != nil || !gone {
		return fmt.Errorf("bury one whose time is over: %t, %w", gone, err)
	}
	if gone, err := s.a.Bury(s, "c", false); err != nil || !gone {
		return fmt.Errorf("bury one that is gone: %t, %w", gone, err)
	}
	if err := errors.Join(s.listed("a", "b"), s.a.Join(s, nodeOf("d"), over, alone)); err != nil {
		return err
	}
	buried, err := s.b.BuryOverdue(s)
	return errors.Join(err, equal("how many were buried", buried, 1), s.listed("a", "b"))
}

// owned checks what a look at a sandbox says.
func (s *sharing) owned(id string, fence store.Fence, node store.Session) error {
	o, err := s.b.Look(s, id)
	got := store.Session("")
	if o.Node != nil {
		got = o.Node.Session
	}
	return errors.Join(err, equal("the claim of "+id, o.Fence, fence), equal("the owner of "+id, got, node))
}

func claimsNeedABurial(s *sharing) error {
	if err := errors.Join(s.join(), s.a.Commit(s, commitOf("s", 1)), s.owned("s", store.Fence{}, "")); err != nil {
		return err
	}
	_, err := s.a.Look(s, "none")
	failures := errors.Join(wants("a look at none", err, store.ErrNotFound))
	_, err = s.a.Claim(s, "none", store.Fence{}, "a")
	failures = errors.Join(failures, wants("a claim of none", err, store.ErrConflict))
	_, err = s.a.Claim(s, "s", store.Fence{}, "c")
	failures = errors.Join(failures, wants("a claim by no node", err, store.ErrConflict))
	_, err = s.a.Claim(s, "s", store.Fence{Owner: "b", Epoch: 1}, "a")
	failures = errors.Join(failures, wants("a claim after one that was not", err, store.ErrConflict))
	first, err := s.a.Claim(s, "s", store.Fence{}, "a")
	want := store.Fence{Owner: "a", Epoch: 1}
	failures = errors.Join(failures, err, equal("the first claim", first, want), s.owned("s", want, "a"))
	for _, seen := range []store.Fence{{}, first} {
		_, err = s.b.Claim(s, "s", seen, "b")
		failures = errors.Join(failures, wants("a claim of what another node has", err, store.ErrConflict))
	}
	failures = errors.Join(failures, s.a.Leave(s, "a"), s.owned("s", want, ""))
	_, err = s.b.Claim(s, "s", store.Fence{}, "b")
	failures = errors.Join(failures, wants("a claim by what was seen long ago", err, store.ErrConflict))
	second, err := s.b.Claim(s, "s", first, "b")
	want = store.Fence{Owner: "b", Epoch: 2}
	return errors.Join(failures, err, equal("the second claim", second, want), s.owned("s", want, "b"))
}

func oneClaimWins(s *sharing) error {
	const sandboxes, claimers = 20, 4
	if err := s.join(); err != nil {
		return err
	}
	for i := range sandboxes {
		if err := s.a.Commit(s, commitOf(fmt.Sprint("s", i), 1)); err != nil {
			return err
		}
	}
	var mu sync.Mutex // guards the fields below
	won := map[string]store.Fence{}
	var failures error
	var running sync.WaitGroup
	for c := range claimers {
		running.Go(func() {
			way, session := s.a, store.Session("a")
			if c%2 == 1 {
				way, session = s.b, "b"
			}
			for i := range sandboxes {
				id := fmt.Sprint("s", i)
				claim, err := way.Claim(s, id, store.Fence{}, session)
				mu.Lock()
				switch {
				case err == nil && won[id] != store.Fence{}:
					failures = errors.Join(failures, fmt.Errorf("%s was claimed twice", id))
				case err == nil:
					won[id] = claim
				case !errors.Is(err, store.ErrConflict):
					failures = errors.Join(failures, err)
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for i := range sandboxes {
		id := fmt.Sprint("s", i)
		failures = errors.Join(failures, s.owned(id, won[id], won[id].Owner))
	}
	return failures
}

func dueAreClaimedOnce(s *sharing) error {
	const sandboxes = 12
	if err := s.join(); err != nil {
		return err
	}
	for i := range sandboxes {
		c := commitOf(fmt.Sprintf("s%02d", i), 1)
		c.Header.WakeAt = firstWakeAt.Add(time.Duration(i) * time.Minute)
		if err := s.a.Commit(s, c); err != nil {
			return err
		}
	}
	// The first is a's, the second is of a node that is gone, the last two are not due.
	claim, err := s.a.Claim(s, "s00", store.Fence{}, "a")
	if err := errors.Join(err, s.a.Join(s, nodeOf("c"), long, alone)); err != nil {
		return err
	}
	gone, err := s.a.Claim(s, "s01", store.Fence{}, "c")
	if err := errors.Join(err, s.a.Leave(s, "c")); err != nil {
		return err
	}
	due := firstWakeAt.Add((sandboxes - 3) * time.Minute)
	nobody, err := s.a.ClaimDue(s, "c", due, sandboxes)
	failures := errors.Join(err, equal("what no node claims", len(nobody), 0))
	first, err := s.a.ClaimDue(s, "a", due, 3)
	failures = errors.Join(failures, err,
		equal("the first that are due", asSet(first), asSet([]string{"s01", "s02", "s03"})), s.owned("s00", claim, "a"),
		s.owned("s01", store.Fence{Owner: "a", Epoch: gone.Epoch + 1}, "a"))
	var running sync.WaitGroup
	claimed := make([][]string, 2)
	errs := make([]error, 2)
	for i, way := range []NodeStore{s.a, s.b} {
		running.Go(func() { claimed[i], errs[i] = way.ClaimDue(s, []store.Session{"a", "b"}[i], due, sandboxes) })
	}
	running.Wait()
	// Those that one passed over, because the other was at them, the other has.
	all := append(claimed[0], claimed[1]...)
	rest := []string{"s04", "s05", "s06", "s07", "s08", "s09"}
	return errors.Join(failures, errors.Join(errs...), equal("how many were claimed", len(all), len(rest)),
		equal("the rest that is due", asSet(all), asSet(rest)), s.owned("s10", store.Fence{}, ""))
}

func namedAreClaimed(s *sharing) error {
	if err := s.join(); err != nil {
		return err
	}
	t := farFuture.Add(-2 * time.Hour)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		if err := s.a.Commit(s, commitOf(id, 1)); err != nil {
			return err
		}
	}
	over := recordOf("serves", "d")
	over.EndsAt = t
	fence, err := s.b.Claim(s, "b", store.Fence{}, "b")
	if err := errors.Join(err, s.a.Write(s, []store.Write{
		add(recordOf("serves", "a")), add(recordOf("serves", "b")), add(recordOf("serves", "c")), add(over),
		add(recordOf("serves", "none")), add(recordOf("other", "e")),
	})); err != nil {
		return err
	}
	first, err := s.a.ClaimNamed(s, "a", "serves", t, 1)
	failures := errors.Join(err, equal("the first", first, []string{"a"}))
	rest, err := s.b.ClaimNamed(s, "b", "serves", t, 9)
	return errors.Join(failures, err, equal("the rest", rest, []string{"c"}), s.owned("b", fence, "b"),
		s.owned("d", store.Fence{}, ""), s.owned("e", store.Fence{}, ""))
}

// claimsFollowTheEngine: a and b have one version, c another, and there are sandboxes of
// both, and one of a third.
func claimsFollowTheEngine(s *sharing) error {
	const kind = "serves"
	join := func(session store.Session, engine int) error {
		n := nodeOf(session)
		n.Engine = engine
		return s.a.Join(s, n, long, alone)
	}
	create := func(id string, engine int) error {
		c := commitOf(id, 1)
		c.Engine, c.Header.WakeAt = engine, firstWakeAt
		return errors.Join(s.a.Commit(s, c), s.a.Write(s, []store.Write{add(recordOf(kind, id))}))
	}
	if err := errors.Join(join("a", 1), join("c", 2), create("one", 1), create("two", 2),
		create("three", 3)); err != nil {
		return err
	}
	look := func(id string, engine int, able store.Session) error {
		o, err := s.b.Look(s, id)
		got := store.Session("")
		if o.Able != nil {
			got = o.Able.Session
		}
		return errors.Join(err, equal("the version of "+id, o.Engine, engine), equal("who is able to "+id, got, able))
	}
	failures := errors.Join(look("one", 1, "a"), look("two", 2, "c"), look("three", 3, ""))
	// No one gets what another one is able to.
	_, err := s.b.Claim(s, "one", store.Fence{}, "c")
	failures = errors.Join(failures, wants("a claim by one that cannot go on with it", err, store.ErrConflict))
	due, err := s.b.ClaimDue(s, "c", firstWakeAt, 9)
	failures = errors.Join(failures, err, equal("what is due for c", asSet(due), asSet([]string{"two", "three"})))
	named, err := s.a.ClaimNamed(s, "a", kind, firstWakeAt, 9)
	failures = errors.Join(failures, err, equal("what is named for a", named, []string{"one"}))
	// Without any other, one that is not able has them until one comes that is.
	one := store.Fence{Owner: "a", Epoch: 1}
	failures = errors.Join(failures, s.owned("one", one, "a"), s.a.Leave(s, "a"))
	if one, err = s.b.Claim(s, "one", one, "c"); err != nil {
		return errors.Join(failures, err)
	}
	failures = errors.Join(failures, join("d", 2), s.owned("one", one, "c"))
	_, err = s.b.Claim(s, "one", one, "d")
	failures = errors.Join(failures, wants("a claim by another that is not able", err, store.ErrConflict), join("b", 1))
	late := commitOf("one", 2)
	late.Fence = one
	if one, err = s.b.Claim(s, "one", one, "b"); err != nil {
		return errors.Join(failures, err)
	}
	return errors.Join(failures, s.owned("one", one, "b"), look("one", 1, "b"),
		wants("a commit of the one before", s.a.Commit(s, late), store.ErrFenced))
}

func asSet(list []string) map[string]bool {
	set := map[string]bool{}
	for _, one := range list {
		set[one] = true
	}
	return set
}

func roleIsHeldByOne(s *sharing) error {
	if err := s.join(); err != nil {
		return err
	}
	var failures error
	_, _, err := s.a.Assume(s, "admission", "c")
	failures = errors.Join(failures, wants("a role for no node", err, store.ErrNotFound))
	holder, first, err := s.a.Assume(s, "admission", "a")
	failures = errors.Join(failures, err, equal("the holder", holder, "a"))
	for _, session := range []store.Session{"a", "b"} {
		holder, record, err := s.b.Assume(s, "admission", session)
		failures = errors.Join(failures, err, equal("who holds it still", holder, "a"),
			equal("the record of that", record, first))
	}
	holder, other, err := s.b.Assume(s, "another", "b")
	failures = errors.Join(failures, err, equal("the holder of another", holder, "b"))
	kept := add(recordOf("r", "x"))
	failures = errors.Join(failures, s.a.Write(s, []store.Write{match(first), kept}), s.a.Leave(s, "a"))
	holder, second, err := s.b.Assume(s, "admission", "b")
	failures = errors.Join(failures, err, equal("who takes over", holder, "b"))
	late := add(recordOf("r", "y"))
	creation := commitOf("s", 1)
	creation.Records = []store.Write{match(first), late}
	failures = errors.Join(failures,
		wants("a write of the one before", s.a.Write(s, []store.Write{match(first), late}), store.ErrConflict),
		wants("a creation of the one before", s.a.Commit(s, creation), store.ErrConflict))
	creation.Records = []store.Write{match(second), match(other), late}
	return errors.Join(failures, s.b.Commit(s, creation))
}
