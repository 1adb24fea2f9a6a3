package sandbox

import (
	"context"
	"errors"
	"fmt"

	"platen/internal/company"
	"platen/internal/desk"
	"platen/internal/sandbox/apikey"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// ForkPoint says what of a sandbox is to be forked: the state at a checkpoint, by its id
// or label, after the commit that holds the event with a number, or at the opening of a
// working day; now, when all are nil.
type ForkPoint struct {
	Checkpoint *string
	Sequence   *uint64
	Date       *moment.Date
}

// ForkBase is a state of a sandbox that a fork can begin with. Commits never change, so
// it stays what it is while the sandbox goes on.
type ForkBase struct {
	SandboxID string `json:"sandbox_id"`
	// Version is that of the commit with this state, Sequence the number of the newest
	// event then.
	Version  uint64 `json:"version"`
	Sequence uint64 `json:"sequence"`
	// Way leads from there to a minute that no commit ends with.
	Way company.Way `json:"way,omitzero"`
}

// stored is the base without the way that leads on from it: what bases keep.
func (b ForkBase) stored() ForkBase {
	b.Way = company.Way{}
	return b
}

// Base finds the state that is to be forked. Time passes up to the present first. It
// refuses with not_found or validation_failed. A sandbox that takes no writes any more
// can be forked: it does not change by that.
func (s *Sandbox) Base(ctx context.Context, at ForkPoint) (base ForkBase, err error) {
	err = s.withWriter(func(now moment.Instant) (err error) {
		s.used.Store(int64(now))
		if err := s.advance(ctx, now); err != nil {
			return err
		}
		base, err = s.base(ctx, at, now)
		return err
	})
	return base, err
}

func (s *Sandbox) base(ctx context.Context, at ForkPoint, now moment.Instant) (ForkBase, error) {
	base := ForkBase{SandboxID: s.id}
	switch {
	case at.Checkpoint != nil:
		c, ok := s.desk.Checkpoint(*at.Checkpoint)
		if !ok {
			return base, problem.Missing(desk.CheckpointResource, *at.Checkpoint).
				Hinting("GET /sandbox/checkpoints lists those that there are.")
		}
		base.Version, base.Sequence = c.Version, c.Seq
	case at.Sequence != nil:
		var ok bool
		if base.Version, base.Sequence, ok = s.log.Holding(*at.Sequence); !ok {
			return base, problem.Invalid(problem.Field{
				Field: "seq", Rule: "maximum",
				Message: fmt.Sprintf("The newest event has the number %d.", s.published.Load().Sequence),
			})
		}
	case at.Date != nil:
		if err := s.opening(ctx, &base, *at.Date); err != nil {
			return base, err
		}
	default:
		v := s.published.Load()
		if v.Status(now) == Active {
			// In-world time that passed without an event is in no commit yet.
			activity, faults := s.desk.Unstored()
			if s.company.Now() != v.Summary.Now || activity || faults {
				if err := s.commit(ctx, step{}); err != nil {
					return base, err
				}
			}
			v = s.published.Load()
		}
		base.Version, base.Sequence = v.Version, v.Sequence
	}
	// A company whose clock has moved on since its last commit is not what that commit holds.
	v := s.published.Load()
	stands := base.Version == v.Version && s.company.Now() == v.Summary.Now
	if stands && !s.registry.options.Ownership.shared() {
		s.registry.bases.add(base.stored(), func() []byte { return s.encoded(base.Version) })
	}
	return base, nil
}

// encoded returns the snapshot of the company in memory, which is at a version.
func (s *Sandbox) encoded(version uint64) []byte {
	snapshot := commitlog.Snapshot{Image: s.desk.Image(), Index: s.log, Last: s.sum}
	return snapshot.Encode(version)
}

// Forking is the order for a fork: of what, and for whom. Records are as in Creation.
type Forking struct {
	Base    ForkBase
	Network string
	Records func(Created) Records
}

// Fork creates a sandbox with the company of another one at a version, with all of its
// past, and with keys and a lease of its own. The caller has checked that there is room
// for it. An error that is a problem means that nothing was created. Nothing of it is kept
// in memory until its first request.
func (r *Registry) Fork(ctx context.Context, in Forking) (Created, error) {
	created, commit, err := r.forked(ctx, in)
	if err != nil {
		return Created{}, err
	}
	// It may wait for the one writer, and takes no memory that is not counted meanwhile.
	if err := r.store.Commit(context.WithoutCancel(ctx), commit); err != nil {
		return created, storeProblem(created.SandboxID, err)
	}
	r.options.Hooks.Saved(*commit.Header)
	return created, nil
}

// forked is a fork that is yet to be stored. It takes a place for a load, and gives it back.
func (r *Registry) forked(ctx context.Context, in Forking) (created Created, commit store.Commit, err error) {
	if err := r.memory.begin(ctx); err != nil {
		return created, commit, err
	}
	defer r.memory.end()
	body, err := r.bases.find(in.Base.stored(), func() ([]byte, error) { return r.readBase(ctx, in.Base) })
	if err != nil {
		return created, commit, err
	}
	snapshot, err := commitlog.DecodeSnapshot(body, in.Base.Version)
	if err != nil {
		return created, commit, fmt.Errorf("read what is to be forked: %w", err)
	}
	c, d, err := opened(&snapshot.Image, r.options.Engine, &r.desks, desk.NewClient(&r.calls))
	if foreign(err) {
		return created, commit, errForeign()
	}
	if err != nil {
		return created, commit, fmt.Errorf("load what is to be forked: %w", err)
	}
	created, header := r.newcomer(NewID("sbx"), in.Network, c.Settings().Preset.Evaluation)
	now := moment.InstantOf(header.CreatedAt)
	c.Go(in.Base.Way)
	created.Seq = c.Feed().Position().Sequence
	d.Fork(now)
	version := in.Base.Version + 1
	as := company.Identity{
		SandboxID: created.SandboxID, ForkedFrom: in.Base.SandboxID, UID: random64(), Way: in.Base.Way,
	}
	if as.Way.To > 0 {
		as.Version = version
	}
	c.Fork(as, now)
	own := commitlog.Commit{Changes: d.Flush(version)}
	commit = store.Commit{
		SandboxID: created.SandboxID, Version: version, Header: &header, Engine: r.options.Engine,
		Fork: &store.Fork{
			Parent: in.Base.SandboxID, Snapshot: &store.Snapshot{Version: in.Base.Version, Body: body},
		},
	}
	commit.Body, _ = own.Encode(version, snapshot.Last)
	if in.Records != nil {
		commit.Records = in.Records(created)
	}
	return created, commit, nil
}

// newcomer returns the keys and the lease of a sandbox that begins now. An evaluation
// has a third key.
func (r *Registry) newcomer(id, network string, evaluation bool) (Created, store.Sandbox) {
	now := r.Now()
	created := Created{
		SandboxID: id, PublicName: publicName(id), ExpiresAt: now.Add(r.options.Lease),
		OfficeKey: apikey.New(apikey.Office), FactoryKey: apikey.New(apikey.Factory),
	}
	office, _ := apikey.Parse(created.OfficeKey)
	factory, _ := apikey.Parse(created.FactoryKey)
	header := store.Sandbox{
		ID: id, OfficeKey: office.Hash, FactoryKey: factory.Hash, Evaluation: evaluation,
		Network: network, CreatedAt: now.Time(),
	}
	if evaluation {
		created.GradingKey = apikey.New(apikey.Grading)
		grading, _ := apikey.Parse(created.GradingKey)
		header.GradingKey = grading.Hash
	}
	r.leaseUntil(&header, created.ExpiresAt, now)
	return created, header
}

// readBase reads a state of a sandbox from the store, as a snapshot.
func (r *Registry) readBase(ctx context.Context, base ForkBase) ([]byte, error) {
	snapshot, err := r.replay(ctx, base)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, errGone()
	case foreign(err):
		return nil, errForeign()
	case err != nil:
		return nil, readProblem("read what is to be forked of sandbox "+base.SandboxID, err)
	}
	return snapshot.Encode(base.Version), nil
}

// replay makes a state of a sandbox of its commits, and of its snapshot where that is
// not newer.
func (r *Registry) replay(ctx context.Context, base ForkBase) (commitlog.Snapshot, error) {
	image, err := r.store.Load(ctx, base.SandboxID)
	if err != nil {
		return commitlog.Snapshot{}, err //nolint:wrapcheck // the caller names the sandbox
	}
	var s commitlog.Snapshot
	version := uint64(0)
	if kept := image.Snapshot.Version; kept > 0 && kept <= base.Version {
		s, err = commitlog.DecodeSnapshot(image.Snapshot.Body, kept)
		if err == nil {
			version = kept
		} else if !errors.Is(err, commitlog.ErrDamaged) {
			return s, err //nolint:wrapcheck // as above
		}
	}
	for version < base.Version {
		stored, err := commitsAfter(ctx, r.store, base.SandboxID, version, base.Version)
		if err != nil {
			return s, err
		}
		commits, err := commitlog.DecodeCommits(stored, version, s.Last)
		if err != nil {
			return s, err //nolint:wrapcheck // as above
		}
		for i := range commits {
			version++
			s.Add(version, &commits[i])
		}
	}
	return s, nil
}
