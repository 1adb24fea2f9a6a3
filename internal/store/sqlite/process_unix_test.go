//go:build unix

package sqlite_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"platen/internal/store"
	"platen/internal/store/sqlite"
	"platen/test/testclient"
)

// The test binary plays other processes too: these variables say which one and
// on what database.
const (
	roleVariable = "PLATEN_TEST_ROLE"
	pathVariable = "PLATEN_TEST_PATH"
)

func TestMain(m *testing.M) {
	play, ok := map[string]func(path string) error{
		"commit": commitForever,
		"hold":   holdDatabase,
		"fill":   fillDisk,
	}[os.Getenv(roleVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := play(os.Getenv(pathVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A child is this test binary in another role.
type child struct {
	*exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func start(t *testing.T, role, path string) *child {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{Cmd: exec.CommandContext(t.Context(), executable)}
	c.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	c.Stderr = os.Stderr
	if c.in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAFileThatCannotBeWrittenIsNamedAndNothingIsLeftBesideIt, so that the next
// start succeeds once the file can be written again.
func TestAFileThatCannotBeWrittenIsNamedAndNothingIsLeftBesideIt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "platen.db")
	reopen := func() {
		t.Helper()
		s, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	reopen()
	c := exec.CommandContext(t.Context(), "/proc/self/exe")
	if os.Geteuid() == 0 { // root may write anything: the child has another account
		const nobody = 65534
		if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{folder, path, path + ".lock"} {
			if err := os.Chown(name, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	} else if executable, err := os.Executable(); err == nil {
		c.Path = executable
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	c.Env = append(os.Environ(), roleVariable+"=hold", pathVariable+"="+path)
	said, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(said), path+": permission denied") {
		t.Errorf("a start on a file that cannot be written: %v, %s", err, said)
	}
	for _, left := range []string{"-shm", "-wal"} {
		if _, err := os.Stat(path + left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a refused start leaves %s: %v", left, err)
		}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	reopen()
}

// lifeOf is how many commits a sandbox of commitForever gets.
const lifeOf = 12

// commitForever commits to many sandboxes at once, deletes half of them when
// they are complete, and prints each step as soon as it is acknowledged.
func commitForever(path string) error {
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	var say sync.Mutex // keeps lines whole
	var running sync.WaitGroup
	failures := make(chan error, 8)
	for worker := range cap(failures) {
		running.Go(func() {
			for n := 0; ; n++ {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), worker, n)
				if err := liveOnce(s, id, n%2 == 0, &say); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	running.Wait()
	return <-failures
}

func liveOnce(s store.Store, id string, remove bool, say *sync.Mutex) error {
	ctx := context.Background()
	for version := uint64(1); version <= lifeOf; version++ {
		c := store.Commit{SandboxID: id, Version: version, Body: bodyOf(id, version)}
		if version == 1 {
			c.Header = &store.Sandbox{ID: id, OfficeKey: sha256.Sum256([]byte(id))}
		}
		if err := s.Commit(ctx, c); err != nil {
			return err
		}
		say.Lock()
		fmt.Printf("commit %s %d\n", id, version)
		say.Unlock()
	}
	if !remove {
		return nil
	}
	if err := s.Delete(ctx, id, store.Fence{}); err != nil {
		return err
	}
	say.Lock()
	fmt.Printf("delete %s 0\n", id)
	say.Unlock()
	return nil
}

// bodyOf is a body that belongs to one commit, some of them larger than a page.
func bodyOf(id string, version uint64) []byte {
	size := 100 + int(version%4)*1500
	return []byte(strings.Repeat(fmt.Sprintf("%s/%d ", id, version), size/len(id)))
}

// told has the commits and deletions that a killed process had acknowledged.
type told struct {
	newest  map[string]uint64
	deleted map[string]bool
}

func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	testclient.InCheck(t, "test/crash TestNothingAcknowledgedIsLostOrDoubledWhenTheServerIsKilled")
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "platen.db")
	all := told{map[string]uint64{}, map[string]bool{}}
	for round := range 10 {
		c := start(t, "commit", path)
		for left := random.IntN(600); c.lines.Scan(); left-- {
			var verb, id string
			var version uint64
			if _, err := fmt.Sscan(c.lines.Text(), &verb, &id, &version); err != nil {
				break // the kill cut the line
			}
			if verb == "delete" {
				all.deleted[id] = true
			}
			all.newest[id] = max(all.newest[id], version)
			if left == 0 {
				// Some work first, so that the kill does not always meet the
				// moment after an acknowledgement.
				for n := random.IntN(20_000); n > 0; n-- {
					sha256.Sum256([]byte{byte(n)})
				}
				c.Process.Kill()
			}
		}
		if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != -1 {
			t.Fatalf("round %d: the child ended by itself: %v", round, err)
		}
		checkTold(t, path, all)
	}
}

func checkTold(t *testing.T, path string, all told) {
	t.Helper()
	s := openStore(t, path)
	for id, newest := range all.newest {
		image, err := s.Load(t.Context(), id)
		switch {
		case all.deleted[id]:
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("deleted %s: got %v, want not found", id, err)
			}
			continue
		case errors.Is(err, store.ErrNotFound) && newest == lifeOf:
			all.deleted[id] = true // its deletion was under way
			continue
		case err != nil:
			t.Errorf("load %s: %v", id, err)
			continue
		}
		got := uint64(len(image.Commits))
		if got != newest && got != newest+1 {
			t.Errorf("%s has %d versions, acknowledged were %d", id, got, newest)
		}
		all.newest[id] = got
		for i, c := range image.Commits {
			if c.Version != uint64(i+1) || string(c.Body) != string(bodyOf(id, c.Version)) {
				t.Errorf("%s: commit %d came back as version %d with %d bytes", id, i+1, c.Version, len(c.Body))
			}
		}
	}
	settle(t, s, path)
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	var verdict string
	var orphans int
	db := openRaw(t, path)
	query(t, db, "PRAGMA integrity_check", &verdict)
	query(t, db, "SELECT count(*) FROM commits WHERE sandbox NOT IN (SELECT number FROM sandboxes)", &orphans)
	if verdict != "ok" || orphans != 0 {
		t.Errorf("integrity check says %q, %d commits have no sandbox", verdict, orphans)
	}
}

func holdDatabase(path string) error {
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	fmt.Println("open")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return s.Close()
}

func TestSecondProcessIsToldWhoHoldsTheDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	c := start(t, "hold", path)
	if !c.lines.Scan() || c.lines.Text() != "open" {
		t.Fatalf("the child said %q, want open", c.lines.Text())
	}
	s, err := sqlite.Open(t.Context(), path)
	if err == nil {
		s.Close()
		t.Fatal("two processes have the database open")
	}
	want := "database " + path + " is in use by another process, which holds " + path + ".lock"
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the second process is told\n%q\nwant\n%q…", err, want)
	}
	c.in.Close()
	if err := c.Wait(); err != nil {
		t.Fatalf("child: %v", err)
	}
	if err := openStore(t, path).Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// fillDisk commits until files may not grow, twice, and each time goes on with
// the same version once they may. It ends without closing anything, while the
// disk is full.
func fillDisk(path string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	version := uint64(1)
	commit := func() error {
		c := store.Commit{SandboxID: "a", Version: version, Body: fillBody(version)}
		if version == 1 {
			c.Header = &store.Sandbox{ID: "a"}
		}
		err := s.Commit(ctx, c)
		if err == nil {
			fmt.Println("commit", version)
			version++
		}
		return err
	}
	for _, megabytes := range []uint64{1, 3} {
		full := limit
		full.Cur = megabytes << 20
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &full); err != nil {
			return err
		}
		for refused := 0; refused < 5; {
			if err := commit(); errors.Is(err, store.ErrFull) {
				refused++
			} else if err != nil {
				return fmt.Errorf("commit %d on a full disk: got %w, want %w", version, err, store.ErrFull)
			}
		}
		if err := s.Ping(ctx); err != nil && !errors.Is(err, store.ErrFull) {
			return fmt.Errorf("ping on a full disk: got %w, want %w", err, store.ErrFull)
		}
		if _, err := s.Load(ctx, "a"); err != nil {
			return fmt.Errorf("load on a full disk: %w", err)
		}
		fmt.Println("full", version)
		if megabytes == 3 {
			return nil
		}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		for range 3 {
			if err := commit(); err != nil {
				return fmt.Errorf("commit %d with space again: %w", version, err)
			}
		}
	}
	return nil
}

func fillBody(version uint64) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("%08d", version), 8<<10))
}

func TestFullDiskLosesNothingAndEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	c := start(t, "fill", path)
	var newest, full uint64
	for c.lines.Scan() {
		var verb string
		var version uint64
		if _, err := fmt.Sscan(c.lines.Text(), &verb, &version); err != nil {
			t.Fatalf("line %q: %v", c.lines.Text(), err)
		}
		if verb == "full" {
			full++
			continue
		}
		newest = version
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("child: %v", err)
	}
	if full != 2 || newest < 10 {
		t.Fatalf("the disk was full %d times after %d commits, want twice after some", full, newest)
	}
	s := openStore(t, path)
	defer s.Close()
	image, err := s.Load(t.Context(), "a")
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	if got := uint64(len(image.Commits)); got != newest {
		t.Errorf("%d commits are there, %d were acknowledged", got, newest)
	}
	for _, c := range image.Commits {
		if string(c.Body) != string(fillBody(c.Version)) {
			t.Errorf("commit %d came back different", c.Version)
		}
	}
	if err := s.Commit(t.Context(), store.Commit{SandboxID: "a", Version: newest + 1}); err != nil {
		t.Errorf("commit after reopening: %v", err)
	}
}
