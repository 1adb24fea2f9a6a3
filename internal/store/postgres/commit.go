package postgres

import (
	"context"
	"fmt"
	"math"

	"platen/internal/store"
)

// Each statement takes the rows of a group as arrays and returns the ids of the
// sandboxes whose commit it has written. A group holds one operation of each
// sandbox. Rows are locked and written in the order of their numbers or ids, so
// that no two processes wait for each other.
const (
	appendCommits = `
		WITH appended AS (
			INSERT INTO commits (sandbox, version, body)
			SELECT s.number, i.version, i.body
			FROM unnest($1::bytea[], $2::bigint[], $3::bytea[]) AS i (id, version, body)
			JOIN sandboxes s ON s.id = i.id
			WHERE NOT s.removed
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
			SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[],
				$6::bytea[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
			AS i (id, version, body, office_key, factory_key, network,
				created_at, expires_at, delete_at, wake_at, extensions)
		), created AS (
			INSERT INTO sandboxes (id, office_key, factory_key, network,
				created_at, expires_at, delete_at, wake_at, extensions)
			SELECT id, office_key, factory_key, network,
				created_at, expires_at, delete_at, wake_at, extensions FROM input i
			WHERE NOT EXISTS (SELECT 1 FROM keys k WHERE k.hash IN (i.office_key, i.factory_key))
			ORDER BY id
			ON CONFLICT DO NOTHING
			RETURNING number, id, office_key, factory_key
		), owned AS (
			INSERT INTO keys (hash, sandbox)
			SELECT DISTINCT k.hash, c.number
			FROM created c CROSS JOIN LATERAL (VALUES (c.office_key), (c.factory_key)) AS k (hash)
			WHERE k.hash IS NOT NULL
			ORDER BY k.hash
		), committed AS (
			INSERT INTO commits (sandbox, version, body)
			SELECT c.number, i.version, i.body FROM created c JOIN input i ON i.id = c.id
		)
		SELECT id FROM created`

	// Under the lock of its row, the old keys are still those of the sandbox when
	// they are given up.
	replaceHeaders = `
		WITH next AS (
			SELECT s.number, s.office_key AS old_office_key, s.factory_key AS old_factory_key, i.*
			FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[],
				$6::bytea[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
			AS i (id, version, body, office_key, factory_key, network,
				created_at, expires_at, delete_at, wake_at, extensions)
			JOIN sandboxes s ON s.id = i.id
			WHERE NOT s.removed
			AND i.version = (SELECT max(c.version) + 1 FROM commits c WHERE c.sandbox = s.number)
			AND NOT EXISTS (SELECT 1 FROM keys k
				WHERE k.hash IN (i.office_key, i.factory_key) AND k.sandbox <> s.number)
			ORDER BY s.number
			FOR NO KEY UPDATE OF s
		), appended AS (
			INSERT INTO commits (sandbox, version, body)
			SELECT number, version, body FROM next
			ON CONFLICT DO NOTHING
			RETURNING sandbox
		), taken AS (
			SELECT n.* FROM next n JOIN appended a ON a.sandbox = n.number
		), replaced AS (
			UPDATE sandboxes s SET
				office_key = t.office_key, factory_key = t.factory_key, network = t.network,
				created_at = t.created_at, expires_at = t.expires_at, delete_at = t.delete_at,
				wake_at = t.wake_at, extensions = t.extensions
			FROM taken t WHERE s.number = t.number
		), given_up AS (
			DELETE FROM keys k USING taken t
			WHERE k.hash IN (t.old_office_key, t.old_factory_key)
			AND k.hash IS DISTINCT FROM t.office_key AND k.hash IS DISTINCT FROM t.factory_key
		), owned AS (
			INSERT INTO keys (hash, sandbox)
			SELECT DISTINCT k.hash, t.number
			FROM taken t CROSS JOIN LATERAL (VALUES (t.office_key), (t.factory_key)) AS k (hash)
			WHERE k.hash IS NOT NULL
			AND k.hash IS DISTINCT FROM t.old_office_key AND k.hash IS DISTINCT FROM t.old_factory_key
			ORDER BY k.hash
		)
		SELECT id FROM taken`
)

// Commit appends one commit.
func (s *Store) Commit(ctx context.Context, c store.Commit) error {
	if err := checkCommit(c); err != nil {
		return fmt.Errorf("commit %d of sandbox %q: %w", c.Version, c.SandboxID, err)
	}
	if err := s.write(ctx, commit{c}); err != nil {
		return fmt.Errorf("commit %d of sandbox %q: %w", c.Version, c.SandboxID, err)
	}
	return nil
}

// checkCommit refuses a commit that no state of the store could accept.
func checkCommit(c store.Commit) error {
	switch {
	case len(c.Body) > store.MaxBody:
		return fmt.Errorf("a body of %d bytes is over the limit of %d", len(c.Body), store.MaxBody)
	case store.CheckWrites(c.Records) != nil:
		return store.CheckWrites(c.Records)
	case c.Header != nil && c.Header.ID != c.SandboxID:
		return fmt.Errorf("its header is of sandbox %q", c.Header.ID)
	case c.Version == 0 || c.Version > math.MaxInt64 || c.Version == 1 && c.Header == nil:
		return store.ErrConflict
	}
	return nil
}

type commit struct{ store.Commit }

func (c commit) sandboxID() string { return c.SandboxID }

func (c commit) bodyBytes() int { return len(c.Body) + writes(c.Records).bodyBytes() }

func (c commit) alone() bool { return len(c.Records) > 0 }

func (c commit) join(g *group, r *request) {
	writes(c.Records).join(g, r)
	switch {
	case c.Version == 1:
		g.creations.add(c.Commit, r)
	case c.Header != nil:
		g.replacements.add(c.Commit, r)
	default:
		g.appends.add(c.Commit, r)
	}
}

// Rows are commits as the columns of one statement.
type rows struct {
	requests map[string]*request // by sandbox

	ids      [][]byte
	versions []int64
	bodies   [][]byte

	// Of those with a header.
	officeKeys, factoryKeys, networks [][]byte
	createdAt, expiresAt, deleteAt    []int64
	wakeAt, extensions                []int64
}

func (rs *rows) add(c store.Commit, r *request) {
	if rs.requests == nil {
		rs.requests = map[string]*request{}
	}
	rs.requests[c.SandboxID] = r
	rs.ids = append(rs.ids, []byte(c.SandboxID))
	rs.versions = append(rs.versions, int64(c.Version))
	rs.bodies = append(rs.bodies, blob(c.Body))
	if h := c.Header; h != nil {
		rs.officeKeys = append(rs.officeKeys, keyColumn(h.OfficeKey))
		rs.factoryKeys = append(rs.factoryKeys, keyColumn(h.FactoryKey))
		rs.networks = append(rs.networks, []byte(h.Network))
		rs.createdAt = append(rs.createdAt, h.CreatedAt.UnixMicro())
		rs.expiresAt = append(rs.expiresAt, h.ExpiresAt.UnixMicro())
		rs.deleteAt = append(rs.deleteAt, h.DeleteAt.UnixMicro())
		rs.wakeAt = append(rs.wakeAt, h.WakeAt.UnixMicro())
		rs.extensions = append(rs.extensions, int64(h.Extensions))
	}
}

// columns are the arguments of the statements, as many as they take.
func (rs *rows) columns() []any {
	columns := []any{rs.ids, rs.versions, rs.bodies}
	if len(rs.officeKeys) > 0 {
		columns = append(columns, rs.officeKeys, rs.factoryKeys, rs.networks,
			rs.createdAt, rs.expiresAt, rs.deleteAt, rs.wakeAt, rs.extensions)
	}
	return columns
}

// keyColumn is NULL for a revoked key, so that no search can find it.
func keyColumn(key store.KeyHash) []byte {
	if key == (store.KeyHash{}) {
		return nil
	}
	return key[:]
}

// blob is a body as a column that is never NULL.
func blob(body []byte) []byte {
	if body == nil {
		return []byte{}
	}
	return body
}
