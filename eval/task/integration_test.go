package task

import (
	"context"
	"slices"
	"testing"

	"platen/client"
	"platen/eval/oracle"
	"platen/eval/player"
)

// TestTheBridgeIsJudgedAtTheCloseOfItsLastDay: the days that a player leaves pass without it, and what falls due in
// them is missed.
func TestTheBridgeIsJudgedAtTheCloseOfItsLastDay(t *testing.T) {
	t.Parallel()
	const played, days = 5, 10
	k := integration(days)
	if err := k.check(); err != nil {
		t.Fatal(err)
	}
	s := prepareAll(t, shared(), k, 1)[0]
	bridge := player.Bridge()
	leaves := func(ctx context.Context, p *oracle.Player) (any, error) {
		return nil, bridge.PlayRemote(ctx, p.Client, played)
	}
	g := tryPrepared(t, shared(), k, s, leaves)
	if g.Minutes != played*dayMinutes || g.Passed || g.Score == 0 || g.Score > 0.4 {
		t.Errorf("who leaves after %d of %d days scores %g, %d minutes: %s", played, days, g.Score, g.Minutes, shown(g))
	}
	status, err := s.Grader().GetSandbox(t.Context())
	if err != nil || status.Clock.DayNumber != played {
		t.Errorf("the company that was judged is on day %d, %v", status.Clock.DayNumber, err)
	}
}

// TestACarelessBridgeLosesPoints: a new key for each attempt doubles what a careful bridge carries once, and a program
// that ends at the first failure has hardly begun.
func TestACarelessBridgeLosesPoints(t *testing.T) {
	t.Parallel()
	k, all := integration(10), scripts()
	for name, most := range map[string]float64{"new keys": 0.7, "no retries": 0.1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			careless := all[slices.IndexFunc(all, func(s script) bool { return s.Name == name })]
			s := prepareAll(t, shared(), k, 1)[0]
			if g := outcome(t, shared().BaseURL, k, s, careless); g.Score > most {
				t.Errorf("it scores %g, want %g at most: %s", g.Score, most, shown(g))
			}
		})
	}
}

// TestWhoTakesLittleOnHasHardlyAnything, however well that little is carried.
func TestWhoTakesLittleOnHasHardlyAnything(t *testing.T) {
	t.Parallel()
	k := integration(10)
	once := func(ctx context.Context, p *oracle.Player) (any, error) {
		for o, err := range p.Client.SalesOrders(ctx, client.ListSalesOrdersParams{Status: "received"}) {
			if err != nil {
				return nil, err
			}
			_, err = p.Client.AcceptSalesOrder(ctx, o.ID)
			if err == nil {
				_, err = p.Client.CreateWorkOrder(ctx, client.CreateWorkOrderInput{
					SKU: o.SKU, Quantity: o.Quantity, Reference: &o.ID,
				})
			}
			return nil, err
		}
		return nil, nil
	}
	if g := try(t, shared(), k, 1, once); g.Score > 0.05 {
		t.Errorf("who carries one order scores %g: %s", g.Score, shown(g))
	}
}

// TestTheDiaryNeedsEveryDay: a buyer who takes the prices of the first day for those of all buys nothing right.
func TestTheDiaryNeedsEveryDay(t *testing.T) {
	t.Parallel()
	k, all := named(t, "price-diary"), searchers()
	forgets := all[slices.IndexFunc(all, func(s script) bool { return s.Name == "reads once" })]
	for i, s := range prepareAll(t, shared(), k, Published()...) {
		if g := outcome(t, shared().BaseURL, k, s, forgets); g.Score > 0.1 {
			t.Errorf("seed %d: it scores %g: %s", Published()[i], g.Score, shown(g))
		}
	}
}
