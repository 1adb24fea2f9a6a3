package admission_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/edge/admission"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
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

// TestAClaimIsReplayedUnderItsKey for ten minutes, and not without the key or under another.
func TestAClaimIsReplayedUnderItsKey(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	living := b.mustMake(3)
	ticket := b.mustQueue(1)[0]
	b.leave(living[0])
	claim := func(key string) (admission.Reply, error) {
		reply, stands, err := b.controller.Poll(t.Context(), ticket, key, b.make)
		if stands != nil {
			t.Fatalf("it waits: %+v", stands)
		}
		return reply, err
	}
	first, err := claim("k")
	if err != nil || first.Replayed || first.Status != 201 {
		t.Fatalf("the claim is %+v, %v", first, err)
	}
	b.start() // another server goes on
	if again, err := claim("k"); err != nil || !again.Replayed || !bytes.Equal(again.Body, first.Body) {
		t.Errorf("again it is %+v, %v", again, err)
	}
	for _, key := range []string{"", "other"} {
		_, err := claim(key)
		b.wantCode("under the key "+key, err, problem.TicketNotFound)
	}
	b.pass(10 * time.Minute)
	_, err = claim("k")
	b.wantCode("after ten minutes", err, problem.TicketNotFound)
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

// TestADuplicateWaitsForTheFirst, which is held inside its maker, and gets its response. A
// client that goes away waits no longer, and other keys do not wait.
func TestADuplicateWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, nil)
		leave := make(chan struct{})
		slow := func(r *admission.Request) {
			r.Make = func(ctx context.Context, o admission.Order,
				records func(admission.Reply) []store.Write) (admission.Reply, error) {
				<-leave
				return b.make(ctx, o, records)
			}
		}
		replies := make(chan admission.Reply, 4)
		for range cap(replies) {
			go func() {
				reply, err := b.controller.Create(t.Context(), b.request("net", under(key), slow))
				if err != nil {
					t.Error(err)
				}
				replies <- reply
			}()
		}
		synctest.Wait()
		if len(replies) > 0 {
			t.Fatal("one did not wait")
		}
		gone, leaves := context.WithCancel(t.Context())
		leaves()
		if _, err := b.controller.Create(gone, b.request("net", under(key))); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that went away gets %v", err)
		}
		if _, _, err := b.create("net", under(key+" and another")); err != nil {
			t.Errorf("under another key: %v", err)
		}
		close(leave)
		first, replayed := <-replies, 0
		for range cap(replies) - 1 {
			reply := <-replies
			if !bytes.Equal(reply.Body, first.Body) {
				t.Errorf("one got %s, another %s", first.Body, reply.Body)
			}
			if reply.Replayed {
				replayed++
			}
		}
		if first.Replayed {
			replayed++
		}
		if replayed != cap(replies)-1 {
			t.Errorf("%d of %d are replays", replayed, cap(replies))
		}
	})
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
