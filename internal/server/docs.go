package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"platen/internal/company/preset"
	"platen/internal/mcp"
	"platen/internal/operation"
	"platen/internal/publish/docsite"
	"platen/internal/publish/openapi"
	"platen/internal/publish/web"
	"platen/internal/words/wire"
)

// docs makes the docs. They show the tools of the agent endpoint, and find what it
// says itself.
func (s *Server) docs(endpoint func() (*mcp.Endpoint, error)) *docsite.Site {
	return docsite.New(docsite.Options{
		Origin: s.origin, Asset: web.Asset, Operations: s.table, Presets: preset.Ordered(s.presets), Config: s.config,
		Graded: s.config.Graded,
		Examples: func() (docsite.Examples, error) {
			recorded, events, err := openapi.Examples()
			examples := docsite.Examples{Operations: map[string]docsite.Example{}, Events: events}
			for id, e := range recorded {
				examples.Operations[id] = docsite.Example{Body: e.Body, Answer: e.Data}
			}
			return examples, err //nolint:wrapcheck // the error names the file
		},
		Agents: func() (docsite.Agents, error) {
			e, err := endpoint()
			if err != nil {
				return docsite.Agents{}, err
			}
			var agents docsite.Agents
			for _, t := range e.Tools() {
				agents.Tools = append(agents.Tools, docsite.Tool(t))
			}
			for _, d := range mcp.Documents() {
				agents.Documents = append(agents.Documents, docsite.Document(d))
			}
			return agents, nil
		},
	})
}

// pages serves the landing page, the console and the docs.
func (s *Server) pages(site *docsite.Site) (*web.Pages, error) {
	pages, err := web.New(web.Options{
		Site: site, Presets: preset.Ordered(s.presets), ExtensionWindow: s.config.ExtensionWindow, Unknown: s.api,
	})
	if err != nil {
		return nil, fmt.Errorf("build the pages: %w", err)
	}
	return pages, nil
}

// nowhere is the origin in the document that is built. Its name is reserved
// (RFC 6761), so no text of the document has it for another reason.
const nowhere = "http://platen.invalid"

// unplaced is the OpenAPI document but for its origin. Building it takes longer
// than everything else of a server's start.
var unplaced = sync.OnceValues(func() ([]byte, error) { //nolint:gochecknoglobals // read only
	//nolint:wrapcheck // OpenAPI names itself in the error
	return openapi.Document(operation.Table(), nowhere+wire.BasePath, wire.Version)
})

// OpenAPI returns the OpenAPI document of a server with an origin, as JSON.
func OpenAPI(origin string) ([]byte, error) {
	document, err := unplaced()
	if err != nil {
		return nil, fmt.Errorf("build the OpenAPI document: %w", err)
	}
	quoted, err := json.Marshal(origin)
	if err != nil {
		return nil, fmt.Errorf("write the origin: %w", err)
	}
	return bytes.ReplaceAll(document, []byte(nowhere), bytes.Trim(quoted, `"`)), nil
}
