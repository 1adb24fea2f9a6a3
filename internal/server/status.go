package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"platen/internal/edge/ratelimit/valkey"
	"platen/internal/server/metrics"
	"platen/internal/store"
	"platen/internal/words/wire"
)

const (
	// readinessAge is how long a result of the storage counts.
	readinessAge = time.Second
	// storePatience is how long a request waits for the storage.
	storePatience = 2 * time.Second
)

// errSilent is the error of a storage that does not respond.
var errSilent = errors.New("the storage does not respond")

// health is the newest result of the storage. It is asked in the background, so
// that a storage that hangs does not hang the requests for its health.
type health struct {
	mu sync.Mutex // guards the fields below
	// asked is when the newest ping began, answered closed once it ended, nil
	// before the first.
	asked    time.Time
	answered chan struct{}
	// answer is the newest result, at when it came.
	answer storeAnswer
	at     time.Time
}

// storeAnswer is the result of a ping of the storage.
type storeAnswer struct {
	sandboxes int
	err       error
}

// status is the body of /status.json.
type status struct {
	Version    string    `json:"version"`
	APIVersion string    `json:"api_version"`
	StartedAt  time.Time `json:"started_at"`
	UptimeS    int64     `json:"uptime_s"`
	Stopping   bool      `json:"stopping"`
	Sandboxes  places    `json:"sandboxes"`
	Queue      waiting   `json:"queue"`
	Store      reachable `json:"store"`
	Nodes      *nodes    `json:"nodes,omitzero"`
	Latency    latency   `json:"latency"`
}

// latency summarises the newest thousand durations. Fields are left out before
// the first.
type latency struct {
	Requests *quantiles `json:"request_ms,omitzero"`
	Commits  *quantiles `json:"commit_ms,omitzero"`
}

// quantiles are in milliseconds.
type quantiles struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

func quantilesOf(r *metrics.Recent) *quantiles {
	const half, nearlyAll, perMillisecond = 0.5, 0.99, float64(time.Millisecond)
	found, ok := r.Quantiles(half, nearlyAll)
	if !ok {
		return nil
	}
	return &quantiles{P50: float64(found[0]) / perMillisecond, P99: float64(found[1]) / perMillisecond}
}

// places are taken by sandboxes, those in their grace included.
type places struct {
	Active   int `json:"active"`
	Capacity int `json:"capacity"`
}

// waiting are the tickets of the queue.
type waiting struct {
	Length   int `json:"length"`
	Capacity int `json:"capacity"`
}

// nodes are the servers that share a database, and this one among them.
type nodes struct {
	Living int `json:"living"`
	// Owned are the sandboxes of this one. Admits says that it hands out the places.
	Owned   int  `json:"sandboxes_owned"`
	Trusted bool `json:"trusted"`
	Admits  bool `json:"admits"`
}

type reachable struct {
	Reachable bool `json:"reachable"`
}

// ask pings the storage at most once a second, since that costs it a write and
// any client may cause it, and waits for a short time.
func (s *Server) ask(ctx context.Context) (sandboxes int, err error) {
	h := &s.health
	h.mu.Lock()
	now := time.Now()
	if h.answered == nil || closed(h.answered) && now.Sub(h.asked) >= readinessAge {
		h.asked, h.answered = now, make(chan struct{})
		go s.question(context.WithoutCancel(ctx), h.answered)
	}
	answered, patience := h.answered, storePatience-now.Sub(h.asked)
	h.mu.Unlock()
	if !closed(answered) {
		timer := time.NewTimer(max(patience, 0))
		defer timer.Stop()
		select {
		case <-answered:
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	if !closed(answered) {
		s.storage.note(errSilent)
		err = errSilent
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		err = h.answer.err
	}
	return h.answer.sandboxes, err
}

// question pings the storage once.
func (s *Server) question(ctx context.Context, answered chan struct{}) {
	var said storeAnswer
	if said.err = s.store.Ping(ctx); said.err == nil {
		said.sandboxes, said.err = s.store.Count(ctx)
	}
	if errors.Is(said.err, store.ErrMoved) {
		s.storage.noteFile(said.err)
	} else {
		s.storage.note(said.err)
		s.storage.noteFile(nil)
	}
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if said.err != nil {
		said.sandboxes = h.answer.sandboxes // the newest number that is known
	}
	h.answer, h.at = said, time.Now()
	close(answered)
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// answerAge is the age of the newest result of the storage, 0 before the first.
func (s *Server) answerAge() time.Duration {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.at.IsZero() {
		return 0
	}
	return time.Since(h.at)
}

// storage is whether the storage does its work, for the log: a line when that
// changes, and none for each request.
type storage struct {
	log *slog.Logger

	mu            sync.Mutex // guards the fields below
	failed, moved bool
}

// noteFile notes whether the file of the storage is in its place.
func (s *storage) noteFile(err error) {
	moved := err != nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moved == moved {
		return
	}
	if s.moved = moved; moved {
		s.log.Error("writes go into a file that the next start will not find: put it back, or make a copy with "+
			"platen backup from where it is now", "error", err)
		return
	}
	s.log.Info("the database file is in its place again")
}

// note notes an outcome. Errors that only concern one call count nothing.
func (s *storage) note(err error) {
	failed := err != nil
	if failed && (errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict) ||
		errors.Is(err, store.ErrClosed) || errors.Is(err, context.Canceled)) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == failed {
		return
	}
	if s.failed = failed; failed {
		s.log.Error("the storage takes nothing: writes fail until it does", "error", err)
		return
	}
	s.log.Info("the storage does its work again")
}

// ready reports whether the server can do its work.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.stopping.Load() {
		plain(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	if _, err := s.ask(r.Context()); errors.Is(err, store.ErrMoved) {
		plain(w, http.StatusServiceUnavailable, store.ErrMoved.Error())
		return
	} else if err != nil {
		plain(w, http.StatusServiceUnavailable, "the storage does not respond")
		return
	}
	if s.cluster != nil && !s.cluster.node.Trusted() {
		plain(w, http.StatusServiceUnavailable, "the database has not been reached for a while")
		return
	}
	plain(w, http.StatusOK, "ready")
}

// status reports the state of the server.
func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	sandboxes, err := s.ask(r.Context())
	b, encodeErr := json.Marshal(status{
		Version: Version(), APIVersion: wire.Version,
		StartedAt: s.began.UTC().Truncate(time.Second), UptimeS: int64(s.now().Sub(s.began) / time.Second),
		Stopping: s.stopping.Load(), Sandboxes: places{Active: sandboxes, Capacity: s.config.MaxSandboxes},
		Queue: waiting{Length: s.queueLength(), Capacity: s.config.QueueLength},
		Store: reachable{Reachable: err == nil}, Nodes: s.nodes(),
		Latency: latency{Requests: quantilesOf(&s.requests), Commits: quantilesOf(&s.commits)},
	})
	if encodeErr != nil {
		panic("encode the status: " + encodeErr.Error()) // our own type always encodes
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(append(b, '\n'))
}

// figures writes the metrics.
func (s *Server) figures(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	s.metrics.Write(w)
}

// gauges registers the gauges of the server's state.
func (s *Server) gauges() {
	s.metrics.Gauge("platen_sandboxes", func() float64 {
		sandboxes, _ := s.ask(context.Background())
		return float64(sandboxes)
	})
	s.metrics.Gauge("platen_sandboxes_capacity", func() float64 { return float64(s.config.MaxSandboxes) })
	s.metrics.Gauge("platen_queue_length", func() float64 { return float64(s.queueLength()) })
	s.metrics.Gauge("platen_queue_capacity", func() float64 { return float64(s.config.QueueLength) })
	s.metrics.Gauge("platen_companies_loaded", func() float64 { return float64(s.registry.Memory().Companies) })
	s.metrics.Gauge("platen_companies_bytes", func() float64 { return float64(s.registry.Memory().Bytes) })
	s.metrics.Gauge("platen_companies_limit_bytes", func() float64 { return float64(s.registry.Memory().Limit) })
	s.metrics.Gauge("platen_companies_evicted", func() float64 { return float64(s.registry.Memory().Evictions) })
	s.metrics.Gauge("platen_loads_refused", func() float64 { return float64(s.registry.Memory().Refusals) })
	s.metrics.Gauge("platen_requests_log_bytes", func() float64 { return float64(s.registry.Memory().CallBytes) })
	s.metrics.Gauge("platen_feed_waiters", func() float64 { return float64(s.registry.Watchers()) })
	s.metrics.Gauge("platen_webhook_sandboxes", func() float64 { return float64(s.dispatcher.Workers()) })
	s.metrics.Gauge("platen_webhook_sending", func() float64 { return float64(s.dispatcher.Sending()) })
	s.metrics.Gauge("platen_webhook_deferred_age_seconds", func() float64 { return s.registry.DeferredAge().Seconds() })
	s.metrics.Gauge("platen_store_reachable", func() float64 {
		if _, err := s.ask(context.Background()); err != nil {
			return 0
		}
		return 1
	})
	s.metrics.Gauge("platen_store_answer_age_seconds", func() float64 { return s.answerAge().Seconds() })
	if shared, ok := s.gate.(*valkey.Gate); ok {
		s.sharing(shared)
	}
	s.nodeGauges()
	s.diskGauges()
	s.metrics.Gauge("platen_budget_callers", func() float64 { return float64(s.gate.Size()) })
	s.metrics.Gauge("platen_connections", func() float64 { return float64(s.listener.open()) })
}

// diskGauges registers the gauges of the files of an embedded database, and of the room beside them.
func (s *Server) diskGauges() {
	if s.config.Postgres() {
		return
	}
	size := func(path string) func() float64 {
		return func() float64 {
			file, err := os.Stat(path)
			if err != nil {
				return 0
			}
			return float64(file.Size())
		}
	}
	database, err := databaseFile(s.config.Database)
	if err != nil { // the storage of a test
		database = s.config.Database
	}
	s.metrics.Gauge("platen_database_bytes", size(database))
	s.metrics.Gauge("platen_database_wal_bytes", size(database+"-wal"))
	s.metrics.Gauge("platen_disk_free_bytes", func() float64 { return float64(diskFree(filepath.Dir(database))) })
}

// meteredStore measures commits on their way to the storage.
type meteredStore struct {
	store.Store

	metrics *metrics.Metrics
	recent  *metrics.Recent
	storage *storage
}

// Commit implements store.Store.
func (s *meteredStore) Commit(ctx context.Context, c store.Commit) error {
	began := time.Now()
	err := s.Store.Commit(ctx, c)
	took := time.Since(began)
	s.metrics.Committed(took, err)
	s.recent.Add(took)
	s.storage.note(err)
	return err //nolint:wrapcheck // a commit is measured, and nothing else
}

// stamped is the version of a release, which its build sets.
var stamped string //nolint:gochecknoglobals // set by the linker

// Version is that of the release, or else of the module that this program was built from.
func Version() string {
	if stamped != "" {
		return stamped
	}
	build, ok := debug.ReadBuildInfo()
	if !ok || build.Main.Version == "" {
		return "(devel)"
	}
	return build.Main.Version
}
