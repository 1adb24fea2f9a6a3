package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// errNoID saves a request that could only mean another route.
var errNoID = errors.New("the id is empty")

// record puts ids into the path of a record, in their order.
func record(path string, ids ...string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") && len(ids) > 0 {
			parts[i], ids = url.PathEscape(ids[0]), ids[1:]
		}
	}
	return strings.Join(parts, "/")
}

// read reads one value.
func read[T any](ctx context.Context, c *Client, q request) (*T, error) {
	q.method = http.MethodGet
	return send[T](ctx, c, q)
}

// write does a write.
func write[T any](ctx context.Context, c *Client, q request) (*T, error) {
	q.write = true
	return send[T](ctx, c, q)
}

func send[T any](ctx context.Context, c *Client, q request) (*T, error) {
	out := new(T)
	if _, err := c.do(ctx, &q, out); err != nil {
		return nil, err
	}
	return out, nil
}

// failed wraps an error that prevented an operation from being sent, with its
// name.
func failed(operation string, err error) error {
	return fmt.Errorf("platen: %s: %w", operation, err)
}
