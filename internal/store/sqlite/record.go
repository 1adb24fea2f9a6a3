package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

const (
	hasRecord    = `SELECT EXISTS (SELECT 1 FROM records WHERE kind = ?1 AND key = ?2)`
	matchRecord  = `SELECT EXISTS (SELECT 1 FROM records WHERE kind = ?1 AND key = ?2 AND body = ?3)`
	putRecord    = `INSERT OR REPLACE INTO records (kind, key, body, ends_at) VALUES (?1, ?2, ?3, ?4)`
	renewRecord  = `UPDATE records SET ends_at = ?3 WHERE kind = ?1 AND key = ?2`
	takeRecord   = `DELETE FROM records WHERE kind = ?1 AND key = ?2`
	clearRecords = `
		DELETE FROM records WHERE (kind, key) IN (
			SELECT kind, key FROM records WHERE ends_at <= ?1 ORDER BY ends_at LIMIT ?2)`

	findRecord  = `SELECT kind, key, body, ends_at FROM records WHERE kind = ? AND key = ?`
	listKinds   = `SELECT DISTINCT kind FROM records ORDER BY kind`
	listRecords = `SELECT kind, key, body, ends_at FROM records WHERE kind = ? ORDER BY key`
)

// writeRecords changes records, all or nothing.
func (w *writer) writeRecords(writes []store.Write) error {
	if err := w.checkRecords(writes); err != nil {
		return err
	}
	return w.changeRecords(writes)
}

// checkRecords looks whether every rule is met, and changes nothing. No other
// writer comes between it and changeRecords.
func (w *writer) checkRecords(writes []store.Write) error {
	for i := range writes {
		r := &writes[i]
		var there bool
		var err error
		switch r.Rule {
		case store.Put:
			continue
		case store.Match:
			err = w.matchRecord.QueryRowContext(context.Background(), r.Kind, r.Key, blob(r.Body)).Scan(&there)
		case store.Add, store.Take, store.Renew:
			err = w.hasRecord.QueryRowContext(context.Background(), r.Kind, r.Key).Scan(&there)
		}
		if err != nil {
			return err
		}
		if there == (r.Rule == store.Add) {
			return store.ErrConflict
		}
	}
	return nil
}

// changeRecords writes the records that checkRecords has accepted.
func (w *writer) changeRecords(writes []store.Write) error {
	for i := range writes {
		r := &writes[i]
		var err error
		switch r.Rule {
		case store.Match:
		case store.Take:
			_, err = changes(w.takeRecord, r.Kind, r.Key)
		case store.Renew:
			_, err = changes(w.renewRecord, r.Kind, r.Key, r.EndsAt.UnixMicro())
		case store.Put, store.Add:
			_, err = changes(w.putRecord, r.Kind, r.Key, blob(r.Body), r.EndsAt.UnixMicro())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clear removes records that have ended.
func (w *writer) clear(c *groupcommit.Clearing) error {
	n, err := changes(w.clearRecords, c.Until.UnixMicro(), c.Limit)
	c.Removed = int(n)
	w.queue.Sweep.Owed = w.queue.Sweep.Owed || n > 0 // for the pages that became free
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

// Kinds lists the kinds of which there are records.
func (s *Store) Kinds(ctx context.Context) ([]string, error) {
	var kinds []string
	err := s.read(ctx, func() error {
		rows, err := s.reader.db.QueryContext(ctx, listKinds)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var kind string
			if err := rows.Scan(&kind); err != nil {
				return err
			}
			kinds = append(kinds, kind)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list kinds of records: %w", err)
	}
	return kinds, nil
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
