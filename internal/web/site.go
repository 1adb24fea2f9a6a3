package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"platen/internal/company/mission"
	"platen/internal/company/preset"
	"platen/internal/event"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/web/prose"
	"platen/internal/wire"
)

//go:embed templates
var templateFiles embed.FS

// site collects the pages while they are rendered.
type site struct {
	origin     string
	assets     *assets
	operations []operation.Operation
	events     []event.Definition
	problems   []problem.Definition
	missions   []mission.Introduction
	presets    []preset.Preset
	tools      []Tool
	settings   []setting
	// window is how long before its end a sandbox can be extended.
	window   time.Duration
	examples Examples

	words     *glossary
	templates *template.Template
	rendered  map[string][]byte
	// written are the pages of the docs as Markdown, in the order of reading.
	written []writtenPage
}

// writtenPage is a page of the docs as Markdown.
type writtenPage struct {
	page
	markdown string
}

// page is the data of a template.
type page struct {
	// Template names the template of the page's own part.
	Template string
	Title    string
	// Description is one sentence for search engines and previews.
	Description string
	// Section is the path of the docs section that the page belongs to, empty
	// for pages outside of the docs.
	Section string
	Path    string
	// Contents are the lists of links beside the page.
	Contents []contents
	// Previous and Next are the neighbours in the table.
	Previous, Next *link
	Content        any
	// OnPage are the headings of a guide.
	OnPage []prose.Heading
	// Also are words that the search finds the page by, and with the id of a
	// heading the part below it.
	Also map[string]string
	// Query is the text of the search.
	Query string
	// Markdown is the source of a guide, nil for pages made from tables.
	Markdown []byte
	// Scripts and Styles are the files of the page's own beside those of all.
	Scripts, Styles []string
	Site            *site
}

// MarkdownPath is where the page is served as Markdown.
func (p page) MarkdownPath() string {
	if strings.HasSuffix(p.Path, "/") {
		return p.Path + "index.md"
	}
	return p.Path + ".md"
}

// contents is a titled list of links.
type contents struct {
	Title string
	// System colours the title, empty for none.
	System operation.System
	Links  []link
}

// link leads to a page or a place in one.
type link struct {
	Path, Text string
	// Mark stands before the text: a method or a status.
	Mark string
	// Faint is set for a link to an event type that is not made yet.
	Faint bool
	// Code is set where the text is an identifier.
	Code bool
}

func newSite(o Options, files *assets) (*site, error) {
	s := &site{
		origin: o.Origin, assets: files, operations: o.Operations,
		events: event.All(), problems: problem.All(), missions: mission.All(), presets: o.Presets, tools: o.Tools,
		settings: settingsOf(o.Config), window: windowOf(o.Config), examples: o.Examples, rendered: map[string][]byte{},
	}
	s.words = newGlossary(s)
	var err error
	s.templates, err = template.New("").Funcs(template.FuncMap{
		"prose": s.words.prose, "command": s.command, "code": code, "asset": files.path, "systemName": systemName,
		"eventWords": eventWords, "fact": s.fact,
	}).ParseFS(templateFiles, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse the templates: %w", err)
	}
	return s, nil
}

// add renders a page and keeps it under its path.
func (s *site) add(p page) error {
	if s.rendered[p.Path] != nil {
		return fmt.Errorf("two pages have the path %s", p.Path)
	}
	main, err := s.renderMain(p)
	if err != nil {
		return err
	}
	if s.rendered[p.Path], err = s.frame(p, main); err != nil || p.Section == "" {
		return err
	}
	markdown := string(p.Markdown)
	if p.Markdown == nil {
		if markdown, err = prose.FromHTML(string(main)); err != nil {
			return fmt.Errorf("page %s as Markdown: %w", p.Path, err)
		}
	}
	s.written = append(s.written, writtenPage{p, markdown})
	return nil
}

// render makes a whole page.
func (s *site) render(p page) ([]byte, error) {
	main, err := s.renderMain(p)
	if err != nil {
		return nil, err
	}
	return s.frame(p, main)
}

// renderMain makes a page's own part.
func (s *site) renderMain(p page) (template.HTML, error) {
	p.Site = s
	var own bytes.Buffer
	if err := s.templates.ExecuteTemplate(&own, p.Template, p); err != nil {
		return "", fmt.Errorf("page %s: %w", p.Path, err)
	}
	return template.HTML(own.String()), nil //nolint:gosec // a template of ours made it
}

// frame puts the common frame of all pages around a page's own part.
func (s *site) frame(p page, main template.HTML) ([]byte, error) {
	p.Site = s
	var whole bytes.Buffer
	if err := s.templates.ExecuteTemplate(&whole, "frame", struct {
		page
		Main template.HTML
	}{p, main}); err != nil {
		return nil, fmt.Errorf("page %s: %w", p.Path, err)
	}
	return whole.Bytes(), nil
}

// neighbours returns the links around one of a list.
func neighbours(links []link, i int) (previous, next *link) {
	if i > 0 {
		previous = &links[i-1]
	}
	if i < len(links)-1 {
		next = &links[i+1]
	}
	return previous, next
}

// Origin is the scheme and host that snippets begin with.
func (s *site) Origin() string { return s.origin }

// BaseURL is the URL in front of the paths of operations.
func (s *site) BaseURL() string { return s.origin + wire.BasePath }

// Counts says how many of each there are, for the overviews.
func (s *site) Counts() map[string]int {
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

// code is a block of code on a page that a template makes.
func code(language, text string) template.HTML {
	return template.HTML(prose.Code(language, text)) //nolint:gosec // it escapes its input
}

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
