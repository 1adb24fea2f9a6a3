package oracle

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"platen/client"
)

// subscription is the content of subscription.json.
type subscription struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

// delivery is a line of deliveries.jsonl.
type delivery struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// genuine reports whether a delivery is signed with a secret.
func (d *delivery) genuine(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(d.Headers["webhook-id"] + "." + d.Headers["webhook-timestamp"] + "." + d.Body))
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return slices.ContainsFunc(strings.Fields(d.Headers["webhook-signature"]), func(s string) bool {
		return hmac.Equal([]byte(s), []byte(want))
	})
}

// noisyHooks tells true deliveries from forged ones by their signatures, and takes what has
// happened, and its order, from the feed.
func noisyHooks(ctx context.Context, p *Player) (any, error) {
	var s subscription
	if err := json.Unmarshal(p.Files["subscription.json"], &s); err != nil {
		return nil, fmt.Errorf("read the subscription: %w", err)
	}
	forged, came := 0, map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(p.Files["deliveries.jsonl"]))
	for lines.Scan() {
		var d delivery
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
		if d.genuine(s.Secret) {
			came[d.Headers["webhook-id"]] = true
		} else {
			forged++
		}
	}
	begun, err := p.Client.ListEvents(ctx, client.ListEventsParams{
		Types: []client.EventType{"sandbox.webhook.activated"},
	})
	if err != nil {
		return nil, err
	}
	events, missing := []string{}, []string{}
	for e, err := range p.Client.EventsWhere(ctx, client.ListEventsParams{
		AfterSeq: begun.Items[0].Seq,
		Types:    []client.EventType{"office.sales_order.received", "office.sales_order.accepted"},
	}) {
		if err != nil {
			return nil, err
		}
		events = append(events, e.ID)
		if !came[e.ID] {
			missing = append(missing, e.ID)
		}
	}
	slices.Sort(missing)
	return map[string]any{"events": events, "missing": missing, "forged": forged}, lines.Err()
}

// lostWebhooks orders the work that is missing, once each, and has webhooks sent to a receiver
// that is there.
func lostWebhooks(ctx context.Context, c *client.Client) (any, error) {
	if err := carryAccepted(ctx, c); err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a receiver: %w", err)
	}
	const patience = time.Minute
	receiver := &http.Server{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ReadHeaderTimeout: patience,
	}
	go func() { _ = receiver.Serve(l) }()   // until it is closed; then it says so
	defer func() { _ = receiver.Close() }() // nothing is sent to it any more
	for s, err := range c.Webhooks(ctx, client.ListWebhooksParams{}) {
		if err != nil {
			return nil, err
		}
		url := "http://" + l.Addr().String() + "/webhooks"
		if _, err := c.UpdateWebhook(ctx, s.ID, client.UpdateWebhookInput{URL: &url}); err != nil {
			return nil, err
		}
		if _, err := c.TestWebhook(ctx, s.ID); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
