package server

import (
	"fmt"
	"net/http"

	"platen/internal/mcp"
	"platen/internal/mcp/session"
	"platen/internal/publish/docsite"
	"platen/internal/words/wire"
)

// docsSearch searches the docs for agents. It implements mcp.Docs.
type docsSearch struct{ site *docsite.Site }

// Search implements mcp.Docs.
func (d docsSearch) Search(query string, limit int, graded bool) ([]mcp.Page, error) {
	found, err := d.site.Search(query, limit, graded)
	pages := make([]mcp.Page, len(found))
	for i := range found {
		pages[i] = mcp.Page(found[i])
	}
	return pages, err //nolint:wrapcheck // it names the page
}

// Guide implements mcp.Docs.
func (d docsSearch) Guide(file string) (string, error) {
	return d.site.Markdown(file) //nolint:wrapcheck // it names the guide
}

// agentEndpoint makes the endpoint that agents connect to.
func (s *Server) agentEndpoint(site *docsite.Site) (*mcp.Endpoint, error) {
	endpoint, err := mcp.New(mcp.Options{
		API: s.api, Sessions: session.NewStore(s.store, s.now), Operations: s.table, Presets: s.registry.Presets(),
		Origin: s.origin, Serves: s.acceptsHost, Ours: s.ours,
		Version: Version(), Docs: docsSearch{site}, Log: s.log,
	})
	if err != nil {
		return nil, fmt.Errorf("build the agent endpoint: %w", err)
	}
	return endpoint, nil
}

// agents serves an endpoint that is made at the first request for it.
func (s *Server) agents(endpoint func() (*mcp.Endpoint, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(wire.HeaderSimulation, "true")
		e, err := endpoint()
		if err != nil { // a mistake in the tables of tools that the tests of mcp find
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusInternalServerError)
			w.Write(s.api.Envelope(nil, fmt.Errorf("no agent is served: %w", err))) // and it logs the error
			return
		}
		e.ServeHTTP(w, r)
	}
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
