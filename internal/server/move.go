package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"platen/internal/config"
	"platen/internal/sandbox"
	"platen/internal/store"
)

// keyMoving names the record that is in a database into which another one is being moved.
const keyMoving = "moving"

// errNotEmpty refuses a new database that is not new.
var errNotEmpty = errors.New("there are sandboxes in the new database already")

// errHalfMoved refuses a database that holds a part of another one.
var errHalfMoved = errors.New("moving another database into this one was not finished: " +
	"drop its tables, or remove the file, and run platen move again")

// Move copies everything in the database of some settings into the empty one of others.
// No server may run on either. Until everything is there, no server starts on the new one. A damaged
// database is refused if it is to be checked.
func Move(ctx context.Context, from, to *config.Config, check bool) (moved sandbox.Moved, err error) {
	if !from.Postgres() {
		if _, err := os.Stat(from.Database); err != nil { // or it would be made
			return moved, fmt.Errorf("move: %w", err)
		}
	}
	source, _, err := openStore(ctx, from)
	if err != nil {
		return moved, fmt.Errorf("open the database to move: %w", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if check {
		found, err := sandbox.CheckStore(ctx, source)
		if err == nil {
			err = damageOf(&found)
		}
		if err != nil {
			return moved, fmt.Errorf("check the database to move: %w", err)
		}
	}
	target, _, err := openStore(ctx, to)
	if err != nil {
		return moved, fmt.Errorf("open the new database: %w", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	return moveStore(ctx, source, target)
}

// moveStore moves what is in one store into another, which is marked while it lacks a part.
func moveStore(ctx context.Context, source, target store.Store) (moved sandbox.Moved, err error) {
	for _, db := range []store.Store{source, target} {
		if err := refuseHalf(ctx, db); err != nil {
			return moved, err
		}
	}
	if n, err := target.Count(ctx); err != nil {
		return moved, fmt.Errorf("count sandboxes: %w", err)
	} else if n > 0 {
		return moved, errNotEmpty
	}
	mark := store.Record{
		Kind: kindServer, Key: keyMoving, EndsAt: time.Now().Add(canaryLasts).UTC().Truncate(time.Microsecond),
	}
	if err := target.Write(ctx, []store.Write{{Record: mark}}); err != nil {
		return moved, fmt.Errorf("mark the new database: %w", err)
	}
	if moved, err = sandbox.MoveStore(ctx, source, target); err != nil {
		return moved, err //nolint:wrapcheck // it says what it did
	}
	if err := target.Write(ctx, []store.Write{{Record: mark, Rule: store.Take}}); err != nil {
		return moved, fmt.Errorf("mark the new database as whole: %w", err)
	}
	return moved, nil
}

// refuseHalf refuses a database that holds a part of another one.
func refuseHalf(ctx context.Context, db store.Store) error {
	switch _, err := db.Find(ctx, kindServer, keyMoving); {
	case err == nil:
		return errHalfMoved
	case !errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("look for the mark of a move: %w", err)
	}
	return nil
}
