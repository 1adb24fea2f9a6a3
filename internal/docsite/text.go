package docsite

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// addTexts adds the documents for programs that read: every page of the docs as
// Markdown, a list of them, and all guides in one file.
func (l *library) addTexts() {
	l.files["/llms.txt"] = File{typeText, []byte(l.list())}
	l.files["/llms-full.txt"] = File{typeText, []byte(l.full())}
	for _, w := range l.written {
		l.files[w.MarkdownPath()] = File{typeMarkdown, []byte(w.markdown)}
	}
}

// Titles of the parts of the docs, by their sections.
var sectionTitles = map[string]string{ //nolint:gochecknoglobals // read only
	"/docs/": "Guides", apiPath: "Operations", "/docs/events": "Events", "/docs/errors": "Errors",
}

// list is /llms.txt: a description of Platen, and the address of each page.
func (l *library) list() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Platen\n\n> A simulated printing company behind two HTTP systems that share no data, Head "+
		"Office and the Factory. The API is at %s, the agent endpoint at %s. All data is made up.\n\n",
		l.BaseURL(), l.AgentURL())
	fmt.Fprintf(&b, "Everything below is Markdown. All guides in one file: %s/llms-full.txt. "+
		"The whole API as OpenAPI 3.1: %s/openapi.json or %s/openapi.yaml. A skill for coding agents: %s%s\n",
		l.origin, l.origin, l.origin, l.origin, skillPath)
	section := ""
	for _, w := range l.inOrder() {
		if w.Section != section {
			section = w.Section
			fmt.Fprintf(&b, "\n## %s\n\n", sectionTitles[section])
		}
		fmt.Fprintf(&b, "- [%s](%s%s): %s\n",
			w.Title, l.origin, w.MarkdownPath(), strings.ReplaceAll(w.Description, "\n", " "))
	}
	return b.String()
}

// commandsPath is the page of all commands, which --help shows too, and which would be a third of
// all guides.
const commandsPath = "/docs/commands"

// full is /llms-full.txt: all guides but the list of commands, one after the other.
func (l *library) full() string {
	var b strings.Builder
	for _, w := range l.inOrder() {
		if w.Section == "/docs/" && w.Path != commandsPath {
			fmt.Fprintf(&b, "%s\n\n---\n\n", strings.TrimSpace(w.markdown))
		}
	}
	return b.String()
}

// inOrder are the pages in the order of reading: guides as they stand in their
// list, then the reference as its tables have it.
func (l *library) inOrder() []writtenPage {
	place := map[string]int{}
	for _, list := range sections() {
		for _, leaf := range list.Links {
			place[leaf.Path] = len(place) - len(sectionTitles)*len(l.written)
		}
	}
	part := slices.Sorted(maps.Keys(sectionTitles))
	slices.SortFunc(part, func(a, b string) int { return place[a] - place[b] })
	ordered := slices.Clone(l.written)
	slices.SortStableFunc(ordered, func(a, b writtenPage) int {
		if d := slices.Index(part, a.Section) - slices.Index(part, b.Section); d != 0 {
			return d
		}
		return place[a.Path] - place[b.Path]
	})
	return ordered
}
