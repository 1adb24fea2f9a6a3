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
	"platen/internal/store/groupcommit"
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
	renewRecords = `
		UPDATE records r SET ends_at = i.ends_at
		FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS i (kind, key, ends_at)
		WHERE r.kind = i.kind AND r.key = i.key`
	// Rows that another process is just writing are cleared another time.
	clearRecords = `
		DELETE FROM records WHERE (kind, key) IN (
			SELECT kind, key FROM records WHERE ends_at <= $1
			ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED)`

	// The rows stay locked until the step is done.
	matchRecords = `
		WITH locked AS (
			SELECT 1 FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS i (kind, key, body)
			JOIN records r ON r.kind = i.kind AND r.key = i.key AND r.body = i.body
			ORDER BY r.kind, r.key
			FOR SHARE OF r
		)
		SELECT count(*) FROM locked`

	findRecord  = `SELECT kind, key, body, ends_at FROM records WHERE kind = $1 AND key = $2`
	listKinds   = `SELECT DISTINCT kind FROM records ORDER BY kind`
	listRecords = `SELECT kind, key, body, ends_at FROM records WHERE kind = $1 ORDER BY key`
)

// addRecords adds changes of records. Whether their rules are met is known only
// after the statements were sent, so no other request may be in the transaction
// that is then undone.
func (g *group) addRecords(writes []store.Write) {
	sorted := slices.Clone(writes) // all processes lock in the same order
	slices.SortFunc(sorted, func(a, b store.Write) int {
		return strings.Compare(a.Kind+"\x00"+a.Key, b.Kind+"\x00"+b.Key)
	})
	var matches, takes, adds, puts, renewals recordRows
	for i := range sorted {
		switch sorted[i].Rule {
		case store.Take:
			takes.add(&sorted[i])
		case store.Add:
			adds.add(&sorted[i])
		case store.Put:
			puts.add(&sorted[i])
		case store.Match:
			matches.add(&sorted[i])
		case store.Renew:
			renewals.add(&sorted[i])
		}
	}
	if len(matches.kinds) > 0 {
		g.batch.Queue(matchRecords, matches.kinds, matches.keys, matches.bodies).QueryRow(func(row pgx.Row) error {
			var count int
			err := row.Scan(&count)
			g.broken = g.broken || count != len(matches.kinds)
			return err
		})
	}
	if len(takes.kinds) > 0 {
		g.batch.Queue(takeRecords, takes.kinds, takes.keys).Exec(func(tag pgconn.CommandTag) error {
			g.broken = g.broken || tag.RowsAffected() != int64(len(takes.kinds))
			return nil
		})
	}
	if len(renewals.kinds) > 0 {
		g.batch.Queue(renewRecords, renewals.kinds, renewals.keys, renewals.endsAt).Exec(
			func(tag pgconn.CommandTag) error {
				g.broken = g.broken || tag.RowsAffected() != int64(len(renewals.kinds))
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

func (r *recordRows) add(w *store.Write) {
	r.kinds = append(r.kinds, []byte(w.Kind))
	r.keys = append(r.keys, []byte(w.Key))
	r.bodies = append(r.bodies, blob(w.Body))
	r.endsAt = append(r.endsAt, w.EndsAt.UnixMicro())
}

func (r *recordRows) queue(g *group, text string) {
	if len(r.kinds) > 0 {
		g.batch.Queue(text, r.kinds, r.keys, r.bodies, r.endsAt)
	}
}

// sendAlone does one request in a transaction that is ended only when its
// outcome is known: a conflict undoes all of it.
func (w *writer) sendAlone(conn *pgxpool.Conn, r *groupcommit.Request) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	g := newGroup([]*groupcommit.Request{r})
	g.batch.QueuedQueries = slices.Insert(g.batch.QueuedQueries, 0, &pgx.QueuedQuery{SQL: "BEGIN"})
	err := conn.SendBatch(ctx, &g.batch).Close()
	if g.broken {
		r.Outcome = store.ErrConflict
	}
	if err == nil {
		tellFenced(ctx, conn, g)
	}
	if err != nil || r.Outcome != nil {
		// Its result changes nothing: an uncommitted transaction ends with the
		// connection at the latest.
		_, _ = conn.Exec(ctx, "ROLLBACK")
		return err
	}
	_, err = conn.Exec(ctx, "COMMIT")
	return err
}

// addClearing removes records that have ended.
func (g *group) addClearing(c *groupcommit.Clearing) {
	g.batch.Queue(clearRecords, c.Until.UnixMicro(), c.Limit).Exec(func(tag pgconn.CommandTag) error {
		c.Removed = int(tag.RowsAffected())
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

// Kinds lists the kinds of which there are records.
func (s *Store) Kinds(ctx context.Context) ([]string, error) {
	var kinds []string
	err := s.read(ctx, func() error {
		rows, err := s.reader.pool.Query(ctx, listKinds)
		if err != nil {
			return err
		}
		kinds, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
			var kind []byte
			err := row.Scan(&kind)
			return string(kind), err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list kinds of records: %w", err)
	}
	return kinds, nil
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
