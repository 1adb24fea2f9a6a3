package storetest

import (
	"fmt"
	"time"

	"platen/internal/store"
)

func keysFindSandbox(f *fixture) {
	for _, id := range []string{"a", "b", "c"} {
		f.create(id, 1)
	}
	for _, id := range []string{"a", "b", "c"} {
		want := sandboxOf(id)
		for _, key := range want.Keys() {
			got, err := f.store.FindKey(f.Context(), key)
			if err != nil {
				f.Fatalf("find key of %q: %v", id, err)
			}
			f.same("header of "+id, got, want)
		}
	}
	unknown := store.KeyHash{1, 2, 3}
	_, err := f.store.FindKey(f.Context(), unknown)
	f.wantError("unknown key", err, store.ErrNotFound)
	_, err = f.store.FindKey(f.Context(), unknown, store.KeyHash{}, store.KeyHash{4})
	f.wantError("several unknown keys", err, store.ErrNotFound)
	_, err = f.store.FindKey(f.Context())
	f.wantError("no key", err, store.ErrNotFound)
	one := sandboxOf("b")
	for _, key := range one.Keys() {
		got, err := f.store.FindKey(f.Context(), unknown, store.KeyHash{}, key, store.KeyHash{4})
		if err != nil {
			f.Fatalf("find one key of several: %v", err)
		}
		f.same("header of one key of several", got, one)
	}
	first, second := sandboxOf("a"), sandboxOf("c")
	got, err := f.store.FindKey(f.Context(), first.OfficeKey, second.FactoryKey)
	if err != nil || got.ID != first.ID && got.ID != second.ID {
		f.Errorf("of keys of two sandboxes, the store finds %q, %v", got.ID, err)
	}
}

func revokedKey(f *fixture) {
	for version, id := range map[uint64]string{1: "a", 2: "b"} {
		f.create(id, version-1)
		h := sandboxOf(id)
		h.OfficeKey, h.GradingKey = store.KeyHash{}, store.KeyHash{}
		c := commitOf(id, version)
		c.Header = &h
		f.commit(c)
		_, err := f.store.FindKey(f.Context(), sandboxOf(id).OfficeKey)
		f.wantError("revoked key of "+id, err, store.ErrNotFound)
		_, err = f.store.FindKey(f.Context(), sandboxOf(id).GradingKey)
		f.wantError("revoked grading key of "+id, err, store.ErrNotFound)
		got, err := f.store.FindKey(f.Context(), h.FactoryKey)
		if err != nil {
			f.Fatalf("other key of %s: %v", id, err)
		}
		f.same("header with a revoked key", got, h)
	}
	_, err := f.store.FindKey(f.Context(), store.KeyHash{})
	f.wantError("zero key", err, store.ErrNotFound)
}

func takenKey(f *fixture) {
	f.create("a", 1)
	f.create("b", 1)
	stolen := sandboxOf("b")
	stolen.OfficeKey = sandboxOf("a").OfficeKey
	stolen.Network = "stolen"
	err := f.store.Commit(f.Context(), store.Commit{SandboxID: "b", Version: 2, Header: &stolen})
	f.wantError("taken key at version 2", err, store.ErrConflict)
	stolen.ID = "c"
	err = f.store.Commit(f.Context(), store.Commit{SandboxID: "c", Version: 1, Header: &stolen})
	f.wantError("taken key at version 1", err, store.ErrConflict)
	f.wantVersions("a", 1)
	f.wantVersions("b", 1)
	f.wantCount(2)
}

func dueOrder(f *fixture) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var want []store.Sandbox // in the order of their WakeAt
	for i := range 10 {
		h := sandboxOf(fmt.Sprint(i))
		h.WakeAt = start.Add(time.Duration(i) * time.Microsecond)
		want = append(want, h)
	}
	for _, i := range []int{7, 2, 9, 0, 4, 1, 8, 3, 6, 5} {
		f.commit(store.Commit{SandboxID: want[i].ID, Version: 1, Header: &want[i]})
	}
	for _, ask := range []struct{ after, limit, want int }{
		{-1, 10, 0}, {0, 10, 1}, {4, 10, 5}, {9, 10, 10}, {99, 100, 10}, {9, 3, 3}, {9, 0, 0}, {9, -1, 0},
	} {
		t := start.Add(time.Duration(ask.after) * time.Microsecond)
		got, err := f.store.Due(f.Context(), t, ask.limit)
		if err != nil {
			f.Fatalf("due: %v", err)
		}
		f.same(fmt.Sprintf("due after %d µs, limit %d", ask.after, ask.limit), got, want[:ask.want])
	}

	// A later header moves it, a deletion takes it out.
	want[0].WakeAt = start.Add(time.Hour)
	f.commit(store.Commit{SandboxID: want[0].ID, Version: 2, Header: &want[0]})
	f.remove(want[1].ID)
	got, err := f.store.Due(f.Context(), start.Add(2*time.Microsecond), 10)
	if err != nil {
		f.Fatalf("due: %v", err)
	}
	f.same("due after a change and a deletion", got, want[2:3])
}

func timesKept(f *fixture) {
	zone := time.FixedZone("", 5*3600+1800)
	h := sandboxOf("a")
	h.CreatedAt = time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	h.ExpiresAt = time.Date(2026, 7, 8, 9, 10, 11, 123_456_789, zone)
	h.DeleteAt = time.Time{}
	h.WakeAt = time.Date(2262, 1, 2, 3, 4, 5, 678_000, time.UTC)
	f.commit(store.Commit{SandboxID: "a", Version: 1, Header: &h})
	got := f.load("a").Sandbox
	for _, check := range []struct {
		name      string
		got, want time.Time
	}{
		{"before 1970", got.CreatedAt, time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)},
		{"of a zone", got.ExpiresAt, time.Date(2026, 7, 8, 3, 40, 11, 123_456_000, time.UTC)},
		{"zero", got.DeleteAt, time.Time{}},
		{"far away", got.WakeAt, h.WakeAt},
	} {
		if !check.got.Equal(check.want) || check.got.Location() != time.UTC {
			f.Errorf("time %s: got %v, want %v", check.name, check.got, check.want)
		}
	}
}

func countFollows(f *fixture) {
	f.wantCount(0)
	f.create("a", 3)
	f.create("b", 1)
	f.wantCount(2)
	f.remove("a")
	f.wantCount(1)
	f.remove("b")
	f.wantCount(0)
}

func pingAnswers(f *fixture) {
	for range 3 {
		if err := f.store.Ping(f.Context()); err != nil {
			f.Errorf("ping: %v", err)
		}
	}
}
