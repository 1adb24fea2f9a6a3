package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen/internal/store"
	"platen/internal/store/sqlite"
)

// sandboxOf is the header of a sandbox.
func sandboxOf(id string, n byte) *store.Sandbox {
	now := time.Now().UTC().Truncate(time.Microsecond)
	return &store.Sandbox{
		ID: id, OfficeKey: store.KeyHash{n, 1}, FactoryKey: store.KeyHash{n, 2}, Network: "n", CreatedAt: now,
		ExpiresAt: now.Add(time.Hour), DeleteAt: now.Add(time.Hour), WakeAt: now.Add(time.Hour),
	}
}

// TestABackupEndsWhileTheServerWrites, is whole as of one moment, is readable by
// its owner alone, and is a database that opens.
func TestABackupEndsWhileTheServerWrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	body := make([]byte, 4<<10)
	const writers = 4
	var written [writers]atomic.Uint64
	var stop atomic.Bool
	var writing sync.WaitGroup
	begun := make(chan struct{}, writers)
	for w := range writers {
		id := fmt.Sprint("sbx_", w)
		writing.Go(func() {
			for v := uint64(1); !stop.Load(); v++ {
				c := store.Commit{SandboxID: id, Version: v, Body: body}
				if v == 1 {
					c.Header = sandboxOf(id, byte(w+1))
				}
				if err := s.Commit(t.Context(), c); err != nil {
					t.Error(err)
					return
				}
				written[w].Store(v)
				if v == 50 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range writers {
		<-begun
	}
	var before [writers]uint64
	for w := range before {
		before[w] = written[w].Load()
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	backed, err := sqlite.Backup(t.Context(), path, copied, nil)
	stop.Store(true)
	writing.Wait()
	if err != nil || backed.Sandboxes != writers || backed.Commits < writers*50 || backed.Bytes == 0 {
		t.Fatalf("backed up are %+v, %v", backed, err)
	}
	if info, err := os.Stat(copied); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has the mode %v, %v", info.Mode(), err)
	}
	restored, err := sqlite.Open(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	for w := range writers {
		image, err := restored.Load(t.Context(), fmt.Sprint("sbx_", w))
		if err != nil || uint64(len(image.Commits)) < before[w] || uint64(len(image.Commits)) > written[w].Load() {
			t.Errorf("sandbox %d has %d commits, had %d before and %d after, %v",
				w, len(image.Commits), before[w], written[w].Load(), err)
		}
	}
}

// TestABackupThatFailsLeavesNothing, and replaces nothing.
func TestABackupThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	database, there := filepath.Join(folder, "platen.db"), filepath.Join(folder, "there.db")
	s, err := sqlite.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, path := range []string{there, filepath.Join(folder, "foreign.db")} {
		if err := os.WriteFile(path, []byte("not a database, and long enough to be looked at as one"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ from, to string }{
		"onto a file": {database, there}, "of nothing": {filepath.Join(folder, "nothing.db"),
			filepath.Join(folder, "copy.db")}, "of a folder": {folder, filepath.Join(folder, "copy.db")},
		"into no folder": {database, filepath.Join(folder, "no", "copy.db")},
		"of no database": {filepath.Join(folder, "foreign.db"), filepath.Join(folder, "copy.db")},
	} {
		if backed, err := sqlite.Backup(t.Context(), c.from, c.to, nil); err == nil {
			t.Errorf("%s: %+v", name, backed)
		}
		if _, err := os.Stat(filepath.Join(folder, "copy.db")); err == nil {
			t.Errorf("%s: a copy is left", name)
		}
	}
	if b, err := os.ReadFile(there); err != nil || len(b) > 60 {
		t.Errorf("the file that was there is now %q, %v", b, err)
	}
}

// TestOneDatabaseHasOneServerByAllItsNames: links are followed.
func TestOneDatabaseHasOneServerByAllItsNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: links want a right there")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "data", "platen.db")
	file, hard, directory, early := filepath.Join(folder, "file.db"), filepath.Join(folder, "hard.db"),
		filepath.Join(folder, "directory"), filepath.Join(folder, "early.db")
	if err := os.Symlink(path, early); err != nil { // before there is a file
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	first, err := sqlite.Open(t.Context(), early)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{path, file, filepath.Join(directory, "platen.db"), early}
	for link, target := range map[string]string{file: path, directory: filepath.Dir(path)} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(path, hard); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" {
		names = append(names, hard)
	}
	for _, name := range names {
		if second, err := sqlite.Open(t.Context(), name); err == nil {
			t.Errorf("a second server opens it as %s", name)
			second.Close()
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		s, err := sqlite.Open(t.Context(), name)
		if err != nil {
			t.Fatalf("after the first has ended, as %s: %v", name, err)
		}
		s.Close()
	}
}
