package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"platen/client"
)

const (
	// maxBench bounds the clients of a bench.
	maxBench = 1000
	// writeEvery is the number of calls of a client to one write.
	writeEvery = 4
)

// Bench measures how many requests a server handles. Each client has a sandbox of its
// own and sends its next request after each response.
type Bench struct {
	// Clients is how many send requests at the same time, for Time.
	Clients int
	Time    time.Duration
	// JSON prints one object.
	JSON bool
	// Out gets the result, Notes the beginning.
	Out, Notes io.Writer
}

// benchResult is the output of --json, with a field for reads and one for
// writes.
type benchResult struct {
	Clients int       `json:"clients"`
	Seconds float64   `json:"seconds"`
	Reads   benchLine `json:"reads"`
	Writes  benchLine `json:"writes"`
	Failed  int       `json:"failed"`
}

// benchLine summarises calls of one kind. Latencies are in milliseconds.
type benchLine struct {
	Calls     int     `json:"calls"`
	PerSecond float64 `json:"per_second"`
	Median    float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
	P99       float64 `json:"p99_ms"`
}

// Check returns a UsageError for impossible options.
func (b *Bench) Check() error {
	if b.Clients < 1 || b.Clients > maxBench {
		return usagef("--clients must be 1 to %d, not %d", maxBench, b.Clients)
	}
	if b.Time <= 0 {
		return usagef("--time must be positive, not %s", b.Time)
	}
	return nil
}

// Run measures a server.
func (b *Bench) Run(ctx context.Context, origin string) error {
	clients := make([]*client.Client, b.Clients)
	for i := range clients {
		s, err := client.CreateSandbox(ctx, origin+client.BasePath,
			client.CreateSandboxInput{Clock: new(client.ClockModeManual)}, client.MaxRetries(0))
		if err != nil {
			return err //nolint:wrapcheck // the client names the failed operation
		}
		clients[i] = s.Client()
	}
	fmt.Fprintf(b.Notes, "%d clients send requests to %s for %s.\n", b.Clients, origin, b.Time)
	timed, cancel := context.WithTimeout(ctx, b.Time)
	defer cancel()
	tallies, callers, began := make([]tally, b.Clients), sync.WaitGroup{}, time.Now()
	for i, c := range clients {
		callers.Go(func() { tallies[i].measure(timed, c) })
	}
	callers.Wait()
	r := sum(tallies, time.Since(began))
	if b.JSON {
		return errors.Join(WriteJSON(b.Out, r), failures(tallies, r.Failed), ctx.Err())
	}
	fmt.Fprintf(b.Out, "reads   %7d  %9.0f /s   p50 %7.2f ms   p95 %7.2f ms   p99 %7.2f ms\n",
		r.Reads.Calls, r.Reads.PerSecond, r.Reads.Median, r.Reads.P95, r.Reads.P99)
	fmt.Fprintf(b.Out, "writes  %7d  %9.0f /s   p50 %7.2f ms   p95 %7.2f ms   p99 %7.2f ms\n",
		r.Writes.Calls, r.Writes.PerSecond, r.Writes.Median, r.Writes.P95, r.Writes.P99)
	return errors.Join(failures(tallies, r.Failed), ctx.Err())
}

// failures is the error of failed calls, with one of them.
func failures(tallies []tally, count int) error {
	for i := range tallies {
		if tallies[i].err != nil {
			return fmt.Errorf("%d requests failed; one of them: %w", count, tallies[i].err)
		}
	}
	return nil
}

// tally holds the measurements of one client.
type tally struct {
	reads, writes []time.Duration
	failed        int
	err           error
	// open is the requisition that the next write rejects, "" for none.
	open string
}

// measure calls until the time is over.
func (t *tally) measure(ctx context.Context, c *client.Client) {
	for n := 0; ctx.Err() == nil; n++ {
		began, kind := time.Now(), &t.reads
		var err error
		switch {
		case n%writeEvery == writeEvery-1:
			kind = &t.writes
			err = t.write(ctx, c)
		case n%2 == 0:
			_, err = c.ListSalesOrders(ctx, client.ListSalesOrdersParams{})
		default:
			_, err = c.GetSandbox(ctx)
		}
		switch {
		case err == nil:
			*kind = append(*kind, time.Since(began))
		case ctx.Err() == nil:
			t.failed, t.err = t.failed+1, err
		}
	}
}

// write files a requisition, or rejects the one before, so that there may be any
// number of them.
func (t *tally) write(ctx context.Context, c *client.Client) error {
	if t.open != "" {
		_, err := c.RejectRequisition(ctx, t.open, client.RejectRequisitionInput{})
		t.open = ""
		return err //nolint:wrapcheck // the client names the failed operation
	}
	filed, err := c.CreateRequisition(ctx,
		client.CreateRequisitionInput{Lines: []client.MaterialLineInput{{SKU: "mat_ink", Quantity: 1000}}})
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	t.open = filed.ID
	return nil
}

func sum(tallies []tally, took time.Duration) benchResult {
	r := benchResult{Clients: len(tallies), Seconds: took.Seconds()}
	var reads, writes []time.Duration
	for i := range tallies {
		reads, writes, r.Failed = append(reads, tallies[i].reads...), append(writes, tallies[i].writes...),
			r.Failed+tallies[i].failed
	}
	r.Reads, r.Writes = line(reads, took), line(writes, took)
	return r
}

func line(calls []time.Duration, took time.Duration) benchLine {
	if len(calls) == 0 {
		return benchLine{}
	}
	slices.Sort(calls)
	at := func(percent int) float64 {
		return float64(calls[(len(calls)-1)*percent/100].Microseconds()) / 1000
	}
	return benchLine{
		Calls: len(calls), PerSecond: float64(len(calls)) / took.Seconds(), Median: at(50), P95: at(95), P99: at(99),
	}
}
