package client

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// MostPerPage is the largest limit of a page. Reading all pages asks for so
// many rows at a time unless the parameters say otherwise.
const MostPerPage = 100

// Page is one page of a list.
type Page[T any] struct {
	Items []T `json:"items"`
	// NextCursor is the Cursor of the next page, empty when the list has ended.
	NextCursor string `json:"next_cursor"`
	// LastSeq is the number of the newest event; only pages of events have it.
	LastSeq uint64 `json:"last_seq"`
	// ETag is the version of the page, for IfNoneMatch.
	ETag string `json:"-"`
	Meta Meta   `json:"-"`
}

// selection is the parameters of a list on their way.
type selection struct {
	query       url.Values
	ifNoneMatch string
}

// selecting begins a selection with the parameters that every list has. Zero
// values are left out.
func selecting(limit int, cursor string, updatedSince time.Time, ifNoneMatch string) selection {
	s := selection{query: url.Values{}, ifNoneMatch: ifNoneMatch}
	if limit != 0 {
		s.query.Set("limit", strconv.Itoa(limit))
	}
	s.where("cursor", cursor)
	if !updatedSince.IsZero() {
		s.query.Set("updated_since", updatedSince.UTC().Format(time.RFC3339Nano))
	}
	return s
}

func (s selection) where(name, value string) {
	if value != "" {
		s.query.Set(name, value)
	}
}

// sequence is a query with the number of an event.
func sequence(name string, number uint64) url.Values {
	return url.Values{name: {strconv.FormatUint(number, 10)}}
}

// joined is a parameter of several values.
func joined[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ",")
}

// readPage reads one page.
func readPage[T any](ctx context.Context, c *Client, q *request, s selection) (*Page[T], error) {
	q.method, q.query, q.ifNoneMatch = http.MethodGet, s.query, s.ifNoneMatch
	page := &Page[T]{}
	call, err := c.do(ctx, q, page)
	if err != nil {
		return nil, err
	}
	page.ETag, page.Meta = call.ETag, call.Meta
	return page, nil
}

// A list whose cursor the server has forgotten is begun again so often: a list of typed rows, and one of Rows,
// whose callers judge a company with injected faults.
const mostBeginnings, mostRawBeginnings = 5, 60

// walk is where the reading of a list has come to.
type walk struct {
	first    selection
	known    map[string]bool
	nameless bool
	last     uint64
	// most bounds beginning.
	beginning, most int
}

// fresh reports whether a row has not come before, and notes it.
func (w *walk) fresh(item any) bool {
	if e, ok := item.(FeedEvent); ok {
		w.last = e.Seq
	}
	id := reflect.ValueOf(item).FieldByName("ID")
	if !id.IsValid() || id.Kind() != reflect.String || id.String() == "" {
		w.nameless = true
		return true
	}
	if w.known[id.String()] {
		return false
	}
	w.known[id.String()] = true
	return true
}

// again is the selection to begin anew with after an error, and false where that cannot be:
// rows without an id might come twice, and a cursor that the caller brought is theirs to
// mend.
func (w *walk) again(err error, s selection) (selection, bool) {
	if !IsCode(err, CodeInvalidCursor) || w.nameless || w.beginning == w.most ||
		s.query.Get("cursor") == w.first.query.Get("cursor") {
		return s, false
	}
	w.beginning++
	anew := selection{query: maps.Clone(w.first.query)}
	if w.last > 0 { // the feed goes on behind its last event
		anew.query.Del("cursor")
		anew.query.Set("after_seq", strconv.FormatUint(w.last, 10))
	}
	return anew, true
}

// readAll reads page after page. IfNoneMatch counts for the first: when that is
// as it was, so is the list. A list whose cursor the server has forgotten is begun again,
// without the rows that came already.
func readAll[T any](ctx context.Context, c *Client, q request, s selection) iter.Seq2[T, error] {
	if !s.query.Has("limit") {
		s.query.Set("limit", strconv.Itoa(MostPerPage))
	}
	return func(yield func(T, error) bool) {
		var none T
		w := walk{first: s, known: map[string]bool{}, most: mostBeginnings}
		if _, raw := any(none).(rawRow); raw {
			w.most = mostRawBeginnings
		}
		for s := (selection{query: maps.Clone(s.query), ifNoneMatch: s.ifNoneMatch}); ; s.ifNoneMatch = "" {
			page, err := readPage[T](ctx, c, new(q), s)
			if err != nil {
				anew, ok := w.again(err, s)
				if !ok {
					yield(none, err)
					return
				}
				s = anew
				continue
			}
			for _, item := range page.Items {
				if w.fresh(item) && !yield(item, nil) {
					return
				}
			}
			if page.NextCursor == "" {
				return
			}
			if page.NextCursor == s.query.Get("cursor") {
				yield(none, fmt.Errorf("platen: %s: the next page is this one again", q.operation))
				return
			}
			// A cursor of the feed goes on from an event of its own.
			s.query.Del("after_seq")
			s.query.Set("cursor", page.NextCursor)
		}
	}
}
