//go:build unix

package crash

import (
	"bufio"
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
	"platen/test/testclient"
)

const (
	fleetSize    = 3
	fleetTenants = 4
	// fleetShare is the part of the writes that a quick run makes: a fifth.
	fleetShare = 5
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
	// standby is a server that can take the database's place, nil for none.
	standby *postgrestest.Cluster
	nodes   []*fleetNode
	// settings are those that not all fleets have.
	settings []string
	// front is the address that clients talk to.
	front *process

	// tenants are the sandboxes of the clients that work.
	tenants []*tenant

	// lost has the idempotency keys of requests of which an attempt got no answer.
	lost sync.Map
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
	// binary is the program that it starts, which can be another one the next time.
	binary string

	mu      sync.Mutex // guards process
	process *process
}

// startFleet starts the servers, with settings of their own.
func startFleet(t *testing.T, settings ...string) *fleet {
	t.Helper()
	f := newFleet(t, settings...)
	f.start()
	return f
}

// newFleet is a fleet of which only the database runs.
func newFleet(t *testing.T, settings ...string) *fleet {
	t.Helper()
	database, err := postgrestest.Start()
	if errors.Is(err, postgrestest.ErrNoServer) && os.Getenv("PLATEN_TEST_ALL") != "1" {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(database.Stop)
	f := &fleet{t: t, database: database, settings: settings}
	f.front = &process{
		cmd: &exec.Cmd{}, log: &tail{}, fleet: f,
		http: &http.Client{Timeout: callTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	return f
}

func (f *fleet) start() {
	t := f.t
	t.Helper()
	for range fleetSize {
		m := &fleetNode{
			fleet: f, listen: testclient.FreeAddress(t), nodeAddress: testclient.FreeAddress(t),
			wire: newWire(t, f.database.Directory()), binary: binary,
		}
		f.nodes = append(f.nodes, m)
		m.start()
		t.Cleanup(func() { m.now().kill() })
	}
}

// start starts the fleetNode's server, and returns when it is ready.
func (m *fleetNode) start() {
	m.fleet.t.Helper()
	servers := []string{m.wire.directory}
	if m.fleet.standby != nil {
		servers = append(servers, m.fleet.standby.Directory())
	}
	c := exec.Command(m.binary, append([]string{
		"serve", "--listen", m.listen, "--node-address", m.nodeAddress, "--database", postgrestest.URL(servers...),
		"--public-url", "http://platen.test", "--max-sandboxes", "1000", "--key-rate", "0", "--ip-rate", "0",
		"--anonymous-rate", "0", "--ip-active", "0", "--ip-creations", "0", "--log-format", "json",
	}, m.fleet.settings...)...)
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

// send is a client behind a balancer: it sends a request to any server, and again, with
// the same idempotency key, until it has a final answer.
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
		if err != nil || a.Status == http.StatusInternalServerError {
			f.lost.Store(q.idempotency, true)
		}
		f.again.Add(1)
		<-time.After(fleetPause)
	}
}

func (f *fleet) unsettled(q request) bool {
	_, lost := f.lost.LoadAndDelete(q.idempotency)
	return lost
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
	f.tenants = nil
	for i := range testclient.Few(fleetTenants/2, fleetTenants) {
		n, err := newTenant(f.front, []string{"manual", "starter"}[i%2], "manual")
		if err != nil {
			t.Fatal(err)
		}
		f.tenants = append(f.tenants, n)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	for i, n := range f.tenants {
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
	for _, n := range f.tenants {
		sum, err := n.check(f.front, random, true)
		if err != nil {
			t.Error(err)
		}
		y.add(sum)
	}
	t.Logf("%d writes acknowledged and all there, %d replays the same to the byte, %d events compared; %d requests, "+
		"%d of them again", f.acknowledged.Load(), y.replays, y.events, f.sent.Load(), f.again.Load())
	return f.tenants
}

// work waits until clients have done a number of writes more.
func (f *fleet) work(more int64) {
	f.t.Helper()
	more = max(1, more/int64(testclient.Few(fleetShare, 1)))
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

// away returns how long it takes until all sandboxes respond where the first server is not.
func (f *fleet) away() time.Duration {
	began := time.Now()
	for _, n := range f.tenants {
		for at := 1; ; at++ {
			p := &process{base: f.nodes[1+at%2].now().base, http: &http.Client{Timeout: time.Second}, log: &tail{}}
			a, err := p.once(request{method: http.MethodGet, path: "/sandbox", key: n.Office})
			if err == nil && a.Status == http.StatusOK {
				break
			}
			<-time.After(fleetPause)
		}
	}
	return time.Since(began)
}

// freeze stops a process for a while, as a machine does that is suspended.
func (m *fleetNode) freeze(d time.Duration) {
	p := m.now()
	p.cmd.Process.Signal(syscall.SIGSTOP)
	<-time.After(d)
	p.cmd.Process.Signal(syscall.SIGCONT)
}

// metric is a server's figure.
func (m *fleetNode) metric(name string) string {
	m.fleet.t.Helper()
	response, err := http.Get("http://" + m.listen + "/metrics")
	if err != nil {
		m.fleet.t.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), name+" "); found {
			return value
		}
	}
	m.fleet.t.Fatalf("there is no %s", name)
	return ""
}
