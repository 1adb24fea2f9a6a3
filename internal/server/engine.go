package server

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"platen/internal/company"
	"platen/internal/store"
)

// keyEngine names the record of the engine that last ran on the database.
const keyEngine = "engine"

// engine is the version of the simulation.
func (s *Server) engine() int { return company.Engine + s.config.EnginesAhead }

// noteEngine tells the operator when another engine ran on the database before:
// the sandboxes that it began are refused until their time is over.
func (s *Server) noteEngine(ctx context.Context) error {
	engine := strconv.Itoa(s.engine())
	before, err := s.store.Find(ctx, kindServer, keyEngine)
	switch {
	case err == nil && string(before.Body) == engine:
		return nil
	case err == nil:
		count, err := s.store.Count(ctx)
		if err != nil {
			return fmt.Errorf("count the sandboxes of another version: %w", err)
		}
		s.log.Warn("another version ran on this database: requests to its sandboxes fail here, and they are deleted "+
			"when their time is over", "its_engine", string(before.Body), "engine", engine, "sandboxes_at_most", count)
	case !errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("look up the engine of the database: %w", err)
	}
	note := store.Record{
		Kind: kindServer, Key: keyEngine, Body: []byte(engine),
		EndsAt: s.now().Add(canaryLasts).UTC().Truncate(time.Microsecond),
	}
	if err := s.store.Write(ctx, []store.Write{{Record: note}}); err != nil {
		return fmt.Errorf("note the engine of the database: %w", err)
	}
	return nil
}
