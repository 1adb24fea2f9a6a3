package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/company/subscription"
	"platen/internal/event"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
)

// scheduledSandboxes are in one registry, which has room for one company.
const scheduledSandboxes = 1000

// scheduledUse is heap bytes per sandbox.
type scheduledUse struct {
	Bytes     float64 `json:"bytes"`
	Companies int     `json:"companies"`
}

// measureScheduled weighs sandboxes that nobody uses, while their clocks run and
// their webhooks are to be served: what is left of one that is not in memory.
func measureScheduled(ctx context.Context, b *bench) ([]figure, error) {
	var samples []float64
	var use scheduledUse
	for i := range rounds {
		if err := b.once(ctx, &use, "scheduled", filepath.Join(b.dir, fmt.Sprintf("scheduled-%d.db", i))); err != nil {
			return nil, err
		}
		samples = append(samples, use.Bytes)
	}
	return []figure{{
		name: "memory of a scheduled sandbox that nobody uses", samples: samples, unit: kilobytes,
		least: 20e3, aim: 5e3,
		smaller: true,
		note: fmt.Sprintf("heap, %d with a running clock and an active webhook; %d of their companies in memory",
			scheduledSandboxes, use.Companies),
	}}, nil
}

// runScheduled creates the sandboxes in a registry whose memory holds one company.
func runScheduled(ctx context.Context, p *parent, args []string) error {
	presets, err := preset.Builtin()
	if err != nil {
		return fmt.Errorf("read presets: %w", err)
	}
	db, err := sqlite.Open(ctx, args[0])
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	registry := sandbox.NewRegistry(sandbox.Options{
		Store: db, Presets: presets, Lease: estateLease, Grace: time.Minute, Log: slog.New(slog.DiscardHandler),
		Now: time.Now, Memory: 1,
	})
	before := 0.0
	for i := range scheduledSandboxes + 1 {
		if i == 1 {
			before = heapBytes() // the first one fills what all share
		}
		if err := schedule(ctx, registry); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	use := scheduledUse{
		Bytes: (heapBytes() - before) / scheduledSandboxes, Companies: registry.Memory().Companies,
	}
	runtime.KeepAlive(registry)
	return errors.Join(p.say(use), db.Close())
}

// schedule creates a sandbox with a running clock and an active webhook.
func schedule(ctx context.Context, registry *sandbox.Registry) error {
	created, err := registry.Create(ctx, sandbox.Creation{Preset: "starter", Clock: new(sim.Realtime)})
	if err != nil {
		return fmt.Errorf("create sandbox: %w", err)
	}
	_, err = registry.Sandbox(created.SandboxID).Do(ctx, sandbox.Command{
		Run: func(tx *sandbox.Tx) (sandbox.Result, error) {
			nothing := sandbox.Result{Value: func(*sandbox.View) any { return nil }}
			types := []event.Type{event.SalesOrderReceived}
			if _, err := tx.Company.CanSubscribe(types); err != nil {
				return nothing, err
			}
			tx.Company.Subscribe(subscription.Order{
				Host: "hooks.example.com", Address: []byte("sealed"), Secret: []byte("sealed"), Events: types,
			}, tx.Now)
			return nothing, nil
		},
	})
	if err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	return nil
}
