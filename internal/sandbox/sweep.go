package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"platen/internal/store"
	"platen/internal/words/moment"
)

const (
	// sweepInterval is the interval at which leases and idle companies are
	// looked at, sweepRest the pause after a look with an error.
	sweepInterval = time.Second
	sweepRest     = 10 * time.Second
	// sweepBatch is the number of sandboxes that are looked for at once.
	sweepBatch = 100
)

// Run looks after leases and memory, and lets time pass in sandboxes that are
// watched, until the context ends.
func (r *Registry) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { r.wakeups.run(ctx, r.Now) })
	running.Go(func() { r.memory.run(ctx) })
	defer running.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		rest := sweepInterval
		if !r.Sweep(ctx) {
			rest = sweepRest
		}
		timer.Reset(rest)
	}
}

// Sweep takes the due steps in the leases of sandboxes without requests,
// removes those whose grace is over and evicts idle companies. It reports
// whether all went well.
func (r *Registry) Sweep(ctx context.Context) bool {
	now := r.options.Now()
	well := r.handleDue(ctx, now)
	if !well {
		return false // readers need what is in memory when the store is away
	}
	idle := moment.InstantOf(now.Add(-idleTime))
	for _, s := range r.memory.all() {
		if moment.Instant(s.used.Load()) < idle {
			s.evict(ctx)
		}
	}
	return true
}

// handleDue goes through the sandboxes that are due. One that cannot be helped
// stays due, and must not keep the others from being looked at.
func (r *Registry) handleDue(ctx context.Context, now time.Time) (well bool) {
	stuck := map[string]bool{}
	well = r.claimDue(ctx)
	steady := r.options.Steady(now)
	for {
		limit := sweepBatch + len(stuck)
		headers, err := r.store.Due(ctx, now, limit)
		if err != nil {
			if ctx.Err() == nil {
				r.log.Warn("look for sandboxes that are due", "error", err)
			}
			return false
		}
		for _, header := range headers {
			if _, ours := r.options.Ownership.Held(header.ID); !ours {
				stuck[header.ID] = true // another server looks after it
			}
			if stuck[header.ID] {
				continue
			}
			done, waits := r.handleDueSandbox(ctx, header, now, steady)
			if !done {
				stuck[header.ID] = true
			}
			well = well && (done || waits)
		}
		if len(headers) < limit || ctx.Err() != nil {
			return well
		}
	}
}

// claimDue makes sandboxes this server's that are to be looked after and nobody's, and
// reports whether that went well.
func (r *Registry) claimDue(ctx context.Context) (well bool) {
	o := &r.options.Ownership
	if !o.shared() {
		return true
	}
	err := o.ClaimDue(ctx, sweepBatch)
	if err == nil {
		var serving []string
		serving, err = o.ClaimNamed(ctx, webhookRecord, sweepBatch)
		for _, id := range serving {
			r.options.Webhooks.Wake(id)
		}
	}
	if err != nil && ctx.Err() == nil {
		r.log.Warn("look for sandboxes that nobody looks after", "error", err)
	}
	return err == nil
}

// handleDueSandbox does the due work of one sandbox and reports whether that is
// done. One of another version, or that is damaged, waits for its end. One that is over waits while the clock is not
// steady.
func (r *Registry) handleDueSandbox(
	ctx context.Context, header store.Sandbox, now time.Time, steady bool,
) (done, waits bool) {
	s := r.Sandbox(header.ID)
	var err error
	switch {
	case now.Before(header.DeleteAt):
		if _, err = s.wake(ctx, moment.InstantOf(now)); err != nil && s.isBeyondUse() {
			return false, true
		}
	case !steady:
		return false, true
	default:
		err = s.remove(ctx, header, now)
	}
	if err != nil && ctx.Err() == nil {
		r.log.Warn("look after sandbox", "sandbox", header.ID, "error", err)
	}
	return err == nil, false
}

// isBeyondUse reports whether the sandbox cannot be read, now and later.
func (s *Sandbox) isBeyondUse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.foreign || s.damaged
}

// wake brings the sandbox up to the present, the steps of its lease included, and
// returns when something is next to happen in it, 0 for never. There is no
// request, so it does not count as used, and a panic, which would otherwise end
// only its request, is an error here.
func (s *Sandbox) wake(ctx context.Context, now moment.Instant) (next moment.Instant, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	err = s.withWriter(func(moment.Instant) error {
		if err := s.advance(ctx, now); err != nil && !s.gone {
			return err
		}
		if s.published.Load() == nil {
			return nil
		}
		if err := s.jump(ctx, now); err != nil {
			return err
		}
		next = s.next(s.published.Load())
		return nil
	})
	return next, err
}

// remove deletes a sandbox, with everything in memory about it.
func (s *Sandbox) remove(ctx context.Context, header store.Sandbox, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.company != nil && now.Before(s.header.DeleteAt) {
		return nil // extended since it was found
	}
	s.gone = true // also when it cannot be deleted yet
	return s.discard(ctx, header)
}

// discard is remove, whatever the time.
func (s *Sandbox) discard(ctx context.Context, header store.Sandbox) error {
	s.drop()
	h := s.registry
	h.bases.drop(s.id)
	s.client.Forget()
	if s.fence == (store.Fence{}) {
		if err := s.claim(ctx); err != nil {
			return err
		}
	}
	err := h.store.Delete(ctx, s.id, s.fence)
	if errors.Is(err, store.ErrFenced) {
		return s.fenced()
	}
	if err != nil {
		h.options.Hooks.Uncertain()
		return err //nolint:wrapcheck // the error names the deletion
	}
	s.gone, s.committed = true, true
	h.options.Ownership.Released(s.id, s.fence)
	s.endsAt.Store(0)
	h.options.Hooks.Deleted(s.id)
	if s.unwatch != nil {
		s.unwatch()
		s.unwatch = nil
	}
	h.options.Webhooks.Wake(s.id) // it finds that the sandbox is gone
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sandboxes, s.id)
	for _, key := range header.Keys() {
		delete(h.keys, key)
	}
	return nil
}
