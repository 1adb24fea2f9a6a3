// Package docsite makes the docs: guides from Markdown, the pages of operations,
// events, errors, missions, presets and settings from the tables that the program
// runs on, and the search of them for people and for agents. It repeats nothing
// that the tables say already, and serves nothing: package web does.
//
// Each page is rendered once, when it is first asked for: all of them take most of a
// second, and most servers are asked for few. A search reads them all.
package docsite

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"platen/internal/company/mission"
	"platen/internal/company/preset"
	"platen/internal/config"
	"platen/internal/operation"
	"platen/internal/publish/docsite/prose"
	"platen/internal/words/event"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Options hold the data that the pages need.
type Options struct {
	// Origin is the scheme and host that snippets begin with, without a slash
	// at the end.
	Origin string
	// Asset returns the path at which a script, a style sheet or a picture is
	// served.
	Asset func(name string) string
	// Operations is the table that the reference pages are made from.
	Operations []operation.Operation
	// Presets are those of this server, in the order of the pages.
	Presets []preset.Preset
	// Agents returns the part of the agent endpoint in the docs, Examples recorded
	// bodies and responses, as the OpenAPI document has them. Both may be nil, and
	// are called when the docs are rendered.
	Agents   func() (Agents, error)
	Examples func() (Examples, error)
	// Graded leaves out the pages about grading: those who read the docs of such a server are graded.
	Graded bool
	// Config is that of this server, whose numbers the guides say; nil for the
	// defaults.
	Config *config.Config
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

// Site is the docs of one server.
type Site struct {
	origin     string
	asset      func(name string) string
	operations []operation.Operation
	events     []event.Definition
	problems   []problem.Definition
	missions   []mission.Introduction
	presets    []preset.Preset
	settings   []setting
	words      *glossary
	graded     bool
	agents     func() (Agents, error)
	examples   func() (Examples, error)
	// library is the pages of the docs, which are listed at the first use.
	library func() (*library, error)
	recent  recentSearches
	// searching has a place for each processor: no more searches are computed at a time.
	searching chan struct{}
}

// New returns the docs of a server.
func New(o Options) *Site {
	s := &Site{
		origin: o.Origin, asset: o.Asset, operations: o.Operations, events: event.All(), problems: problem.All(),
		missions: mission.All(), presets: o.Presets, agents: o.Agents, settings: settingsOf(o.Config),
		graded: o.Graded, examples: o.Examples, searching: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	s.words = newGlossary(s)
	s.library = sync.OnceValues(s.list)
	return s
}

// File is a document of the docs as it is served.
type File struct {
	ContentType string
	Body        []byte
}

// Content types of documents.
const (
	TypeHTML     = "text/html; charset=utf-8"
	typeMarkdown = "text/markdown; charset=utf-8"
	typeText     = "text/plain; charset=utf-8"
	typeJSON     = "application/json"
)

// Paths lists where there is a page of the docs, its Markdown, or another file.
func (s *Site) Paths() ([]string, error) {
	l, err := s.library()
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(l.files)), nil
}

// File returns what is served at a path of the docs, false where nothing is. An error is a
// mistake in a guide, a template or a table.
func (s *Site) File(path string) (File, bool, error) {
	l, err := s.library()
	if err != nil {
		return File{}, false, err
	}
	read, ok := l.files[path]
	if !ok {
		return File{}, false, nil
	}
	file, err := read()
	return file, true, err
}

// Origin is the scheme and host that snippets begin with.
func (s *Site) Origin() string { return s.origin }

// BaseURL is the URL in front of the paths of operations.
func (s *Site) BaseURL() string { return s.origin + wire.BasePath }

// Counts says how many of each there are, for the overviews.
func (s *Site) Counts() map[string]int {
	made := 0
	for _, d := range s.events {
		if d.Data != nil {
			made++
		}
	}
	return map[string]int{
		"operations": len(s.operations), "events": len(s.events), "made": made, "problems": len(s.problems),
		"missions": len(s.missions),
	}
}

//go:embed templates
var templateFiles embed.FS

// Renderer renders pages in the frame of the site, which has its header, its
// footer and its style sheets.
type Renderer struct {
	site      *Site
	templates *template.Template
}

// Renderer returns one for the templates in a folder templates of a file system.
// They may use those of the frame, the functions of the docs and some of their own.
func (s *Site) Renderer(files fs.FS, own template.FuncMap) (*Renderer, error) {
	templates := template.New("").Funcs(template.FuncMap{
		"prose": s.words.prose, "fieldProse": s.words.fieldProse, "code": code, "asset": s.asset,
		"systemName": systemName, "eventWords": eventWords, "fact": s.fact, "breakable": breakable,
	}).Funcs(own)
	if _, err := templates.ParseFS(templateFiles, "templates/frame.html"); err != nil {
		return nil, fmt.Errorf("parse the frame: %w", err)
	}
	if _, err := templates.ParseFS(files, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("parse the templates: %w", err)
	}
	return &Renderer{s, templates}, nil
}

// Page is a page beside the docs.
type Page struct {
	// Template names the template of the page's own part, which is given Content.
	Template    string
	Title, Path string
	// Description is one sentence for search engines and previews.
	Description string
	// Scripts and Styles are the files of the page's own beside those of all.
	Scripts, Styles []string
	Content         any
}

// Page renders a page beside the docs.
func (r *Renderer) Page(p Page) ([]byte, error) {
	_, whole, err := r.page(page{
		Template: p.Template, Title: p.Title, Path: p.Path, Description: p.Description, Scripts: p.Scripts,
		Styles: p.Styles, Content: p.Content,
	})
	return whole, err
}

// page renders a page's own part, and the whole page.
func (r *Renderer) page(p page) (main template.HTML, whole []byte, err error) {
	p.Site = r.site
	own, err := r.Execute(p.Template, p)
	if err != nil {
		return "", nil, fmt.Errorf("page %s: %w", p.Path, err)
	}
	if r.site.graded { // its Markdown is made of it
		own = unlinked(own)
	}
	main = template.HTML(own) //nolint:gosec // a template of ours made it
	if whole, err = r.Execute("frame", struct {
		page
		Main template.HTML
	}{p, main}); err != nil {
		return "", nil, fmt.Errorf("page %s: %w", p.Path, err)
	}
	if r.site.graded {
		whole = unlinked(whole)
	}
	return main, whole, nil
}

// Execute renders a template without the frame.
func (r *Renderer) Execute(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := r.templates.ExecuteTemplate(&b, name, data); err != nil {
		return nil, err //nolint:wrapcheck // it names the template
	}
	return b.Bytes(), nil
}

// code is a block of code on a page that a template makes.
func code(language, text string) template.HTML {
	return template.HTML(prose.Code(language, text)) //nolint:gosec // it escapes its input
}

// breakable splits a code where a line may break: after each underscore.
func breakable(text string) []string { return strings.SplitAfter(text, "_") }

func systemName(system operation.System) string {
	names := map[operation.System]string{
		operation.Open: "No key", operation.Shared: "Either key", operation.Office: "Head Office",
		operation.Factory: "Factory", operation.System(event.HR): "People", operation.System(event.World): "World",
		operation.System(event.Sandbox): "Sandbox",
	}
	if name, ok := names[system]; ok {
		return name
	}
	return fmt.Sprintf("%s (one of %v)", system, slices.Sorted(maps.Keys(names)))
}
