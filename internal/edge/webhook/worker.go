package webhook

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"platen/internal/desk/subscription"
	"platen/internal/words/event"
)

// worker sends the deliveries of one sandbox. Everything but wake and ended
// belongs to its goroutine.
type worker struct {
	dispatcher *Dispatcher
	sandboxID  string
	transport  Transport
	wake       chan struct{}

	// due are the deliveries to send as soon as there is a place for them. sent
	// are the ids of those under way or not recorded yet, busy counts those
	// under way by subscription.
	due  []subscription.Attempt
	sent map[string]bool
	busy map[string]int
	// slow are the subscriptions whose newest attempt ran out of time.
	slow map[string]bool
	// ended brings the ends of attempts, outcomes are their results.
	ended    chan ended
	outcomes []subscription.Outcome

	// asks is set when the source may have something new, and next is when it
	// will have something without being woken.
	asks bool
	next time.Time
	// troubles counts the errors of the source in a row. Until resume it is
	// left alone, and nothing is sent whose outcome might find no place.
	troubles int
	resume   time.Time

	stopping bool
}

// ended is the end of an attempt. One that was broken off has no outcome but
// its ids.
type ended struct {
	outcome subscription.Outcome
	broken  bool
}

func newWorker(d *Dispatcher, sandboxID string) *worker {
	return &worker{
		dispatcher: d, sandboxID: sandboxID, transport: d.options.NewTransport(), wake: make(chan struct{}, 1),
		sent: map[string]bool{}, busy: map[string]int{}, slow: map[string]bool{},
		ended: make(chan ended, maxSandboxSending),
	}
}

// run works until the sandbox has nothing more to send, or the dispatcher stops.
func (w *worker) run(ctx context.Context) {
	defer w.transport.CloseIdleConnections()
	for {
		w.recordOutcomes(ctx)
		if w.done(ctx) && w.dispatcher.removeIdle(w, w.stopping || ctx.Err() != nil) {
			return
		}
		w.wait(ctx)
	}
}

// recordOutcomes has outcomes recorded and asks for the due deliveries.
func (w *worker) recordOutcomes(ctx context.Context) {
	if !w.resume.IsZero() {
		if time.Now().Before(w.resume) {
			return
		}
		w.resume = time.Time{}
	}
	if len(w.outcomes) > 0 && !w.record(ctx) {
		return
	}
	if w.asks && !w.stopping && ctx.Err() == nil {
		w.ask(ctx)
	}
}

// record reports whether all outcomes are recorded.
func (w *worker) record(ctx context.Context) bool {
	d := w.dispatcher
	err := d.ask(ctx, func() error { return d.options.Source.Record(ctx, w.sandboxID, w.outcomes) })
	if err != nil && !errors.Is(err, ErrGone) {
		w.backOff(ctx, "record deliveries", err)
		return false
	}
	for i := range w.outcomes {
		delete(w.sent, w.outcomes[i].DeliveryID)
	}
	w.outcomes, w.troubles, w.asks = nil, 0, true
	return true
}

// ask replaces the due deliveries.
func (w *worker) ask(ctx context.Context) {
	d, now := w.dispatcher, time.Now()
	var attempts []subscription.Attempt
	var next time.Time
	// Deliveries that do not fit now are due again when the source is asked
	// after the next record.
	taken := map[string]int{}
	wants := func(a *subscription.Attempt) bool {
		if w.sent[a.DeliveryID] || taken[a.SubscriptionID] >= maxAhead {
			return false
		}
		taken[a.SubscriptionID]++
		return true
	}
	err := d.ask(ctx, func() (err error) {
		attempts, next, err = d.options.Source.Due(ctx, w.sandboxID, now, maxDue, wants)
		return err //nolint:wrapcheck // it is wrapped where it is logged
	})
	if err != nil && !errors.Is(err, ErrGone) {
		w.backOff(ctx, "ask what is due", err)
		return
	}
	w.asks, w.troubles, w.due, w.next = false, 0, attempts, time.Time{}
	if err != nil {
		return
	}
	switch {
	case next.IsZero() || next.After(now):
		w.next = next
	case len(w.due) == 0 && len(w.busy) == 0:
		w.next = now.Add(backOffLeast)
	}
}

// backOff leaves the source alone for a while, longer each time.
func (w *worker) backOff(ctx context.Context, doing string, err error) {
	if ctx.Err() != nil {
		return
	}
	wait := min(backOffLeast<<min(w.troubles, 10), maxBackOff)
	w.troubles++
	w.resume = time.Now().Add(wait)
	w.dispatcher.options.Log.ErrorContext(ctx, "deliveries wait", slog.String("doing", doing),
		slog.String("sandbox", w.sandboxID), slog.Duration("wait", wait), slog.Any("error", err))
}

// done reports whether there is nothing left to wait for.
func (w *worker) done(ctx context.Context) bool {
	switch {
	case len(w.busy) > 0:
		return false
	case ctx.Err() != nil:
		return true
	case len(w.outcomes) > 0:
		return false
	}
	return w.stopping || len(w.due) == 0 && !w.asks && w.next.IsZero() && w.resume.IsZero()
}

// wait waits for the next thing to happen, and notes it.
func (w *worker) wait(ctx context.Context) {
	d := w.dispatcher
	if ctx.Err() != nil { // broken off: the attempts under way end at once
		if len(w.busy) > 0 {
			w.finish(<-w.ended)
		}
		return
	}
	var places chan<- struct{}
	i := w.ready()
	if i >= 0 {
		places = w.placesOf(&w.due[i])
	}
	stopping := d.stopping
	if w.stopping {
		stopping = nil
	}
	var alarm <-chan time.Time
	if at := w.alarm(); !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case places <- struct{}{}:
		w.send(ctx, i)
	case landing := <-w.ended:
		w.finish(landing)
	case <-w.wake:
		w.asks = true
	case <-alarm:
		w.asks = w.asks || w.resume.IsZero()
	case <-stopping:
		w.stopping, w.due, w.next = true, nil, time.Time{}
	case <-ctx.Done():
	}
}

// ready returns the index in due of a delivery that can be sent, -1 for none.
func (w *worker) ready() int {
	if !w.resume.IsZero() || len(w.sent) >= maxSandboxSending {
		return -1
	}
	return slices.IndexFunc(w.due, func(a subscription.Attempt) bool { return w.busy[a.SubscriptionID] == 0 })
}

// placesOf are those that an attempt takes one of.
func (w *worker) placesOf(a *subscription.Attempt) chan struct{} {
	if w.slow[a.SubscriptionID] {
		return w.dispatcher.slow
	}
	return w.dispatcher.places
}

// alarm is when the source is to be asked without anything else having
// happened, zero for never.
func (w *worker) alarm() time.Time {
	if !w.resume.IsZero() {
		return w.resume
	}
	return w.next
}

// send makes an attempt in a goroutine, which holds a place while it lasts, unless the
// sandbox has gone elsewhere while the attempt waited for its place.
func (w *worker) send(ctx context.Context, i int) {
	a := w.due[i]
	places := w.placesOf(&a)
	if !w.dispatcher.options.Source.Owned(w.sandboxID) {
		<-places
		w.due, w.asks = nil, true // the source knows what became of it
		return
	}
	w.due = slices.Delete(w.due, i, i+1)
	w.sent[a.DeliveryID] = true
	w.busy[a.SubscriptionID]++
	go func() {
		outcome := w.dispatcher.attempt(ctx, w.transport, &a)
		<-places
		w.ended <- ended{outcome: outcome, broken: ctx.Err() != nil}
	}()
}

// finish notes the end of an attempt, and of all others that have ended by now.
func (w *worker) finish(first ended) {
	for more := first; ; {
		id := more.outcome.SubscriptionID
		if w.busy[id]--; w.busy[id] == 0 {
			delete(w.busy, id)
		}
		if more.broken {
			delete(w.sent, more.outcome.DeliveryID)
		} else {
			w.outcomes = append(w.outcomes, more.outcome)
			w.slow[id] = more.outcome.ErrorClass == event.ClassTimeout
		}
		if more.outcome.ErrorClass != "" || more.broken {
			// Deliveries after a failure wait for the delivery log's decision
			// on it.
			w.due = slices.DeleteFunc(w.due, func(a subscription.Attempt) bool { return a.SubscriptionID == id })
		}
		select {
		case more = <-w.ended:
		default:
			return
		}
	}
}
