package sandbox_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen/internal/company"
	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// older is a store to which an older program writes.
type older struct{ store.Store }

// Commit implements store.Store.
func (o older) Commit(ctx context.Context, c store.Commit) error {
	if c.Version == 1 {
		first, err := commitlog.DecodeCommit(c.Body, c.Version)
		if err != nil {
			return err
		}
		this := fmt.Appendf(nil, `"engine":%d`, company.Engine)
		earlier, named := fmt.Appendf(nil, `"engine":%d`, company.Engine-1), false
		for _, rows := range first.Rows {
			for _, e := range rows.Entries {
				older := bytes.Replace(e.Private(), this, earlier, 1)
				named = named || !bytes.Equal(older, e.Private())
				e.Holding(e.Row(), older)
			}
		}
		if !named {
			return fmt.Errorf("the first commit has no %s", this)
		}
		c.Body, _ = first.Encode(c.Version, first.Previous)
	}
	return o.Store.Commit(ctx, c)
}

// newer is a store to which a program writes that comes after this one.
type newer struct{ store.Store }

// Commit implements store.Store.
func (n newer) Commit(ctx context.Context, c store.Commit) error {
	c.Body = append([]byte{c.Body[0] + 1}, c.Body[1:]...)
	// The place of the sum stays, and what it is of.
	table := crc32.MakeTable(crc32.Castagnoli)
	head := binary.LittleEndian.AppendUint64([]byte{'c', c.Body[0]}, c.Version)
	binary.LittleEndian.PutUint32(c.Body[1:], crc32.Update(crc32.Checksum(head, table), table, c.Body[5:]))
	return n.Store.Commit(ctx, c)
}

// TestASandboxOfAnotherVersionIsRefusedAndLeftToItsEnd: this program cannot
// continue the sandbox of another version, and does not guess. A server of the
// other version finds it there; when its time is over it is deleted.
func TestASandboxOfAnotherVersionIsRefusedAndLeftToItsEnd(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(store.Store) store.Store{
		"an older engine": func(inner store.Store) store.Store { return older{inner} },
		"a newer format":  func(inner store.Store) store.Store { return newer{inner} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, wrap)
			id := b.view(b.create(sim.Realtime)).SandboxID
			b.reopen(nil)
			own := b.create(sim.Realtime)
			refused := func() {
				t.Helper()
				if _, err := b.registry.Sandbox(id).View(t.Context()); !isProblem(err, problem.Unauthorized) ||
					!strings.Contains(err.Error(), "another version") {
					t.Errorf("the sandbox of another version is answered with %v", err)
				}
				if _, err := b.registry.Fork(t.Context(), sandbox.Forking{
					Base: sandbox.ForkBase{SandboxID: id, Version: 1},
				}); !isProblem(err, problem.Unauthorized) || !strings.Contains(err.Error(), "another version") {
					t.Errorf("a fork of it is answered with %v", err)
				}
				if _, err := b.store.Load(t.Context(), id); err != nil {
					t.Errorf("it is no longer stored: %v", err)
				}
			}
			refused()
			b.pass(lease - time.Minute) // its warning is due
			if !b.registry.Sweep(t.Context()) {
				t.Error("a sandbox of another version is taken for a failure")
			}
			refused()
			b.view(own) // the sandbox beside it goes on
			b.reopen(nil)
			refused()
			b.pass(time.Minute + grace)
			if !b.registry.Sweep(t.Context()) {
				t.Error("something went wrong")
			}
			if _, err := b.store.Load(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("after its end it is still stored: %v", err)
			}
		})
	}
}

// stuck is a store that cannot delete at first.
type stuck struct {
	store.Store

	fails *int
}

// Delete implements store.Store.
func (s stuck) Delete(ctx context.Context, sandboxID string, fence store.Fence) error {
	if *s.fails > 0 {
		*s.fails--
		return store.ErrFull
	}
	return s.Store.Delete(ctx, sandboxID, fence)
}

// TestASandboxOfAnotherVersionIsDeletedLater tries again when its deletion failed,
// and does not take it for done.
func TestASandboxOfAnotherVersionIsDeletedLater(t *testing.T) {
	t.Parallel()
	b := open(t, func(inner store.Store) store.Store { return older{inner} })
	id := b.view(b.create(sim.Realtime)).SandboxID
	fails := 2
	b.reopen(func(inner store.Store) store.Store { return stuck{inner, &fails} })
	b.pass(lease + grace)
	for fails > 0 {
		if b.registry.Sweep(t.Context()) {
			t.Fatal("what could not be deleted was taken for done")
		}
	}
	if !b.registry.Sweep(t.Context()) {
		t.Error("something went wrong")
	}
	if _, err := b.store.Load(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it is still stored: %v", err)
	}
}

// away is a store whose server is away for a while.
type away struct {
	store.Store

	// unknown commits fail and may have happened; unreachable fails for certain,
	// whatever is asked.
	unknown, unreachable *atomic.Bool
}

func (a away) gone() error {
	if a.unreachable.Load() {
		return store.ErrUnreachable
	}
	return nil
}

// Commit implements store.Store.
func (a away) Commit(ctx context.Context, c store.Commit) error {
	if a.unknown.Swap(false) {
		a.unreachable.Store(true)
		return errors.New("the connection broke")
	}
	if err := a.gone(); err != nil {
		return err
	}
	return a.Store.Commit(ctx, c)
}

// Load implements store.Store.
func (a away) Load(ctx context.Context, id string) (store.Image, error) {
	if err := a.gone(); err != nil {
		return store.Image{}, err
	}
	return a.Store.Load(ctx, id)
}

// FindKey implements store.Store.
func (a away) FindKey(ctx context.Context, keys ...store.KeyHash) (store.Sandbox, error) {
	if err := a.gone(); err != nil {
		return store.Sandbox{}, err
	}
	return a.Store.FindKey(ctx, keys...)
}

// Due implements store.Store.
func (a away) Due(ctx context.Context, t time.Time, limit int) ([]store.Sandbox, error) {
	if err := a.gone(); err != nil {
		return nil, err
	}
	return a.Store.Due(ctx, t, limit)
}

// TestReadsGoOnWhileTheStoreIsAway: from the newest durable state, whose time does
// not pass; writes are refused for the moment, and the first that is sent again
// when the store is back has its effect.
func TestReadsGoOnWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	var unknown, unreachable atomic.Bool
	b := open(t, func(inner store.Store) store.Store { return away{inner, &unknown, &unreachable} })
	s := b.create(sim.Realtime)
	before := b.view(s)
	unknown.Store(true)
	b.pass(10 * time.Minute) // much is due
	now := moment.InstantOf(b.Now())
	for range 3 {
		v, err := s.View(t.Context())
		if err != nil || v.Version != before.Version {
			t.Fatalf("while the store is away a read is answered with %v, %v", v, err)
		}
		if until := v.UpTo(now); until >= now || until < before.LastEventAt {
			t.Errorf("it is said to be of %v at %v", until, now)
		}
		// However long nobody asks, it is not let go of: it could not be read again.
		b.pass(6 * time.Minute)
		b.registry.Sweep(t.Context())
	}
	write := sandbox.Command{
		Scope: "office", Key: "k", Status: 200, Run: ran(func(tx *sandbox.Tx) error { return tx.Tick(1) }),
	}
	if _, err := s.Do(t.Context(), write); !isProblem(err, problem.Unavailable) {
		t.Errorf("a write is answered with %v", err)
	}
	if _, err := b.registry.Authenticate(t.Context(),
		"lab_off_"+strings.Repeat("A", 43)); !isProblem(err, problem.Unavailable) {
		t.Errorf("a key that was never seen is answered with %v", err)
	}
	unreachable.Store(false)
	if _, err := s.Do(t.Context(), write); err != nil {
		t.Errorf("when the store is back the write is answered with %v", err)
	}
	now = moment.InstantOf(b.Now())
	if v := b.view(s); v.Version <= before.Version || v.UpTo(now) != now {
		t.Errorf("the view of version %d is of %v, not of %v", v.Version, v.UpTo(now), now)
	}
}

// TestWhatIsDueIsLaterThanWhatIsShown: a client that goes on from the moment that
// it was shown finds all rows of the time in which the store took nothing.
func TestWhatIsDueIsLaterThanWhatIsShown(t *testing.T) {
	t.Parallel()
	var unknown, unreachable atomic.Bool
	b := open(t, func(inner store.Store) store.Store { return away{inner, &unknown, &unreachable} })
	s := b.create(sim.Realtime)
	b.view(s)
	unreachable.Store(true)
	b.pass(10 * time.Minute)
	shown := b.view(s).UpTo(moment.InstantOf(b.Now()))
	unreachable.Store(false)
	after, missed := 0, 0
	for _, e := range b.view(s).Table("sales_order").Entries {
		if e.Version > 1 {
			after++
			if e.Updated < shown {
				missed++
			}
		}
	}
	if after == 0 || missed > 0 {
		t.Errorf("of %d rows that changed since, %d are from before what was shown", after, missed)
	}
}
