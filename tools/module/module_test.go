package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const another = "example.org/printing-house/platen"

// command runs a program in a folder, which has to succeed.
func command(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, said)
	}
	return string(said)
}

// copied is a copy of this repository as it stands.
func copied(t *testing.T) string {
	t.Helper()
	root, folder := filepath.Join("..", ".."), t.TempDir()
	for name := range strings.SplitSeq(command(t, root, "git", "ls-files", "--cached", "--others",
		"--exclude-standard"), "\n") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if name == "" || err != nil {
			continue // deleted, and not yet committed
		}
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command(t, folder, "git", "init", "--quiet")
	command(t, folder, "git", "add", "--all")
	return folder
}

// TestEverythingHasTheNewPath: all packages are found by it, in each of the modules, and nothing
// names the old one. A thorough run vets all of them and
// looks at the rules of the architecture, too.
func TestEverythingHasTheNewPath(t *testing.T) {
	t.Parallel()
	folder := copied(t)
	if err := rename(t.Context(), folder, another); err != nil {
		t.Fatal(err)
	}
	list := command(t, folder, "go", "list", "-test", "-deps", "./...")
	if !strings.Contains(list, another+"/client\n") {
		t.Error("there is no client")
	}
	for _, module := range []string{"tools", "tools/release", "test/browser", "eval/tokens"} {
		if list := command(t, filepath.Join(folder, module), "go", "list", "./..."); !strings.HasPrefix(list, another) {
			t.Errorf("%s has the packages\n%s", module, list)
		}
	}
	old := regexp.MustCompile("[\"`^ ]platen/(" + folders + ")")
	for name := range strings.SplitSeq(command(t, folder, "git", "ls-files"), "\n") {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil && old.Match(text) && !strings.HasPrefix(name, "tools/module/") {
			t.Errorf("%s names the old path: %s", name, old.Find(text))
		}
	}
	if said := command(t, folder, "gofmt", "-l", "."); said != "" {
		t.Errorf("not formatted:\n%s", said)
	}
	if os.Getenv("PLATEN_TEST_THOROUGH") != "" {
		command(t, folder, "go", "vet", "./...")
		command(t, folder, "go", "test", "-run", "TestImportsFollowTheMap", "./internal/archtest")
	}
}

// TestAPathThatCannotBeChangesNothing.
func TestAPathThatCannotBeChangesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const text = "module platen\n\ngo 1.26.0\n"
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"", "platen", "example.org", "example.org/", "https://example.org/platen", "a b.c/d",
	} {
		if err := rename(t.Context(), folder, path); err == nil {
			t.Errorf("the path %q is taken", path)
		}
	}
	if now, err := os.ReadFile(filepath.Join(folder, "go.mod")); err != nil || !bytes.Equal(now, []byte(text)) {
		t.Errorf("go.mod is %q, %v", now, err)
	}
}
