// Command faults shows that the tests find faults: it makes one fault after
// another in a copy of the working tree and runs the suites of `make test` that
// should notice. A fault is one line, of the kind that a tired person writes. A
// suite that stays green with one of them asserts less than it seems to. Each suite
// runs without a fault first: one that fails anyway notices nothing.
//
//	go run ./test/faults            make all of them and print a table
//	go run ./test/faults -from 7    begin with the seventh
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// fault is a text of a file and its replacement.
type fault struct {
	// name says what goes wrong.
	name string
	// file is relative to the module; right is in it once.
	file, right, wrong string
	// suites are the packages whose tests should fail, or a file of the
	// console's tests.
	suites string
}

// maxTime ends the tests of a fault that make them hang.
const maxTime = 10 * time.Minute

func main() {
	from := flag.Int("from", 1, "number of the first fault to make")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *from); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// run makes the faults. It fails when the tests do not notice one of them.
func run(ctx context.Context, out io.Writer, from int) error {
	folder, err := os.MkdirTemp("", "platen-faults-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(folder)
	if err := copyTree(ctx, folder); err != nil {
		return err
	}
	var unseen []string
	sound := map[string]bool{}
	for i, f := range faults {
		if i+1 < from {
			continue
		}
		if !sound[f.suites] {
			name, err := f.test(ctx, folder)
			if err != nil {
				return fmt.Errorf("without a fault: %w", err)
			}
			if name != "" {
				return fmt.Errorf("without a fault, %s of %s fails", name, f.suites)
			}
			sound[f.suites] = true
		}
		began := time.Now()
		noticed, err := f.try(ctx, folder)
		if err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
		if noticed == "" {
			unseen = append(unseen, f.name)
			noticed = "NOT NOTICED"
		}
		fmt.Fprintf(out, "%2d  %-72s %-40s %s, %d s\n", i+1, f.name, f.file, noticed, int(time.Since(began).Seconds()))
	}
	if len(unseen) > 0 {
		return fmt.Errorf("%d faults are not noticed: %s", len(unseen), strings.Join(unseen, "; "))
	}
	return nil
}

// copyTree copies the files of the working tree that Git knows.
func copyTree(ctx context.Context, folder string) error {
	files, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others",
		"--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(files), "\x00"), "\x00") {
		content, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted and not committed
		}
		if err != nil {
			return fmt.Errorf("copy: %w", err)
		}
		info, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("copy: %w", err)
		}
		to := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755),
			os.WriteFile(to, content, info.Mode())); err != nil {
			return fmt.Errorf("copy: %w", err)
		}
	}
	return nil
}

// try makes a fault, runs its suites and mends it again. It returns as test does.
func (f *fault) try(ctx context.Context, folder string) (string, error) {
	path := filepath.Join(folder, f.file)
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read: %w", err)
	}
	if n := strings.Count(string(content), f.right); n != 1 {
		return "", fmt.Errorf("%s has %d times %q", f.file, n, f.right)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(content), f.right, f.wrong, 1)), 0o644); err != nil {
		return "", fmt.Errorf("write: %w", err)
	}
	defer os.WriteFile(path, content, 0o644) // the folder is deleted at the end
	return f.test(ctx, folder)
}

// test runs the suites of a fault. It returns the name of a test that failed, ""
// when all passed.
func (f *fault) test(ctx context.Context, folder string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	arguments := append([]string{"test", "-count=1", "-vet=off", "-failfast"}, strings.Fields(f.suites)...)
	command := exec.CommandContext(limited, "go", arguments...)
	if strings.HasSuffix(f.suites, ".mjs") {
		command = exec.CommandContext(limited, "node", "--test", "--test-reporter=tap", f.suites)
	}
	command.Dir = folder
	output, err := command.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return "", nil
	}
	if m := failed.FindSubmatch(output); m != nil {
		return string(m[1]), nil
	}
	return "", fmt.Errorf("%s did not run: %.2000s", f.suites, output)
}

// failed finds the first test that failed, by Go or by Node.
var failed = regexp.MustCompile(`(?m)^(?:--- FAIL: |not ok \d+ - )([^\n(]+?)(?: \(.*)?$`)
