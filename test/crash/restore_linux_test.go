package crash

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// mounted mounts a file or folder on itself until the test ends, as a container does that gets a file of its host.
func mounted(t *testing.T, path string, flags uintptr) (unmount func()) {
	t.Helper()
	if err := unix.Mount(path, path, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("SKIPPED: nothing may be mounted here (%v)", err)
	}
	unmount = func() { unix.Unmount(path, unix.MNT_DETACH) }
	t.Cleanup(unmount)
	if flags != 0 {
		if err := unix.Mount("", path, "", unix.MS_BIND|unix.MS_REMOUNT|flags, ""); err != nil {
			t.Skipf("SKIPPED: nothing may be mounted here (%v)", err)
		}
	}
	return unmount
}

// TestARestoreThatFailsLosesNothing: neither the database that was to be replaced, nor the writes in its log, nor its
// key, whichever step fails.
func TestARestoreThatFailsLosesNothing(t *testing.T) {
	t.Parallel()
	r := newReplaced(t)
	junk := func(t *testing.T, database string) {
		t.Helper()
		if err := os.WriteFile(database, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		before func(t *testing.T, database string)
		// mount is on itself while the restore runs.
		mount string
		flags uintptr
		says  string
		// opens says that the old database opens and has its company; another one has its bytes.
		opens bool
	}{
		"the database is a mount": {mount: "platen.db", says: "is a mount of its own", opens: true},
		"the folder is read-only": {mount: ".", flags: unix.MS_RDONLY, says: "read-only file system", opens: true},
		"the key is a mount":      {mount: "platen.db.key", says: "copy the secret key", opens: true},
		"and nothing can open the old database": {
			before: junk, mount: "platen.db.key", says: "copy the secret key",
		},
		"a mount that nothing can open": {before: junk, mount: "platen.db", says: "is a mount of its own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := r.again(t)
			folder := filepath.Dir(database)
			if c.before != nil {
				c.before(t, database)
			}
			had := filesOf(t, folder)
			unmount := mounted(t, filepath.Join(folder, c.mount), c.flags)
			if said := failing(t, "restore", "--database", database, "--replace", r.copied); !strings.Contains(said,
				c.says) {
				t.Errorf("it says %s", said)
			}
			unmount()
			has := filesOf(t, folder)
			for _, file := range []string{"platen.db", "platen.db-wal", "platen.db.key"} {
				if (!c.opens || file == "platen.db.key") && has[file] != had[file] {
					t.Errorf("%s is another file", file)
				}
			}
			for file := range has {
				if _, was := had[file]; !was {
					t.Errorf("it leaves %s", file)
				}
			}
			if c.opens {
				if err := r.old.has(t, database); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
