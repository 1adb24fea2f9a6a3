package load

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"platen/client"
	"platen/internal/edge/webhook"
)

const (
	deliverySandboxes = 128
	deliveryDays      = 2
	// maxDeliveries of a sandbox are sent in a minute, beside its ping.
	maxDeliveries = 59
)

// delivery is a request to a receiver.
type delivery struct {
	id   string
	body []byte
}

// BenchmarkDelivery lets days pass in sandboxes with a webhook each, and compares the rate at which their events
// arrive with that of a bare client that signs and posts the same bodies. It says how many
// subscribers a server can keep up with.
func BenchmarkDelivery(b *testing.B) {
	received := make(chan delivery, 2*maxDeliveries*deliverySandboxes)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil && r.Header.Get(webhook.HeaderSignature) != "" {
			received <- delivery{r.Header.Get(webhook.HeaderID), body}
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	platen := setup{Database: filepath.Join(b.TempDir(), "platen.db")}.spawn(b)
	var rates, bareRates, cpu []float64
	for b.Loop() {
		sandboxes := subscribe(b, platen.address, receiver.URL, received)
		before, began := platen.cpu(b), time.Now()
		total := tickAll(b, sandboxes)
		sent := receive(b, received, total)
		rates = append(rates, float64(total)/time.Since(began).Seconds())
		cpu = append(cpu, (platen.cpu(b)-before)/float64(total))
		began = time.Now()
		postAgain(b, receiver.URL, sent)
		receive(b, received, total)
		bareRates = append(bareRates, float64(total)/time.Since(began).Seconds())
	}
	report(b, "rate/bare", quotients(rates, bareRates)...)
	report(b, "deliveries/s", rates...)
	report(b, "cpu-ms/delivery", 1e3*percentile(cpu, 50))
}

// subscribe makes sandboxes whose events go to a receiver, which has answered a ping of each.
func subscribe(b *testing.B, address, hook string, received <-chan delivery) []*client.Sandbox {
	b.Helper()
	sandboxes := create(b, address, deliverySandboxes, client.ClockModeManual)
	together(b, len(sandboxes), func(i int, _ *http.Client) error {
		c := sandboxes[i].Client()
		w, err := c.CreateWebhook(b.Context(), client.CreateWebhookInput{URL: hook, Events: []client.EventType{"*"}})
		if err != nil {
			return err
		}
		if _, err := c.TestWebhook(b.Context(), w.ID); err != nil {
			return err
		}
		for err == nil && w.Status != client.SubscriptionStatusActive {
			w, err = c.GetWebhook(b.Context(), w.ID)
		}
		return err
	})
	receive(b, received, len(sandboxes))
	return sandboxes
}

// tickAll lets days pass in all sandboxes, and returns how many deliveries follow within a minute.
func tickAll(b *testing.B, sandboxes []*client.Sandbox) (total int) {
	b.Helper()
	events := make([]int, len(sandboxes))
	together(b, len(sandboxes), func(i int, _ *http.Client) error {
		c := sandboxes[i].Client()
		before, err := c.GetSandbox(b.Context())
		for day := 0; err == nil && day < deliveryDays; day++ {
			_, err = c.AdvanceTime(b.Context(), client.TickInput{})
		}
		if err != nil {
			return err
		}
		after, err := c.GetSandbox(b.Context())
		if err == nil {
			events[i] = int(after.LastSeq - before.LastSeq)
		}
		return err
	})
	for _, n := range events {
		total += min(n, maxDeliveries)
	}
	if total < len(sandboxes) {
		b.Fatalf("%d events in %d sandboxes", total, len(sandboxes))
	}
	return total
}

// receive waits until so many deliveries have arrived.
func receive(b *testing.B, received <-chan delivery, n int) (arrived []delivery) {
	b.Helper()
	for late := time.After(answerTime); len(arrived) < n; {
		select {
		case d := <-received:
			arrived = append(arrived, d)
		case <-late:
			b.Fatalf("%d of %d deliveries arrived in %s", len(arrived), n, answerTime)
		}
	}
	return arrived
}

// postAgain signs and posts the same bodies.
func postAgain(b *testing.B, hook string, sent []delivery) {
	b.Helper()
	secrets := []string{webhook.NewSecret()}
	together(b, len(sent), func(i int, web *http.Client) error {
		now := time.Now()
		signature, err := webhook.Sign(secrets, sent[i].id, now, sent[i].body)
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, hook, bytes.NewReader(sent[i].body))
		if err != nil {
			return err
		}
		r.Header.Set(webhook.HeaderID, sent[i].id)
		r.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
		r.Header.Set(webhook.HeaderSignature, signature)
		response, err := web.Do(r)
		if err != nil {
			return err
		}
		io.Copy(io.Discard, response.Body)
		return response.Body.Close()
	})
}
