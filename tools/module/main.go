// Command module gives the module another path, as whoever publishes it has to: Go finds a module
// by its path.
//
//	go run -C tools ./module --root .. --to github.com/you/platen
//
// It rewrites the module files, the imports and everything else that names a package in full, and
// lays the files out anew. What it leaves alone are names of folders, programs and addresses.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	to := flag.String("to", "", "its new path, such as github.com/you/platen")
	flag.Parse()
	if err := rename(context.Background(), *root, *to); err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
}

var (
	// paths are those of modules that can be fetched: a host with a dot, and folders.
	paths = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)+$`)
	own   = regexp.MustCompile(`(?m)^module (\S+)$`)
)

// rename rewrites all files of a repository.
func rename(ctx context.Context, root, to string) error {
	if !paths.MatchString(to) {
		return fmt.Errorf("the path is %q; it has to be like github.com/you/platen", to)
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	found := own.FindSubmatch(text)
	if found == nil {
		return errors.New("go.mod names no module")
	}
	from := string(found[1])
	names, err := exec.CommandContext(ctx, "git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	changed := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		did, err := rewrite(filepath.Join(root, name), from, to)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if did {
			changed++
		}
	}
	fmt.Printf("%s is %s now, in %d files\n", from, to, changed)
	return nil
}

// folders are those that have packages: a name of one of them in full begins so.
const folders = `client|platentest|internal|cmd|docs|tasks|test|tools|examples`

// rewrite rewrites one file, and reports whether it named the module.
func rewrite(path, from, to string) (bool, error) {
	was, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !bytes.Contains(was, []byte(from)) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	module := regexp.QuoteMeta(from)
	is := regexp.MustCompile("([\"`^ ])"+module+"/("+folders+`|\()`).ReplaceAll(was, []byte("${1}"+to+"/${2}"))
	switch filepath.Base(path) {
	case "go.mod":
		is = regexp.MustCompile(`(?m)^(module |\t|replace )`+module+`( v0\.0\.0| =>|$)`).
			ReplaceAll(is, []byte("${1}"+to+"${2}"))
	case "module_test.go": // the rules of the architecture
		is = bytes.Replace(is, []byte(`module = "`+from+`"`), []byte(`module = "`+to+`"`), 1)
	}
	if bytes.Equal(was, is) {
		return false, nil
	}
	if strings.HasSuffix(path, ".go") {
		if is, err = format.Source(is); err != nil {
			return false, err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(path, is, info.Mode())
}
