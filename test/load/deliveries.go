package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"platen/internal/company/subscription"
	"platen/internal/netguard"
	"platen/internal/webhook"
)

const (
	deliverySandboxes = 16
	// deliveriesEach are sent for each sandbox in a round.
	deliveriesEach = 600
	// deliverySenders post at once on the side that we are held against: as many
	// as the dispatcher lets one subscription of each sandbox have.
	deliverySenders = 8 * deliverySandboxes
	deliveryTimeout = 5 * time.Second
)

// deliveryRates are deliveries in a second, by round.
type deliveryRates struct {
	Ours []float64 `json:"ours"`
	Bare []float64 `json:"bare"`
	// OursCPU and BareCPU are processor times of a round, in seconds.
	OursCPU []float64 `json:"ours_cpu"`
	BareCPU []float64 `json:"bare_cpu"`
}

// measureDeliveries sends to a receiver in this process.
func measureDeliveries(ctx context.Context, b *bench) (figures []figure, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	receiver := &http.Server{ReadHeaderTimeout: deliveryTimeout,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusNoContent)
		})}
	ended := make(chan error, 1)
	go func() { ended <- receiver.Serve(listener) }()
	var rates deliveryRates
	err = b.once(ctx, &rates, "deliveries", "http://"+listener.Addr().String()+"/hook")
	err = errors.Join(err, receiver.Close())
	<-ended
	if err != nil {
		return nil, err
	}
	return []figure{{
		name: "signed deliveries, to a bare client that signs and posts", samples: quotients(rates.Ours, rates.Bare),
		unit: ratio, least: 0.5, aim: 0.7,
		note: fmt.Sprintf("%d sandboxes, %d at once, without the disk; CPU %s; %.0f/s beside %.0f/s",
			deliverySandboxes, deliverySenders, ratio(median(quotients(rates.OursCPU, rates.BareCPU))),
			median(rates.Ours), median(rates.Bare)),
	}}, nil
}

// runDeliveries lets the dispatcher and a bare client send in turns.
func runDeliveries(ctx context.Context, p *parent, args []string) error {
	var rates deliveryRates
	for round := range rounds + 1 {
		ours, oursCPU, err := withCPU(func() (float64, error) { return dispatchedRate(ctx, args[0]) })
		if err != nil {
			return err
		}
		bare, bareCPU, err := withCPU(func() (float64, error) { return bareRate(ctx, args[0]) })
		if err != nil {
			return err
		}
		if round > 0 { // the first is to warm up
			rates.Ours, rates.Bare = append(rates.Ours, ours), append(rates.Bare, bare)
			rates.OursCPU, rates.BareCPU = append(rates.OursCPU, oursCPU), append(rates.BareCPU, bareCPU)
		}
	}
	return p.say(rates)
}

// withCPU measures how much processor time a round takes, in seconds.
func withCPU(round func() (float64, error)) (rate, seconds float64, err error) {
	before, err := cpuTime()
	if err != nil {
		return 0, 0, err
	}
	if rate, err = round(); err != nil {
		return 0, 0, err
	}
	after, err := cpuTime()
	return rate, (after - before).Seconds(), err
}

// pile is a source in memory whose deliveries are all due from the start.
type pile struct {
	mu     sync.Mutex
	due    map[string][]subscription.Attempt
	failed int
	left   int
	empty  chan struct{}
}

// Due implements webhook.Source.
func (p *pile) Due(_ context.Context, sandboxID string, _ time.Time, limit int,
	wants func(*subscription.Attempt) bool) ([]subscription.Attempt, time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	due, attempts := p.due[sandboxID], []subscription.Attempt(nil)
	for i := range due[:min(limit, len(due))] {
		if wants(&due[i]) {
			attempts = append(attempts, due[i])
		}
	}
	return attempts, time.Time{}, nil
}

// Record implements webhook.Source.
func (p *pile) Record(_ context.Context, sandboxID string, outcomes []subscription.Outcome) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := map[string]bool{}
	for i := range outcomes {
		sent[outcomes[i].DeliveryID] = true
		if outcomes[i].ErrorClass != "" {
			p.failed++
		}
	}
	due := p.due[sandboxID]
	kept, end := due[:0], min(len(due), len(outcomes)+deliverySenders)
	for i := range due[:end] {
		if !sent[due[i].DeliveryID] {
			kept = append(kept, due[i])
		}
	}
	p.due[sandboxID] = append(kept, due[end:]...)
	if p.left -= len(outcomes); p.left == 0 {
		close(p.empty)
	}
	return nil
}

// Owned implements webhook.Source.
func (p *pile) Owned(string) bool { return true }

// Waiting implements webhook.Source.
func (p *pile) Waiting(context.Context) ([]string, error) {
	ids := make([]string, 0, len(p.due))
	for id := range p.due {
		ids = append(ids, id)
	}
	return ids, nil
}

// Attempted implements webhook.Observer.
func (*pile) Attempted(string, time.Duration) {}

func loadEvent(i, n int) (id string, event []byte) {
	id = "evt_" + strconv.Itoa(i) + "x" + strconv.Itoa(n)
	return id, fmt.Appendf(nil, `{"seq":%d,"id":"%s","type":"office.payment.received",`+
		`"created_at":"2026-11-21T12:00:00.000Z","sim_date":"2027-01-04","sandbox_id":"sbx_%d",`+
		`"system":"office","simulation":true,"data":{"id":"pay_%d","number":"PAY-%06d",`+
		`"customer_id":"cus_brightwell","invoice_id":"inv_%d","amount_minor":125000,`+
		`"changes":[{"resource":"customer_invoice","id":"inv_%d","from":"open","to":"paid"}]},`+
		`"links":{"self":"/office/payments/pay_%d"}}`, n, id, i, n, n, n, n, n)
}

// dispatchedRate sends a pile through the dispatcher.
func dispatchedRate(ctx context.Context, address string) (float64, error) {
	sealer, err := webhook.NewSealer([]byte("a key for measuring"))
	if err != nil {
		return 0, err //nolint:wrapcheck // ends the child
	}
	p := &pile{
		due: map[string][]subscription.Attempt{}, left: deliverySandboxes * deliveriesEach, empty: make(chan struct{}),
	}
	for i := range deliverySandboxes {
		sandboxID := "sbx_" + strconv.Itoa(i)
		sealed := webhook.SealContext(sandboxID, "whk_1")
		url, secret := sealer.Seal(address, sealed), sealer.Seal(webhook.NewSecret(), sealed)
		for n := range deliveriesEach {
			id, event := loadEvent(i, n)
			p.due[sandboxID] = append(p.due[sandboxID], subscription.Attempt{
				SandboxID: sandboxID, SubscriptionID: "whk_1", DeliveryID: "whd_" + id, EventID: id, Event: event,
				Number: 1, Trigger: subscription.Auto,
				Address: url, Secrets: [][]byte{secret},
			})
		}
	}
	guard := netguard.New(netguard.Options{Private: true})
	d := webhook.NewDispatcher(webhook.Options{
		Source: p, Sealer: sealer, Policy: webhook.Policy{Private: true},
		NewTransport: func() webhook.Transport { return guard.Transport() },
		UserAgent:    webhook.UserAgent("http://127.0.0.1"), Observer: p, Log: slog.New(slog.DiscardHandler),
	})
	began := time.Now()
	if err := d.Start(ctx); err != nil {
		return 0, fmt.Errorf("start: %w", err)
	}
	select {
	case <-p.empty:
	case <-ctx.Done():
	}
	took := time.Since(began)
	if err := d.Stop(ctx); err != nil {
		return 0, fmt.Errorf("stop: %w", err)
	}
	if p.failed > 0 {
		return 0, fmt.Errorf("%d deliveries failed", p.failed) //nolint:err113 // ends the child
	}
	return deliverySandboxes * deliveriesEach / took.Seconds(), nil
}

// bareRate signs and posts the same bodies with nothing around it.
func bareRate(ctx context.Context, address string) (float64, error) {
	client := &http.Client{
		Timeout:   deliveryTimeout,
		Transport: &http.Transport{MaxIdleConnsPerHost: deliverySenders, DisableCompression: true},
	}
	defer client.CloseIdleConnections()
	secrets := []string{webhook.NewSecret()}
	bodies := make(chan bareDelivery, deliverySandboxes*deliveriesEach)
	for n := range deliveriesEach {
		for i := range deliverySandboxes {
			id, event := loadEvent(i, n)
			body, err := webhook.Body(event)
			if err != nil {
				return 0, err //nolint:wrapcheck // ends the child
			}
			bodies <- bareDelivery{id, body}
		}
	}
	close(bodies)
	errs := make([]error, deliverySenders)
	var sending sync.WaitGroup
	began := time.Now()
	for sender := range deliverySenders {
		sending.Go(func() {
			for b := range bodies {
				errs[sender] = errors.Join(errs[sender], b.post(ctx, client, address, secrets))
			}
		})
	}
	sending.Wait()
	return deliverySandboxes * deliveriesEach / time.Since(began).Seconds(), errors.Join(errs...)
}

// bareDelivery is what a bare client sends.
type bareDelivery struct {
	id   string
	body []byte
}

func (b *bareDelivery) post(ctx context.Context, client *http.Client, address string, secrets []string) error {
	now := time.Now()
	signature, err := webhook.Sign(secrets, b.id, now, b.body)
	if err != nil {
		return err //nolint:wrapcheck // ends the child
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(b.body))
	if err != nil {
		return err //nolint:wrapcheck // ends the child
	}
	request.Header.Set(webhook.HeaderID, b.id)
	request.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(webhook.HeaderSignature, signature)
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return err //nolint:wrapcheck // ends the child
	}
	io.Copy(io.Discard, answer.Body)
	return answer.Body.Close() //nolint:wrapcheck // ends the child
}
