// Package console computes what the web console shows: the state of a sandbox
// as one document, and the changes of it as a stream. Which keys a viewer has,
// and what its requests cost, is decided by package api.
package console

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

const (
	// maxStreams is the most open streams of the consoles of one sandbox, and of its reviewers.
	maxStreams = 2
	// streamRetry is the Retry-After of a refused stream, which is sent in
	// seconds.
	streamRetry = 5 * time.Second
)

// Console knows the tables that are shown, and the open streams.
type Console struct {
	tables []table

	mu      sync.Mutex // guards the fields below
	streams map[sandbox.Caller]int
}

// table is one of which a viewer is sent the rows.
type table struct {
	resource string
	system   operation.System
	// judged rows are not shown in an evaluation (contract: OPEN.EVAL.PLAYER).
	judged bool
	// parent is set where rows belong to another record and do not name it; it
	// is the field that holds the record's id.
	parent string
}

// Viewer is a client that watches a sandbox.
type Viewer struct {
	Sandbox *sandbox.Sandbox
	// Systems are those whose rows may be shown.
	Systems map[operation.System]bool
	// Admitted refuses once a key that let the viewer in was revoked.
	Admitted func(context.Context) error
	// Now is the server's clock, Stopped is closed when the server drains.
	Now     func() moment.Instant
	Stopped <-chan struct{}
	// Cut is closed when a stream has to give way to others.
	Cut <-chan struct{}
}

// New reads from the table of operations which rows there are and which key they
// require.
func New(operations []operation.Operation) *Console {
	c := &Console{streams: map[sandbox.Caller]int{}}
	for i := range operations {
		op := &operations[i]
		if op.Kind != operation.List || op.Resource == operation.CallResource {
			continue
		}
		t := table{resource: op.Resource, system: op.System, judged: op.Grading == operation.GradingAlone}
		if op.Parent != "" {
			t.parent = op.Parent + "_id"
		}
		c.tables = append(c.tables, t)
	}
	return c
}

// State returns everything that a viewer is shown at first, as JSON.
func (c *Console) State(ctx context.Context, viewer *Viewer) ([]byte, error) {
	whole, _, err := c.changes(ctx, cursor{}, viewer)
	if err != nil {
		return nil, err
	}
	return whole.encode()
}

func (c *change) encode() ([]byte, error) {
	b, err := json.Marshal(c, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode what the console shows: %w", err)
	}
	return b, nil
}

// Reserve takes one of the places for streams of a sandbox's consoles, or of its reviewers, or refuses with
// rate_limited. The caller gives it back with release.
func (c *Console) Reserve(of sandbox.Caller, now time.Time) (release func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams[of] >= maxStreams {
		p := problem.New(problem.RateLimited, "%d consoles of this sandbox are open.", maxStreams).
			Hinting("Close another window of the console; this one tries again by itself.")
		p.RetryAfter = int(streamRetry / time.Second)
		return nil, p.RetryingAt(now.Add(streamRetry))
	}
	c.streams[of]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.streams[of]--; c.streams[of] == 0 {
			delete(c.streams, of)
		}
	}, nil
}
