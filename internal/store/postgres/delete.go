package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// sweepCommits and sweepBytes bound the removals of one step, so that a
	// group that has come in meanwhile waits for milliseconds.
	sweepCommits = 64
	sweepBytes   = 1 << 20
	// sweepPause is how long a sweep rests after a step that failed.
	sweepPause = time.Second
	// tombstoneLimit is the number of later sandboxes for which an id is
	// remembered. Ids are random: nothing but a late duplicate of its creation
	// brings one again.
	tombstoneLimit = 1 << 20
)

const (
	removeSandbox = `
		WITH gone AS (
			SELECT number, office_key, factory_key FROM sandboxes
			WHERE id = $1 AND NOT removed
			FOR NO KEY UPDATE
		), given_up AS (
			DELETE FROM keys k USING gone g WHERE k.hash IN (g.office_key, g.factory_key)
		)
		UPDATE sandboxes s SET removed = true, office_key = NULL, factory_key = NULL
		FROM gone g WHERE s.number = g.number`

	// Takes a batch of the oldest sandbox that waits and that no other process
	// is at; when that has no commits any more, the rest of its rows. Returns
	// whether it has taken one, and whether there was any. No caller waits for
	// the outcome, so it needs no flush of its own: removals that a crash
	// undoes are done again.
	sweepBodies = `
		WITH waiting AS (
			SELECT number FROM sandboxes WHERE removed AND NOT emptied
			ORDER BY number LIMIT 1
			FOR NO KEY UPDATE SKIP LOCKED
		), candidates AS (
			SELECT c.sandbox, c.version, length(c.body) AS size
			FROM waiting w JOIN commits c ON c.sandbox = w.number
			ORDER BY c.version LIMIT $1
		), batch AS (
			SELECT sandbox, version FROM (
				SELECT sandbox, version, sum(size) OVER (ORDER BY version) - size AS before FROM candidates
			) AS c WHERE before < $2
		), removed_commits AS (
			DELETE FROM commits c USING batch b WHERE c.sandbox = b.sandbox AND c.version = b.version
		), last AS (
			SELECT number FROM waiting WHERE NOT EXISTS (SELECT 1 FROM batch)
		), removed_snapshot AS (
			DELETE FROM snapshots s USING last l WHERE s.sandbox = l.number
		), marked AS (
			UPDATE sandboxes s SET emptied = true FROM last l WHERE s.number = l.number
		), forgotten AS (
			DELETE FROM sandboxes s USING last l WHERE s.removed AND s.emptied AND s.number <= l.number - $3
		)
		SELECT EXISTS (SELECT 1 FROM waiting),
			EXISTS (SELECT 1 FROM sandboxes WHERE removed AND NOT emptied),
			set_config('synchronous_commit', 'off', true)`
)

// Delete removes a sandbox. When it returns the sandbox cannot be found; its
// bodies go later.
func (s *Store) Delete(ctx context.Context, sandboxID string) error {
	if err := s.write(ctx, deletion(sandboxID)); err != nil {
		return fmt.Errorf("delete sandbox %q: %w", sandboxID, err)
	}
	return nil
}

type deletion string

func (d deletion) sandboxID() string { return string(d) }

func (deletion) bodyBytes() int { return 0 }

func (deletion) alone() bool { return false }

func (d deletion) join(g *group, _ *request) {
	g.batch.Queue(removeSandbox, []byte(d)).Exec(func(tag pgconn.CommandTag) error {
		g.removed = g.removed || tag.RowsAffected() > 0
		return nil
	})
}

// sweep is the state of the removal of deleted sandboxes.
type sweep struct {
	owed  bool             // there may be something to remove
	pause <-chan time.Time // not nil while resting after a failure
}

func (s *sweep) due() bool { return s.owed && s.pause == nil }

// step does one bounded part of the sweep.
func (w *writer) step(conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	var taken, waiting bool
	var setting string
	err := conn.QueryRow(ctx, sweepBodies, sweepCommits, sweepBytes, tombstoneLimit).
		Scan(&taken, &waiting, &setting)
	if err != nil || waiting && !taken {
		// A sandbox that was passed over is looked at again later: the other
		// process may have been at work on something else, or have died.
		w.rest()
		return
	}
	w.sweep.owed = waiting
}

// rest puts the sweep off. No caller waits for it, and the rest of the work
// stays recorded in the tombstones.
func (w *writer) rest() { w.sweep.pause = time.After(sweepPause) }
