package docsite

import (
	"fmt"
	"strings"
	"sync"

	"platen/internal/docsite/prose"
	"platen/internal/find"
	"platen/internal/operation"
	"platen/internal/problem"
)

// library is the rendered docs.
type library struct {
	*Site
	renderer *Renderer
	agents   Agents
	examples Examples
	// refusals are the errors that the pages of the codes show.
	refusals map[problem.Code]problem.Example
	// files are the documents that are served, by path.
	files map[string]File
	// written are the pages as Markdown, in the order of their making.
	written []writtenPage
	// index is made at the first query.
	index func() ([]section, *find.Index)
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
	Site            *Site
}

// MarkdownPath is where the page is served as Markdown.
func (p page) MarkdownPath() string { return MarkdownPath(p.Path) }

// MarkdownPath is where the page of a path is served as Markdown.
func MarkdownPath(page string) string {
	if strings.HasSuffix(page, "/") {
		return page + "index.md"
	}
	return page + ".md"
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

// render makes all pages of the docs.
func (s *Site) render() (*library, error) {
	l := &library{Site: s, files: map[string]File{}}
	l.index = sync.OnceValues(l.newIndex)
	var err error
	if l.renderer, err = s.Renderer(templateFiles, nil); err != nil {
		return nil, err
	}
	if s.agents != nil {
		if l.agents, err = s.agents(); err != nil {
			return nil, fmt.Errorf("list the tools of agents: %w", err)
		}
	}
	if s.examples != nil {
		if l.examples, err = s.examples(); err != nil {
			return nil, fmt.Errorf("read the examples: %w", err)
		}
	}
	if l.refusals, err = problem.Examples(); err != nil {
		return nil, err //nolint:wrapcheck // it says what was read
	}
	for _, add := range []func() error{
		l.addGuides, l.addOperations, l.addEvents, l.addProblems, l.addMissions, l.addTriggers,
		l.addPresets, l.addAgents,
		l.addEconomy, l.addSettings, l.name, l.addSkill,
	} {
		if err := add(); err != nil {
			return nil, fmt.Errorf("render the docs: %w", err)
		}
	}
	l.addTexts()
	return l, nil
}

// add renders a page and keeps it under its path.
func (l *library) add(p page) error {
	if _, ok := l.files[p.Path]; ok {
		return fmt.Errorf("two pages have the path %s", p.Path)
	}
	main, whole, err := l.renderer.page(p)
	if err != nil {
		return err
	}
	l.files[p.Path] = File{TypeHTML, whole}
	markdown := string(p.Markdown)
	if p.Markdown == nil {
		if markdown, err = prose.FromHTML(string(main)); err != nil {
			return fmt.Errorf("page %s as Markdown: %w", p.Path, err)
		}
	}
	l.written = append(l.written, writtenPage{p, markdown})
	return nil
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
