package postgrestest

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Table is a plain table of bodies: the least that a database does for what the store
// keeps. It is for measurements.
type Table struct{ conn *pgx.Conn }

// Connect makes the table, unless it is there, on a connection of its own.
func Connect(ctx context.Context, dsn string) (*Table, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	const statement = `CREATE TABLE IF NOT EXISTS plain ` +
		`(number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea NOT NULL)`
	if _, err := conn.Exec(ctx, statement); err != nil {
		conn.Close(ctx)
		return nil, fmt.Errorf("make a table: %w", err)
	}
	return &Table{conn}, nil
}

// Insert inserts bodies in one statement, which is durable when it returns.
func (t *Table) Insert(ctx context.Context, bodies [][]byte) error {
	_, err := t.conn.Exec(ctx, `INSERT INTO plain (body) SELECT * FROM unnest($1::bytea[])`, bodies)
	return err
}

// DatabaseBytes is the size of the database with its indexes, in bytes.
func (t *Table) DatabaseBytes(ctx context.Context) (size float64, err error) {
	err = t.conn.QueryRow(ctx, `SELECT pg_database_size(current_database())::float8`).Scan(&size)
	return size, err
}

// Close ends the connection. The table stays.
func (t *Table) Close(ctx context.Context) error { return t.conn.Close(ctx) }
