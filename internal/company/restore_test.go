package company_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"platen/internal/company"
	"platen/internal/company/record"
)

// snapshot is a whole company in its stored form.
type snapshot struct {
	body    []byte
	version int
}

func (l *life) snapshot() snapshot {
	image := l.company.Image()
	return snapshot{record.AppendImage(nil, &image), len(l.commits)}
}

func (s snapshot) equals(other snapshot) bool {
	return bytes.Equal(s.body, other.body)
}

// reborn loads a twin of a life from a snapshot and the commits after it.
func (l *life) reborn(from snapshot) *life {
	l.t.Helper()
	image, rest, err := record.ReadImage(from.body)
	if err != nil || len(rest) > 0 {
		l.t.Fatalf("%s: read back a snapshot: %v, %d bytes left", l.label, err, len(rest))
	}
	twin := &life{t: l.t, label: l.label, wall: l.wall, seen: l.seen, image: image, commits: slices.Clone(l.commits)}
	for version := from.version + 1; version <= len(l.commits); version++ {
		twin.keep(uint64(version))
	}
	// The company reads the memory of its image, so it gets one of its own.
	again, _, err := record.ReadImage(record.AppendImage(nil, &twin.image))
	if err != nil {
		l.t.Fatalf("%s: %v", l.label, err)
	}
	if twin.company, err = company.Load(again, company.Engine); err != nil {
		l.t.Fatalf("%s: load: %v", l.label, err)
	}
	twin.events = slices.Clone(l.events)
	// A moment at which nothing was due is not stored. It would be missed only
	// if the wall clock were set back while the company is not in memory.
	if twin.company.Advance(l.seen, 1<<30); twin.company.Changed() {
		l.t.Fatalf("%s: something was due at %s that had not been stored", l.label, l.seen)
	}
	return twin
}

// compareCommits fails unless a twin has stored the same, from a version on.
func (l *life) compareCommits(what string, twin *life, from int) {
	l.t.Helper()
	if len(twin.commits) != len(l.commits) {
		l.t.Fatalf("%s: after %s the twin has %d commits, want %d", l.label, what, len(twin.commits), len(l.commits))
	}
	for i := from; i < len(l.commits); i++ {
		if !bytes.Equal(twin.commits[i], l.commits[i]) {
			l.t.Fatalf("%s: after %s the twin's commit %d is\n%q\nwant\n%q",
				l.label, what, i+1, twin.commits[i], l.commits[i])
		}
	}
}

// wholeLives is after how many steps two lives are compared as a whole, which takes
// much longer than the comparison of their commits that follows every step.
func wholeLives() int { return int(few(64, 8)) }

// TestALoadedCompanyGoesOnAsIfItHadNeverStopped: from a snapshot and the
// commits after it, at any point of any life. Both live on alike, to the byte
// of what they store.
func TestALoadedCompanyGoesOnAsIfItHadNeverStopped(t *testing.T) {
	t.Parallel()
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t)
		kept := l.snapshot()
		var twin *life
		repeat(t, l, func(t *rapid.T, a action) {
			switch rapid.IntRange(0, 19).Draw(t, "store") {
			case 1:
				kept = l.snapshot()
			case 2:
				twin = l.reborn(kept)
			}
			from := len(l.commits)
			refusal := l.act(a)
			if twin == nil {
				return
			}
			if got := twin.act(a); fmt.Sprint(got) != fmt.Sprint(refusal) {
				t.Fatalf("%s: %s: the loaded company answers %v, the other %v", l.label, a.name, got, refusal)
			}
			l.compareCommits(a.name, twin, from)
			if compared++; compared%wholeLives() == 0 {
				sameLife(t, "after "+a.name, twin, l)
			}
		})
		if twin == nil {
			return
		}
		sameLife(t, "in the end", twin, l)
		checkFeed(t, twin)
		if err := twin.company.Check(); err != nil {
			t.Fatalf("%s: the loaded company: %v", l.label, err)
		}
	})
	if t.Logf("%d steps compared", compared); compared == 0 {
		t.Error("no random life was ever stored and loaded")
	}
}
