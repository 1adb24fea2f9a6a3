//go:build unix

package postgres

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"platen/internal/store"

	"platen/test/testclient"
)

// A proxy is between a store and the server and loses what it is told to.
type proxy struct {
	directory string
	server    string

	loseRequests, loseAnswers atomic.Bool

	mu          sync.Mutex // guards connections
	connections []net.Conn
}

func newProxy(t *testing.T, dsn string) (*proxy, string) {
	t.Helper()
	directory, rest, _ := strings.Cut(strings.TrimPrefix(dsn, "host='"), "'")
	const socket = ".s.PGSQL.5432"
	p := &proxy{directory: t.TempDir(), server: filepath.Join(directory, socket)}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(p.directory, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		listener.Close()
		p.cut()
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", p.server)
			if err != nil {
				client.Close()
				continue
			}
			p.mu.Lock()
			p.connections = append(p.connections, client, server)
			p.mu.Unlock()
			go forward(server, client, &p.loseRequests)
			go forward(client, server, &p.loseAnswers)
		}
	}()
	return p, fmt.Sprintf("host='%s'%s", p.directory, rest)
}

func forward(to, from net.Conn, lose *atomic.Bool) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if lose.Load() {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// cut ends all connections; later ones lose nothing.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.connections {
		c.Close()
	}
	p.connections = nil
	p.loseRequests.Store(false)
	p.loseAnswers.Store(false)
}

func TestLostConnectionLeavesTheOutcomeOpen(t *testing.T) {
	t.Parallel()
	direct := newSchema(t)
	p, dsn := newProxy(t, direct)
	s := openTest(t, dsn)
	if err := s.Commit(t.Context(), creation("a")); err != nil {
		t.Fatalf("create: %v", err)
	}
	// Every statement is prepared before the test begins.
	if err := s.Commit(t.Context(), commitOf("a", 2, 10)); err != nil {
		t.Fatalf("commit: %v", err)
	}
	const countCommits = "SELECT count(*) FROM commits"
	newest := uint64(2)
	for _, applied := range []bool{true, false, true} {
		p.loseAnswers.Store(applied)
		p.loseRequests.Store(!applied)
		answer := make(chan error)
		go func() { answer <- s.Commit(t.Context(), commitOf("a", newest+1, 10)) }()
		if applied {
			for query[uint64](t, direct, countCommits) == newest {
				continue
			}
			newest++
		} else {
			for s.writer.pool.Stat().AcquiredConns() == 0 {
				continue
			}
		}
		p.cut()
		err := <-answer
		for _, sentinel := range []error{nil, store.ErrConflict, store.ErrFull, store.ErrNotFound, store.ErrClosed} {
			if errors.Is(err, sentinel) {
				t.Errorf("a commit whose answer was lost is answered with %v", err)
			}
		}
		image, err := s.Load(t.Context(), "a")
		if err != nil || uint64(len(image.Commits)) != newest {
			t.Errorf("load: got %d commits, %v, want %d", len(image.Commits), err, newest)
		}
		newest++
		if err := s.Commit(t.Context(), commitOf("a", newest, 10)); err != nil {
			t.Errorf("commit after loading again: %v", err)
		}
	}
}

func TestTerminatedSessionsAreReplaced(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	const name = "platen terminated"
	s := openTest(t, dsn+" application_name='"+name+"'")
	if err := s.Commit(t.Context(), creation("a")); err != nil {
		t.Fatalf("create: %v", err)
	}
	if _, err := s.Count(t.Context()); err != nil { // a reader has a connection
		t.Fatalf("count: %v", err)
	}
	terminate := fmt.Sprintf(`SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
		WHERE application_name = '%s'`, name)
	for range 4 {
		query[int](t, dsn, terminate)
		image, err := s.Load(t.Context(), "a")
		if err != nil {
			t.Errorf("load after the sessions were terminated: %v", err)
		}
		newest := uint64(len(image.Commits))
		query[int](t, dsn, terminate)
		for uint64(len(loadAgain(t, s, "a").Commits)) == newest {
			err = s.Commit(t.Context(), commitOf("a", newest+1, 10))
			if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrFull) {
				t.Errorf("commit: %v", err)
			}
		}
	}
}

// A killed backend takes the whole server down for a moment: all connections
// are lost, and what was under way comes out either way.
func TestKilledServerProcessLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestLostConnectionLeavesTheOutcomeOpen")
	const committers, rounds = 8, 2
	c := ownCluster(t)
	dsn := schemaIn(t, c)
	s := openTest(t, dsn)
	newest := make([]uint64, committers)
	for round := range rounds {
		var running sync.WaitGroup
		var commits atomic.Int64
		enough := make(chan struct{})
		for i := range committers {
			running.Go(func() {
				newest[i] = commitUntilLost(t, s, fmt.Sprint("s", i), newest[i], func() {
					if commits.Add(1) == int64(20*(round+1)) {
						close(enough)
					}
				})
			})
		}
		conn, err := s.reader.pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pid := int(conn.Conn().PgConn().PID())
		conn.Release()
		<-enough
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		running.Wait()
		for i := range committers {
			id := fmt.Sprint("s", i)
			image := loadAgain(t, s, id)
			got := uint64(len(image.Commits))
			if got != newest[i] && got != newest[i]+1 {
				t.Errorf("round %d: %s has %d versions, acknowledged were %d", round, id, got, newest[i])
			}
			newest[i] = got
		}
	}
}

// commitUntilLost returns the newest version that was acknowledged.
func commitUntilLost(t *testing.T, s *Store, id string, newest uint64, acknowledged func()) uint64 {
	t.Helper()
	for {
		c := commitOf(id, newest+1, 500)
		if c.Version == 1 {
			c = creation(id)
		}
		err := s.Commit(t.Context(), c)
		if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrFull) {
			t.Errorf("commit %d of %s: %v", c.Version, id, err)
		}
		if err != nil {
			return newest
		}
		newest++
		acknowledged()
	}
}

// loadAgain loads as soon as the server is back.
func loadAgain(t *testing.T, s *Store, id string) store.Image {
	t.Helper()
	for {
		image, err := s.Load(t.Context(), id)
		if err == nil || errors.Is(err, store.ErrNotFound) {
			return image
		}
		if t.Context().Err() != nil {
			t.Fatalf("load %s: %v", id, err)
		}
	}
}
