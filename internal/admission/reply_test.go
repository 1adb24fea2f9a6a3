package admission_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"platen/internal/admission"
	"platen/internal/problem"
	"platen/internal/store"
	"platen/internal/store/storetest"
)

const key = "a key of twenty chars"

func under(key string) func(*admission.Request) {
	return func(r *admission.Request) { r.Key = key }
}

func TestACreationIsReplayedForTenMinutes(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Active, o.Hourly = 2, 2 })
	first, err := b.controller.Create(t.Context(), b.request("net", under(key)))
	if err != nil || first.Replayed {
		t.Fatalf("replayed %t, %v", first.Replayed, err)
	}
	for range 3 {
		again, err := b.controller.Create(t.Context(), b.request("net", under(key)))
		if err != nil || !again.Replayed || again.Status != 201 || !bytes.Equal(again.Body, first.Body) {
			t.Fatalf("again: %d %s, replayed %t, %v", again.Status, again.Body, again.Replayed, err)
		}
		b.start()
	}
	other := func(r *admission.Request) { r.Fingerprint[0] = 1 }
	_, err = b.controller.Create(t.Context(), b.request("net", under(key), other))
	b.wantCode("another body", err, problem.IdempotencyKeyReused)
	if made, _, err := b.create("another network", under(key)); err != nil || made == string(first.Body) {
		t.Errorf("another network got %q, %v", made, err)
	}
	b.pass(10*time.Minute - time.Microsecond)
	if again, err := b.controller.Create(t.Context(), b.request("net", under(key))); err != nil || !again.Replayed {
		t.Errorf("before the ten minutes are over: replayed %t, %v", again.Replayed, err)
	}
	b.pass(time.Microsecond)
	if again, err := b.controller.Create(t.Context(), b.request("net", under(key), other)); err != nil ||
		again.Replayed || bytes.Equal(again.Body, first.Body) {
		t.Errorf("after ten minutes: %s, replayed %t, %v", again.Body, again.Replayed, err)
	}
}

func TestATicketIsReplayedToo(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	b.mustMake(3)
	_, ticket, err := b.create("net", under(key))
	if err != nil || ticket == "" {
		t.Fatal(err)
	}
	if _, again, err := b.create("net", under(key)); err != nil || again != ticket || b.controller.Length() != 1 {
		t.Errorf("the ticket %q became %q in a queue of %d, %v", ticket, again, b.controller.Length(), err)
	}
}

// Two people behind one address must not meet under "test".
func TestShortKeysHaveNoEffect(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	one, _, err := b.create("net", under(strings.Repeat("k", 19)))
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := b.create("net", under(strings.Repeat("k", 19)))
	if err != nil || other == one {
		t.Errorf("under a key of 19 characters: %s, %v", other, err)
	}
	long, _, err := b.create("net", under(strings.Repeat("k", 20)))
	if err != nil {
		t.Fatal(err)
	}
	if again, _, err := b.create("net", under(strings.Repeat("k", 20))); err != nil || again != long {
		t.Errorf("under a key of 20 characters: %s, %v", again, err)
	}
}

func TestARefusalLeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Queue = 0 })
	living := b.mustMake(3)
	_, _, err := b.create("net", under(key))
	b.wantCode("without room", err, problem.QueueFull)
	b.leave(living[0])
	if made, _, err := b.create("net", under(key)); err != nil || made == "" {
		t.Errorf("with room: %q, %v", made, err)
	}
}

func TestACreationOfUnknownOutcomeIsFoundByItsKey(t *testing.T) {
	t.Parallel()
	for _, fault := range []storetest.Fault{storetest.NotApplied, storetest.AppliedButFailed} {
		b := open(t, nil)
		b.fails(fault)
		if _, _, err := b.create("net", under(key)); err == nil {
			t.Fatal("no fault")
		}
		again, err := b.controller.Create(t.Context(), b.request("net", under(key)))
		if err != nil || again.Replayed != (fault == storetest.AppliedButFailed) {
			t.Errorf("fault %d: replayed %t, %v", fault, again.Replayed, err)
		}
		if n, err := b.inner.Count(t.Context()); n != 1 || err != nil {
			t.Errorf("fault %d: one intention made %d sandboxes, %v", fault, n, err)
		}
	}
}

// TestADuplicateDoesNotWait: the first is held inside its maker.
func TestADuplicateDoesNotWait(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	entered, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	slow := func(r *admission.Request) {
		r.Make = func(ctx context.Context, o admission.Order,
			records func(admission.Reply) []store.Write) (admission.Reply, error) {
			close(entered)
			<-leave
			return b.make(ctx, o, records)
		}
	}
	go func() {
		_, err := b.controller.Create(context.WithoutCancel(t.Context()), b.request("net", under(key), slow))
		done <- err
	}()
	<-entered
	_, _, err := b.create("net", under(key))
	b.wantCode("the second while the first is at work", err, problem.RequestInProgress)
	if _, _, err := b.create("net", under(key+" and another")); err != nil {
		t.Errorf("under another key: %v", err)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if again, err := b.controller.Create(t.Context(), b.request("net", under(key))); err != nil || !again.Replayed {
		t.Errorf("after the first: replayed %t, %v", again.Replayed, err)
	}
}

// A kept reply can be found and read only with the idempotency key: the key,
// the response and the network are not in the store as plain text.
func TestAKeptAnswerIsSealed(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	if _, _, err := b.create("net-of-somebody", under(key)); err != nil {
		t.Fatal(err)
	}
	records, err := b.inner.List(t.Context(), "creation_reply")
	if err != nil || len(records) != 1 {
		t.Fatalf("%d answers are kept, %v", len(records), err)
	}
	stored := records[0].Key + string(records[0].Body)
	for _, secret := range []string{key, "sbx_", "net-of-somebody"} {
		if strings.Contains(stored, secret) {
			t.Errorf("%q can be read in the store", secret)
		}
	}
	spoiled := records[0]
	spoiled.Body = bytes.Clone(spoiled.Body)
	spoiled.Body[len(spoiled.Body)-1] ^= 1
	if err := b.inner.Write(t.Context(), []store.Write{{Record: spoiled}}); err != nil {
		t.Fatal(err)
	}
	if reply, err := b.controller.Create(t.Context(), b.request("net-of-somebody", under(key))); err == nil ||
		code(err) != "" {
		t.Errorf("an answer that was tampered with is replayed: %s, %v", reply.Body, err)
	}
	b.change = func(o *admission.Options) { o.Secret = []byte("another secret of the same server") }
	b.start()
	if reply, err := b.controller.Create(t.Context(), b.request("net-of-somebody", under(key))); err != nil ||
		reply.Replayed {
		t.Errorf("with another secret: replayed %t, %v", reply.Replayed, err)
	}
}
