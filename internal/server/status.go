package server

import (
	"context"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"platen/internal/api"
	"platen/internal/metrics"
	"platen/internal/ratelimit/valkey"
	"platen/internal/store"
)

// readinessAge is how long an answer of the storage counts.
const readinessAge = time.Second

// health is the storage's newest answer.
type health struct {
	sync.Mutex

	at        time.Time
	err       error
	sandboxes int
}

// status is what /status.json says.
type status struct {
	Version    string    `json:"version"`
	APIVersion string    `json:"api_version"`
	StartedAt  time.Time `json:"started_at"`
	UptimeS    int64     `json:"uptime_s"`
	Stopping   bool      `json:"stopping"`
	Sandboxes  places    `json:"sandboxes"`
	Queue      waiting   `json:"queue"`
	Store      reachable `json:"store"`
	Latency    latency   `json:"latency"`
}

// latency is how long the newest thousand took. Members are left out before the
// first.
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

type reachable struct {
	Reachable bool `json:"reachable"`
}

// ask asks the storage at most once a second: the question costs it a write,
// and anybody may ask.
func (s *Server) ask(ctx context.Context) (sandboxes int, err error) {
	h := &s.health
	h.Lock()
	defer h.Unlock()
	if now := s.now(); now.Sub(h.at) >= readinessAge || h.at.IsZero() {
		ctx = context.WithoutCancel(ctx)
		h.at = now
		if h.err = s.store.Ping(ctx); h.err == nil {
			h.sandboxes, h.err = s.store.Count(ctx)
		}
	}
	return h.sandboxes, h.err
}

// ready says whether the server can do its work.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.stopping.Load() {
		plain(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	if _, err := s.ask(r.Context()); err != nil {
		s.log.Warn("not ready", "error", err)
		plain(w, http.StatusServiceUnavailable, "the storage does not answer")
		return
	}
	plain(w, http.StatusOK, "ready")
}

// status says how the server is.
func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	sandboxes, err := s.ask(r.Context())
	b, encodeErr := json.Marshal(status{
		Version: Version(), APIVersion: api.Version, StartedAt: s.began.UTC().Truncate(time.Second), UptimeS: int64(s.now().Sub(s.began) / time.Second),
		Stopping: s.stopping.Load(), Sandboxes: places{Active: sandboxes, Capacity: s.config.MaxSandboxes},
		Queue: waiting{Length: s.desk.Length(), Capacity: s.config.QueueLength}, Store: reachable{Reachable: err == nil},
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

// gauges shows what the server holds.
func (s *Server) gauges() {
	s.metrics.Gauge("platen_sandboxes", func() float64 {
		sandboxes, _ := s.ask(context.Background())
		return float64(sandboxes)
	})
	s.metrics.Gauge("platen_sandboxes_capacity", func() float64 { return float64(s.config.MaxSandboxes) })
	s.metrics.Gauge("platen_queue_length", func() float64 { return float64(s.desk.Length()) })
	s.metrics.Gauge("platen_queue_capacity", func() float64 { return float64(s.config.QueueLength) })
	s.metrics.Gauge("platen_feed_waiters", func() float64 { return float64(s.house.Watchers()) })
	s.metrics.Gauge("platen_webhook_sandboxes", func() float64 { return float64(s.dispatcher.Lanes()) })
	s.metrics.Gauge("platen_webhook_sending", func() float64 { return float64(s.dispatcher.Sending()) })
	s.metrics.Gauge("platen_webhook_deferred_age_seconds", func() float64 { return s.house.DeferredAge().Seconds() })
	s.metrics.Gauge("platen_store_reachable", func() float64 {
		if _, err := s.ask(context.Background()); err != nil {
			return 0
		}
		return 1
	})
	if shared, ok := s.gate.(*valkey.Gate); ok {
		s.sharing(shared)
	}
	s.metrics.Gauge("platen_budget_callers", func() float64 { return float64(s.gate.Size()) })
	s.metrics.Gauge("platen_connections", func() float64 { return float64(s.places.taken()) })
}

// meteredStore measures commits on their way to the storage.
type meteredStore struct {
	store.Store

	metrics *metrics.Metrics
	recent  *metrics.Recent
}

// Commit implements store.Store.
func (s *meteredStore) Commit(ctx context.Context, c store.Commit) error {
	began := time.Now()
	err := s.Store.Commit(ctx, c)
	took := time.Since(began)
	s.metrics.Committed(took, err)
	s.recent.Add(took)
	return err //nolint:wrapcheck // a commit is measured, and nothing else
}

// Version is that of the module that this program was built from.
func Version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok || build.Main.Version == "" {
		return "(devel)"
	}
	return build.Main.Version
}
