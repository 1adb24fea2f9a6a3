package sqlite

import (
	"context"
	"errors"
	"fmt"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

// maxCopy is how many commits of a parent are copied at once: other sandboxes wait for that long. With fewer, a fork
// waits longer for the disk than it copies.
const maxCopy = 50

// A fork of a longer parent is copied in parts between the groups, and its header comes last, so
// nothing of it can be found before all of it is there. Until then its number is that of a
// tombstone: one that is being copied has the value 2 for emptied, and 0 when it was given up, so
// that the sweep removes the parts. Opening the file gives up those that a crash has left.
const (
	giveNumber  = `UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'sandboxes' RETURNING seq`
	beginCopy   = `INSERT INTO tombstones (number, id, emptied) VALUES (?1, 'fork ' || ?1, 2)`
	endCopy     = `DELETE FROM tombstones WHERE number = ?1`
	giveUpCopy  = `UPDATE tombstones SET emptied = 0 WHERE number = ?1`
	giveUpForks = `UPDATE tombstones SET emptied = 0 WHERE emptied = 2`
)

// longFork is a fork that is being copied.
type longFork struct {
	request *groupcommit.Request
	commit  store.Commit
	// number is that of the new sandbox, 0 before the first part; copied is the version so far.
	number, copied int64
}

// setAside takes the forks of long parents out of a group.
func (w *writer) setAside(group []*groupcommit.Request) []*groupcommit.Request {
	rest := group[:0]
	for _, r := range group {
		if c, ok := r.Operation.(store.Commit); ok && c.Fork != nil && c.Version-1 > maxCopy {
			w.forks = append(w.forks, &longFork{request: r, commit: c})
		} else {
			rest = append(rest, r)
		}
	}
	w.queue.Copying = len(w.forks) > 0
	return rest
}

// goOn copies a part of the fork that has waited longest, or ends it.
func (w *writer) goOn() {
	f := w.forks[0]
	done := f.copied == int64(f.commit.Version-1)
	err := w.transact(func() error {
		if done {
			f.request.Outcome = w.endFork(f)
		} else {
			f.request.Outcome = w.copyPart(f)
		}
		if isRefusal(f.request.Outcome) {
			return nil
		}
		return f.request.Outcome
	})
	if err == nil && f.request.Outcome == nil && !done {
		return
	}
	if f.number > 0 && (err != nil || f.request.Outcome != nil) {
		// Where that fails too, the parts stay until the file is opened again.
		_ = w.transact(func() error {
			_, err := changes(w.giveUpCopy, f.number)
			return err
		})
		w.queue.Sweep.Owed = true
	}
	w.forks = w.forks[1:]
	w.queue.Copying = len(w.forks) > 0
	f.request.Finish(err)
}

// copyPart copies the next commits of the parent.
func (w *writer) copyPart(f *longFork) error {
	number := f.number
	if number == 0 {
		if err := w.giveNumber.QueryRowContext(context.Background()).Scan(&number); err != nil {
			return fmt.Errorf("number a fork: %w", err)
		}
		if _, err := changes(w.beginCopy, number); err != nil {
			return err
		}
	}
	last := min(f.copied+maxCopy, int64(f.commit.Version-1))
	rows, err := changes(w.copyCommits, number, f.commit.Fork.Parent, f.copied+1, last)
	if err != nil {
		return err
	}
	f.number = number
	if rows != last-f.copied { // the parent is not there, or no longer, or not so far
		return store.ErrConflict
	}
	f.copied = last
	return nil
}

// endFork makes a sandbox of the copies.
func (w *writer) endFork(f *longFork) error {
	if err := w.checkRecords(f.commit.Records); err != nil {
		return err
	}
	if err := w.fork(f.commit, f.number); err != nil {
		return err
	}
	return w.changeRecords(f.commit.Records)
}

// fork makes a sandbox from another one, whose commits it copies unless they are copied to a number.
// Only its first statement can refuse.
func (w *writer) fork(c store.Commit, copied int64) error {
	base := int64(c.Version - 1)
	var number any
	if copied > 0 {
		number = copied
	}
	args := append(headerColumns(c.Header), number, c.Fork.Parent, base)
	result, err := w.createFork.ExecContext(context.Background(), args...)
	if err != nil {
		return err
	}
	if rows, err := result.RowsAffected(); err != nil || rows == 0 {
		return conflictUnless(err)
	}
	if copied > 0 {
		_, err = changes(w.endCopy, copied)
	} else {
		var created, rows int64
		if created, err = result.LastInsertId(); err == nil {
			rows, err = changes(w.copyCommits, created, c.Fork.Parent, 1, base)
		}
		if rows != base {
			err = errors.Join(fmt.Errorf("%d of the %d commits of %q were copied", rows, base, c.Fork.Parent), err)
		}
	}
	if err != nil {
		return err
	}
	if rows, err := changes(w.appendCommit, c.SandboxID, base+1, blob(c.Body)); err != nil || rows != 1 {
		return errors.Join(fmt.Errorf("sandbox %q was forked without its own commit", c.SandboxID), err)
	}
	if s := c.Fork.Snapshot; s != nil {
		_, err := changes(w.saveSnapshot, c.SandboxID, int64(s.Version), blob(s.Body))
		return err
	}
	return nil
}
