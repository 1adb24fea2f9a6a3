package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"platen/internal/company"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
)

const (
	forkDays = 30
	// forksARound is how many forks of one checkpoint a round makes, forksInAll how many
	// there are when memory is read.
	forksARound = 200
	forksInAll  = 1000
)

// forkTimes are in seconds, by round, but for those of forks of which nothing was in
// memory.
type forkTimes struct {
	Usual []float64 `json:"usual"`
	Worst []float64 `json:"worst"`
	// Cold are forks by a server that has just begun: of a checkpoint that is older than
	// the newest snapshot, so that all commits up to it are replayed, and of the newest.
	ColdEarly []float64 `json:"cold_early"`
	ColdLate  []float64 `json:"cold_late"`
	// Heap and Disk are bytes for each fork.
	Heap    []float64 `json:"heap"`
	Disk    float64   `json:"disk"`
	Commits uint64    `json:"commits"`
}

func measureForks(ctx context.Context, b *bench) ([]figure, error) {
	var times forkTimes
	if err := b.once(ctx, &times, "forks", b.dir+"/forks.db"); err != nil {
		return nil, err
	}
	of := fmt.Sprintf("fork of a checkpoint, day %d", forkDays)
	return []figure{
		{
			name: of + ", median", samples: times.Usual, unit: millis, least: 5e-3, aim: 2.5e-3, smaller: true,
			note: fmt.Sprintf("%d commits are copied, %s on disk; the first one of a server that has just begun %s, "+
				"of the day before, which no snapshot has, %s", times.Commits, kilobytes(times.Disk),
				millis(median(times.ColdLate)),
				millis(median(times.ColdEarly))),
		},
		{name: of + ", p99", samples: times.Worst, unit: millis, least: 20e-3, aim: 10e-3, smaller: true},
		{
			name: fmt.Sprintf("heap for each of %d forks that nobody uses", forksInAll), samples: times.Heap,
			unit: kilobytes, least: 1e3, aim: 0.5e3, smaller: true,
		},
	}, nil
}

// runForks plays a company for some days and forks it again and again.
func runForks(ctx context.Context, p *parent, args []string) error {
	db, err := sqlite.Open(ctx, args[0])
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	times, err := forkRounds(ctx, db, args[0])
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return p.say(times)
}

func forkRounds(ctx context.Context, db *sqlite.Store, path string) (times forkTimes, err error) {
	e, err := newEstate(db)
	if err != nil {
		return times, err
	}
	t, err := e.settle(ctx, 1)
	if err != nil {
		return times, err
	}
	if err := errors.Join(t.play(ctx, forkDays-1), t.name(ctx, "early"), t.play(ctx, 1),
		t.name(ctx, "late")); err != nil {
		return times, err
	}
	e.registry.Close(ctx)
	for range rounds {
		for label, cold := range map[string]*[]float64{"early": &times.ColdEarly, "late": &times.ColdLate} {
			fresh, err := newEstate(db)
			if err != nil {
				return times, err
			}
			seconds, err := (&tenant{Created: t.Created, estate: fresh}).fork(ctx, label)
			if err != nil {
				return times, err
			}
			*cold = append(*cold, seconds)
		}
	}
	size, heap := fileBytes(path), heapBytes()
	made := 0
	for range rounds {
		seconds := make([]float64, forksARound)
		for i := range seconds {
			if seconds[i], err = t.fork(ctx, "late"); err != nil {
				return times, err
			}
		}
		made += forksARound
		times.Usual = append(times.Usual, median(seconds))
		times.Worst = append(times.Worst, percentile(seconds, 99))
	}
	for ; made < forksInAll; made++ {
		if _, err := t.fork(ctx, "late"); err != nil {
			return times, err
		}
	}
	times.Heap = []float64{max(0, heapBytes()-heap) / float64(made)}
	times.Disk = (fileBytes(path) - size) / float64(made)
	view, err := t.sandbox.View(ctx)
	if err != nil {
		return times, fmt.Errorf("look: %w", err)
	}
	times.Commits = view.Version
	return times, nil
}

// name makes a checkpoint.
func (t *tenant) name(ctx context.Context, label string) error {
	return t.do(ctx, company.CheckpointResource, "", func(tx *sandbox.Tx) error {
		_, err := tx.Company.AddCheckpoint(label, tx.NextVersion(), tx.Now)
		return err
	})
}

// fork makes a fork of a checkpoint and returns how long that took, in seconds.
func (t *tenant) fork(ctx context.Context, label string) (float64, error) {
	registry, began := t.estate.registry, time.Now()
	base, err := registry.Sandbox(t.SandboxID).Base(ctx, sandbox.ForkPoint{Checkpoint: &label})
	if err != nil {
		return 0, fmt.Errorf("fork: %w", err)
	}
	if _, err := registry.Fork(ctx, sandbox.Forking{Base: base}); err != nil {
		return 0, fmt.Errorf("fork: %w", err)
	}
	return time.Since(began).Seconds(), nil
}

// fileBytes is the size of a database with its log.
func fileBytes(path string) float64 {
	total := int64(0)
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			total += info.Size()
		}
	}
	return float64(total)
}
