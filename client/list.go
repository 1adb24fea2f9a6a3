package client

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
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

// readAll reads page after page. IfNoneMatch counts for the first: when that is
// as it was, so is the list.
func readAll[T any](ctx context.Context, c *Client, q request, s selection) iter.Seq2[T, error] {
	if !s.query.Has("limit") {
		s.query.Set("limit", strconv.Itoa(MostPerPage))
	}
	return func(yield func(T, error) bool) {
		var none T
		for s := (selection{query: maps.Clone(s.query), ifNoneMatch: s.ifNoneMatch}); ; s.ifNoneMatch = "" {
			page, err := readPage[T](ctx, c, new(q), s)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
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
