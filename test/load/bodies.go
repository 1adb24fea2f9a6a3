package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"platen/internal/config"
	"platen/internal/server"
)

// serveBodiless is servePlaten, but for keeping the bodies of requests.
func serveBodiless(ctx context.Context, p *parent, args []string) error {
	c := config.Default()
	c.Listen, c.Database, c.RequestBodies = "127.0.0.1:0", args[0], false
	return p.serve(ctx, c, func(*server.Server) answers { return answers{"cpu": answerUsage} })
}

// measureBodies has one company read on two servers in turns, of which one keeps the bodies of
// its newest requests. One row is read: the less a request does, the more that is of it.
func measureBodies(ctx context.Context, b *bench) (figures []figure, err error) {
	d := duel{}
	for i, word := range []string{"platen", "bodiless"} {
		database := filepath.Join(b.dir, "bodies-"+word+".db")
		var company prepared
		if err := b.once(ctx, &company, "prepare", database); err != nil {
			return nil, err
		}
		var at address
		server, err := b.spawn(ctx, &at, word, database)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, server.close()) }() //nolint:revive // both run until the end
		request := fmt.Appendf(nil, "GET /v1/office/sales-orders/%s HTTP/1.1\r\nHost: %s\r\n"+
			"Accept: application/json\r\nAuthorization: Bearer %s\r\n\r\n", company.Order, at.Address, company.Key)
		d.hammers[i] = &hammer{
			address: at.Address, connections: readConnections, status: http.StatusOK, request: always(request),
		}
		if d.bare = server; i == 0 {
			d.ours = server
		}
	}
	result, err := d.fight(ctx)
	if err != nil {
		return nil, err
	}
	return []figure{{
		name: "GET of one row, CPU, with bodies kept to without", samples: result.cpus, unit: ratio,
		least: 1.15, aim: 1.05, smaller: true,
		note: fmt.Sprintf("%.0f/s beside %.0f/s", median(result.ours), median(result.theirs)),
	}}, nil
}
