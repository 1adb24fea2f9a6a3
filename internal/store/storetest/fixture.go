package storetest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"platen/internal/store"
)

// A fixture is one test with a store that is open.
type fixture struct {
	*testing.T
	store  store.Store
	reopen Reopener
}

func newFixture(t *testing.T, reopen Reopener) *fixture {
	f := &fixture{T: t, reopen: reopen}
	f.open()
	t.Cleanup(func() {
		if err := f.store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return f
}

func (f *fixture) open() {
	f.Helper()
	s, err := f.reopen(f.Context())
	if err != nil {
		f.Fatalf("open: %v", err)
	}
	f.store = s
}

func (f *fixture) restart() {
	f.Helper()
	if err := f.store.Close(); err != nil {
		f.Fatalf("close: %v", err)
	}
	f.open()
}

// sandboxOf is a header whose keys follow from its id.
func sandboxOf(id string) store.Sandbox {
	created := time.Date(2026, 3, 4, 5, 6, 7, 89_000, time.UTC)
	return store.Sandbox{
		ID:         id,
		OfficeKey:  sha256.Sum256([]byte("office " + id)),
		FactoryKey: sha256.Sum256([]byte("factory " + id)),
		GradingKey: sha256.Sum256([]byte("grading " + id)),
		Evaluation: true,
		Network:    "192.0.2.1",
		CreatedAt:  created,
		ExpiresAt:  created.Add(24 * time.Hour),
		DeleteAt:   created.Add(48 * time.Hour),
		WakeAt:     created.Add(47 * time.Hour),
		Extensions: 1,
	}
}

// bodyOf is a body that belongs to one commit and no other.
func bodyOf(id string, version uint64) []byte {
	return fmt.Appendf(nil, "body of %s, version %d", id, version)
}

func commitOf(id string, version uint64) store.Commit {
	c := store.Commit{SandboxID: id, Version: version, Body: bodyOf(id, version)}
	if version == 1 {
		h := sandboxOf(id)
		c.Header = &h
	}
	return c
}

// create makes a sandbox with the versions from 1 to newest.
func (f *fixture) create(id string, newest uint64) {
	f.Helper()
	for version := uint64(1); version <= newest; version++ {
		f.commit(commitOf(id, version))
	}
}

func (f *fixture) commit(c store.Commit) {
	f.Helper()
	if err := f.store.Commit(f.Context(), c); err != nil {
		f.Fatalf("commit %d of %q: %v", c.Version, c.SandboxID, err)
	}
}

func (f *fixture) save(s store.Snapshot) {
	f.Helper()
	if err := f.store.SaveSnapshot(f.Context(), s); err != nil {
		f.Fatalf("save snapshot %d of %q: %v", s.Version, s.SandboxID, err)
	}
}

func (f *fixture) remove(id string) {
	f.Helper()
	if err := f.store.Delete(f.Context(), id, store.Fence{}); err != nil {
		f.Fatalf("delete %q: %v", id, err)
	}
}

func (f *fixture) load(id string) store.Image {
	f.Helper()
	image, err := f.store.Load(f.Context(), id)
	if err != nil {
		f.Fatalf("load %q: %v", id, err)
	}
	return image
}

// wantImage checks all that a sandbox is loaded from.
func (f *fixture) wantImage(want store.Image) {
	f.Helper()
	f.same("image of "+want.Sandbox.ID, f.load(want.Sandbox.ID), want)
}

// wantVersions checks that a sandbox of create has exactly these commits.
func (f *fixture) wantVersions(id string, newest uint64) {
	f.Helper()
	f.wantImage(imageOf(id, newest))
}

// imageOf is the image of a sandbox after create.
func imageOf(id string, newest uint64) store.Image {
	image := store.Image{Sandbox: sandboxOf(id), Snapshot: store.Snapshot{SandboxID: id}}
	for version := uint64(1); version <= newest; version++ {
		image.Commits = append(image.Commits, asRead(commitOf(id, version)))
	}
	return image
}

// asRead is a commit as a store returns it.
func asRead(c store.Commit) store.Commit {
	c.Header, c.Records, c.Fork = nil, nil, nil
	return c
}

func (f *fixture) wantError(what string, got, want error) {
	f.Helper()
	if !errors.Is(got, want) {
		f.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

func (f *fixture) wantCount(want int) {
	f.Helper()
	got, err := f.store.Count(f.Context())
	if err != nil || got != want {
		f.Errorf("count: got %d, %v, want %d", got, err, want)
	}
}

func (f *fixture) same(what string, got, want any) {
	f.Helper()
	if diff := difference(got, want); diff != "" {
		f.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// difference compares the value that was read with the one that was written.
// Empty values may come back as nil.
func difference(got, want any) string {
	notBody := func(p cmp.Path) bool { return p.Last().Type() != reflect.TypeFor[[]byte]() }
	return cmp.Diff(want, got, cmp.Comparer(bytes.Equal), cmp.FilterPath(notBody, cmpopts.EquateEmpty()))
}
