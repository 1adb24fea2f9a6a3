package client

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
)

// UnmarshalJSON reads an event and keeps its bytes in Raw.
func (e *FeedEvent) UnmarshalJSON(b []byte) error {
	type fields FeedEvent
	if err := json.Unmarshal(b, (*fields)(e)); err != nil {
		return err //nolint:wrapcheck // the call that reads the event names the operation
	}
	e.Raw = bytes.Clone(b)
	return nil
}

// Events reads the feed from the event after afterSeq, 0 for the first, to the
// newest, oldest first. EventsWhere reads only some. FollowEvents waits for more and
// keeps the place.
func (c *Client) Events(ctx context.Context, afterSeq uint64) iter.Seq2[FeedEvent, error] {
	return c.EventsWhere(ctx, ListEventsParams{AfterSeq: afterSeq})
}
