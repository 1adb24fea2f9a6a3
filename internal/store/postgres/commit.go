package postgres

import (
	"math"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

// Each statement takes the rows of a group as arrays and returns the ids of the
// sandboxes whose commit it has written. A group holds one operation of each
// sandbox. Rows are locked and written in the order of their numbers or ids, so
// that no two processes wait for each other; under its lock a row is looked at
// again, so a claim comes either before a commit or after it.
const (
	// ownKeys gives the keys of the sandboxes in the step "created" to them.
	ownKeys = `owned AS (
			INSERT INTO keys (hash, sandbox)
			SELECT DISTINCT k.hash, c.number
			FROM created c CROSS JOIN LATERAL (VALUES (c.office_key), (c.factory_key), (c.grading_key)) AS k (hash)
			WHERE k.hash IS NOT NULL
			ORDER BY k.hash
		)`

	appendCommits = `
		WITH appended AS (
			INSERT INTO commits (sandbox, version, body, epoch)
			SELECT s.number, i.version, i.body, i.epoch
			FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[])
			AS i (id, version, body, owner, epoch)
			JOIN sandboxes s ON s.id = i.id
			WHERE NOT s.removed AND s.epoch = i.epoch AND s.owner IS NOT DISTINCT FROM i.owner
			AND i.version = (SELECT max(c.version) + 1 FROM commits c WHERE c.sandbox = s.number)
			ORDER BY s.number
			FOR NO KEY UPDATE OF s
			ON CONFLICT DO NOTHING
			RETURNING sandbox
		)
		SELECT s.id FROM appended JOIN sandboxes s ON s.number = appended.sandbox`

	// The number of a sandbox that is not created after all is lost, which is
	// no harm. Keys that are taken already are looked up here; a process that
	// takes one in the same moment meets the primary key of keys.
	createSandboxes = `
		WITH input AS (
			SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[],
				$6::bytea[], $7::bytea[], $8::bytea[],
				$9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::integer[],
				$15::bytea[], $16::boolean[])
			AS i (id, version, body, owner, epoch, office_key, factory_key, network,
				created_at, expires_at, delete_at, wake_at, extensions, engine, grading_key, evaluation)
		), created AS (
			INSERT INTO sandboxes (id, office_key, factory_key, grading_key, evaluation, network,
				created_at, expires_at, delete_at, wake_at, extensions, engine)
			SELECT id, office_key, factory_key, grading_key, evaluation, network,
				created_at, expires_at, delete_at, wake_at, extensions, engine FROM input i
			WHERE NOT EXISTS (SELECT 1 FROM keys k WHERE k.hash IN (i.office_key, i.factory_key, i.grading_key))
			ORDER BY id
			ON CONFLICT DO NOTHING
			RETURNING number, id, office_key, factory_key, grading_key
		), ` + ownKeys + `, committed AS (
			INSERT INTO commits (sandbox, version, body, epoch)
			SELECT c.number, i.version, i.body, 0 FROM created c JOIN input i ON i.id = c.id
		)
		SELECT id FROM created`

	// Under the lock of its row, the old keys are still those of the sandbox when
	// they are given up.
	replaceHeaders = `
		WITH next AS (
			SELECT s.number, s.office_key AS old_office_key, s.factory_key AS old_factory_key,
				s.grading_key AS old_grading_key, i.*
			FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[],
				$6::bytea[], $7::bytea[], $8::bytea[],
				$9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::integer[],
				$15::bytea[], $16::boolean[])
			AS i (id, version, body, owner, epoch, office_key, factory_key, network,
				created_at, expires_at, delete_at, wake_at, extensions, engine, grading_key, evaluation)
			JOIN sandboxes s ON s.id = i.id
			WHERE NOT s.removed AND s.epoch = i.epoch AND s.owner IS NOT DISTINCT FROM i.owner
			AND i.version = (SELECT max(c.version) + 1 FROM commits c WHERE c.sandbox = s.number)
			AND NOT EXISTS (SELECT 1 FROM keys k
				WHERE k.hash IN (i.office_key, i.factory_key, i.grading_key) AND k.sandbox <> s.number)
			ORDER BY s.number
			FOR NO KEY UPDATE OF s
		), appended AS (
			INSERT INTO commits (sandbox, version, body, epoch)
			SELECT number, version, body, epoch FROM next
			ON CONFLICT DO NOTHING
			RETURNING sandbox
		), taken AS (
			SELECT n.* FROM next n JOIN appended a ON a.sandbox = n.number
		), replaced AS (
			UPDATE sandboxes s SET
				office_key = t.office_key, factory_key = t.factory_key, grading_key = t.grading_key,
				evaluation = t.evaluation, network = t.network,
				created_at = t.created_at, expires_at = t.expires_at, delete_at = t.delete_at,
				wake_at = t.wake_at, extensions = t.extensions
			FROM taken t WHERE s.number = t.number
		), given_up AS (
			DELETE FROM keys k USING taken t
			WHERE k.hash IN (t.old_office_key, t.old_factory_key, t.old_grading_key)
			AND k.hash IS DISTINCT FROM t.office_key AND k.hash IS DISTINCT FROM t.factory_key
			AND k.hash IS DISTINCT FROM t.grading_key
		), owned AS (
			INSERT INTO keys (hash, sandbox)
			SELECT DISTINCT k.hash, t.number
			FROM taken t CROSS JOIN LATERAL (VALUES (t.office_key), (t.factory_key), (t.grading_key)) AS k (hash)
			WHERE k.hash IS NOT NULL
			AND k.hash IS DISTINCT FROM t.old_office_key AND k.hash IS DISTINCT FROM t.old_factory_key
			AND k.hash IS DISTINCT FROM t.old_grading_key
			ORDER BY k.hash
		)
		SELECT id FROM taken`

	// Claims are never taken back, so what does not fit now did not fit then, or
	// would not fit the next time.
	listFenced = `
		SELECT s.id FROM unnest($1::bytea[], $2::text[], $3::bigint[]) AS i (id, owner, epoch)
		JOIN sandboxes s ON s.id = i.id
		WHERE NOT s.removed AND (s.epoch <> i.epoch OR s.owner IS DISTINCT FROM i.owner)`
)

// Rows are commits as the columns of one statement.
type rows struct {
	requests map[string]*groupcommit.Request // by sandbox

	ids      [][]byte
	versions []int64
	bodies   [][]byte
	owners   []*string
	epochs   []int64

	// Of those with a header.
	officeKeys, factoryKeys, networks [][]byte
	createdAt, expiresAt, deleteAt    []int64
	wakeAt, extensions                []int64
	engines                           []int32
	gradingKeys                       [][]byte
	evaluations                       []bool
}

func (r *rows) add(c store.Commit, request *groupcommit.Request) {
	if r.requests == nil {
		r.requests = map[string]*groupcommit.Request{}
	}
	r.requests[c.SandboxID] = request
	r.ids = append(r.ids, []byte(c.SandboxID))
	r.versions = append(r.versions, int64(c.Version))
	r.bodies = append(r.bodies, blob(c.Body))
	r.owners = append(r.owners, owner(c.Fence))
	r.epochs = append(r.epochs, epoch(c.Fence))
	if h := c.Header; h != nil {
		r.officeKeys = append(r.officeKeys, keyColumn(h.OfficeKey))
		r.factoryKeys = append(r.factoryKeys, keyColumn(h.FactoryKey))
		r.networks = append(r.networks, []byte(h.Network))
		r.createdAt = append(r.createdAt, h.CreatedAt.UnixMicro())
		r.expiresAt = append(r.expiresAt, h.ExpiresAt.UnixMicro())
		r.deleteAt = append(r.deleteAt, h.DeleteAt.UnixMicro())
		r.wakeAt = append(r.wakeAt, h.WakeAt.UnixMicro())
		r.extensions = append(r.extensions, int64(h.Extensions))
		r.engines = append(r.engines, int32(c.Engine))
		r.gradingKeys = append(r.gradingKeys, keyColumn(h.GradingKey))
		r.evaluations = append(r.evaluations, h.Evaluation)
	}
}

// columns are the arguments of the statements, as many as they take.
func (r *rows) columns() []any {
	columns := []any{r.ids, r.versions, r.bodies, r.owners, r.epochs}
	if len(r.officeKeys) > 0 {
		columns = append(columns, r.officeKeys, r.factoryKeys, r.networks,
			r.createdAt, r.expiresAt, r.deleteAt, r.wakeAt, r.extensions, r.engines, r.gradingKeys, r.evaluations)
	}
	return columns
}

// keyColumn is NULL for a revoked key, or none, so that no search can find it.
func keyColumn(key store.KeyHash) []byte {
	if key == (store.KeyHash{}) {
		return nil
	}
	return key[:]
}

// owner is the owner of a claim as a column, NULL for nobody.
func owner(f store.Fence) *string {
	if f.Owner == "" {
		return nil
	}
	return (*string)(&f.Owner)
}

// epoch is that of a claim as a column. There are none beyond its range.
func epoch(f store.Fence) int64 { return int64(min(f.Epoch, math.MaxInt64)) }

// blob is a body as a column that is never NULL.
func blob(body []byte) []byte {
	if body == nil {
		return []byte{}
	}
	return body
}
