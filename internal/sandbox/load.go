package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"platen/internal/company"
	"platen/internal/company/record"
	"platen/internal/desk"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// load brings the company into memory unless it is there.
func (s *Sandbox) load(ctx context.Context) error {
	if s.company != nil {
		return nil
	}
	if s.gone {
		return errGone()
	}
	if s.foreign {
		return errForeign()
	}
	if s.damaged {
		return errDamaged()
	}
	if err := s.claim(ctx); err != nil {
		return err
	}
	if err := s.registry.memory.begin(ctx); err != nil {
		return err
	}
	defer s.registry.memory.end()
	image, err := s.registry.store.Load(ctx, s.id)
	if errors.Is(err, store.ErrNotFound) {
		s.gone = true
		s.registry.forget(s.id)
		return errGone()
	}
	if err != nil {
		return readProblem("load sandbox "+s.id, err)
	}
	if image.Fence != s.fence {
		return s.fenced()
	}
	err = s.restore(ctx, image)
	if foreign(err) {
		// The program was replaced by another one. Sandboxes are short, so this
		// one is left to its end: an operator that goes back to the program
		// that began it finds it there.
		s.foreign = true
		s.registry.log.Warn("refuse a sandbox that another version began", "sandbox", s.id,
			"until", image.Sandbox.DeleteAt, "error", err)
		return errForeign()
	}
	if errors.Is(err, commitlog.ErrDamaged) {
		s.damaged = true // and stays so: nothing repairs it while the server runs
		s.registry.log.Error("the storage of a sandbox is damaged", "sandbox", s.id, "until", image.Sandbox.DeleteAt,
			"error", err)
		return errDamaged()
	}
	if err != nil {
		return readProblem("load sandbox "+s.id, err)
	}
	s.last = nil
	return nil
}

// foreign reports whether what could not be read is of another version of the program.
func foreign(err error) bool {
	return errors.Is(err, company.ErrEngine) || errors.Is(err, commitlog.ErrFormat)
}

func errForeign() error {
	return problem.New(problem.Unauthorized,
		"This sandbox was begun by another version of the server, and this one cannot go on with it.").
		Hinting("Create a new sandbox. This one is deleted when its time is over.")
}

func errDamaged() error {
	return problem.New(problem.SandboxDamaged, "The stored data of this sandbox is not what was written.")
}

func errGone() error {
	return problem.New(problem.Unauthorized, "This key belongs to no sandbox; it may have been deleted.")
}

// restore builds the company from a snapshot and the commits after it, and makes
// room for it.
func (s *Sandbox) restore(ctx context.Context, image store.Image) error {
	snapshot, commits, err := s.read(ctx, &image)
	if err != nil {
		return fmt.Errorf("load sandbox %s: %w", s.id, err)
	}
	version := image.Snapshot.Version
	var events []record.Event
	for i := range commits {
		version++
		snapshot.Add(version, &commits[i])
		events = append(events, commits[i].Events...)
	}
	c, d, err := opened(&snapshot.Image, s.registry.options.Engine, &s.registry.desks, s.client)
	if err != nil {
		return fmt.Errorf("load sandbox %s: %w", s.id, err)
	}
	view := newView(image.Sandbox, c, d, snapshot.Image.Tables, version)
	view.tail, view.client, view.minute = appendTail(nil, events), s.client, &s.minute
	for i := range view.tail { // each is a part of its commit, which would stay in memory with it
		view.tail[i].Body = bytes.Clone(view.tail[i].Body)
	}
	view.presence = s.presentFrom(c.Wall())
	if err := s.registry.memory.admit(ctx, s, view.size()+snapshot.Index.Bytes()); err != nil {
		return err
	}
	s.company, s.desk, s.header, s.log = c, d, image.Sandbox, snapshot.Index
	s.snapshot, s.sum = image.Snapshot.Version, snapshot.Last
	if u := s.unsettled; u != nil && version < u.version {
		u.undo()
	}
	s.unsettled = nil
	s.registry.moved(s.header)
	if s.waiting != nil {
		view.changed, s.waiting = s.waiting, nil
	}
	s.publish(view)
	s.watchWebhooks(view)
	s.registry.wakeups.reschedule(s, s.next(view))
	return nil
}

// opened returns a company and its desk as they were stored, or company.ErrEngine when another version than engine has
// begun it.
func opened(image *record.Image, engine int, o *desk.Options,
	client *desk.Client) (c *company.Company, d *desk.Desk, err error) {
	if c, err = company.Load(*image, engine); err != nil {
		return nil, nil, err //nolint:wrapcheck // the caller names the sandbox
	}
	d, err = desk.Load(image, c, o, client)
	return c, d, err //nolint:wrapcheck // as above
}

// read reads the snapshot and the commits of an image. A snapshot that is damaged
// is only a convenience lost: all commits take its place.
func (s *Sandbox) read(ctx context.Context, image *store.Image) (commitlog.Snapshot, []commitlog.Commit, error) {
	var snapshot commitlog.Snapshot
	version := image.Snapshot.Version
	if version > 0 {
		var err error
		snapshot, err = commitlog.DecodeSnapshot(image.Snapshot.Body, version)
		if errors.Is(err, commitlog.ErrDamaged) {
			s.registry.log.Warn("a snapshot is damaged: read all commits in its place", "sandbox", s.id, "error", err)
			image.Snapshot = store.Snapshot{}
			return s.readCommits(ctx, image, version)
		}
		if err != nil {
			return snapshot, nil, err //nolint:wrapcheck // the caller names the sandbox
		}
	}
	commits, err := commitlog.DecodeCommits(image.Commits, version, snapshot.Last)
	return snapshot, commits, err //nolint:wrapcheck // the caller names the sandbox
}

// readCommits reads all commits of a sandbox: those of an image, and those up to
// a version, which are not in it.
func (s *Sandbox) readCommits(
	ctx context.Context, image *store.Image, until uint64,
) (commitlog.Snapshot, []commitlog.Commit, error) {
	var stored []store.Commit
	for n := uint64(len(stored)); n < until; n = uint64(len(stored)) {
		more, err := commitsAfter(ctx, s.registry.store, s.id, n, until)
		if err != nil {
			return commitlog.Snapshot{}, nil, err
		}
		stored = append(stored, more...)
	}
	commits, err := commitlog.DecodeCommits(append(stored, image.Commits...), 0, 0)
	return commitlog.Snapshot{}, commits, err //nolint:wrapcheck // the caller names the sandbox
}

// commitsAfter reads the next commits of a sandbox, those after one version and up to
// another, as many as are read at once. They are damaged if there are none.
func commitsAfter(ctx context.Context, from store.Reader, id string, version, until uint64) ([]store.Commit, error) {
	stored, err := from.Commits(ctx, id, version+1, min(until, version+store.MaxCommits))
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the sandbox
	}
	if len(stored) == 0 {
		return nil, fmt.Errorf("%w: commit %d is missing", commitlog.ErrDamaged, version+1)
	}
	return stored, nil
}

// newView returns the view of a company that has nothing to flush.
func newView(header store.Sandbox, c *company.Company, d *desk.Desk, tables []record.TableRows, version uint64) *View {
	v := &View{
		SandboxID: header.ID, PublicName: publicName(header.ID),
		CreatedAt: moment.InstantOf(header.CreatedAt),
		Version:   version, Summary: c.Summary(), Desk: d.Summary(), tables: make(map[string]*Table, len(tables)),
		changed: make(chan struct{}),
	}
	v.leased(&header)
	at := c.Feed().Position()
	v.Sequence, v.LastEventAt = at.Sequence, at.At
	v.nextDue, _ = c.NextDue()
	for _, rows := range tables {
		t := &Table{Entries: slices.DeleteFunc(slices.Clone(rows.Entries), (*record.Entry).Removed)}
		for _, e := range rows.Entries {
			t.Version = max(t.Version, e.Version)
		}
		for i, e := range t.Entries {
			v.tableBytes += sizeOf(e)
			if e.Ordinal != i { // one was removed, at the latest by now
				t.Removed = t.Version
			}
		}
		if len(t.Entries) < len(rows.Entries) {
			t.Removed = t.Version
		}
		v.tables[rows.Table] = t
	}
	return v
}

// snapshotBeforeEviction writes a snapshot before the company leaves memory, unless the store has
// all that there is, but for some commits to replay. What faults have to remember is rows, which a commit stores.
func (s *Sandbox) snapshotBeforeEviction(ctx context.Context) {
	changed, faults := s.desk.Unstored()
	if faults {
		if err := s.commit(ctx, step{}); err != nil { // the company has been forgotten
			s.registry.log.Warn("store what faults remember", "sandbox", s.id, "error", err)
			return
		}
		changed = false
	}
	if changed || s.published.Load().Version > s.snapshot+replaySpared {
		s.saveSnapshot(ctx)
	}
}

// saveSnapshot keeps the present state. It is a convenience of loading: when
// it fails, the next load replays more commits, so the error is only logged.
func (s *Sandbox) saveSnapshot(ctx context.Context) {
	version := s.published.Load().Version
	body := commitlog.Snapshot{Image: s.desk.Image(), Index: s.log, Last: s.sum}
	err := s.registry.store.SaveSnapshot(context.WithoutCancel(ctx),
		store.Snapshot{SandboxID: s.id, Fence: s.fence, Version: version, Body: body.Encode(version)})
	if err != nil {
		s.registry.log.Warn("save snapshot", "sandbox", s.id, "version", version, "error", err)
		return
	}
	s.snapshot = version
}
