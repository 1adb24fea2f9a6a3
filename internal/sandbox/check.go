package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"platen/internal/company"
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
// sums. It changes nothing. An error is that of the store; damage is none.
func CheckStore(ctx context.Context, s store.Store) (Checked, error) {
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
func (c *Checked) check(ctx context.Context, s store.Store, header *store.Sandbox) error {
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
	version, sum, sumOfSnapshot := uint64(0), commitlog.Sum(0), commitlog.Sum(0)
	for version < newest {
		stored, err := commitsAfter(ctx, s, header.ID, version, newest)
		if err != nil && !errors.Is(err, commitlog.ErrDamaged) {
			return fmt.Errorf("read commits of sandbox %s: %w", header.ID, err)
		}
		var commits []commitlog.Commit
		if err == nil {
			commits, err = commitlog.DecodeCommits(stored, version, sum)
		}
		if err != nil {
			damaged(err, false)
			return nil
		}
		for i := range commits {
			version, sum = version+1, commits[i].Sum
			if version == image.Snapshot.Version {
				sumOfSnapshot = sum
			}
		}
		c.Commits += len(commits)
	}
	if image.Snapshot.Version == 0 {
		return nil
	}
	c.Snapshots++
	snapshot, err := commitlog.DecodeSnapshot(image.Snapshot.Body, image.Snapshot.Version)
	if err == nil {
		err = snapshot.Check()
	}
	if err == nil {
		_, err = company.Load(snapshot.Image, company.Engine)
	}
	if err == nil && snapshot.Last != 0 && sumOfSnapshot != 0 && snapshot.Last != sumOfSnapshot {
		err = fmt.Errorf("%w: snapshot %d is of other commits", commitlog.ErrDamaged, image.Snapshot.Version)
	}
	if err != nil && !foreign(err) {
		damaged(err, true)
	}
	return nil
}
