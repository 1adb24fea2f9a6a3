package sqlite

import (
	"context"
	"database/sql"
	"errors"
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

// save keeps a snapshot, if it is not older than the kept one.
func (w *writer) save(s store.Snapshot) error {
	// Versions beyond the range of a column were never committed.
	version := int64(min(s.Version, math.MaxInt64))
	var committed bool
	err := w.findCommit.QueryRowContext(context.Background(), s.SandboxID, version).Scan(&committed)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.ErrNotFound
	case err != nil:
		return err
	case !committed:
		return store.ErrConflict
	}
	_, err = changes(w.saveSnapshot, s.SandboxID, version, blob(s.Body))
	return err
}
