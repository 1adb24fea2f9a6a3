package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/store"
)

// onBoth runs a check on the queues of both kinds of engines, each in a bubble.
// The test is the goroutine that writes.
func onBoth(t *testing.T, check func(*testing.T, *Queue)) {
	t.Helper()
	for _, batched := range []bool{false, true} {
		t.Run(fmt.Sprint("batched=", batched), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := New(batched)
				q.Sweep.Owed = false
				check(t, q)
			})
		})
	}
}

func commitOf(id string, version uint64, bytes int) store.Commit {
	c := store.Commit{SandboxID: id, Version: version, Body: make([]byte, bytes)}
	if version == 1 {
		c.Header = &store.Sandbox{ID: id}
	}
	return c
}

// waiting is a queue with requests of which no caller knows.
func waiting(batched bool, operations ...any) *Queue {
	q := New(batched)
	for _, o := range operations {
		q.requests <- NewRequest(o)
	}
	return q
}

// text names the operations of a group.
func text(group []*Request) string {
	var names []string
	for _, r := range group {
		switch o := r.Operation.(type) {
		case store.Commit:
			names = append(names, fmt.Sprint(o.SandboxID, " ", o.Version))
		case Deletion:
			names = append(names, "delete "+o.SandboxID)
		case Records:
			names = append(names, "records")
		case Ping:
			names = append(names, "ping")
		}
	}
	return strings.Join(names, ", ")
}

func TestWaitingCommitIsTakenBackByItsContext(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, q *Queue) {
		ctx, cancel := context.WithCancel(t.Context())
		answers := make(chan error, 2)
		go func() { answers <- q.Methods().Commit(ctx, commitOf("a", 1, 3)) }()
		synctest.Wait()
		cancel()
		if err := <-answers; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled commit: got %v, want %v", err, context.Canceled)
		}
		go func() { answers <- q.Methods().Ping(t.Context()) }()
		synctest.Wait()
		if !q.Wait() {
			t.Fatal("the queue is said to be closed")
		}
		group := q.Gather()
		if text(group) != "ping" {
			t.Fatalf("group is %q, want the ping alone", text(group))
		}
		group[0].Finish(nil)
		if err := <-answers; err != nil {
			t.Errorf("ping: %v", err)
		}
	})
}

func TestTakenCommitIsAnsweredWithTheTruth(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, q *Queue) {
		for _, truth := range []error{nil, store.ErrFull} {
			ctx, cancel := context.WithCancel(t.Context())
			answer := make(chan error, 1)
			go func() { answer <- q.Methods().Commit(ctx, commitOf("a", 1, 3)) }()
			q.Wait()
			group := q.Gather()
			cancel()
			synctest.Wait()
			if len(answer) > 0 {
				t.Errorf("answered with %v before its outcome is known", <-answer)
			}
			group[0].Finish(truth)
			if err := <-answer; !errors.Is(err, truth) {
				t.Errorf("got %v, want %v", err, truth)
			}
		}
	})
}

func TestOutcomesAreOfEachUnlessTheGroupFails(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, q *Queue) {
		for _, failed := range []error{nil, store.ErrFull} {
			wrong, right := make(chan error, 1), make(chan error, 1)
			go func() { wrong <- q.Methods().Commit(t.Context(), commitOf("a", 7, 3)) }()
			go func() { right <- q.Methods().Commit(t.Context(), commitOf("b", 1, 3)) }()
			synctest.Wait()
			q.Wait()
			for _, r := range q.Gather() {
				if r.SandboxID == "a" {
					r.Outcome = store.ErrConflict
				}
				r.Finish(failed)
			}
			conflict := store.ErrConflict
			if failed != nil {
				conflict = failed
			}
			if err := <-wrong; !errors.Is(err, conflict) {
				t.Errorf("the wrong version: got %v, want %v", err, conflict)
			}
			if err := <-right; !errors.Is(err, failed) {
				t.Errorf("the right version: got %v, want %v", err, failed)
			}
		}
	})
}

func TestFullQueueHoldsCallersOnlyAsLongAsTheyLike(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, q *Queue) {
		for range maxQueued {
			withdrawn := NewRequest(Ping{})
			withdrawn.claimed.Store(true)
			q.requests <- withdrawn
		}
		ctx, cancel := context.WithCancel(t.Context())
		answers := make(chan error, 1)
		go func() { answers <- q.Methods().Commit(ctx, commitOf("a", 1, 3)) }()
		synctest.Wait()
		if len(answers) > 0 {
			t.Fatalf("answered with %v before it is in the queue", <-answers)
		}
		cancel()
		if err := <-answers; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		q.Wait()
		if group := q.Gather(); len(group) > 0 {
			t.Errorf("group is %q, want none of those that were withdrawn", text(group))
		}
		go func() { answers <- q.Methods().Commit(t.Context(), commitOf("a", 1, 3)) }()
		q.Wait()
		for _, r := range q.Gather() {
			r.Finish(nil)
		}
		if err := <-answers; err != nil {
			t.Errorf("commit after the queue has drained: %v", err)
		}
	})
}

func TestGroupIsLimitedInNumberAndSize(t *testing.T) {
	t.Parallel()
	commits := func(n, bytes int) []any {
		var all []any
		for i := range n {
			all = append(all, commitOf(fmt.Sprint(i), 1, bytes))
		}
		return all
	}
	large := Records{{Record: store.Record{Body: make([]byte, maxGroupBytes/2)}}}
	withLargeRecord := store.Commit{SandboxID: "a", Version: 2, Records: large}
	for _, batched := range []bool{false, true} {
		for _, c := range []struct {
			of         string
			operations []any
			want       []int
		}{
			{"small commits", commits(maxGroup+44, 1), []int{maxGroup, 44, 0}},
			{"large commits", commits(5, maxGroupBytes/2), []int{2, 2, 1, 0}},
			{"large snapshots", []any{
				store.Snapshot{SandboxID: "a", Body: make([]byte, maxGroupBytes)}, Ping{},
			}, []int{1, 1, 0}},
		} {
			q := waiting(batched, c.operations...)
			for i, want := range c.want {
				if got := len(q.Gather()); got != want {
					t.Errorf("batched %t, group %d of %s: got %d, want %d", batched, i, c.of, got, want)
				}
			}
		}
	}
	q := waiting(false, large, withLargeRecord, Ping{})
	if got := len(q.Gather()); got != 2 {
		t.Errorf("group of %d with large records, want 2", got)
	}
}

func TestBatchedGroupHoldsOneOperationOfASandbox(t *testing.T) {
	t.Parallel()
	withRecords := commitOf("c", 1, 0)
	withRecords.Records = []store.Write{{}}
	fork := commitOf("f", 2, 0)
	fork.Fork = &store.Fork{Parent: "d"}
	operations := []any{
		commitOf("a", 1, 0), commitOf("a", 2, 0), Ping{}, commitOf("b", 1, 0), Ping{}, Deletion{SandboxID: "a"},
		commitOf("b", 2, 0), withRecords, Records{{}}, commitOf("c", 2, 0), commitOf("d", 1, 0), fork,
	}
	for batched, groups := range map[bool][]string{
		true: {
			"a 1, ping, b 1, ping, d 1", "a 2, b 2", "delete a", "c 1", "records", "c 2", "f 2", "",
		},
		false: {
			"a 1, a 2, ping, b 1, ping, delete a, b 2, c 1, records, c 2, d 1, f 2", "",
		},
	} {
		q := waiting(batched, operations...)
		for _, want := range groups {
			if got := text(q.Gather()); got != want {
				t.Errorf("batched %t: group is %q, want %q", batched, got, want)
			}
		}
	}
}

// A sandbox with more requests than a group holds must not make the writer
// collect all that ever comes.
func TestHeldRequestsAreLimited(t *testing.T) {
	t.Parallel()
	q := waiting(true, slices.Repeat([]any{commitOf("a", 1, 0)}, maxQueued)...)
	for range 3 {
		if got := len(q.Gather()); got != 1 {
			t.Fatalf("group of %d, want 1", got)
		}
		if len(q.held) > maxGroup+1 {
			t.Errorf("%d requests are held, the limit is %d", len(q.held), maxGroup)
		}
	}
}

// The engines of this test compare versions as real ones do: a batched one with
// those before the group, the other with those before the operation.
func TestCommitsThatWaitTogetherKeepTheirOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, q *Queue) {
		const newest = 20
		answers := make(chan error, newest)
		for version := uint64(1); version <= newest; version++ {
			go func() { answers <- q.Methods().Commit(t.Context(), commitOf("a", version, 10)) }()
			synctest.Wait()
		}
		written := uint64(0)
		for len(answers) < newest && q.Wait() {
			before := written
			for _, r := range q.Gather() {
				c, ok := r.Operation.(store.Commit)
				if !ok || c.Version != before+1 {
					r.Finish(store.ErrConflict)
					continue
				}
				written = c.Version
				if !q.batched {
					before = written
				}
				r.Finish(nil)
			}
			synctest.Wait()
		}
		for range newest {
			if err := <-answers; err != nil {
				t.Errorf("commit: %v", err)
			}
		}
	})
}

func TestSweepNeitherWaitsNorKeepsOthersWaiting(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, q *Queue) {
		q.Sweep.Owed = true
		for range 2 { // a step after the other while there are no requests
			if !q.Wait() || len(q.Gather()) > 0 || !q.Sweep.Due() {
				t.Fatal("a sweep that is owed is not due")
			}
		}
		begun := time.Now()
		q.Sweep.Rest()
		answer := make(chan error, 1)
		go func() { answer <- q.Methods().Ping(t.Context()) }()
		q.Wait()
		group := q.Gather()
		if text(group) != "ping" || q.Sweep.Due() || !q.Sweep.Owed || time.Since(begun) > 0 {
			t.Errorf("after a failed step: group %q, sweep %+v, want the ping and one that rests and is owed",
				text(group), q.Sweep)
		}
		group[0].Finish(nil)
		if err := <-answer; err != nil {
			t.Errorf("ping: %v", err)
		}
		if !q.Wait() || !q.Sweep.Due() || time.Since(begun) != sweepPause {
			t.Errorf("the next step is due after %v, want %v", time.Since(begun), sweepPause)
		}
	})
}

// Requests that were in the queue before it was closed are written, held ones
// too, and calls that read are waited for.
func TestCloseFinishesCallsUnderWay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, q *Queue) {
		answers := make(chan error, 3)
		for version := uint64(1); version <= 3; version++ {
			go func() { answers <- q.Methods().Commit(t.Context(), commitOf("a", version, 1)) }()
			synctest.Wait()
		}
		if err := q.Enter(t.Context()); err != nil {
			t.Fatalf("a call that reads: %v", err)
		}
		closed := make(chan error, 1)
		go func() {
			q.Close()
			closed <- nil
		}()
		synctest.Wait()
		if err := q.Methods().Ping(t.Context()); !errors.Is(err, store.ErrClosed) {
			t.Errorf("ping: got %v, want %v", err, store.ErrClosed)
		}
		for len(answers) < 3 && q.Wait() {
			for _, r := range q.Gather() {
				r.Finish(nil)
			}
			synctest.Wait()
		}
		select {
		case q.requests <- NewRequest(Ping{}): // panics when it is closed
		default:
		}
		q.Gather()
		q.Leave()
		synctest.Wait()
		if len(closed) > 0 {
			t.Error("Close returned while there was a goroutine that writes")
		}
		if q.Wait() {
			t.Error("the queue is not said to be closed")
		}
		<-closed
		for range 3 {
			if err := <-answers; err != nil {
				t.Errorf("commit: %v", err)
			}
		}
	})
}
