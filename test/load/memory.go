package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

const (
	memoryCompanies = 8
	memoryDaysFew   = 6
	memoryDaysMany  = 30
)

// memoryUse is heap bytes per company, by round.
type memoryUse struct {
	Few  []float64 `json:"few"`
	Many []float64 `json:"many"`
}

func measureMemory(ctx context.Context, b *bench) ([]figure, error) {
	var use memoryUse
	if err := b.once(ctx, &use, "memory"); err != nil {
		return nil, err
	}
	note := fmt.Sprintf("heap of %d companies played in this process, with their views", rounds*memoryCompanies)
	return []figure{
		{name: fmt.Sprintf("memory of a hot company, day %d", memoryDaysFew), samples: use.Few, unit: kilobytes,
			least: 250e3, aim: 150e3, smaller: true, note: note},
		{name: fmt.Sprintf("memory of a hot company, day %d", memoryDaysMany), samples: use.Many, unit: kilobytes,
			least: 600e3, aim: 400e3, smaller: true, note: note},
	}, nil
}

// runMemory plays companies over a store that keeps nothing, so that the heap
// holds nothing but them.
func runMemory(ctx context.Context, p *parent, _ []string) error {
	use := memoryUse{}
	seed := int64(0)
	for range rounds {
		estate, err := newEstate(newForgetful())
		if err != nil {
			return err
		}
		before := heapBytes()
		tenants := make([]*tenant, memoryCompanies)
		for i := range tenants {
			seed++
			if tenants[i], err = estate.settle(ctx, seed); err != nil {
				return err
			}
		}
		played := 0
		for _, step := range []struct {
			days int
			into *[]float64
		}{{memoryDaysFew, &use.Few}, {memoryDaysMany, &use.Many}} {
			for _, t := range tenants {
				if err := t.play(ctx, step.days-played); err != nil {
					return err
				}
			}
			played = step.days
			*step.into = append(*step.into, (heapBytes()-before)/memoryCompanies)
		}
		runtime.KeepAlive(tenants)
		runtime.KeepAlive(estate)
	}
	return p.say(use)
}

// heapBytes is what is in use after everything unused has been collected.
func heapBytes() float64 {
	debug.FreeOSMemory() // collects, too
	var m runtime.MemStats
	runtime.GC() // pools need a second one
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
