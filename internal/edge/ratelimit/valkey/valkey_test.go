//go:build unix

package valkey

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"platen/internal/edge/network"
	"platen/internal/edge/ratelimit"
)

var epoch = time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)

// standard are the budgets of the contract, but for a rate of the network
// whose tokens take whole microseconds.
var standard = ratelimit.Options{
	Key: ratelimit.Budget{PerMinute: 120, Burst: 30}, Group: ratelimit.Budget{PerMinute: 300, Burst: 60},
	Anonymous: ratelimit.Budget{PerMinute: 30, Burst: 30},
	Cooldown:  ratelimit.Penalty{Refusals: 20, Within: 10 * time.Second, Lasts: 30 * time.Second},
	Ban:       ratelimit.Penalty{Refusals: 300, Within: time.Minute, Lasts: 15 * time.Minute},
}

var caller = ratelimit.Caller{Sandbox: "sbx_1", System: "office"}

func group(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 51, 100, byte(n)}), 32)
}

// TestADecisionIsThatOfTheGateInMemory asks both about the same requests. Time
// goes forward: here it is that of one server.
func TestADecisionIsThatOfTheGateInMemory(t *testing.T) {
	t.Parallel()
	server := begin(t)
	runs := atomic.Int64{}
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SampledFrom([]int{0, 1, 2, 10, 60, 120, 300, 600})
		budget := func(name string) ratelimit.Budget {
			return ratelimit.Budget{PerMinute: rates.Draw(t, name), Burst: rapid.IntRange(1, 8).Draw(t, name+" burst")}
		}
		penalty := func(name string) ratelimit.Penalty {
			p := ratelimit.Penalty{
				Refusals: rapid.IntRange(1, 6).Draw(t, name),
				Within:   time.Duration(rapid.IntRange(1, 20_000).Draw(t, name+" within")) * time.Millisecond,
			}
			if rapid.Bool().Draw(t, name+" is on") {
				p.Lasts = time.Duration(rapid.IntRange(1, 60_000).Draw(t, name+" lasts")) * time.Millisecond
				p.Grace = min(p.Within, time.Duration(rapid.IntRange(0, 3_000).Draw(t, name+" grace"))*time.Millisecond)
			}
			return p
		}
		o := ratelimit.Options{
			Key: budget("key"), Group: budget("network"), Anonymous: budget("anonymous"), Cooldown: penalty("cooldown"),
			Ban: penalty("ban"), Block: budget("block"),
			BlockOf: func(group netip.Prefix) netip.Prefix {
				if network.Loopback(group) {
					return netip.Prefix{}
				}
				return netip.PrefixFrom(group.Addr(), 24).Masked()
			},
		}
		local, err := ratelimit.New(o)
		if err != nil {
			t.Fatal(err)
		}
		shared := server.open(o)
		shared.clock = func(at time.Time) int64 { return at.UnixMicro() }
		run := runs.Add(1) // callers that no other run has
		now := epoch
		for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(0, 5_000_000).Draw(t, "pause")) * time.Microsecond)
			who := rapid.SampledFrom([]ratelimit.Caller{{}, {Sandbox: fmt.Sprint("a", run), System: "office"},
				{Sandbox: fmt.Sprint("b", run), System: "factory"}}).Draw(t, "caller")
			first := rapid.SampledFrom([]byte{10, 10, 127}).Draw(t, "kind of network")
			from := netip.PrefixFrom(netip.AddrFrom4(
				[4]byte{first, byte(run >> 8), byte(run), byte(rapid.IntRange(0, 1).Draw(t, "network"))}), 32)
			for range rapid.IntRange(1, 5).Draw(t, "requests") {
				want, got := local.Admit(now, from, who), shared.Admit(now, from, who)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("step %d, %v at %s (-memory +shared):\n%s", step, who, now.Sub(epoch), diff)
				}
			}
			if rapid.Bool().Draw(t, "enter") {
				if diff := cmp.Diff(local.Enter(now, from), shared.Enter(now, from)); diff != "" {
					t.Fatalf("step %d, an entrance (-memory +shared):\n%s", step, diff)
				}
			}
			if rapid.Bool().Draw(t, "charge") {
				if diff := cmp.Diff(local.Charge(now, from), shared.Charge(now, from)); diff != "" {
					t.Fatalf("step %d, a charge (-memory +shared):\n%s", step, diff)
				}
			}
			if diff := cmp.Diff(local.Look(now, from, who), shared.Look(now, from, who)); diff != "" {
				t.Fatalf("step %d, a look (-memory +shared):\n%s", step, diff)
			}
		}
		if n := shared.Failures(); n > 0 {
			t.Fatalf("the server did not answer %d times", n)
		}
	})
}

func TestNodesShareOneBudget(t *testing.T) {
	t.Parallel()
	server := begin(t)
	var passed atomic.Int64
	var sending sync.WaitGroup
	for range 4 {
		node := server.open(standard)
		node.clock = func(at time.Time) int64 { return at.UnixMicro() }
		for range 4 {
			sending.Go(func() {
				for range 20 {
					if node.Admit(epoch, group(1), caller).Outcome == ratelimit.Passed {
						passed.Add(1)
					}
				}
			})
		}
	}
	sending.Wait()
	if n := passed.Load(); n != 30 {
		t.Errorf("%d of 320 requests passed at 4 nodes, want 30", n)
	}
}

// TestNodesShareTheBudgetOfABlock: networks of one block, each at another node, have
// it together.
func TestNodesShareTheBudgetOfABlock(t *testing.T) {
	t.Parallel()
	server := begin(t)
	block := netip.MustParsePrefix("198.51.100.0/24")
	o := standard
	o.Block = ratelimit.Budget{PerMinute: 60, Burst: 7}
	o.BlockOf = func(netip.Prefix) netip.Prefix { return block }
	var passed, refused int
	for n := range 20 {
		node := server.open(o)
		node.clock = func(at time.Time) int64 { return at.UnixMicro() }
		d := node.Admit(epoch, group(n), ratelimit.Caller{Sandbox: fmt.Sprint(n), System: "office"})
		switch {
		case d.Outcome == ratelimit.Passed:
			passed++
		case d.By == ratelimit.Block && d.Block == block.String() && d.RetryAfter == 1:
			refused++
		}
	}
	if passed != 7 || refused != 13 {
		t.Errorf("%d requests of 20 networks passed, their block refused %d; want 7 and 13", passed, refused)
	}
}

func TestTheServersOwnClockCounts(t *testing.T) {
	t.Parallel()
	server := begin(t)
	first, second := server.open(standard), server.open(standard)
	passed := 0
	for i := range 60 {
		node, at := first, time.Now()
		if i%2 == 1 {
			node, at = second, at.Add(time.Hour) // a node whose clock is wrong
		}
		d := node.Admit(at, group(1), caller)
		if d.Outcome == ratelimit.Passed {
			passed++
		} else if wait := d.RetryAt.Sub(at); wait <= 0 || wait > 30*time.Second {
			t.Errorf("request %d is to wait %s", i, wait)
		}
	}
	if passed < 30 || passed > 40 { // some tokens come back on a slow machine
		t.Errorf("%d of 60 requests passed, want 30", passed)
	}
}

func TestABanIsKnownToTheNodeThatHeardOfIt(t *testing.T) {
	t.Parallel()
	server := begin(t)
	o := standard
	o.Ban.Refusals = 3
	g := server.open(o)
	g.clock = func(at time.Time) int64 { return at.UnixMicro() }
	for range 33 {
		if g.Shuts(epoch, group(1)) {
			t.Fatal("it is shut before it is banned")
		}
		g.Admit(epoch, group(1), ratelimit.Caller{})
	}
	for at, want := range map[time.Time]bool{
		epoch: true, epoch.Add(15*time.Minute - 1): true, epoch.Add(15 * time.Minute): false,
	} {
		if got := g.Shuts(at, group(1)); got != want {
			t.Errorf("at %s it is shut: %t", at, got)
		}
	}
	if g.Shuts(epoch, group(2)) {
		t.Error("another network is shut")
	}
	if n := g.Lift(epoch); n != 1 || g.Shuts(epoch, group(1)) {
		t.Errorf("%d bans were lifted; it is shut: %t", n, g.Shuts(epoch, group(1)))
	}
	if d := g.Admit(epoch, group(1), caller); d.Outcome != ratelimit.Passed {
		t.Errorf("after the ban was lifted: %+v", d)
	}
}

func TestWithoutAServerEachNodeDecidesAlone(t *testing.T) {
	t.Parallel()
	server := begin(t)
	g := server.open(standard)
	var log bytes.Buffer
	g.log = slog.New(slog.NewTextHandler(&log, nil))
	if d := g.Admit(epoch, group(1), caller); d.Remaining != 29 || !g.Shared() || g.Failures() != 0 {
		t.Fatalf("with a server: %+v, shared %t", d, g.Shared())
	}
	server.Kill()
	passed := 0
	for range 40 {
		if g.Admit(epoch, group(1), caller).Outcome == ratelimit.Passed {
			passed++
		}
	}
	if passed != 30 || g.Shared() || g.Failures() == 0 {
		t.Errorf("alone %d requests passed; shared %t after %d failures", passed, g.Shared(), g.Failures())
	}
	if d := g.Charge(epoch, group(1)); d.Outcome != ratelimit.Passed {
		t.Errorf("a charge: %+v", d)
	}
	if d := g.Look(epoch, group(2), ratelimit.Caller{}); d.Remaining != 30 {
		t.Errorf("a look: %+v", d)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(time.Minute); !g.Shared() && time.Now().Before(end); <-look.C {
		g.Look(epoch, group(9), ratelimit.Caller{})
	}
	if d := g.Admit(epoch, group(9), ratelimit.Caller{Sandbox: "sbx_9", System: "office"}); d.Remaining != 29 ||
		!g.Shared() {
		t.Errorf("with a server again: %+v, shared %t", d, g.Shared())
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings for one failure:\n%s", n, log.String())
	}
}

func TestAFailureIsFollowedByAPause(t *testing.T) {
	t.Parallel()
	g, err := Open("unix:///nowhere/at/all", standard, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	g.pause = time.Hour
	for range 10 {
		if d := g.Admit(epoch, group(1), caller); d.Outcome != ratelimit.Passed {
			t.Errorf("got %+v", d)
		}
	}
	if n := g.Failures(); n != 1 {
		t.Errorf("nobody answered %d times, want one time and a pause", n)
	}
}

func TestAnAddressThatIsNoneIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "nonsense", "http://user:secret@x", "redis://user:secret@x:port", "redis://:secret@x/notanumber",
	} {
		if g, err := Open(address, standard, slog.New(slog.DiscardHandler)); err == nil ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v %v", address, g, err)
		}
	}
	impossible := standard
	impossible.Key.PerMinute = -1
	if _, err := Open("redis://localhost:1", impossible, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("impossible budgets are accepted")
	}
}

func BenchmarkAdmit(b *testing.B) {
	o := standard
	o.Key, o.Group = ratelimit.Budget{PerMinute: ratelimit.MaxRequests, Burst: ratelimit.MaxRequests},
		ratelimit.Budget{PerMinute: ratelimit.MaxRequests, Burst: ratelimit.MaxRequests}
	g := begin(b).open(o)
	b.ReportAllocs()
	for b.Loop() {
		g.Admit(epoch, group(1), caller)
	}
}
