package client

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// Call describes a finished call. After a failed one it describes the last
// attempt.
type Call struct {
	Meta Meta
	// Status is the status of the response, 0 when there was none.
	Status int
	Header http.Header
	// Body is the whole response as it came, nil when there was none. It has the
	// fields that this version of the client does not know, too.
	Body []byte
	// ETag is the version of the data that a read returned.
	ETag string
	// IdempotencyKey is the key that a write was sent with. With it, a write
	// whose outcome is unknown can be sent again.
	IdempotencyKey string
	// Replayed is set when the response is the stored one of an earlier
	// attempt.
	Replayed bool
	Attempts int
}

type callKey struct{}

// WithCall returns a context in which each call notes its result. A call
// overwrites the note of the one before, so calls that run at the same time
// need contexts of their own.
func WithCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

func note(ctx context.Context, call Call) {
	if to, ok := ctx.Value(callKey{}).(*Call); ok && to != nil {
		*to = call
	}
}

type idempotencyKey struct{}

// WithIdempotencyKey returns a context whose writes carry a key of yours in
// place of a random one, such as that of KeyFor, so that a
// restarted program repeats nothing. A key identifies one intention. The server
// rejects it with idempotency_key_reused when it comes with another request, so
// derive one context for each write.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// KeyFor names an idempotency key for the step and its record, such as accept-SO-1001 for a sales order's number or id:
// a program that was restarted, or runs twice, sends the same one. Where a step may happen again, add an ordinal that
// you read from the record, never the attempt. A key has at most 64 characters.
//
//	client.KeyFor("accept", order.Number)
//	client.KeyFor("print", work.Number, len(work.PrintRunIDs)+1)
func KeyFor[R ~string](step string, record R, ordinal ...int) string {
	parts := []string{step, string(record)}
	for _, n := range ordinal {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, "-")
}

type ifMatch struct{}

// WithIfMatch returns a context whose writes about a record are carried out only while the record is still of the
// version that you read: the ETag of a Call. Otherwise the error is CodePreconditionFailed, and nothing was done.
//
//	var read client.Call
//	order, err := c.GetSalesOrder(client.WithCall(ctx, &read), id)
//	...
//	_, err = c.AcceptSalesOrder(client.WithIfMatch(ctx, read.ETag), order.ID)
func WithIfMatch(ctx context.Context, etag string) context.Context {
	return context.WithValue(ctx, ifMatch{}, etag)
}

// versionOf returns the If-Match of a write, "" for none.
func versionOf(ctx context.Context) string {
	etag, _ := ctx.Value(ifMatch{}).(string)
	return etag
}

// keyOf returns the idempotency key of a write.
func (c *Client) keyOf(ctx context.Context) string {
	if key, ok := ctx.Value(idempotencyKey{}).(string); ok {
		return key
	}
	return c.newKey()
}
