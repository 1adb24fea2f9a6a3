package sandbox_test

import (
	"testing"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/desk/injection"
	"platen/internal/desk/subscription"
	"platen/internal/sandbox"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/event"
)

// TestAFaultOfADeliveryIsNotLostWithACommit: what was asked for by hand is done in the same
// commit as the delivery that it happens to.
func TestAFaultOfADeliveryIsNotLostWithACommit(t *testing.T) {
	t.Parallel()
	fail := storetest.NoFault
	b := open(t, func(inner store.Store) store.Store {
		return storetest.NewFaulty(inner, func(int) storetest.Fault { return fail })
	})
	s := b.create(sim.Manual)
	do := func(key string, run func(tx *sandbox.Tx) error) {
		t.Helper()
		if _, err := s.Do(t.Context(), sandbox.Command{
			Scope: "office", Key: key, Fingerprint: commitlog.Fingerprint{}, Run: ran(run), Status: 200,
		}); err != nil {
			t.Fatal(err)
		}
	}
	do("subscribe", func(tx *sandbox.Tx) error {
		id := tx.Desk.Webhooks.Create(subscription.Order{Address: []byte("a"), Events: []event.Type{"*"}})
		return tx.Desk.Tested(subscription.Attempt{SubscriptionID: id, Address: []byte("a")},
			subscription.Outcome{SentAt: tx.Now.Time(), StatusCode: 200})
	})
	do("inject", func(tx *sandbox.Tx) error {
		tx.InjectFault(injection.Injection{Kind: fault.WebhookLate, Count: 1})
		return nil
	})
	order := b.received(s)[0]
	fail = storetest.NotApplied
	if _, err := s.Do(t.Context(), accept("accept", order)); err == nil {
		t.Fatal("the commit did not fail")
	}
	fail = storetest.NoFault
	b.view(s)
	faults := s.Faults(t.Context())
	if hits, _ := faults.Hits(); len(faults.Pending()) != 1 || len(hits) != 0 {
		t.Fatalf("after the failure %v waits, and %v happened", faults.Pending(), hits)
	}
	if _, err := s.Do(t.Context(), accept("accept", order)); err != nil {
		t.Fatal(err)
	}
	hits, _ := faults.Hits()
	if len(faults.Pending()) != 0 || len(hits) != 1 || hits[0].Kind != fault.WebhookLate ||
		hits[0].DeliveryID == "" || hits[0].EventID == "" {
		t.Errorf("afterwards %v waits, and %v happened", faults.Pending(), hits)
	}
	id := b.view(s).SandboxID
	b.reopen(nil) // as after a crash: nothing was stored but the commits
	s = b.registry.Sandbox(id)
	if again := s.Faults(t.Context()); again != nil && len(again.Pending()) != 0 {
		t.Errorf("after a crash %v waits", again.Pending())
	}
}
