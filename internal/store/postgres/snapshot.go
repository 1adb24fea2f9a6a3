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
		) AS committed
		FROM sandboxes s WHERE s.id = $1 AND NOT s.removed
		FOR NO KEY UPDATE
	), saved AS (
		INSERT INTO snapshots (sandbox, version, body)
		SELECT number, $2, $3 FROM target WHERE committed
		ON CONFLICT (sandbox) DO UPDATE SET version = excluded.version, body = excluded.body
		WHERE excluded.version >= snapshots.version
	)
	SELECT committed FROM target`

// addSnapshot keeps a snapshot, if it is not older than the kept one.
func (g *group) addSnapshot(s store.Snapshot, r *groupcommit.Request) {
	// Versions beyond the range of a column were never committed.
	version := int64(min(s.Version, math.MaxInt64))
	save := g.batch.Queue(saveSnapshot, []byte(s.SandboxID), version, blob(s.Body))
	save.QueryRow(func(row pgx.Row) error {
		var committed bool
		err := row.Scan(&committed)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			r.Outcome = store.ErrNotFound
			return nil
		case err == nil && !committed:
			r.Outcome = store.ErrConflict
		}
		return err
	})
}
