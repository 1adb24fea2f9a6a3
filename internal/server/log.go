package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"platen/internal/api"
	"platen/internal/edge/ratelimit"
	"platen/internal/server/metrics"
	"platen/internal/words/problem"
)

// waits are the operations that wait until something happens.
var waits = map[string]bool{"poll_events": true} //nolint:gochecknoglobals // read only

// observe counts and logs a request to the API.
func (s *Server) observe(a *api.Answered) {
	operation := a.Operation
	switch {
	case a.Watching:
		operation = metrics.Console
	case operation == "":
		operation = metrics.NoOperation
	case !waits[operation]:
		s.requests.Add(a.Took)
	}
	s.metrics.Answered(operation, a.Status, a.Code, a.Took)
	if a.Budget.Outcome != ratelimit.Passed && a.Budget.Outcome != "" {
		s.metrics.Limited(string(a.Budget.By), string(a.Budget.Outcome))
	}
	s.logRequest(a)
}

// logRequest writes one line for a request: its route and never its path, its
// query, a header or a body, since keys could be in them.
func (s *Server) logRequest(a *api.Answered) {
	ctx := context.Background()
	if !s.log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	if a.Status == http.StatusTooManyRequests || a.Code == problem.Banned {
		write, left := s.refusals.allow(time.Now())
		if left > 0 {
			s.log.LogAttrs(ctx, slog.LevelInfo, "requests over a limit failed and have no line of their own",
				slog.Int("requests", left))
		}
		if !write {
			return
		}
	}
	attributes := make([]slog.Attr, 0, 9)
	attributes = append(attributes, slog.String("method", a.Method), slog.String("route", a.Route),
		slog.Int("status", a.Status), slog.Duration("duration", a.Took))
	if a.ID != "" {
		attributes = append(attributes, slog.String("request_id", a.ID))
	}
	if a.SandboxID != "" {
		attributes = append(attributes, slog.String("sandbox", a.SandboxID))
	}
	if a.Traceparent != "" {
		attributes = append(attributes, slog.String("traceparent", a.Traceparent))
	}
	if a.Network != "" {
		attributes = append(attributes, slog.String("network", a.Network))
	}
	if a.Code != "" {
		attributes = append(attributes, slog.String("error_code", string(a.Code)))
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, "request", attributes...)
}

// refusalLines is the number of requests over a limit that are logged in a
// second: a flood must not fill the disk.
const refusalLines = 10

// sample lets some lines of each second through.
type sample struct {
	mu sync.Mutex // guards the fields below
	// second is the one that lines are counted in, written the number of its
	// lines that were let through, left the number that were not since the last
	// that was.
	second        int64
	written, left int
}

// allow reports whether a line is to be written, and the number of lines before
// it that were not, which is logged once in a second.
func (s *sample) allow(now time.Time) (write bool, left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := now.Unix(); second != s.second {
		left, s.left = s.left, 0
		s.second, s.written = second, 0
	}
	if write = s.written < refusalLines; write {
		s.written++
	} else {
		s.left++
	}
	return write, left
}

// observed counts and logs requests outside of the API.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		counted := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(counted, r)
		took := time.Since(began)
		s.metrics.Answered(metrics.Page, counted.status, problem.Code(""), took)
		// The pattern is the router's own, not the client's path.
		route := r.Pattern[strings.IndexByte(r.Pattern, ' ')+1:]
		s.logRequest(&api.Answered{Method: r.Method, Route: route, Status: counted.status, Took: took})
	})
}

// statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
