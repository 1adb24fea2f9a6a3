package sandbox_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
	"platen/internal/words/problem"
	"platen/test/testclient"
)

// flips is the number of bits that are changed, one at a time.
var flips = testclient.Few(60, 200)

// TestNoBitThatADiskChangesIsServed changes one random bit of a commit or a snapshot
// in the file of a sandbox, opens the file, and reads everything: it is as it was, or
// refused.
func TestNoBitThatADiskChangesIsServed(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	for day := range 3 {
		for _, id := range b.received(s) {
			if _, err := s.Do(t.Context(), accept("key-"+id, id)); err != nil {
				t.Fatal(err)
			}
		}
		for hour := range sim.DayLength / 60 { // enough commits to make a snapshot worth while
			if _, err := s.Do(t.Context(), tick(fmt.Sprint("tick-", day, hour), 60)); err != nil {
				t.Fatal(err)
			}
			b.pass(2e9)
		}
		if day == 1 {
			b.registry.Close(t.Context()) // and so there is a snapshot with commits after it
		}
	}
	id := b.view(s).SandboxID
	want := dump(t, s, b.view(s))
	draw := rand.New(rand.NewPCG(1, 2))
	outcomes := map[string]int{}
	for range flips {
		undo := b.flip(draw)
		b.reopen(nil)
		s := b.registry.Sandbox(id)
		v, err := s.View(t.Context())
		switch {
		case isProblem(err, problem.SandboxDamaged):
			outcomes["refused"]++
		case err != nil:
			t.Errorf("it fails with %v", err)
		default:
			outcomes[b.compare(s, v, want)]++
		}
		undo()
	}
	t.Logf("%d bits: %v", flips, outcomes)
	if outcomes["wrong"] > 0 {
		t.Errorf("%d of %d bits were served wrong", outcomes["wrong"], flips)
	}
	for _, kind := range []string{"refused", "whole", "without old events"} {
		if outcomes[kind] == 0 {
			t.Errorf("no bit led to %q: the draw shows too little", kind)
		}
	}
	b.reopen(nil)
	if s := b.registry.Sandbox(id); dump(t, s, b.view(s)) != want {
		t.Error("with all bits changed back it is another one")
	}
}

func tick(key string, minutes int) sandbox.Command {
	return sandbox.Command{
		Scope: "shared", Key: key, Status: 200, Run: ran(func(tx *sandbox.Tx) error { return tx.Tick(minutes) }),
	}
}

// flip changes a random bit of a stored body, and returns what changes it back.
func (b *bench) flip(draw *rand.Rand) (undo func()) {
	b.t.Helper()
	db, err := sql.Open("sqlite", "file:"+b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	table := []string{"commits", "commits", "snapshots"}[draw.IntN(3)]
	var row int64
	var body []byte
	if err := db.QueryRowContext(b.t.Context(), "SELECT rowid, body FROM "+table+" ORDER BY rowid LIMIT 1 OFFSET ? % "+
		"(SELECT count(*) FROM "+table+")", draw.IntN(1<<20)).Scan(&row, &body); err != nil {
		b.t.Fatal(err)
	}
	at, bit := draw.IntN(len(body)), draw.IntN(8)
	change := func() {
		body[at] ^= 1 << bit
		b.alter("UPDATE "+table+" SET body = ? WHERE rowid = ?", body, row)
	}
	change()
	return change
}

// alter changes the file of the store behind its back.
func (b *bench) alter(statement string, args ...any) {
	b.t.Helper()
	db, err := sql.Open("sqlite", "file:"+b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(b.t.Context(), statement, args...); err != nil {
		b.t.Fatal(err)
	}
}

// forgetful is a store that does not reach old commits for a while.
type forgetful struct {
	store.Store

	away *atomic.Bool
}

// Commits implements store.Store.
func (f forgetful) Commits(ctx context.Context, id string, first, last uint64) ([]store.Commit, error) {
	if f.away.Load() {
		return nil, store.ErrUnreachable
	}
	return f.Store.Commits(ctx, id, first, last)
}

// TestAStoreThatIsAwayIsNoDamage: a sandbox whose snapshot is damaged is read from its
// commits, and while those cannot be read it is out of reach, not lost. So is a state
// that is to be forked.
func TestAStoreThatIsAwayIsNoDamage(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	for i := range 10 { // as many as are worth a snapshot
		if _, err := s.Do(t.Context(), tick(fmt.Sprint("key-", i), 30)); err != nil {
			t.Fatal(err)
		}
		b.pass(2 * time.Second)
	}
	v := b.view(s)
	want := dump(t, s, v)
	b.registry.Close(t.Context()) // and so there is a snapshot
	b.alter("UPDATE snapshots SET body = substr(body, 1, length(body) - 1)")
	var away atomic.Bool
	b.reopen(func(inner store.Store) store.Store { return forgetful{inner, &away} })
	away.Store(true)
	s = b.registry.Sandbox(v.SandboxID)
	order := sandbox.Forking{Base: sandbox.ForkBase{SandboxID: v.SandboxID, Version: v.Version, Sequence: v.Sequence}}
	if _, err := s.View(t.Context()); !isProblem(err, problem.Unavailable) {
		t.Errorf("while its commits are out of reach it is answered with %v", err)
	}
	if _, err := b.registry.Fork(t.Context(), order); !isProblem(err, problem.Unavailable) {
		t.Errorf("and a fork of it with %v", err)
	}
	away.Store(false)
	if got := dump(t, s, b.view(s)); got != want {
		t.Error("when they are there again it is another one")
	}
	if _, err := b.registry.Fork(t.Context(), order); err != nil {
		t.Errorf("and a fork of it fails: %v", err)
	}
}

// compare says how what is read of a sandbox differs from what was written.
func (b *bench) compare(s *sandbox.Sandbox, v *sandbox.View, want string) string {
	b.t.Helper()
	_, err := s.Events(b.t.Context(), v, sandbox.Query{Limit: 1 << 30})
	if isProblem(err, problem.SandboxDamaged) {
		// An old commit is damaged: its events and its reply are refused. The rows of
		// the view do not come from there.
		if rows := dumpRows(v); want[:len(rows)] != rows {
			return "wrong"
		}
		return "without old events"
	}
	if err != nil {
		b.t.Errorf("the events fail with %v", err)
		return "wrong"
	}
	if dump(b.t, s, v) != want {
		return "wrong"
	}
	return "whole"
}

// TestTheCheckFindsEveryBitThatADiskChanges, in each commit and each snapshot.
func TestTheCheckFindsEveryBitThatADiskChanges(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	for i := range 10 {
		if _, err := s.Do(t.Context(), tick(fmt.Sprint("key-", i), 60)); err != nil {
			t.Fatal(err)
		}
		b.pass(2 * time.Second)
	}
	b.registry.Close(t.Context()) // and so there is a snapshot
	clean, err := sandbox.CheckStore(t.Context(), b.store)
	if err != nil || len(clean.Damages) > 0 || clean.Snapshots != 1 {
		t.Fatalf("before, the check finds %+v, %v", clean, err)
	}
	draw := rand.New(rand.NewPCG(3, 4))
	for range flips {
		undo := b.flip(draw)
		if found, err := sandbox.CheckStore(t.Context(), b.store); err != nil || len(found.Damages) != 1 ||
			found.Damages[0].SandboxID != b.view(s).SandboxID {
			t.Errorf("of one bit the check finds %+v, %v", found, err)
		}
		undo()
	}
}

// TestTheCheckComparesFeedAndIndexWithTheCommits, which have the right sums.
func TestTheCheckComparesFeedAndIndexWithTheCommits(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	for i := range 10 {
		if _, err := s.Do(t.Context(), tick(fmt.Sprint("key-", i), 60)); err != nil {
			t.Fatal(err)
		}
		b.pass(2 * time.Second)
	}
	id := b.view(s).SandboxID
	b.registry.Close(t.Context()) // and so there is a snapshot
	stored, err := b.store.Commits(t.Context(), id, 1, store.MaxCommits)
	if err != nil {
		t.Fatal(err)
	}
	image, err := b.store.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	find := func(want string) {
		t.Helper()
		found, err := sandbox.CheckStore(t.Context(), b.store)
		if err != nil || len(found.Damages) != 1 || !strings.Contains(found.Damages[0].Error.Error(), want) {
			t.Errorf("the check finds %+v, %v; want %q", found.Damages, err, want)
		}
	}

	snapshot, err := commitlog.DecodeSnapshot(image.Snapshot.Body, image.Snapshot.Version)
	if err != nil {
		t.Fatal(err)
	}
	more := record.Changes{Events: []record.Event{{Sequence: 1 << 20}}}
	snapshot.Index.Add(image.Snapshot.Version, &commitlog.Commit{Changes: more})
	b.alter("UPDATE snapshots SET body = ?", snapshot.Encode(image.Snapshot.Version))
	find("the index of snapshot")
	b.alter("UPDATE snapshots SET body = ?", image.Snapshot.Body)

	last := len(stored) - 1
	for last > 0 && !hasEvents(t, &stored[last]) {
		last--
	}
	b.alter("DELETE FROM snapshots")
	b.alter("DELETE FROM commits WHERE version > ?", stored[last].Version)
	commit, err := commitlog.DecodeCommit(stored[last].Body, stored[last].Version)
	if err != nil {
		t.Fatal(err)
	}
	commit.Events[0].Sequence++
	body, _ := commit.Encode(stored[last].Version, commit.Previous)
	b.alter("UPDATE commits SET body = ? WHERE version = ?", body, stored[last].Version)
	find("where")
}

func hasEvents(t *testing.T, stored *store.Commit) bool {
	t.Helper()
	c, err := commitlog.DecodeCommit(stored.Body, stored.Version)
	if err != nil {
		t.Fatal(err)
	}
	return len(c.Events) > 0
}
