package scenario

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"platen/client"
	"platen/test/testclient"
)

// mailbox is a receiver of webhooks: it keeps what is true, once, in the order in which it came.
type mailbox struct {
	*world

	subscription string
	verifier     *standardwebhooks.Webhook

	mu     sync.Mutex
	came   map[string]bool
	events []object
}

// newMailbox subscribes a receiver to some types of events.
func newMailbox(w *world, types ...client.EventType) *mailbox {
	w.t.Helper()
	m := &mailbox{world: w, came: map[string]bool{}}
	server := httptest.NewServer(m)
	w.t.Cleanup(server.Close)
	subscription, err := w.api.CreateWebhook(w.t.Context(), client.CreateWebhookInput{URL: server.URL, Events: types})
	if err != nil {
		w.t.Fatal(err)
	}
	m.subscription = subscription.ID
	for subscription.Secret == nil { // it is shown once, and that response was lost
		if subscription, err = w.api.RotateWebhookSecret(w.t.Context(), m.subscription); err != nil {
			w.t.Fatal(err)
		}
	}
	if m.verifier, err = standardwebhooks.NewWebhook(*subscription.Secret); err != nil {
		w.t.Fatal(err)
	}
	// The response to a ping activates it.
	ping, err := w.api.TestWebhook(w.t.Context(), m.subscription)
	if err != nil || !ping.Delivered {
		w.t.Fatalf("the ping is %+v: %v", ping, err)
	}
	return m
}

func (m *mailbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || m.verifier.Verify(body, r.Header) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var event object
	if err := json.Unmarshal(body, &event); err != nil {
		m.t.Errorf("a delivery is signed, and no JSON: %v", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if id := r.Header.Get("webhook-id"); !m.came[id] && event["type"] != "webhook.ping" {
		m.came[id] = true
		m.events = append(m.events, event)
	}
}

// settle waits until all has come that will come soon. Deliveries beyond the budget of a minute
// do not.
func (m *mailbox) settle() {
	m.t.Helper()
	pending := client.ListWebhookDeliveriesParams{Status: client.SubscriptionDeliveryStatusPending}
	testclient.Eventually(m.t, "no delivery is pending", patience, func() bool {
		page, err := m.api.ListWebhookDeliveries(m.t.Context(), m.subscription, pending)
		if err != nil {
			m.t.Fatal(err)
		}
		return len(page.Items) == 0
	})
}

// oldest returns the first event that came and was not yet removed, nil for none.
func (m *mailbox) oldest() object {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.events) == 0 {
		return nil
	}
	return m.events[0]
}

func (m *mailbox) remove() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = m.events[1:]
}
