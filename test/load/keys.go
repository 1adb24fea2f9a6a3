package main

import (
	"context"
	"fmt"
	"time"
)

const (
	keySandboxes = 500
	keyLookups   = 200_000
)

func measureKeys(ctx context.Context, b *bench) ([]figure, error) {
	var seconds []float64
	if err := b.once(ctx, &seconds, "keys"); err != nil {
		return nil, err
	}
	return []figure{{
		name: "key look-up and limiter", samples: seconds, unit: nanos, least: 200e-9, aim: 200e-9, smaller: true,
		note: fmt.Sprintf("Registry.Authenticate alone, %d keys known before; the limiter is not in it",
			2*keySandboxes),
	}}, nil
}

// runKeys looks keys up that the registry has met before, in turns.
func runKeys(ctx context.Context, p *parent, _ []string) error {
	estate, err := newEstate(newForgetful())
	if err != nil {
		return err
	}
	var keys []string
	for seed := range int64(keySandboxes) {
		t, err := estate.settle(ctx, seed)
		if err != nil {
			return err
		}
		keys = append(keys, t.OfficeKey, t.FactoryKey)
	}
	var seconds []float64
	for range rounds + 1 {
		began := time.Now()
		for i := range keyLookups {
			if _, err := estate.registry.Authenticate(ctx, keys[i%len(keys)]); err != nil {
				return fmt.Errorf("look a key up: %w", err)
			}
		}
		seconds = append(seconds, time.Since(began).Seconds()/keyLookups)
	}
	return p.say(seconds[1:]) // the first met the keys
}
