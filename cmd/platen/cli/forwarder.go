package cli

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"platen/client"
	"platen/internal/edge/webhook"
)

// bookkeeping begins the types that are never delivered (contract:
// EVT.BOOKKEEPING).
const bookkeeping = "sandbox.webhook."

// retryWaits are the waits after a failed attempt (contract: DLV.RETRY).
func retryWaits() []time.Duration {
	return []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute}
}

// forwarder sends events one after the other, and again after a failure.
type forwarder struct {
	url, secret, userAgent string
	transport              http.RoundTripper
	out                    io.Writer
	json                   bool

	// next is the number behind the last event that was taken on, waiting are
	// those to be sent again.
	next    uint64
	waiting []waitingEvent
	// said is the reason of the attempt before, which is not said twice in a row.
	said string
}

// waitingEvent is an event whose attempts have failed so far.
type waitingEvent struct {
	event   client.FeedEvent
	attempt int
	dueAt   time.Time
}

// attemptLine is the output of --json for an attempt.
type attemptLine struct {
	Time       time.Time `json:"time"`
	Seq        uint64    `json:"seq"`
	EventID    string    `json:"event_id"`
	Type       string    `json:"type"`
	Attempt    int       `json:"attempt"`
	StatusCode int       `json:"status_code"`
	ErrorClass string    `json:"error_class"`
	// Error is why there was no response, "" with one.
	Error     string  `json:"error"`
	LatencyMS float64 `json:"latency_ms"`
	// ResponseBody is its beginning, which … follows where there was more.
	ResponseBody string `json:"response_body"`
	// RetryInS is 0 when there is no other attempt.
	RetryInS int  `json:"retry_in_s"`
	Dropped  bool `json:"dropped"`
}

// forward sends the events that arrive until ctx ends or the feed fails, which ends
// it with that error.
func (f *forwarder) forward(ctx context.Context, events <-chan client.FeedEvent, failed <-chan error) error {
	alarm := time.NewTimer(0)
	defer alarm.Stop()
	for ctx.Err() == nil {
		alarm.Stop()
		if len(f.waiting) > 0 {
			alarm.Reset(time.Until(f.waiting[0].dueAt))
		}
		select {
		case <-ctx.Done():
		case err := <-failed:
			return err
		case e := <-events:
			if !strings.HasPrefix(string(e.Type), bookkeeping) {
				f.send(ctx, waitingEvent{event: e, attempt: 1})
			}
			f.next = e.Seq + 1
		case <-alarm.C:
			again := f.waiting[0]
			f.waiting = f.waiting[1:]
			f.send(ctx, again)
		}
	}
	return nil
}

// goOn is the number of the first event that was not settled.
func (f *forwarder) goOn() uint64 {
	first := f.next
	for _, w := range f.waiting {
		first = min(first, w.event.Seq)
	}
	return first
}

// send makes an attempt, and plans the next one when it failed.
func (f *forwarder) send(ctx context.Context, w waitingEvent) {
	body, err := webhook.Body(w.event.Raw)
	if err != nil {
		fmt.Fprintf(f.out, "event %d cannot be read: %v\n", w.event.Seq, err)
		return
	}
	sentAt := time.Now()
	r := f.post(ctx, w.event.ID, body, sentAt)
	if ctx.Err() != nil && r.ErrorClass != "" { // broken off
		f.plan(w)
		return
	}
	wait := time.Duration(0)
	if waits := retryWaits(); r.ErrorClass != "" && w.attempt <= len(waits) {
		wait = waits[w.attempt-1]
		f.plan(waitingEvent{event: w.event, attempt: w.attempt + 1, dueAt: time.Now().Add(wait)})
	}
	f.show(attemptLine{
		Time: sentAt, Seq: w.event.Seq, EventID: w.event.ID,
		Type: string(w.event.Type), Attempt: w.attempt, StatusCode: r.StatusCode, ErrorClass: string(r.ErrorClass),
		Error: reason(&r), LatencyMS: float64(r.Latency.Microseconds()) / 1000, RetryInS: int(wait / time.Second),
		Dropped: r.ErrorClass != "" && wait == 0, ResponseBody: shownBody(&r),
	})
}

// post sends a body, signed.
func (f *forwarder) post(ctx context.Context, id string, body []byte, at time.Time) webhook.Result {
	return webhook.Post(ctx, f.transport, &webhook.Message{
		URL: f.url, ID: id, Body: body, Secrets: []string{f.secret}, UserAgent: f.userAgent, SentAt: at, Keep: f.json,
	})
}

// reason is why there was no response, in the words of the network alone.
func reason(r *webhook.Result) string {
	if r.Err == nil {
		return ""
	}
	err := r.Err
	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err
	}
	text := err.Error()
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		text += " (--skip-verify skips the check, on this machine)"
	}
	return text
}

// shownBody is the body of a response as text.
func shownBody(r *webhook.Result) string {
	text := strings.ToValidUTF8(string(r.Body), "\uFFFD")
	if r.Longer {
		text += "…"
	}
	return text
}

// plan keeps the order in which events are due.
func (f *forwarder) plan(w waitingEvent) {
	f.waiting = append(f.waiting, w)
	slices.SortStableFunc(f.waiting, func(a, b waitingEvent) int { return a.dueAt.Compare(b.dueAt) })
}

func (f *forwarder) show(l attemptLine) {
	if f.json {
		line, err := json.Marshal(l)
		if err == nil {
			fmt.Fprintf(f.out, "%s\n", line)
		}
		return
	}
	status, then := l.ErrorClass, ""
	if l.StatusCode != 0 {
		status = strconv.Itoa(l.StatusCode)
	}
	switch {
	case l.RetryInS > 0:
		then = fmt.Sprintf("  failed, again in %d s", l.RetryInS)
	case l.Dropped:
		then = "  failed, given up"
	case l.Attempt > 1:
		then = fmt.Sprintf("  at attempt %d", l.Attempt)
	}
	fmt.Fprintf(f.out, "%s  %6d  %-36s %-15s %7.1f ms%s\n",
		l.Time.Format(time.TimeOnly), l.Seq, l.Type, status, l.LatencyMS, then)
	if l.Error != "" && l.Error != f.said {
		fmt.Fprintf(f.out, "                  %s\n", l.Error)
	}
	f.said = l.Error
}
