package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/desk/subscription"
)

const (
	// maxSending is how many requests are under way at once, over all
	// sandboxes, to receivers that respond. One costs some 50 KB while it
	// lasts, which is 5 seconds at most.
	maxSending = 512
	// maxSlow is how many more are to receivers whose newest attempt ran out of
	// time: these have places of their own and none of the others.
	maxSlow = 128
	// maxSandboxSending bounds those of one sandbox. To one subscription there is
	// one at a time, in the order of the feed (contract: OPEN.DLV.ORDER).
	maxSandboxSending = 16
	// maxAhead is the number of attempts of a subscription that are asked for
	// ahead, so that not each of them waits for the record of the one before.
	maxAhead = 8
	// maxDue is the number of attempts that are asked for at a time. It is more
	// than a sandbox may send in a minute, so that those of one subscription
	// never hide those of another.
	maxDue = 64
	// maxAsking is the number of sandboxes that the source is asked about at
	// once. After a restart all of them have to be asked about.
	maxAsking = 32
	// After an error of the source, and when its next time is already past
	// though it returned nothing, it is asked again after a while.
	backOffLeast, maxBackOff = 100 * time.Millisecond, 10 * time.Second
)

// Transport carries the requests of one sandbox. Its connections are shared with
// no other.
type Transport interface {
	http.RoundTripper
	CloseIdleConnections()
}

// Observer is called for each attempt, for metrics.
type Observer interface {
	// Attempted is called after an attempt. The class of its error is empty
	// when the receiver responded with 2xx.
	Attempted(errorClass string, took time.Duration)
}

// Options configure a dispatcher. All fields are required.
type Options struct {
	Source Source
	// Sealer opens addresses and secrets, which were sealed for SealContext.
	Sealer *Sealer
	// Policy is kept at each attempt, for it may have changed since a URL was
	// taken.
	Policy Policy
	// NewTransport makes the transport of a sandbox.
	NewTransport func() Transport
	// UserAgent is that of UserAgent.
	UserAgent string
	Observer  Observer
	Log       *slog.Logger
}

// Dispatcher sends the due deliveries. Each sandbox that has something to send
// has a worker, which is a goroutine: it asks the source, sends, and has
// outcomes recorded, all that came in the meantime at once. Workers queue for
// the places of requests, one place at a time, so no sandbox overtakes another
// by having more to send.
//
// Nothing is kept that a restart could lose: a delivery that was sent and not
// recorded is due again.
type Dispatcher struct {
	options Options
	// places, slow and questions hold an element for each request under way, those
	// to slow receivers apart, and for each question to the source.
	places, slow, questions chan struct{}
	sending                 atomic.Int64

	stopping chan struct{}
	stop     sync.Once
	cancel   context.CancelFunc
	// news signals that fresh workers wait to be started.
	news  chan struct{}
	ended sync.WaitGroup

	mu sync.Mutex
	// workers are by the id of their sandbox, fresh those that do not run yet.
	// Guarded by mu.
	workers map[string]*worker
	fresh   []*worker
}

// NewDispatcher returns a dispatcher that does nothing before Start.
func NewDispatcher(o Options) *Dispatcher {
	return &Dispatcher{
		options: o, places: make(chan struct{}, maxSending), slow: make(chan struct{}, maxSlow),
		questions: make(chan struct{}, maxAsking),
		stopping:  make(chan struct{}), cancel: func() {}, news: make(chan struct{}, 1), workers: map[string]*worker{},
	}
}

// Start begins with the sandboxes that were waiting when the last process ended.
// It runs until Stop; the end of ctx does not end it.
func (d *Dispatcher) Start(ctx context.Context) error {
	waiting, err := d.options.Source.Waiting(ctx)
	if err != nil {
		return fmt.Errorf("list the sandboxes with deliveries: %w", err)
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d.cancel = cancel
	d.ended.Go(func() { d.run(running) })
	for _, sandboxID := range waiting {
		d.Wake(sandboxID)
	}
	return nil
}

// Wake reports that a sandbox may have something to send. It never waits, and
// may be called at any time.
func (d *Dispatcher) Wake(sandboxID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.workers[sandboxID]
	if l == nil {
		l = newWorker(d, sandboxID)
		d.workers[sandboxID] = l
		d.fresh = append(d.fresh, l)
		signal(d.news)
	}
	signal(l.wake)
}

// signal leaves a sign in a channel that has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run starts workers.
func (d *Dispatcher) run(ctx context.Context) {
	for {
		select {
		case <-d.stopping:
			return
		case <-d.news:
		}
		d.mu.Lock()
		fresh := d.fresh
		d.fresh = nil
		d.mu.Unlock()
		for _, l := range fresh {
			d.ended.Go(func() { l.run(ctx) })
		}
	}
}

// removeIdle removes a worker unless it was woken in the meantime, which no
// longer counts when the dispatcher stops.
func (d *Dispatcher) removeIdle(l *worker, stops bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(l.wake) > 0 && !stops {
		return false
	}
	delete(d.workers, l.sandboxID)
	return true
}

// Stop begins no more attempts, waits for those under way and has them recorded.
// When ctx ends first, they are broken off, and are due again at the next start.
func (d *Dispatcher) Stop(ctx context.Context) error {
	d.stop.Do(func() { close(d.stopping) })
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.ended.Wait()
	}()
	defer func() { d.cancel() }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		d.cancel()
		<-ended
		return fmt.Errorf("finish deliveries: %w", ctx.Err())
	}
}

// Send makes one attempt at once, in a place of its own: the test of a
// subscription (contract: OPEN.WHK.TEST.PING). Nothing of it is recorded here.
func (d *Dispatcher) Send(ctx context.Context, a subscription.Attempt) subscription.Outcome {
	transport := d.options.NewTransport()
	defer transport.CloseIdleConnections()
	return d.attempt(ctx, transport, &a)
}

// Sending is the number of requests under way.
func (d *Dispatcher) Sending() int { return int(d.sending.Load()) }

// Workers is the number of sandboxes that have something to send, now or later.
func (d *Dispatcher) Workers() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.workers)
}

// ask asks the source when it is the turn of this sandbox.
func (d *Dispatcher) ask(ctx context.Context, question func() error) (err error) {
	select {
	case d.questions <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for a turn: %w", ctx.Err())
	}
	defer func() {
		<-d.questions
		if r := recover(); r != nil { // one sandbox's delivery log must not stop the deliveries of all
			err = fmt.Errorf("%w: %v", errPanic, r)
		}
	}()
	return question()
}

var errPanic = errors.New("panic")
