package webhook_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"platen/internal/desk/subscription"
	"platen/internal/edge/webhook"
)

// books is a source in memory: deliveries with the retries of the contract, and
// a log of what was recorded.
type books struct {
	t      *testing.T
	sealer *webhook.Sealer

	mu        sync.Mutex
	sandboxes map[string][]*delivery
	// elsewhere are those that another process sends for.
	elsewhere map[string]bool
	asked     int
	recorded  int
	// trouble is asked before each call: "due" or "record".
	trouble func(call string) error
}

type delivery struct {
	attempt  subscription.Attempt
	dueAt    time.Time
	settled  bool
	outcomes []subscription.Outcome
}

// retries are the waits of the contract (DLV.RETRY).
var retries = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute}

const testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func newBooks(t *testing.T) *books {
	t.Helper()
	sealer, err := webhook.NewSealer([]byte("a key of the server's"))
	if err != nil {
		t.Fatal(err)
	}
	return &books{t: t, sealer: sealer, sandboxes: map[string][]*delivery{}, elsewhere: map[string]bool{},
		trouble: func(string) error { return nil }}
}

// add puts an event into the books, due now.
func (b *books) add(sandboxID, subscriptionID, address string, secrets ...string) *delivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(secrets) == 0 {
		secrets = []string{testSecret}
	}
	n := len(b.sandboxes[sandboxID])
	context := webhook.SealContext(sandboxID, subscriptionID)
	d := &delivery{dueAt: time.Now(), attempt: subscription.Attempt{
		SandboxID: sandboxID, SubscriptionID: subscriptionID, DeliveryID: fmt.Sprintf("whd_%s_%d", sandboxID, n),
		EventID: fmt.Sprintf("evt_%s_%d", sandboxID, n), EventType: "office.payment.received", Number: 1,
		Trigger: subscription.Auto,
		Event: fmt.Appendf(nil, `{"seq":%d,"id":"evt_%s_%d","type":"office.payment.received","data":{"n":%d}}`,
			n, sandboxID, n, n), Address: b.sealer.Seal(address, context),
	}}
	for _, secret := range secrets {
		d.attempt.Secrets = append(d.attempt.Secrets, b.sealer.Seal(secret, context))
	}
	b.sandboxes[sandboxID] = append(b.sandboxes[sandboxID], d)
	return d
}

func (b *books) Owned(sandboxID string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.elsewhere[sandboxID]
}

func (b *books) Due(_ context.Context, sandboxID string, now time.Time, limit int,
	wants func(*subscription.Attempt) bool) (attempts []subscription.Attempt, next time.Time, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.elsewhere[sandboxID] {
		return nil, time.Time{}, webhook.ErrGone
	}
	if err := b.trouble("due"); err != nil {
		return nil, time.Time{}, err
	}
	considered := 0
	for _, d := range b.sandboxes[sandboxID] {
		switch {
		case d.settled:
		case d.dueAt.After(now):
			if next.IsZero() || d.dueAt.Before(next) {
				next = d.dueAt
			}
		case considered < limit:
			considered++
			if a := d.attempt; wants(&a) {
				attempts = append(attempts, a)
			}
		}
	}
	return attempts, next, nil
}

func (b *books) Record(_ context.Context, sandboxID string, outcomes []subscription.Outcome) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.trouble("record"); err != nil {
		return err
	}
	for _, o := range outcomes {
		i := slices.IndexFunc(b.sandboxes[sandboxID], func(d *delivery) bool {
			return d.attempt.DeliveryID == o.DeliveryID
		})
		if i < 0 {
			b.t.Errorf("an outcome of %s for %s", o.DeliveryID, sandboxID)
			continue
		}
		d := b.sandboxes[sandboxID][i]
		if d.settled || o.SubscriptionID != d.attempt.SubscriptionID {
			b.t.Errorf("a second outcome of %s, or of another subscription: %+v", o.DeliveryID, o)
		}
		if o.SentAt.Before(d.dueAt) {
			b.t.Errorf("attempt %d of %s was sent %v early", d.attempt.Number, o.DeliveryID, d.dueAt.Sub(o.SentAt))
		}
		b.recorded++
		d.outcomes = append(d.outcomes, o)
		if d.settled = o.ErrorClass == "" || d.attempt.Number > len(retries); !d.settled {
			d.dueAt = o.SentAt.Add(o.Latency).Add(retries[d.attempt.Number-1])
			d.attempt.Number++
		}
	}
	return nil
}

func (b *books) Waiting(context.Context) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var waiting []string
	for id, deliveries := range b.sandboxes {
		if slices.ContainsFunc(deliveries, func(d *delivery) bool { return !d.settled }) {
			waiting = append(waiting, id)
		}
	}
	return waiting, nil
}

// outcomesOf waits for nothing: it is for when a bubble is still.
func (b *books) outcomesOf(d *delivery) []subscription.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(d.outcomes)
}

// open is how many deliveries are not settled.
func (b *books) open() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, deliveries := range b.sandboxes {
		for _, d := range deliveries {
			if !d.settled {
				n++
			}
		}
	}
	return n
}

// observed counts attempts by class.
type observed struct {
	mu      sync.Mutex
	classes map[string]int
}

func (o *observed) Attempted(class string, _ time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.classes == nil {
		o.classes = map[string]int{}
	}
	o.classes[class]++
}

// chance is a source of numbers that a failed test can repeat.
func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
