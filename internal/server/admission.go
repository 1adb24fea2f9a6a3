package server

import (
	"context"
	"fmt"
	"net/netip"

	"platen/internal/admission"
	"platen/internal/company/preset"
	"platen/internal/sandbox"
)

// Waiting is the number of clients that wait for events.
func (s *Server) Waiting() int { return s.registry.Watchers() }

// Memory is what the server's companies take up.
func (s *Server) Memory() sandbox.MemoryUse { return s.registry.Memory() }

// blockOf is the block of a network group as the store has it, "" for none.
func (s *Server) blockOf(group string) string {
	prefix, err := netip.ParsePrefix(group)
	if err != nil {
		return ""
	}
	if block := s.network.Block(prefix); block.IsValid() {
		return block.String()
	}
	return ""
}

// openRegistry opens the controller that hands out places and the registry that they are in.
func (s *Server) openRegistry(ctx context.Context, presets map[string]preset.Preset) error {
	c := s.config
	key, err := s.secret(ctx)
	if err != nil {
		return err
	}
	if err := s.noteEngine(ctx); err != nil {
		return err
	}
	s.admission, err = admission.Open(ctx, admission.Options{
		Store: s.store, Log: s.log, Now: s.now, Capacity: c.MaxSandboxes, Queue: c.QueueLength, Active: c.IPActive,
		Hourly: c.IPCreations, ClaimWindow: c.ClaimWindow, Turnover: c.SandboxDuration + c.Grace,
		Difficulty: c.PowDifficulty, Secret: key, BlockFactor: c.BlockFactor, BlockOf: s.blockOf,
	})
	if err != nil {
		return fmt.Errorf("open the queue: %w", err)
	}
	hooks, err := s.webhooks(key)
	if err != nil {
		return err
	}
	limit, err := MemoryLimit(c)
	if err != nil {
		return err
	}
	s.registry = sandbox.NewRegistry(sandbox.Options{
		Memory: limit / companyPart, Store: s.store, Presets: presets, Lease: c.SandboxDuration,
		Extension: c.Extension, ExtensionWindow: c.ExtensionWindow, Grace: c.Grace, TickPause: c.TickPause,
		Log: s.log, Now: s.now, Hooks: sandbox.Hooks{Saved: s.admission.Saved, Deleted: s.admission.Deleted,
			Uncertain: s.admission.Uncertain}, Webhooks: hooks,
	})
	return nil
}
