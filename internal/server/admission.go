package server

import (
	"context"
	"fmt"

	"platen/internal/admission"
	"platen/internal/company/preset"
	"platen/internal/sandbox"
)

// Waiting is how many clients wait for events.
func (s *Server) Waiting() int { return s.house.Watchers() }

// settle opens the desk that hands out places and the house that they are in.
func (s *Server) settle(ctx context.Context, presets map[string]preset.Preset) error {
	c := s.config
	key, err := s.secret(ctx)
	if err != nil {
		return err
	}
	if err := s.noteEngine(ctx); err != nil {
		return err
	}
	s.desk, err = admission.Open(ctx, admission.Options{
		Store: s.store, Log: s.log, Now: s.now, Capacity: c.MaxSandboxes, Queue: c.QueueLength, Active: c.IPActive, Hourly: c.IPCreations,
		ClaimWindow: c.ClaimWindow, Turnover: c.SandboxDuration + c.Grace, Difficulty: c.PowDifficulty, Secret: key,
	})
	if err != nil {
		return fmt.Errorf("open the queue: %w", err)
	}
	hooks, err := s.webhooks(key)
	if err != nil {
		return err
	}
	s.house = sandbox.NewHouse(sandbox.Options{
		Store: s.store, Presets: presets, Lease: c.SandboxDuration, Extension: c.Extension, ExtensionWindow: c.ExtensionWindow, Grace: c.Grace, TickPause: c.TickPause,
		Log: s.log, Now: s.now, Told: sandbox.Told{Settled: s.desk.Settled, Gone: s.desk.Gone, Doubt: s.desk.Doubt}, Webhooks: hooks,
	})
	return nil
}
