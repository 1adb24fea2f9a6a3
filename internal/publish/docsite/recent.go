package docsite

import (
	"container/list"
	"strings"
	"sync"
)

const (
	// maxRecent pages of maxRecentBytes in all are kept of searches: about as many
	// as people ask for who read the same guides.
	maxRecent      = 256
	maxRecentBytes = 4 << 20
)

// recentSearches keeps the pages of the newest searches by their queries. A
// search costs the most of all pages, and the docs do not change while a server
// runs.
type recentSearches struct {
	mu    sync.Mutex // guards the fields below
	pages map[string]*list.Element
	// order has the page that was asked for last at its front.
	order list.List
	bytes int
}

// recentSearch is an element of the order.
type recentSearch struct {
	query string
	body  []byte
}

func (s recentSearch) size() int { return len(s.query) + len(s.body) }

// find returns the page of a query, nil when it is not kept.
func (r *recentSearches) find(query string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.pages[query]
	if at == nil {
		return nil
	}
	r.order.MoveToFront(at)
	return at.Value.(recentSearch).body //nolint:forcetypeassert // keep puts nothing else in
}

// keep keeps the page of a query, and forgets those that were asked for longest
// ago to have room for it.
func (r *recentSearches) keep(query string, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pages == nil {
		r.pages = map[string]*list.Element{}
	}
	if r.pages[query] != nil { // another request was faster
		return
	}
	page := recentSearch{strings.Clone(query), body} // it is a part of the URL, which would stay with it
	r.pages[page.query] = r.order.PushFront(page)
	r.bytes += page.size()
	for len(r.pages) > maxRecent || r.bytes > maxRecentBytes {
		oldest := r.order.Remove(r.order.Back()).(recentSearch) //nolint:forcetypeassert // as above
		delete(r.pages, oldest.query)
		r.bytes -= oldest.size()
	}
}
