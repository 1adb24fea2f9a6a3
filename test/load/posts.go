package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"
)

const (
	postConnections = 16
	postLength      = time.Second
	// maxPosts keeps a sandbox below its 2,000 open work orders.
	maxPosts = 1900
	postBody = `{"sku":"prd_notebook","quantity":10}`
)

func measurePosts(ctx context.Context, b *bench) (figures []figure, err error) {
	var at [2]address
	durable, err := b.spawn(ctx, &at[0], "durable", filepath.Join(b.dir, "posts.db"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, durable.close()) }()
	without, err := b.spawn(ctx, &at[1], "forgetful")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, without.close()) }()

	var rates, cpus [2][]float64
	for round := range rounds + 1 {
		for i, server := range []*child{durable, without} {
			t, cpu, err := postRound(ctx, server, at[i].Address)
			if err != nil {
				return nil, err
			}
			if round > 0 { // the first is to warm up
				rates[i], cpus[i] = append(rates[i], t.rate()), append(cpus[i], cpu)
			}
		}
	}
	return []figure{{
		name: "durable POST, requests, to the same without a disk", samples: quotients(rates[0], rates[1]), unit: ratio,
		least: 0.25, aim: 0.4,
		note: fmt.Sprintf("%d connections, a sandbox each, CPU %s, %.0f/s beside %.0f/s",
			postConnections, ratio(median(quotients(cpus[0], cpus[1]))), median(rates[0]), median(rates[1])),
	}}, nil
}

// postRound posts work orders with fresh keys to fresh sandboxes, and returns
// the processor time in nanoseconds that the server took for each, too.
func postRound(ctx context.Context, server *child, address string) (tally, float64, error) {
	var keys []string
	if err := server.ask(&keys, "sandboxes %d", postConnections); err != nil {
		return tally{}, 0, err
	}
	// Each connection has its own bytes, in which only the key changes.
	requests, places := make([][]byte, postConnections), make([]int, postConnections)
	for i, key := range keys {
		requests[i] = fmt.Appendf(nil, "POST /v1/factory/work-orders HTTP/1.1\r\nHost: %s\r\n"+
			"User-Agent: platen-load\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\nIdempotency-Key: order-",
			address, key, len(postBody))
		places[i] = len(requests[i])
	}
	h := &hammer{address: address, connections: postConnections, status: http.StatusCreated,
		request: func(connection, n int) []byte {
			if n >= maxPosts {
				return nil
			}
			b := strconv.AppendInt(requests[connection][:places[connection]], int64(n), 10)
			b = append(append(b, headEnd...), postBody...)
			requests[connection] = b
			return b
		}}
	var before, after usage
	if err := server.ask(&before, "cpu"); err != nil {
		return tally{}, 0, err
	}
	t, err := h.run(ctx, postLength)
	if err != nil {
		return tally{}, 0, err
	}
	if err := server.ask(&after, "cpu"); err != nil {
		return tally{}, 0, err
	}
	return t, float64(after.Nanos-before.Nanos) / float64(t.requests), nil
}
