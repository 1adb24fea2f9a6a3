package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"platen/internal/store/sqlite"
)

const (
	loadCompanies = 16
	loadDays      = 15
	// loadsEach is how often each company is loaded in a round.
	loadsEach = 30
)

// loadTimes are in seconds, by round.
type loadTimes struct {
	// Evicted are companies with a snapshot of their last state, Killed those
	// of a process that died and left commits to replay.
	Evicted      []float64 `json:"evicted"`
	EvictedUsual []float64 `json:"evicted_usual"`
	Killed       []float64 `json:"killed"`
	Bytes        float64   `json:"bytes"`
	Orders       int       `json:"orders"`
	Commits      uint64    `json:"commits"`
}

func measureLoads(ctx context.Context, b *bench) ([]figure, error) {
	var times loadTimes
	if err := b.once(ctx, &times, "loads", filepath.Join(b.dir, "loads.db")); err != nil {
		return nil, err
	}
	return []figure{{
		name: fmt.Sprintf("load of an evicted company, day %d, p99", loadDays), samples: times.Evicted, unit: millis,
		least: 1e-3, aim: 0.5e-3, smaller: true,
		note: fmt.Sprintf("median %s; after a kill, without its last snapshot, p99 %s; %d orders, %d commits; %s in "+
			"memory when loaded", millis(median(times.EvictedUsual)), millis(median(times.Killed)), times.Orders,
			times.Commits, kilobytes(times.Bytes)),
	}}, nil
}

// runLoads plays companies and loads them again and again, each time into a
// registry that knows nothing.
func runLoads(ctx context.Context, p *parent, args []string) error {
	db, err := sqlite.Open(ctx, args[0])
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	estate, tenants, err := playMany(ctx, db)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	times := loadTimes{}
	if err := loadRounds(ctx, db, tenants, func(seconds []float64) {
		times.Killed = append(times.Killed, percentile(seconds, 99))
	}); err != nil {
		return errors.Join(err, db.Close())
	}
	estate.registry.Close(ctx)
	if err := db.Close(); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	if db, err = sqlite.Open(ctx, args[0]); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	err = loadRounds(ctx, db, tenants, func(seconds []float64) {
		times.Evicted = append(times.Evicted, percentile(seconds, 99))
		times.EvictedUsual = append(times.EvictedUsual, median(seconds))
	})
	if err == nil {
		err = times.weigh(ctx, db, tenants)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return p.say(times)
}

// playMany plays companies at the same time, so that they share flushes.
func playMany(ctx context.Context, db *sqlite.Store) (*estate, []*tenant, error) {
	estate, err := newEstate(db)
	if err != nil {
		return nil, nil, err
	}
	tenants, errs := make([]*tenant, loadCompanies), make([]error, loadCompanies)
	var playing sync.WaitGroup
	for i := range tenants {
		if tenants[i], err = estate.settle(ctx, int64(i+1)); err != nil {
			return nil, nil, err
		}
	}
	for i, t := range tenants {
		playing.Go(func() { errs[i] = t.play(ctx, loadDays) })
	}
	playing.Wait()
	return estate, tenants, errors.Join(errs...)
}

// loadRounds gives the times of each round, in seconds.
func loadRounds(ctx context.Context, db *sqlite.Store, tenants []*tenant, take func([]float64)) error {
	for range rounds {
		seconds := make([]float64, 0, loadsEach*len(tenants))
		for range loadsEach {
			fresh, err := newEstate(db)
			if err != nil {
				return err
			}
			for _, t := range tenants {
				sandbox := fresh.registry.Sandbox(t.SandboxID)
				began := time.Now()
				if _, err := sandbox.View(ctx); err != nil {
					return fmt.Errorf("load: %w", err)
				}
				seconds = append(seconds, time.Since(began).Seconds())
			}
		}
		take(seconds)
	}
	return nil
}

// weigh notes how much memory loaded companies take, and how large they are.
func (l *loadTimes) weigh(ctx context.Context, db *sqlite.Store, tenants []*tenant) error {
	fresh, err := newEstate(db)
	if err != nil {
		return err
	}
	before := heapBytes()
	for _, t := range tenants {
		view, err := fresh.registry.Sandbox(t.SandboxID).View(ctx)
		if err != nil {
			return fmt.Errorf("load: %w", err)
		}
		l.Orders, l.Commits = len(view.Table("sales_order").Entries), view.Version
	}
	l.Bytes = (heapBytes() - before) / float64(len(tenants))
	fresh.registry.Close(ctx)
	return nil
}

// percentile returns the value that p per cent of the values do not exceed.
func percentile(values []float64, p int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*p+99)/100-1]
}
