package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"platen/internal/store/migration"
)

// SQLite's own objects have no text that anybody could have written.
const listSchema = `
	SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\'`

// object is a table, an index, a view or a trigger, and the statement that makes it.
type object struct{ kind, name, table, text string }

// checkSchema refuses a database with anything else in it than the migrations make that it has: a trigger could
// change what is written later, and a view in a table's place what is read.
func checkSchema(ctx context.Context, path string) (err error) {
	db, err := connect(path, "ro", 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	found, err := schemaOf(ctx, conn)
	if err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	known, err := migration.List(migrationFiles)
	if err != nil {
		return err
	}
	number, err := schemaNumber(ctx, conn, known)
	if err != nil {
		return fmt.Errorf("read schema number: %w", err)
	}
	want, err := schemaAt(ctx, known, number)
	if err != nil {
		return err
	}
	for _, o := range slices.SortedFunc(maps.Keys(found), compareObjects) {
		if !want[o] {
			return fmt.Errorf("it has a %s %s that Platen does not make: restore a copy that nobody has changed",
				o.kind, o.name)
		}
		delete(want, o)
	}
	if missing := slices.SortedFunc(maps.Keys(want), compareObjects); len(missing) > 0 {
		return fmt.Errorf("its %s %s is missing", missing[0].kind, missing[0].name)
	}
	return nil
}

func compareObjects(a, b object) int { return strings.Compare(a.kind+a.name, b.kind+b.name) }

// schemaAt returns the objects that the first so many migrations create.
func schemaAt(ctx context.Context, known []migration.Migration, number int) (objects map[object]bool, err error) {
	if number > len(known) {
		return nil, errNewer(number, len(known))
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for _, m := range known[:number] {
		if err := apply(ctx, conn, m); err != nil {
			return nil, fmt.Errorf("migration %s: %w", m.Name, err)
		}
	}
	return schemaOf(ctx, conn)
}

func schemaOf(ctx context.Context, conn *sql.Conn) (map[object]bool, error) {
	rows, err := conn.QueryContext(ctx, listSchema)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	objects := map[object]bool{}
	for rows.Next() {
		var o object
		if err := rows.Scan(&o.kind, &o.name, &o.table, &o.text); err != nil {
			return nil, err
		}
		o.text = withoutComments(o.text)
		objects[o] = true
	}
	return objects, rows.Err()
}

// withoutComments returns a statement in one line. Another version has other comments. A statement of ours quotes
// nothing, so one that is equal without what follows two hyphens quotes nothing before them.
func withoutComments(statement string) string {
	var words []string
	for line := range strings.Lines(statement) {
		code, _, _ := strings.Cut(line, "--")
		words = append(words, strings.Fields(code)...)
	}
	return strings.Join(words, " ")
}

// mustBeRegular refuses a folder, a pipe or a device, on which SQLite could wait forever.
func mustBeRegular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	return err
}
