package migration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// engines are the folders of the engines, beside this one.
const engines = "../*/migrations"

func TestMigrationsAreNumberedAndExplained(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(engines)
	if err != nil || len(folders) < 2 {
		t.Fatalf("found %d engines, %v", len(folders), err)
	}
	for _, folder := range folders {
		list, err := List(os.DirFS(filepath.Dir(folder)))
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d migrations, %v", folder, len(list), err)
		}
		for i, m := range list {
			if m.Number != i+1 || !strings.HasPrefix(m.Name, fmt.Sprintf("%04d_", i+1)) {
				t.Errorf("%s: migration %s has the number %d, want %d", folder, m.Name, m.Number, i+1)
			}
			if !strings.HasPrefix(m.Script, "-- ") {
				t.Errorf("%s: migration %s does not begin with a comment that says what it is for", folder, m.Name)
			}
		}
	}
}

func TestAMigrationSaysWhoCanWorkWithIt(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"migrations/0001_a.sql": {Data: []byte("-- the first\n")},
		"migrations/0002_b.sql": {Data: []byte("-- compatible from 1\n--\n-- more\n")},
	}
	list, err := List(files)
	if err != nil || list[0].CompatibleFrom != 1 || list[1].CompatibleFrom != 1 {
		t.Errorf("got %+v, %v", list, err)
	}
	for _, number := range []string{"3", "0", "x", ""} {
		files["migrations/0002_b.sql"].Data = []byte("-- compatible from " + number + "\n")
		if list, err := List(files); err == nil {
			t.Errorf("compatible from %q: got %+v, want an error", number, list)
		}
	}
}

func TestMissingNumberIsRefused(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"0002_b.sql"}, {"0001_a.sql", "0003_c.sql"}, {"first.sql"}} {
		files := fstest.MapFS{}
		for _, name := range names {
			files["migrations/"+name] = &fstest.MapFile{}
		}
		if list, err := List(files); err == nil {
			t.Errorf("%v: got %v, want an error", names, list)
		}
	}
}
