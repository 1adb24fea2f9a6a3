package desk_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"platen/internal/company"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/desk"
	"platen/internal/desk/subscription"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

var opened = moment.InstantOf(time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC))

// life is a company that accepts each order that comes, with a desk or without one.
type life struct {
	t       *testing.T
	company *company.Company
	desk    *desk.Desk // nil for none
	client  *desk.Client
	wall    moment.Instant
	image   record.Image
	version uint64
	events  []record.Event
}

func options() *desk.Options {
	return &desk.Options{
		Now: func() moment.Instant { return opened }, NewSecret: func() string { return "another" },
		Seal: func(plain, _, _ string) []byte { return []byte(plain) },
	}
}

func begin(t *testing.T, beside bool) *life {
	t.Helper()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	l := &life{t: t, wall: opened, company: company.New(company.Settings{
		SandboxID: "sbx_0000000000001", Preset: presets["starter"], Bridge: preset.Auto, Seed: 3, UID: 7,
	}, sim.Manual, opened)}
	if beside {
		l.client = desk.NewClient(&desk.Memory{})
		l.desk = desk.New(l.company, options(), l.client)
	}
	l.flush()
	return l
}

// flush ends a step. What is kept has been through the stored form.
func (l *life) flush() {
	l.t.Helper()
	l.version++
	var changes record.Changes
	if l.desk != nil {
		changes = l.desk.Flush(l.version)
	} else {
		changes = l.company.Flush(l.version)
	}
	stored, _, err := record.ReadChanges(record.AppendChanges(nil, &changes))
	if err != nil {
		l.t.Fatal(err)
	}
	l.image.Apply(&stored)
	l.events = append(l.events, stored.Events...)
	if err := l.company.Check(); err != nil {
		l.t.Fatal(err)
	}
}

// rows are those of a table, oldest first.
func (l *life) rows(table string) []*record.Entry {
	for _, rows := range l.image.Tables {
		if rows.Table == table {
			return rows.Entries
		}
	}
	return nil
}

// work accepts what can be accepted, and lets hours pass.
func (l *life) work(hours int) {
	l.t.Helper()
	for _, e := range l.rows("sales_order") {
		if order := record.Decode[office.SalesOrder](e); order.Status == office.OrderReceived {
			_ = l.company.AcceptSalesOrder(order.ID) // too many may be open
			l.flush()
		}
	}
	l.company.Tick(l.wall, 60*hours)
	l.flush()
}

func (l *life) types() (types []string) {
	for _, e := range l.events {
		types = append(types, e.Type)
	}
	return types
}

// serve makes the attempts that are due, of which every third fails.
func (l *life) serve(sent int) int {
	l.t.Helper()
	l.wall = l.wall.Add(20 * time.Second)
	l.desk.At(l.wall)
	jobs, _ := l.desk.Webhooks.Due(l.wall, 100)
	outcomes := make([]subscription.Outcome, len(jobs))
	for i, j := range jobs {
		outcomes[i] = subscription.Outcome{DeliveryID: j.DeliveryID, SentAt: l.wall.Time(), StatusCode: 200}
		if sent++; sent%3 == 0 {
			outcomes[i].StatusCode, outcomes[i].ErrorClass = 500, "http_5xx"
		}
	}
	l.desk.Webhooks.Record(outcomes)
	l.flush()
	return sent
}

// unlucky lets everything go wrong with deliveries.
type unlucky struct{}

func (unlucky) Late(c *subscription.Case) time.Duration {
	return time.Duration(c.Sequence%5) * time.Second
}

func (unlucky) Lost(c *subscription.Case) bool { return c.Sequence%3 == 0 }

func (unlucky) Decoy(*subscription.Case) subscription.Decoy { return subscription.Forged }

func (unlucky) Attempted(*subscription.Case, bool, subscription.Decoy) {}

func (unlucky) Twice(*subscription.Case) (after time.Duration, again bool) { return time.Second, true }

func (unlucky) Secret(*subscription.Case) []byte { return []byte("another") }

// TestADeskLeavesTheCompanyAsItIs: one of two companies has no desk, the other one a desk with a subscription whose
// receiver fails now and then, and an end that is announced. They live the same life, to the hash, and their feeds
// differ in nothing but the desk's events, also with injected faults.
func TestADeskLeavesTheCompanyAsItIs(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]subscription.Faults{"usual": nil, "unlucky": unlucky{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alone, served := begin(t, false), begin(t, true)
			alone.company.Note(mission.VerifiedWebhook) // the client's own deed, which is part of the life
			alone.flush()
			id := served.desk.Webhooks.Create(subscription.Order{
				Host: "hooks.example.com", Address: []byte("a"), Secret: []byte("s"),
				Events: []event.Type{subscription.Everything},
			})
			ping := subscription.Attempt{SubscriptionID: id, EventID: "evt_ping", Address: []byte("a")}
			if err := served.desk.Tested(ping,
				subscription.Outcome{SentAt: served.wall.Time(), StatusCode: 200}); err != nil {
				t.Fatal(err)
			}
			served.flush()
			served.desk.Webhooks.Disturb(faults)
			sent := 0
			for day := range 6 {
				for range 4 {
					alone.work(2)
					served.work(2)
					sent = served.serve(sent)
				}
				served.desk.Expiring(served.wall, 2-day%3)
				served.flush()
			}
			if sent < 20 {
				t.Fatalf("only %d attempts were made", sent)
			}
			if got, want := served.company.StateHash(), alone.company.StateHash(); got != want {
				t.Errorf("with a desk the company has the hash %s, without %s", got, want)
			}
			if err := served.desk.Check(); err != nil {
				t.Error(err)
			}
			kept := slices.DeleteFunc(served.types(), func(kind string) bool {
				return strings.HasPrefix(kind, "sandbox.webhook.") || kind == string(event.SandboxExpiring)
			})
			rotated := slices.Contains(served.types(), string(event.WebhookSecretRotated))
			if rotated != (faults != nil) {
				t.Errorf("that the secret was rotated is %t", rotated)
			}
			if want := alone.types(); !slices.Equal(kept, want) {
				t.Errorf("the feeds differ:\n%v\n%v", kept, want)
			}
			if n := len(served.events) - len(kept); n < 6+3 {
				t.Errorf("the desk wrote %d events", n)
			}
		})
	}
}

// TestADeskIsLoadedAsItWas with its company: the feed goes on from where it was, and what is owed is owed still.
func TestADeskIsLoadedAsItWas(t *testing.T) {
	t.Parallel()
	l := begin(t, true)
	id := l.desk.Webhooks.Create(subscription.Order{
		Host: "hooks.example.com", Address: []byte("a"), Secret: []byte("s"), Events: []event.Type{"*"},
	})
	if err := l.desk.Tested(subscription.Attempt{SubscriptionID: id, Address: []byte("a")},
		subscription.Outcome{SentAt: l.wall.Time(), StatusCode: 200}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.desk.AddCheckpoint("noon", l.version+1, l.wall); err != nil {
		t.Fatal(err)
	}
	l.flush()
	l.work(2)
	c, err := company.Load(l.image, company.Engine)
	if err != nil {
		t.Fatal(err)
	}
	again, err := desk.Load(&l.image, c, options(), desk.NewClient(&desk.Memory{}))
	if err != nil {
		t.Fatal(err)
	}
	if c.StateHash() != l.company.StateHash() || again.Summary() != l.desk.Summary() {
		t.Errorf("loaded it is %+v, it was %+v", again.Summary(), l.desk.Summary())
	}
	if got, want := c.Feed().Position(), l.company.Feed().Position(); got != want {
		t.Errorf("the feed goes on from %+v, want %+v", got, want)
	}
	if _, ok := again.Checkpoint("noon"); !ok {
		t.Error("a checkpoint is lost")
	}
	if got, want := again.Webhooks.Waiting(), l.desk.Webhooks.Waiting(); got != want || got == 0 {
		t.Errorf("%d deliveries wait, want %d", got, want)
	}
	again.Fork(l.wall)
	if serving, _ := again.Webhooks.Glance(); serving || again.Webhooks.Waiting() != 0 {
		t.Error("a fork has the subscription of its parent")
	}
	if next, err := again.Webhooks.CanCreate([]event.Type{"*"}); err != nil || next == id {
		t.Errorf("the next subscription would be %s, %v", next, err)
	}
	if got, want := c.Feed().Position(), l.company.Feed().Position(); got != want {
		t.Errorf("the fork has written something: %+v, %+v", got, want)
	}
}
