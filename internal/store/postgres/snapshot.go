package postgres

import (
	"errors"
	"math"

	"github.com/jackc/pgx/v5"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

// Snapshots are few and large: each is a statement of its own, in which its
// body is not copied.
const saveSnapshot = `
	WITH target AS (
		SELECT s.number, EXISTS (
			SELECT 1 FROM commits c WHERE c.sandbox = s.number AND c.version = $2
		) AS committed, s.epoch = $5 AND s.owner IS NOT DISTINCT FROM $4 AS fits
		FROM sandboxes s WHERE s.id = $1 AND NOT s.removed
		FOR NO KEY UPDATE
	), saved AS (
		INSERT INTO snapshots (sandbox, version, body)
		SELECT number, $2, $3 FROM target WHERE committed AND fits
		ON CONFLICT (sandbox) DO UPDATE SET version = excluded.version, body = excluded.body
		WHERE excluded.version >= snapshots.version
	)
	SELECT committed, fits FROM target`

// addSnapshot keeps a snapshot, if it is not older than the kept one.
func (g *group) addSnapshot(s store.Snapshot, r *groupcommit.Request) {
	// Versions beyond the range of a column were never committed.
	version := int64(min(s.Version, math.MaxInt64))
	save := g.batch.Queue(saveSnapshot, []byte(s.SandboxID), version, blob(s.Body), owner(s.Fence), epoch(s.Fence))
	save.QueryRow(func(row pgx.Row) error {
		var committed, fits bool
		err := row.Scan(&committed, &fits)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			r.Outcome = store.ErrNotFound
			return nil
		case err == nil && !fits:
			r.Outcome = store.ErrFenced
		case err == nil && !committed:
			r.Outcome = store.ErrConflict
		}
		return err
	})
}
