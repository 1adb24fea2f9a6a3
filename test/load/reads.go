package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"platen/internal/store/sqlite"
)

const (
	readDays        = 30
	readConnections = 16
	readLength      = time.Second
	readWarmUp      = 300 * time.Millisecond
)

// prepared is a company to read from.
type prepared struct {
	Key    string `json:"key"`
	Orders int    `json:"orders"`
	// Order is one in the middle of the list.
	Order string `json:"order"`
}

// prepare plays a company for a month and leaves its database.
func prepare(ctx context.Context, p *parent, args []string) error {
	db, err := sqlite.Open(ctx, args[0])
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	company, err := playOne(ctx, db)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return p.say(company)
}

func playOne(ctx context.Context, db *sqlite.Store) (prepared, error) {
	estate, err := newEstate(db)
	if err != nil {
		return prepared{}, err
	}
	tenant, err := estate.settle(ctx, 1)
	if err != nil {
		return prepared{}, err
	}
	if err := tenant.play(ctx, readDays); err != nil {
		return prepared{}, err
	}
	view, err := tenant.sandbox.View(ctx)
	if err != nil {
		return prepared{}, fmt.Errorf("read company: %w", err)
	}
	estate.registry.Close(ctx)
	orders := view.Table("sales_order").Entries
	return prepared{Key: tenant.OfficeKey, Orders: len(orders), Order: orders[len(orders)/2].ID}, nil
}

// duel is our server and a bare one that gives the same answer.
type duel struct {
	ours, bare *child
	hammers    [2]*hammer
}

// bout is what the rounds of a duel came to: ours divided by the bare one's.
type bout struct {
	rates, cpus  []float64
	ours, theirs []float64
	// cpuNanos is what the bare one takes of the processor for a request.
	cpuNanos []float64
}

func measureReads(ctx context.Context, b *bench) (figures []figure, err error) {
	database := filepath.Join(b.dir, "reads.db")
	var company prepared
	if err := b.once(ctx, &company, "prepare", database); err != nil {
		return nil, err
	}
	if company.Orders <= 50 {
		return nil, fmt.Errorf("the company has only %d orders", company.Orders)
	}
	var at address
	ours, err := b.spawn(ctx, &at, "platen", database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ours.close()) }()

	list, body, err := b.duel(ctx, ours, at.Address, company.Key, "/v1/office/sales-orders?limit=50")
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("%d B, %d connections, %.0f/s beside %.0f/s",
		body, readConnections, median(list.ours), median(list.theirs))
	figures = []figure{
		{name: "GET of 50 rows, requests, to bare net/http", samples: list.rates, unit: ratio, least: 0.80,
			aim: 0.90, note: note},
		{name: "GET of 50 rows, CPU per request, to bare",
			samples: list.cpus, unit: ratio, least: 1.4, aim: 1.2, smaller: true,
			note: fmt.Sprintf("user and system time of the server's process; bare %.1f µs", median(list.cpuNanos)/1e3)},
	}
	row, body, err := b.duel(ctx, ours, at.Address, company.Key, "/v1/office/sales-orders/"+company.Order)
	if err != nil {
		return figures, err
	}
	note = fmt.Sprintf("%d B, CPU %s, %.0f/s beside %.0f/s",
		body, ratio(median(row.cpus)), median(row.ours), median(row.theirs))
	return append(figures, figure{name: "GET of one row, requests, to bare net/http", samples: row.rates, unit: ratio,
		least: 0.75, aim: 0.85, note: note}), nil
}

// duel records one answer of ours, has a bare server give the same, and lets
// both run in turns.
func (b *bench) duel(ctx context.Context, ours *child, at, key, path string) (result bout, body int, err error) {
	answer, err := record(ctx, "http://"+at+path, key)
	if err != nil {
		return bout{}, 0, err
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		return bout{}, 0, fmt.Errorf("keep the answer: %w", err)
	}
	file := filepath.Join(b.dir, "answer.json")
	if err := os.WriteFile(file, encoded, 0o600); err != nil {
		return bout{}, 0, fmt.Errorf("keep the answer: %w", err)
	}
	var bareAt address
	bare, err := b.spawn(ctx, &bareAt, "bare", file)
	if err != nil {
		return bout{}, 0, err
	}
	defer func() { err = errors.Join(err, bare.close()) }()
	d := duel{ours: ours, bare: bare}
	for i, address := range []string{at, bareAt.Address} {
		request := fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: platen-load\r\n"+
			"Accept: application/json\r\nAuthorization: Bearer %s\r\n\r\n", path, address, key)
		d.hammers[i] = &hammer{
			address: address, connections: readConnections, status: http.StatusOK, request: always(request),
		}
	}
	result, err = d.fight(ctx)
	return result, len(answer.Body), err
}

func (d *duel) fight(ctx context.Context) (bout, error) {
	for _, h := range d.hammers {
		if _, err := h.run(ctx, readWarmUp); err != nil {
			return bout{}, err
		}
	}
	var rates, cpus [2][]float64
	for range rounds {
		for i, server := range []*child{d.ours, d.bare} {
			var before, after usage
			if err := server.ask(&before, "cpu"); err != nil {
				return bout{}, err
			}
			t, err := d.hammers[i].run(ctx, readLength)
			if err != nil {
				return bout{}, err
			}
			if err := server.ask(&after, "cpu"); err != nil {
				return bout{}, err
			}
			rates[i] = append(rates[i], t.rate())
			cpus[i] = append(cpus[i], float64(after.Nanos-before.Nanos)/float64(t.requests))
		}
	}
	return bout{rates: quotients(rates[0], rates[1]), cpus: quotients(cpus[0], cpus[1]), ours: rates[0],
		theirs: rates[1], cpuNanos: cpus[1]}, nil
}

// record asks once and keeps the answer.
func record(ctx context.Context, url, key string) (recorded, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return recorded{}, fmt.Errorf("record an answer: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	client := http.Client{
		Timeout: answerTime, Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true},
	}
	response, err := client.Do(r)
	if err != nil {
		return recorded{}, fmt.Errorf("record an answer: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return recorded{}, fmt.Errorf("record an answer: %s %s: %w", response.Status, body, err)
	}
	response.Header.Del("Connection")
	response.Header.Set("Content-Length", fmt.Sprint(len(body)))
	return recorded{Header: response.Header, Body: body}, nil
}
