package storetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"platen/internal/store"
)

// firstWakeAt is before every WakeAt of the property test.
var firstWakeAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// checkModel does random steps to an engine and to a model, and after each
// compares all that either can be asked.
func checkModel(t *testing.T, fresh func(t *testing.T) Reopener) {
	fewerChecks(t)
	rapid.Check(t, func(rt *rapid.T) {
		c := &comparison{ctx: t.Context(), reopen: fresh(t), model: newModel()}
		c.open(rt)
		defer func() {
			if err := c.store.Close(); err != nil {
				rt.Errorf("close: %v", err)
			}
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"commit":   c.commit,
			"together": c.commitTogether,
			"snapshot": c.snapshot,
			"delete":   c.remove,
			"fork":     c.fork,
			"write":    c.write,
			"clear":    c.clear,
			"reopen":   c.sometimesRestart,
			"":         c.check,
		})
	})
}

// fewerChecks lowers the number of random histories, but in a thorough run without the
// race detector, unless the command line sets it.
func fewerChecks(t *testing.T) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() != checks.DefValue || os.Getenv("PLATEN_TEST_THOROUGH") != "" && !underRace {
		return
	}
	fewer := "6"
	if underRace {
		fewer = "20"
	}
	if err := checks.Value.Set(fewer); err != nil {
		t.Fatal(err)
	}
}

type comparison struct {
	ctx    context.Context
	reopen Reopener
	store  store.Store
	model  *model
}

func (c *comparison) open(t *rapid.T) {
	s, err := c.reopen(c.ctx)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	c.store = s
}

// sometimesRestart is rarer than the other steps: it costs as much as ten.
func (c *comparison) sometimesRestart(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "stay open") > 0 {
		return
	}
	if err := c.store.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	c.open(t)
}

// modelIDs are few, so that most steps meet the results of others.
var modelIDs = []string{"a", "b", "c", "d"}

var drawID = rapid.SampledFrom(modelIDs)

// drawHeader draws from few keys, so that some are taken and some revoked.
func drawHeader(t *rapid.T, id string) *store.Sandbox {
	return &store.Sandbox{
		ID:         id,
		OfficeKey:  drawKey(t, "office key", 0x10),
		FactoryKey: drawKey(t, "factory key", 0x20),
		GradingKey: drawKey(t, "grading key", 0x30),
		Evaluation: rapid.Bool().Draw(t, "evaluation"),
		Network:    rapid.SampledFrom([]string{"", "192.0.2.1", "2001:db8::/64"}).Draw(t, "network"),
		CreatedAt:  firstWakeAt.Add(-time.Hour),
		ExpiresAt:  firstWakeAt.Add(-time.Minute),
		DeleteAt:   firstWakeAt.Add(10 * time.Hour),
		WakeAt:     firstWakeAt.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "wake at")) * time.Hour),
		Extensions: rapid.IntRange(0, 2).Draw(t, "extensions"),
	}
}

func drawKey(t *rapid.T, name string, kind byte) store.KeyHash {
	n := rapid.ByteRange(0, 4).Draw(t, name)
	if n == 0 {
		return store.KeyHash{}
	}
	return store.KeyHash{kind, n}
}

// commit draws mostly the version that fits.
func (c *comparison) commit(t *rapid.T) {
	id := drawID.Draw(t, "id")
	version := c.model.newest(id) + 1
	if rapid.IntRange(0, 3).Draw(t, "stale") == 0 {
		version = rapid.Uint64Range(0, version+2).Draw(t, "version")
	}
	next := store.Commit{
		SandboxID: id,
		Version:   version,
		Body:      rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "body"),
	}
	if version == 1 || rapid.IntRange(0, 4).Draw(t, "with header") == 0 {
		next.Header = drawHeader(t, id)
	}
	if rapid.IntRange(0, 3).Draw(t, "with records") == 0 {
		next.Records = drawWrites(t)
	}
	sameError(t, "commit", c.store.Commit(c.ctx, next), c.model.commit(next))
}

// modelKind is the kind of all records of the property test.
const modelKind = "note"

// drawRecord draws the same body again now and then, for rules that compare it.
var drawRecord = rapid.OneOf(rapid.Just([]byte("again")), rapid.SliceOfN(rapid.Byte(), 0, 20))

// drawWrites draws from few records, so that rules are met and broken.
func drawWrites(t *rapid.T) []store.Write {
	var writes []store.Write
	for _, key := range []string{"x", "y", "z"} {
		if !rapid.Bool().Draw(t, "write "+key) {
			continue
		}
		writes = append(writes, store.Write{
			Rule: rapid.SampledFrom([]store.Rule{
				store.Put, store.Add, store.Take, store.Match, store.Renew,
			}).Draw(t, "rule"),
			Record: store.Record{
				Kind: modelKind, Key: key, Body: drawRecord.Draw(t, "record"),
				EndsAt: firstWakeAt.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "ends at")) * time.Hour),
			},
		})
	}
	return writes
}

func (c *comparison) write(t *rapid.T) {
	writes := drawWrites(t)
	sameError(t, "write", c.store.Write(c.ctx, writes), c.model.write(writes))
}

func (c *comparison) clear(t *rapid.T) {
	at := firstWakeAt.Add(time.Duration(rapid.IntRange(-1, 9).Draw(t, "clear up to")) * time.Hour)
	got, err := c.store.Clear(c.ctx, at, 100)
	sameError(t, "clear", err, nil)
	sameState(t, "cleared", got, c.model.clear(at))
}

// commitTogether commits to several sandboxes at once, so that one group holds
// commits that fit and commits that conflict.
func (c *comparison) commitTogether(t *rapid.T) {
	var commits []store.Commit
	for _, id := range c.model.ids() {
		late := rapid.Uint64Range(0, 1).Draw(t, "late")
		commits = append(commits, store.Commit{SandboxID: id, Version: c.model.newest(id) + 1 - late, Body: []byte(id)})
	}
	got := make([]error, len(commits))
	var running sync.WaitGroup
	for i, next := range commits {
		running.Go(func() { got[i] = c.store.Commit(c.ctx, next) })
	}
	running.Wait()
	for i, next := range commits {
		sameError(t, "commit together", got[i], c.model.commit(next))
	}
}

func (c *comparison) snapshot(t *rapid.T) {
	id := drawID.Draw(t, "id")
	s := store.Snapshot{
		SandboxID: id,
		Version:   rapid.Uint64Range(0, c.model.newest(id)+1).Draw(t, "version"),
		Body:      rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "body"),
	}
	sameError(t, "snapshot", c.store.SaveSnapshot(c.ctx, s), c.model.save(s))
}

// fork draws mostly a version that the parent has, and a name that is free.
func (c *comparison) fork(t *rapid.T) {
	id, parent := drawID.Draw(t, "id"), drawID.Draw(t, "parent")
	next := store.Commit{
		SandboxID: id, Version: rapid.Uint64Range(1, c.model.newest(parent)+2).Draw(t, "version"), Body: []byte("own"),
		Header: drawHeader(t, id), Fork: &store.Fork{Parent: parent},
	}
	if id == parent {
		next.Version = 1 // refused in either case
	}
	if next.Version > 1 && rapid.Bool().Draw(t, "with snapshot") {
		next.Fork.Snapshot = &store.Snapshot{
			Version: rapid.Uint64Range(1, next.Version-1).Draw(t, "of version"), Body: []byte("kept"),
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "with records") == 0 {
		next.Records = drawWrites(t)
	}
	sameError(t, "fork", c.store.Commit(c.ctx, next), c.model.commit(next))
}

func (c *comparison) remove(t *rapid.T) {
	id := drawID.Draw(t, "id")
	sameError(t, "delete", c.store.Delete(c.ctx, id, store.Fence{}), nil)
	c.model.remove(id)
}

// check compares the whole state.
func (c *comparison) check(t *rapid.T) {
	for _, id := range modelIDs {
		got, err := c.store.Load(c.ctx, id)
		want, wantErr := c.model.load(id)
		sameError(t, "load "+id, err, wantErr)
		sameState(t, "image of "+id, got, want)
		if want.Snapshot.Version > 0 { // otherwise the image holds all commits
			commits, err := c.store.Commits(c.ctx, id, 1, store.MaxCommits)
			sameError(t, "commits of "+id, err, nil)
			sameState(t, "commits of "+id, commits, c.model.images[id].Commits)
		}
	}
	for key := range c.model.keys {
		got, err := c.store.FindKey(c.ctx, key)
		want, wantErr := c.model.findKey(key)
		sameError(t, fmt.Sprintf("find key %x", key[:2]), err, wantErr)
		sameState(t, "sandbox by key", got, want)
	}
	for _, hours := range []int{4, 9} {
		at := firstWakeAt.Add(time.Duration(hours) * time.Hour)
		got, err := c.store.Due(c.ctx, at, 100)
		sameError(t, "due", err, nil)
		if !slices.IsSortedFunc(got, func(a, b store.Sandbox) int { return a.WakeAt.Compare(b.WakeAt) }) {
			t.Fatalf("due is not in order: %v", got)
		}
		sortDue(got)
		sameState(t, "due", got, c.model.due(at))
	}
	records, err := c.store.List(c.ctx, modelKind)
	sameError(t, "list", err, nil)
	sameState(t, "records", records, c.model.list())
	count, err := c.store.Count(c.ctx)
	sameError(t, "count", err, nil)
	sameState(t, "count", count, len(c.model.images))
}

func sameError(t *rapid.T, what string, got, want error) {
	if !errors.Is(got, want) || want == nil && got != nil {
		t.Fatalf("%s: got error %v, want %v", what, got, want)
	}
}

func sameState(t *rapid.T, what string, got, want any) {
	if diff := difference(got, want); diff != "" {
		t.Fatalf("%s differs (-want +got):\n%s", what, diff)
	}
}
