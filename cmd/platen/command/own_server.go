package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"platen/internal/config"
	"platen/internal/server"
)

// withServer starts a server in a temporary folder, with the settings that set
// makes, and removes both after use.
func withServer(ctx context.Context, set func(*config.Config), use func(origin string) error,
	before ...func(*server.Server)) error {
	return withRunning(ctx, set, func(s *server.Server) error { return use(s.Origin()) }, before...)
}

// withRunning is withServer for who needs more than the origin.
func withRunning(ctx context.Context, set func(*config.Config), use func(*server.Server) error,
	before ...func(*server.Server)) error {
	folder, err := os.MkdirTemp("", "platen-demo-")
	if err != nil {
		return fmt.Errorf("make a temporary folder: %w", err)
	}
	c := config.Default()
	c.Listen, c.Database = "127.0.0.1:0", filepath.Join(folder, "platen.db")
	set(c)
	s, err := server.New(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	for _, prepare := range before {
		prepare(s)
	}
	if err = s.Start(ctx); err == nil {
		err = use(s)
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	return errors.Join(err, s.Stop(drain), os.RemoveAll(folder))
}
