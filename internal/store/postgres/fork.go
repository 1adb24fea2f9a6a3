package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

// A fork is a statement of its own, which sees one moment: a parent that is not removed, with all of its commits. So
// the row of the parent needs no lock, for which its own commits would have to wait.
const createFork = `
	WITH parent AS (
		SELECT p.number FROM sandboxes p
		WHERE p.id = $1 AND NOT p.removed
		AND EXISTS (SELECT 1 FROM commits c WHERE c.sandbox = p.number AND c.version = $3 - 1)
	), created AS (
		INSERT INTO sandboxes (id, office_key, factory_key, grading_key, evaluation, network,
			created_at, expires_at, delete_at, wake_at, extensions, engine)
		SELECT $2::bytea, $5::bytea, $6::bytea, $16::bytea, $17::boolean, $7::bytea,
			$8::bigint, $9::bigint, $10::bigint, $11::bigint, $12::bigint, $13::integer FROM parent
		WHERE NOT EXISTS (SELECT 1 FROM keys k WHERE k.hash IN ($5, $6, $16))
		ON CONFLICT DO NOTHING
		RETURNING number, office_key, factory_key, grading_key
	), ` + ownKeys + `, copied AS (
		INSERT INTO commits (sandbox, version, body, epoch)
		SELECT c.number, o.version, o.body, 0
		FROM created c CROSS JOIN parent p JOIN commits o ON o.sandbox = p.number
		WHERE o.version < $3
		ORDER BY o.version
	), committed AS (
		INSERT INTO commits (sandbox, version, body, epoch)
		SELECT number, $3::bigint, $4::bytea, 0 FROM created
	), kept AS (
		INSERT INTO snapshots (sandbox, version, body)
		SELECT number, $14::bigint, $15::bytea FROM created WHERE $14 > 0
	)
	SELECT number FROM created`

// addFork makes a sandbox from another one.
func (g *group) addFork(c store.Commit, r *groupcommit.Request) {
	h, kept := c.Header, store.Snapshot{}
	if c.Fork.Snapshot != nil {
		kept = *c.Fork.Snapshot
	}
	create := g.batch.Queue(createFork, []byte(c.Fork.Parent), []byte(c.SandboxID), int64(c.Version), blob(c.Body),
		keyColumn(h.OfficeKey), keyColumn(h.FactoryKey), []byte(h.Network), h.CreatedAt.UnixMicro(),
		h.ExpiresAt.UnixMicro(), h.DeleteAt.UnixMicro(), h.WakeAt.UnixMicro(), int64(h.Extensions), int32(c.Engine),
		int64(kept.Version), blob(kept.Body), keyColumn(h.GradingKey), h.Evaluation)
	create.QueryRow(func(row pgx.Row) error {
		var number int64
		err := row.Scan(&number)
		if errors.Is(err, pgx.ErrNoRows) {
			r.Outcome = store.ErrConflict
			return nil
		}
		return err
	})
}
