package web

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"platen/internal/find"
	"platen/internal/web/prose"
)

const (
	searchPath = "/docs/search"
	// queryMost is how many bytes of a query are looked at.
	queryMost = 200
	// hitsMost is how many places are shown.
	hitsMost = 20
	// excerptLength is about how many bytes of a place are shown.
	excerptLength = 220
)

// search answers queries with a page, so that it works without a script.
type search struct {
	site *site
	// index is made at the first query.
	index func() ([]place, *find.Index)
}

// place is a part of a page that can be found.
type place struct {
	// Page is the title of the page, Title that of the part, empty for its
	// beginning.
	Page, Title, Path, text string
}

// hit is a place that was found.
type hit struct {
	place
	// Excerpt is some of its text, split at the words of the query.
	Excerpt []segment
}

// secret finds what looks like a key, a handle or a secret of Platen.
var secret = regexp.MustCompile(`(?i)lab_(?:off|fac)_[a-z0-9_-]{8}|whsec_|sbh_`)

func newSearch(s *site) *search {
	return &search{site: s, index: sync.OnceValues(func() ([]place, *find.Index) {
		var places []place
		for _, w := range s.written {
			places = append(places, placesOf(w)...)
		}
		texts := make([]find.Text, len(places))
		for i, p := range places {
			texts[i] = find.Text{Title: cmp.Or(p.Title, p.Page), Body: p.text}
		}
		return places, find.New(texts)
	})}
}

// placesOf splits a guide at its headings. A page that was made from tables is
// one place.
func placesOf(w writtenPage) []place {
	first := place{Page: w.Title, Path: w.Path}
	if w.OnPage == nil {
		text := w.markdown
		if w.Section == apiPath { // the same words in every sample
			text = blocks.ReplaceAllString(text, "")
		}
		first.text = plainWords(w.Description + " " + text)
		return []place{first}
	}
	places := []place{first}
	fenced := false
	for line := range strings.Lines(w.markdown) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if next := len(places) - 1; !fenced && next < len(w.OnPage) && isHeading(line, w.OnPage[next]) {
			h := w.OnPage[next]
			places = append(places, place{Page: w.Title, Title: h.Text, Path: w.Path + "#" + h.ID})
			continue
		}
		places[len(places)-1].text += line
	}
	for i := range places {
		places[i].text = plainWords(places[i].text)
	}
	return places
}

// blocks are the blocks of code of a page.
var blocks = regexp.MustCompile("(?ms)^```.*?^```$")

func isHeading(line string, h prose.Heading) bool {
	return strings.HasPrefix(line, strings.Repeat("#", h.Level)+" ")
}

// marks are what Markdown adds to words.
var marks = regexp.MustCompile("[`*#|>]+|\\]\\([^)]*\\)|\\[|-{3,}")

func plainWords(markdown string) string {
	return strings.Join(strings.Fields(marks.ReplaceAllString(markdown, " ")), " ")
}

// ServeHTTP answers a query. What is asked for is never logged and never kept.
func (x *search) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query().Get("q")
	status, view := http.StatusOK, struct {
		Hits    []hit
		Refused bool
	}{}
	if len(query) > queryMost || !utf8.ValidString(query) {
		query = strings.ToValidUTF8(query[:min(len(query), queryMost)], "")
	}
	shown := query
	if secret.MatchString(query) {
		status, view.Refused, shown = http.StatusBadRequest, true, ""
	} else {
		places, index := x.index()
		for _, i := range index.Search(query, hitsMost) {
			view.Hits = append(view.Hits, hit{place: places[i], Excerpt: excerpt(places[i].text, query)})
		}
	}
	body, err := x.site.render(page{Template: "search", Title: "Search", Path: searchPath, Section: "/docs/", Contents: sections(), Query: shown, Content: view})
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

// excerpt is the part of a text around the first word of a query, with all
// words of the query marked.
func excerpt(text, query string) []segment {
	var patterns []string
	for _, word := range find.Words(query) {
		patterns = append(patterns, regexp.QuoteMeta(word))
	}
	if len(patterns) == 0 {
		return nil
	}
	pattern := regexp.MustCompile(`(?i)(\b(?:` + strings.Join(patterns, "|") + `)\w*)`)
	from := 0
	if at := pattern.FindStringIndex(text); at != nil && at[0] > excerptLength/2 {
		from = at[0] - excerptLength/3
		from += strings.IndexByte(text[from:], ' ') + 1
	}
	rest := text[from:]
	if len(rest) > excerptLength {
		rest = rest[:excerptLength]
		rest = strings.ToValidUTF8(rest[:strings.LastIndexByte(rest, ' ')+1], "") + "…"
	}
	return split(rest, pattern, []string{"mark"})
}
