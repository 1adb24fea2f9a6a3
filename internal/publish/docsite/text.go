package docsite

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// addTexts adds the documents for programs that read: a list of all pages, and all
// guides in one file.
func (l *library) addTexts() error {
	if err := l.keep("/llms.txt", typeText, l.contents); err != nil {
		return err
	}
	return l.keep("/llms-full.txt", typeText, l.full)
}

// Titles of the parts of the docs, by their sections.
var sectionTitles = map[string]string{ //nolint:gochecknoglobals // read only
	guides: "Guides", apiPath: "Operations", "/docs/events": "Events", "/docs/errors": "Errors",
}

// contents is /llms.txt: a description of Platen, and the address of each page.
func (l *library) contents() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Platen\n\n> A simulated printing company behind two HTTP systems that share no data, Head "+
		"Office and the Factory. The API is at %s, the agent endpoint at %s. All data is made up.\n\n",
		l.BaseURL(), l.AgentURL())
	fmt.Fprintf(&b, "Everything below is Markdown. All guides in one file: %s/llms-full.txt. "+
		"The whole API as OpenAPI 3.1: %s/openapi.json or %s/openapi.yaml. A skill for coding agents: %s%s\n",
		l.origin, l.origin, l.origin, l.origin, skillPath)
	section := ""
	for _, w := range l.inOrder() {
		p, err := w.page()
		if err != nil {
			return nil, err
		}
		if w.section != section {
			section = w.section
			fmt.Fprintf(&b, "\n## %s\n\n", sectionTitles[section])
		}
		fmt.Fprintf(&b, "- [%s](%s%s): %s\n",
			p.Title, l.origin, MarkdownPath(w.path), strings.ReplaceAll(p.Description, "\n", " "))
	}
	return b.Bytes(), nil
}

// commandsPath is the page of all commands, which --help shows too, and which would be a third of
// all guides.
const commandsPath = "/docs/commands"

// full is /llms-full.txt: all guides but the list of commands, one after the other.
func (l *library) full() ([]byte, error) {
	var b bytes.Buffer
	for _, w := range l.inOrder() {
		if w.section == guides && w.path != commandsPath {
			text, err := w.markdown()
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "%s\n\n---\n\n", strings.TrimSpace(text))
		}
	}
	return b.Bytes(), nil
}

// inOrder are the pages in the order of reading: guides in the order of their
// list, then the reference as its tables have it.
func (l *library) inOrder() []*lazyPage {
	place := map[string]int{}
	for _, list := range l.sections() {
		for _, leaf := range list.Links {
			place[leaf.Path] = len(place) - len(sectionTitles)*len(l.pages)
		}
	}
	part := slices.Sorted(maps.Keys(sectionTitles))
	slices.SortFunc(part, func(a, b string) int { return place[a] - place[b] })
	ordered := slices.Clone(l.pages)
	slices.SortStableFunc(ordered, func(a, b *lazyPage) int {
		if d := slices.Index(part, a.section) - slices.Index(part, b.section); d != 0 {
			return d
		}
		return place[a.path] - place[b.path]
	})
	return ordered
}
