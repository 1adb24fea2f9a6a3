package sqlite

import (
	"fmt"

	"platen/internal/store"
)

// The newest version is found in the index of commits, not kept in a column of
// sandboxes. With few sandboxes both cost the same; with 50,000 of them the
// column makes each commit write a page of sandboxes too, and groups of 256
// were 1.6 times slower.
const (
	appendCommit = `
		INSERT INTO commits (sandbox, version, body)
		SELECT s.number, ?2, ?3 FROM sandboxes s
		WHERE s.id = ?1
		AND ?2 = (SELECT max(c.version) + 1 FROM commits c WHERE c.sandbox = s.number)`

	// A key of another sandbox is ignored like an id that exists: no row.
	createSandbox = `
		INSERT OR IGNORE INTO sandboxes
			(number, id, office_key, factory_key, grading_key, evaluation, network,
			created_at, expires_at, delete_at, wake_at, extensions)
		SELECT ?12, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
		WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE id = ?1)`

	// A fork begins with the commits of its parent, which must be there and have got
	// so far: ?13 and ?14.
	createFork = createSandbox + `
		AND EXISTS (SELECT 1 FROM sandboxes p JOIN commits c ON c.sandbox = p.number
			WHERE p.id = ?13 AND c.version = ?14)`

	copyCommits = `
		INSERT INTO commits (sandbox, version, body)
		SELECT ?1, c.version, c.body
		FROM sandboxes p JOIN commits c ON c.sandbox = p.number
		WHERE p.id = ?2 AND c.version BETWEEN ?3 AND ?4
		ORDER BY c.version`

	firstCommit = `
		INSERT INTO commits (sandbox, version, body)
		SELECT number, 1, ?2 FROM sandboxes WHERE id = ?1`

	replaceHeader = `
		UPDATE OR IGNORE sandboxes SET
			office_key = ?2, factory_key = ?3, grading_key = ?4, evaluation = ?5, network = ?6,
			created_at = ?7, expires_at = ?8, delete_at = ?9, wake_at = ?10, extensions = ?11
		WHERE id = ?1
		AND ?12 = (SELECT max(c.version) + 1 FROM commits c WHERE c.sandbox = number)`
)

// appendWithRecords looks at the records first, and then decides in the first
// statement of the commit whether that conflicts. The statements after it cannot
// refuse, so there is never half a commit to undo.
func (w *writer) appendWithRecords(c store.Commit) error {
	if err := w.checkRecords(c.Records); err != nil {
		return err
	}
	if err := w.append(c); err != nil {
		return err
	}
	return w.changeRecords(c.Records)
}

func (w *writer) append(c store.Commit) error {
	switch {
	case c.Fork != nil:
		return w.fork(c, 0)
	case c.Version == 1:
		return w.create(c)
	}
	if c.Header != nil {
		args := append(headerColumns(c.Header), int64(c.Version))
		if rows, err := changes(w.replaceHeader, args...); err != nil || rows == 0 {
			return conflictUnless(err)
		}
	}
	rows, err := changes(w.appendCommit, c.SandboxID, int64(c.Version), blob(c.Body))
	if err != nil || rows == 1 {
		return err
	}
	if c.Header != nil {
		return fmt.Errorf("sandbox %q took the header of version %d but not its commit", c.SandboxID, c.Version)
	}
	return store.ErrConflict
}

func (w *writer) create(c store.Commit) error {
	if rows, err := changes(w.createSandbox, append(headerColumns(c.Header), nil)...); err != nil || rows == 0 {
		return conflictUnless(err)
	}
	rows, err := changes(w.firstCommit, c.SandboxID, blob(c.Body))
	if err == nil && rows != 1 {
		err = fmt.Errorf("sandbox %q was created without its first commit", c.SandboxID)
	}
	return err
}

// conflictUnless is the error of a statement that changed no row: a conflict,
// unless it failed.
func conflictUnless(err error) error {
	if err != nil {
		return err
	}
	return store.ErrConflict
}

// headerColumns are the columns of a header, in the order of the statements
// above and of the reader's.
func headerColumns(h *store.Sandbox) []any {
	return []any{
		h.ID, keyColumn(h.OfficeKey), keyColumn(h.FactoryKey), keyColumn(h.GradingKey), h.Evaluation, h.Network,
		h.CreatedAt.UnixMicro(), h.ExpiresAt.UnixMicro(), h.DeleteAt.UnixMicro(), h.WakeAt.UnixMicro(), h.Extensions,
	}
}

// keyColumn is NULL for a revoked key, or none, so that no search can find it.
func keyColumn(key store.KeyHash) any {
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
