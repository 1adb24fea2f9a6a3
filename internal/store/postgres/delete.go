package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

const (
	removeSandbox = `
		WITH gone AS (
			SELECT number, office_key, factory_key, grading_key, epoch = $3 AND owner IS NOT DISTINCT FROM $2 AS fits
			FROM sandboxes WHERE id = $1 AND NOT removed
			FOR NO KEY UPDATE
		), given_up AS (
			DELETE FROM keys k USING gone g
			WHERE g.fits AND k.hash IN (g.office_key, g.factory_key, g.grading_key)
		), removed AS (
			UPDATE sandboxes s SET removed = true, office_key = NULL, factory_key = NULL, grading_key = NULL
			FROM gone g WHERE g.fits AND s.number = g.number
		)
		SELECT fits FROM gone`

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

// addDeletion takes a sandbox away from all searches; its bodies go later.
func (g *group) addDeletion(d groupcommit.Deletion, r *groupcommit.Request) {
	remove := g.batch.Queue(removeSandbox, []byte(d.SandboxID), owner(d.Fence), epoch(d.Fence))
	remove.QueryRow(func(row pgx.Row) error {
		var fits bool
		err := row.Scan(&fits)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil // there is none
		case err == nil && !fits:
			r.Outcome = store.ErrFenced
		case err == nil:
			g.removed = true
		}
		return err
	})
}

// step does one bounded part of the sweep.
func (w *writer) step(conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	var taken, waiting bool
	var setting string
	err := conn.QueryRow(ctx, sweepBodies,
		groupcommit.MaxSweepCommits, groupcommit.MaxSweepBytes, groupcommit.MaxTombstones,
	).Scan(&taken, &waiting, &setting)
	if err != nil || waiting && !taken {
		// A sandbox that was passed over is looked at again later: the other
		// process may have been at work on something else, or have died.
		w.queue.Sweep.Rest()
		return
	}
	w.queue.Sweep.Owed = waiting
}
