package docsite

import (
	"fmt"
	"html/template"
	"maps"
	"strings"
	"sync"

	"platen/internal/operation"
	"platen/internal/publish/docsite/prose"
	"platen/internal/words/problem"
)

// library is the pages of the docs.
type library struct {
	*Site
	renderer *Renderer
	agents   Agents
	examples Examples
	// refusals are the errors that the pages of the codes show.
	refusals map[problem.Code]problem.Example
	// files read the documents that are served, by path.
	files map[string]func() (File, error)
	// pages are in the order of their making.
	pages []*lazyPage
	// also are words by which the search finds a page that is made from tables, by path.
	also map[string]string
	// index is made at the first query.
	index func() (index, error)
}

// lazyPage is a page of the docs whose data, HTML and Markdown are made once, when they are asked for.
type lazyPage struct {
	path, section string
	page          func() (page, error)
	markdown      func() (string, error)
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

// MarkdownPath is where the page is served as Markdown, "" for the results of a search.
func (p page) MarkdownPath() string {
	if p.Path == SearchPath {
		return ""
	}
	return MarkdownPath(p.Path)
}

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
	// Mark is before the text: a method or a status.
	Mark string
	// Faint is set for a link to an event type that is not made yet.
	Faint bool
	// Code is set where the text is an identifier.
	Code bool
}

// list finds out which pages there are.
func (s *Site) list() (*library, error) {
	l := &library{Site: s, files: map[string]func() (File, error){}, also: s.alsoCalled()}
	if s.graded {
		maps.DeleteFunc(l.also, func(path, _ string) bool { return aboutGrading(path) })
	}
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
		l.addGuides, l.addOperations, l.addEvents, l.addProblems, l.addMissions, l.addTriggers, l.addPresets,
		l.addAgents, l.addEconomy, l.addSettings, l.addTexts, l.addSkill,
	} {
		if err := add(); err != nil {
			return nil, fmt.Errorf("list the docs: %w", err)
		}
	}
	for path := range l.also {
		if l.files[path] == nil {
			return nil, fmt.Errorf("the search has words for %s, which is no page", path)
		}
	}
	return l, nil
}

// keep serves a document at a path, which is written when it is first asked for.
func (l *library) keep(path, contentType string, write func() ([]byte, error)) error {
	if l.files[path] != nil {
		return fmt.Errorf("two documents have the path %s", path)
	}
	l.files[path] = sync.OnceValues(func() (File, error) {
		body, err := write()
		return File{contentType, body}, err
	})
	return nil
}

// add adds a page with its Markdown. Create returns the rest of its data.
func (l *library) add(path, section string, create func() (page, error)) error {
	if l.graded && aboutGrading(path) {
		return nil
	}
	w := &lazyPage{path: path, section: section}
	w.page = sync.OnceValues(func() (page, error) {
		p, err := create()
		if err != nil {
			return page{}, fmt.Errorf("page %s: %w", path, err)
		}
		p.Path, p.Section = path, section
		if words, ok := l.also[path]; ok {
			p.Also = map[string]string{"": words}
		}
		return p, nil
	})
	type rendered struct {
		main  template.HTML
		whole []byte
	}
	html := sync.OnceValues(func() (r rendered, err error) {
		p, err := w.page()
		if err == nil {
			r.main, r.whole, err = l.renderer.page(p)
		}
		return r, err
	})
	w.markdown = sync.OnceValues(func() (string, error) {
		p, err := w.page()
		if err != nil || p.Markdown != nil {
			return string(p.Markdown), err
		}
		r, err := html()
		if err != nil {
			return "", err
		}
		text, err := prose.FromHTML(string(r.main))
		if err != nil {
			return "", fmt.Errorf("page %s as Markdown: %w", path, err)
		}
		return text, nil
	})
	l.pages = append(l.pages, w)
	if err := l.keep(path, TypeHTML, func() ([]byte, error) {
		r, err := html()
		return r.whole, err
	}); err != nil {
		return err
	}
	return l.keep(MarkdownPath(path), typeMarkdown, func() ([]byte, error) {
		text, err := w.markdown()
		return []byte(text), err
	})
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
