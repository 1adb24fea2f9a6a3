// Package metrics counts the work of a server, for operators: requests by
// operation and status, how long they took, refusals by code, and the work of
// the storage. Prometheus reads the text that it writes. No label holds
// anything that a client chose.
package metrics

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"platen/internal/operation"
	"platen/internal/words/problem"
)

const (
	statusLeast = 100
	maxStatus   = 599
)

// Labels of requests that are for no operation of the table.
const (
	// NoOperation is the label of requests below the API's path that belong to
	// no operation.
	NoOperation = "none"
	// Page is the label of everything for people, Console that of the requests
	// that keep the web console up to date.
	Page    = "page"
	Console = "console"
)

// Metrics are those of one server.
type Metrics struct {
	set        *metrics.Set
	operations map[string]*perOperation
	refusals   map[problem.Code]*metrics.Counter
	commits    *metrics.PrometheusHistogram
	failed     *metrics.Counter
	attempts   *metrics.PrometheusHistogram
}

// connectionReasons are those for which a connection is closed to keep within
// the limits: its network group or block had as many as it may, it waited for a request
// while nearly all places were taken, or its request was slow to arrive while all were.
//
//nolint:gochecknoglobals // read only
var connectionReasons = []string{"network", "block", "idle", "incomplete", "unread"}

// perOperation counts the responses of one operation.
type perOperation struct {
	id   string
	took *metrics.PrometheusHistogram
	// answers are by status, made when the first one comes.
	answers [maxStatus - statusLeast + 1]atomic.Pointer[metrics.Counter]
}

// Upper bounds of the histograms in seconds. Responses from memory take less
// than a millisecond, those behind a disk a few, and a long-poll up to 25
// seconds.
func requestBounds() []float64 {
	return []float64{0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}
}

func commitBounds() []float64 {
	return []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5}
}

// attemptBounds: an attempt is broken off after 5 seconds.
func attemptBounds() []float64 { return []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5} }

// New returns the metrics of a server with a table of operations.
func New(table []operation.Operation, version string) *Metrics {
	// Types of metrics in the text: a switch of the library for the whole
	// process, which has no other users.
	metrics.ExposeMetadata(true)
	m := &Metrics{
		set: metrics.NewSet(), operations: map[string]*perOperation{}, refusals: map[problem.Code]*metrics.Counter{},
	}
	for i := range table {
		m.add(table[i].ID)
	}
	m.add(NoOperation)
	m.add(Page)
	m.add(Console)
	for _, d := range problem.All() {
		m.refusals[d.Code] = m.set.NewCounter(fmt.Sprintf(`platen_refusals_total{code=%q}`, d.Code))
	}
	m.commits = m.set.NewPrometheusHistogramExt("platen_commit_duration_seconds", commitBounds())
	m.attempts = m.set.NewPrometheusHistogramExt("platen_webhook_attempt_duration_seconds", attemptBounds())
	m.failed = m.set.NewCounter("platen_commit_failures_total")
	for _, reason := range connectionReasons {
		m.ended(reason)
	}
	began := time.Now()
	m.set.NewGauge(fmt.Sprintf(`platen_build_info{version=%q,go_version=%q}`, version, runtime.Version()),
		func() float64 { return 1 })
	m.set.NewGauge("platen_uptime_seconds", func() float64 { return time.Since(began).Seconds() })
	return m
}

func (m *Metrics) add(id string) {
	m.operations[id] = &perOperation{
		id: id, took: m.set.NewPrometheusHistogramExt(fmt.Sprintf(`platen_request_duration_seconds{operation=%q}`, id),
			requestBounds()),
	}
}

// Answered counts a request. The code is that of a refusal, "" for none.
func (m *Metrics) Answered(operationID string, status int, code problem.Code, took time.Duration) {
	o := m.operations[operationID]
	if o == nil {
		o = m.operations[NoOperation]
	}
	o.took.Update(took.Seconds())
	if status < statusLeast || status > maxStatus {
		status = http.StatusInternalServerError // the status that net/http sends
	}
	place := &o.answers[status-statusLeast]
	counter := place.Load()
	if counter == nil {
		counter = m.set.GetOrCreateCounter(fmt.Sprintf(`platen_requests_total{operation=%q,status="%d"}`, o.id, status))
		place.Store(counter)
	}
	counter.Inc()
	if refusals := m.refusals[code]; refusals != nil {
		refusals.Inc()
	}
}

// Limited counts a request that a budget refused, by the budget and the outcome
// for the caller.
func (m *Metrics) Limited(budget, outcome string) {
	m.set.GetOrCreateCounter(fmt.Sprintf(`platen_limited_total{budget=%q,outcome=%q}`, budget, outcome)).Inc()
}

// SentOn counts an attempt to send a request on to the node that owns its sandbox, by
// its outcome.
func (m *Metrics) SentOn(outcome string) {
	m.set.GetOrCreateCounter(fmt.Sprintf("platen_hops_total{outcome=%q}", outcome)).Inc()
}

// ConnectionEnded counts a connection that the server closed to keep within its
// limits.
func (m *Metrics) ConnectionEnded(reason string) { m.ended(reason).Inc() }

func (m *Metrics) ended(reason string) *metrics.Counter {
	return m.set.GetOrCreateCounter(fmt.Sprintf(`platen_connections_ended_total{reason=%q}`, reason))
}

// Committed counts a commit to the storage and how long it took to be durable.
func (m *Metrics) Committed(took time.Duration, err error) {
	if err != nil {
		m.failed.Inc()
		return
	}
	m.commits.Update(took.Seconds())
}

// Attempted counts an attempt to deliver to a webhook and how long it took. The
// class is that of its error, "" for none.
func (m *Metrics) Attempted(errorClass string, took time.Duration) {
	if errorClass == "" {
		errorClass = "none"
	}
	m.set.GetOrCreateCounter(fmt.Sprintf(`platen_webhook_attempts_total{error_class=%q}`, errorClass)).Inc()
	m.attempts.Update(took.Seconds())
}

// Gauge shows the value of a function, called for each scrape.
func (m *Metrics) Gauge(name string, value func() float64) { m.set.NewGauge(name, value) }

// Write writes everything in the text form of Prometheus, the process itself
// included.
func (m *Metrics) Write(w io.Writer) {
	m.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}
