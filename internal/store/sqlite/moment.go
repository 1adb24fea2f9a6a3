package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"platen/internal/store"
)

// A Moment is a database as it was at one moment. A server may go on writing to it meanwhile.
type Moment struct {
	reader *reader
	tx     *sql.Tx
}

var _ store.Reader = (*Moment)(nil)

// OpenMoment opens the database at path for reading.
func OpenMoment(ctx context.Context, path string) (*Moment, error) {
	if err := mustBeRegular(path); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	r, err := openReader(ctx, absolute)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), r.db.Close())
	}
	return &Moment{r, tx}, nil
}

// Load implements store.Reader.
func (m *Moment) Load(ctx context.Context, sandboxID string) (store.Image, error) {
	return m.reader.load(ctx, m.tx, sandboxID)
}

// Commits implements store.Reader.
func (m *Moment) Commits(ctx context.Context, sandboxID string, first, last uint64) ([]store.Commit, error) {
	return m.reader.read(ctx, m.tx, sandboxID, first, last)
}

// Due implements store.Reader.
func (m *Moment) Due(ctx context.Context, t time.Time, limit int) ([]store.Sandbox, error) {
	return m.reader.due(ctx, m.tx, t, limit)
}

// CheckStructure compares tables and indexes with each other, and pages with what refers to them.
func (m *Moment) CheckStructure(ctx context.Context) error {
	var state string
	if err := m.tx.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&state); err != nil {
		return fmt.Errorf("check the structure: %w", err)
	}
	if state != "ok" {
		return fmt.Errorf("check the structure: %s", state)
	}
	return nil
}

// Close ends reading.
func (m *Moment) Close() error { return errors.Join(m.tx.Rollback(), m.reader.db.Close()) }
