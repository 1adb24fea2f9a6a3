package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"platen/internal/store"
)

const (
	takeRecords = `
		DELETE FROM records r USING unnest($1::bytea[], $2::bytea[]) AS i (kind, key)
		WHERE r.kind = i.kind AND r.key = i.key`
	// A record that is there already meets the primary key.
	addRecords = `
		INSERT INTO records (kind, key, body, ends_at)
		SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bigint[])`
	putRecords = addRecords + `
		ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body, ends_at = excluded.ends_at`
	// Rows that another process is just writing are cleared another time.
	clearRecords = `
		DELETE FROM records WHERE (kind, key) IN (
			SELECT kind, key FROM records WHERE ends_at <= $1
			ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED)`

	findRecord  = `SELECT kind, key, body, ends_at FROM records WHERE kind = $1 AND key = $2`
	listRecords = `SELECT kind, key, body, ends_at FROM records WHERE kind = $1 ORDER BY key`
)

// Write writes records.
func (s *Store) Write(ctx context.Context, list []store.Write) error {
	err := store.CheckWrites(list)
	if err == nil {
		err = s.write(ctx, writes(list))
	}
	if err != nil {
		return fmt.Errorf("write %d records: %w", len(list), err)
	}
	return nil
}

// writes are the changes of records in one step.
type writes []store.Write

func (writes) sandboxID() string { return "" }

func (ws writes) bodyBytes() int {
	total := 0
	for i := range ws {
		total += len(ws[i].Body)
	}
	return total
}

// alone: whether the rules are met is known only after the statements were
// sent, so no other request may be in the transaction that is then undone.
func (writes) alone() bool { return true }

func (ws writes) join(g *group, _ *request) {
	sorted := slices.Clone(ws) // all processes lock in the same order
	slices.SortFunc(sorted, func(a, b store.Write) int {
		return strings.Compare(a.Kind+"\x00"+a.Key, b.Kind+"\x00"+b.Key)
	})
	var takes, adds, puts recordRows
	for i := range sorted {
		switch sorted[i].Rule {
		case store.Take:
			takes.add(&sorted[i])
		case store.Add:
			adds.add(&sorted[i])
		case store.Put:
			puts.add(&sorted[i])
		}
	}
	if len(takes.kinds) > 0 {
		g.batch.Queue(takeRecords, takes.kinds, takes.keys).Exec(func(tag pgconn.CommandTag) error {
			g.broken = tag.RowsAffected() != int64(len(takes.kinds))
			return nil
		})
	}
	adds.queue(g, addRecords)
	puts.queue(g, putRecords)
}

// recordRows are records as the columns of one statement.
type recordRows struct {
	kinds, keys, bodies [][]byte
	endsAt              []int64
}

func (rs *recordRows) add(w *store.Write) {
	rs.kinds = append(rs.kinds, []byte(w.Kind))
	rs.keys = append(rs.keys, []byte(w.Key))
	rs.bodies = append(rs.bodies, blob(w.Body))
	rs.endsAt = append(rs.endsAt, w.EndsAt.UnixMicro())
}

func (rs *recordRows) queue(g *group, text string) {
	if len(rs.kinds) > 0 {
		g.batch.Queue(text, rs.kinds, rs.keys, rs.bodies, rs.endsAt)
	}
}

// sendAlone does one request in a transaction that is ended only when its
// outcome is known: a conflict undoes all of it.
func (w *writer) sendAlone(conn *pgxpool.Conn, r *request) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	g := newGroup([]*request{r})
	g.batch.QueuedQueries = slices.Insert(g.batch.QueuedQueries, 0, &pgx.QueuedQuery{SQL: "BEGIN"})
	err := conn.SendBatch(ctx, &g.batch).Close()
	if g.broken {
		r.outcome = store.ErrConflict
	}
	if err != nil || r.outcome != nil {
		// Its result changes nothing: an uncommitted transaction ends with the
		// connection at the latest.
		_, _ = conn.Exec(ctx, "ROLLBACK")
		return err
	}
	_, err = conn.Exec(ctx, "COMMIT")
	return err
}

// Clear removes records that have ended.
func (s *Store) Clear(ctx context.Context, t time.Time, limit int) (int, error) {
	c := &clearing{t: t, limit: max(limit, 0)}
	if err := s.write(ctx, c); err != nil {
		return 0, fmt.Errorf("clear records: %w", err)
	}
	return c.removed, nil
}

type clearing struct {
	t              time.Time
	limit, removed int
}

func (*clearing) sandboxID() string { return "" }

func (*clearing) bodyBytes() int { return 0 }

func (*clearing) alone() bool { return false }

func (c *clearing) join(g *group, _ *request) {
	g.batch.Queue(clearRecords, c.t.UnixMicro(), c.limit).Exec(func(tag pgconn.CommandTag) error {
		c.removed = int(tag.RowsAffected())
		return nil
	})
}

// Find reads one record.
func (s *Store) Find(ctx context.Context, kind, key string) (store.Record, error) {
	list, err := s.records(ctx, findRecord, []byte(kind), []byte(key))
	if err == nil && len(list) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Record{}, fmt.Errorf("find record %s: %w", kind, err)
	}
	return list[0], nil
}

// List reads all records of a kind.
func (s *Store) List(ctx context.Context, kind string) ([]store.Record, error) {
	list, err := s.records(ctx, listRecords, []byte(kind))
	if err != nil {
		return nil, fmt.Errorf("list records %s: %w", kind, err)
	}
	return list, nil
}

// records is the result of a query for all columns of records.
func (s *Store) records(ctx context.Context, query string, args ...any) ([]store.Record, error) {
	var list []store.Record
	err := s.read(ctx, func() error {
		rows, err := s.reader.pool.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, scanRecord)
		return err
	})
	return list, err
}

func scanRecord(row pgx.CollectableRow) (store.Record, error) {
	var r store.Record
	var kind, key []byte
	var endsAt int64
	if err := row.Scan(&kind, &key, &r.Body, &endsAt); err != nil {
		return store.Record{}, err
	}
	r.Kind, r.Key, r.EndsAt = string(kind), string(key), time.UnixMicro(endsAt).UTC()
	return r, nil
}
