package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"platen/internal/store"
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

// SaveSnapshot keeps a snapshot, if it is not older than the kept one.
func (s *Store) SaveSnapshot(ctx context.Context, n store.Snapshot) error {
	if len(n.Body) > store.MaxBody {
		return fmt.Errorf("snapshot %d of sandbox %q: a body of %d bytes is over the limit of %d",
			n.Version, n.SandboxID, len(n.Body), store.MaxBody)
	}
	if err := s.write(ctx, snapshot{n}); err != nil {
		return fmt.Errorf("snapshot %d of sandbox %q: %w", n.Version, n.SandboxID, err)
	}
	return nil
}

type snapshot struct{ store.Snapshot }

func (n snapshot) sandboxID() string { return n.SandboxID }

func (n snapshot) bodyBytes() int { return len(n.Body) }

func (snapshot) alone() bool { return false }

func (n snapshot) join(g *group, r *request) {
	// Versions beyond the range of a column were never committed.
	version := int64(min(n.Version, math.MaxInt64))
	save := g.batch.Queue(saveSnapshot, []byte(n.SandboxID), version, blob(n.Body))
	save.QueryRow(func(row pgx.Row) error {
		var committed bool
		err := row.Scan(&committed)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			r.outcome = store.ErrNotFound
			return nil
		case err == nil && !committed:
			r.outcome = store.ErrConflict
		}
		return err
	})
}
