package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"platen/internal/company"
	"platen/internal/desk"
	"platen/internal/sandbox/commitlog"
	"platen/internal/sandbox/sandboxfile"
	"platen/internal/store"
	"platen/internal/words/moment"
)

const (
	// exportedAtOnce is the number of commits that an export holds in memory.
	exportedAtOnce = 32
	// importLasts is how long a sandbox stays that was imported in part.
	importLasts = time.Hour
)

// Export is a state of a sandbox that is written to a file. Commits never change, so it stays what it is while
// the sandbox goes on.
type Export struct {
	Head sandboxfile.Head

	sandbox *Sandbox
}

// Export brings the sandbox up to the present, which its file will hold (contract: OPEN.FILE.EXPORT).
func (s *Sandbox) Export(ctx context.Context) (*Export, error) {
	e := &Export{sandbox: s}
	err := s.withWriter(func(now moment.Instant) error {
		s.used.Store(int64(now))
		if err := s.advance(ctx, now); err != nil {
			return err
		}
		base, err := s.base(ctx, ForkPoint{}, now)
		if err != nil {
			return err
		}
		settings := s.company.Settings()
		e.Head = sandboxfile.Head{
			SandboxID: s.id, ExportedAt: now, Engine: settings.Engine, Preset: settings.Preset.Name,
			SimDate: s.company.Date(), LastSeq: base.Sequence, Evaluation: settings.Preset.Evaluation,
			Commits: base.Version, StateHash: s.company.StateHash(),
		}
		return nil
	})
	return e, err
}

// Write writes the file. After an error it lacks its end.
func (e *Export) Write(ctx context.Context, to io.Writer) error {
	w, err := sandboxfile.NewWriter(to, &e.Head)
	if err != nil {
		return err //nolint:wrapcheck // it says what it wrote
	}
	for version := uint64(0); version < e.Head.Commits; {
		commits, err := commitsAfter(ctx, e.sandbox.registry.store, e.Head.SandboxID, version,
			min(e.Head.Commits, version+exportedAtOnce))
		if err != nil {
			return readProblem("export sandbox "+e.Head.SandboxID, err)
		}
		for i := range commits {
			version++
			if err := w.Commit(commits[i].Body); err != nil {
				return err //nolint:wrapcheck // the writer's own
			}
		}
	}
	return w.Close() //nolint:wrapcheck // the writer's own
}

// Imported is a sandbox that a file was read into.
type Imported struct {
	Created

	Head sandboxfile.Head
}

// Import makes a sandbox of a file: a fork of the one that was exported, with keys and a lease of its own
// (contract: OPEN.FILE.IMPORT). Errors wrap those of sandboxfile, commitlog.ErrDamaged, commitlog.ErrFormat or
// company.ErrEngine. After an error there is no sandbox; one whose import was killed has no keys, and is deleted within
// an hour.
func (r *Registry) Import(ctx context.Context, from io.Reader) (Imported, error) {
	file, err := sandboxfile.NewReader(from)
	if err != nil {
		return Imported{}, err //nolint:wrapcheck // it says what it reads
	}
	head := file.Head
	if head.Engine != r.options.Engine { // before anything is written
		return Imported{}, fmt.Errorf("%w: the file has engine_version %d, and this program %d; import it with the "+
			"version of Platen that exported it", company.ErrEngine, head.Engine, r.options.Engine)
	}
	created, header := r.newcomer(NewID("sbx"), "", head.Evaluation)
	commit, err := r.imported(ctx, file, &created, &header)
	if err == nil {
		err = r.store.Commit(ctx, commit)
	}
	if err != nil {
		gone := r.store.Delete(context.WithoutCancel(ctx), created.SandboxID, store.Fence{})
		return Imported{}, fmt.Errorf("import sandbox %s: %w", head.SandboxID, errors.Join(err, gone))
	}
	return Imported{created, head}, nil
}

// imported stores the commits of a file, and returns the one that makes a sandbox of them.
func (r *Registry) imported(ctx context.Context, file *sandboxfile.Reader, created *Created,
	header *store.Sandbox) (commit store.Commit, err error) {
	head := &file.Head
	snapshot, err := r.importCommits(ctx, file, created.SandboxID)
	if err != nil {
		return commit, err
	}
	c, d, err := opened(&snapshot.Image, r.options.Engine, &r.desks, desk.NewClient(&r.calls))
	if err != nil {
		return commit, err
	}
	if hash := c.StateHash(); hash != head.StateHash {
		return commit, fmt.Errorf("%w: the company has the hash %s, and the file says %s", sandboxfile.ErrDamaged, hash,
			head.StateHash)
	}
	if err := cmp.Or(c.Check(), d.Check()); err != nil {
		return commit, fmt.Errorf("%w: %w", sandboxfile.ErrDamaged, err)
	}
	if c.Settings().Preset.Evaluation != head.Evaluation {
		return commit, fmt.Errorf("%w: its head and its company differ", sandboxfile.ErrDamaged)
	}
	now := moment.InstantOf(header.CreatedAt)
	created.Seq = c.Feed().Position().Sequence
	d.Fork(now)
	c.Fork(company.Identity{SandboxID: created.SandboxID, ForkedFrom: head.SandboxID, UID: random64()}, now)
	version := head.Commits + 1
	own := commitlog.Commit{Changes: d.Flush(version)}
	commit = store.Commit{SandboxID: created.SandboxID, Version: version, Header: header}
	commit.Body, _ = own.Encode(version, snapshot.Last)
	return commit, nil
}

// importCommits checks and stores the commits of a file, for a sandbox that nobody has a key of yet.
func (r *Registry) importCommits(ctx context.Context, file *sandboxfile.Reader,
	id string) (s commitlog.Snapshot, err error) {
	now := r.Now()
	gone := now.Add(importLasts).Time()
	staged := store.Sandbox{ID: id, CreatedAt: now.Time(), ExpiresAt: now.Time(), DeleteAt: gone, WakeAt: gone}
	for version := uint64(1); ; version++ {
		body, err := file.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return s, err //nolint:wrapcheck // it says what it reads
		}
		commit := store.Commit{SandboxID: id, Version: version, Body: body}
		read, err := commitlog.DecodeCommits([]store.Commit{commit}, version-1, s.Last)
		if err != nil {
			return s, err //nolint:wrapcheck // it names the commit
		}
		s.Add(version, &read[0])
		if version == 1 {
			commit.Header, commit.Engine = &staged, r.options.Engine
		}
		if err := r.store.Commit(ctx, commit); err != nil {
			return s, fmt.Errorf("store commit %d: %w", version, err)
		}
	}
}
