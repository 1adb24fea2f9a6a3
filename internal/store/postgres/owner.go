package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// ownerClass is the first half of the advisory lock's name; the second is of
	// the schema. No other program should use it.
	ownerClass = 0x506c6174
	// ownerPatience is how long a new server waits for one that is just ending.
	ownerPatience = 5 * time.Second
	ownerPause    = 100 * time.Millisecond
)

// errOwned reports that another server writes to the database.
var errOwned = errors.New("another server uses this database")

// own takes the lock that makes this server the only one of its database, on the
// writer's connection: it is held as long as that lasts. A connection that takes
// the place of a lost one takes it anew, before anything is written.
func own(ctx context.Context, conn *pgx.Conn) error {
	return lock(ctx, conn, `pg_try_advisory_lock`)
}

// ownTogether takes the lock together with others that take it so: none of them gets it
// while a server has the database for itself.
func ownTogether(ctx context.Context, conn *pgx.Conn) error {
	return lock(ctx, conn, `pg_try_advisory_lock_shared`)
}

func lock(ctx context.Context, conn *pgx.Conn, function string) error {
	const name = `$1::int4, hashtext(current_schema())`
	if _, err := schemaName(ctx, conn); err != nil {
		return err
	}
	var taken bool
	if err := conn.QueryRow(ctx, `SELECT `+function+`(`+name+`)`, ownerClass).Scan(&taken); err != nil {
		return fmt.Errorf("take the lock of the database: %w", err)
	}
	if taken {
		return nil
	}
	var who, address string
	var since time.Time
	err := conn.QueryRow(ctx, `
		SELECT coalesce(a.application_name, ''), coalesce(host(a.client_addr), 'this machine'),
			coalesce(a.backend_start, now())
		FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
		AND l.classid = $1::int8::oid AND l.objid = (hashtext(current_schema())::int8 & 4294967295)::oid
		AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
		ownerClass).Scan(&who, &address, &since)
	if errors.Is(err, pgx.ErrNoRows) {
		return errOwned // it has just ended
	}
	if err != nil {
		return fmt.Errorf("ask who has the lock of the database: %w", err)
	}
	return fmt.Errorf("%w: %s, connected from %s since %s. Stop it first; servers that share a database all need a "+
		"node-address", errOwned, who, address, since.UTC().Format(time.RFC3339))
}

// ownPatiently is own for a server that starts: the one before it may just be
// ending.
func ownPatiently(ctx context.Context, patience time.Duration, connect func() error) error {
	for end := time.Now().Add(patience); ; {
		err := connect()
		if !errors.Is(err, errOwned) || !time.Now().Before(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(ownerPause):
		}
	}
}

// applicationName is this server's name in pg_stat_activity.
func applicationName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown machine"
	}
	return fmt.Sprintf("platen %d on %.40s", os.Getpid(), host)
}
