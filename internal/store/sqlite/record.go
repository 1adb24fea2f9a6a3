package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"platen/internal/store"
)

const (
	hasRecord    = `SELECT EXISTS (SELECT 1 FROM records WHERE kind = ?1 AND key = ?2)`
	putRecord    = `INSERT OR REPLACE INTO records (kind, key, body, ends_at) VALUES (?1, ?2, ?3, ?4)`
	takeRecord   = `DELETE FROM records WHERE kind = ?1 AND key = ?2`
	clearRecords = `
		DELETE FROM records WHERE (kind, key) IN (
			SELECT kind, key FROM records WHERE ends_at <= ?1 ORDER BY ends_at LIMIT ?2)`

	findRecord  = `SELECT kind, key, body, ends_at FROM records WHERE kind = ? AND key = ?`
	listRecords = `SELECT kind, key, body, ends_at FROM records WHERE kind = ? ORDER BY key`
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

func (ws writes) bodyBytes() int {
	total := 0
	for i := range ws {
		total += len(ws[i].Body)
	}
	return total
}

func (ws writes) apply(w *writer) error {
	if err := ws.check(w); err != nil {
		return err
	}
	return ws.do(w)
}

// check looks whether every rule is met, and changes nothing. No other writer
// comes between it and do.
func (ws writes) check(w *writer) error {
	for i := range ws {
		if ws[i].Rule == store.Put {
			continue
		}
		var there bool
		if err := w.hasRecord.QueryRowContext(context.Background(), ws[i].Kind, ws[i].Key).Scan(&there); err != nil {
			return err
		}
		if there != (ws[i].Rule == store.Take) {
			return store.ErrConflict
		}
	}
	return nil
}

// do writes the records that check has accepted.
func (ws writes) do(w *writer) error {
	for i := range ws {
		r := &ws[i]
		var err error
		if r.Rule == store.Take {
			_, err = changes(w.takeRecord, r.Kind, r.Key)
		} else {
			_, err = changes(w.putRecord, r.Kind, r.Key, blob(r.Body), r.EndsAt.UnixMicro())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Clear removes records that have ended.
func (s *Store) Clear(ctx context.Context, t time.Time, limit int) (int, error) {
	c := &clearing{t: t, limit: max(limit, 0)} // a negative limit would mean none to SQLite
	if err := s.write(ctx, c); err != nil {
		return 0, fmt.Errorf("clear records: %w", err)
	}
	return c.removed, nil
}

type clearing struct {
	t              time.Time
	limit, removed int
}

func (*clearing) bodyBytes() int { return 0 }

func (c *clearing) apply(w *writer) error {
	n, err := changes(w.clearRecords, c.t.UnixMicro(), c.limit)
	c.removed = int(n)
	w.sweep.owed = w.sweep.owed || n > 0 // for the pages that became free
	return err
}

// Find reads one record.
func (s *Store) Find(ctx context.Context, kind, key string) (store.Record, error) {
	var found store.Record
	err := s.read(ctx, func() error {
		var err error
		found, err = scanRecord(s.reader.findRecord.QueryRowContext(ctx, kind, key).Scan)
		return err
	})
	if err != nil {
		return store.Record{}, fmt.Errorf("find record %s: %w", kind, err)
	}
	return found, nil
}

// List reads all records of a kind.
func (s *Store) List(ctx context.Context, kind string) ([]store.Record, error) {
	var list []store.Record
	err := s.read(ctx, func() error {
		rows, err := s.reader.listRecords.QueryContext(ctx, kind)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			r, err := scanRecord(rows.Scan)
			if err != nil {
				return err
			}
			list = append(list, r)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list records %s: %w", kind, err)
	}
	return list, nil
}

// scanRecord reads the columns of a record. No row is store.ErrNotFound.
func scanRecord(scan func(...any) error) (store.Record, error) {
	var r store.Record
	var endsAt int64
	err := scan(&r.Kind, &r.Key, &r.Body, &endsAt)
	if errors.Is(err, sql.ErrNoRows) {
		return store.Record{}, store.ErrNotFound
	}
	r.EndsAt = time.UnixMicro(endsAt).UTC()
	return r, err
}
