//go:build unix

package sqlite

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestALockIsGoneWithItsOwner, even while a child that is being started still
// holds a copy of the open file, as between fork and exec.
func TestALockIsGoneWithItsOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	lock, err := takeLock(path)
	if err != nil {
		t.Fatal(err)
	}
	child, err := unix.Dup(int(lock.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(child)
	if other, err := takeLock(path); err == nil {
		t.Fatalf("a locked database was locked again: %v", other)
	}
	if err := lock.release(); err != nil {
		t.Fatal(err)
	}
	again, err := takeLock(path)
	if err != nil {
		t.Fatalf("the lock outlives its owner: %v", err)
	}
	if err := again.release(); err != nil {
		t.Error(err)
	}
}
