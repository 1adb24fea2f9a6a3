package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
)

// openStreams is how many consoles are open at once, each of another sandbox.
const openStreams = 1000

// measureStreams opens the stream of a console for each of some sandboxes.
func measureStreams(ctx context.Context, b *bench) (figures []figure, err error) {
	var at address
	platen, err := b.spawn(ctx, &at, "waiting", filepath.Join(b.dir, "streams.db"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, platen.close()) }()
	both, err := waitingKeys(ctx, at.Address)
	if err != nil {
		return nil, err
	}
	var keys []string
	for i := 0; i < len(both); i += 2 {
		keys = append(keys, both[i])
	}
	var before, during waitingMemory
	var held, resident []float64
	for range rounds {
		if err := platen.ask(&before, "memory"); err != nil {
			return nil, err
		}
		crowd, err := join(ctx, at.Address, keys, openStreams, stream)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(platen.ask(&during, "memory"), crowd.leave()); err != nil {
			return nil, err
		}
		held = append(held, (during.Bytes-before.Bytes)/openStreams)
		resident = append(resident, (during.Resident-before.Resident)/openStreams)
	}
	return []figure{{
		name: "memory of a console stream", samples: held, unit: kilobytes, least: 40e3, aim: 40e3, smaller: true,
		note: fmt.Sprintf("heap and stacks, %d connections; of the process's own pages %s", openStreams,
			kilobytes(median(resident))),
	}}, nil
}

// stream begins a console's stream and reads the head of its answer.
func stream(_ context.Context, c net.Conn, key string) error {
	if _, err := fmt.Fprintf(c, "GET /console/stream HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n",
		c.RemoteAddr(), key); err != nil {
		return fmt.Errorf("begin a stream: %w", err)
	}
	lines := bufio.NewScanner(c)
	if !lines.Scan() || !strings.Contains(lines.Text(), http.StatusText(http.StatusOK)) {
		return fmt.Errorf("a stream is answered %q, %w", lines.Text(), lines.Err())
	}
	return nil
}
