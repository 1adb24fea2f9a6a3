package sandbox_test

import (
	"context"
	"testing"
	"time"

	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/store"
)

// heldStore holds one commit until it is let go.
type heldStore struct {
	store.Store
	hold    bool
	entered chan struct{}
	leave   chan struct{}
}

func (s *heldStore) Commit(ctx context.Context, c store.Commit) error {
	if s.hold {
		s.hold = false
		close(s.entered)
		<-s.leave
	}
	return s.Store.Commit(ctx, c)
}

// A client that asks for what was updated since the server_time of its last
// answer must not miss a row whose commit was under way at that moment.
func TestServerTimeNeverPassesACommitThatNobodySees(t *testing.T) {
	t.Parallel()
	held := &heldStore{entered: make(chan struct{}), leave: make(chan struct{})}
	b := open(t, func(inner store.Store) store.Store { held.Store = inner; return held })
	s := b.create(sim.Manual)
	id := b.received(s)[0]
	b.pass(time.Second)
	held.hold = true
	done := make(chan error, 1)
	go func() {
		_, err := s.Do(context.WithoutCancel(t.Context()), accept("key", id))
		done <- err
	}()
	<-held.entered
	b.pass(5 * time.Millisecond)
	serverTime := s.AsOf(b.registry.Now())
	if e, _ := b.view(s).Row("sales_order", id); e.Filters[0] != "received" {
		t.Fatalf("before its commit the order is seen %s", e.Filters[0])
	}
	close(held.leave)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if e, _ := b.view(s).Row("sales_order", id); e.Updated < serverTime {
		t.Errorf("the row has updated_at %s, and a reader who did not see it was told %s", e.Updated, serverTime)
	}
	if now := b.registry.Now(); s.AsOf(now) != now {
		t.Error("with nobody inside, the present is not the present")
	}
}

// A panic anywhere in a command must not leave the memory ahead of the disk,
// where the next commit would make half a change durable.
func TestAPanicLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Manual)
	id, orders := b.view(s).SandboxID, b.received(s)
	before := dump(t, s, b.view(s))
	for name, cmd := range map[string]sandbox.Command{
		"in the command": {Run: ran(func(tx *sandbox.Tx) error {
			if err := tx.Company.AcceptSalesOrder(orders[0]); err != nil {
				return err
			}
			panic("on purpose")
		})},
		"in the response": {Run: func(tx *sandbox.Tx) (sandbox.Result, error) {
			panics := func(*sandbox.View) any { panic("on purpose") }
			return sandbox.Result{Value: panics}, tx.Company.AcceptSalesOrder(orders[0])
		}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic reached the caller", name)
				}
			}()
			_, _ = s.Do(t.Context(), cmd)
		}()
		if after := dump(t, s, b.view(s)); after != before {
			t.Fatalf("a panic %s changed the sandbox", name)
		}
	}
	if _, err := s.Do(t.Context(), accept("key", orders[0])); err != nil {
		t.Fatal(err)
	}
	after := dump(t, s, b.view(s))
	b.reopen(nil)
	s = b.registry.Sandbox(id)
	if dump(t, s, b.view(s)) != after {
		t.Error("after a restart the sandbox differs")
	}
}
