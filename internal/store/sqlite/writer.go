package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

// A writer owns the one connection that writes.
type writer struct {
	queue *groupcommit.Queue

	// The rest belongs to the goroutine of run.

	db   *sql.DB
	conn *sql.Conn

	begin, commit, rollback, checkpoint *sql.Stmt
	appendCommit, firstCommit           *sql.Stmt
	createSandbox, replaceHeader        *sql.Stmt
	createFork, copyCommits             *sql.Stmt
	giveNumber, beginCopy               *sql.Stmt
	endCopy, giveUpCopy                 *sql.Stmt
	findCommit, saveSnapshot, ping      *sql.Stmt
	leaveTombstone, removeSandbox       *sql.Stmt
	findWaiting, measureBodies          *sql.Stmt
	removeCommits, removeSnapshot       *sql.Stmt
	markEmptied, forgetTombstones       *sql.Stmt
	countFree, vacuum                   *sql.Stmt
	hasRecord, matchRecord, putRecord   *sql.Stmt
	renewRecord                         *sql.Stmt
	takeRecord, clearRecords            *sql.Stmt

	prepared []*sql.Stmt // all of the above

	forks []*longFork // are copied between the groups, one after the other
}

// openWriter connects, brings the tables up to date and prepares the statements
// of run.
func openWriter(ctx context.Context, path string) (*writer, error) {
	db, err := connect(path, "rw", 1)
	if err != nil {
		return nil, err
	}
	w := &writer{queue: groupcommit.New(false), db: db}
	if err := w.prepare(ctx); err != nil {
		return nil, errors.Join(err, w.disconnect())
	}
	return w, nil
}

func (w *writer) prepare(ctx context.Context) error {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	w.conn = conn
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("its file system cannot share memory between connections, "+
			"which the write-ahead log needs (journal mode is %q): use a local disk", mode)
	}
	if err := migrate(ctx, conn); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, giveUpForks); err != nil {
		return fmt.Errorf("give up forks: %w", err)
	}
	w.prepared, err = prepareAll(ctx, conn, map[**sql.Stmt]string{
		&w.begin:            "BEGIN IMMEDIATE",
		&w.commit:           "COMMIT",
		&w.rollback:         "ROLLBACK",
		&w.checkpoint:       "PRAGMA wal_checkpoint(PASSIVE)",
		&w.appendCommit:     appendCommit,
		&w.firstCommit:      firstCommit,
		&w.createSandbox:    createSandbox,
		&w.replaceHeader:    replaceHeader,
		&w.createFork:       createFork,
		&w.copyCommits:      copyCommits,
		&w.giveNumber:       giveNumber,
		&w.beginCopy:        beginCopy,
		&w.endCopy:          endCopy,
		&w.giveUpCopy:       giveUpCopy,
		&w.findCommit:       findCommit,
		&w.saveSnapshot:     saveSnapshot,
		&w.ping:             "UPDATE pings SET count = count + 1",
		&w.leaveTombstone:   leaveTombstone,
		&w.removeSandbox:    removeSandbox,
		&w.findWaiting:      findWaiting,
		&w.measureBodies:    measureBodies,
		&w.removeCommits:    removeCommits,
		&w.removeSnapshot:   removeSnapshot,
		&w.markEmptied:      markEmptied,
		&w.forgetTombstones: forgetTombstones,
		&w.hasRecord:        hasRecord,
		&w.matchRecord:      matchRecord,
		&w.renewRecord:      renewRecord,
		&w.putRecord:        putRecord,
		&w.takeRecord:       takeRecord,
		&w.clearRecords:     clearRecords,
		&w.countFree:        "PRAGMA freelist_count",
		&w.vacuum:           fmt.Sprintf("PRAGMA incremental_vacuum(%d)", vacuumPages),
	})
	return err
}

// run writes until the queue is closed and empty.
func (w *writer) run() {
	for w.queue.Wait() {
		group := w.setAside(w.queue.Gather())
		if len(group) > 0 {
			w.write(group)
		}
		if len(w.forks) > 0 {
			w.goOn()
		}
		if w.queue.Sweep.Due() {
			w.step(len(group) == 0)
		}
	}
}

// write does a group in one transaction and reports to its callers.
func (w *writer) write(group []*groupcommit.Request) {
	err := w.transact(func() error {
		for _, r := range group {
			r.Outcome = w.apply(r.Operation)
			if r.Outcome != nil && !isRefusal(r.Outcome) {
				return r.Outcome
			}
		}
		return nil
	})
	for _, r := range group {
		r.Finish(err)
	}
}

// apply does an operation inside the group's transaction. It either returns a
// refusal and has changed nothing, or succeeds, or fails the group.
func (w *writer) apply(operation any) error {
	unclaimed := store.Fence{} // as all sandboxes are: the file is one server's
	switch o := operation.(type) {
	case store.Commit:
		if o.Fence != unclaimed && !o.Creates() {
			return store.ErrFenced
		}
		return w.appendWithRecords(o)
	case store.Snapshot:
		if o.Fence != unclaimed {
			return store.ErrFenced
		}
		return w.save(o)
	case groupcommit.Deletion:
		if o.Fence != unclaimed {
			return store.ErrFenced
		}
		return w.delete(o.SandboxID)
	case groupcommit.Records:
		return w.writeRecords(o)
	case *groupcommit.Clearing:
		return w.clear(o)
	case groupcommit.Ping:
		_, err := changes(w.ping)
		return err
	}
	panic(fmt.Sprintf("no operation: %T", operation))
}

// transact does some work in a transaction of its own. When it returns nil the
// work is durable. store.ErrFull means that nothing of it is there.
func (w *writer) transact(work func() error) error {
	if _, err := changes(w.begin); isBusy(err) {
		return fmt.Errorf("%w: %w", store.ErrBusy, err)
	} else if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	err := work()
	if err == nil {
		_, err = changes(w.commit)
	}
	if err == nil {
		return nil
	}
	if !w.rolledBack() || !isFull(err) {
		return fmt.Errorf("write: %w", err)
	}
	// The log cannot grow. Folding it into the database, as far as that goes
	// without growing too, lets it be written from its start again: this makes
	// room for a deletion on a full disk.
	_, _ = changes(w.checkpoint)
	return fmt.Errorf("%w: %w", store.ErrFull, explain(err))
}

// rolledBack undoes the transaction and reports whether it is certain to be
// gone. SQLite has often undone it already, and then ROLLBACK is an error; that
// a new transaction can begin is the proof.
func (w *writer) rolledBack() bool {
	if _, err := changes(w.rollback); err == nil {
		return true
	}
	if _, err := changes(w.begin); err != nil {
		return false
	}
	_, err := changes(w.rollback)
	return err == nil
}

// close folds the log into the database and disconnects. The queue has been
// closed.
func (w *writer) close() error {
	_, err := w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	if err != nil {
		err = fmt.Errorf("checkpoint: %w", err) // nothing is lost: the log stays
	}
	return errors.Join(err, w.disconnect())
}

// disconnect closes the statements itself: the pool would not, as it does not
// know those of a single connection, and SQLite keeps the files open for them.
func (w *writer) disconnect() error {
	var failed error
	for _, statement := range w.prepared {
		failed = errors.Join(failed, statement.Close())
	}
	if w.conn != nil {
		failed = errors.Join(failed, w.conn.Close())
	}
	return errors.Join(failed, w.db.Close())
}

// changes runs a statement of the writer and reports how many rows it changed.
// The writer ignores a caller's context: a group belongs to many.
func changes(statement *sql.Stmt, args ...any) (int64, error) {
	result, err := statement.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// A preparer is a connection or a pool of them.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// prepareAll prepares each text into its place, and returns the prepared
// statements also when it fails.
func prepareAll(ctx context.Context, on preparer, texts map[**sql.Stmt]string) ([]*sql.Stmt, error) {
	var all []*sql.Stmt
	for place, text := range texts {
		statement, err := on.PrepareContext(ctx, text)
		if err != nil {
			return all, fmt.Errorf("prepare %q: %w", text, err)
		}
		*place = statement
		all = append(all, statement)
	}
	return all, nil
}
