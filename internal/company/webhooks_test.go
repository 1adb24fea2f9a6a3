package company_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"platen/internal/company/mission"
	"platen/internal/company/sim"
	"platen/internal/company/subscription"
	"platen/internal/event"
)

// TestWebhooksLeaveTheCompanyAsItIs: one of two companies has a subscription whose receiver
// fails now and then; they live the same life, to the hash, and their feeds differ in nothing
// but the bookkeeping, also with injected faults.
func TestWebhooksLeaveTheCompanyAsItIs(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]subscription.Faults{"usual": nil, "unlucky": unlucky{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			webhooksLeaveTheCompanyAsItIs(t, faults)
		})
	}
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

func webhooksLeaveTheCompanyAsItIs(t *testing.T, faults subscription.Faults) {
	t.Helper()
	quiet := live(t, presetNamed(t, "starter"), 3, sim.Manual, usual)
	served := live(t, presetNamed(t, "starter"), 3, sim.Manual, usual)
	quiet.company.Note(mission.VerifiedWebhook) // the client's own deed, which is part of the life
	quiet.flush()
	c := served.company
	id := c.Subscribe(subscription.Order{Host: "hooks.example.com", Address: []byte("a"), Secret: []byte("s"),
		Events: []event.Type{subscription.Everything}}, served.wall)
	ping := subscription.Attempt{SubscriptionID: id, EventID: "evt_ping", Address: []byte("a")}
	if err := c.SubscriptionTested(ping, subscription.Outcome{SentAt: served.wall.Time(), StatusCode: 200},
		served.wall); err != nil {
		t.Fatal(err)
	}
	served.flush()
	c.DisturbDeliveries(faults)
	sent := 0
	for range 6 {
		stewarded(quiet, 1)
		stewarded(served, 1)
		later := max(served.wall, served.seen).Add(20 * time.Second)
		served.wall, served.seen = later, later
		jobs, _ := c.DueDeliveries(later, 100)
		outcomes := make([]subscription.Outcome, len(jobs))
		for i, j := range jobs {
			outcomes[i] = subscription.Outcome{DeliveryID: j.DeliveryID, SentAt: later.Time(), StatusCode: 200}
			if sent++; sent%3 == 0 {
				outcomes[i].StatusCode, outcomes[i].ErrorClass = 500, "http_5xx"
			}
		}
		c.RecordDeliveries(outcomes, later)
		served.flush()
	}
	if sent < 20 {
		t.Fatalf("only %d attempts were made", sent)
	}
	if got, want := c.StateHash(), quiet.company.StateHash(); got != want {
		t.Errorf("with a webhook the company has the hash %s, without %s", got, want)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	kept := slices.DeleteFunc(typesOf(served), func(kind string) bool {
		return strings.HasPrefix(kind, "sandbox.webhook.")
	})
	if rotated := slices.Contains(typesOf(served), string(event.WebhookSecretRotated)); rotated != (faults != nil) {
		t.Errorf("that the secret was rotated is %t", rotated)
	}
	if want := typesOf(quiet); !slices.Equal(kept, want) {
		t.Errorf("the feeds differ:\n%v\n%v", kept, want)
	}
}

func typesOf(l *life) (types []string) {
	for _, e := range l.events {
		types = append(types, e.Type)
	}
	return types
}
