package server

import (
	"context"
	"fmt"
	"net/netip"

	"platen/internal/company/preset"
	"platen/internal/edge/admission"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/store"
)

// Memory returns the memory use of the server's companies.
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
func (s *Server) openRegistry(ctx context.Context, nodes store.Nodes, presets map[string]preset.Preset) error {
	c := s.config
	key, err := s.secret(ctx)
	if err != nil {
		return err
	}
	if err := refuseHalf(ctx, s.store); err != nil {
		return err
	}
	if err := s.noteEngine(ctx); err != nil {
		return err
	}
	if nodes == nil { // else time is the storage's
		if err := s.clock.resume(ctx, s.store); err != nil {
			return err
		}
	}
	if err := s.openNode(nodes, key, presets); err != nil {
		return err
	}
	s.admissionOptions = admission.Options{
		Store: s.store, Log: s.log, Now: s.now, Capacity: c.MaxSandboxes, Queue: c.QueueLength, Active: c.IPActive,
		Hourly: c.IPCreations, ClaimWindow: c.ClaimWindow, Turnover: c.SandboxDuration + c.Grace,
		Steady:     s.clock.Steady,
		Difficulty: c.PowDifficulty, Secret: key, BlockFactor: c.BlockFactor, BlockOf: s.blockOf,
	}
	if s.cluster == nil { // else the node with the role opens it
		if s.admitting.controller, err = admission.Open(ctx, s.admissionOptions); err != nil {
			return fmt.Errorf("open the queue: %w", err)
		}
	}
	hooks, err := s.webhooks(key)
	if err != nil {
		return err
	}
	limit, err := MemoryLimit(c)
	if err != nil {
		return err
	}
	var testSecret []byte
	if c.CreationKey != "" && c.EvaluationSecret != "" { // a player that can create a world can look ahead in it
		testSecret = []byte(c.EvaluationSecret)
	}
	s.registry = sandbox.NewRegistry(sandbox.Options{
		Memory: limit / 100 * companyPercent, Store: s.store, Presets: presets, Lease: c.SandboxDuration,
		Extension: c.Extension, ExtensionWindow: c.ExtensionWindow, Grace: c.Grace, TickPause: c.TickPause,
		IdlePause: c.IdlePause,
		Log:       s.log, Now: s.now, Hooks: s.hooks(), Webhooks: hooks, Ownership: s.ownership(),
		Steady:  s.clock.Steady,
		Reviews: apikey.NewReviews(key), TestSecret: testSecret, Engine: s.engine(),
	})
	return nil
}
