package docsite

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"platen/internal/words/wire"
)

// segment is a piece of a text.
type segment struct {
	Text string
	// Path is where a known word leads.
	Path string
	// Code is set for identifiers, Found for words that a search looked for.
	Code, Found bool
}

// glossary knows the pages of the words that the tables use in their prose:
// codes, event types and routes.
type glossary struct {
	paths map[string]string
}

func newGlossary(s *Site) *glossary {
	g := &glossary{paths: map[string]string{"/openapi.json": "/openapi.json"}}
	for i := range s.operations {
		op := &s.operations[i]
		for _, prefix := range []string{"", wire.BasePath} {
			g.paths[op.Method+" "+prefix+op.Path] = operationPath(op)
			if op.Method == http.MethodGet {
				g.paths[prefix+op.Path] = operationPath(op)
			}
		}
		g.paths[op.ID] = operationPath(op)
	}
	for _, d := range s.events {
		g.paths[string(d.Type)] = eventPath(d.Type)
	}
	for _, d := range s.problems {
		if strings.Contains(string(d.Code), "_") { // the others are words of English too
			g.paths[string(d.Code)] = problemPath(d.Code)
		}
	}
	return g
}

// path says where a word in code leads, empty for nowhere. A bare id of an
// operation may have its method and path written out.
func (g *glossary) path(word string) string { return g.paths[word] }

// identifier finds words of a sentence that are not English: routes, headers,
// and words with an underscore or an inner dot.
var identifier = regexp.MustCompile(
	`(?:(?:GET|POST) )?/[a-z][a-z0-9_/{}.-]*[a-z0-9}]` +
		`|[A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]*)+(?:: [a-z]+/[a-z]+)?` +
		`|[a-z0-9]+(?:[_.][a-z0-9]+)+_?(?:\[\])?`)

// prose splits a sentence of a table into text and identifiers, and links the
// ones that have a page.
func (g *glossary) prose(text string) []segment {
	var out []segment
	at := 0
	for _, span := range identifier.FindAllStringIndex(text, -1) {
		word := text[span[0]:span[1]]
		if span[0] > at {
			out = append(out, segment{Text: text[at:span[0]]})
		}
		out = append(out, segment{Text: word, Path: g.paths[word], Code: true})
		at = span[1]
	}
	if at < len(text) {
		out = append(out, segment{Text: text[at:]})
	}
	return out
}

// fieldProse is prose about a field: its values are code where a clause begins with one, and lead
// nowhere, since a code or an operation of the same name is something else.
func (g *glossary) fieldProse(f field) []segment {
	segments := g.prose(f.Doc)
	if len(f.Values) == 0 {
		return segments
	}
	quoted := make([]string, len(f.Values))
	for i, value := range f.Values {
		quoted[i] = regexp.QuoteMeta(value)
	}
	values := regexp.MustCompile(`(^|[.;:] )(` + strings.Join(quoted, "|") + `)\b`)
	var out []segment
	for i, s := range segments {
		if s.Code {
			if slices.Contains(f.Values, s.Text) {
				s.Path = ""
			}
			out = append(out, s)
			continue
		}
		at := 0
		for _, m := range values.FindAllStringSubmatchIndex(s.Text, -1) {
			if from := m[4]; from > 0 || i == 0 { // not in the middle of a sentence
				out = append(out, segment{Text: s.Text[at:from]}, segment{Text: s.Text[from:m[5]], Code: true})
				at = m[5]
			}
		}
		out = append(out, segment{Text: s.Text[at:]})
	}
	return out
}
