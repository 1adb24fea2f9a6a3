package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/store"
)

// recordOf is a record whose body and end follow from its name.
func recordOf(kind, key string) store.Record {
	return store.Record{Kind: kind, Key: key, Body: []byte(kind + " of " + key), EndsAt: farFuture.Add(-time.Hour)}
}

func put(r store.Record) store.Write   { return store.Write{Record: r} }
func match(r store.Record) store.Write { return store.Write{Record: r, Rule: store.Match} }
func renew(r store.Record) store.Write { return store.Write{Record: r, Rule: store.Renew} }
func add(r store.Record) store.Write   { return store.Write{Record: r, Rule: store.Add} }
func take(kind, key string) store.Write {
	return store.Write{Record: store.Record{Kind: kind, Key: key}, Rule: store.Take}
}

func (f *fixture) write(writes ...store.Write) {
	f.Helper()
	if err := f.store.Write(f.Context(), writes); err != nil {
		f.Fatalf("write: %v", err)
	}
}

// wantRecords checks which records of a kind there are, in the order of their
// keys.
func (f *fixture) wantRecords(kind string, want ...store.Record) {
	f.Helper()
	got, err := f.store.List(f.Context(), kind)
	if err != nil {
		f.Fatalf("list %s: %v", kind, err)
	}
	f.same("records "+kind, got, want)
	for _, r := range want {
		found, err := f.store.Find(f.Context(), r.Kind, r.Key)
		if err != nil {
			f.Fatalf("find %s %q: %v", r.Kind, r.Key, err)
		}
		f.same("record "+r.Key, found, r)
	}
}

func recordsAreFound(f *fixture) {
	odd := []string{"", " ", "A", "a", "a\x00b", "a\xffb", "'; DROP TABLE records", "ä", strings.Repeat("k", 500)}
	var want []store.Record
	for _, key := range odd {
		want = append(want, recordOf("odd", key))
	}
	f.write(put(want[3]), put(want[0]), put(want[8]))
	for _, i := range []int{1, 2, 4, 5, 6, 7} {
		f.write(add(want[i]))
	}
	sortByKey := []store.Record{want[0], want[1], want[6], want[2], want[3], want[4], want[5], want[8], want[7]}
	// As bytes, "a\xffb" comes after "a\x00b" and before "k".
	f.write(put(recordOf("a\xff", "")), put(recordOf("a", "1")), put(recordOf("a", "2")))
	for range 2 {
		f.wantRecords("odd", sortByKey...)
		kinds, err := f.store.Kinds(f.Context())
		if err != nil {
			f.Fatalf("list kinds: %v", err)
		}
		f.same("kinds", kinds, []string{"a", "a\xff", "odd"})
		f.wantRecords("none")
		f.restart()
	}
	_, err := f.store.Find(f.Context(), "odd", "b")
	f.wantError("unknown key", err, store.ErrNotFound)
	_, err = f.store.Find(f.Context(), "Odd", "a")
	f.wantError("unknown kind", err, store.ErrNotFound)
	newer := recordOf("odd", "a")
	newer.Body, newer.EndsAt = nil, time.Date(1969, 1, 2, 3, 4, 5, 6000, time.UTC)
	f.write(put(newer))
	sortByKey[4] = newer
	f.wantRecords("odd", sortByKey...)
}

// later is a record with a later end.
func later(r store.Record) store.Record {
	r.EndsAt = r.EndsAt.Add(time.Minute)
	return r
}

func rulesAreKept(f *fixture) {
	a, b, c := recordOf("r", "a"), recordOf("r", "b"), recordOf("r", "c")
	f.write(add(a), add(b))
	for name, writes := range map[string][]store.Write{
		"add what is there":              {add(a)},
		"take what is not there":         {take("r", "c")},
		"put beside what cannot be":      {put(c), add(a)},
		"take beside what cannot be":     {take("r", "a"), take("r", "c")},
		"add and take beside what fails": {add(c), take("r", "a"), add(b)},
		"another kind is not this one":   {take("s", "a")},
		"match what is not there":        {match(c), put(a)},
		"renew what is not there":        {renew(c), put(a)},
		"renew beside what cannot be":    {renew(later(a)), take("r", "c")},
		"match another body":             {match(b), match(store.Record{Kind: "r", Key: "a"}), put(c)},
	} {
		f.wantError(name, f.store.Write(f.Context(), writes), store.ErrConflict)
		f.wantRecords("r", a, b)
	}
	f.write(match(a))
	f.wantRecords("r", a, b)
	f.write(renew(later(store.Record{Kind: "r", Key: "a", Body: []byte("another"), EndsAt: a.EndsAt})))
	f.wantRecords("r", later(a), b)
	f.write(put(a))
	f.write(take("r", "a"), add(c), match(b))
	f.wantRecords("r", b, c)
	f.write()
	f.restart()
	f.wantRecords("r", b, c)
	f.write(add(a))
	f.wantRecords("r", a, b, c)
}

func recordsOfACommit(f *fixture) {
	ctx := f.Context()
	a, b := recordOf("r", "a"), recordOf("r", "b")
	first := commitOf("s", 1)
	first.Records = []store.Write{add(a), take("r", "b")}
	f.wantError("creation without what it takes", f.store.Commit(ctx, first), store.ErrConflict)
	f.wantGone("s")
	f.wantRecords("r")
	f.write(add(b))
	f.commit(first)
	f.wantVersions("s", 1)
	f.wantRecords("r", a)

	again := commitOf("other", 1)
	again.Records = []store.Write{add(a)}
	f.wantError("creation that adds what is there", f.store.Commit(ctx, again), store.ErrConflict)
	f.wantGone("other")
	again.Records = []store.Write{match(b)}
	f.wantError("creation that matches what is not there", f.store.Commit(ctx, again), store.ErrConflict)
	f.wantGone("other")
	late := commitOf("s", 1)
	late.Records = []store.Write{put(b)}
	f.wantError("creation of what exists", f.store.Commit(ctx, late), store.ErrConflict)
	f.wantRecords("r", a)

	for version := uint64(2); version <= 3; version++ {
		next := commitOf("s", version)
		if version == 3 {
			h := sandboxOf("s")
			next.Header = &h
		}
		next.Records = []store.Write{take("r", "none")}
		f.wantError(fmt.Sprint("version ", version), f.store.Commit(ctx, next), store.ErrConflict)
		f.wantVersions("s", version-1)
		next.Records = []store.Write{put(recordOf("v", fmt.Sprint(version)))}
		f.commit(next)
		next.Records = []store.Write{put(b)}
		f.wantError("the same version again", f.store.Commit(ctx, next), store.ErrConflict)
		f.wantVersions("s", version)
	}
	f.wantRecords("v", recordOf("v", "2"), recordOf("v", "3"))
	f.wantRecords("r", a)
	f.remove("s")
	f.wantRecords("r", a) // records are not of the sandbox
}

// oneTakes lets many creations race for few records.
func oneTakes(f *fixture) {
	const records, racers = 5, 4
	var running sync.WaitGroup
	var won [records]atomic.Int64
	for i := range records {
		f.write(add(recordOf("place", fmt.Sprint(i))))
	}
	for i := range records {
		for racer := range racers {
			running.Go(func() {
				c := commitOf(fmt.Sprint("s", i, "-", racer), 1)
				c.Records = []store.Write{take("place", fmt.Sprint(i)), put(recordOf("taken", fmt.Sprint(i)))}
				switch err := f.store.Commit(f.Context(), c); {
				case err == nil:
					won[i].Add(1)
				case !errors.Is(err, store.ErrConflict):
					f.Errorf("commit: %v", err)
				}
			})
		}
	}
	running.Wait()
	f.wantCount(records)
	f.wantRecords("place")
	for i := range won {
		if n := won[i].Load(); n != 1 {
			f.Errorf("record %d was taken %d times", i, n)
		}
	}
}

func endedAreCleared(f *fixture) {
	ctx := f.Context()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var all []store.Record
	for i := range 10 {
		r := recordOf("r", fmt.Sprint(i))
		r.EndsAt = start.Add(time.Duration(i) * time.Microsecond)
		all = append(all, r)
	}
	for _, i := range []int{3, 1, 4, 0, 5, 9, 2, 6, 8, 7} {
		f.write(add(all[i]))
	}
	for _, step := range []struct{ after, limit, want, left int }{
		{-1, 10, 0, 0}, {3, 0, 0, 0}, {3, -1, 0, 0}, {3, 2, 2, 2}, {3, 10, 2, 4}, {3, 10, 0, 4}, {8, 10, 5, 9},
	} {
		n, err := f.store.Clear(ctx, start.Add(time.Duration(step.after)*time.Microsecond), step.limit)
		if err != nil || n != step.want {
			f.Errorf("clear up to %d, at most %d: got %d, %v, want %d", step.after, step.limit, n, err, step.want)
		}
		f.wantRecords("r", all[step.left:]...)
	}
	f.restart()
	f.wantRecords("r", all[9])
}

func impossibleWrites(f *fixture) {
	a := recordOf("r", "a")
	large := recordOf("r", "b")
	large.Body = make([]byte, store.MaxBody+1)
	many := make([]store.Write, store.MaxWrites+1)
	for i := range many {
		many[i] = put(recordOf("r", fmt.Sprint(i)))
	}
	for name, writes := range map[string][]store.Write{
		"twice":        {put(a), take("r", "a")},
		"too large":    {put(large)},
		"too many":     many,
		"no such rule": {{Record: a, Rule: store.Renew + 1}},
	} {
		if f.store.Write(f.Context(), writes) == nil {
			f.Errorf("%s: no error", name)
		}
		c := commitOf("s", 1)
		c.Records = writes
		if f.store.Commit(f.Context(), c) == nil {
			f.Errorf("%s with a commit: no error", name)
		}
	}
	f.wantGone("s")
	f.wantRecords("r")
	f.write(many[1:]...)
}
