package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"platen/internal/store"
)

const (
	// groupCommits is the most requests in one transaction. More would make
	// the first of them wait for the last, and no longer save flushes.
	groupCommits = 256
	// groupBytes ends a group early, so that large bodies do not make a
	// transaction of gigabytes.
	groupBytes = 16 << 20
	// queueLength is the number of requests that may wait beyond the group
	// under way. After that, callers wait in their own call.
	queueLength = 1024
	// answerTimeout is the time after which a server that does not respond is
	// taken for lost. The bodies of a group at its limit need a line of 6
	// Mbit/s.
	answerTimeout = 30 * time.Second
)

// An operation is something to do inside a group's transaction. A group holds
// one of each sandbox at most.
type operation interface {
	sandboxID() string // empty when it is about none
	bodyBytes() int
	// alone reports whether it must not share a transaction.
	alone() bool
	// join adds it to the group's batch. The outcome of the request is set when
	// the result comes.
	join(*group, *request)
}

// A request is an operation with the caller that waits for it.
type request struct {
	operation operation
	claimed   atomic.Bool // by the writer that takes it or the caller that gives up
	answer    chan error  // has room for the one result
	outcome   error       // within the group, before it is committed; the writer's own
}

// A writer owns the one connection that writes.
type writer struct {
	queue chan *request
	ended chan struct{} // closed when run has returned
	pool  *pgxpool.Pool // of one connection, which it replaces when it is lost

	// The rest belongs to the goroutine of run.

	held  []*request // wait for the next group because this one holds their sandbox
	sweep sweep
}

// openWriter connects and brings the tables up to date.
func openWriter(ctx context.Context, dsn string, claim func(context.Context, *pgx.Conn) error) (*writer, error) {
	config, err := configure(dsn, 1, map[string]string{
		// Statistics of tables that were empty a moment ago must not lead to
		// plans that read all of them: every access here is by an index.
		"plan_cache_mode": "force_generic_plan",
		"enable_seqscan":  "off",
		"enable_hashjoin": "off",
		"jit":             "off",
	})
	if err != nil {
		return nil, err
	}
	setUnlessSet(config, "application_name", applicationName())
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := checkPromise(ctx, conn); err != nil {
			return err
		}
		return claim(ctx, conn)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	var conn *pgxpool.Conn
	err = ownPatiently(ctx, func() (err error) {
		conn, err = pool.Acquire(ctx)
		return err
	})
	if err != nil {
		pool.Close()
		return nil, err
	}
	err = migrate(ctx, conn.Conn())
	conn.Release()
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &writer{
		queue: make(chan *request, queueLength),
		ended: make(chan struct{}),
		pool:  pool,
		// A deletion may have been cut short last time.
		sweep: sweep{owed: true},
	}, nil
}

// write hands an operation to the writer and waits for its outcome. A caller
// whose context ends first takes its request back; once the writer has it, the
// caller waits, because only then does it learn the truth.
func (s *Store) write(ctx context.Context, op operation) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	r := &request{operation: op, answer: make(chan error, 1)}
	select {
	case s.writer.queue <- r:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
		if r.claimed.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return <-r.answer
	}
}

// run writes until the queue is closed and empty.
func (w *writer) run() {
	defer close(w.ended)
	for {
		first, open := w.next()
		if !open {
			return
		}
		w.turn(first)
	}
}

// next waits for a request. While there is something else to do it does not
// wait, and returns nil when there is none. It returns false when there will be
// no more.
func (w *writer) next() (*request, bool) {
	if len(w.held) > 0 {
		return nil, true
	}
	if w.sweep.due() {
		select {
		case r, open := <-w.queue:
			return r, open
		default:
			return nil, true
		}
	}
	select {
	case r, open := <-w.queue:
		return r, open
	case <-w.sweep.pause:
		w.sweep.pause = nil
		return nil, true
	}
}

// turn writes a group and does a step of the sweep. The connection comes first:
// as long as there is none, callers can still take their requests back.
func (w *writer) turn(first *request) {
	conn, err := w.connect()
	group := w.gather(first)
	if err != nil {
		for _, r := range group {
			r.answer <- fmt.Errorf("%w: %w", store.ErrUnreachable, err)
		}
		w.rest()
		return
	}
	defer conn.Release()
	if len(group) > 0 {
		w.write(conn, group)
	}
	if w.sweep.due() && !conn.Conn().IsClosed() {
		w.step(conn)
	}
}

// connect takes the connection, a new one when the old one is lost or does not
// respond any more.
func (w *writer) connect() (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	return w.pool.Acquire(ctx)
}

// gather takes the waiting requests, held ones first, up to the limits of a
// group. It leaves out those whose callers have given up, and holds back those
// that are about a sandbox that the group already writes to: they are in order
// then, and no statement meets a row twice.
func (w *writer) gather(first *request) []*request {
	var group []*request
	size := 0
	busy := map[string]bool{}
	single := false // the group is one request that must be alone
	full := func() bool { return single || len(group) == groupCommits || size >= groupBytes }
	take := func(r *request) {
		id := r.operation.sandboxID()
		if full() || busy[id] || r.operation.alone() && len(group) > 0 {
			w.held = append(w.held, r)
			busy[id] = id != "" // further requests about the same sandbox stay behind
			return
		}
		if r.claimed.CompareAndSwap(false, true) {
			single = r.operation.alone()
			group = append(group, r)
			size += r.operation.bodyBytes()
			busy[id] = id != ""
		}
	}
	waiting := w.held
	w.held = nil
	for _, r := range waiting {
		take(r)
	}
	if first != nil {
		take(first)
	}
	for !full() && len(w.held) < groupCommits {
		select {
		case r := <-w.queue:
			if r == nil {
				return group // it has been closed
			}
			take(r)
		default:
			return group
		}
	}
	return group
}

// write does a group in one transaction and reports to its callers. When the
// server refuses it, nothing of it is there: then each request is sent alone,
// so that one of them fails and not all.
func (w *writer) write(conn *pgxpool.Conn, group []*request) {
	if len(group) == 1 && group[0].operation.alone() {
		group[0].finish(w.sendAlone(conn, group[0]))
		return
	}
	err := w.send(conn, group)
	if refusal(err) == nil || len(group) == 1 {
		for _, r := range group {
			r.finish(err)
		}
		return
	}
	for _, r := range group {
		r.finish(w.send(conn, []*request{r}))
	}
}

func (r *request) finish(err error) {
	if err != nil {
		r.outcome = failure(err)
	}
	r.answer <- r.outcome
}

// send sends requests as one batch. When it returns nil, their writes are
// durable.
func (w *writer) send(conn *pgxpool.Conn, requests []*request) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	g := newGroup(requests)
	if err := conn.SendBatch(ctx, &g.batch).Close(); err != nil {
		return err
	}
	if g.removed {
		w.sweep.owed = true
	}
	return nil
}

// close waits for the queue to be written and disconnects. No call may be
// under way.
func (w *writer) close() {
	close(w.queue)
	<-w.ended
	w.pool.Close()
}
