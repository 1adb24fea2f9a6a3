package groupcommit

import (
	"context"
	"fmt"
	"math"
	"time"

	"platen/internal/store"
)

// Operations beside store.Commit and store.Snapshot.
type (
	// Deletion deletes a sandbox.
	Deletion struct {
		SandboxID string
		Fence     store.Fence
	}
	// Records are the changes of records in one step.
	Records []store.Write
	// Clearing removes at most Limit records that have ended by Until. The
	// engine sets Removed.
	Clearing struct {
		Until          time.Time
		Limit, Removed int
	}
	// Ping writes a row that has no other purpose.
	Ping struct{}
)

func (r Records) bytes() int {
	total := 0
	for i := range r {
		total += len(r[i].Body)
	}
	return total
}

// Methods are those of a store.Store that write. An engine embeds them in its
// own.
type Methods struct{ queue *Queue }

// Methods returns the methods that write by way of the queue.
func (q *Queue) Methods() Methods { return Methods{q} }

// Commit appends one commit.
func (m Methods) Commit(ctx context.Context, c store.Commit) error {
	err := checkCommit(c)
	if err == nil {
		err = m.queue.do(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("commit %d of sandbox %q: %w", c.Version, c.SandboxID, err)
	}
	return nil
}

// checkCommit refuses a commit that no state of the store could accept.
func checkCommit(c store.Commit) error {
	switch {
	case len(c.Body) > store.MaxBody:
		return fmt.Errorf("a body of %d bytes is over the limit of %d", len(c.Body), store.MaxBody)
	case store.CheckWrites(c.Records) != nil:
		return store.CheckWrites(c.Records)
	case c.Header != nil && c.Header.ID != c.SandboxID:
		return fmt.Errorf("its header is of sandbox %q", c.Header.ID)
	case c.Version == 0 || c.Version > math.MaxInt64 || c.Creates() && c.Header == nil:
		return store.ErrConflict
	case c.Fork != nil:
		return checkFork(c)
	}
	return nil
}

// checkFork refuses a fork that no state of the store could accept.
func checkFork(c store.Commit) error {
	s := c.Fork.Snapshot
	switch {
	case c.Version == 1 || c.Fork.Parent == c.SandboxID:
		return store.ErrConflict
	case s != nil && len(s.Body) > store.MaxBody:
		return fmt.Errorf("a snapshot of %d bytes is over the limit of %d", len(s.Body), store.MaxBody)
	case s != nil && (s.Version == 0 || s.Version >= c.Version):
		return fmt.Errorf("a snapshot of version %d is not among those that are copied", s.Version)
	}
	return nil
}

// SaveSnapshot keeps a snapshot, if it is not older than the kept one.
func (m Methods) SaveSnapshot(ctx context.Context, s store.Snapshot) error {
	if len(s.Body) > store.MaxBody {
		return fmt.Errorf("snapshot %d of sandbox %q: a body of %d bytes is over the limit of %d",
			s.Version, s.SandboxID, len(s.Body), store.MaxBody)
	}
	if err := m.queue.do(ctx, s); err != nil {
		return fmt.Errorf("snapshot %d of sandbox %q: %w", s.Version, s.SandboxID, err)
	}
	return nil
}

// Delete removes a sandbox. When it returns the sandbox cannot be found; its
// bodies go later.
func (m Methods) Delete(ctx context.Context, sandboxID string, fence store.Fence) error {
	if err := m.queue.do(ctx, Deletion{sandboxID, fence}); err != nil {
		return fmt.Errorf("delete sandbox %q: %w", sandboxID, err)
	}
	return nil
}

// Write writes records.
func (m Methods) Write(ctx context.Context, writes []store.Write) error {
	err := store.CheckWrites(writes)
	if err == nil {
		err = m.queue.do(ctx, Records(writes))
	}
	if err != nil {
		return fmt.Errorf("write %d records: %w", len(writes), err)
	}
	return nil
}

// Clear removes records that have ended.
func (m Methods) Clear(ctx context.Context, t time.Time, limit int) (int, error) {
	c := &Clearing{Until: t, Limit: max(limit, 0)} // a negative limit means none to some databases
	if err := m.queue.do(ctx, c); err != nil {
		return 0, fmt.Errorf("clear records: %w", err)
	}
	return c.Removed, nil
}

// Ping writes a row. An engine's own Ping reads one too.
func (m Methods) Ping(ctx context.Context) error {
	if err := m.queue.do(ctx, Ping{}); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	return nil
}
