package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"platen/internal/company"
	"platen/internal/desk"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
)

// movers is how many sandboxes move at a time, so that their commits share flushes.
const movers = 32

// Moved says what was copied.
type Moved struct{ Sandboxes, Commits, Records int }

// MoveStore copies every sandbox and every record into an empty store, body by body, and
// reads each back to compare it. Nothing else may write to either meanwhile. After an
// error the new store holds a part.
func MoveStore(ctx context.Context, from, to store.Store) (Moved, error) {
	headers, err := all(ctx, from)
	if err != nil {
		return Moved{}, err
	}
	m := mover{from: from, to: to, headers: make(chan *store.Sandbox)}
	ctx, m.cancel = context.WithCancelCause(ctx)
	defer m.cancel(nil)
	var done sync.WaitGroup
	for range movers {
		done.Go(func() { m.run(ctx) })
	}
	for i := range headers {
		select {
		case m.headers <- &headers[i]:
		case <-ctx.Done():
		}
	}
	close(m.headers)
	done.Wait()
	if ctx.Err() != nil {
		return m.moved, context.Cause(ctx) //nolint:wrapcheck // it says what it did
	}
	return m.moved, m.records(ctx)
}

// all lists the headers of all sandboxes.
func all(ctx context.Context, s store.Reader) ([]store.Sandbox, error) {
	never := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	headers, err := s.Due(ctx, never, math.MaxInt32)
	if err != nil {
		return nil, fmt.Errorf("list sandboxes: %w", err)
	}
	return headers, nil
}

// mover moves sandboxes until there are none, or one cannot be moved.
type mover struct {
	from, to store.Store
	headers  chan *store.Sandbox
	cancel   context.CancelCauseFunc

	mu    sync.Mutex // guards moved
	moved Moved
}

func (m *mover) run(ctx context.Context) {
	for header := range m.headers {
		commits, err := m.move(ctx, header.ID)
		if err != nil {
			m.cancel(fmt.Errorf("move sandbox %s: %w", header.ID, err))
			return
		}
		m.mu.Lock()
		m.moved.Sandboxes++
		m.moved.Commits += commits
		m.mu.Unlock()
	}
}

// move copies a sandbox and returns the number of its commits.
func (m *mover) move(ctx context.Context, id string) (int, error) {
	image, err := m.from.Load(ctx, id)
	if err != nil {
		return 0, err
	}
	newest := image.Snapshot.Version + uint64(len(image.Commits))
	for version := uint64(0); version < newest; {
		commits, err := commitsAfter(ctx, m.from, id, version, newest)
		if err != nil {
			return 0, err
		}
		for _, c := range commits {
			moved := store.Commit{SandboxID: id, Version: c.Version, Body: c.Body}
			if c.Version == 1 {
				moved.Header, moved.Engine = &image.Sandbox, engineOf(image)
			}
			if err := m.to.Commit(ctx, moved); err != nil {
				return 0, err
			}
		}
		there, err := m.to.Commits(ctx, id, version+1, version+uint64(len(commits)))
		if err != nil {
			return 0, err
		}
		for i := range commits {
			if len(there) != len(commits) || !bytes.Equal(there[i].Body, commits[i].Body) {
				return 0, errors.New("what was written is not what is read")
			}
		}
		version += uint64(len(commits))
	}
	if s := image.Snapshot; s.Version > 0 {
		err = m.to.SaveSnapshot(ctx, store.Snapshot{SandboxID: id, Version: s.Version, Body: s.Body})
	}
	return int(newest), err
}

// engineOf is the version of the simulation that began a sandbox, 0 where this program
// does not know it.
func engineOf(image store.Image) int {
	version := image.Snapshot.Version
	var snapshot commitlog.Snapshot
	if version > 0 {
		var err error
		if snapshot, err = commitlog.DecodeSnapshot(image.Snapshot.Body, version); err != nil {
			return 0
		}
	}
	commits, err := commitlog.DecodeCommits(image.Commits, version, snapshot.Last)
	if err != nil {
		return 0
	}
	for i := range commits {
		snapshot.Image.Apply(&commits[i].Changes)
	}
	client := desk.NewClient(&desk.Memory{})
	if _, _, err := opened(&snapshot.Image, company.Engine, &desk.Options{}, client); err != nil {
		return 0
	}
	return company.Engine
}

// records copies all records but the roles, which belong to servers that are no more.
func (m *mover) records(ctx context.Context) error {
	kinds, err := m.from.Kinds(ctx)
	if err != nil {
		return fmt.Errorf("move records: %w", err)
	}
	for _, kind := range kinds {
		if kind == store.RoleKind {
			continue
		}
		records, err := m.from.List(ctx, kind)
		if err != nil {
			return fmt.Errorf("move records: %w", err)
		}
		for first := 0; first < len(records); first += store.MaxWrites {
			part := records[first:min(len(records), first+store.MaxWrites)]
			writes := make([]store.Write, len(part))
			for i := range part {
				writes[i] = store.Write{Record: part[i]}
			}
			if err := m.to.Write(ctx, writes); err != nil {
				return fmt.Errorf("move records: %w", err)
			}
		}
		m.moved.Records += len(records)
	}
	return nil
}
