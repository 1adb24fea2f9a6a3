package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

const (
	// sweepCommits and sweepBytes bound the removals of one step, so that a
	// group that has come in meanwhile waits for milliseconds.
	sweepCommits = 64
	sweepBytes   = 1 << 20
	// vacuumPages is how many pages of 4 KB one step gives back: it has to move
	// as many from the end of the file.
	vacuumPages = 64
	// sweepPause is how long a sweep rests after a step that failed.
	sweepPause = time.Second
	// tombstoneLimit is the number of later sandboxes for which an id is
	// remembered. Ids are random: nothing but a late duplicate of its creation
	// brings one again.
	tombstoneLimit = 1 << 20
)

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

// Delete removes a sandbox. When it returns the sandbox cannot be found; its
// bodies go later.
func (s *Store) Delete(ctx context.Context, sandboxID string) error {
	if err := s.write(ctx, deletion{sandboxID}); err != nil {
		return fmt.Errorf("delete sandbox %q: %w", sandboxID, err)
	}
	return nil
}

type deletion struct{ sandboxID string }

func (deletion) bodyBytes() int { return 0 }

func (d deletion) apply(w *writer) error {
	rows, err := changes(w.leaveTombstone, d.sandboxID)
	if err != nil || rows == 0 {
		return err
	}
	// Owed already, though the group may yet fail: a sweep that finds nothing
	// costs nothing.
	w.sweep.owed = true
	_, err = changes(w.removeSandbox, d.sandboxID)
	return err
}

// sweep is the state of the removal of deleted sandboxes.
type sweep struct {
	owed  bool             // there may be something to remove
	pause <-chan time.Time // not nil while resting after a failure
}

func (s *sweep) due() bool { return s.owed && s.pause == nil }

// step does one bounded part of the sweep. Pages are given back only when the
// writer is idle: under load, commits fill them again.
func (w *writer) step(idle bool) {
	more, err := w.removeSome()
	if err == nil && !more && idle {
		more, err = w.vacuumSome()
		w.sweep.owed = more
	}
	if err != nil {
		// Most likely the disk is full. No caller waits for this result, and
		// the rest of the work stays recorded in the tombstones.
		w.sweep.pause = time.After(sweepPause)
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
		_, err := changes(w.forgetTombstones, number-tombstoneLimit)
		return err
	})
}

// batchEnd is the version up to which one step may remove, 0 when no commit is
// left.
func (w *writer) batchEnd(number int64) (int64, error) {
	rows, err := w.measureBodies.QueryContext(context.Background(), number, sweepCommits)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var last, total int64
	for total < sweepBytes && rows.Next() {
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
