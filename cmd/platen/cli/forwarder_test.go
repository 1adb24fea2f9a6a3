package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen/client"
)

// transport answers without a network.
type transport func(*http.Request) (int, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	status, err := t(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Body: http.NoBody}, nil
}

func occurrence(seq uint64, kind string) client.FeedEvent {
	return client.FeedEvent{
		Seq: seq, ID: fmt.Sprint("evt_", seq), Type: client.EventType(kind),
		Raw: fmt.Appendf(nil, `{"seq":%d,"id":"evt_%d","data":{}}`, seq, seq),
	}
}

// TestForwardedEventsAreSentAgainAsWebhooksAre, and are where to go on until
// they are settled (contract: DLV.RETRY, DLV.DROP).
func TestForwardedEventsAreSentAgainAsWebhooksAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lasts time.Duration
		sent  string
		goOn  uint64
	}{
		{time.Second, "[evt_1 0s evt_3 0s evt_4 0s]", 1},
		{69 * time.Second, "[evt_1 0s evt_3 0s evt_4 0s evt_1 10s evt_3 10s]", 1},
		{80 * time.Second, "[evt_1 0s evt_3 0s evt_4 0s evt_1 10s evt_3 10s evt_1 1m10s evt_3 1m10s]", 1},
		{time.Hour, "[evt_1 0s evt_3 0s evt_4 0s evt_1 10s evt_3 10s evt_1 1m10s evt_3 1m10s evt_1 6m10s]", 5},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			var sent []string
			began := time.Now()
			f := &forwarder{url: "http://example.com/", secret: "whsec_", out: &out, next: 1,
				transport: transport(func(r *http.Request) (int, error) {
					id := strings.Join(r.Header[strings.ToLower("Webhook-Id")], "") // as it is sent
					sent = append(sent, fmt.Sprint(id, " ", time.Since(began)))
					switch {
					case id == "evt_1":
						return http.StatusInternalServerError, nil
					case id == "evt_3" && time.Since(began) < time.Minute:
						return 0, errors.New("connection refused")
					}
					return http.StatusOK, nil
				})}
			ctx, cancel := context.WithTimeout(t.Context(), c.lasts)
			defer cancel()
			events, done := make(chan client.FeedEvent), make(chan error)
			go func() { done <- f.forward(ctx, events, nil) }()
			for i, kind := range []string{
				"office.payment.received", "sandbox.webhook.created", "office.payment.received",
				"office.payment.received",
			} {
				events <- occurrence(uint64(i+1), kind)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			if fmt.Sprint(sent) != c.sent || f.goOn() != c.goOn {
				t.Errorf("after %v it has sent\n%s, want\n%s\nand would go on at %d, want %d",
					c.lasts, sent, c.sent, f.goOn(), c.goOn)
			}
			last := c.lasts == time.Hour
			if strings.Contains(out.String(), "given up") != last ||
				strings.Contains(out.String(), "at attempt 3") != (c.lasts > 70*time.Second) {
				t.Errorf("after %v it showed\n%s", c.lasts, &out)
			}
		})
	}
}

func TestWhatWasBrokenOffIsWhereToGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		f := &forwarder{url: "http://example.com/", secret: "whsec_", out: &out, next: 7,
			transport: transport(func(r *http.Request) (int, error) {
				<-r.Context().Done()
				return 0, r.Context().Err()
			})}
		ctx, cancel := context.WithCancel(t.Context())
		events, done := make(chan client.FeedEvent), make(chan error)
		go func() { done <- f.forward(ctx, events, nil) }()
		events <- occurrence(7, "office.payment.received")
		synctest.Wait()
		cancel()
		if err := <-done; err != nil || f.goOn() != 7 || out.Len() != 0 {
			t.Errorf("%v, it would go on at %d, and showed %q", err, f.goOn(), &out)
		}
	})
}
