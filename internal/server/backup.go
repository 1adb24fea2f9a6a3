package server

import (
	"context"
	"errors"

	"platen/internal/config"
	"platen/internal/store/sqlite"
)

// Backed describes a copy of a database.
type Backed = sqlite.Backed

// ErrNoFile refuses the backup of a database that is no file.
var ErrNoFile = errors.New("backup copies a SQLite file; use pg_dump for PostgreSQL")

// Backup copies the database of the settings into a new file, also while a server
// runs on it.
func Backup(ctx context.Context, c *config.Config, to string) (Backed, error) {
	if c.Postgres() {
		return Backed{}, ErrNoFile
	}
	return sqlite.Backup(ctx, c.Database, to)
}
