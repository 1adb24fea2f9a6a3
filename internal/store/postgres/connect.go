package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// connectTimeout is how long one attempt to connect may take, unless the DSN
// sets another time. Callers wait for it when the server is gone.
const connectTimeout = 5 * time.Second

// configure reads the DSN, whose settings take precedence over ours.
func configure(dsn string, connections int32, settings map[string]string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err // it does not repeat the password
	}
	config.MaxConns = connections
	config.PingTimeout = connectTimeout
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	if config.ConnConfig.ValidateConnect == nil {
		// Of several hosts take the one that takes writes. A standby may lack
		// acknowledged commits, so it is not for readers either.
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	// One that has become a standby, or is behind an address that leads to another
	// server now, is left for the one that takes writes.
	before := config.ConnConfig.OnPgError
	config.ConnConfig.OnPgError = func(conn *pgconn.PgConn, answer *pgconn.PgError) bool {
		return answer.Code != readOnly && (before == nil || before(conn, answer))
	}
	config.AfterConnect = checkPromise
	// Compare-and-swap relies on seeing the commits of others made while it
	// waited for their locks.
	config.ConnConfig.RuntimeParams["default_transaction_isolation"] = "read committed"
	// Whatever the defaults of the server are, now or after it reads its
	// configuration again.
	setUnlessSet(config, "synchronous_commit", "on")
	for name, value := range settings {
		setUnlessSet(config, name, value)
	}
	return config, nil
}

func setUnlessSet(config *pgxpool.Config, name, value string) {
	if _, ok := config.ConnConfig.RuntimeParams[name]; !ok {
		config.ConnConfig.RuntimeParams[name] = value
	}
}

// checkPromise refuses a connection on which a commit is no promise.
func checkPromise(ctx context.Context, conn *pgx.Conn) error {
	var fsync, synchronous string
	err := conn.QueryRow(ctx, `SELECT current_setting('fsync'), current_setting('synchronous_commit')`).
		Scan(&fsync, &synchronous)
	switch {
	case err != nil:
		return fmt.Errorf("read its settings: %w", err)
	case fsync == "off":
		return fmt.Errorf("the server runs with fsync=off, so a loss of power could lose what was " +
			"acknowledged, or all of the database: set fsync=on in postgresql.conf and restart it")
	case synchronous == "off":
		return fmt.Errorf("the connection asks for synchronous_commit=off, so a crash of the server " +
			"could lose what was acknowledged: take that setting out of the connection string")
	}
	return nil
}

// schemaName is where the tables are.
func schemaName(ctx context.Context, conn *pgx.Conn) (string, error) {
	var schema *string
	var path string
	err := conn.QueryRow(ctx, `SELECT current_schema(), current_setting('search_path')`).Scan(&schema, &path)
	if err != nil {
		return "", err
	}
	if schema == nil {
		return "", fmt.Errorf("no schema of the search_path (%s) exists: create one with CREATE SCHEMA, "+
			"or name another in the connection string with search_path=…", strings.TrimSpace(path))
	}
	return *schema, nil
}
