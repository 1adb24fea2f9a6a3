package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"platen/internal/company/factory"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/store"
)

const (
	estateLease = 48 * time.Hour
	// looksPerDay is how often a player looks at its company, once an hour.
	looksPerDay   = 8
	minutesALook  = int(sim.DayLength) / looksPerDay
	estateHeadway = 2 * time.Hour
)

// estate is a registry with a clock of its own, which only the players move, so
// that many days can be played in a second.
type estate struct {
	registry *sandbox.Registry
	// wall is the time in Unix nanoseconds. It begins a while ago, so that
	// what is played does not lie in the future of a server that opens the
	// same database.
	wall atomic.Int64
}

func newEstate(s store.Store) (*estate, error) {
	presets, err := preset.Builtin()
	if err != nil {
		return nil, fmt.Errorf("read presets: %w", err)
	}
	e := &estate{}
	e.wall.Store(time.Now().Add(-estateHeadway).UnixNano())
	e.registry = sandbox.NewRegistry(sandbox.Options{
		Store: s, Presets: presets, Lease: estateLease, Grace: time.Minute,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Unix(0, e.wall.Load()).UTC() },
	})
	return e, nil
}

// tenant is a company and its player, which accepts every order, prints first
// in, first out on any free press, and ships what is ready.
type tenant struct {
	sandbox.Created
	estate  *estate
	sandbox *sandbox.Sandbox
	keys    int
	// short are work orders whose material was short today.
	short map[string]bool
}

func (e *estate) settle(ctx context.Context, seed int64) (*tenant, error) {
	created, err := e.registry.Create(ctx, sandbox.Creation{Preset: "starter", Seed: &seed, Clock: new(sim.Manual)})
	if err != nil {
		return nil, fmt.Errorf("create sandbox: %w", err)
	}
	return &tenant{
		Created: created, estate: e, sandbox: e.registry.Sandbox(created.SandboxID), short: map[string]bool{},
	}, nil
}

// play lives some days.
func (t *tenant) play(ctx context.Context, days int) error {
	for range days {
		clear(t.short)
		for range looksPerDay {
			if err := t.look(ctx); err != nil {
				return err
			}
			t.estate.wall.Add(int64(time.Second)) // ticks are a second apart
			if err := t.do(ctx, "", "", func(tx *sandbox.Tx) error { return tx.Tick(minutesALook) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// look does all that can be done at the moment.
func (t *tenant) look(ctx context.Context) error {
	view, err := t.sandbox.View(ctx)
	if err != nil {
		return fmt.Errorf("look: %w", err)
	}
	for _, e := range view.Table("sales_order").Entries {
		if e.Filters[0] != "received" {
			continue
		}
		if err := t.do(ctx, "sales_order", e.ID,
			func(tx *sandbox.Tx) error { return tx.Company.AcceptSalesOrder(e.ID) }); err != nil {
			return err
		}
	}
	if view, err = t.sandbox.View(ctx); err != nil {
		return fmt.Errorf("look: %w", err)
	}
	free := []string{"prs_offset", "prs_digital"}
	for _, e := range view.Table("work_order").Entries {
		switch status := factory.WorkOrderStatus(e.Filters[0]); {
		case status == factory.WorkReady:
			err = t.do(ctx, "work_order", e.ID, func(tx *sandbox.Tx) error {
				_, err := tx.Company.ShipFromFactory(factory.ShipmentInput{WorkOrderID: e.ID})
				return err
			})
		case status != factory.WorkShipped && status != factory.WorkStocked && len(free) > 0 && !t.short[e.ID]:
			free, err = t.print(ctx, e.ID, free)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// print starts the first press that takes a work order and returns the presses
// that are still free.
func (t *tenant) print(ctx context.Context, id string, free []string) ([]string, error) {
	for len(free) > 0 {
		err := t.do(ctx, "work_order", id, func(tx *sandbox.Tx) error {
			_, err := tx.Company.StartPrintRun(factory.PrintRunInput{
				PressID: free[0], WorkOrderIDs: []string{id}, OversPct: factory.DefaultOversPct,
			})
			return err
		})
		refusal, refused := errors.AsType[*problem.Problem](err)
		switch {
		case !refused:
			return free[1:], err
		case refusal.Code == problem.PressBusy || refusal.Code == problem.NoOperator:
			free = free[1:]
		default:
			t.short[id] = refusal.Code == problem.InsufficientStock
			return free, nil
		}
	}
	return free, nil
}

// do runs a command with a fresh key. Its answer is a row, if it names one.
func (t *tenant) do(ctx context.Context, resource, id string, run func(*sandbox.Tx) error) error {
	t.keys++
	_, err := t.sandbox.Do(ctx, sandbox.Command{
		Scope: string(apikey.Factory), Key: fmt.Sprintf("key-%08d", t.keys), Status: http.StatusOK,
		Run: func(tx *sandbox.Tx) (sandbox.Result, error) {
			result := sandbox.Result{Resource: resource, ID: id}
			if id == "" {
				result.Value = func(*sandbox.View) any { return nil }
			}
			return result, run(tx)
		},
	})
	return err //nolint:wrapcheck // refusals are looked at
}
