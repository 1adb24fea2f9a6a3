package crash

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"platen/test/testclient"
)

// disk is a place for a database that can be filled up and emptied while a
// server runs on it.
type disk struct {
	database string
	// fill leaves no space, empty gives it back.
	fill, empty func(t *testing.T, p *process)
}

// limited is a disk on which files may not grow: the kernel refuses writes
// beyond a size, which SQLite meets like a disk without space.
func limited(t *testing.T) disk {
	t.Helper()
	limit := func(t *testing.T, p *process, bytes uint64) {
		t.Helper()
		var old unix.Rlimit
		if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, nil, &old); err != nil {
			t.Fatal(err)
		}
		if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: old.Max},
			nil); err != nil {
			t.Fatal(err)
		}
	}
	return disk{
		database: filepath.Join(t.TempDir(), "platen.db"),
		fill:     func(t *testing.T, p *process) { t.Helper(); limit(t, p, 4096) },
		empty: func(t *testing.T, p *process) {
			t.Helper()
			if !p.dying.Load() { // the limit dies with the process
				limit(t, p, unix.RLIM_INFINITY)
			}
		},
	}
}

// small is a file system of a few megabytes. Mounting one is not permitted
// everywhere.
func small(t *testing.T) disk {
	t.Helper()
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("no file system may be mounted here (%v); the limit on the size of files was tested", err)
	}
	t.Cleanup(func() { unix.Unmount(folder, 0) })
	filler := filepath.Join(folder, "filler")
	return disk{
		database: filepath.Join(folder, "platen.db"),
		fill: func(t *testing.T, _ *process) {
			t.Helper()
			f, err := os.Create(filler)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for size := 1 << 16; size > 0; {
				if _, err := f.Write(make([]byte, size)); errors.Is(err, unix.ENOSPC) {
					size /= 2
				} else if err != nil {
					t.Fatal(err)
				}
			}
		},
		empty: func(t *testing.T, _ *process) {
			t.Helper()
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		},
	}
}

// hurried is the default preset with a working day in a second and three times
// the customers, so that something is due all the time, and a bank that lends
// what that costs.
func hurried(t *testing.T) string {
	t.Helper()
	file, err := os.ReadFile("../../internal/company/preset/starter.json")
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)
	for old, with := range map[string]string{
		`"preset": "starter"`: `"preset": "hurried"`, `"speed": 8`: `"speed": 480`,
		`"per_day": 3.4, "per_day_max": 22.0`: `"per_day": 9.0, "per_day_max": 30.0`,
		`"overdraft_limit_minor": 1000000`:    `"overdraft_limit_minor": 1000000000`,
		`"negative_closes_to_bankrupt": 10`:   `"negative_closes_to_bankrupt": 250`,
	} {
		if !strings.Contains(text, old) {
			t.Fatalf("the default preset has no %s", old)
		}
		text = strings.Replace(text, old, with, 1)
	}
	return text
}

func TestAFullDiskLosesNothingAndStopsNoReader(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(*testing.T) disk{"limit on files": limited, "small file system": small} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "small file system" {
				testclient.InCheck(t, "the limit on files")
			}
			fullDisk(t, place(t))
		})
	}
}

func fullDisk(t *testing.T, d disk) {
	presets := t.TempDir()
	if err := os.WriteFile(filepath.Join(presets, "hurried.json"), []byte(hurried(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := launch(d.database, "--presets", presets)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.kill() })
	random := rand.New(rand.NewPCG(5, 5))
	var tenants []*tenant
	for _, kind := range [][2]string{{"manual", "manual"}, {"hurried", "realtime"}} {
		n, err := newTenant(p, kind[0], kind[1])
		if err != nil {
			t.Fatal(err)
		}
		tenants = append(tenants, n)
	}
	check := func(when string) {
		t.Helper()
		for _, n := range tenants {
			if _, err := n.check(p, random, true); err != nil {
				t.Fatalf("%s: sandbox %s of preset %s: %v", when, n.ID, n.preset, err)
			}
		}
	}
	for round := range testclient.Few(1, 2) {
		write(t, p, tenants, fmt.Sprintf("space-%d", round), 20)
		d.fill(t, p)
		refusals(t, p, tenants, round)
		reads(t, p, tenants)
		d.empty(t, p)
		write(t, p, tenants, fmt.Sprintf("again-%d", round), 20)
		if a, err := p.send(forkOnFull(tenants[0], round)); err != nil || a.Status != http.StatusCreated {
			t.Fatalf("a fork with space again: %v, %v", a, err)
		}
		check("with space again")
	}
	// A kill on a full disk loses nothing either.
	d.fill(t, p)
	refusals(t, p, tenants, 2)
	p.kill()
	d.empty(t, p)
	if p, err = launch(d.database, "--presets", presets); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.kill() })
	check("after a kill on a full disk")
	if err := errors.Join(p.stop(), p.complaints(), inspect(d.database)); err != nil {
		t.Error(err)
	}
}

// refusals writes to a full disk: after what little space was left, each write
// is refused with unavailable.
func refusals(t *testing.T, p *process, tenants []*tenant, round int) {
	t.Helper()
	const wanted, tries = 10, 3000
	for i, n := range tenants {
		full := 0
		for try := 0; full < wanted; try++ {
			if try == tries {
				t.Fatalf("only %d of %d writes were refused on a full disk", full, tries)
			}
			key := fmt.Sprintf("full-%d-%d-%d", round, i, try)
			in := n.intend(order, "/factory/work-orders",
				fmt.Sprintf(`{"sku":"prd_notebook","quantity":1,"reference":%q}`, key), key)
			a, err := n.try(p, in)
			if err != nil {
				t.Fatal(err)
			}
			if in.outcome == acknowledged {
				continue
			}
			full++
			wantUnavailable(t, "a write", a)
		}
	}
	a, err := p.send(request{method: http.MethodPost, path: "/sandboxes"})
	if err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, "a creation", a)
	if a, err = p.send(forkOnFull(tenants[0], round)); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, "a fork", a)
}

// forkOnFull asks for a fork, which is refused while the disk is full and made afterwards.
func forkOnFull(n *tenant, round int) request {
	return request{
		method: http.MethodPost, path: "/sandbox/forks", key: n.Office, body: `{"checkpoint":"start"}`,
		idempotency: fmt.Sprintf("a fork on a full disk, round %d", round),
	}
}

func wantUnavailable(t *testing.T, what string, a *testclient.Answer) {
	t.Helper()
	var envelope struct {
		Meta  struct{ Simulation bool }
		Error struct {
			Code      string
			Retryable bool
		}
	}
	if err := json.Unmarshal(a.Raw, &envelope); err != nil {
		t.Fatalf("%s on a full disk: %v %s", what, err, a.Raw)
	}
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if a.Status != http.StatusServiceUnavailable || envelope.Error.Code != "unavailable" || !envelope.Error.Retryable ||
		!envelope.Meta.Simulation || err != nil || seconds < 1 {
		t.Errorf("%s on a full disk: %d %s, Retry-After %q", what, a.Status, a.Raw, a.Header.Get("Retry-After"))
	}
}

// reads looks at everything on a full disk. Where the clock runs, time does not
// pass until there is space for it.
func reads(t *testing.T, p *process, tenants []*tenant) {
	t.Helper()
	for _, n := range tenants {
		if _, err := n.read(p); err != nil {
			t.Errorf("preset %s: reading on a full disk: %v", n.preset, err)
		}
		if err := n.follow(p, 0); err != nil {
			t.Errorf("preset %s: the feed on a full disk: %v", n.preset, err)
		}
	}
}
