package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// A migration brings the tables one step further. Once released it is never
// changed.
type migration struct {
	number int
	name   string
	script string
}

// migrations lists the embedded ones in order. Their numbers are the first four
// characters of their names and count from 1.
func migrations() ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var list []migration
	for _, name := range names {
		base := strings.TrimPrefix(name, "migrations/")
		digits, _, _ := strings.Cut(base, "_")
		number, err := strconv.Atoi(digits)
		if err != nil || number != len(list)+1 {
			return nil, fmt.Errorf("migration %s does not follow number %d", base, len(list))
		}
		script, err := fs.ReadFile(migrationFiles, name)
		if err != nil {
			return nil, err
		}
		list = append(list, migration{number, base, string(script)})
	}
	return list, nil
}

// migrate applies the migrations that the database does not have yet, each in
// one transaction with the row that records it.
func migrate(ctx context.Context, conn *sql.Conn) error {
	known, err := migrations()
	if err != nil {
		return err
	}
	have, err := schemaNumber(ctx, conn)
	if err != nil {
		return fmt.Errorf("read schema number: %w", err)
	}
	if have > len(known) {
		return fmt.Errorf("it was written by a newer version of Platen (its schema is number %d, "+
			"this version knows up to %d): run the newer version, or open another path", have, len(known))
	}
	for _, m := range known[have:] {
		if err := m.apply(ctx, conn); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

// schemaNumber is the number of the newest migration the database has, 0 for
// an empty one. The tables of another program are refused.
func schemaNumber(ctx context.Context, conn *sql.Conn) (int, error) {
	var ours, tables int
	err := conn.QueryRowContext(ctx,
		`SELECT count(*) FILTER (WHERE name = 'migrations'), count(*) FROM sqlite_schema WHERE type = 'table'`,
	).Scan(&ours, &tables)
	if err != nil {
		return 0, err
	}
	if tables > 0 && ours == 0 {
		return 0, fmt.Errorf("it holds the tables of another program: give this one another path")
	}
	if ours == 0 {
		return 0, nil
	}
	var number int
	err = conn.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM migrations`).Scan(&number)
	return number, err
}

func (m migration) apply(ctx context.Context, conn *sql.Conn) error {
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
	if _, err := tx.ExecContext(ctx, m.script); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)`,
		m.number, m.name, time.Now().UnixMicro())
	if err != nil {
		return err
	}
	return tx.Commit()
}
