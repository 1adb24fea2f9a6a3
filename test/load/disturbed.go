package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
)

// pair is two companies that lived alike: in one nothing can go wrong on purpose, in the other
// each station is asked, and nothing does.
type pair struct {
	Without, With prepared
}

// preparePair leaves both in one database.
func preparePair(ctx context.Context, p *parent, args []string) error {
	db, err := sqlite.Open(ctx, args[0])
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	both, err := playPair(ctx, db)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return p.say(both)
}

func playPair(ctx context.Context, db *sqlite.Store) (both pair, err error) {
	estate, err := newEstate(db)
	if err != nil {
		return both, err
	}
	never := &fault.Faults{Rules: []fault.FaultRule{
		{Kind: fault.ResponseLost}, {Kind: fault.RequestLost}, {Kind: fault.Storm}, {Kind: fault.Outage},
		{Kind: fault.SlowResponse}, {Kind: fault.Growth}, {Kind: fault.ShortPage}, {Kind: fault.StaleRead},
	}}
	for _, c := range []struct {
		faults *fault.Faults
		to     *prepared
	}{{nil, &both.Without}, {never, &both.With}} {
		created, err := estate.registry.Create(ctx, sandbox.Creation{
			Preset: "starter", Seed: new(int64(1)), Clock: new(sim.Manual), Faults: c.faults,
		})
		if err != nil {
			return both, fmt.Errorf("create sandbox: %w", err)
		}
		t := &tenant{
			Created: created, estate: estate, sandbox: estate.registry.Sandbox(created.SandboxID),
			short: map[string]bool{},
		}
		if err := t.play(ctx, readDays); err != nil {
			return both, err
		}
		*c.to = prepared{Key: created.OfficeKey}
	}
	estate.registry.Close(ctx)
	return both, nil
}

// measureFaults has the two companies of one server read in turns.
func measureFaults(ctx context.Context, b *bench) (figures []figure, err error) {
	database := filepath.Join(b.dir, "faults.db")
	var both pair
	if err := b.once(ctx, &both, "prepare-pair", database); err != nil {
		return nil, err
	}
	var at address
	server, err := b.spawn(ctx, &at, "platen", database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.close()) }()
	d := duel{ours: server, bare: server}
	for i, key := range []string{both.Without.Key, both.With.Key} {
		request := fmt.Appendf(nil, "GET /v1/office/sales-orders?limit=50 HTTP/1.1\r\nHost: %s\r\n"+
			"Accept: application/json\r\nAuthorization: Bearer %s\r\n\r\n", at.Address, key)
		d.hammers[i] = &hammer{
			address: at.Address, connections: readConnections, status: http.StatusOK, request: always(request),
		}
	}
	result, err := d.fight(ctx)
	if err != nil {
		return nil, err
	}
	return []figure{{
		name: "GET of 50 rows without faults, CPU, to one where each could be", samples: result.cpus, unit: ratio,
		least: 1, aim: 0.97, smaller: true,
		note: fmt.Sprintf("%.0f/s beside %.0f/s; eight rules with a share of 0",
			median(result.ours), median(result.theirs)),
	}}, nil
}
