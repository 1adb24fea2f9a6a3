package docsite

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"platen/internal/publish/find"
	"platen/internal/words/wire"
)

const (
	// SearchPath is where the page of a search is.
	SearchPath = "/docs/search"
	// maxQuery is how many bytes of a query are looked at.
	maxQuery = 200
	// maxHits is how many sections are shown.
	maxHits = 20
	// hitsOfPage is how many sections of one page are shown.
	hitsOfPage = 2
	// excerptLength is about how many bytes of a place are shown to people, lineLength in a
	// line, and foundLength to agents.
	excerptLength = 220
	lineLength    = 90
	foundLength   = 1500
)

// section is a part of a page that can be found.
type section struct {
	// Page is the title of the page, Title that of the part, empty for its
	// beginning.
	Page, Title, Path string
	// text is searched, and also the other names of it.
	text, also string
	// forAgents is set for a part of a document of the agent endpoint, whose path
	// is a whole URL.
	forAgents bool
}

// hit is a place that was found.
type hit struct {
	section
	// Excerpt is some of its text, split at the words of the query.
	Excerpt []segment
}

// secret finds text that looks like a key, a handle or a secret of Platen.
var secret = regexp.MustCompile(`(?i)(?:` + strings.Join(wire.Secrets(), "|") + `)[a-z0-9_-]{8}|` +
	wire.HandlePrefix + `|` + wire.WebhookSecretPrefix)

// index finds sections by their words.
type index struct {
	*find.Index
	sections []section
}

// newIndex makes everything findable that the docs and the agent endpoint say.
func (l *library) newIndex() (index, error) {
	var sections []section
	for _, w := range l.pages {
		p, err := w.page()
		if err != nil {
			return index{}, err
		}
		text, err := w.markdown()
		if err != nil {
			return index{}, err
		}
		sections = append(sections, sectionsOf(p, text)...)
	}
	for _, d := range l.agents.Documents {
		sections = append(sections, d.sections()...)
	}
	texts := make([]find.Text, len(sections))
	for i, p := range sections {
		texts[i] = find.Text{Title: p.Page, Also: p.also, Body: p.text}
		if p.Title != "" {
			texts[i].Title, texts[i].Whole = p.Title, p.Page
		}
	}
	return index{find.New(texts), sections}, nil
}

// sectionsOf splits a guide at its headings. A page that was made from tables is
// one place.
func sectionsOf(w page, text string) []section {
	first := section{Page: w.Title, Path: w.Path, also: w.Also[""]}
	if w.OnPage == nil {
		if w.Section != guides { // the same words in every sample
			text = blocks.ReplaceAllString(text, "")
		}
		if !strings.Contains(text, w.Description) {
			text = w.Description + " " + text
		}
		first.text = plainWords(text)
		return []section{first}
	}
	sections := []section{first}
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if next := len(sections) - 1; !fenced && next < len(w.OnPage) &&
			strings.HasPrefix(line, strings.Repeat("#", w.OnPage[next].Level)+" ") {
			h := w.OnPage[next]
			sections = append(sections,
				section{Page: w.Title, Title: h.Text, Path: w.Path + "#" + h.ID, also: w.Also[h.ID]})
			continue
		}
		sections[len(sections)-1].text += line
	}
	for i := range sections {
		sections[i].text = plainWords(sections[i].text)
	}
	return sections
}

// sections splits a document of the agent endpoint at its headings.
func (d Document) sections() []section {
	all := []section{{Page: d.Title, Path: d.URL, forAgents: true}}
	for line := range strings.Lines(d.Text) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			all = append(all, section{Page: d.Title, Title: strings.TrimSpace(heading), Path: d.URL, forAgents: true})
		} else {
			all[len(all)-1].text += line
		}
	}
	for i := range all {
		all[i].text = plainWords(all[i].text)
	}
	return slices.DeleteFunc(all, func(s section) bool { return s.text == "" })
}

// blocks are the blocks of code of a page.
var blocks = regexp.MustCompile("(?ms)^```.*?^```$")

// Marks of Markdown: the line of the title, those around code, marks within a line and between
// words.
var (
	title  = regexp.MustCompile(`(?m)^# .*$`)
	fence  = regexp.MustCompile("(?m)^ *```.*$")
	within = regexp.MustCompile("[`*]+|\\]\\([^)]*\\)|\\[")
	marks  = regexp.MustCompile(`[#|>]+|-{3,}`)
)

// plainWords is the text of a part of a page without marks. Titles are kept
// apart from it.
func plainWords(markdown string) string {
	text := within.ReplaceAllString(fence.ReplaceAllString(title.ReplaceAllString(markdown, ""), ""), "")
	return strings.Join(strings.Fields(marks.ReplaceAllString(text, " ")), " ")
}

// SearchPage returns the page of the places that a query finds, so that a search
// needs no script. A query that looks like a key is refused: it is not searched
// for, and the page does not repeat it. Queries are not logged; the newest are kept
// in memory with their pages.
func (s *Site) SearchPage(query string) (body []byte, refused bool, err error) {
	l, found, err := s.found()
	if err != nil {
		return nil, false, err
	}
	query = strings.Join(strings.Fields(shortened(query)), " ")
	view := struct {
		Hits    []hit
		Refused bool
	}{Refused: secret.MatchString(query)}
	if view.Refused {
		query = ""
	} else if body := s.recent.find(query); body != nil {
		return body, false, nil
	}
	matches := found.Matches(query)
	for _, at := range s.search(found, query, false) {
		view.Hits = append(view.Hits, hit{section: at, Excerpt: excerpt(at.text, matches)})
	}
	_, body, err = l.renderer.page(page{
		Template: "search", Title: "Search", Path: SearchPath, Section: guides, Contents: l.sections(), Query: query,
		Content: view,
	})
	if err == nil && !view.Refused {
		s.recent.keep(query, body)
	}
	return body, view.Refused, err
}

// found is the library and its index.
func (s *Site) found() (*library, index, error) {
	l, err := s.library()
	if err != nil {
		return nil, index{}, err
	}
	i, err := l.index()
	return l, i, err
}

// Found is a place of the docs that a search found.
type Found struct {
	Title, URL string
	// Text is that of the place without marks, or the beginning of it.
	Text string
}

// Search returns at most so many places of the docs and of the documents of the
// agent endpoint, the best first, and none for a query that looks like a key. The
// first one renders the docs, whose mistakes it returns. A player who is graded finds no page about grading.
func (s *Site) Search(query string, limit int, graded bool) ([]Found, error) {
	_, all, err := s.found()
	if err != nil || secret.MatchString(query) {
		return nil, err
	}
	best := s.search(all, shortened(query), true)
	if graded {
		best = slices.DeleteFunc(best, func(at section) bool { return aboutGrading(at.Path) })
	}
	found := make([]Found, min(limit, len(best)))
	for i := range found {
		at := best[i]
		found[i] = Found{Title: at.Page, URL: s.origin + at.Path, Text: at.text}
		if at.Title != "" {
			found[i].Title += ": " + at.Title
		}
		if at.forAgents {
			found[i].URL = at.Path
		}
		if len(at.text) > foundLength {
			found[i].Text = strings.ToValidUTF8(at.text[:foundLength], "") + "…"
		}
	}
	return found, nil
}

// Place is a place of the docs that a search found, as programs read it.
type Place struct {
	Title string `json:"title"`
	Page  string `json:"page"`
	Path  string `json:"path"`
	// Excerpt is some of its text from about where it was found.
	Excerpt string `json:"excerpt"`
}

// Places returns the places that SearchPage shows.
func (s *Site) Places(query string) (places []Place, refused bool, err error) {
	_, all, err := s.found()
	if err != nil || secret.MatchString(query) {
		return []Place{}, err == nil, err
	}
	places = []Place{}
	query = shortened(query)
	matches := all.Matches(query)
	for _, at := range s.search(all, query, false) {
		places = append(places, Place{
			Title: cmp.Or(at.Title, at.Page), Page: at.Page, Path: at.Path,
			Excerpt: nearby(at.text, matches, lineLength),
		})
	}
	return places, false, nil
}

// shortened is the part of a query that is looked at.
func shortened(query string) string {
	return strings.ToValidUTF8(query[:min(len(query), maxQuery)], "")
}

// search searches in its turn.
func (s *Site) search(i index, query string, agents bool) []section {
	s.searching <- struct{}{}
	defer func() { <-s.searching }()
	return i.search(query, agents)
}

// search finds the best sections, of each page a few. Those for agents are found
// by agents only.
func (i index) search(query string, agents bool) []section {
	var best []section
	of := map[string]int{}
	for _, at := range i.Search(query, len(i.sections)) {
		p := i.sections[at]
		address, _, _ := strings.Cut(p.Path, "#")
		if (agents || !p.forAgents) && of[address] < hitsOfPage && len(best) < maxHits {
			of[address]++
			best = append(best, p)
		}
	}
	return best
}

// running finds the words of a text, identifiers as one.
var running = regexp.MustCompile(`[\pL\pN_]+(?:[.-][\pL\pN_]+)*`)

// nearby is about so many bytes of a text, around the first word of it that was looked for.
func nearby(text string, matches func(word string) bool, length int) string {
	from := 0
	words := running.FindAllStringIndex(text, -1)
	first := slices.IndexFunc(words, func(at []int) bool { return matches(text[at[0]:at[1]]) })
	if first >= 0 && words[first][0] > length/2 {
		at := words[first][0]
		before := text[:at-length/3]
		from = len(before) + strings.IndexByte(text[len(before):at], ' ') + 1
		if from == len(before) { // no word begins before it
			from = at
		}
	}
	rest := text[from:]
	if len(rest) > length {
		rest = rest[:length]
		rest = strings.ToValidUTF8(rest[:strings.LastIndexByte(rest, ' ')+1], "") + "…"
	}
	return rest
}

// excerpt is the part of a text around the first word of it that was looked for,
// with all of them marked.
func excerpt(text string, matches func(word string) bool) []segment {
	rest := nearby(text, matches, excerptLength)
	var segments []segment
	at := 0
	for _, word := range running.FindAllStringIndex(rest, -1) {
		if matches(rest[word[0]:word[1]]) {
			segments = append(segments, segment{Text: rest[at:word[0]]},
				segment{Text: rest[word[0]:word[1]], Found: true})
			at = word[1]
		}
	}
	return append(segments, segment{Text: rest[at:]})
}
