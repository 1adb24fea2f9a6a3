package testclient

import (
	"iter"
	"net/http"
	"net/url"
	"strings"
)

// pageLimit is the largest page of a list.
const pageLimit = "100"

// Pages reads a list page by page, each the largest there is. The path may have a
// query. Reading fails at a page that is not served.
func Pages(path string, read func(path string) *Answer) iter.Seq[*Answer] {
	return func(yield func(*Answer) bool) {
		path, text, _ := strings.Cut(path, "?")
		query, err := url.ParseQuery(text)
		if err != nil {
			panic(err)
		}
		query.Set("limit", pageLimit)
		for {
			a := read(path + "?" + query.Encode())
			a.T.Helper()
			if !yield(a.Want(http.StatusOK, "")) {
				return
			}
			next := a.Cursor()
			if next == "" {
				return
			}
			query.Set("cursor", next)
			query.Del("after_seq") // a cursor of the feed stands in its place
		}
	}
}

// All reads all rows of a list, in the order of the list.
func All(path string, read func(path string) *Answer) []Object {
	var rows []Object
	for page := range Pages(path, read) {
		rows = append(rows, page.Items()...)
	}
	return rows
}
