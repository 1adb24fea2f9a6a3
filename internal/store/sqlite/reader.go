package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"platen/internal/store"
)

// readConnections is the number of reads that run at the same time. They are
// short; more would only share the same processors.
const readConnections = 8

// readerCacheKiB is how much of the file each of them keeps in memory, outside of the memory that Go bounds.
const readerCacheKiB = "512"

const header = `number, id, office_key, factory_key, grading_key, evaluation, network, ` +
	`created_at, expires_at, delete_at, wake_at, extensions`

// A reader owns the connections that only read.
type reader struct {
	db *sql.DB

	findSandbox, findKey, listDue, countSandboxes      *sql.Stmt
	findSnapshot, listCommits, findRecord, listRecords *sql.Stmt
}

func openReader(ctx context.Context, path string) (*reader, error) {
	db, err := connect(path, "ro", readConnections)
	if err != nil {
		return nil, err
	}
	r := &reader{db: db}
	_, err = prepareAll(ctx, db, map[**sql.Stmt]string{
		&r.findSandbox: `SELECT ` + header + ` FROM sandboxes WHERE id = ?`,
		&r.findKey:     findKeys("?1"),
		&r.listDue: `SELECT ` + header + ` FROM sandboxes WHERE wake_at <= ?
			ORDER BY wake_at, number LIMIT ?`,
		&r.countSandboxes: `SELECT count(*) FROM sandboxes`,
		&r.findSnapshot:   `SELECT version, body FROM snapshots WHERE sandbox = ?`,
		&r.listCommits: `SELECT version, body FROM commits
			WHERE sandbox = ? AND version BETWEEN ? AND ? ORDER BY version LIMIT ?`,
		&r.findRecord:  findRecord,
		&r.listRecords: listRecords,
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return r, nil
}

// read lets a function read, unless the store is closed, and keeps it open
// meanwhile.
func (s *Store) read(ctx context.Context, query func() error) error {
	if err := s.writer.queue.Enter(ctx); err != nil {
		return err
	}
	defer s.writer.queue.Leave()
	return query()
}

// view is a read of several statements at one moment of the database.
func (s *Store) view(ctx context.Context, query func(*sql.Tx) error) error {
	return s.read(ctx, func() error {
		tx, err := s.reader.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		return query(tx)
	})
}

// Load reads the image of a sandbox.
func (s *Store) Load(ctx context.Context, sandboxID string) (image store.Image, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		image, err = s.reader.load(ctx, tx, sandboxID)
		return err
	})
	return image, err
}

// Commits reads a range of commits.
func (s *Store) Commits(ctx context.Context, sandboxID string, first, last uint64) (list []store.Commit, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		list, err = s.reader.read(ctx, tx, sandboxID, first, last)
		return err
	})
	return list, err
}

// findKeys is the query for a sandbox that owns one of some keys, which are parameters separated by commas.
func findKeys(parameters string) string {
	return `SELECT ` + header + ` FROM sandboxes WHERE office_key IN (` + parameters + `) OR factory_key IN (` +
		parameters + `) OR grading_key IN (` + parameters + `) LIMIT 1`
}

// FindKey returns the header of a sandbox that owns one of the keys.
func (s *Store) FindKey(ctx context.Context, keys ...store.KeyHash) (store.Sandbox, error) {
	var sandbox store.Sandbox
	columns, parameters := make([]any, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		columns[i], parameters[i] = keyColumn(key), fmt.Sprintf("?%d", i+1)
	}
	err := s.read(ctx, func() error {
		var row *sql.Row
		if len(keys) == 1 { // that of nearly all requests
			row = s.reader.findKey.QueryRowContext(ctx, columns...)
		} else {
			row = s.reader.db.QueryRowContext(ctx, findKeys(strings.Join(parameters, ",")), columns...)
		}
		var err error
		_, sandbox, err = scanHeader(row.Scan)
		return err
	})
	if err != nil {
		return store.Sandbox{}, fmt.Errorf("find key: %w", err)
	}
	return sandbox, nil
}

// Due lists the sandboxes that are to be looked after at t.
func (s *Store) Due(ctx context.Context, t time.Time, limit int) (list []store.Sandbox, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		list, err = s.reader.due(ctx, tx, t, limit)
		return err
	})
	return list, err
}

// Count returns how many sandboxes there are.
func (s *Store) Count(ctx context.Context) (int, error) {
	var count int
	err := s.read(ctx, func() error {
		return s.reader.countSandboxes.QueryRowContext(ctx).Scan(&count)
	})
	if err != nil {
		return 0, fmt.Errorf("count sandboxes: %w", err)
	}
	return count, nil
}

// load is Load in a transaction.
func (r *reader) load(ctx context.Context, tx *sql.Tx, sandboxID string) (store.Image, error) {
	image := store.Image{Snapshot: store.Snapshot{SandboxID: sandboxID}}
	number, sandbox, err := r.sandbox(ctx, tx, sandboxID)
	if err == nil {
		image.Sandbox = sandbox
		row := tx.StmtContext(ctx, r.findSnapshot).QueryRowContext(ctx, number)
		err = row.Scan(&image.Snapshot.Version, &image.Snapshot.Body)
	}
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		const all = -1
		image.Commits, err = r.commits(ctx, tx, commitRange{
			number, sandboxID, image.Snapshot.Version + 1, math.MaxInt64, all,
		})
	}
	if err != nil {
		return store.Image{}, fmt.Errorf("load sandbox %q: %w", sandboxID, err)
	}
	return image, nil
}

// read is Commits in a transaction.
func (r *reader) read(ctx context.Context, tx *sql.Tx, sandboxID string, first, last uint64) ([]store.Commit, error) {
	var list []store.Commit
	number, _, err := r.sandbox(ctx, tx, sandboxID)
	if err == nil && first <= math.MaxInt64 {
		list, err = r.commits(ctx, tx, commitRange{
			number, sandboxID, first, min(last, math.MaxInt64), store.MaxCommits,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read commits %d to %d of sandbox %q: %w", first, last, sandboxID, err)
	}
	return list, nil
}

// due is Due in a transaction.
func (r *reader) due(ctx context.Context, tx *sql.Tx, t time.Time, limit int) ([]store.Sandbox, error) {
	// A negative limit would mean none to SQLite.
	rows, err := tx.StmtContext(ctx, r.listDue).QueryContext(ctx, t.UnixMicro(), max(limit, 0))
	if err != nil {
		return nil, fmt.Errorf("list sandboxes that are due: %w", err)
	}
	defer rows.Close()
	var list []store.Sandbox
	for rows.Next() {
		_, sandbox, err := scanHeader(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("list sandboxes that are due: %w", err)
		}
		list = append(list, sandbox)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list sandboxes that are due: %w", err)
	}
	return list, nil
}

func (r *reader) sandbox(ctx context.Context, tx *sql.Tx, id string) (int64, store.Sandbox, error) {
	return scanHeader(tx.StmtContext(ctx, r.findSandbox).QueryRowContext(ctx, id).Scan)
}

type commitRange struct {
	number      int64
	sandboxID   string
	first, last uint64 // inclusive
	limit       int    // negative for none
}

func (r *reader) commits(ctx context.Context, tx *sql.Tx, in commitRange) ([]store.Commit, error) {
	rows, err := tx.StmtContext(ctx, r.listCommits).QueryContext(ctx,
		in.number, int64(in.first), int64(in.last), in.limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []store.Commit
	for rows.Next() {
		c := store.Commit{SandboxID: in.sandboxID}
		if err := rows.Scan(&c.Version, &c.Body); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// scanHeader reads the columns of header. No row is store.ErrNotFound.
func scanHeader(scan func(...any) error) (int64, store.Sandbox, error) {
	var (
		number                             int64
		h                                  store.Sandbox
		office, factory, grading           []byte
		created, expires, deleteAt, wakeAt int64
	)
	err := scan(&number, &h.ID, &office, &factory, &grading, &h.Evaluation, &h.Network,
		&created, &expires, &deleteAt, &wakeAt, &h.Extensions)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, store.Sandbox{}, store.ErrNotFound
	}
	if err != nil {
		return 0, store.Sandbox{}, err
	}
	copy(h.OfficeKey[:], office)
	copy(h.FactoryKey[:], factory)
	copy(h.GradingKey[:], grading)
	h.CreatedAt = time.UnixMicro(created).UTC()
	h.ExpiresAt = time.UnixMicro(expires).UTC()
	h.DeleteAt = time.UnixMicro(deleteAt).UTC()
	h.WakeAt = time.UnixMicro(wakeAt).UTC()
	return number, h, nil
}
