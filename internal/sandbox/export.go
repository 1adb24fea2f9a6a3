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
// company.ErrEngine. After an error nothing can be reached, and what was written is deleted within an hour.
func (r *Registry) Import(ctx context.Context, from io.Reader) (in Imported, err error) {
	file, err := sandboxfile.NewReader(from)
	if err != nil {
		return in, err //nolint:wrapcheck // it says what it reads
	}
	in.Head = file.Head
	if in.Head.Engine != r.options.Engine { // before anything is written
		return in, fmt.Errorf("%w: it was begun by version %d of the simulation, and this is %d", company.ErrEngine,
			in.Head.Engine, r.options.Engine)
	}
	created, header := r.newcomer(NewID("sbx"), "", in.Head.Evaluation)
	in.Created = created
	snapshot, err := r.importCommits(ctx, file, created.SandboxID)
	if err != nil {
		return in, fmt.Errorf("import sandbox %s: %w", in.Head.SandboxID, err)
	}
	c, d, err := opened(&snapshot.Image, r.options.Engine, &r.desks, desk.NewClient(&r.calls))
	if err != nil {
		return in, fmt.Errorf("load what was imported: %w", err)
	}
	if hash := c.StateHash(); hash != in.Head.StateHash {
		return in, fmt.Errorf("%w: the company has the hash %s, and the file says %s", sandboxfile.ErrDamaged, hash,
			in.Head.StateHash)
	}
	if err := cmp.Or(c.Check(), d.Check()); err != nil {
		return in, fmt.Errorf("%w: %w", sandboxfile.ErrDamaged, err)
	}
	if c.Settings().Preset.Evaluation != in.Head.Evaluation {
		return in, fmt.Errorf("%w: its head and its company differ", sandboxfile.ErrDamaged)
	}
	now := moment.InstantOf(header.CreatedAt)
	in.Seq = c.Feed().Position().Sequence
	d.Fork(now)
	c.Fork(company.Identity{SandboxID: created.SandboxID, ForkedFrom: in.Head.SandboxID, UID: random64()}, now)
	version := in.Head.Commits + 1
	own := commitlog.Commit{Changes: d.Flush(version)}
	commit := store.Commit{SandboxID: created.SandboxID, Version: version, Header: &header}
	commit.Body, _ = own.Encode(version, snapshot.Last)
	if err := r.store.Commit(ctx, commit); err != nil {
		return in, fmt.Errorf("store what was imported: %w", err)
	}
	return in, nil
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
