package server

import (
	"fmt"
	"net/http"

	"platen/internal/mcp"
	"platen/internal/mcp/front"
	"platen/internal/mcp/session"
	"platen/internal/operation"
	"platen/internal/web"
)

// agents makes the endpoint that agents connect to.
func (s *Server) agents(table []operation.Operation) (*mcp.Endpoint, error) {
	endpoint, err := mcp.New(mcp.Options{
		Door: s.api, Book: session.NewBook(s.store, s.now), Operations: table, Presets: s.house.Presets(), Policy: front.Policy(s.config.Sessionless),
		Origin: s.origin, Serves: s.serves, Version: Version(), Log: s.log,
	})
	if err != nil {
		return nil, fmt.Errorf("build the agent endpoint: %w", err)
	}
	return endpoint, nil
}

// shown are tools as the docs show them.
func shown(tools []mcp.Tool) []web.Tool {
	all := make([]web.Tool, len(tools))
	for i, t := range tools {
		all[i] = web.Tool(t)
	}
	return all
}

// noAuthorization tells agents that look for somebody to log in with that there is
// nobody: keys come from create_sandbox.
func noAuthorization(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprintln(w, `{"error":"not_found","error_description":"There is no authorization server. The endpoint needs no key, or takes that of a sandbox as a Bearer token."}`)
}
