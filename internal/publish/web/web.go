// Package web serves the pages for a browser: the landing page, the status page,
// the console, and the docs that package docsite makes.
//
// New renders its own pages, each of the docs is rendered at the first request for
// it. Each page is rendered once, so a request is a look into a map. The console
// is one document and modules that run unchanged from static: nothing is built,
// and nothing names another host.
package web

import (
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"platen/internal/company/preset"
	"platen/internal/publish/docsite"
)

//go:embed templates
var templateFiles embed.FS

// Options hold the data that the pages need.
type Options struct {
	// Site is the docs, whose frame all pages but the console have.
	Site *docsite.Site
	// Presets are those of this server, in the order of the landing page.
	Presets []preset.Preset
	// ExtensionWindow is how long before its end a sandbox can be extended.
	ExtensionWindow time.Duration
	// Unknown, when set, handles programs' requests for paths that are no page.
	Unknown http.Handler
}

// New returns the handler that serves the pages. It responds to every path with a
// page, a file or the page that says there is none.
func New(o Options) (*Pages, error) {
	files, err := ownAssets()
	if err != nil {
		return nil, err
	}
	pages, err := o.Site.Renderer(templateFiles, template.FuncMap{
		"command": func(text string) []piece { return pieces(text, o.Site.BaseURL()) },
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what was parsed
	}
	h := &Pages{site: o.Site, files: files, unknown: o.Unknown, documents: map[string]*document{}}
	for _, p := range []docsite.Page{landing(o), status(), {Template: "missing", Title: "Page not found"}} {
		body, err := pages.Page(p)
		if err != nil {
			return nil, fmt.Errorf("render the pages: %w", err)
		}
		h.documents[p.Path] = newDocument(p.Path, docsite.TypeHTML, body)
	}
	// Browsers and crawlers ask for these by their names.
	icon, err := embedded.ReadFile("static/favicon.svg")
	if err != nil {
		return nil, fmt.Errorf("load the icon: %w", err)
	}
	h.documents["/favicon.ico"] = newDocument("/favicon.ico", "image/svg+xml", icon)
	h.documents["/robots.txt"] = newDocument("/robots.txt", "text/plain; charset=utf-8",
		[]byte("User-agent: *\nAllow: /\n"))
	h.missing = h.documents[""]
	delete(h.documents, "")
	console, err := pages.Execute("console", struct {
		Modules          []string
		WindowSeconds    int
		Triggers         []triggerKind
		Faults           []faultKind
		FaultyOperations [2][]string
	}{consoleModules, int(o.ExtensionWindow / time.Second), triggerKinds(), faultKinds(), faultyOperations()})
	if err != nil {
		return nil, fmt.Errorf("render the console: %w", err)
	}
	h.console = newDocument(consolePath, docsite.TypeHTML, console)
	return h, nil
}

// status is the page of a server's state.
func status() docsite.Page {
	return docsite.Page{
		Template: "status", Title: "Status", Path: "/status", Scripts: []string{"status.js"},
		Styles:      []string{"parts.css", "status.css"},
		Description: "The state of this server: its version, storage, capacity and queue.",
	}
}
