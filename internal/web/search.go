package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"platen/internal/find"
	"platen/internal/web/prose"
)

const (
	searchPath = "/docs/search"
	// maxQuery is how many bytes of a query are looked at.
	maxQuery = 200
	// maxHits is how many sections are shown.
	maxHits = 20
	// hitsOfPage is how many sections of one page are shown.
	hitsOfPage = 2
	// excerptLength is about how many bytes of a place are shown.
	excerptLength = 220
)

// search answers queries with a page, so that it works without a script.
type search struct {
	site *site
	// index is made at the first query.
	index func() ([]section, *find.Index)
}

// section is a part of a page that can be found.
type section struct {
	// Page is the title of the page, Title that of the part, empty for its
	// beginning.
	Page, Title, Path string
	// text is searched, and also the other names of it.
	text, also string
}

// hit is a place that was found.
type hit struct {
	section
	// Excerpt is some of its text, split at the words of the query.
	Excerpt []segment
}

// secret finds text that looks like a key, a handle or a secret of Platen.
var secret = regexp.MustCompile(`(?i)lab_(?:off|fac)_[a-z0-9_-]{8}|whsec_|sbh_`)

func newSearch(s *site) *search {
	return &search{site: s, index: sync.OnceValues(func() ([]section, *find.Index) {
		var sections []section
		for _, w := range s.written {
			sections = append(sections, sectionsOf(w)...)
		}
		texts := make([]find.Text, len(sections))
		for i, p := range sections {
			texts[i] = find.Text{Title: p.Page, Also: p.also, Body: p.text}
			if p.Title != "" {
				texts[i].Title, texts[i].Whole = p.Title, p.Page
			}
		}
		return sections, find.New(texts)
	})}
}

// placesOf splits a guide at its headings. A page that was made from tables is
// one place.
func sectionsOf(w writtenPage) []section {
	first := section{Page: w.Title, Path: w.Path, also: w.Also[""]}
	if w.OnPage == nil {
		text := w.markdown
		if w.Section != "/docs/" { // the same words in every sample
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
	for line := range strings.Lines(w.markdown) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if next := len(sections) - 1; !fenced && next < len(w.OnPage) && isHeading(line, w.OnPage[next]) {
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

// blocks are the blocks of code of a page.
var blocks = regexp.MustCompile("(?ms)^```.*?^```$")

func isHeading(line string, h prose.Heading) bool {
	return strings.HasPrefix(line, strings.Repeat("#", h.Level)+" ")
}

// Marks of Markdown: the line of the title, marks within a line and between
// words.
var (
	title  = regexp.MustCompile(`(?m)^# .*$`)
	within = regexp.MustCompile("[`*]+|\\]\\([^)]*\\)|\\[")
	marks  = regexp.MustCompile(`[#|>]+|-{3,}`)
)

// plainWords is the text of a part of a page without marks. Titles are kept
// apart from it.
func plainWords(markdown string) string {
	text := within.ReplaceAllString(title.ReplaceAllString(markdown, ""), "")
	return strings.Join(strings.Fields(marks.ReplaceAllString(text, " ")), " ")
}

// ServeHTTP answers a query. The query is never logged and never kept.
func (x *search) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query().Get("q")
	status, view := http.StatusOK, struct {
		Hits    []hit
		Refused bool
	}{}
	if len(query) > maxQuery || !utf8.ValidString(query) {
		query = strings.ToValidUTF8(query[:min(len(query), maxQuery)], "")
	}
	shown := query
	if secret.MatchString(query) {
		status, view.Refused, shown = http.StatusBadRequest, true, ""
	} else {
		sections, index := x.index()
		matches := index.Matches(query)
		for _, p := range spread(sections, index.Search(query, len(sections))) {
			view.Hits = append(view.Hits, hit{section: p, Excerpt: excerpt(p.text, matches)})
		}
	}
	body, err := x.site.render(page{Template: "search", Title: "Search", Path: searchPath, Section: "/docs/",
		Contents: sections(), Query: shown, Content: view})
	if err != nil {
		http.Error(w, "The search failed.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Content-Type", typeHTML)
	write(w, r, status, body)
}

// Found is a place of the docs that was found.
type Found struct {
	Title string
	// Path is that below the origin, with the place on the page.
	Path string
	// Text is the text of the place, without marks, at most foundText bytes of
	// it.
	Text string
}

// foundText is how many bytes of a place are told.
const foundText = 1500

// Search returns at most so many sections of the docs, the best first. Nothing is
// found before the docs can be rendered.
func (h *Pages) Search(query string, most int) []Found {
	docs, err := h.library()
	if err != nil || secret.MatchString(query) {
		return nil
	}
	query = strings.ToValidUTF8(query[:min(len(query), maxQuery)], "")
	sections, index := docs.search.index()
	var found []Found
	for _, at := range spread(sections, index.Search(query, len(sections))) {
		if len(found) == most {
			break
		}
		title, text := at.Page, at.text
		if at.Title != "" {
			title += ": " + at.Title
		}
		if len(text) > foundText {
			text = strings.ToValidUTF8(text[:foundText], "") + "…"
		}
		found = append(found, Found{Title: title, Path: at.Path, Text: text})
	}
	return found
}

// spread takes the best sections, of each page a few.
func spread(sections []section, found []int) []section {
	var best []section
	of := map[string]int{}
	for _, i := range found {
		if p := sections[i]; of[p.Page] < hitsOfPage && len(best) < maxHits {
			of[p.Page]++
			best = append(best, p)
		}
	}
	return best
}

// running finds the words of a text, identifiers as one.
var running = regexp.MustCompile(`[\pL\pN_]+(?:[.-][\pL\pN_]+)*`)

// excerpt is the part of a text around the first word of it that was looked for,
// with all of them marked.
func excerpt(text string, matches func(word string) bool) []segment {
	from := 0
	words := running.FindAllStringIndex(text, -1)
	first := slices.IndexFunc(words, func(at []int) bool { return matches(text[at[0]:at[1]]) })
	if first >= 0 && words[first][0] > excerptLength/2 {
		from = words[first][0] - excerptLength/3
		from += strings.IndexByte(text[from:], ' ') + 1
	}
	rest := text[from:]
	if len(rest) > excerptLength {
		rest = rest[:excerptLength]
		rest = strings.ToValidUTF8(rest[:strings.LastIndexByte(rest, ' ')+1], "") + "…"
	}
	var segments []segment
	at := 0
	for _, word := range running.FindAllStringIndex(rest, -1) {
		if matches(rest[word[0]:word[1]]) {
			segments = append(segments, segment{Text: rest[at:word[0]]},
				segment{Text: rest[word[0]:word[1]], Class: "mark"})
			at = word[1]
		}
	}
	return append(segments, segment{Text: rest[at:]})
}
