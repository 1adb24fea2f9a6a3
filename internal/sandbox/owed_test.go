package sandbox_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"platen/internal/company/fault"
	"platen/internal/desk/activity"
	"platen/internal/desk/injection"
	"platen/internal/desk/subscription"
	"platen/internal/sandbox"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

var update = flag.Bool("update", false, "write the golden files anew")

// receiver is a client with webhooks in a sandbox in which everything goes wrong, its steps written down as they can be
// seen from outside: the bytes of the feed, the rows, the faults and the hashes.
type receiver struct {
	*bench

	fails   storetest.Fault
	sandbox *sandbox.Sandbox
	id      string
	// sent counts the attempts of all deliveries.
	sent int
	told bytes.Buffer
	// toldUntil are the versions and the numbers of events up to which sandboxes were told of.
	toldUntil map[*sandbox.Sandbox][2]uint64
	// gone are the places of removed rows that were told of.
	gone map[string]bool
	// names replaces the ids and texts that differ in each run.
	names map[string]string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{names: map[string]string{}, toldUntil: map[*sandbox.Sandbox][2]uint64{}, gone: map[string]bool{}}
	r.bench = open(t, r.wrap)
	r.sandbox = r.disturbed(fault.Severe)
	r.id = r.view(r.sandbox).SandboxID
	return r
}

func (r *receiver) wrap(inner store.Store) store.Store {
	return storetest.NewFaulty(inner, func(int) storetest.Fault { return r.fails })
}

// do runs a command.
func (r *receiver) do(run func(tx *sandbox.Tx) error) error {
	r.pass(time.Second)
	_, err := r.sandbox.Do(r.t.Context(), sandbox.Command{Status: 200, Run: ran(run)})
	return err //nolint:wrapcheck // the test says which
}

func (r *receiver) must(run func(tx *sandbox.Tx) error) {
	r.t.Helper()
	if err := r.do(run); err != nil {
		r.t.Fatal(err)
	}
}

// subscribe makes an active subscription.
func (r *receiver) subscribe() (id string) {
	r.t.Helper()
	r.must(func(tx *sandbox.Tx) error {
		id = tx.Desk.Webhooks.Create(subscription.Order{
			Host: "hooks.example.com", Address: []byte("a"), Secret: []byte("s"), Events: []event.Type{"*"},
		})
		return tx.Desk.Tested(
			subscription.Attempt{SubscriptionID: id, EventID: "evt_0000000000001", Address: []byte("a")},
			subscription.Outcome{SentAt: tx.Now.Time(), StatusCode: 200})
	})
	return id
}

// serve makes the attempts that are due, of which every fourth fails.
func (r *receiver) serve(rounds int) {
	r.t.Helper()
	for range rounds {
		r.pass(7 * time.Second)
		attempts, _, err := r.registry.Due(r.t.Context(), r.id, r.Now(), 100,
			func(*subscription.Attempt) bool { return true })
		if err != nil {
			r.t.Fatal(err)
		}
		outcomes := make([]subscription.Outcome, len(attempts))
		for i := range attempts {
			a := &attempts[i]
			fmt.Fprintf(&r.told, "attempt %d of %s %s lost=%t decoy=%s off=%s secrets=%d\n", a.Number, a.EventType,
				a.DeliveryID, a.Lost, a.Decoy, a.Off, len(a.Secrets))
			outcomes[i] = subscription.Outcome{
				SubscriptionID: a.SubscriptionID, DeliveryID: a.DeliveryID, SentAt: r.Now(),
				Latency: 20 * time.Millisecond, StatusCode: 204,
			}
			if r.sent++; r.sent%4 == 0 {
				outcomes[i].StatusCode, outcomes[i].ErrorClass = 500, "http_5xx"
			}
		}
		if err := r.registry.Record(r.t.Context(), r.id, outcomes); err != nil {
			r.t.Fatal(err)
		}
	}
}

// call is a request of the client: it meets faults, and is noted.
func (r *receiver) call(path string, call activity.Call) {
	r.t.Helper()
	met := meets(r.t, r.sandbox, path)
	fmt.Fprintf(&r.told, "%s meets %s\n", path, met)
	call.Exposed = true
	r.observe(r.sandbox, call)
}

// tell writes down what can be seen of a sandbox, of rows and events the new ones.
func (r *receiver) tell(heading string, s *sandbox.Sandbox) {
	r.t.Helper()
	fmt.Fprintf(&r.told, "== %s\n", heading)
	v, known := r.view(s), r.toldUntil[s]
	for _, table := range []string{"webhook", "webhook_delivery", "checkpoint", "mission", "achievement"} {
		next := 0
		for _, e := range v.Table(table).Entries {
			for ; next < e.Ordinal; next++ {
				if gone := fmt.Sprint(v.SandboxID, table, next); !r.gone[gone] {
					r.gone[gone] = true
					fmt.Fprintf(&r.told, "%s %d removed\n", table, next)
				}
			}
			next++
			if e.Version <= known[0] {
				continue
			}
			fmt.Fprintf(&r.told, "%s %s %s\n", table, e.Row(), e.Private())
		}
	}
	events, err := s.Events(r.t.Context(), v, sandbox.Query{After: known[1], Limit: 1 << 30})
	if err != nil {
		r.t.Fatal(err)
	}
	r.toldUntil[s] = [2]uint64{v.Version, v.Sequence}
	for _, e := range events {
		fmt.Fprintf(&r.told, "%d %s\n", e.Sequence, e.Body)
	}
	if faults := s.Faults(r.t.Context()); faults != nil {
		hits, newest := faults.Hits()
		fmt.Fprintf(&r.told, "pending %+v, %d faults\n", faults.Pending(), newest)
		for _, h := range hits {
			fmt.Fprintf(&r.told, "%s %s %s %s %s\n", h.At, h.Kind, h.DeliveryID, h.EventID, h.Detail)
		}
	}
	x, err := s.Examine(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	fmt.Fprintf(&r.told, "version %d state %s business %s writes %d %d %d broken %v\n", v.Version, x.StateHash,
		x.BusinessHash, x.Accepted, x.Refused, x.Replayed, x.Violation)
}

// named returns the story with ids that are the same in each run.
func (r *receiver) named() string {
	ids := regexp.MustCompile(`\b(sbx|evt|whk|whd|chk)_[0-9a-z]{13}\b`)
	return ids.ReplaceAllStringFunc(r.told.String(), func(id string) string {
		if r.names[id] == "" {
			prefix, _, _ := strings.Cut(id, "_")
			r.names[id] = fmt.Sprintf("%s_%d", prefix, len(r.names))
		}
		return r.names[id]
	})
}

// TestTheClientIsOwedTheSameAsEver: subscriptions, deliveries with their faults, checkpoints, pending faults and the
// activity of clients go through deletions, forks, failed commits, evictions, restarts and a damaged snapshot, and are
// to the byte as they were recorded.
func TestTheClientIsOwedTheSameAsEver(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	first := r.subscribe()
	inject := func(kind fault.Kind, count int64, operations ...string) {
		r.must(func(tx *sandbox.Tx) error {
			_, err := tx.InjectFault(injection.Injection{Kind: kind, Count: count, Operations: operations})
			return err
		})
	}
	work := func(days int) {
		for _, order := range r.received(r.sandbox) {
			r.must(func(tx *sandbox.Tx) error { return tx.Company.AcceptSalesOrder(order) })
			r.call("/v1/office/sales-orders/"+order+"/accept", activity.Call{Status: 200, Write: true, Business: true})
		}
		for range days * 4 {
			r.must(func(tx *sandbox.Tx) error { return tx.Tick(120) })
			r.serve(2)
			r.call("/v1/factory/presses", activity.Call{Factory: true, Business: true})
		}
	}
	work(2)
	inject(fault.WebhookLate, 2)
	inject(fault.Growth, 3, "list_customers")
	inject(fault.WebhookTwice, 1)
	work(1)
	r.tell("two days with one subscription", r.sandbox)

	var checkpoint string
	r.must(func(tx *sandbox.Tx) (err error) {
		checkpoint, err = tx.Desk.AddCheckpoint("noon", tx.NextVersion(), tx.Now)
		return err
	})
	r.must(func(tx *sandbox.Tx) error { _, err := tx.Desk.Webhooks.Delete(first); return err })
	second := r.subscribe()
	r.must(func(tx *sandbox.Tx) error {
		_, err := tx.Desk.Webhooks.Redeliver(second, "whd_none", tx.Now)
		if err == nil {
			return errors.New("a delivery that there is not was sent again")
		}
		return nil
	})
	work(1)
	r.tell("after another subscription", r.sandbox)

	for _, fails := range []storetest.Fault{storetest.NotApplied, storetest.AppliedButFailed} {
		r.fails = fails
		if err := r.do(func(tx *sandbox.Tx) error { return tx.Tick(60) }); err == nil {
			t.Fatal("a commit did not fail")
		}
		r.fails = storetest.NoFault
		r.call("/v1/office/customers", activity.Call{Business: true})
		r.serve(1)
		work(1)
	}
	r.tell("after commits that failed", r.sandbox)

	for _, point := range []sandbox.ForkPoint{{Checkpoint: new("noon")}, {Checkpoint: new(checkpoint)}, {}} {
		base, err := r.sandbox.Base(t.Context(), point)
		if err != nil {
			t.Fatal(err)
		}
		created, err := r.registry.Fork(t.Context(), sandbox.Forking{Base: base})
		if err != nil {
			t.Fatal(err)
		}
		fork := r.registry.Sandbox(created.SandboxID)
		r.toldUntil[fork] = [2]uint64{base.Version, base.Sequence}
		fmt.Fprintf(&r.told, "the fork meets %s\n", meets(t, fork, "/v1/office/customers"))
		if _, err := fork.Do(t.Context(), sandbox.Command{Status: 200, Run: ran(func(tx *sandbox.Tx) error {
			return tx.Tick(60)
		})}); err != nil {
			t.Fatal(err)
		}
		for _, e := range r.view(fork).Table("checkpoint").Entries {
			fmt.Fprintf(&r.told, "of the past: %s\n", e.Row())
		}
		r.tell("a fork", fork)
		r.pass(time.Second)
	}

	r.call("/v1/office/customers", activity.Call{Status: 422, Write: true, Business: true})
	r.pass(6 * time.Minute)
	r.registry.Sweep(t.Context())
	r.tell("after an eviction", r.sandbox)
	work(1)
	r.registry.Close(t.Context())
	r.alter("UPDATE snapshots SET body = substr(body, 1, length(body) - 1)")
	r.reopen(r.wrap)
	r.toldUntil[r.registry.Sandbox(r.id)] = r.toldUntil[r.sandbox]
	r.sandbox = r.registry.Sandbox(r.id)
	r.tell("after a restart without its snapshot", r.sandbox)
	work(1)
	r.pass(30 * time.Minute)
	if v := r.view(r.sandbox); v.Status(moment.InstantOf(r.Now())) != sandbox.Expired {
		t.Errorf("at its end the sandbox is %s", v.Status(moment.InstantOf(r.Now())))
	}
	r.tell("at the end", r.sandbox)

	golden := filepath.Join("testdata", "owed.txt")
	got := r.named()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the client is owed something else (-want +got):\n%s\nWhere only hashes differ, a stored row has "+
			"another form: see company.Engine, and run make golden.", diff)
	}
}
