package web

import (
	"net/http"

	"platen/internal/publish/docsite"
	"platen/internal/words/wire"
)

// negotiate returns the form of a page of the docs that a client prefers: the page itself, or
// its Markdown. Both say that they depend on Accept. Documents of one form are returned as they
// are.
func (p *Pages) negotiate(w http.ResponseWriter, r *http.Request, page *document) (*document, error) {
	if page.contentType != docsite.TypeHTML {
		return page, nil
	}
	w.Header().Add("Vary", "Accept")
	if !prefersMarkdown(r.Header) {
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
func prefersMarkdown(h http.Header) bool { return prefers(h, "text/markdown") }

// prefers reports whether a client names a media type, and wants it no less than HTML.
func prefers(h http.Header, media string) bool {
	weight, specificity := wire.Weight(h, media)
	html, _ := wire.Weight(h, "text/html")
	return specificity == wire.Named && weight > 0 && weight >= html
}
