package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"time"

	"platen/internal/store/migration"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrate applies the migrations that the database does not have yet, each in
// one transaction with the row that records it.
func migrate(ctx context.Context, conn *sql.Conn) error {
	known, err := migration.List(migrationFiles)
	if err != nil {
		return err
	}
	have, err := schemaNumber(ctx, conn, known)
	if err != nil {
		return fmt.Errorf("read schema number: %w", err)
	}
	if have > len(known) {
		return errNewer(have, len(known))
	}
	for _, m := range known[have:] {
		if err := apply(ctx, conn, m); err != nil {
			return fmt.Errorf("migration %s: %w", m.Name, err)
		}
	}
	return nil
}

func errNewer(have, known int) error {
	return fmt.Errorf("it was written by a newer version of Platen (its schema is number %d, "+
		"this version knows up to %d): run the newer version, or open another path", have, known)
}

// schemaNumber is the number of the newest migration the database has, 0 for
// an empty one. The tables of another program are refused, and those of an unreleased version.
func schemaNumber(ctx context.Context, conn *sql.Conn, known []migration.Migration) (int, error) {
	var ours, tables int
	err := conn.QueryRowContext(ctx,
		`SELECT count(*) FILTER (WHERE name = 'migrations'), count(*) FROM sqlite_schema WHERE type = 'table'`,
	).Scan(&ours, &tables)
	if err != nil {
		return 0, err
	}
	if tables > 0 && ours == 0 {
		return 0, errForeign
	}
	if ours == 0 {
		return 0, nil
	}
	var number int
	var first string
	err = conn.QueryRowContext(ctx, `
		SELECT coalesce(max(number), 0), coalesce(max(name) FILTER (WHERE number = 1), '') FROM migrations`,
	).Scan(&number, &first)
	if err != nil {
		return 0, err
	}
	return number, migration.CheckFirst(known, first)
}

func apply(ctx context.Context, conn *sql.Conn, m migration.Migration) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	const record = `CREATE TABLE IF NOT EXISTS migrations (
		number     INTEGER PRIMARY KEY,
		name       TEXT    NOT NULL,
		applied_at INTEGER NOT NULL
	) STRICT`
	if _, err := tx.ExecContext(ctx, record); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, m.Script); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)`,
		m.Number, m.Name, time.Now().UnixMicro())
	if err != nil {
		return err
	}
	return tx.Commit()
}
