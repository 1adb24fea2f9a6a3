package server

import (
	"fmt"
	"net/http"

	"platen/internal/mcp"
	"platen/internal/mcp/gateway"
	"platen/internal/mcp/session"
	"platen/internal/operation"
	"platen/internal/web"
)

// siteSearch searches the docs of the site for agents. The site shows the tools
// of the endpoint, so it is made after the endpoint.
type siteSearch struct {
	origin string
	pages  *web.Pages
}

// Search implements mcp.Docs.
func (s *siteSearch) Search(query string, most int) []mcp.Page {
	var found []mcp.Page
	for _, f := range s.pages.Search(query, most) {
		found = append(found, mcp.Page{Title: f.Title, URL: s.origin + f.Path, Text: f.Text})
	}
	return found
}

// agents makes the endpoint that agents connect to.
func (s *Server) agents(table []operation.Operation, docs mcp.Docs) (*mcp.Endpoint, error) {
	endpoint, err := mcp.New(mcp.Options{
		Door: s.api, Sessions: session.NewStore(s.store, s.now), Operations: table, Presets: s.registry.Presets(),
		Policy: gateway.Policy(s.config.Sessionless), Origin: s.origin, Serves: s.serves, Version: Version(),
		Docs: docs, Log: s.log,
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

// noAuthorization tells agents that look for an authorization server that there
// is none: keys come from create_sandbox.
func noAuthorization(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprintln(w, `{"error":"not_found","error_description":"There is no authorization server. The endpoint needs `+
		`no key, or takes that of a sandbox as a Bearer token."}`)
}
