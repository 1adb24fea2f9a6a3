package sandbox_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
	"platen/internal/words/moment"
)

// live runs a registry in a bubble, with its clock.
func live(t *testing.T) *sandbox.Registry {
	t.Helper()
	return liveWithin(t, 0)
}

// liveWithin is live with a bound on the memory in bytes.
func liveWithin(t *testing.T, memory int64) *sandbox.Registry {
	t.Helper()
	db, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatal(err)
	}
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	registry := sandbox.NewRegistry(sandbox.Options{
		TickPause: time.Second,
		Store:     db, Presets: atOnce(presets), Lease: lease, Extension: extension,
		ExtensionWindow: 10 * time.Minute, Grace: grace,
		Log: slog.New(slog.DiscardHandler), Now: time.Now, Memory: memory,
	})
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { registry.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return registry
}

// settle creates a sandbox of the seed 1.
func settle(t *testing.T, registry *sandbox.Registry, mode sim.Mode) *sandbox.Sandbox {
	t.Helper()
	created, err := registry.Create(context.Background(),
		sandbox.Creation{Preset: "starter", Seed: new(int64(1)), Clock: &mode})
	if err != nil {
		t.Fatal(err)
	}
	return registry.Sandbox(created.SandboxID)
}

func viewOf(t *testing.T, s *sandbox.Sandbox) *sandbox.View {
	t.Helper()
	v, err := s.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Events of a watched sandbox happen at their due moments, so each new view
// comes at the created_at of its newest event.
func TestTimePassesWhileSomebodyWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := live(t)
		s := settle(t, registry, sim.Realtime)
		v := viewOf(t, s)
		end := s.Watch()
		for woken := 0; woken < 30; {
			<-v.Changed()
			now := moment.InstantOf(time.Now())
			next := viewOf(t, s)
			if next.Sequence > v.Sequence {
				woken++
				// Events of one moment are a microsecond apart.
				if late := now.Sub(next.LastEventAt); late.Abs() > time.Millisecond {
					t.Errorf("event %d of %s is seen %s later", next.Sequence, next.LastEventAt, late)
				}
			}
			v = next
		}
		if n := registry.Watchers(); n != 1 {
			t.Errorf("%d watch", n)
		}
		end()
		if n := registry.Watchers(); n != 0 {
			t.Errorf("%d watch after the end", n)
		}
		select {
		case <-v.Changed():
			t.Error("time passed in a sandbox that nobody watched")
		case <-time.After(time.Minute):
		}
	})
}

func TestTheEndComesWhileSomebodyWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := live(t)
		s := settle(t, registry, sim.Manual)
		v := viewOf(t, s)
		defer s.Watch()()
		for _, at := range []time.Duration{lease - warning, warning} {
			began := time.Now()
			<-v.Changed()
			if took := time.Since(began); (took - at).Abs() > 10*time.Millisecond {
				t.Errorf("the next step of its life came after %s, want %s", took, at)
			}
			v = viewOf(t, s)
		}
		if got := v.Status(moment.InstantOf(time.Now())); got != sandbox.Expired {
			t.Errorf("after its lease the sandbox is %s", got)
		}
		<-v.Changed() // its deletion
		if _, err := s.View(context.Background()); err == nil {
			t.Error("a deleted sandbox can be seen")
		}
	})
}

// Watchers of many sandboxes come and go while clients write.
func TestManyWatchersComeAndGo(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { b.registry.Run(ctx) })
	var sandboxes []*sandbox.Sandbox
	for range 8 {
		sandboxes = append(sandboxes, b.create(sim.Realtime))
	}
	var clients sync.WaitGroup
	for i, s := range sandboxes {
		for range 3 {
			clients.Go(func() {
				for range 20 {
					end := s.Watch()
					b.pass(50 * time.Millisecond)
					if _, err := s.View(t.Context()); err != nil {
						t.Errorf("sandbox %d: %v", i, err)
					}
					end()
				}
			})
		}
	}
	clients.Wait()
	stop()
	running.Wait()
	if n := b.registry.Watchers(); n != 0 {
		t.Errorf("%d watch after all have left", n)
	}
}
