// Package web serves what people see in a browser: the landing page, the
// console and the docs. It reads the tables of operations, events, problems and missions, and
// describes nothing that they say already.
//
// Every page is rendered once, when the program starts, so a request is a look
// into a map. The docs are plain documents that need no script. The console is
// one document and modules that run as they stand in static: nothing is built,
// and nothing names another host.
package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"platen/internal/company/preset"
	"platen/internal/config"
	"platen/internal/event"
	"platen/internal/operation"
)

// basePath is where the API lives below the origin (contract: VER.PREFIX).
const basePath = "/v1"

// Options are what the pages need to know.
type Options struct {
	// Origin is the scheme and host that snippets begin with, without a slash
	// at the end.
	Origin string
	// Operations is the table that the reference pages are made from.
	Operations []operation.Operation
	// Presets are those of this server.
	Presets []preset.Preset
	// Tools are those of the agent endpoint.
	Tools []Tool
	// Config is that of this server, whose numbers the guides say; nil for the
	// defaults.
	Config *config.Config
	// Examples are true bodies and answers, as the OpenAPI document has them.
	Examples Examples
	// Unknown, when set, answers programs that ask for what is no page.
	Unknown http.Handler
}

// Examples are what a company answered in a test.
type Examples struct {
	// Operations has them by operation id, Events by type.
	Operations map[string]Example
	Events     map[event.Type]json.RawMessage
}

// Example is a true request and its answer.
type Example struct {
	// Body is what was sent, empty for nothing; Answer is the answer's data.
	Body, Answer json.RawMessage
}

// New renders every page and returns the handler that serves them. It answers
// every path with a page, a file or the page that says there is none.
func New(o Options) (*Pages, error) {
	files, err := ownAssets()
	if err != nil {
		return nil, err
	}
	s, err := newSite(o, files)
	if err != nil {
		return nil, err
	}
	if err := s.addAll(s.addLanding, s.addStatus); err != nil {
		return nil, err
	}
	missing, err := s.render(page{Title: "No such page", Template: "missing"})
	if err != nil {
		return nil, fmt.Errorf("render the pages: %w", err)
	}
	console, err := s.consoleDocument()
	if err != nil {
		return nil, err
	}
	h := &Pages{unknown: o.Unknown, documents: s.documents(), files: files, missing: newDocument("", missing), console: newDocument(consolePath, console)}
	h.library = sync.OnceValues(s.library)
	return h, nil
}

// addAll renders pages.
func (s *site) addAll(pages ...func() error) error {
	for _, add := range pages {
		if err := add(); err != nil {
			return fmt.Errorf("render the pages: %w", err)
		}
	}
	return nil
}

// documents are the pages that were rendered so far.
func (s *site) documents() map[string]*document {
	all := make(map[string]*document, len(s.rendered))
	for path, body := range s.rendered {
		all[path] = newDocument(path, body)
	}
	return all
}

// library is the docs. They are rendered when somebody first asks for one of
// them, which takes most of a second: servers start far more often than they are
// read.
type library struct {
	documents map[string]*document
	// search answers queries.
	search *search
}

func (s *site) library() (*library, error) {
	err := s.addAll(s.addGuides, s.addOperations, s.addEvents, s.addProblems, s.addMissions, s.addPresets, s.addAgents, s.addEconomy, s.addSettings, s.name)
	if err != nil {
		return nil, err
	}
	l := &library{documents: s.documents(), search: newSearch(s)}
	for path, text := range s.texts() {
		l.documents[path] = newText(path, text.contentType, text.body)
	}
	return l, nil
}
