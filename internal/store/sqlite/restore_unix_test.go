//go:build unix

package sqlite_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"platen/internal/store/sqlite"
)

// TestAPipeIsNoCopy: SQLite would wait for somebody who writes into it.
func TestAPipeIsNoCopy(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pipe, path := filepath.Join(folder, "pipe"), filepath.Join(folder, "platen.db")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 3)
	go func() {
		_, err := sqlite.Restore(t.Context(), pipe, path, sqlite.Restoring{})
		ended <- err
		_, err = sqlite.Backup(t.Context(), pipe, path, nil)
		ended <- err
		_, err = sqlite.OpenMoment(t.Context(), pipe)
		ended <- err
	}()
	for range 3 {
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("it is taken: %v", err)
		}
	}
}
