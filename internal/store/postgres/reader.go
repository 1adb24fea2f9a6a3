package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"platen/internal/store"
)

// readConnections is the number of reads that run at the same time. With those that write, fork and
// beat, a process holds at most eleven of the server's connections.
const readConnections = 8

const (
	header = `s.id, s.office_key, s.factory_key, s.grading_key, s.evaluation, s.network, ` +
		`s.created_at, s.expires_at, s.delete_at, s.wake_at, s.extensions`

	beginView = `BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ`
	endView   = `COMMIT`

	findSandbox  = `SELECT ` + header + ` FROM sandboxes s WHERE s.id = $1 AND NOT s.removed`
	findFence    = `SELECT coalesce(owner, ''), epoch FROM sandboxes WHERE id = $1 AND NOT removed`
	findSnapshot = `
		SELECT n.version, n.body FROM sandboxes s JOIN snapshots n ON n.sandbox = s.number
		WHERE s.id = $1 AND NOT s.removed`
	laterCommits = `
		SELECT c.version, c.body FROM sandboxes s JOIN commits c ON c.sandbox = s.number
		WHERE s.id = $1 AND NOT s.removed
		AND c.version > coalesce((SELECT n.version FROM snapshots n WHERE n.sandbox = s.number), 0)
		ORDER BY c.version`

	// One row without a version when the range is empty, no row when there is
	// no such sandbox.
	listCommits = `
		SELECT c.version, c.body FROM sandboxes s
		LEFT JOIN LATERAL (
			SELECT version, body FROM commits
			WHERE sandbox = s.number AND version BETWEEN $2 AND $3
			ORDER BY version LIMIT $4
		) AS c ON true
		WHERE s.id = $1 AND NOT s.removed
		ORDER BY c.version`

	findKey = `SELECT ` + header + ` FROM keys k JOIN sandboxes s ON s.number = k.sandbox WHERE k.hash = ANY($1)`
	listDue = `
		SELECT ` + header + ` FROM sandboxes s WHERE NOT s.removed AND s.wake_at <= $1
		ORDER BY s.wake_at, s.number LIMIT $2`
	countSandboxes = `SELECT count(*) FROM sandboxes WHERE NOT removed`
)

// A reader owns the connections that only read.
type reader struct{ pool *pgxpool.Pool }

func openReader(ctx context.Context, dsn string) (*reader, error) {
	config, err := configure(dsn, readConnections, map[string]string{"jit": "off"})
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &reader{pool}, nil
}

// read lets a function read, unless the store is closed, and keeps it open
// meanwhile. When a connection is lost, the others of the pool are likely to be
// lost too: it lets go of them all and reads again.
func (s *Store) read(ctx context.Context, query func() error) error {
	if err := s.writer.queue.Enter(ctx); err != nil {
		return err
	}
	defer s.writer.queue.Leave()
	err := query()
	if err == nil || errors.Is(err, store.ErrNotFound) || refusal(err) != nil || ctx.Err() != nil {
		return err
	}
	s.reader.pool.Reset()
	if err = query(); err != nil && !errors.Is(err, store.ErrNotFound) && refusal(err) == nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", store.ErrUnreachable, err)
	}
	return err
}

// Load reads the image of a sandbox.
func (s *Store) Load(ctx context.Context, sandboxID string) (store.Image, error) {
	var image store.Image
	err := s.read(ctx, func() error {
		var err error
		image, err = s.reader.load(ctx, sandboxID)
		return err
	})
	if err != nil {
		return store.Image{}, fmt.Errorf("load sandbox %q: %w", sandboxID, err)
	}
	return image, nil
}

// load asks for all at once, in one transaction that sees one moment.
func (r *reader) load(ctx context.Context, sandboxID string) (store.Image, error) {
	image := store.Image{Snapshot: store.Snapshot{SandboxID: sandboxID}}
	id := []byte(sandboxID)
	found := false
	batch := &pgx.Batch{}
	batch.Queue(beginView)
	batch.Queue(findSandbox, id).Query(func(rows pgx.Rows) error {
		list, err := pgx.CollectRows(rows, scanHeader)
		if found = len(list) == 1; found {
			image.Sandbox = list[0]
		}
		return err
	})
	batch.Queue(findFence, id).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&image.Fence.Owner, &image.Fence.Epoch}, func() error { return nil })
		return err
	})
	batch.Queue(findSnapshot, id).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&image.Snapshot.Version, &image.Snapshot.Body},
			func() error { return nil })
		return err
	})
	batch.Queue(laterCommits, id).Query(func(rows pgx.Rows) error {
		var err error
		image.Commits, err = collectCommits(rows, sandboxID)
		return err
	})
	batch.Queue(endView)
	if err := r.pool.SendBatch(ctx, batch).Close(); err != nil {
		return store.Image{}, err
	}
	if !found {
		return store.Image{}, store.ErrNotFound
	}
	return image, nil
}

// Commits reads a range of commits.
func (s *Store) Commits(ctx context.Context, sandboxID string, first, last uint64) ([]store.Commit, error) {
	var commits []store.Commit
	err := s.read(ctx, func() error {
		// An id is looked up even when no version can be in the range.
		lowest, highest := int64(min(first, math.MaxInt64)), int64(min(last, math.MaxInt64))
		rows, err := s.reader.pool.Query(ctx, listCommits, []byte(sandboxID), lowest, highest, store.MaxCommits)
		if err != nil {
			return err
		}
		commits, err = collectCommits(rows, sandboxID)
		if err == nil && rows.CommandTag().RowsAffected() == 0 {
			return store.ErrNotFound
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read commits %d to %d of sandbox %q: %w", first, last, sandboxID, err)
	}
	return commits, nil
}

// FindKey returns the header of a sandbox that owns one of the keys.
func (s *Store) FindKey(ctx context.Context, keys ...store.KeyHash) (store.Sandbox, error) {
	columns := make([][]byte, len(keys))
	for i, key := range keys {
		columns[i] = keyColumn(key)
	}
	list, err := s.headers(ctx, findKey, columns)
	if err == nil && len(list) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Sandbox{}, fmt.Errorf("find key: %w", err)
	}
	return list[0], nil
}

// Due lists the sandboxes that are to be looked after at t.
func (s *Store) Due(ctx context.Context, t time.Time, limit int) ([]store.Sandbox, error) {
	list, err := s.headers(ctx, listDue, t.UnixMicro(), max(limit, 0))
	if err != nil {
		return nil, fmt.Errorf("list sandboxes that are due: %w", err)
	}
	return list, nil
}

// Count returns how many sandboxes there are.
func (s *Store) Count(ctx context.Context) (int, error) {
	var count int
	err := s.read(ctx, func() error {
		return s.reader.pool.QueryRow(ctx, countSandboxes).Scan(&count)
	})
	if err != nil {
		return 0, fmt.Errorf("count sandboxes: %w", err)
	}
	return count, nil
}

// headers is the result of a query for the columns of header.
func (s *Store) headers(ctx context.Context, query string, args ...any) ([]store.Sandbox, error) {
	var list []store.Sandbox
	err := s.read(ctx, func() error {
		rows, err := s.reader.pool.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, scanHeader)
		return err
	})
	return list, err
}

func scanHeader(row pgx.CollectableRow) (store.Sandbox, error) {
	var (
		h                                      store.Sandbox
		id, office, factory, grading, network  []byte
		createdAt, expiresAt, deleteAt, wakeAt int64
	)
	err := row.Scan(&id, &office, &factory, &grading, &h.Evaluation, &network,
		&createdAt, &expiresAt, &deleteAt, &wakeAt, &h.Extensions)
	if err != nil {
		return store.Sandbox{}, err
	}
	h.ID, h.Network = string(id), string(network)
	copy(h.OfficeKey[:], office)
	copy(h.FactoryKey[:], factory)
	copy(h.GradingKey[:], grading)
	h.CreatedAt = time.UnixMicro(createdAt).UTC()
	h.ExpiresAt = time.UnixMicro(expiresAt).UTC()
	h.DeleteAt = time.UnixMicro(deleteAt).UTC()
	h.WakeAt = time.UnixMicro(wakeAt).UTC()
	return h, nil
}

// collectCommits passes over the row that says that there is none.
func collectCommits(rows pgx.Rows, sandboxID string) ([]store.Commit, error) {
	var list []store.Commit
	var version *uint64
	var body []byte
	_, err := pgx.ForEachRow(rows, []any{&version, &body}, func() error {
		if version != nil {
			list = append(list, store.Commit{SandboxID: sandboxID, Version: *version, Body: body})
		}
		return nil
	})
	return list, err
}
