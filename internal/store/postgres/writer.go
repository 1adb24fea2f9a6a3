package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

// answerTimeout is the time after which a server that does not respond is taken
// for lost. The bodies of a group at its limit need a line of 22 Mbit/s. A write may
// wait for several of them, those of the turn before its own and of new connections
// included, and its client has to be told before the connection ends, which it does
// after a minute.
const answerTimeout = 8 * time.Second

// A writer owns a connection that writes: one is for forks, the other for everything else.
type writer struct {
	queue *groupcommit.Queue
	pool  *pgxpool.Pool // of one connection, which it replaces when it is lost
}

// openWriter connects and brings the tables up to date.
func openWriter(ctx context.Context, dsn string, only claim, patience time.Duration) (*writer, error) {
	config, err := configureWriter(dsn)
	if err != nil {
		return nil, err
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := checkPromise(ctx, conn); err != nil {
			return err
		}
		return only(ctx, conn)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	var conn *pgxpool.Conn
	err = ownPatiently(ctx, patience, func() (err error) {
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
	return &writer{queue: groupcommit.New(true), pool: pool}, nil
}

// openForks connects a writer for forks. It sees to no sweep, and writes under the claim of the other writer: a fork
// changes nothing that was there before.
func openForks(ctx context.Context, dsn string) (*writer, error) {
	config, err := configureWriter(dsn)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	w := &writer{queue: groupcommit.New(true), pool: pool}
	w.queue.Sweep.Owed = false
	return w, nil
}

func configureWriter(dsn string) (*pgxpool.Config, error) {
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
	return config, nil
}

// run writes until the queue is closed and empty.
func (w *writer) run() {
	for w.queue.Wait() {
		w.turn()
	}
}

// turn writes a group and does a step of the sweep. The connection comes first:
// as long as there is none, callers can still take their requests back.
func (w *writer) turn() {
	conn, err := w.connect()
	group := w.queue.Gather()
	if err != nil {
		for _, r := range group {
			r.Finish(fmt.Errorf("%w: %w", store.ErrUnreachable, err))
		}
		w.queue.Sweep.Rest()
		return
	}
	defer conn.Release()
	if len(group) > 0 {
		w.write(conn, group)
	}
	if w.queue.Sweep.Due() && !conn.Conn().IsClosed() {
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

// write does a group in one transaction and reports to its callers. When the
// server refuses it, nothing of it is there: then each request is sent alone,
// so that one of them fails and not all.
func (w *writer) write(conn *pgxpool.Conn, group []*groupcommit.Request) {
	if len(group) == 1 && group[0].HasRecords {
		group[0].Finish(failure(w.sendAlone(conn, group[0])))
		return
	}
	err := w.send(conn, group)
	if refusal(err) == nil || len(group) == 1 || conn.Conn().IsClosed() {
		for _, r := range group {
			r.Finish(failure(err))
		}
		return
	}
	for _, r := range group {
		r.Finish(failure(w.send(conn, []*groupcommit.Request{r})))
	}
}

// send sends requests as one batch. When it returns nil, their writes are
// durable.
func (w *writer) send(conn *pgxpool.Conn, requests []*groupcommit.Request) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	g := newGroup(requests)
	if err := conn.SendBatch(ctx, &g.batch).Close(); err != nil {
		return err
	}
	if g.removed {
		w.queue.Sweep.Owed = true
	}
	tellFenced(ctx, conn, g)
	return nil
}

// tellFenced looks which conflicts come from another claim. When that cannot be
// found out they stay conflicts, which is true too.
func tellFenced(ctx context.Context, conn *pgxpool.Conn, g *group) {
	commits := g.conflicts()
	if len(commits.ids) == 0 {
		return
	}
	fenced, err := conn.Query(ctx, listFenced, commits.ids, commits.owners, commits.epochs)
	if err != nil {
		return
	}
	var id []byte
	_, _ = pgx.ForEachRow(fenced, []any{&id}, func() error {
		commits.requests[string(id)].Outcome = store.ErrFenced
		return nil
	})
}
