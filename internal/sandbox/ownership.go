package sandbox

import (
	"context"
	"errors"

	"platen/internal/store"
	"platen/internal/words/problem"
)

// movedRetrySeconds is the Retry-After of a sandbox that is on its way to another
// server.
const movedRetrySeconds = 1

// Ownership are the functions by which several servers share the sandboxes of a store.
// All of them or none are set: without them all sandboxes are this server's own.
type Ownership struct {
	// Hold makes a sandbox this server's, unless it is another's: then it refuses.
	Hold func(ctx context.Context, sandboxID string) (store.Fence, error)
	// Held returns the claim of a sandbox that is this server's, as far as it knows.
	Held func(sandboxID string) (store.Fence, bool)
	// Trusted reports whether what is in memory may be served. It is asked after the
	// view was taken.
	Trusted func() bool
	// Fenced is told of a write that was refused because the sandbox has a new owner,
	// Released of a sandbox that does not exist any more.
	Fenced, Released func(sandboxID string, claim store.Fence)
	// ClaimDue makes sandboxes this server's that are due and nobody's, ClaimNamed
	// those that records of a kind name and are nobody's, and returns these.
	ClaimDue   func(ctx context.Context, limit int) error
	ClaimNamed func(ctx context.Context, kind string, limit int) ([]string, error)
}

// shared reports whether other servers work on the same store.
func (o *Ownership) shared() bool { return o.Hold != nil }

// alone are the functions of a server that has its store for itself.
func alone() Ownership {
	return Ownership{
		Held:     func(string) (store.Fence, bool) { return store.Fence{}, true },
		Trusted:  func() bool { return true },
		Fenced:   func(string, store.Fence) {},
		Released: func(string, store.Fence) {},
	}
}

// errMoved refuses what was about to be done with what this server had in memory of a
// sandbox that it does not own any more, or may not.
func errMoved() error {
	p := problem.New(problem.Unavailable, "This sandbox is on its way from one server to another.").
		Hinting("Nothing was changed. Send the request again after Retry-After.")
	p.RetryAfter = movedRetrySeconds
	return p
}

// claim makes the sandbox this server's. The caller holds mu.
func (s *Sandbox) claim(ctx context.Context) error {
	o := &s.registry.options.Ownership
	if !o.shared() {
		return nil
	}
	fence, err := o.Hold(ctx, s.id)
	if err != nil {
		s.registry.mu.Lock()
		s.registry.release(s) // nobody keeps anything of a sandbox that is another's
		s.registry.mu.Unlock()
	}
	if errors.Is(err, store.ErrNotFound) {
		return errGone()
	}
	if err != nil {
		return err //nolint:wrapcheck // a problem, or what the storage says
	}
	s.fence = fence
	s.client.Calls.Begin(fence.Epoch)
	return nil
}

// own returns a sandbox that is this server's, or that it makes its own.
func (r *Registry) own(ctx context.Context, sandboxID string) (*Sandbox, error) {
	if o := &r.options.Ownership; o.shared() {
		if _, err := o.Hold(ctx, sandboxID); errors.Is(err, store.ErrNotFound) {
			return nil, errGone()
		} else if err != nil {
			return nil, err //nolint:wrapcheck // a problem, or what the storage says
		}
	}
	return r.Sandbox(sandboxID), nil
}

// Owns reports whether a sandbox is this server's, and what it has of it may be acted on.
func (r *Registry) Owns(sandboxID string) bool {
	_, held := r.options.Ownership.Held(sandboxID)
	return held && r.options.Ownership.Trusted()
}

// trusted returns a view that may be served: nobody else can own the sandbox yet.
func (s *Sandbox) trusted(v *View) (*View, error) {
	if s.moved.Load() || !s.registry.options.Ownership.Trusted() {
		return nil, errMoved()
	}
	return v, nil
}

// settled returns the outcome of a writer's work. Its commits are valid; anything else
// it knows from memory, which must be the newest there is.
func (s *Sandbox) settled(err error) error {
	if s.committed || err != nil && !isRefusal(err) {
		return err
	}
	if _, moved := s.trusted(nil); moved != nil {
		return moved
	}
	return err
}

func isRefusal(err error) bool {
	_, ok := errors.AsType[*problem.Problem](err)
	return ok
}

// fenced notes that another server owns the sandbox by now. The caller holds mu.
func (s *Sandbox) fenced() error {
	r := s.registry
	r.options.Ownership.Fenced(s.id, s.fence)
	r.mu.Lock()
	r.release(s)
	r.mu.Unlock()
	s.drop()
	return errMoved()
}

// LetGo forgets all that is in memory: none of the sandboxes is this server's any more.
// Callers inside are refused, unless what they do is committed already.
func (r *Registry) LetGo() {
	r.mu.Lock()
	all := make([]*Sandbox, 0, len(r.sandboxes))
	for _, s := range r.sandboxes {
		r.release(s)
		all = append(all, s)
	}
	clear(r.keys)
	r.mu.Unlock()
	for _, s := range all {
		// A writer inside may wait for the storage; it clears up itself.
		if s.mu.TryLock() {
			s.clear()
			s.mu.Unlock()
		}
	}
}

// release takes a sandbox out of the table: the next request for it begins anew. The
// caller holds the registry's lock.
func (r *Registry) release(s *Sandbox) {
	s.moved.Store(true)
	if r.sandboxes[s.id] == s {
		delete(r.sandboxes, s.id)
	}
	s.client.Forget()
}

// clear forgets the company of a sandbox that was let go. The caller holds mu.
func (s *Sandbox) clear() {
	s.drop()
	if s.unwatch != nil {
		s.unwatch()
		s.unwatch = nil
	}
}
