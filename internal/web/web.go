// Package web serves the pages for a browser: the landing page, the console and
// the docs. It reads the tables of operations, events, problems and missions,
// and repeats nothing that they say already.
//
// New renders the landing page, the status page and the console; the docs are
// rendered at their first use. Each page is rendered once, so a request is a
// look into a map. The docs are plain documents that need no script. The console
// is one document and modules that run as they stand in static: nothing is
// built, and nothing names another host.
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

// Options hold the data that the pages need.
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
	// Examples are recorded bodies and responses, as the OpenAPI document has
	// them.
	Examples Examples
	// Unknown, when set, handles programs' requests for paths that are no page.
	Unknown http.Handler
}

// Examples are the responses of a company in a test.
type Examples struct {
	// Operations has them by operation id, Events by type.
	Operations map[string]Example
	Events     map[event.Type]json.RawMessage
}

// Example is a recorded request and its response.
type Example struct {
	// Body is the request's body, empty for none; Answer is the response's
	// data.
	Body, Answer json.RawMessage
}

// New renders all pages but the docs, which are rendered at their first use, and
// returns the handler that serves them. It responds to every path with a page, a
// file or the page that says there is none.
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
	h := &Pages{
		unknown: o.Unknown, documents: s.documents(), files: files, missing: newDocument("", missing),
		console: newDocument(consolePath, console),
	}
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

// library is the docs. They are rendered when a client first asks for one of
// them, which takes most of a second: servers start far more often than they
// are read.
type library struct {
	documents map[string]*document
	// search answers queries.
	search *search
}

func (s *site) library() (*library, error) {
	err := s.addAll(s.addGuides, s.addOperations, s.addEvents, s.addProblems, s.addMissions, s.addPresets, s.addAgents,
		s.addEconomy, s.addSettings, s.name)
	if err != nil {
		return nil, err
	}
	l := &library{documents: s.documents(), search: newSearch(s)}
	for path, text := range s.texts() {
		l.documents[path] = newText(path, text.contentType, text.body)
	}
	return l, nil
}
