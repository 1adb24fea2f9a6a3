package load

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"platen/client"
	"platen/internal/store/postgres"
	"platen/internal/store/postgres/postgrestest"
)

// fleet is several servers on one PostgreSQL database.
type fleet struct {
	dsn     string
	servers []*process
	// offices and factories are the keys of the sandboxes.
	offices, factories []string
	// written counts rounds of writes, so that each write has a key of its own.
	written int
}

// BenchmarkServers has one to three servers on one PostgreSQL database work at once, with any sandbox at any of
// them; and weighs commits, a hop between servers, and what a sandbox takes of the database, for the section
// on sizing of docs/guides/several-servers.md.
func BenchmarkServers(b *testing.B) {
	database, err := postgrestest.Start()
	if errors.Is(err, postgrestest.ErrNoServer) {
		b.Skip(err)
	}
	must(b, err)
	b.Cleanup(database.Stop)
	f := &fleet{dsn: postgrestest.URL(database.Directory())}
	for n := range 3 {
		f.join(b)
		if n == 0 {
			b.Run("database", f.settle)
		}
		b.Run(fmt.Sprint("servers=", n+1), f.work)
	}
	b.Run("commits", f.commits)
	b.Run("hop", f.hop)
}

// join starts one more server.
func (f *fleet) join(b *testing.B) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	l.Close()
	f.servers = append(f.servers, setup{Database: f.dsn, Node: l.Addr().String()}.spawn(b))
}

// settle makes sandboxes, lets some of them live some days, and reports what both take of the database.
func (f *fleet) settle(b *testing.B) {
	const few, days = 20, 3
	table, err := postgrestest.Connect(b.Context(), f.dsn)
	must(b, err)
	defer table.Close(b.Context())
	size := func() float64 {
		bytes, err := table.DatabaseBytes(b.Context())
		must(b, err)
		return bytes / 1e3
	}
	var fresh, day []float64
	for b.Loop() {
		before := size()
		sandboxes := create(b, f.servers[0].address, few, client.ClockModeManual)
		created := size()
		play(b, f.servers[0].address, sandboxes, days)
		fresh, day = append(fresh, (created-before)/few), append(day, (size()-created)/few/days)
		for _, s := range sandboxes {
			f.offices, f.factories = append(f.offices, s.OfficeKey), append(f.factories, s.FactoryKey)
		}
	}
	report(b, "db-KB/sandbox", fresh...)
	report(b, "db-KB/day", day...)
}

// work measures reads and writes at all servers at once.
func (f *fleet) work(b *testing.B) {
	var lists, writes []float64
	for b.Loop() {
		lists = append(lists, f.hammer(b, http.StatusOK, func(p *process, connection, n int) []byte {
			return getRequest(p, listPath, keyOf(f.offices, connection, n))
		}))
		f.written++
		writes = append(writes, f.hammer(b, http.StatusCreated, func(p *process, connection, n int) []byte {
			request := postRequest(p, keyOf(f.factories, connection, n))
			return fmt.Appendf(request, "%d-%d-%d\r\n\r\n%s", f.written, connection, n, postBody)
		}))
	}
	report(b, "lists/s", lists...)
	report(b, "writes/s", writes...)
}

// hammer returns how many requests all servers answer in a second, each at its share of the connections.
func (f *fleet) hammer(b *testing.B, status int, request func(p *process, connection, n int) []byte) (sum float64) {
	b.Helper()
	rounds := make([]round, len(f.servers))
	var running sync.WaitGroup
	for i, p := range f.servers {
		h := &hammer{p, connections / len(f.servers), status, func(connection, n int) []byte {
			return request(p, connection*len(f.servers)+i, n)
		}}
		running.Go(func() { rounds[i] = h.hit(length()) })
	}
	running.Wait()
	for _, r := range rounds {
		must(b, r.err)
		sum += r.rate
	}
	return sum
}

// commits compares durable commits to the store with plain inserts of the same bytes, as many in a statement as
// there are committers.
func (f *fleet) commits(b *testing.B) {
	const atOnce = 48
	s, err := postgres.OpenShared(b.Context(), f.dsn)
	must(b, err)
	defer s.Close()
	table, err := postgrestest.Connect(b.Context(), f.dsn)
	must(b, err)
	defer table.Close(b.Context())
	bodies := make([][]byte, atOnce)
	for i := range bodies {
		bodies[i] = make([]byte, commitBytes)
	}
	plain := func(int) error { return table.Insert(b.Context(), bodies) }
	commitDuel(b, committing(b, atOnce, s), side{1, atOnce, plain})
}

// hop compares a request through another server with the same at the owner of the sandbox, one after the other.
func (f *fleet) hop(b *testing.B) {
	made := create(b, f.servers[0].address, 1, client.ClockModeManual)
	// The first server that is asked owns a new sandbox.
	owner := client.New("http://"+f.servers[1].address, made[0].Keys())
	other := client.New("http://"+f.servers[2].address, made[0].Keys())
	var direct, through []float64
	for b.Loop() {
		for range choose(50, 500) {
			began := time.Now()
			_, err := owner.GetCash(b.Context())
			must(b, err)
			between := time.Now()
			_, err = other.GetCash(b.Context())
			must(b, err)
			direct = append(direct, 1e3*between.Sub(began).Seconds())
			through = append(through, 1e3*time.Since(between).Seconds())
		}
	}
	report(b, "owner-ms", direct...)
	report(b, "other-ms", through...)
}
