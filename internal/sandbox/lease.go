package sandbox

import (
	"time"

	"platen/internal/store"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// A sandbox lives by the wall clock:
//
//	running ──5 minutes before the end──▶ warned ──the end──▶ ended ──grace──▶ deleted
//	   ▲                                     │
//	   └───────────── extension ─────────────┘
//
// Its state is in its header: WakeAt is the moment of the next arrow, so it
// lies before ExpiresAt while running, is ExpiresAt once warned, and DeleteAt
// once ended. Each arrow is a commit that moves WakeAt. A step that was made
// stays made, also when the wall clock steps back or the server was away.

const (
	// warning is how long before the end sandbox.expiring is written
	// (contract: OPEN.LIFE.EXPIRING).
	warning = 5 * time.Minute
	// maxExtensions is the most extensions of a lease (contract:
	// LIMIT.EXTENSIONS).
	maxExtensions = 2
	// graceLeast keeps the end and the deletion apart.
	graceLeast = time.Microsecond
)

// leaseUntil sets the end of a header's lease. The lease begins now: a warning
// that would have been due before comes at once.
func (r *Registry) leaseUntil(header *store.Sandbox, end, now moment.Instant) {
	header.ExpiresAt = end.Time()
	header.DeleteAt = end.Add(max(r.options.Grace, graceLeast)).Time()
	header.WakeAt = max(now, end.Add(-warning)).Time()
}

func warned(header *store.Sandbox) bool { return !header.WakeAt.Before(header.ExpiresAt) }

func ended(header *store.Sandbox) bool { return !header.WakeAt.Before(header.DeleteAt) }

func extensionsLeft(header *store.Sandbox) int { return max(0, maxExtensions-header.Extensions) }

// nextLeaseStep takes the step of the lease that is due: everything that was to
// happen before it has happened.
func (s *Sandbox) nextLeaseStep() *store.Sandbox {
	header := s.header
	if warned(&header) {
		header.WakeAt = header.DeleteAt
		return &header
	}
	s.desk.Expiring(moment.InstantOf(header.ExpiresAt), extensionsLeft(&header))
	header.WakeAt = header.ExpiresAt
	return &header
}

// Extend moves the end of the lease (contract: LIFE.EXTEND). It writes no
// event: a lease is not a state of the company.
func (tx *Tx) Extend() error {
	header, o := tx.sandbox.header, &tx.sandbox.registry.options
	if extensionsLeft(&header) == 0 {
		return problem.New(problem.NoExtensionsLeft, "This sandbox has been extended %d times, which is the maximum.",
			header.Extensions).DueTo("sandbox-duration")
	}
	end := moment.InstantOf(header.ExpiresAt)
	if opens := end.Add(-o.ExtensionWindow); tx.Now < opens {
		return problem.New(problem.ExtensionNotYet, "You can extend this sandbox from %s on. It lasts until %s.",
			opens, end).RetryingAt(opens.Time()).DueTo("extension-window")
	}
	header.Extensions++
	tx.sandbox.registry.leaseUntil(&header, end.Add(o.Extension), tx.Now)
	tx.header = &header
	return nil
}

// leased reads the lease of a header into a view.
func (v *View) leased(header *store.Sandbox) {
	v.ExpiresAt = moment.InstantOf(header.ExpiresAt)
	v.ExtensionsLeft = extensionsLeft(header)
	v.wakeAt, v.ended = moment.InstantOf(header.WakeAt), ended(header)
}

// moved notes in the registry that a sandbox has another header.
func (r *Registry) moved(header store.Sandbox) {
	r.options.Hooks.Saved(header)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range header.Keys() {
		if caller, ok := r.keys[key]; ok {
			caller.deleteAt = header.DeleteAt
			r.keys[key] = caller
		}
	}
}
