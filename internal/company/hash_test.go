package company_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"platen/internal/company"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"platen/internal/company/sim"
)

// stewarded lets a steward run a company for a number of days, four rounds a
// day.
func stewarded(l *life, days int) *life {
	for range days * 4 {
		steward{l}.round()
		l.must(tick(120))
	}
	return l
}

// TestSameSeedAndActionsGiveTheSameCompany, whatever the sandbox is called,
// whatever its events are called and whenever it was made.
func TestSameSeedAndActionsGiveTheSameCompany(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual"} {
		for _, mode := range []sim.Mode{sim.Manual, sim.Realtime} {
			later := origin{"sbx_zzzzzzzzzzzzz", 1 << 60, usual.wall.Add(31*time.Hour + 7*time.Microsecond)}
			one := stewarded(live(t, presetNamed(t, name), 5, mode, usual), 12)
			other := stewarded(live(t, presetNamed(t, name), 5, mode, later), 12)
			sameLife(t, "another sandbox", other, one)
			if string(one.commits[len(one.commits)-1]) == string(other.commits[len(other.commits)-1]) {
				t.Errorf("%s: two sandboxes have stored the same, so the test shows nothing", one.label)
			}
		}
	}
}

func TestDifferentSeedsGiveDifferentCompanies(t *testing.T) {
	t.Parallel()
	seen := map[string]uint64{}
	for seed := range few(10, 40) {
		hash := live(t, presetNamed(t, "starter"), seed, sim.Manual, usual).company.StateHash()
		if other, twice := seen[hash]; twice {
			t.Errorf("the seeds %d and %d begin with the same company", other, seed)
		}
		seen[hash] = seed
	}
}

// TestStateHashSeesEverythingButWallTimes: what a client can do shows, flushed
// or not, and reading the hash changes nothing.
func TestStateHashSeesEverythingButWallTimes(t *testing.T) {
	t.Parallel()
	l := live(t, presetNamed(t, "manual"), 1, sim.Realtime, usual)
	begun := l.company.StateHash()
	if len(begun) != 64 || begun != l.company.StateHash() || l.company.Changed() {
		t.Fatalf("the hash %q is not stable, or taking it has changed the company", begun)
	}
	l.company.Advance(l.wall.Add(124*time.Millisecond), 1<<30)
	if got := l.company.StateHash(); got != begun {
		t.Errorf("less than a minute has passed, and the hash went from %s to %s", begun, got)
	}
	l.company.Advance(l.wall.Add(125*time.Millisecond), 1<<30)
	later := l.company.StateHash()
	if later == begun {
		t.Error("a minute has passed, and the hash is the same")
	}
	if err := l.company.AcceptSalesOrder(l.order("SO-1001").ID); err != nil {
		t.Fatal(err)
	}
	unflushed := l.company.StateHash()
	if unflushed == later {
		t.Error("an order was accepted, and the hash is the same")
	}
	l.flush()
	if got := l.company.StateHash(); got != unflushed {
		t.Errorf("a flush changed the hash from %s to %s", unflushed, got)
	}
}

const goldenFile = "testdata/state_hash.golden"

// TestStateHashIsGolden: thirty days of the same play end alike, today, in a
// year and on every processor. A change of the file means that every seed now
// leads elsewhere: Engine says what to do then.
func TestStateHashIsGolden(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	fmt.Fprintf(&got, "engine %d\n", company.Engine)
	for _, name := range []string{"starter", "manual"} {
		l := live(t, presetNamed(t, name), 20260907, sim.Manual, usual)
		for day := 10; day <= 30; day += 10 {
			s := stewarded(l, 10).company.Summary()
			fmt.Fprintf(&got, "%s day %d: %d events, %d shipped, cash %d, state %s\n",
				name, day, len(l.events), s.Score.OrdersShipped, s.CashMinor, l.company.StateHash())
		}
		checkFeed(t, l)
	}
	if *update {
		if err := os.WriteFile(goldenFile, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the golden play of seed 20260907 ended elsewhere (-want +got). "+
			"If that is meant, follow the comment of company.Engine, and run with -update:\n%s", diff)
	}
}

// TestStateHashIsTheSameWithoutFusedMultiplyAdd runs the golden play again in
// this binary, on a processor that pretends to have no FMA.
func TestStateHashIsTheSameWithoutFusedMultiplyAdd(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skipf("SKIPPED: cpu.fma can be turned off on amd64 only, this is %s", runtime.GOARCH)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runGolden(t, exec.CommandContext(t.Context(), self, "-test.count=1", "-test.run=^TestStateHashIsGolden$"),
		"GODEBUG=cpu.fma=off")
}

// TestStateHashIsTheSameWhereTheCompilerFuses builds the package for a newer
// processor, where the compiler turns x*y+z into one instruction that rounds
// once, and runs the golden play again.
func TestStateHashIsTheSameWhereTheCompilerFuses(t *testing.T) {
	t.Parallel()
	if few(0, 1) == 0 {
		t.Skip("in make check (PLATEN_TEST_THOROUGH=1), for it compiles all again; here: TestStateHashIsGolden")
	}
	if runtime.GOARCH != "amd64" {
		t.Skipf("SKIPPED: GOAMD64 is of amd64, this is %s", runtime.GOARCH)
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("SKIPPED: no go command to build with: %v", err)
	}
	runGolden(t, exec.CommandContext(t.Context(), tool, "test", "-count=1", "-vet=off", "-run=^TestStateHashIsGolden$",
		"."), "GOAMD64=v3", "CGO_ENABLED=0", "GOFLAGS=")
}

func runGolden(t *testing.T, cmd *exec.Cmd, env ...string) {
	t.Helper()
	if *update {
		t.Skip("the golden file is being written")
	}
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	// The message of the runtime, in a binary of v3, when the processor is older.
	if strings.Contains(string(out), "can only be run on AMD64 processors with") {
		t.Skipf("SKIPPED: this processor is too old for %v:\n%s", env, out)
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Fatalf("with %v the golden play fails: %v\n%s", env, err, out)
	case err != nil:
		t.Fatal(err)
	}
}
