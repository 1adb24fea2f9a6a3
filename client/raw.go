package client

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Send sends a request to a path below the base URL, with its query, and returns the data of
// the response. It is for programs that have paths where others have methods. Send picks the
// key, repeats the request and returns errors as the methods do; each method but GET carries an
// idempotency key. The body must be JSON, empty for none.
func (c *Client) Send(ctx context.Context, method, path string, body json.RawMessage) (json.RawMessage, error) {
	q := pathRequest(method, path)
	if q.write = method != http.MethodGet; len(body) > 0 {
		q.in = body
	}
	var data json.RawMessage
	_, err := c.do(ctx, &q, &data)
	return data, err
}

// Rows reads the list at a path below the base URL, page after page, and returns each row as it
// came. Where the server has forgotten a cursor it begins anew, and leaves out the rows that came already.
func (c *Client) Rows(ctx context.Context, path string, query url.Values) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		chosen := selection{query: url.Values{}}
		maps.Copy(chosen.query, query)
		for r, err := range readAll[rawRow](ctx, c, pathRequest(http.MethodGet, path), chosen) {
			if !yield(r.text, err) {
				return
			}
		}
	}
}

func pathRequest(method, path string) request {
	path = "/" + strings.TrimPrefix(path, "/")
	bare, _, _ := strings.Cut(path, "?")
	return request{operation: method + " " + bare, method: method, path: path, system: systemOf(bare)}
}

// rawRow is a row of a list whose type is not known.
type rawRow struct {
	ID   string
	text json.RawMessage
}

// UnmarshalJSON keeps the row and finds its id.
func (r *rawRow) UnmarshalJSON(b []byte) error {
	var named struct {
		ID string `json:"id"`
	}
	r.text = append(r.text[:0:0], b...)
	if json.Unmarshal(b, &named) == nil { // a row without an id is one all the same
		r.ID = named.ID
	}
	return nil
}
