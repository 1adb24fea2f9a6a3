package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/config"
	"platen/internal/server"
)

const (
	// growthClients are at work at a time.
	growthClients = 16
	// growthDays is how long each of the hot companies has lived.
	growthDays = 3
	// growthHot is the size at which memory is read.
	growthHot = 1000
	// growthLength is how long one run of reads takes, growthRounds how many there are
	// of each kind at each size.
	growthLength = 500 * time.Millisecond
	growthRounds = 5
	// crowdMemory is the setting of the server that holds more sandboxes than memory.
	crowdMemory = "300MiB"
)

// growthSizes are the numbers of living sandboxes at which is measured.
var growthSizes = []int{100, growthHot, 10_000}

// resident is the answer to "memory".
type resident struct {
	// All is what the system says of the process, in bytes, Companies the number of
	// companies in memory.
	All       float64 `json:"all"`
	Companies float64 `json:"companies"`
}

// serveGrowing is a whole server that stays within the memory of its second
// argument, without limits for its clients.
func serveGrowing(ctx context.Context, p *parent, args []string) error {
	c := config.Default()
	c.Listen, c.Database, c.Memory, c.MaxSandboxes, c.TickPause = "127.0.0.1:0", args[0], args[1], 1<<20, 0
	limit, err := server.MemoryLimit(c)
	if err != nil {
		return fmt.Errorf("make server: %w", err)
	}
	debug.SetMemoryLimit(limit) // as cmd/platen does
	return p.serve(ctx, c, func(s *server.Server) answers {
		return answers{"cpu": answerUsage, "memory": func(string) (any, error) {
			_, own, err := residentBytes(os.Getpid())
			return resident{All: own, Companies: float64(s.Memory().Companies)}, err
		}}
	})
}

// town is the sandboxes of a server, with a hammer for each kind of read.
type town struct {
	address string
	keys    []string
}

// growth is what was measured at one size.
type growth struct {
	lists, feeds []float64
	// creation are the times of the creations that led to it, in seconds, and
	// creationCPU the processor time of one.
	creation    []float64
	creationCPU float64
}

func measureGrowth(ctx context.Context, b *bench) (figures []figure, err error) {
	var at address
	platen, err := b.spawn(ctx, &at, "growing", filepath.Join(b.dir, "growth.db"), "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, platen.close()) }()
	t := &town{address: at.Address}
	var empty, hot resident
	if err := platen.ask(&empty, "memory"); err != nil {
		return nil, err
	}
	sizes := make([]growth, len(growthSizes))
	for i, size := range growthSizes {
		if sizes[i], err = t.grow(ctx, platen, size); err != nil {
			return nil, err
		}
		if size == growthHot {
			if err := platen.ask(&hot, "memory"); err != nil {
				return nil, err
			}
		}
	}
	last := sizes[len(sizes)-1]
	figures = []figure{
		{name: fmt.Sprintf("memory of a hot sandbox, day %d, %d of them", growthDays, growthHot),
			samples: []float64{(hot.All - empty.All) / growthHot}, unit: kilobytes, least: 200e3, aim: 120e3,
			smaller: true, note: fmt.Sprintf("the process's own pages, just after runs of reads; of an idle one %s",
				megabytes(empty.All))},
		{name: "CPU of a creation", samples: []float64{last.creationCPU}, unit: millis, least: 0.7e-3, aim: 0.7e-3,
			smaller: true, note: fmt.Sprintf("user and system time, %d to %d sandboxes", growthHot, growthSizes[2])},
		{name: fmt.Sprintf("creation, %d clients, p99", growthClients),
			samples: []float64{percentile(last.creation, 99)}, unit: millis, least: 40e-3, aim: 40e-3, smaller: true,
			note: "median " + millis(median(last.creation))},
	}
	for _, kind := range []struct {
		name string
		of   func(growth) []float64
	}{
		{"list reads", func(g growth) []float64 { return g.lists }},
		{"reads of 100 events from the beginning", func(g growth) []float64 { return g.feeds }},
	} {
		curve := make([]string, len(sizes))
		for i := range sizes {
			curve[i] = fmt.Sprintf("%s at %d", perSecond(median(kind.of(sizes[i]))), growthSizes[i])
		}
		figures = append(figures, figure{
			name:    fmt.Sprintf("%s with %d living sandboxes, to %d", kind.name, growthSizes[2], growthSizes[0]),
			samples: quotients(kind.of(last), kind.of(sizes[0])), unit: ratio, least: 0.85, aim: 1,
			note: strings.Join(curve, ", "),
		})
	}
	return figures, nil
}

// grow makes sandboxes until there are so many, gives them some days, and reads.
func (t *town) grow(ctx context.Context, platen *child, size int) (growth, error) {
	var g growth
	var before, after usage
	if err := platen.ask(&before, "cpu"); err != nil {
		return g, err
	}
	made := len(t.keys)
	t.keys = append(t.keys, make([]string, size-made)...)
	g.creation = make([]float64, size-made)
	err := together(size-made, func(i int) error {
		var created struct {
			OfficeKey string `json:"office_key"`
		}
		began := time.Now()
		err := call(ctx, "http://"+t.address+"/v1/sandboxes", "", creationBody, &created)
		g.creation[i], t.keys[made+i] = time.Since(began).Seconds(), created.OfficeKey
		return err
	})
	if err = errors.Join(err, platen.ask(&after, "cpu")); err != nil {
		return g, err
	}
	g.creationCPU = float64(after.Nanos-before.Nanos) / float64(size-made) / 1e9
	if err := together(min(size, growthHot)-min(made, growthHot), func(i int) error {
		for range growthDays {
			err := call(ctx, "http://"+t.address+"/v1/sandbox/tick", t.keys[made+i], `{"minutes":480}`, nil)
			if err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return g, err
	}
	for range growthRounds {
		for _, kind := range []struct {
			path string
			into *[]float64
		}{{"/v1/office/sales-orders?limit=50", &g.lists}, {"/v1/events?limit=100", &g.feeds}} {
			h := &hammer{address: t.address, connections: growthClients, status: 200, request: t.anywhere(kind.path)}
			tally, err := h.run(ctx, growthLength)
			if err != nil {
				return g, err
			}
			*kind.into = append(*kind.into, tally.rate())
		}
	}
	return g, nil
}

// anywhere is a GET of a path, each time in another sandbox, far from the last.
func (t *town) anywhere(path string) func(int, int) []byte {
	const stride, apart = 7919, 104_729 // primes
	return func(connection, n int) []byte {
		return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, t.address,
			t.keys[(connection*apart+n*stride)%len(t.keys)])
	}
}

// together does something n times, by several clients at once.
func together(n int, do func(i int) error) error {
	var next atomic.Int64
	errs := make([]error, growthClients)
	var working sync.WaitGroup
	for client := range growthClients {
		working.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[client] == nil; i = int(next.Add(1)) - 1 {
				errs[client] = do(i)
			}
		})
	}
	working.Wait()
	return errors.Join(errs...)
}

// measureCrowd fills a server with more sandboxes than its memory holds.
func measureCrowd(ctx context.Context, b *bench) (figures []figure, err error) {
	const crowd = 4000
	var at address
	platen, err := b.spawn(ctx, &at, "growing", filepath.Join(b.dir, "crowd.db"), crowdMemory)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, platen.close()) }()
	t := &town{address: at.Address}
	g, err := t.grow(ctx, platen, crowd)
	if err != nil {
		return nil, err
	}
	var use resident
	if err := platen.ask(&use, "memory"); err != nil {
		return nil, err
	}
	return []figure{{
		name:    fmt.Sprintf("memory of a server with --memory %s and %d sandboxes", crowdMemory, crowd),
		samples: []float64{use.All}, unit: megabytes, least: 420e6, aim: 360e6, smaller: true,
		note: fmt.Sprintf("the process's own pages; %.0f companies in it, %s of lists from all of them",
			use.Companies, perSecond(median(g.lists))),
	}}, nil
}
