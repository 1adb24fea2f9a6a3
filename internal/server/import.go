package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"platen/internal/config"
	"platen/internal/sandbox"
	"platen/internal/sandbox/sandboxfile"
)

// Imported is a sandbox that a file was read into.
type Imported = sandbox.Imported

// Import reads a file of a sandbox into the database of the settings. No server may run on it, unless several
// share it.
func Import(ctx context.Context, c *config.Config, file io.Reader) (in Imported, err error) {
	db, _, err := openStore(ctx, c)
	if err != nil {
		return in, fmt.Errorf("open the database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := refuseHalf(ctx, db); err != nil {
		return in, err
	}
	registry := sandbox.NewRegistry(sandbox.Options{
		Store: db, Lease: c.SandboxDuration, Grace: c.Grace, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	return registry.Import(ctx, file) //nolint:wrapcheck // it says what it imports
}

// ReadExport reads a file of a sandbox to its end, and returns its head.
func ReadExport(file io.Reader) (sandboxfile.Head, error) {
	r, err := sandboxfile.NewReader(file)
	if err != nil {
		return sandboxfile.Head{}, err //nolint:wrapcheck // it says what it reads
	}
	for err == nil {
		_, err = r.Next()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return r.Head, err //nolint:wrapcheck // as above
}
