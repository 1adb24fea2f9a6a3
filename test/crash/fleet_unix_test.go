//go:build unix

package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"platen/internal/store/postgres/postgrestest"
	"platen/internal/testclient"
)

const (
	fleetSize    = 3
	fleetTenants = 4
	// fleetPatience ends a request that no node answers for good.
	fleetPatience = 90 * time.Second
	// clientPatience is how long a client waits for a response before it asks again.
	clientPatience = 5 * time.Second
	// fleetPause is how long a client waits that was told to come again.
	fleetPause = 100 * time.Millisecond
)

// fleet is several servers of one database, behind a balancer that sends each request to
// any of them.
type fleet struct {
	t        *testing.T
	database *postgrestest.Cluster
	nodes    []*fleetNode
	// front is what clients talk to.
	front *process

	// sent counts requests, again those that were sent again.
	sent, again, acknowledged atomic.Int64

	mu sync.Mutex // guards longest
	// longest is how long a request took from its first attempt to its answer.
	longest time.Duration
}

// fleetNode is one of the servers, with the addresses that it keeps when it is started again.
type fleetNode struct {
	fleet               *fleet
	listen, nodeAddress string
	wire                *wire
	// binary is what it starts, which can be another one the next time.
	binary string

	mu      sync.Mutex // guards process
	process *process
}

// startFleet starts the servers.
func startFleet(t *testing.T) *fleet {
	t.Helper()
	database, err := postgrestest.Start()
	if errors.Is(err, postgrestest.ErrNoServer) && os.Getenv("PLATEN_TEST_ALL") != "1" {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(database.Stop)
	f := &fleet{t: t, database: database}
	f.front = &process{
		cmd: &exec.Cmd{}, log: &tail{}, fleet: f,
		http: &http.Client{Timeout: callTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	for range fleetSize {
		m := &fleetNode{
			fleet: f, listen: freeAddress(t), nodeAddress: freeAddress(t), wire: newWire(t, database.Directory()),
			binary: binary,
		}
		f.nodes = append(f.nodes, m)
		m.start()
		t.Cleanup(func() { m.now().kill() })
	}
	return f
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts the fleetNode's server, and returns when it is ready.
func (m *fleetNode) start() {
	m.fleet.t.Helper()
	c := exec.Command(m.binary, "serve", "--listen", m.listen, "--node-address", m.nodeAddress, "--database",
		postgrestest.URL(m.wire.directory), "--public-url", "http://platen.test", "--max-sandboxes", "1000",
		"--key-rate", "0", "--ip-rate", "0", "--anonymous-rate", "0", "--ip-active", "0", "--ip-creations", "0",
		"--log-format", "json")
	c.Env = append(os.Environ(), "PLATEN_SECRET_KEY="+strings.Repeat("k", 32))
	p, err := beginCommand(c)
	if err == nil {
		err = p.await()
	}
	if err != nil {
		m.fleet.t.Fatal(err)
	}
	p.base, p.http.Timeout = "http://"+m.listen+"/v1", clientPatience
	m.mu.Lock()
	defer m.mu.Unlock()
	m.process = p
}

func (m *fleetNode) now() *process {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.process
}

// send is what a client does behind a balancer: it sends a request to any server, and
// again, with the same idempotency key, until it has an answer that stands.
func (f *fleet) send(q request) (*testclient.Answer, error) {
	began := time.Now()
	for attempt := 0; ; attempt++ {
		f.sent.Add(1)
		m := f.nodes[rand.IntN(len(f.nodes))]
		a, err := m.now().once(q)
		if err == nil && !f.comesAgain(a) {
			f.took(time.Since(began))
			return a, nil
		}
		if f.front.dying.Load() {
			return nil, errGone
		}
		if time.Since(began) > fleetPatience {
			return nil, fmt.Errorf("%s %s got no answer in %s: %v, %w", q.method, q.path, fleetPatience, a, err)
		}
		if q.method == http.MethodPost && q.idempotency == "" && err != nil {
			return nil, fmt.Errorf("a write without a key got no answer: %w", err)
		}
		f.again.Add(1)
		<-time.After(fleetPause)
	}
}

// comesAgain reports whether an answer asks for the same request once more.
func (f *fleet) comesAgain(a *testclient.Answer) bool {
	switch a.Status {
	case http.StatusServiceUnavailable:
		if a.Header.Get("Retry-After") == "" {
			f.t.Errorf("a 503 does not say when to come again: %s", a.Raw)
		}
		return true
	case http.StatusInternalServerError:
		if !strings.Contains(string(a.Raw), `"retryable":true`) {
			f.t.Errorf("an error that is not to be repeated: %s", a.Raw)
		}
		return true
	}
	return false
}

func (f *fleet) took(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.longest = max(f.longest, d)
}

// outage returns how long the longest request took since it was asked last.
func (f *fleet) outage() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.longest
	f.longest = 0
	return d
}

// wire is a way to the database that can be cut: then nothing comes through, and nobody
// is told.
type wire struct {
	directory string
	cut       atomic.Bool

	mu          sync.Mutex // guards connections
	connections []net.Conn
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	const socket = ".s.PGSQL.5432"
	directory, err := os.MkdirTemp("", "platen-wire-") //nolint:usetesting // the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{directory: directory}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(directory, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		listener.Close()
		w.end()
		os.RemoveAll(directory)
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(to, socket))
			if err != nil {
				client.Close()
				continue
			}
			w.mu.Lock()
			w.connections = append(w.connections, client, server)
			w.mu.Unlock()
			go w.carry(server, client)
			go w.carry(client, server)
		}
	}()
	return w
}

func (w *wire) carry(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if !w.cut.Load() {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
}

// end ends all connections.
func (w *wire) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.connections {
		c.Close()
	}
	w.connections = nil
}

// under lets clients work while something happens to the servers, and then compares
// everything that they know with what there is. It returns their sandboxes.
func (f *fleet) under(happens func()) []*tenant {
	t := f.t
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var tenants []*tenant
	for i := range fleetTenants {
		n, err := newTenant(f.front, []string{"manual", "starter"}[i%2], "manual")
		if err != nil {
			t.Fatal(err)
		}
		tenants = append(tenants, n)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	for i, n := range tenants {
		for j := range writersEach {
			w := &writer{
				tenant: n, random: rand.New(rand.NewPCG(seed, uint64(i*writersEach+j))), ticks: j == 0,
				name: fmt.Sprintf("t%dw%d", i, j), acknowledged: func() { f.acknowledged.Add(1) },
			}
			working.Go(func() {
				if err := w.workUntil(ctx, f.front); err != nil {
					t.Error(err)
				}
			})
		}
		working.Go(func() {
			for ctx.Err() == nil {
				if err := n.follow(f.front, n.newest()); err != nil {
					t.Errorf("reader: %v", err)
					return
				}
			}
		})
	}
	f.work(100) // before anything happens
	happens()
	f.work(100)
	stop()
	working.Wait()
	random, y := rand.New(rand.NewPCG(seed, 0)), tally{}
	for _, n := range tenants {
		sum, err := n.check(f.front, random, true)
		if err != nil {
			t.Error(err)
		}
		y.add(sum)
	}
	t.Logf("%d writes acknowledged and all there, %d replays the same to the byte, %d events compared; %d requests, "+
		"%d of them again", f.acknowledged.Load(), y.replays, y.events, f.sent.Load(), f.again.Load())
	return tenants
}

// work waits until clients have done a number of writes more.
func (f *fleet) work(more int64) {
	f.t.Helper()
	until := f.acknowledged.Load() + more
	for began := time.Now(); f.acknowledged.Load() < until; <-time.After(5 * time.Millisecond) {
		if f.t.Failed() || time.Since(began) > fleetPatience {
			f.t.Fatalf("only %d of %d writes were done in %s", more-until+f.acknowledged.Load(), more,
				time.Since(began))
		}
	}
}

// workUntil writes until the context ends.
func (w *writer) workUntil(ctx context.Context, p *process) error {
	for ctx.Err() == nil {
		in, err := w.next(p)
		if err == nil && in != nil {
			_, err = w.tenant.try(p, in)
			if err == nil && in.outcome == acknowledged {
				w.acknowledged()
			}
		}
		if err != nil {
			return fmt.Errorf("writer %s: %w", w.name, err)
		}
	}
	return nil
}

// freeze stops a process for a while, as a machine does that is suspended.
func (m *fleetNode) freeze(d time.Duration) {
	p := m.now()
	p.cmd.Process.Signal(syscall.SIGSTOP)
	<-time.After(d)
	p.cmd.Process.Signal(syscall.SIGCONT)
}

// frozenTime is longer than a node is taken for living without a beat.
const frozenTime = 12 * time.Second

func TestNothingIsLostWhenANodeIsKilled(t *testing.T) {
	t.Parallel()
	f := startFleet(t)
	f.under(func() {
		for _, m := range f.nodes[:2] {
			f.outage()
			m.now().kill()
			f.work(60)
			t.Logf("killed: no client waited longer than %s", f.outage().Round(time.Millisecond))
			m.start()
			f.work(30)
		}
	})
}

func TestNothingIsLostWhenANodeIsFrozen(t *testing.T) {
	t.Parallel()
	f := startFleet(t)
	f.under(func() {
		f.outage()
		f.nodes[0].freeze(frozenTime)
		f.work(60)
		t.Logf("frozen for %s: no client waited longer than %s", frozenTime, f.outage().Round(time.Millisecond))
	})
}

func TestNothingIsLostWhenANodeIsCutOffFromTheDatabase(t *testing.T) {
	t.Parallel()
	f := startFleet(t)
	f.under(func() {
		f.outage()
		f.nodes[0].wire.cut.Store(true)
		<-time.After(frozenTime)
		f.nodes[0].wire.cut.Store(false)
		f.nodes[0].wire.end()
		f.work(60)
		t.Logf("cut off for %s: no client waited longer than %s", frozenTime, f.outage().Round(time.Millisecond))
	})
}

func TestNothingIsLostInARollingRestart(t *testing.T) {
	t.Parallel()
	f := startFleet(t)
	f.under(func() {
		for _, m := range f.nodes {
			f.outage()
			if err := m.now().stop(); err != nil {
				t.Error(err)
			}
			m.start()
			f.work(30)
			t.Logf("started again: no client waited longer than %s", f.outage().Round(time.Millisecond))
		}
	})
}

func TestNothingIsLostWhenTheDatabaseIsKilled(t *testing.T) {
	t.Parallel()
	f := startFleet(t)
	f.under(func() {
		f.outage()
		if err := f.database.Crash(); err != nil {
			t.Fatal(err)
		}
		f.work(60)
		t.Logf("database killed: no client waited longer than %s", f.outage().Round(time.Millisecond))
	})
}
