package postgres

import (
	"context"
	"embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"platen/internal/store/migration"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the first half of the advisory lock under which tables are
// changed; the schema gives the second.
const migrationLock = 0x504c4154

// migrate applies the migrations that the schema does not have yet, all of them
// in one transaction. Of several processes that start at once, one does it and
// the others wait for it.
func migrate(ctx context.Context, conn *pgx.Conn) error {
	schema, err := schemaName(ctx, conn)
	if err != nil {
		return err
	}
	known, err := migration.List(migrationFiles)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1, hashtext($2))`, migrationLock, schema)
		if err != nil {
			return fmt.Errorf("wait for other processes: %w", err)
		}
		have, err := schemaNumber(ctx, tx, schema, known)
		if err != nil {
			return err
		}
		if have > len(known) {
			return workWithNewer(ctx, tx, schema, have, len(known))
		}
		if have == len(known) {
			return nil
		}
		// Changes wait for the other programs' transactions, which are short, and
		// make those wait that come after.
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '10s'`); err != nil {
			return fmt.Errorf("bound the waiting for other processes: %w", err)
		}
		for _, m := range known[have:] {
			if err := apply(ctx, tx, m); err != nil {
				return fmt.Errorf("migration %s in schema %q: %w", m.Name, schema, err)
			}
		}
		return nil
	})
}

// workWithNewer refuses tables of a newer version with which this one cannot work.
func workWithNewer(ctx context.Context, tx pgx.Tx, schema string, have, know int) error {
	const oldest = `SELECT max(compatible_from) FROM platen_migrations`
	var from int
	if err := tx.QueryRow(ctx, oldest).Scan(&from); err != nil {
		return fmt.Errorf("read which versions can work with schema %q: %w", schema, err)
	}
	if from <= know {
		return nil
	}
	return fmt.Errorf("schema %q was written by a newer version of Platen (it has number %d, "+
		"this version knows up to %d): run the newer version, or use another schema", schema, have, know)
}

// schemaNumber is the number of the newest migration the schema has, 0 for an
// empty one. The tables of another program are refused, but for those that
// belong to an extension, and so are those of an unreleased version.
func schemaNumber(ctx context.Context, tx pgx.Tx, schema string, known []migration.Migration) (int, error) {
	const find = `
		SELECT count(*) FILTER (WHERE relname = 'platen_migrations'), count(*)
		FROM pg_class c
		WHERE relnamespace = $1::text::regnamespace AND relkind IN ('r', 'p')
		AND NOT EXISTS (SELECT 1 FROM pg_depend d
			WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`
	var ours, tables int
	if err := tx.QueryRow(ctx, find, pgx.Identifier{schema}.Sanitize()).Scan(&ours, &tables); err != nil {
		return 0, fmt.Errorf("look for tables: %w", err)
	}
	if tables > 0 && ours == 0 {
		return 0, fmt.Errorf("schema %q holds the tables of another program: create one for Platen alone "+
			"with CREATE SCHEMA platen, and add search_path=platen to the connection string", schema)
	}
	if ours == 0 {
		return 0, nil
	}
	var number int
	var first string
	err := tx.QueryRow(ctx, `
		SELECT coalesce(max(number), 0), coalesce(max(name) FILTER (WHERE number = 1), '') FROM platen_migrations`,
	).Scan(&number, &first)
	if err != nil {
		return 0, fmt.Errorf("read schema number: %w", err)
	}
	if err := migration.CheckFirst(known, first); err != nil {
		return 0, fmt.Errorf("schema %q: %w", schema, err)
	}
	return number, nil
}

func apply(ctx context.Context, tx pgx.Tx, m migration.Migration) error {
	const record = `CREATE TABLE IF NOT EXISTS platen_migrations (
		number     integer     PRIMARY KEY,
		name       text        NOT NULL,
		applied_at timestamptz NOT NULL DEFAULT now(),
		compatible_from integer NOT NULL
	)`
	if _, err := tx.Exec(ctx, record); err != nil {
		return err
	}
	// The simple protocol takes several statements at once.
	if _, err := tx.Exec(ctx, m.Script, pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO platen_migrations (number, name, compatible_from) VALUES ($1, $2, $3)`,
		m.Number, m.Name, m.CompatibleFrom)
	return err
}
