package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
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

// unplacedPlain is the plain form of it.
var unplacedPlain = sync.OnceValues(func() ([]byte, error) { //nolint:gochecknoglobals // read only
	document, err := unplaced()
	if err != nil {
		return nil, err
	}
	return openapi.Plain(document) //nolint:wrapcheck // OpenAPI names itself in the error
})

// profilePlain names the plain form of the OpenAPI document.
const profilePlain = "plain"

// OpenAPI returns the OpenAPI document of a server with an origin, as JSON. The plain form is for generators of clients
// that refuse the other.
func OpenAPI(origin string, plain bool) ([]byte, error) {
	written := unplaced
	if plain {
		written = unplacedPlain
	}
	document, err := written()
	if err != nil {
		return nil, fmt.Errorf("build the OpenAPI document: %w", err)
	}
	quoted, err := json.Marshal(origin)
	if err != nil {
		return nil, fmt.Errorf("write the origin: %w", err)
	}
	return bytes.ReplaceAll(document, []byte(nowhere), bytes.Trim(quoted, `"`)), nil
}

// profiles serves the OpenAPI document in the form that a request names.
func (s *Server) profiles(contentType string, as func([]byte) ([]byte, error)) http.HandlerFunc {
	form := func(plain bool) http.HandlerFunc {
		return web.Document(contentType, func() ([]byte, error) {
			document, err := OpenAPI(s.origin, plain)
			if err != nil || as == nil {
				return document, err
			}
			return as(document)
		})
	}
	whole, plain := form(false), form(true)
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("profile") {
		case "":
			whole(w, r)
		case profilePlain:
			plain(w, r)
		default:
			http.Error(w, "profile is plain, or left out.", http.StatusBadRequest)
		}
	}
}
