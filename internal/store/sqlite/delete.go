package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"platen/internal/store/groupcommit"
)

// vacuumPages is how many pages of 4 KB one step gives back: it has to move as
// many from the end of the file.
const vacuumPages = 64

const (
	leaveTombstone = `INSERT INTO tombstones (number, id) SELECT number, id FROM sandboxes WHERE id = ?1`
	removeSandbox  = `DELETE FROM sandboxes WHERE id = ?1`

	findWaiting   = `SELECT number FROM tombstones WHERE emptied = 0 ORDER BY number LIMIT 1`
	measureBodies = `SELECT version, length(body) FROM commits WHERE sandbox = ?1 ORDER BY version LIMIT ?2`

	removeCommits    = `DELETE FROM commits WHERE sandbox = ?1 AND version <= ?2`
	removeSnapshot   = `DELETE FROM snapshots WHERE sandbox = ?1`
	markEmptied      = `UPDATE tombstones SET emptied = 1 WHERE number = ?1`
	forgetTombstones = `DELETE FROM tombstones WHERE number <= ?1 AND emptied = 1`
)

// delete takes a sandbox away from all searches; its bodies go later.
func (w *writer) delete(sandboxID string) error {
	rows, err := changes(w.leaveTombstone, sandboxID)
	if err != nil || rows == 0 {
		return err
	}
	// Owed already, though the group may yet fail: a sweep that finds nothing
	// costs nothing.
	w.queue.Sweep.Owed = true
	_, err = changes(w.removeSandbox, sandboxID)
	return err
}

// step does one bounded part of the sweep. Pages are given back only when the
// writer is idle: under load, commits fill them again.
func (w *writer) step(idle bool) {
	more, err := w.removeSome()
	if err == nil && !more && idle {
		more, err = w.vacuumSome()
		w.queue.Sweep.Owed = more
	}
	if err != nil {
		w.queue.Sweep.Rest()
	}
}

// removeSome removes a batch of one deleted sandbox and reports whether there
// was any to remove.
func (w *writer) removeSome() (bool, error) {
	var number int64
	err := w.findWaiting.QueryRowContext(context.Background()).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	last, err := w.batchEnd(number)
	if err != nil {
		return false, err
	}
	return true, w.transact(func() error {
		if last > 0 {
			_, err := changes(w.removeCommits, number, last)
			return err
		}
		if _, err := changes(w.removeSnapshot, number); err != nil {
			return err
		}
		if _, err := changes(w.markEmptied, number); err != nil {
			return err
		}
		_, err := changes(w.forgetTombstones, number-groupcommit.MaxTombstones)
		return err
	})
}

// batchEnd is the version up to which one step may remove, 0 when no commit is
// left.
func (w *writer) batchEnd(number int64) (int64, error) {
	rows, err := w.measureBodies.QueryContext(context.Background(), number, groupcommit.MaxSweepCommits)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var last, total int64
	for total < groupcommit.MaxSweepBytes && rows.Next() {
		var size int64
		if err := rows.Scan(&last, &size); err != nil {
			return 0, err
		}
		total += size
	}
	return last, rows.Err()
}

// vacuumSome gives a few free pages back and reports whether there may be more.
func (w *writer) vacuumSome() (bool, error) {
	var free int64
	if err := w.countFree.QueryRowContext(context.Background()).Scan(&free); err != nil || free == 0 {
		return false, err
	}
	if _, err := changes(w.vacuum); err != nil {
		return false, err
	}
	return true, nil
}
