package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"platen/internal/store"
)

const (
	findCommit = `
		SELECT EXISTS (SELECT 1 FROM commits c WHERE c.sandbox = s.number AND c.version = ?2)
		FROM sandboxes s WHERE s.id = ?1`

	saveSnapshot = `
		INSERT INTO snapshots (sandbox, version, body)
		SELECT number, ?2, ?3 FROM sandboxes WHERE id = ?1
		ON CONFLICT (sandbox) DO UPDATE SET version = excluded.version, body = excluded.body
		WHERE excluded.version >= snapshots.version`
)

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

func (n snapshot) bodyBytes() int { return len(n.Body) }

func (n snapshot) apply(w *writer) error {
	// Versions beyond the range of a column were never committed.
	version := int64(min(n.Version, math.MaxInt64))
	var committed bool
	err := w.findCommit.QueryRowContext(context.Background(), n.SandboxID, version).Scan(&committed)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.ErrNotFound
	case err != nil:
		return err
	case !committed:
		return store.ErrConflict
	}
	_, err = changes(w.saveSnapshot, n.SandboxID, version, blob(n.Body))
	return err
}
