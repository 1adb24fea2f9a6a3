package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// receiver is the receiver of webhooks that was there before the player came: it listens on
// this machine while a task is prepared.
type receiver struct {
	server *http.Server
	url    string
	// failing is set when it responds to everything with 503.
	failing atomic.Bool

	mu  sync.Mutex
	log bytes.Buffer
}

// Names of the files that a receiver leaves.
const (
	subscriptionFile = "subscription.json"
	deliveriesFile   = "deliveries.jsonl"
)

// received is a line of a receiver's log.
type received struct {
	ReceivedAt time.Time         `json:"received_at"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
}

// maxDelivery bounds the body of a delivery, in bytes.
const maxDelivery = 1 << 20

// openReceiver opens a receiver.
func openReceiver(ctx context.Context) (*receiver, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a receiver of webhooks: %w", err)
	}
	r := &receiver{url: "http://" + l.Addr().String() + "/webhooks"}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: patience}
	go func() { _ = r.server.Serve(l) }() // until it is closed; then it says so
	return r, nil
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(io.LimitReader(in.Body, maxDelivery))
	if err != nil || r.failing.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	line := received{ReceivedAt: time.Now().UTC(), Headers: map[string]string{}, Body: string(body)}
	for name := range in.Header {
		line.Headers[strings.ToLower(name)] = in.Header.Get(name)
	}
	text, err := json.Marshal(line)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.Write(append(text, '\n'))
}

// lines are the deliveries so far, one JSON object in each line.
func (r *receiver) lines() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.log.Bytes())
}

// subscription describes a subscription from before the player, for the player.
type subscription struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

// subscribe opens a receiver and has types of events sent to it.
func (p *preparation) subscribe(ctx context.Context, types []string) error {
	if p.receiver != nil {
		return errors.New("there is a receiver already")
	}
	var err error
	if p.receiver, err = openReceiver(ctx); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"url": p.receiver.url, "events": types})
	if err != nil {
		return fmt.Errorf("encode the subscription: %w", err)
	}
	data, err := p.world.send(ctx, http.MethodPost, "/webhooks", body)
	if err != nil {
		return fmt.Errorf("the task needs a server that delivers here (platen serve --profile local): %w", err)
	}
	if err := json.Unmarshal(data, &p.subscription); err != nil {
		return fmt.Errorf("read the subscription: %w", err)
	}
	p.world.named["hook.id"] = p.subscription.ID
	_, err = p.world.send(ctx, http.MethodPost, "/webhooks/"+p.subscription.ID+"/test", []byte("{}"))
	return err
}

// handOver makes files of what the receiver has got: what it has received, and the subscription.
func (p *preparation) handOver(files map[string][]byte) error {
	if p.receiver == nil {
		return nil
	}
	text, err := json.Marshal(p.subscription) //nolint:gosec // the player is to have its secret
	if err != nil {
		return fmt.Errorf("encode the subscription: %w", err)
	}
	files[subscriptionFile], files[deliveriesFile] = append(text, '\n'), p.receiver.lines()
	return nil
}
