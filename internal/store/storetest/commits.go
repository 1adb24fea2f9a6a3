package storetest

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"platen/internal/store"
)

func commitIsReadBack(f *fixture) {
	f.create("a", 3)
	f.wantVersions("a", 3)
}

func wrongVersionConflicts(f *fixture) {
	ctx := f.Context()
	f.create("a", 3)
	for _, version := range []uint64{0, 1, 2, 3, 5, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		bare := store.Commit{SandboxID: "a", Version: version, Body: []byte("stale")}
		f.wantError(fmt.Sprintf("version %d after 3", version), f.store.Commit(ctx, bare), store.ErrConflict)
		h := sandboxOf("a")
		h.Network = "stale"
		bare.Header = &h
		f.wantError(fmt.Sprintf("version %d after 3, with header", version), f.store.Commit(ctx, bare),
			store.ErrConflict)
	}
	f.wantVersions("a", 3)

	for _, version := range []uint64{1, 2} {
		bare := store.Commit{SandboxID: "b", Version: version}
		f.wantError(fmt.Sprintf("version %d of nothing", version), f.store.Commit(ctx, bare), store.ErrConflict)
	}
	h := sandboxOf("b")
	f.wantError("version 2 of nothing, with header",
		f.store.Commit(ctx, store.Commit{SandboxID: "b", Version: 2, Header: &h}), store.ErrConflict)
	f.wantCount(1)
}

func headerIsReplaced(f *fixture) {
	f.create("a", 1)
	h := sandboxOf("a")
	h.OfficeKey = store.KeyHash{1}
	h.Network = "2001:db8::/64"
	h.ExpiresAt = h.ExpiresAt.AddDate(0, 0, 7)
	h.DeleteAt = h.DeleteAt.AddDate(0, 0, 7)
	h.WakeAt = h.WakeAt.AddDate(0, 0, 6)
	h.Extensions = 2
	c := commitOf("a", 2)
	c.Header = &h
	f.commit(c)
	f.commit(commitOf("a", 3))

	want := imageOf("a", 3)
	want.Sandbox = h
	f.wantImage(want)
	found, err := f.store.FindKey(f.Context(), h.OfficeKey)
	if err != nil {
		f.Fatalf("find new key: %v", err)
	}
	f.same("header by new key", found, h)
	_, err = f.store.FindKey(f.Context(), sandboxOf("a").OfficeKey)
	f.wantError("find replaced key", err, store.ErrNotFound)
}

func foreignHeaderIsRefused(f *fixture) {
	f.create("a", 1)
	h := sandboxOf("b")
	for _, c := range []store.Commit{
		{SandboxID: "a", Version: 2, Header: &h},
		{SandboxID: "c", Version: 1, Header: &h},
	} {
		if err := f.store.Commit(f.Context(), c); err == nil {
			f.Errorf("commit of %q took the header of %q", c.SandboxID, h.ID)
		}
	}
	f.wantVersions("a", 1)
	f.wantCount(1)
}

func bodiesOfAnySize(f *fixture) {
	large := bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16)
	h := sandboxOf("a")
	f.commit(store.Commit{SandboxID: "a", Version: 1, Body: []byte{}, Header: &h})
	f.commit(store.Commit{SandboxID: "a", Version: 2, Body: nil})
	f.commit(store.Commit{SandboxID: "a", Version: 3, Body: large})
	f.commit(store.Commit{SandboxID: "a", Version: 4, Body: []byte{0}})
	f.save(store.Snapshot{SandboxID: "a", Version: 1, Body: nil})
	want := store.Image{
		Sandbox:  h,
		Snapshot: store.Snapshot{SandboxID: "a", Version: 1},
		Commits: []store.Commit{
			{SandboxID: "a", Version: 2},
			{SandboxID: "a", Version: 3, Body: large},
			{SandboxID: "a", Version: 4, Body: []byte{0}},
		},
	}
	f.wantImage(want)
	f.save(store.Snapshot{SandboxID: "a", Version: 4, Body: large})
	want.Snapshot = store.Snapshot{SandboxID: "a", Version: 4, Body: large}
	want.Commits = nil
	f.wantImage(want)
}

func oversizedBodyIsRefused(f *fixture) {
	f.create("a", 1)
	body := make([]byte, store.MaxBody+1)
	if err := f.store.Commit(f.Context(), store.Commit{SandboxID: "a", Version: 2, Body: body}); err == nil {
		f.Errorf("a commit of %d bytes was taken", len(body))
	}
	if err := f.store.SaveSnapshot(f.Context(), store.Snapshot{SandboxID: "a", Version: 1, Body: body}); err == nil {
		f.Errorf("a snapshot of %d bytes was taken", len(body))
	}
	f.wantVersions("a", 1)
}

func oddIDs(f *fixture) {
	ids := []string{
		"a", "A", "a ", " a", "a'", `a"`, "a%", "_", `\`, "a;--", "0", "00", "-1", "null",
		"á", "a\u0301", "日本", "🖨", "a\n", "../a", strings.Repeat("x", 300),
	}
	for i, id := range ids {
		f.create(id, uint64(i%3+1))
	}
	for i, id := range ids {
		f.wantVersions(id, uint64(i%3+1))
	}
	f.wantCount(len(ids))
	f.remove("a")
	f.wantCount(len(ids) - 1)
	f.wantVersions("A", 2)
}

func commitRange(f *fixture) {
	f.create("a", 5)
	f.create("b", 1)
	all := imageOf("a", 5).Commits
	for _, ask := range []struct {
		first, last uint64
		want        []store.Commit
	}{
		{1, 5, all},
		{0, math.MaxUint64, all},
		{2, 4, all[1:4]},
		{3, 3, all[2:3]},
		{5, 9, all[4:]},
		{6, 9, nil},
		{4, 3, nil},
		{0, 0, nil},
		{math.MaxUint64, math.MaxUint64, nil},
	} {
		got, err := f.store.Commits(f.Context(), "a", ask.first, ask.last)
		if err != nil {
			f.Fatalf("commits %d to %d: %v", ask.first, ask.last, err)
		}
		f.same(fmt.Sprintf("commits %d to %d", ask.first, ask.last), got, ask.want)
	}
}

func commitLimit(f *fixture) {
	const newest = store.MaxCommits + 10
	f.create("a", newest)
	all := imageOf("a", newest).Commits
	got, err := f.store.Commits(f.Context(), "a", 2, newest)
	if err != nil {
		f.Fatalf("commits: %v", err)
	}
	f.same("commits over the limit", got, all[1:store.MaxCommits+1])
	f.wantImage(imageOf("a", newest))
}

func unknownSandbox(f *fixture) {
	ctx := f.Context()
	f.create("a", 1)
	_, err := f.store.Load(ctx, "b")
	f.wantError("load", err, store.ErrNotFound)
	_, err = f.store.Commits(ctx, "b", 1, 9)
	f.wantError("commits", err, store.ErrNotFound)
	err = f.store.SaveSnapshot(ctx, store.Snapshot{SandboxID: "b", Version: 1})
	f.wantError("save snapshot", err, store.ErrNotFound)
	_, err = f.store.FindKey(ctx, sandboxOf("b").OfficeKey)
	f.wantError("find key", err, store.ErrNotFound)
	f.remove("b")
	f.create("b", 1) // a sandbox that never existed leaves no trace when it is deleted
}
