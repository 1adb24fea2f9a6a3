package platentest_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"platen/client"
	"platen/platentest"
)

// of is a client of a sandbox.
func of(s *platentest.Sandbox) *client.Client {
	return client.New(s.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey})
}

// day is the working day in a sandbox.
func day(t *testing.T, s *platentest.Sandbox) int64 {
	t.Helper()
	status, err := of(s).GetSandbox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return status.Clock.DayNumber
}

// TestEachTestGetsItsOwnForkOfWhatWasPrepared.
func TestEachTestGetsItsOwnForkOfWhatWasPrepared(t *testing.T) {
	t.Parallel()
	base := platentest.Start(t).Sandbox(t, platentest.Options{Clock: "manual", Seed: new(int64(4))})
	pass := func(t *testing.T, s *platentest.Sandbox) {
		t.Helper()
		if _, err := of(s).AdvanceTime(t.Context(), client.TickInput{}); err != nil {
			t.Fatal(err)
		}
	}
	pass(t, base)
	base.Checkpoint(t, "prepared")
	pass(t, base)
	t.Run("forks", func(t *testing.T) {
		t.Parallel()
		for name, c := range map[string]struct {
			label string
			want  int64
		}{"now": {"", 2}, "prepared": {"prepared", 1}, "at the start": {platentest.AtStart, 0}} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := base.Fork(t)
				if c.label != "" {
					s = base.ForkAt(t, c.label)
				}
				if s.ID == base.ID || s.OfficeKey == base.OfficeKey {
					t.Errorf("the fork is %s", s.ID)
				}
				if got := day(t, s); got != c.want {
					t.Errorf("it is at day %d, want %d", got, c.want)
				}
				pass(t, s)
				if got := day(t, s); got != c.want+1 {
					t.Errorf("a day later it is at day %d", got)
				}
			})
		}
	})
	if on, after := day(t, base.ForkOn(t, "2026-09-08")), day(t, base.ForkAfter(t, 1)); on != 1 || after != 0 {
		t.Errorf("the forks of the second morning and of the first event are at days %d and %d", on, after)
	}
	if got := day(t, base); got != 2 {
		t.Errorf("the days of its forks passed in the sandbox: it is at day %d", got)
	}
}

// TestFiftyTestsWithAForkEach says how long they take, as the suites of the other fixtures do.
func TestFiftyTestsWithAForkEach(t *testing.T) {
	t.Parallel()
	base := platentest.Start(t).Sandbox(t, platentest.Options{Preset: "starter", Clock: "manual", Seed: new(int64(4))})
	base.Tick(t, 480)
	began := time.Now()
	t.Cleanup(func() { t.Logf("fifty tests with forks took %d ms", time.Since(began).Milliseconds()) })
	for n := range 50 {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			c, reason := of(base.Fork(t)), fmt.Sprintf("no paper on day %d", n)
			page, err := c.ListSalesOrders(t.Context(), client.ListSalesOrdersParams{Status: "received", Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			in := client.DeclineSalesOrderInput{Reason: &reason}
			order, err := c.DeclineSalesOrder(t.Context(), page.Items[0].ID, in)
			if err != nil {
				t.Fatal(err)
			}
			if order, err = c.GetSalesOrder(t.Context(), order.ID); err != nil || *order.DeclineReason != reason {
				t.Errorf("the order is %+v, %v", order, err)
			}
		})
	}
}

// TestATestBringsAboutWhatItNeeds, and waits for what follows.
func TestATestBringsAboutWhatItNeeds(t *testing.T) {
	t.Parallel()
	s := platentest.Start(t).Sandbox(t, platentest.Options{Clock: "manual"})
	s.Trigger(t, "rush_order", map[string]any{"sku": "prd_card", "quantity": 10})
	s.Trigger(t, "employee_sick", nil)
	s.TickUntil(t, "hr.employee.sick")
	if got := day(t, s); got != 1 {
		t.Errorf("somebody was ill on day %d", got)
	}
	s.Tick(t, 480)
	if got := day(t, s); got != 2 {
		t.Errorf("it is day %d", got)
	}
}

// TestWhatGoesWrongIsRepeatable: with the same seed the same requests meet the same faults, and
// one that is injected comes beside them.
func TestWhatGoesWrongIsRepeatable(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t)
	var logs [2][]client.Fault
	for i := range logs {
		s := p.Sandbox(t, platentest.Options{
			Clock: "manual", Faults: &platentest.Faults{Plan: "severe", Seed: new(int64(8))},
		})
		c := client.New(s.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}, client.MaxRetries(0))
		for range 40 { // fewer faults than a page of the list
			_, _ = c.GetCash(t.Context()) // whatever goes wrong is in the list
		}
		page, err := c.ListFaults(t.Context(), client.ListFaultsParams{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		logs[i] = page.Items
	}
	// net/http sends a read again by itself when its connection is cut, but not always, so that
	// one of them may have come further.
	most := min(len(logs[0]), len(logs[1]))
	if most == 0 {
		t.Fatalf("%d faults, and then %d", len(logs[0]), len(logs[1]))
	}
	for i := range logs {
		slices.Reverse(logs[i])
	}
	for i := range most {
		if logs[0][i].Kind != logs[1][i].Kind {
			t.Errorf("fault %d is %s, and then %s", i, logs[0][i].Kind, logs[1][i].Kind)
		}
	}
}

// TestAFaultIsInjected once, and the request after it meets nothing. That the first one is lost
// may stay between the server and net/http, which sends it again.
func TestAFaultIsInjected(t *testing.T) {
	t.Parallel()
	s := platentest.Start(t).Sandbox(t, platentest.Options{Clock: "manual"})
	s.Inject(t, "request_lost", 1, "get_cash")
	c := client.New(s.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}, client.MaxRetries(0))
	_, _ = c.GetCash(t.Context())
	if _, err := c.GetCash(t.Context()); err != nil {
		t.Error(err)
	}
	page, err := c.ListFaults(t.Context(), client.ListFaultsParams{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Kind != client.FaultKindRequestLost {
		t.Errorf("what went wrong: %v, %v", page, err)
	}
}
