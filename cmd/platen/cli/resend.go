package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"time"

	"platen/client"
	"platen/internal/edge/webhook"
)

// syntheticPrefix begins the id of an event with data of one's own: no event of a feed has it.
const syntheticPrefix = "syn_"

// resend sends one event to the receiver, once. It fails unless the receiver takes it.
func (l *Listener) resend(ctx context.Context, c *client.Client, f *forwarder) error {
	event, err := c.GetEvent(ctx, l.Resend)
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	if strings.HasPrefix(string(event.Type), bookkeeping) {
		return usagef("%s is %s, which is never delivered", event.ID, event.Type)
	}
	sentAt := time.Now()
	if l.Data != "" {
		if err := l.change(event, sentAt); err != nil {
			return err
		}
	}
	body, err := webhook.Body(event.Raw)
	if err != nil {
		return fmt.Errorf("make the body of %s: %w", event.ID, err)
	}
	r := f.post(ctx, event.ID, body, sentAt)
	f.show(attemptLine{
		Time: sentAt, Seq: event.Seq, EventID: event.ID, Type: string(event.Type), Attempt: 1,
		StatusCode: r.StatusCode, ErrorClass: string(r.ErrorClass), Error: reason(&r),
		LatencyMS: float64(r.Latency.Microseconds()) / 1000, Dropped: r.ErrorClass != "", ResponseBody: shownBody(&r),
	})
	if r.ErrorClass != "" {
		why := string(r.ErrorClass)
		if r.Err != nil {
			why += ": " + reason(&r)
		}
		return fmt.Errorf("the receiver has not taken %s: %s", event.ID, why)
	}
	return nil
}

// change makes a synthetic event of another one: with an id of its own, no number, and the given fields of its data.
func (l *Listener) change(event *client.FeedEvent, at time.Time) error {
	text := []byte(l.Data)
	if name, isFile := strings.CutPrefix(l.Data, "@"); isFile {
		file, err := os.Open(name)
		if err != nil {
			return err //nolint:wrapcheck // it names the file
		}
		defer file.Close()
		if text, err = io.ReadAll(io.LimitReader(file, maxBody)); err != nil {
			return fmt.Errorf("read the data: %w", err)
		}
	}
	var given, data, whole map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil || given == nil {
		return usagef("--data must be a JSON object, or @ and the name of a file with one")
	}
	if err := json.Unmarshal(event.Data, &data); err != nil {
		return fmt.Errorf("read the data of %s: %w", event.ID, err)
	}
	if err := json.Unmarshal(event.Raw, &whole); err != nil {
		return fmt.Errorf("read %s: %w", event.ID, err)
	}
	maps.Copy(data, given)
	event.ID, event.Seq = syntheticPrefix+strings.ToLower(rand.Text()[:13]), 0
	delete(whole, "seq")
	for name, value := range map[string]any{
		"id": event.ID, "created_at": at.UTC().Format(time.RFC3339Nano), "data": data, "synthetic": true,
	} {
		b, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("write the event: %w", err)
		}
		whole[name] = b
	}
	var err error
	if event.Raw, err = json.Marshal(whole); err != nil {
		return fmt.Errorf("write the event: %w", err)
	}
	return nil
}
