package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"platen/internal/company"
	"platen/internal/desk"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
)

// Checked is the result of a check of a store.
type Checked struct {
	Sandboxes, Commits, Snapshots int
	Damages                       []Damage
}

// Damage is one thing in a store that is not what was written.
type Damage struct {
	SandboxID string
	// Until is when the sandbox will be deleted.
	Until time.Time
	// Error says what it is. A sandbox whose snapshot alone is damaged goes on:
	// its commits take the place.
	Error    error
	Snapshot bool
}

// CheckStore reads every commit and every snapshot of a store, and compares their
// sums, the numbers of events and the index of replies and events. It changes nothing. An error is that of the store;
// damage is none.
func CheckStore(ctx context.Context, s store.Reader) (Checked, error) {
	headers, err := all(ctx, s)
	if err != nil {
		return Checked{}, err
	}
	checked := Checked{Sandboxes: len(headers)}
	for i := range headers {
		if err := checked.check(ctx, s, &headers[i]); err != nil {
			return Checked{}, err
		}
	}
	return checked, nil
}

// check looks at one sandbox.
func (c *Checked) check(ctx context.Context, s store.Reader, header *store.Sandbox) error {
	damaged := func(err error, snapshot bool) {
		c.Damages = append(c.Damages,
			Damage{SandboxID: header.ID, Until: header.DeleteAt, Error: err, Snapshot: snapshot})
	}
	image, err := s.Load(ctx, header.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return fmt.Errorf("load sandbox %s: %w", header.ID, err)
	}
	newest := image.Snapshot.Version + uint64(len(image.Commits))
	var read past
	for read.version < newest {
		stored, err := commitsAfter(ctx, s, header.ID, read.version, newest)
		if err != nil && !errors.Is(err, commitlog.ErrDamaged) {
			return fmt.Errorf("read commits of sandbox %s: %w", header.ID, err)
		}
		if err == nil {
			err = read.add(stored, image.Snapshot.Version)
		}
		if err != nil {
			damaged(err, false)
			return nil
		}
		c.Commits += len(stored)
	}
	if image.Snapshot.Version == 0 {
		return nil
	}
	c.Snapshots++
	if err := read.checkSnapshot(&image.Snapshot); err != nil && !foreign(err) {
		damaged(err, true)
	}
	return nil
}

// past adds up the commits of a sandbox, up to one with a version.
type past struct {
	version uint64
	sum     commitlog.Sum
	// event is the number of the newest event.
	event uint64
	index commitlog.Index
	// sumOfSnapshot is the sum of the commit after which the snapshot was made.
	sumOfSnapshot commitlog.Sum
	// indexed is the index at the snapshot.
	indexed commitlog.Index
}

// add takes the next commits in, each of which has to follow the one before it with its sum and its events.
func (p *past) add(stored []store.Commit, snapshot uint64) error {
	commits, err := commitlog.DecodeCommits(stored, p.version, p.sum)
	if err != nil {
		return err //nolint:wrapcheck // it names the commit
	}
	for i := range commits {
		p.version, p.sum = p.version+1, commits[i].Sum
		for e := range commits[i].Events {
			if p.event++; commits[i].Events[e].Sequence != p.event {
				return fmt.Errorf("%w: commit %d has the event %d where %d should be", commitlog.ErrDamaged, p.version,
					commits[i].Events[e].Sequence, p.event)
			}
		}
		p.index.Add(p.version, &commits[i])
		if p.version == snapshot {
			p.sumOfSnapshot, p.indexed = p.sum, p.index.Clone()
		}
	}
	return nil
}

// checkSnapshot compares a snapshot with its own sum and with the commits before it.
func (p *past) checkSnapshot(s *store.Snapshot) error {
	snapshot, err := commitlog.DecodeSnapshot(s.Body, s.Version)
	if err == nil {
		_, _, err = opened(&snapshot.Image, company.Engine, &desk.Options{}, desk.NewClient(&desk.Memory{}))
	}
	switch {
	case err != nil:
		return err //nolint:wrapcheck // it names the snapshot
	case snapshot.Last != 0 && p.sumOfSnapshot != 0 && snapshot.Last != p.sumOfSnapshot:
		return fmt.Errorf("%w: snapshot %d is of other commits", commitlog.ErrDamaged, s.Version)
	case !snapshot.Index.Equal(&p.indexed):
		return fmt.Errorf("%w: the index of snapshot %d is of other commits", commitlog.ErrDamaged, s.Version)
	}
	return nil
}
