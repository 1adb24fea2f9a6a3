package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"platen/internal/config"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
)

// Backed describes a copy of a database.
type Backed = sqlite.Backed

// ErrNoFile refuses the backup of a database that is no file.
var ErrNoFile = errors.New("this is for a SQLite file; PostgreSQL has tools of its own, such as pg_dump")

// Backup copies the database of the settings into a new file, also while a server
// runs on it. A copy of a damaged one is refused if it is to be checked.
func Backup(ctx context.Context, c *config.Config, to string, check bool) (Backed, error) {
	if c.Postgres() {
		return Backed{}, ErrNoFile
	}
	if !check {
		return sqlite.Backup(ctx, c.Database, to, nil)
	}
	return sqlite.Backup(ctx, c.Database, to, refuseDamage)
}

// Restoring is how a database is restored.
type Restoring struct {
	// From is the copy.
	From string
	// Replace lets it take the place of a database and a key that are there.
	Replace bool
	// Check refuses a copy that is damaged.
	Check bool
}

// Restored describes a database that was restored.
type Restored struct {
	Backed

	// Key is the file that got the secret key of the copy, if there was one and it was another.
	Key string
}

// Restore puts a copy in the place of the database of the settings, which no
// server may run on, and the key beside the copy in the place of its key. After an error both
// are unchanged.
func Restore(ctx context.Context, c *config.Config, r Restoring) (restored Restored, err error) {
	if c.Postgres() {
		return restored, ErrNoFile
	}
	key := &keyCopy{}
	restored.Backed, err = sqlite.Restore(ctx, r.From, c.Database, sqlite.Restoring{
		Replace: r.Replace,
		Ready: func(ctx context.Context, copied, path string) error {
			if r.Check {
				if err := refuseDamage(ctx, copied); err != nil {
					return err
				}
			}
			if err := removeRemains(path + secretSuffix); err != nil {
				return fmt.Errorf("clean up after a restore that was killed: %w", err)
			}
			return key.ready(r.From, path+secretSuffix, r.Replace)
		},
		Placed: func() error { return key.place() },
	})
	if err != nil {
		return Restored{}, errors.Join(err, key.discard())
	}
	restored.Key = key.to
	return restored, nil
}

// CheckDatabase looks for damage in the database of the settings as it is at one moment, also
// while a server runs on it.
func CheckDatabase(ctx context.Context, c *config.Config) (sandbox.Checked, error) {
	if c.Postgres() {
		return sandbox.Checked{}, ErrNoFile
	}
	found, err := checkFile(ctx, c.Database)
	if err != nil {
		return sandbox.Checked{}, fmt.Errorf("check %s: %w", c.Database, err)
	}
	return found, nil
}

func checkFile(ctx context.Context, path string) (found sandbox.Checked, err error) {
	db, err := sqlite.OpenMoment(ctx, path)
	if err != nil {
		return found, err //nolint:wrapcheck // the caller names the file
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.CheckStructure(ctx); err != nil {
		return found, err //nolint:wrapcheck // the caller names the file
	}
	return sandbox.CheckStore(ctx, db)
}

// namedDamages is how many places an error names.
const namedDamages = 10

// refuseDamage is the check of a copy.
func refuseDamage(ctx context.Context, copied string) error {
	found, err := checkFile(ctx, copied)
	if err != nil {
		return fmt.Errorf("check the copy: %w", err)
	}
	return damageOf(&found)
}

// damageOf returns an error that names the places of damage, or nil where there is none.
func damageOf(found *sandbox.Checked) error {
	if len(found.Damages) == 0 {
		return nil
	}
	var places []error
	for _, damage := range found.Damages[:min(namedDamages, len(found.Damages))] {
		places = append(places, fmt.Errorf("sandbox %s, until %s: %w", damage.SandboxID,
			damage.Until.Format(time.RFC3339), damage.Error))
	}
	return &DamageError{Count: len(found.Damages), Of: found.Sandboxes, places: places}
}

// DamageError refuses a copy of which something is not as it was written.
type DamageError struct {
	// Count is how many sandboxes are damaged, Of how many there are.
	Count, Of int
	places    []error
}

// Error names the first places.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%d of %d sandboxes are damaged:\n%s", e.Count, e.Of, errors.Join(e.places...))
}
