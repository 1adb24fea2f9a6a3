package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"platen/internal/store"
	"platen/internal/store/sqlite"
)

const (
	commitBytes  = 1024
	commitLength = 500 * time.Millisecond
	// maxGroup is how many commits one flush may carry, on both sides.
	maxGroup = 256
)

// commitRates are commits in a second, by round.
type commitRates struct {
	Committers int       `json:"committers"`
	Ours       []float64 `json:"ours"`
	// Raw is a log of a settled length, Growing one that grows.
	Raw     []float64 `json:"raw"`
	Growing []float64 `json:"growing"`
}

func measureCommits(ctx context.Context, b *bench) ([]figure, error) {
	var rates []commitRates
	if err := b.once(ctx, &rates, "commits", b.dir); err != nil {
		return nil, err
	}
	least := map[int]float64{1: 0.8, 16: 0.35, 256: 0.1}
	aim := map[int]float64{1: 0.9, 16: 0.5, 256: 0.3}
	var figures []figure
	for _, r := range rates {
		figures = append(figures, figure{
			name:    fmt.Sprintf("durable commits, %d at once, to raw log", r.Committers),
			samples: quotients(r.Ours, r.Raw), unit: ratio, least: least[r.Committers], aim: aim[r.Committers],
			note: fmt.Sprintf("%d B, %.0f/s beside %.0f/s; to a log whose file grows %s",
				commitBytes, median(r.Ours), median(r.Raw), ratio(median(quotients(r.Ours, r.Growing)))),
		})
	}
	return figures, nil
}

// runCommits lets the store and a raw log commit in turns.
func runCommits(ctx context.Context, p *parent, args []string) error {
	var all []commitRates
	for _, committers := range []int{1, 16, 256} {
		rates, err := commitBout(ctx, filepath.Join(args[0], fmt.Sprint("commits-", committers)), committers)
		if err != nil {
			return err
		}
		all = append(all, rates)
	}
	return p.say(all)
}

func commitBout(ctx context.Context, path string, committers int) (rates commitRates, err error) {
	db, err := sqlite.Open(ctx, path+".db")
	if err != nil {
		return rates, fmt.Errorf("open database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	versions := make([]uint64, committers)
	body := make([]byte, commitBytes)
	commit := func(i int) error {
		versions[i]++
		c := store.Commit{SandboxID: fmt.Sprint("s", i), Version: versions[i], Body: body}
		if c.Version == 1 {
			c.Header = &store.Sandbox{ID: c.SandboxID}
		}
		return db.Commit(ctx, c) //nolint:wrapcheck // ends the child
	}
	for i := range committers {
		if err := commit(i); err != nil {
			return rates, fmt.Errorf("create sandbox: %w", err)
		}
	}
	rates.Committers = committers
	for range rounds {
		ours, err := commitRate(committers, commit)
		if err != nil {
			return rates, err
		}
		raw, err := rawRate(path+".settled", committers, true)
		if err != nil {
			return rates, err
		}
		growing, err := rawRate(path+".growing", committers, false)
		if err != nil {
			return rates, err
		}
		rates.Ours, rates.Raw, rates.Growing = append(rates.Ours, ours), append(rates.Raw, raw),
			append(rates.Growing, growing)
	}
	return rates, nil
}

// rawRate is commitRate of a new raw log.
func rawRate(path string, committers int, settled bool) (rate float64, err error) {
	raw, err := openRawLog(path, settled)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, raw.close(), os.Remove(path)) }()
	body := make([]byte, commitBytes)
	return commitRate(committers, func(int) error { return raw.append(body) })
}

// commitRate lets committers commit for a while and returns how many commits
// there were in a second.
func commitRate(committers int, commit func(committer int) error) (float64, error) {
	counts, errs := make([]int, committers), make([]error, committers)
	var running sync.WaitGroup
	began := time.Now()
	end := began.Add(commitLength)
	for i := range committers {
		running.Go(func() {
			for errs[i] == nil && time.Now().Before(end) {
				errs[i] = commit(i)
				counts[i]++
			}
		})
	}
	running.Wait()
	elapsed, total := time.Since(began), 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / elapsed.Seconds(), errors.Join(errs...)
}
