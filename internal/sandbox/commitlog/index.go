package commitlog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"

	"platen/internal/company/record"
	"platen/internal/store"
	"platen/internal/words/event"
)

// Index finds replies and events in the commits of a sandbox. The zero Index is
// that of a sandbox without commits.
type Index struct {
	// replies holds the version of each idempotency key's commit.
	replies map[ReplyKey]uint64
	// events lists the commits that hold events, in order.
	events []Span
}

// Span is a commit with events.
type Span struct {
	version uint64
	// last is the number of its last event, types the types of all of them.
	last  uint64
	types event.Set
}

// Add takes the newest commit in.
func (x *Index) Add(version uint64, c *Commit) {
	if n := len(c.Events); n > 0 {
		span := Span{version: version, last: c.Events[n-1].Sequence}
		for i := range c.Events {
			span.types = span.types.Union(event.SetOf(event.Type(c.Events[i].Type)))
		}
		x.events = append(x.events, span)
	}
	if c.Reply != nil {
		if x.replies == nil {
			x.replies = map[ReplyKey]uint64{}
		}
		x.replies[c.Reply.Key] = version
	}
}

// Clone returns a copy that shares nothing with the index.
func (x *Index) Clone() Index {
	return Index{replies: maps.Clone(x.replies), events: slices.Clone(x.events)}
}

// Equal says that two indexes find the same.
func (x *Index) Equal(y *Index) bool {
	return maps.Equal(x.replies, y.replies) && slices.Equal(x.events, y.events)
}

// Bytes is about how much memory the index takes up.
func (x *Index) Bytes() int64 {
	const spanBytes, replyBytes = 48, 64
	return int64(len(x.events)*spanBytes + len(x.replies)*replyBytes)
}

// Reply returns the version of the commit with the reply to an idempotency key.
func (x *Index) Reply(key ReplyKey) (version uint64, ok bool) {
	version, ok = x.replies[key]
	return version, ok
}

// Holding returns the version of the commit that holds the event with a number, and the
// number of its last event.
func (x *Index) Holding(sequence uint64) (version, last uint64, ok bool) {
	spans := x.Spans(sequence-1, sequence, event.Set{})
	if sequence == 0 || len(spans) == 0 {
		return 0, 0, false
	}
	return spans[0].version, spans[0].last, true
}

// Spans lists the commits with events of some types between two numbers: after
// the first, up to the second. An empty set selects all types.
func (x *Index) Spans(after, until uint64, types event.Set) []Span {
	first := sort.Search(len(x.events), func(i int) bool { return x.events[i].last > after })
	var spans []Span
	for i := first; i < len(x.events) && (i == 0 || x.events[i-1].last < until); i++ {
		if types.Empty() || types.Meets(x.events[i].types) {
			spans = append(spans, x.events[i])
		}
	}
	return spans
}

// Events reads the events of some commits of a sandbox, in order. Commits that
// follow each other are read together.
func Events(ctx context.Context, from store.Store, sandboxID string, spans []Span) ([]record.Event, error) {
	var events []record.Event
	for len(spans) > 0 {
		n := 1
		for n < len(spans) && spans[n].version == spans[n-1].version+1 {
			n++
		}
		commits, err := read(ctx, from, sandboxID, spans[0].version, spans[n-1].version)
		if err != nil {
			return nil, err
		}
		for i := range commits {
			events = append(events, commits[i].Events...)
		}
		spans = spans[n:]
	}
	return events, nil
}

// ReadReply reads the reply to an idempotency key from its commit.
func ReadReply(
	ctx context.Context, from store.Store, sandboxID string, version uint64, key ReplyKey,
) (*Reply, error) {
	commits, err := read(ctx, from, sandboxID, version, version)
	if err != nil {
		return nil, err
	}
	reply := commits[0].Reply
	if reply == nil || reply.Key != key {
		return nil, fmt.Errorf("%w: commit %d holds another reply", ErrDamaged, version)
	}
	return reply, nil
}

// read reads the commits between two versions, both included.
func read(ctx context.Context, from store.Store, sandboxID string, first, last uint64) ([]Commit, error) {
	stored, err := from.Commits(ctx, sandboxID, first, last)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller knows its purpose
	}
	if n := int(last - first + 1); len(stored) != n {
		return nil, fmt.Errorf("%w: %d of %d commits from %d are missing", ErrDamaged, n-len(stored), n, first)
	}
	return DecodeCommits(stored, first-1, 0)
}

// DecodeCommits reads the commits after one with a version and a sum, 0 when the
// sum is unknown, each of which has to follow the one before it.
func DecodeCommits(stored []store.Commit, version uint64, sum Sum) ([]Commit, error) {
	commits := make([]Commit, len(stored))
	for i := range stored {
		version++
		if stored[i].Version != version {
			return nil, fmt.Errorf("%w: commit %d stands where %d should", ErrDamaged, stored[i].Version, version)
		}
		c, err := DecodeCommit(stored[i].Body, version)
		if err != nil {
			return nil, err
		}
		if sum != 0 && c.Previous != 0 && c.Previous != sum {
			return nil, fmt.Errorf("%w: commit %d does not follow the one before it", ErrDamaged, version)
		}
		commits[i], sum = c, c.Sum
	}
	return commits, nil
}
