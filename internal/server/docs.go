package server

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"platen/internal/mcp"
	"platen/internal/openapi"
	"platen/internal/operation"
	"platen/internal/web"
)

// pages makes the landing page, the console and the docs.
func (s *Server) pages(table []operation.Operation, tools []mcp.Tool) (http.Handler, error) {
	recorded, events, err := openapi.Examples()
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it reads
	}
	examples := web.Examples{Operations: map[string]web.Example{}, Events: events}
	for id, e := range recorded {
		examples.Operations[id] = web.Example{Body: e.Body, Answer: e.Data}
	}
	pages, err := web.New(web.Options{
		Origin: s.origin, Operations: table, Presets: slices.Collect(maps.Values(s.presets)), Tools: shown(tools), Config: s.config, Examples: examples,
	})
	if err != nil {
		return nil, fmt.Errorf("build the pages: %w", err)
	}
	return pages, nil
}

// asYAML serves the OpenAPI document in that form, which is made when somebody
// first asks for it.
func asYAML(document []byte) http.HandlerFunc {
	written := sync.OnceValues(func() ([]byte, error) { return openapi.YAML(document) })
	return func(w http.ResponseWriter, _ *http.Request) {
		body, err := written()
		if err != nil {
			http.Error(w, "The document could not be written.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/yaml")
		w.Write(body)
	}
}
