package web

import (
	"net/http"
	"strconv"
	"strings"

	"platen/internal/docsite"
)

// negotiate returns the form of a page of the docs that a client prefers: the page itself, or
// its Markdown. Both say that they depend on Accept. Documents of one form are returned as they
// are.
func (p *Pages) negotiate(w http.ResponseWriter, r *http.Request, page *document) (*document, error) {
	if page.contentType != docsite.TypeHTML {
		return page, nil
	}
	w.Header().Add("Vary", "Accept")
	if !prefersMarkdown(r.Header.Values("Accept")) {
		return page, nil
	}
	markdown, err := p.doc(docsite.MarkdownPath(page.path))
	if markdown != nil {
		w.Header().Set("Content-Location", markdown.path)
	}
	return markdown, err
}

// prefersMarkdown reports whether a client names Markdown, and wants it no less than HTML.
// Browsers do not name it, so that ranges such as */* mean HTML.
func prefersMarkdown(accept []string) bool {
	markdown, named := weight(accept, "text/markdown")
	html, _ := weight(accept, "text/html")
	return named && markdown > 0 && markdown >= html
}

// weight is the weight of a media type in a header Accept, 0 to 1: that of the most specific
// range which has it. Named reports whether a range names the type itself.
func weight(accept []string, mediaType string) (q float64, named bool) {
	kind, _, _ := strings.Cut(mediaType, "/")
	best := -1
	for element := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, parameters, _ := strings.Cut(element, ";")
		specific := -1
		switch strings.ToLower(strings.TrimSpace(name)) {
		case mediaType:
			specific = 2
		case kind + "/*":
			specific = 1
		case "*/*":
			specific = 0
		}
		if specific <= best {
			continue
		}
		best, q = specific, quality(parameters)
	}
	return q, best == 2
}

// quality reads the q of a range's parameters: 1 where there is none, 0 where it is no number
// from 0 to 1.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
