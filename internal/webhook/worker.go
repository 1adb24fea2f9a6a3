package webhook

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"platen/internal/company/subscription"
	"platen/internal/event"
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
func (l *worker) run(ctx context.Context) {
	defer l.transport.CloseIdleConnections()
	for {
		l.recordOutcomes(ctx)
		if l.done(ctx) && l.dispatcher.leave(l, l.stopping || ctx.Err() != nil) {
			return
		}
		l.wait(ctx)
	}
}

// recordOutcomes has outcomes recorded and asks for the due deliveries.
func (l *worker) recordOutcomes(ctx context.Context) {
	if !l.resume.IsZero() {
		if time.Now().Before(l.resume) {
			return
		}
		l.resume = time.Time{}
	}
	if len(l.outcomes) > 0 && !l.record(ctx) {
		return
	}
	if l.asks && !l.stopping && ctx.Err() == nil {
		l.ask(ctx)
	}
}

// record reports whether all outcomes are recorded.
func (l *worker) record(ctx context.Context) bool {
	d := l.dispatcher
	err := d.ask(ctx, func() error { return d.options.Source.Record(ctx, l.sandboxID, l.outcomes) })
	if err != nil && !errors.Is(err, ErrGone) {
		l.backOff(ctx, "record deliveries", err)
		return false
	}
	for i := range l.outcomes {
		delete(l.sent, l.outcomes[i].DeliveryID)
	}
	l.outcomes, l.troubles, l.asks = nil, 0, true
	return true
}

// ask replaces the due deliveries.
func (l *worker) ask(ctx context.Context) {
	d, now := l.dispatcher, time.Now()
	var attempts []subscription.Attempt
	var next time.Time
	// Deliveries that do not fit now are due again when the source is asked
	// after the next record.
	taken := map[string]int{}
	wants := func(a *subscription.Attempt) bool {
		if l.sent[a.DeliveryID] || taken[a.SubscriptionID] >= maxAhead {
			return false
		}
		taken[a.SubscriptionID]++
		return true
	}
	err := d.ask(ctx, func() (err error) {
		attempts, next, err = d.options.Source.Due(ctx, l.sandboxID, now, maxDue, wants)
		return err //nolint:wrapcheck // it is wrapped where it is logged
	})
	if err != nil && !errors.Is(err, ErrGone) {
		l.backOff(ctx, "ask what is due", err)
		return
	}
	l.asks, l.troubles, l.due, l.next = false, 0, attempts, time.Time{}
	if err != nil {
		return
	}
	switch {
	case next.IsZero() || next.After(now):
		l.next = next
	case len(l.due) == 0 && len(l.busy) == 0:
		l.next = now.Add(backOffLeast)
	}
}

// backOff leaves the source alone for a while, longer each time.
func (l *worker) backOff(ctx context.Context, doing string, err error) {
	if ctx.Err() != nil {
		return
	}
	wait := min(backOffLeast<<min(l.troubles, 10), maxBackOff)
	l.troubles++
	l.resume = time.Now().Add(wait)
	l.dispatcher.options.Log.ErrorContext(ctx, "deliveries wait", slog.String("doing", doing),
		slog.String("sandbox", l.sandboxID), slog.Duration("wait", wait), slog.Any("error", err))
}

// done reports whether there is nothing left to wait for.
func (l *worker) done(ctx context.Context) bool {
	switch {
	case len(l.busy) > 0:
		return false
	case ctx.Err() != nil:
		return true
	case len(l.outcomes) > 0:
		return false
	}
	return l.stopping || len(l.due) == 0 && !l.asks && l.next.IsZero() && l.resume.IsZero()
}

// wait waits for the next thing to happen, and notes it.
func (l *worker) wait(ctx context.Context) {
	d := l.dispatcher
	if ctx.Err() != nil { // broken off: the attempts under way end at once
		if len(l.busy) > 0 {
			l.finish(<-l.ended)
		}
		return
	}
	var places chan<- struct{}
	i := l.ready()
	if i >= 0 {
		places = l.placesOf(&l.due[i])
	}
	stopping := d.stopping
	if l.stopping {
		stopping = nil
	}
	var alarm <-chan time.Time
	if at := l.alarm(); !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case places <- struct{}{}:
		l.send(ctx, i)
	case landing := <-l.ended:
		l.finish(landing)
	case <-l.wake:
		l.asks = true
	case <-alarm:
		l.asks = l.asks || l.resume.IsZero()
	case <-stopping:
		l.stopping, l.due, l.next = true, nil, time.Time{}
	case <-ctx.Done():
	}
}

// ready returns the index in due of a delivery that can be sent, -1 for none.
func (l *worker) ready() int {
	if !l.resume.IsZero() || len(l.sent) >= maxSandboxSending {
		return -1
	}
	return slices.IndexFunc(l.due, func(a subscription.Attempt) bool { return l.busy[a.SubscriptionID] == 0 })
}

// placesOf are those that an attempt takes one of.
func (l *worker) placesOf(a *subscription.Attempt) chan struct{} {
	if l.slow[a.SubscriptionID] {
		return l.dispatcher.slow
	}
	return l.dispatcher.places
}

// alarm is when the source is to be asked without anything else having
// happened, zero for never.
func (l *worker) alarm() time.Time {
	if !l.resume.IsZero() {
		return l.resume
	}
	return l.next
}

// send makes an attempt in a goroutine, which holds a place while it lasts.
func (l *worker) send(ctx context.Context, i int) {
	a := l.due[i]
	l.due = slices.Delete(l.due, i, i+1)
	l.sent[a.DeliveryID] = true
	l.busy[a.SubscriptionID]++
	places := l.placesOf(&a)
	go func() {
		outcome := l.dispatcher.attempt(ctx, l.transport, &a)
		<-places
		l.ended <- ended{outcome: outcome, broken: ctx.Err() != nil}
	}()
}

// finish notes the end of an attempt, and of all others that have ended by now.
func (l *worker) finish(first ended) {
	for more := first; ; {
		id := more.outcome.SubscriptionID
		if l.busy[id]--; l.busy[id] == 0 {
			delete(l.busy, id)
		}
		if more.broken {
			delete(l.sent, more.outcome.DeliveryID)
		} else {
			l.outcomes = append(l.outcomes, more.outcome)
			l.slow[id] = more.outcome.ErrorClass == event.ClassTimeout
		}
		if more.outcome.ErrorClass != "" || more.broken {
			// Deliveries after a failure wait for the delivery log's decision
			// on it.
			l.due = slices.DeleteFunc(l.due, func(a subscription.Attempt) bool { return a.SubscriptionID == id })
		}
		select {
		case more = <-l.ended:
		default:
			return
		}
	}
}
