package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
)

// maxOpsConnections bounds the connections of the operator's own programs.
const maxOpsConnections = 64

// listenForOperators opens the second address, if there is one. Its connections
// have places of their own, so it responds when clients have taken all others.
func (s *Server) listenForOperators(ctx context.Context) error {
	if s.config.OpsListen == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.config.OpsListen)
	if err != nil {
		return fmt.Errorf("ops-listen: %w", err)
	}
	limited := limitConnections(listener, connectionLimits{total: maxOpsConnections})
	mux := http.NewServeMux()
	s.healthRoutes(mux)
	mux.HandleFunc("GET /status.json", s.status)
	mux.HandleFunc("GET /metrics", s.figures)
	mux.HandleFunc("POST /bans/lift", s.liftBans)
	// No page of another site may lift bans through the browser of an operator.
	s.opsHTTP = guarded(s.namedByOperators(http.NewCrossOriginProtection().Handler(mux)), limited, s.log)
	s.opsListener = limited
	return nil
}

// namedByOperators serves requests under the names that acceptsOperator lets in.
func (s *Server) namedByOperators(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.acceptsOperator(r.Host) {
			plain(w, http.StatusMisdirectedRequest, "The address for operators is not served under this name.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// healthRoutes serves the routes that say whether the server does its work.
func (s *Server) healthRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
}

// liftBans ends all bans of networks and responds with how many there were.
func (s *Server) liftBans(w http.ResponseWriter, _ *http.Request) {
	lifted := s.LiftBans()
	s.log.Info("lift all bans of networks", "bans", lifted)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprintf(w, "{\"bans_lifted\":%d}\n", lifted)
}

// closeForOperators closes the address for operators, if there is one.
func (s *Server) closeForOperators() {
	if s.opsHTTP == nil {
		return
	}
	if err := s.opsHTTP.Close(); err != nil {
		s.log.Warn("close the connections of operators", "error", err)
	}
}

// OpsAddr returns the address for operators, nil when there is none.
func (s *Server) OpsAddr() net.Addr {
	if s.opsListener == nil {
		return nil
	}
	return s.opsListener.Addr()
}
