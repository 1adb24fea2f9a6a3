package client

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Do sends a request that no method covers, such as one for a list as CSV, and
// returns the response as it came, also when that is an error of the server. It
// sends the request once; MaxRetries and MaxElapsed do not count.
//
//	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/office/sales-orders.csv", nil)
//	if err != nil {
//		return err
//	}
//	response, err := c.Do(r)
//
// The URL of the request is a path below the base URL, with its query. Do adds the
// headers that are missing: the key that the path requires, unless the request has
// an Authorization or X-Api-Key of its own, User-Agent, Content-Type for a body, and
// for all methods but GET and HEAD an Idempotency-Key. The body of the response
// has been read already, up to the limit of all responses; there is nothing to
// close.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	a, err := c.doOnce(r)
	if err != nil {
		return nil, fmt.Errorf("platen: %s %s: %w", r.Method, r.URL, err)
	}
	return a.response, nil
}

func (c *Client) doOnce(given *http.Request) (*answer, error) {
	if c.baseErr != nil {
		return nil, c.baseErr
	}
	q := &request{}
	if given.Body != nil {
		var err error
		if q.body, err = io.ReadAll(given.Body); err != nil {
			return nil, fmt.Errorf("read the body: %w", err)
		}
	}
	ctx := given.Context()
	target := c.base + "/" + strings.TrimPrefix(given.URL.String(), "/")
	//nolint:gosec // the host is that of the base URL, whatever the path is
	r, err := http.NewRequestWithContext(ctx, given.Method, target, bytes.NewReader(q.body))
	if err != nil {
		return nil, err //nolint:wrapcheck // Do names the request
	}
	r.Header = given.Header.Clone()
	missing := func(name, value string) {
		if r.Header.Get(name) == "" && value != "" {
			r.Header.Set(name, value)
		}
	}
	if r.Header.Get("Authorization") == "" && r.Header.Get("X-Api-Key") == "" {
		key, system, err := c.key(systemOf(given.URL.Path))
		if err != nil {
			return nil, err
		}
		if q.keyOf = system; key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
	}
	missing("User-Agent", c.userAgent)
	if len(q.body) > 0 {
		missing("Content-Type", "application/json")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		missing("Idempotency-Key", c.keyOf(ctx))
		missing("If-Match", versionOf(ctx))
	}
	a, err := c.exchange(q, r, 1)
	if err != nil {
		return nil, err
	}
	a.response.Body = io.NopCloser(bytes.NewReader(a.body))
	return a, nil
}

// systemOf is the system of the route at a path.
func systemOf(path string) system {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "sandboxes", "queue":
		return open
	case "office":
		return office
	case "factory":
		return factory
	default:
		return shared
	}
}
