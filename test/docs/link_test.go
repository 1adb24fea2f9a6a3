package docs_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// markdownLink finds the addresses of links in Markdown.
var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// site is the part of a site that a walk along the links has seen.
type site struct {
	t      *testing.T
	origin string
	// anchors are the ids of each page that was read; of what is no page, none.
	anchors map[string]map[string]bool
	// wanted are the links, each with the first page that has it.
	wanted map[string]string
	// queue are the addresses to read, from the page that has a link to each.
	queue [][2]string
}

// TestEveryLinkLeadsSomewhere walks through the whole site, from its front page
// and from the list for machines, and follows whatever stays on it: pages,
// their anchors, scripts, pictures and downloads.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	p := shared()
	w := &site{
		t: t, origin: p.Origin, anchors: map[string]map[string]bool{},
		wanted: map[string]string{},
	}
	w.follow("", "/")
	w.follow("", "/console")
	w.follow("", "/docs/search") // only a form leads there
	for _, list := range []string{"/llms.txt", "/llms-full.txt"} {
		for _, address := range markdownLink.FindAllStringSubmatch(read(t, p.Origin+list), -1) {
			w.follow(list, address[1])
		}
	}
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.visit(next[0], next[1])
	}
	for _, link := range slices.Sorted(maps.Keys(w.wanted)) {
		path, anchor, _ := strings.Cut(link, "#")
		if anchor != "" && w.anchors[path] != nil && !w.anchors[path][anchor] {
			t.Errorf("%s links to %s, and there is no such place on that page", w.wanted[link], link)
		}
	}
	const few = 200 // operations, event types and codes have a page each
	if len(w.anchors) < few {
		t.Errorf("the walk saw %d addresses only", len(w.anchors))
	}
}

// follow notes a link of a page, and that its target is to be read.
func (w *site) follow(from, link string) {
	w.t.Helper()
	base, err := url.Parse(w.origin + from)
	if err != nil {
		w.t.Fatal(err)
	}
	target, err := base.Parse(link)
	if err != nil {
		w.t.Errorf("%s links to %q: %v", from, link, err)
		return
	}
	if target.Scheme+"://"+target.Host != w.origin || strings.HasPrefix(target.Path, "/v1") ||
		strings.HasPrefix(target.Path, "/mcp") {
		return // elsewhere, or not for readers
	}
	path := target.EscapedPath()
	whole := path
	if target.RawQuery != "" {
		whole += "?" + target.RawQuery
	}
	if _, known := w.wanted[whole+"#"+target.Fragment]; known {
		return
	}
	w.wanted[whole+"#"+target.Fragment] = from
	if _, known := w.anchors[whole]; !known {
		w.anchors[whole] = nil
		w.queue = append(w.queue, [2]string{from, whole})
	}
}

// visit reads an address that a page links to, and follows its links if it is a
// page too.
func (w *site) visit(from, path string) {
	w.t.Helper()
	a := ask(w.t, w.origin+path)
	if a.Status != http.StatusOK {
		w.t.Errorf("%s is answered %d; a link to it is on %s", path, a.Status, from)
		return
	}
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return
	}
	page, err := html.Parse(bytes.NewReader(a.Raw))
	if err != nil {
		w.t.Fatal(err)
	}
	ids := map[string]bool{}
	for node := range page.Descendants() {
		for _, attribute := range node.Attr {
			switch attribute.Key {
			case "id":
				if ids[attribute.Val] {
					w.t.Errorf("%s has the id %s twice", path, attribute.Val)
				}
				ids[attribute.Val] = true
			case "href", "src":
				w.follow(path, attribute.Val)
			}
		}
	}
	if !strings.HasPrefix(path, "/console") { // whose places are made by its script
		w.anchors[path] = ids
	}
}
