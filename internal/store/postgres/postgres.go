// Package postgres keeps sandboxes in a PostgreSQL database, which several
// processes may share.
//
// One goroutine of each Store writes. It sends a group of waiting requests
// (package groupcommit) as one batch: one round trip, one implicit transaction,
// one flush of the log for all of them. The callers return when the server has
// reported that the transaction is committed.
//
// Compare-and-swap holds across processes. A commit is inserted only when its
// version follows the newest one; of two that both see the same newest one, the
// primary key of commits lets one in, and ON CONFLICT DO NOTHING passes over
// the other without harm to its group. Writes that depend on a commit, a header
// for example, are joined to the rows that were inserted. Every write locks the
// row of its sandbox until its transaction ends, so that a deletion comes
// either before a commit or after it, never beside it. All take their locks in
// the same order.
//
// A fork copies all commits of its parent, and has a goroutine and a connection of
// its own for that, so nobody else waits for it. It locks nothing of its parent.
//
// A transaction that the server refuses is gone as a whole. The requests of its
// group are then sent again one by one, so that only the one that was refused
// fails. Nothing is sent again after a connection was lost: the outcome is not
// known then, and the callers get an error that leaves it open.
//
// A deletion marks the row of the sandbox and takes its keys away. The row
// stays as the tombstone that keeps the id from being used again. The writers
// remove the bodies between groups, in small steps; a sandbox that one process
// is emptying is passed over by the others.
//
// Connections must be direct or pooled by session: settings and prepared
// statements belong to a connection.
package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

// Store is a store.Store in one schema of a PostgreSQL database.
type Store struct {
	groupcommit.Methods

	writer, forks *writer
	reader        *reader
	// nodes is the one connection of its kind, for beats.
	nodes *pgxpool.Pool

	close func()
}

var _ store.Store = (*Store)(nil)

// Open connects to the database of dsn, a PostgreSQL URL or a list of
// key=value. The tables are those of the first schema of its search_path. Open
// creates them in an empty schema, brings older ones up to date and refuses
// newer ones. It also refuses a server that does not promise to keep committed
// data. A Store holds one connection for writing, one for forks and up to readConnections for
// reading, whatever the DSN says about a pool.
func Open(ctx context.Context, dsn string) (*Store, error) {
	s, err := open(ctx, dsn, own, ownerPatience)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	return s, nil
}

// OpenShared is Open for a server beside which others may use the same schema. They
// agree by store.Nodes on who does what.
func OpenShared(ctx context.Context, dsn string) (*Store, error) {
	s, err := open(ctx, dsn, ownTogether, ownerPatience)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	return s, nil
}

// claim makes a connection the only writer of its database.
type claim = func(context.Context, *pgx.Conn) error

// open opens a database; only makes its writer's connection the only one, which it
// tries for as long as patience. The tests without it show that two stores beside
// each other do no harm.
func open(ctx context.Context, dsn string, only claim, patience time.Duration) (*Store, error) {
	w, err := openWriter(ctx, dsn, only, patience)
	if err != nil {
		return nil, err
	}
	r, err := openReader(ctx, dsn)
	if err != nil {
		w.pool.Close()
		return nil, err
	}
	forks, err := openForks(ctx, dsn)
	if err != nil {
		r.pool.Close()
		w.pool.Close()
		return nil, err
	}
	nodes, err := openNodes(ctx, dsn)
	if err != nil {
		forks.pool.Close()
		r.pool.Close()
		w.pool.Close()
		return nil, err
	}
	s := &Store{Methods: w.queue.Methods(), writer: w, forks: forks, reader: r, nodes: nodes}
	s.close = sync.OnceFunc(s.shutdown)
	go w.run()
	go forks.run()
	return s, nil
}

// Close finishes the calls under way, refuses new ones with store.ErrClosed and
// disconnects. Closing again does nothing.
func (s *Store) Close() error {
	s.close()
	return nil
}

func (s *Store) shutdown() {
	s.forks.queue.Close()
	s.writer.queue.Close()
	s.forks.pool.Close()
	s.reader.pool.Close()
	s.nodes.Close()
	s.writer.pool.Close()
}

// Commit appends one commit.
func (s *Store) Commit(ctx context.Context, c store.Commit) error {
	if c.Fork != nil {
		return s.forks.queue.Methods().Commit(ctx, c)
	}
	return s.Methods.Commit(ctx, c)
}

// A process passes over the row when another one is just writing it, instead
// of waiting for that one's flush.
const touchPing = `
	UPDATE pings SET count = count + 1
	WHERE one = (SELECT one FROM pings FOR UPDATE SKIP LOCKED)`

// Ping writes a row and reads one. It reports the error of either.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.Methods.Ping(ctx); err != nil {
		return err
	}
	_, err := s.Count(ctx)
	return err
}
