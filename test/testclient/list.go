package testclient

import (
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// pageLimit is the largest page of a list.
const pageLimit = "100"

// afterSequence is the parameter of the feed whose place a cursor takes.
var afterSequence = regexp.MustCompile(`after_seq=\d+&`)

// Pages reads a list page by page, each the largest there is. The path may have a
// query. Reading fails at a page that is not served.
func Pages(path string, read func(path string) *Answer) iter.Seq[*Answer] {
	return func(yield func(*Answer) bool) {
		join := "?"
		if strings.Contains(path, "?") {
			join = "&"
		}
		first := path + join + "limit=" + pageLimit
		for page := first; ; {
			a := read(page)
			a.T.Helper()
			if !yield(a.Want(http.StatusOK, "")) {
				return
			}
			next := a.Cursor()
			if next == "" {
				return
			}
			page = afterSequence.ReplaceAllString(first, "") + "&cursor=" + url.QueryEscape(next)
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
