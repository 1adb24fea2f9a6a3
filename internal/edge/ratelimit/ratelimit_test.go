package ratelimit_test

import (
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"platen/internal/edge/ratelimit"
)

// epoch is when tests begin.
var epoch = time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)

// standard are the budgets of the contract.
var standard = ratelimit.Options{
	Key: ratelimit.Budget{PerMinute: 120, Burst: 30}, Group: ratelimit.Budget{PerMinute: 360, Burst: 60},
	Anonymous: ratelimit.Budget{PerMinute: 30, Burst: 30},
	Cooldown:  ratelimit.Penalty{Refusals: 20, Within: 10 * time.Second, Lasts: 30 * time.Second},
	Ban:       ratelimit.Penalty{Refusals: 300, Within: time.Minute, Lasts: 15 * time.Minute},
}

var (
	caller   = ratelimit.Caller{Sandbox: "sbx_1", System: "office"}
	stranger = ratelimit.Caller{}
)

func group(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 32)
}

func open(t testing.TB, o ratelimit.Options) *ratelimit.Gate {
	t.Helper()
	g, err := ratelimit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// passing sends n requests at one moment and counts those that pass.
func passing(g *ratelimit.Gate, at time.Time, from netip.Prefix, who ratelimit.Caller,
	n int) (passed int, last ratelimit.Decision) {
	for range n {
		if last = g.Admit(at, from, who); last.Outcome == ratelimit.Passed {
			passed++
		}
	}
	return passed, last
}

// without are the standard budgets without cooldowns and bans.
func without() ratelimit.Options {
	o := standard
	o.Cooldown, o.Ban = ratelimit.Penalty{}, ratelimit.Penalty{}
	return o
}

func TestEachBudgetHasItsBurstAndItsRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		who        func(i int) ratelimit.Caller
		by         ratelimit.Name
		burst      int
		perMinute  int
		retryAfter int
	}{
		{"key", func(int) ratelimit.Caller { return caller }, ratelimit.Key, 30, 120, 1},
		{"anonymous", func(int) ratelimit.Caller { return stranger }, ratelimit.Anonymous, 30, 30, 2},
		{"network",
			func(i int) ratelimit.Caller { return ratelimit.Caller{Sandbox: strconv.Itoa(i), System: "office"} },
			ratelimit.Group, 60, 360, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := open(t, without())
			passed, asked := 0, 0
			var refused ratelimit.Decision
			send := func(at time.Time, n int) {
				for range n {
					asked++
					if d := g.Admit(at, group(1), c.who(asked)); d.Outcome == ratelimit.Passed {
						passed++
					} else {
						refused = d
					}
				}
			}
			send(epoch, 2*c.burst)
			if passed != c.burst {
				t.Fatalf("%d requests passed at once, want %d", passed, c.burst)
			}
			if refused.By != c.by || refused.Outcome != ratelimit.Limited || refused.RetryAfter != c.retryAfter ||
				!refused.RetryAt.Equal(epoch.Add(time.Duration(c.retryAfter)*time.Second)) {
				t.Errorf("the refusal is %+v", refused)
			}
			passed = 0
			for i := range 60_000 / 50 { // one minute in steps of 50 ms
				send(epoch.Add(time.Duration(i+1)*50*time.Millisecond), 3)
			}
			if passed < c.perMinute-1 || passed > c.perMinute {
				t.Errorf("%d requests passed in the minute after, want %d", passed, c.perMinute)
			}
		})
	}
}

func TestARequestAfterRetryAtPasses(t *testing.T) {
	t.Parallel()
	g := open(t, standard)
	_, d := passing(g, epoch, group(1), caller, 31)
	if d.Outcome != ratelimit.Limited {
		t.Fatalf("got %+v", d)
	}
	if d = g.Admit(d.RetryAt, group(1), caller); d.Outcome != ratelimit.Passed {
		t.Errorf("at retry_at: %+v", d)
	}
}

func TestRemainingCountsDownToNothingAndBack(t *testing.T) {
	t.Parallel()
	g := open(t, standard)
	for left := 29; left >= 0; left-- {
		if d := g.Admit(epoch, group(1), caller); d.Remaining != left || d.Own != ratelimit.Key {
			t.Fatalf("got %+v, want %d left", d, left)
		}
	}
	if d := g.Admit(epoch, group(1), caller); d.Remaining != 0 {
		t.Errorf("the refusal shows %d left", d.Remaining)
	}
	// Half a second gives one token back; a little less gives none.
	for after, want := range map[time.Duration]int{
		499 * time.Millisecond: 0, 500 * time.Millisecond: 1, 14 * time.Second: 28, time.Hour: 30,
	} {
		if d := g.Look(epoch.Add(after), group(1), caller); d.Remaining != want {
			t.Errorf("after %s %d are left, want %d", after, d.Remaining, want)
		}
	}
	if d := g.Look(epoch, group(2), stranger); d.Remaining != 30 || d.Own != ratelimit.Anonymous {
		t.Errorf("a stranger has %+v", d)
	}
}

// TestNeverMoreThanTheBudgetPasses compares with what a bucket that is filled
// by hand would let pass.
func TestNeverMoreThanTheBudgetPasses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		budget := ratelimit.Budget{
			PerMinute: rapid.IntRange(1, 2000).Draw(t, "rate"), Burst: rapid.IntRange(1, 50).Draw(t, "burst"),
		}
		g, err := ratelimit.New(ratelimit.Options{Key: budget})
		if err != nil {
			t.Fatal(err)
		}
		now := epoch
		var passes []time.Time
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "pause")))
			for range rapid.IntRange(1, 80).Draw(t, "requests") {
				d := g.Admit(now, group(1), caller)
				if d.Outcome == ratelimit.Passed {
					passes = append(passes, now)
				} else if again := g.Look(d.RetryAt, group(1), caller); again.Remaining < 1 {
					t.Fatalf("at retry_at, %s after the refusal, nothing is left", d.RetryAt.Sub(now))
				}
			}
		}
		// Of any stretch that begins and ends with a pass.
		for i := range passes {
			for j := i; j < len(passes); j++ {
				most := float64(budget.Burst) + passes[j].Sub(passes[i]).Minutes()*float64(budget.PerMinute)
				if got := j - i + 1; float64(got) > most+1e-6 {
					t.Fatalf("%d requests passed within %s, at most %.3f may", got, passes[j].Sub(passes[i]), most)
				}
			}
		}
	})
}

func TestConcurrentRequestsShareOneBudget(t *testing.T) {
	t.Parallel()
	g := open(t, without())
	var passed atomic.Int64
	var sending sync.WaitGroup
	for range 16 {
		sending.Go(func() {
			n, _ := passing(g, epoch, group(1), caller, 50)
			passed.Add(int64(n))
		})
	}
	sending.Wait()
	// A token of the network that is given back may be missed by another
	// request in between, so a few less are possible in principle; more never.
	if got := passed.Load(); got > 30 || got < 25 {
		t.Errorf("%d of 800 requests passed, want 30", got)
	}
}

func TestWhoeverGoesOnSendingCoolsDownAndLosesNothing(t *testing.T) {
	t.Parallel()
	o := standard
	o.Ban = ratelimit.Penalty{}
	g := open(t, o)
	passed, last := passing(g, epoch, group(1), caller, 30+19)
	if passed != 30 || last.Outcome != ratelimit.Limited {
		t.Fatalf("%d passed, then %+v", passed, last)
	}
	end := epoch.Add(30 * time.Second)
	for i, after := range []time.Duration{0, 0, time.Second, 10 * time.Second, 29*time.Second + 999*time.Millisecond} {
		at := epoch.Add(after)
		d := g.Admit(at, group(1), caller)
		if d.Outcome != ratelimit.Cooling || !d.RetryAt.Equal(end) || d.Remaining != 0 || d.By != ratelimit.Key {
			t.Errorf("%d: after %s %+v", i, after, d)
		}
		if want := int((end.Sub(at) + time.Second - 1) / time.Second); d.RetryAfter != want {
			t.Errorf("after %s Retry-After is %d, want %d", after, d.RetryAfter, want)
		}
		if left := g.Look(at, group(1), caller); left.Remaining != 0 {
			t.Errorf("after %s %d are left", after, left.Remaining)
		}
	}
	// The other key of the sandbox and other networks' requests go on.
	if d := g.Admit(end.Add(-time.Millisecond), group(1),
		ratelimit.Caller{Sandbox: caller.Sandbox, System: "factory"}); d.Outcome != ratelimit.Passed {
		t.Errorf("the other key: %+v", d)
	}
	if passed, _ := passing(g, end, group(1), caller, 40); passed != 30 {
		t.Errorf("after the cooldown %d pass, want 30", passed)
	}
}

func TestRefusalsFarApartBeginNoCooldown(t *testing.T) {
	t.Parallel()
	g := open(t, ratelimit.Options{Key: ratelimit.Budget{PerMinute: 1, Burst: 1}, Cooldown: standard.Cooldown})
	refused := 0
	for i := range 1000 {
		// 19 refusals in each ten seconds.
		d := g.Admit(epoch.Add(time.Duration(i)*530*time.Millisecond), group(1), caller)
		switch d.Outcome {
		case ratelimit.Cooling:
			t.Fatalf("request %d is in a cooldown", i)
		case ratelimit.Limited:
			refused++
		case ratelimit.Passed, ratelimit.Banned:
		}
	}
	if refused < 900 {
		t.Errorf("only %d were refused", refused)
	}
}

func TestAFloodBansItsNetworkForAWhile(t *testing.T) {
	t.Parallel()
	g := open(t, standard)
	passed, last := passing(g, epoch, group(1), stranger, 30+299)
	if passed != 30 || last.Outcome != ratelimit.Limited {
		t.Fatalf("%d passed, then %+v", passed, last)
	}
	end := epoch.Add(15 * time.Minute)
	for _, who := range []ratelimit.Caller{stranger, caller} { // a good key is of no use
		if d := g.Admit(epoch, group(1), who); d.Outcome != ratelimit.Banned || !d.RetryAt.Equal(end) ||
			d.RetryAfter != 900 || d.By != ratelimit.Group {
			t.Errorf("got %+v", d)
		}
	}
	if d := g.Admit(end.Add(-time.Millisecond), group(1), caller); d.Outcome != ratelimit.Banned ||
		!d.RetryAt.Equal(end) {
		t.Errorf("just before its end: %+v", d)
	}
	if d := g.Admit(epoch, group(2), caller); d.Outcome != ratelimit.Passed {
		t.Errorf("the same key from another network: %+v", d)
	}
	if d := g.Admit(end, group(1), stranger); d.Outcome != ratelimit.Passed {
		t.Errorf("at its end: %+v", d)
	}
}

// TestAKeyInALoopShutsOutNobodyElse: its refusals are no reason for a ban.
func TestAKeyInALoopShutsOutNobodyElse(t *testing.T) {
	t.Parallel()
	g := open(t, standard)
	neighbour := ratelimit.Caller{Sandbox: "sbx_2", System: "office"}
	for i := range 3000 {
		at := epoch.Add(time.Duration(i) * 10 * time.Millisecond)
		if d := g.Admit(at, group(1), caller); d.Outcome == ratelimit.Banned {
			t.Fatalf("request %d of the loop: %+v", i, d)
		}
		if i%100 == 0 {
			if d := g.Admit(at, group(1), neighbour); d.Outcome != ratelimit.Passed {
				t.Fatalf("the neighbour after %d requests of the loop: %+v", i, d)
			}
		}
	}
}

// TestTheMachineItselfIsNeverBanned: behind one loopback address are all
// programs of a laptop, or all clients of a proxy that is not known as one.
func TestTheMachineItselfIsNeverBanned(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1/32", "::1/128", "::/64", "127.0.0.0/8"} {
		g, from := open(t, standard), netip.MustParsePrefix(address)
		passing(g, epoch, from, stranger, 5000)
		passing(g, epoch, from, caller, 5000)
		if d := g.Admit(epoch.Add(time.Minute), from, caller); d.Outcome != ratelimit.Passed || g.Shuts(epoch, from) {
			t.Errorf("%s: %+v", address, d)
		}
	}
}

func TestABanSaysWhenItBeginsAndCanBeLifted(t *testing.T) {
	t.Parallel()
	g := open(t, standard)
	passing(g, epoch, group(1), stranger, 30+299)
	for i, began := range []bool{true, false} {
		if d := g.Admit(epoch, group(1), stranger); d.Outcome != ratelimit.Banned || d.Began != began {
			t.Errorf("%d: %+v, want one that began: %t", i, d, began)
		}
	}
	if n := g.Lift(epoch); n != 1 {
		t.Errorf("%d bans were lifted", n)
	}
	if d := g.Admit(epoch, group(1), caller); d.Outcome != ratelimit.Passed || g.Shuts(epoch, group(1)) {
		t.Errorf("after the ban was lifted: %+v", d)
	}
}

// TestABurstIsNoFlood: what was under way before the first refusal could be
// read counts for no cooldown, what comes a second later does.
func TestABurstIsNoFlood(t *testing.T) {
	t.Parallel()
	g := open(t, graceful())
	for i := range 2 {
		at := epoch.Add(time.Duration(i) * time.Minute)
		if passed, last := passing(g, at, group(1), caller, 30+500); passed != 30 || last.Outcome != ratelimit.Limited {
			t.Fatalf("burst %d: %d passed, then %+v", i, passed, last)
		}
	}
	// Of two requests more, the tokens of a second, 20 further ones are refused.
	later := epoch.Add(time.Minute + time.Second)
	if passed, last := passing(g, later, group(1), caller, 2+19); passed != 2 || last.Outcome != ratelimit.Limited {
		t.Errorf("a second later %d passed, then %+v", passed, last)
	}
	if d := g.Admit(later, group(1), caller); d.Outcome != ratelimit.Cooling {
		t.Errorf("after the 20th refusal that counts: %+v", d)
	}
}

func graceful() ratelimit.Options {
	o := standard
	o.Cooldown.Grace = time.Second
	return o
}

func TestARefusalCostsNothingElsewhere(t *testing.T) {
	t.Parallel()
	g := open(t, without())
	passing(g, epoch, group(1), caller, 300) // 30 pass; the others must not empty the network's budget
	if passed, _ := passing(g, epoch, group(1), ratelimit.Caller{Sandbox: "sbx_2", System: "office"},
		100); passed != 30 {
		t.Errorf("%d requests of another key pass, want 30", passed)
	}
	if d := g.Look(epoch, group(1), ratelimit.Caller{Sandbox: "sbx_3", System: "office"}); d.Remaining != 30 {
		t.Errorf("a third key has %d left", d.Remaining)
	}
	d := g.Admit(epoch, group(1), ratelimit.Caller{Sandbox: "sbx_3", System: "office"})
	if d.By != ratelimit.Group || d.Outcome != ratelimit.Limited || d.Own != ratelimit.Key || d.Remaining != 0 {
		t.Errorf("with the network's budget empty: %+v", d)
	}
}

func TestABudgetThatIsOffLetsEverythingPass(t *testing.T) {
	t.Parallel()
	g := open(t, ratelimit.Options{Cooldown: standard.Cooldown, Ban: standard.Ban})
	for _, who := range []ratelimit.Caller{caller, stranger} {
		passed, last := passing(g, epoch, group(1), who, 5000)
		if passed != 5000 || last.Remaining != 1_000_000 || g.Budget(last.Own).Limit() != 1_000_000 {
			t.Errorf("%d passed, then %+v", passed, last)
		}
		if d := g.Look(epoch, group(1), who); d.Remaining != 1_000_000 {
			t.Errorf("left are %d", d.Remaining)
		}
	}
}

func TestChargingNeverRefuses(t *testing.T) {
	t.Parallel()
	g := open(t, standard)
	for range 100 {
		if d := g.Charge(epoch, group(1)); d.Outcome != ratelimit.Passed {
			t.Fatalf("got %+v", d)
		}
	}
	if d := g.Admit(epoch, group(1), stranger); d.Outcome != ratelimit.Limited {
		t.Errorf("after charges for more than the budget: %+v", d)
	}
}

// TestEnteringSpendsTheNetworksBudgetAlone: 60 requests may come at once.
func TestEnteringSpendsTheNetworksBudgetAlone(t *testing.T) {
	t.Parallel()
	g := open(t, standard)
	for left := 59; left >= 0; left-- {
		if d := g.Enter(epoch, group(1)); d.Outcome != ratelimit.Passed || d.Remaining != left ||
			d.Own != ratelimit.Group {
			t.Fatalf("with %d left: %+v", left, d)
		}
	}
	if d := g.Enter(epoch, group(1)); d.Outcome != ratelimit.Limited || d.By != ratelimit.Group || d.RetryAfter != 1 {
		t.Errorf("the 61st: %+v", d)
	}
	if d := g.Look(epoch, group(1), stranger); d.Remaining != 30 {
		t.Errorf("what is left without a key: %+v", d)
	}
}

// TestAClockThatIsSetBackLocksNobodyOut: a server's clock is corrected now and
// then, and what was spent in its future must not wait for that future.
func TestAClockThatIsSetBackLocksNobodyOut(t *testing.T) {
	t.Parallel()
	g := open(t, standard)
	passing(g, epoch, group(1), caller, 30)
	passing(g, epoch, group(2), ratelimit.Caller{Sandbox: "sbx_2", System: "office"}, 50) // in its cooldown
	passing(g, epoch, group(3), stranger, 400)                                            // banned
	back := epoch.Add(-24 * time.Hour)
	for name, c := range map[string]struct {
		from int
		who  ratelimit.Caller
		most time.Duration
	}{
		"an empty bucket": {1, caller, time.Second},
		"a cooldown":      {2, ratelimit.Caller{Sandbox: "sbx_2", System: "office"}, 30 * time.Second},
		"a ban":           {3, stranger, 15 * time.Minute},
	} {
		// A client asks again when its response says so. At worst it finds its
		// buckets empty, one after the other.
		at := back
		for d := g.Admit(at, group(c.from), c.who); d.Outcome != ratelimit.Passed &&
			at.Before(epoch); d = g.Admit(at, group(c.from), c.who) {
			at = d.RetryAt
		}
		if wait := at.Sub(back); wait > c.most+5*time.Second {
			t.Errorf("%s: the first request passes after %s, want %s", name, wait, c.most)
		}
	}
}

func TestMemoryIsBoundedAndBansOutliveAFlood(t *testing.T) {
	t.Parallel()
	o := standard
	o.Ban.Refusals, o.Group = 20, ratelimit.Budget{PerMinute: 10, Burst: 10}
	g := open(t, o)
	passing(g, epoch, group(0), stranger, 100)
	const flood, most = 200_000, 1<<15 + 1<<15 + 1<<17
	for i := range flood {
		g.Admit(epoch, group(1+i), ratelimit.Caller{Sandbox: strconv.Itoa(i), System: "office"})
		g.Admit(epoch, group(1+i), stranger)
	}
	if n := g.Size(); n > most+192 {
		t.Errorf("%d callers are remembered, at most %d may be", n, most)
	}
	if d := g.Admit(epoch, group(0), stranger); d.Outcome != ratelimit.Banned {
		t.Errorf("the ban was forgotten: %+v", d)
	}
	// Those who have nothing to be remembered for make way for newcomers.
	later := epoch.Add(time.Hour)
	for i := range flood / 2 {
		g.Admit(later.Add(time.Duration(i)*time.Second), group(flood+i), stranger)
	}
	if n := g.Size(); n > most/2+1<<17 {
		t.Errorf("an hour later %d callers are remembered", n)
	}
}

func TestImpossibleBudgetsAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*ratelimit.Options){
		"a negative rate":           func(o *ratelimit.Options) { o.Key.PerMinute = -1 },
		"no burst":                  func(o *ratelimit.Options) { o.Group.Burst = 0 },
		"a huge rate":               func(o *ratelimit.Options) { o.Anonymous.PerMinute = ratelimit.MaxRequests + 1 },
		"a huge burst":              func(o *ratelimit.Options) { o.Anonymous.Burst = ratelimit.MaxRequests + 1 },
		"a negative burst when off": func(o *ratelimit.Options) { o.Anonymous = ratelimit.Budget{Burst: -1} },
		"no refusals":               func(o *ratelimit.Options) { o.Cooldown.Refusals = 0 },
		"too many refusals":         func(o *ratelimit.Options) { o.Ban.Refusals = 1001 },
		"within no time":            func(o *ratelimit.Options) { o.Ban.Within = 0 },
		"within days":               func(o *ratelimit.Options) { o.Ban.Within = 25 * time.Hour },
		"a negative ban":            func(o *ratelimit.Options) { o.Ban.Lasts = -1 },
	} {
		o := standard
		change(&o)
		if _, err := ratelimit.New(o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	// The largest budget must not overflow.
	g := open(t, ratelimit.Options{Key: ratelimit.Budget{PerMinute: 1, Burst: ratelimit.MaxRequests}})
	if d := g.Admit(epoch, group(1), caller); d.Outcome != ratelimit.Passed || d.Remaining != ratelimit.MaxRequests-1 {
		t.Errorf("got %+v", d)
	}
}

func BenchmarkAdmit(b *testing.B) {
	g := open(b, ratelimit.Options{
		Key:       ratelimit.Budget{PerMinute: ratelimit.MaxRequests, Burst: ratelimit.MaxRequests},
		Group:     ratelimit.Budget{PerMinute: ratelimit.MaxRequests, Burst: ratelimit.MaxRequests},
		Anonymous: standard.Anonymous, Cooldown: standard.Cooldown, Ban: standard.Ban,
	})
	now := epoch
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		g.Admit(now, group(1), caller)
	}
}

// TestABlockThatIsSpentCostsItsNetworksNothing: neither a token of theirs, nor a
// ban.
func TestABlockThatIsSpentCostsItsNetworksNothing(t *testing.T) {
	t.Parallel()
	block := netip.MustParsePrefix("198.51.100.0/24")
	g, err := ratelimit.New(ratelimit.Options{
		Group: ratelimit.Budget{PerMinute: 2, Burst: 2}, Block: ratelimit.Budget{PerMinute: 3, Burst: 3},
		BlockOf: func(netip.Prefix) netip.Prefix { return block },
		Ban:     ratelimit.Penalty{Refusals: 5, Within: time.Minute, Lasts: time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)
	network := func(i int) netip.Prefix { return netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}), 32) }
	for i := range 3 {
		if d := g.Admit(at, network(i), ratelimit.Caller{}); d.Outcome != ratelimit.Passed {
			t.Fatalf("request %d: %+v", i, d)
		}
	}
	for range 20 {
		d := g.Admit(at, network(9), ratelimit.Caller{})
		if d.Outcome != ratelimit.Limited || d.By != ratelimit.Block || d.Block != block.String() ||
			d.RetryAfter != 20 {
			t.Fatalf("got %+v", d)
		}
	}
	for i := range 3 { // a token of the block comes back every 20 seconds, all of network 9 are there
		at = at.Add(20 * time.Second)
		if d := g.Enter(at, network(9)); d.Outcome != ratelimit.Passed {
			t.Errorf("request %d after the wait: %+v", i, d)
		}
	}
}
