package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"platen/internal/store"
)

// ErrFault is the error of a planned fault.
var ErrFault = errors.New("fault on purpose")

// ErrCrashed is the error of a Faulty after its crash.
var ErrCrashed = errors.New("crashed on purpose")

// A Fault is a planned failure of one write.
type Fault int

const (
	// NoFault lets the write through.
	NoFault Fault = iota
	// NotApplied returns ErrFault and writes nothing.
	NotApplied
	// AppliedButFailed writes, and returns ErrFault all the same.
	AppliedButFailed
	// AcknowledgedEarly returns nil before anything is written. It breaks the
	// promise of package store: a crash loses the write. It is there to prove
	// that a test of durability can fail.
	AcknowledgedEarly
)

// A Plan chooses the fault of each write. Calls of Commit, SaveSnapshot,
// Delete, Write and Clear count from 1, in the order in which they begin. A
// plan that looks at nothing else gives the same faults each time.
type Plan func(call int) Fault

// At is the plan of single faults.
func At(faults map[int]Fault) Plan {
	return func(call int) Fault { return faults[call] }
}

// Every is the plan in which each n-th write has the same fault.
func Every(n int, fault Fault) Plan {
	return func(call int) Fault {
		if call%n == 0 {
			return fault
		}
		return NoFault
	}
}

// Faulty is a Store that breaks by plan. Nothing but its faults is different
// from the store inside.
type Faulty struct {
	inner store.Store
	plan  Plan

	mu       sync.Mutex // guards the fields below, and the order of early writes
	calls    int
	inFlight []heldWrite
	crashed  bool
}

var _ store.Store = (*Faulty)(nil)

// A heldWrite has been acknowledged and is not in the store yet.
type heldWrite struct {
	sandboxID string
	apply     func(context.Context) error
}

// NewFaulty puts a plan before a store. The caller still closes the store
// inside, after a crash too.
func NewFaulty(inner store.Store, plan Plan) *Faulty {
	return &Faulty{inner: inner, plan: plan}
}

// Calls is the number of writes that have begun.
func (f *Faulty) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// Crash loses the writes that were acknowledged early and are still in flight,
// and refuses every later call with ErrCrashed.
func (f *Faulty) Crash() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.crashed = true
	f.inFlight = nil
}

// Commit commits, unless the plan has it otherwise.
func (f *Faulty) Commit(ctx context.Context, c store.Commit) error {
	c.Body = bytes.Clone(c.Body) // the caller may use it again once this returns
	return f.write(ctx, c.SandboxID, func(ctx context.Context) error { return f.inner.Commit(ctx, c) },
		func(ctx context.Context) (bool, error) { return f.fits(ctx, c) })
}

// SaveSnapshot saves, unless the plan has it otherwise.
func (f *Faulty) SaveSnapshot(ctx context.Context, s store.Snapshot) error {
	s.Body = bytes.Clone(s.Body)
	return f.write(ctx, s.SandboxID, func(ctx context.Context) error { return f.inner.SaveSnapshot(ctx, s) },
		func(ctx context.Context) (bool, error) {
			newest, err := f.newest(ctx, s.SandboxID)
			return s.Version > 0 && s.Version <= newest, err
		})
}

// Delete deletes, unless the plan has it otherwise.
func (f *Faulty) Delete(ctx context.Context, sandboxID string, fence store.Fence) error {
	return f.write(ctx, sandboxID,
		func(ctx context.Context) error { return f.inner.Delete(ctx, sandboxID, fence) },
		func(context.Context) (bool, error) { return true, nil })
}

// Write writes records, unless the plan has it otherwise. Records are not of a
// sandbox: all writes to them land in their order.
func (f *Faulty) Write(ctx context.Context, writes []store.Write) error {
	writes = slices.Clone(writes)
	for i := range writes {
		writes[i].Body = bytes.Clone(writes[i].Body)
	}
	return f.write(ctx, "", func(ctx context.Context) error { return f.inner.Write(ctx, writes) },
		func(ctx context.Context) (bool, error) { return f.met(ctx, writes) })
}

// Clear clears, unless the plan has it otherwise.
func (f *Faulty) Clear(ctx context.Context, t time.Time, limit int) (int, error) {
	cleared := 0
	err := f.write(ctx, "", func(ctx context.Context) (err error) {
		cleared, err = f.inner.Clear(ctx, t, limit)
		return err
	}, func(context.Context) (bool, error) { return true, nil })
	return cleared, err
}

// met reports whether the rules of writes are met.
func (f *Faulty) met(ctx context.Context, writes []store.Write) (bool, error) {
	for i := range writes {
		found, err := f.inner.Find(ctx, writes[i].Kind, writes[i].Key)
		there := err == nil
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
		rule := writes[i].Rule
		other := rule == store.Match && !bytes.Equal(found.Body, writes[i].Body)
		needed := rule == store.Take || rule == store.Match || rule == store.Renew
		if rule == store.Add && there || needed && !there || other {
			return false, nil
		}
	}
	return store.CheckWrites(writes) == nil, nil
}

// write does one write as planned. good reports whether the write would be
// accepted: even AcknowledgedEarly refuses a write that the store would refuse.
func (f *Faulty) write(ctx context.Context, sandboxID string, apply func(context.Context) error,
	good func(context.Context) (bool, error),
) error {
	fault, err := f.begin(ctx, sandboxID)
	if err != nil {
		return err
	}
	switch fault {
	case NoFault:
	case NotApplied:
		return fmt.Errorf("%w: not applied", ErrFault)
	case AppliedButFailed:
		if err := apply(ctx); err != nil {
			return err
		}
		return fmt.Errorf("%w: applied", ErrFault)
	case AcknowledgedEarly:
		if accepted, err := good(ctx); err != nil || !accepted {
			return errors.Join(err, apply(ctx))
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.crashed {
			return ErrCrashed
		}
		f.inFlight = append(f.inFlight, heldWrite{sandboxID, apply})
		return nil
	}
	return apply(ctx)
}

// begin counts a write, and lets writes in flight to the same sandbox land
// first.
func (f *Faulty) begin(ctx context.Context, sandboxID string) (Fault, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.crashed {
		return NoFault, ErrCrashed
	}
	f.calls++
	err := f.land(ctx, func(w heldWrite) bool { return w.sandboxID == sandboxID || w.sandboxID == "" })
	return f.plan(f.calls), err
}

// landAll lets everything in flight land before a read, so that a caller with
// an early acknowledgement finds its write, until the crash.
func (f *Faulty) landAll(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.crashed {
		return ErrCrashed
	}
	return f.land(ctx, func(heldWrite) bool { return true })
}

// land writes those in flight that match. The caller holds mu.
func (f *Faulty) land(ctx context.Context, match func(heldWrite) bool) error {
	var held []heldWrite
	var failed error
	for _, w := range f.inFlight {
		if !match(w) {
			held = append(held, w)
			continue
		}
		failed = errors.Join(failed, w.apply(ctx))
	}
	f.inFlight = held
	return failed
}

// fits reports whether the store inside would take a commit.
func (f *Faulty) fits(ctx context.Context, c store.Commit) (bool, error) {
	if met, err := f.met(ctx, c.Records); err != nil || !met {
		return false, err
	}
	newest, err := f.newest(ctx, c.SandboxID)
	if c.Fork != nil && err == nil {
		parent, err := f.newest(ctx, c.Fork.Parent)
		return newest == 0 && c.Header != nil && c.Version > 1 && c.Version <= parent+1, err
	}
	return c.Version == newest+1 && (c.Version > 1 || c.Header != nil), err
}

// newest is the newest version of a sandbox, 0 when there is none.
func (f *Faulty) newest(ctx context.Context, sandboxID string) (uint64, error) {
	image, err := f.inner.Load(ctx, sandboxID)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	return image.Snapshot.Version + uint64(len(image.Commits)), err
}

// Commits reads from the store inside.
func (f *Faulty) Commits(ctx context.Context, sandboxID string, first, last uint64) ([]store.Commit, error) {
	if err := f.landAll(ctx); err != nil {
		return nil, err
	}
	return f.inner.Commits(ctx, sandboxID, first, last)
}

// Load reads from the store inside.
func (f *Faulty) Load(ctx context.Context, sandboxID string) (store.Image, error) {
	if err := f.landAll(ctx); err != nil {
		return store.Image{}, err
	}
	return f.inner.Load(ctx, sandboxID)
}

// FindKey reads from the store inside.
func (f *Faulty) FindKey(ctx context.Context, keys ...store.KeyHash) (store.Sandbox, error) {
	if err := f.landAll(ctx); err != nil {
		return store.Sandbox{}, err
	}
	return f.inner.FindKey(ctx, keys...)
}

// Due reads from the store inside.
func (f *Faulty) Due(ctx context.Context, t time.Time, limit int) ([]store.Sandbox, error) {
	if err := f.landAll(ctx); err != nil {
		return nil, err
	}
	return f.inner.Due(ctx, t, limit)
}

// Count reads from the store inside.
func (f *Faulty) Count(ctx context.Context) (int, error) {
	if err := f.landAll(ctx); err != nil {
		return 0, err
	}
	return f.inner.Count(ctx)
}

// Find reads from the store inside.
func (f *Faulty) Find(ctx context.Context, kind, key string) (store.Record, error) {
	if err := f.landAll(ctx); err != nil {
		return store.Record{}, err
	}
	return f.inner.Find(ctx, kind, key)
}

// List reads from the store inside.
func (f *Faulty) List(ctx context.Context, kind string) ([]store.Record, error) {
	if err := f.landAll(ctx); err != nil {
		return nil, err
	}
	return f.inner.List(ctx, kind)
}

// Kinds reads from the store inside.
func (f *Faulty) Kinds(ctx context.Context) ([]string, error) {
	if err := f.landAll(ctx); err != nil {
		return nil, err
	}
	return f.inner.Kinds(ctx)
}

// Ping asks the store inside.
func (f *Faulty) Ping(ctx context.Context) error {
	if err := f.landAll(ctx); err != nil {
		return err
	}
	return f.inner.Ping(ctx)
}

// Close lets everything in flight land and closes the store inside.
func (f *Faulty) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.land(context.Background(), func(heldWrite) bool { return true }), f.inner.Close())
}
