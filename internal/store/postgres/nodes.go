package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"platen/internal/store"
)

// joinLock is the first half of the advisory lock under which nodes join, one at a
// time; the schema gives the second.
const joinLock = 0x4a4f494e

// rolesEnd, in microseconds, is the end of the records of roles, which something else ends.
const rolesEnd = 253402214400000000 // 9999-12-31

const (
	nodeColumns = `n.session, n.address, n.settings, n.name, n.engine, n.started_at, n.until`

	listNodes = `SELECT ` + nodeColumns + ` FROM nodes n ORDER BY n.started_at, n.session`
	joinNode  = `
		INSERT INTO nodes (session, address, settings, name, engine, started_at, until)
		SELECT $1, $2, $3, $4, $5, now, now + $6::bigint * interval '1 microsecond' FROM clock_timestamp() AS now`
	// The clock is read before the row is locked, or a beat that waited would
	// count from after its wait.
	beatNode = `
		UPDATE nodes n SET until = greatest(n.until, clock.now + $2::bigint * interval '1 microsecond')
		FROM (SELECT clock_timestamp() AS now) AS clock WHERE n.session = $1 RETURNING clock.now`
	leaveNode = `DELETE FROM nodes WHERE session = $1`
	// Under its lock the row is looked at again, so a beat that was under way
	// counts.
	buryNode = `
		WITH gone AS (
			DELETE FROM nodes WHERE session = $1 AND ($2 OR until < clock_timestamp()) RETURNING 1
		)
		SELECT EXISTS (SELECT 1 FROM gone) OR NOT EXISTS (SELECT 1 FROM nodes WHERE session = $1)`
	buryOverdue = `
		DELETE FROM nodes WHERE session IN (
			SELECT session FROM nodes WHERE until < clock_timestamp() ORDER BY session FOR UPDATE SKIP LOCKED)`

	// The owner and a node that can go on with the sandbox, each as one row or none.
	lookAtOwner = `
		SELECT s.owner IS NOT NULL AND n.session = s.owner, coalesce(s.owner, ''), s.epoch, s.engine,
			` + nodeColumns + `
		FROM sandboxes s LEFT JOIN LATERAL (
			(SELECT * FROM nodes WHERE session = s.owner)
			UNION ALL
			(SELECT * FROM nodes WHERE engine = s.engine AND session IS DISTINCT FROM s.owner
			ORDER BY random() LIMIT 1)
		) n ON true
		WHERE s.id = $1 AND NOT s.removed`

	// An owner that has no row never gets one again. The claimer's own row must
	// be there until the claim is durable: its lock keeps a node that buries it
	// waiting, and no beat.
	living = `living AS (SELECT session, engine FROM nodes WHERE session = $1 FOR KEY SHARE)`
	// free says that a sandbox is free for a session, in the words of store.Nodes.
	free = `
		NOT EXISTS (SELECT 1 FROM nodes n WHERE n.session = s.owner
			AND (s.engine IN (0, n.engine) OR s.engine <> l.engine))
		AND (s.engine IN (0, l.engine) OR NOT EXISTS (SELECT 1 FROM nodes n WHERE n.engine = s.engine))`
	claimSandbox = `
		WITH ` + living + `
		UPDATE sandboxes s SET owner = l.session, epoch = s.epoch + 1
		FROM living l
		WHERE s.id = $2 AND NOT s.removed AND s.epoch = $3 AND ` + free + `
		RETURNING s.epoch`
	// Where a lock finds a row that another transaction has changed, PostgreSQL checks
	// the row again, but not what a NOT EXISTS finds for it. So the epoch that was
	// locked must be the one that the statement sees: nobody has claimed it meanwhile.
	claimDue = `
		WITH ` + living + `, due AS (
			SELECT s.number, s.epoch FROM sandboxes s, living l
			WHERE NOT s.removed AND s.wake_at <= $2 AND ` + free + `
			ORDER BY s.wake_at, s.number LIMIT $3
			FOR NO KEY UPDATE OF s SKIP LOCKED
		)
		UPDATE sandboxes s SET owner = l.session, epoch = s.epoch + 1
		FROM living l, due d WHERE s.number = d.number AND s.epoch = d.epoch
		RETURNING s.id`

	claimNamed = `
		WITH ` + living + `, named AS (
			SELECT s.number, s.epoch FROM records r JOIN sandboxes s ON s.id = r.key, living l
			WHERE r.kind = $2 AND r.ends_at > $3 AND NOT s.removed AND ` + free + `
			ORDER BY r.key LIMIT $4
			FOR NO KEY UPDATE OF s SKIP LOCKED
		)
		UPDATE sandboxes s SET owner = l.session, epoch = s.epoch + 1
		FROM living l, named n WHERE s.number = n.number AND s.epoch = n.epoch
		RETURNING s.id`

	lockLiving = `SELECT 1 FROM nodes WHERE session = $1 FOR KEY SHARE`
	addRole    = `
		INSERT INTO records (kind, key, body, ends_at) VALUES ('` + store.RoleKind + `', $1, $2, $3)
		ON CONFLICT DO NOTHING`
	lockRole   = `SELECT body FROM records WHERE kind = '` + store.RoleKind + `' AND key = $1 FOR UPDATE`
	isNode     = `SELECT EXISTS (SELECT 1 FROM nodes WHERE session = $1)`
	changeRole = `UPDATE records SET body = $2 WHERE kind = '` + store.RoleKind + `' AND key = $1`
)

var _ store.Nodes = (*Store)(nil)

// openNodes returns the connections for what nodes know of each other: one, so that a
// beat never waits for anything else.
func openNodes(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	config, err := configure(dsn, 1, map[string]string{"jit": "off"})
	if err != nil {
		return nil, err
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// change lets a function write outside of the writer's groups, unless the store is
// closed. Nothing is sent again after a connection was lost.
func (s *Store) change(ctx context.Context, pool *pgxpool.Pool, work func(*pgxpool.Pool) error) error {
	if err := s.writer.queue.Enter(ctx); err != nil {
		return err
	}
	defer s.writer.queue.Leave()
	err := work(pool)
	if err != nil && refusal(err) == nil && !isSentinel(err) && ctx.Err() == nil {
		pool.Reset() // the other connections are likely to be lost too
	}
	return err
}

func isSentinel(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict) || errors.Is(err, pgx.ErrNoRows)
}

// Join adds a node.
func (s *Store) Join(
	ctx context.Context, n store.Node, lifetime time.Duration, fits func(other store.Node) error,
) error {
	err := s.change(ctx, s.nodes, func(pool *pgxpool.Pool) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			const alone = `SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))`
			if _, err := tx.Exec(ctx, alone, joinLock); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, buryOverdue); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, listNodes)
			if err != nil {
				return err
			}
			others, err := pgx.CollectRows(rows, scanNode)
			if err != nil {
				return err
			}
			for _, other := range others {
				if err := fits(other); err != nil {
					return err
				}
			}
			_, err = tx.Exec(ctx, joinNode, string(n.Session), n.Address, n.Settings, n.Name, n.Engine,
				lifetime.Microseconds())
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("join the nodes of the database: %w", err)
	}
	return nil
}

// Beat lets a node live on.
func (s *Store) Beat(ctx context.Context, session store.Session, lifetime time.Duration) (time.Time, error) {
	var now time.Time
	err := s.change(ctx, s.nodes, func(pool *pgxpool.Pool) error {
		return pool.QueryRow(ctx, beatNode, string(session), lifetime.Microseconds()).Scan(&now)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = store.ErrNotFound
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("beat: %w", err)
	}
	return now.UTC(), nil
}

// Leave removes a node.
func (s *Store) Leave(ctx context.Context, session store.Session) error {
	err := s.change(ctx, s.nodes, func(pool *pgxpool.Pool) error {
		_, err := pool.Exec(ctx, leaveNode, string(session))
		return err
	})
	if err != nil {
		return fmt.Errorf("leave the nodes of the database: %w", err)
	}
	return nil
}

// Living lists the nodes.
func (s *Store) Living(ctx context.Context) ([]store.Node, error) {
	var list []store.Node
	err := s.read(ctx, func() error {
		rows, err := s.reader.pool.Query(ctx, listNodes)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, scanNode)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	return list, nil
}

// Bury removes a node whose time is over, or that has certainly ended.
func (s *Store) Bury(ctx context.Context, session store.Session, certain bool) (gone bool, err error) {
	err = s.change(ctx, s.reader.pool, func(pool *pgxpool.Pool) error {
		return pool.QueryRow(ctx, buryNode, string(session), certain).Scan(&gone)
	})
	if err != nil {
		return false, fmt.Errorf("bury a node: %w", err)
	}
	return gone, nil
}

// BuryOverdue removes all nodes whose time is over.
func (s *Store) BuryOverdue(ctx context.Context) (buried int, err error) {
	err = s.change(ctx, s.reader.pool, func(pool *pgxpool.Pool) error {
		tag, err := pool.Exec(ctx, buryOverdue)
		buried = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("bury nodes: %w", err)
	}
	return buried, nil
}

// Look says who owns a sandbox.
func (s *Store) Look(ctx context.Context, sandboxID string) (store.Owned, error) {
	var o store.Owned
	err := s.read(ctx, func() error {
		rows, err := s.reader.pool.Query(ctx, lookAtOwner, []byte(sandboxID))
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, scanOwned)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return store.ErrNotFound
		}
		for i := range found {
			owner, able := o.Node, o.Able
			if o = found[i]; o.Node == nil {
				o.Node = owner
			}
			if o.Able == nil {
				o.Able = able
			}
		}
		return nil
	})
	if err != nil {
		return store.Owned{}, fmt.Errorf("look at the owner of sandbox %q: %w", sandboxID, err)
	}
	return o, nil
}

// Claim makes a session the owner of a sandbox.
func (s *Store) Claim(
	ctx context.Context, sandboxID string, seen store.Fence, session store.Session,
) (store.Fence, error) {
	claim := store.Fence{Owner: session}
	err := s.change(ctx, s.reader.pool, func(pool *pgxpool.Pool) error {
		return pool.QueryRow(ctx, claimSandbox, string(session), []byte(sandboxID), epoch(seen)).Scan(&claim.Epoch)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = store.ErrConflict
	}
	if err != nil {
		return store.Fence{}, fmt.Errorf("claim sandbox %q: %w", sandboxID, err)
	}
	return claim, nil
}

// ClaimDue claims sandboxes that are to be looked after at t.
func (s *Store) ClaimDue(ctx context.Context, session store.Session, t time.Time, limit int) ([]string, error) {
	list, err := s.claim(ctx, claimDue, string(session), t.UnixMicro(), max(limit, 0))
	if err != nil {
		return nil, fmt.Errorf("claim sandboxes that are due: %w", err)
	}
	return list, nil
}

// ClaimNamed claims sandboxes that records of a kind name.
func (s *Store) ClaimNamed(
	ctx context.Context, session store.Session, kind string, t time.Time, limit int,
) ([]string, error) {
	list, err := s.claim(ctx, claimNamed, string(session), []byte(kind), t.UnixMicro(), max(limit, 0))
	if err != nil {
		return nil, fmt.Errorf("claim sandboxes that a %s names: %w", kind, err)
	}
	return list, nil
}

// claim claims several sandboxes, and returns which.
func (s *Store) claim(ctx context.Context, text string, args ...any) ([]string, error) {
	var list []string
	err := s.change(ctx, s.reader.pool, func(pool *pgxpool.Pool) error {
		rows, err := pool.Query(ctx, text, args...)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
			var id []byte
			err := row.Scan(&id)
			return string(id), err
		})
		return err
	})
	return list, err
}

// role is the record of who holds a role.
type role struct {
	Session store.Session `json:"session"`
	Epoch   uint64        `json:"epoch"`
}

// Assume makes a session the holder of a role, unless another node holds it.
func (s *Store) Assume(
	ctx context.Context, name string, session store.Session,
) (holder store.Session, record store.Record, err error) {
	record = store.Record{Kind: store.RoleKind, Key: name, EndsAt: time.UnixMicro(rolesEnd).UTC()}
	err = s.change(ctx, s.reader.pool, func(pool *pgxpool.Pool) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			var err error
			holder, record.Body, err = assume(ctx, tx, name, session)
			return err
		})
	})
	if err != nil {
		return "", store.Record{}, fmt.Errorf("assume the role %s: %w", name, err)
	}
	return holder, record, nil
}

func assume(ctx context.Context, tx pgx.Tx, name string, session store.Session) (store.Session, []byte, error) {
	var one int
	err := tx.QueryRow(ctx, lockLiving, string(session)).Scan(&one)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil, store.ErrNotFound
	}
	if err != nil {
		return "", nil, err
	}
	nobody, err := json.Marshal(role{})
	if err != nil {
		return "", nil, err
	}
	if _, err := tx.Exec(ctx, addRole, []byte(name), nobody, int64(rolesEnd)); err != nil {
		return "", nil, err
	}
	var body []byte
	if err := tx.QueryRow(ctx, lockRole, []byte(name)).Scan(&body); err != nil {
		return "", nil, err
	}
	var held role
	if err := json.Unmarshal(body, &held); err != nil {
		return "", nil, fmt.Errorf("read it: %w", err)
	}
	var taken bool
	if err := tx.QueryRow(ctx, isNode, string(held.Session)).Scan(&taken); err != nil || taken {
		return held.Session, body, err
	}
	held = role{Session: session, Epoch: held.Epoch + 1}
	if body, err = json.Marshal(held); err != nil {
		return "", nil, err
	}
	_, err = tx.Exec(ctx, changeRole, []byte(name), body)
	return session, body, err
}

// scanOwned reads one of the rows of lookAtOwner, with no node, the owner's, or another
// one of the sandbox's version.
func scanOwned(row pgx.CollectableRow) (o store.Owned, err error) {
	var owns *bool
	var session, address, settings, name *string
	var engine *int
	var started, until *time.Time
	if err := row.Scan(&owns, &o.Owner, &o.Epoch, &o.Engine, &session, &address, &settings, &name, &engine,
		&started, &until); err != nil || session == nil {
		return o, err
	}
	n := &store.Node{
		Session: store.Session(*session), Address: *address, Settings: *settings, Name: *name, Engine: *engine,
		StartedAt: started.UTC(), Until: until.UTC(),
	}
	if *owns {
		o.Node = n
	}
	if o.Engine != 0 && n.Engine == o.Engine {
		o.Able = n
	}
	return o, nil
}

func scanNode(row pgx.CollectableRow) (store.Node, error) {
	var n store.Node
	err := row.Scan(&n.Session, &n.Address, &n.Settings, &n.Name, &n.Engine, &n.StartedAt, &n.Until)
	n.StartedAt, n.Until = n.StartedAt.UTC(), n.Until.UTC()
	return n, err
}
