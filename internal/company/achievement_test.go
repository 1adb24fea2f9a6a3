package company_test

import (
	"slices"
	"testing"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/market"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// unlocked lists the achievements, oldest first.
func (l *life) unlocked() []string {
	l.t.Helper()
	ids := []string{}
	for _, a := range rowsOf[mission.Achievement](l, "achievement") {
		ids = append(ids, a.ID)
	}
	return ids
}

// has fails unless achievements are unlocked.
func (l *life) has(what string, wanted ...string) {
	l.t.Helper()
	for _, id := range wanted {
		if !slices.Contains(l.unlocked(), id) {
			l.t.Fatalf("%s: %s unlocks %v, and not %s", l.label, what, l.unlocked(), id)
		}
	}
}

// lacks fails when one of some achievements is unlocked.
func (l *life) lacks(what string, unwanted ...string) {
	l.t.Helper()
	for _, id := range unwanted {
		if slices.Contains(l.unlocked(), id) {
			l.t.Fatalf("%s: %s unlocks %s", l.label, what, id)
		}
	}
}

// TestWhoDoesNothingEarnsNothing, whatever the bridge carries meanwhile.
func TestWhoDoesNothingEarnsNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual", "crunch", "supply_shock", "agent_eval", "empty"} {
		for seed := range uint64(3) {
			l := live(t, presetNamed(t, name), seed, sim.Manual, usual)
			for range 90 {
				if err := l.act(tick(480)); err != nil {
					break // the end
				}
			}
			if earned := l.unlocked(); len(earned) > 0 {
				t.Errorf("%s: doing nothing unlocks %v", l.label, earned)
			}
			if done := l.bodiesOf("sandbox.mission.completed"); len(done) > 0 {
				t.Errorf("%s: doing nothing completes %v", l.label, done)
			}
		}
	}
}

func TestRunsEarnTheirAchievements(t *testing.T) {
	t.Parallel()
	notebooks := job{"prd_notebook", 10}
	l := quiet(t, "starter", 1)
	l.gang("prs_digital", 3, notebooks, notebooks, notebooks)
	l.must(tick(480))
	l.gang("prs_digital", 20, notebooks, notebooks, notebooks, notebooks)
	l.lacks("a run that has not ended", "gang_boss")
	l.must(tick(480))
	l.has("a gang of four", "gang_boss")
	for range 4 {
		l.gang("prs_digital", 3, notebooks)
		l.must(tick(480))
	}
	l.lacks("a run with many overs, and four perfect ones", "perfect_sheet")
	l.gang("prs_digital", 3, notebooks)
	l.must(tick(480))
	l.has("five perfect runs", "perfect_sheet")
	checkFeed(t, l)
}

func TestBuyersEarnTheirAchievements(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady, func(p *preset.Preset) { p.Supply.BillingErrorFactor = 100 * sim.Million })
	for i := range 3 {
		l.must(purchase(office.CreatePurchaseOrder{
			SupplierID: "sup_mill", Lines: []office.MaterialLine{{SKU: "mat_coated", Quantity: 12_000}},
		}))
		orders := rowsOf[office.PurchaseOrder](l, "purchase_order")
		l.lacks("two approvals", "approver")
		l.must(approvePurchase(orders[len(orders)-1].ID))
		if i == 2 {
			l.has("three approvals", "approver")
		}
	}
	paid := 0
	for range 15 {
		l.must(tick(480))
		for _, d := range rowsOf[factory.Delivery](l, "delivery") {
			if d.Status == factory.DeliveryArrived {
				l.must(count(factory.CreateFactoryGoodsReceipt{DeliveryID: d.ID}))
			}
		}
		for _, invoice := range rowsOf[office.SupplierInvoice](l, "supplier_invoice") {
			if invoice.Status == office.SupplierInvoiceOpen && invoice.DiscountUntil != nil &&
				invoice.MatchedMinor > 0 && invoice.Number != "SI-7001" {
				l.lacks("less than three discounts", "early_bird")
				l.must(pay(invoice.ID, &invoice.MatchedMinor))
				paid++
			}
		}
	}
	if paid != 3 {
		t.Fatalf("%d bills were paid", paid)
	}
	l.has("three bills, matched and early", "early_bird", "sharp_eye")
	checkFeed(t, l)
}

func TestABargainOnTheMarketIsTenPerCentBelowBase(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	for range 80 {
		for _, q := range rowsOf[market.Quote](l, "market_quote") {
			if q.AskMinor == nil {
				continue
			}
			cheap := *q.AskMinor*10 <= q.BaseMinor*9
			l.must(trade(market.TradeOnMarket{Side: market.Buy, SKU: q.SKU, Quantity: 1}))
			if cheap {
				l.has("a bargain", "market_timer")
				checkFeed(t, l)
				return
			}
			l.lacks("a purchase at a usual price", "market_timer")
		}
		l.must(tick(480))
	}
	t.Fatal("nothing was cheap in eighty days")
}

func TestThreeLotsInTimeMakeAMaster(t *testing.T) {
	t.Parallel()
	for _, sent := range []bool{true, false} {
		name := map[bool]string{true: "starter", false: "manual"}[sent]
		l := quiet(t, name, 1, steady, func(p *preset.Preset) { p.Lots.Sheets = [2]int64{60, 90} })
		delivered := 0
		for day := 0; day < 40 && delivered < 3; day++ {
			for _, lot := range rowsOf[office.ContractLot](l, "contract_lot") {
				if lot.Status != office.LotOffered {
					continue
				}
				l.lacks("two lots", "lot_master")
				l.must(acceptLot(lot.ID))
				if delivered++; !sent { // billed, and never printed
					l.must(billLot(lot.ID, nil))
					continue
				}
				l.must(shipGoods(l.print(*l.lot(lot.ID).WorkOrderRef)))
			}
			l.must(tick(480))
		}
		if delivered < 3 {
			t.Fatalf("%s: %d lots were delivered", l.label, delivered)
		}
		if sent {
			l.has("three lots", "lot_master")
		} else {
			l.lacks("three lots that were billed and never sent", "lot_master")
		}
		checkFeed(t, l)
	}
}

// TestGoodWorkIsNoticed over three weeks: orders in time, and a profit.
func TestGoodWorkIsNoticed(t *testing.T) {
	t.Parallel()
	p := presetNamed(t, "starter")
	p.Overhead = preset.Overhead{}
	l := live(t, p, 5, sim.Manual, usual)
	stewarded(l, 1)
	l.lacks("a day", "on_the_dot", "first_profit")
	stewarded(l, 14)
	l.has("three weeks of good work", "on_the_dot", "first_profit")
	if n := l.company.Summary().Score; n.OrdersShipped < 10 {
		t.Errorf("%d orders were shipped", n.OrdersShipped)
	}
	checkFeed(t, l)
}

func TestACrewThatIsKeptIsPaid(t *testing.T) {
	t.Parallel()
	for _, paid := range []bool{true, false} {
		l := quiet(t, "starter", 1, steady)
		for range 20 {
			l.lacks("less than twenty days", "crew_keeper")
			if paid {
				steward{l}.wages()
			}
			l.must(tick(480))
		}
		l.must(tick(1))
		if paid {
			l.has("twenty days", "crew_keeper")
		} else {
			l.lacks("unpaid people", "crew_keeper")
		}
		if late := len(l.bodiesOf("hr.payroll.late")); paid && late > 0 || !paid && late == 0 {
			t.Errorf("%s: %d payrolls were late", l.label, late)
		}
	}
}

func TestSomebodyWhoQuitsEndsTheCount(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, func(p *preset.Preset) { p.Staff.QuitPct = 2 * sim.Million / 100 })
	for range 60 {
		steward{l}.wages()
		l.must(tick(480))
		if len(l.unlocked()) > 0 {
			break
		}
	}
	quits := []sim.Day{}
	for _, e := range rowsOf[hr.Employee](l, "employee") {
		if e.LeftOn != nil {
			quits = append(quits, sim.DayFrom(*e.LeftOn))
		}
	}
	if len(quits) == 0 {
		t.Fatal("nobody quit")
	}
	for _, a := range rowsOf[mission.Achievement](l, "achievement") {
		for _, day := range quits {
			if earned := sim.DayFrom(a.CreatedOn); a.ID == "crew_keeper" && earned-day < 20 {
				t.Errorf("somebody quit on day %d, and on day %d the crew is said to be kept", day, earned)
			}
		}
	}
}

func TestAPhoenixComesBack(t *testing.T) {
	t.Parallel()
	for cash, rises := range map[money.Minor]bool{-700_000: true, 1: false} {
		l := quiet(t, "starter", 1, func(p *preset.Preset) { p.CashMinor = cash })
		negative := int64(0)
		for range 9 {
			negative = max(negative, l.company.Summary().DaysNegative)
			if l.company.Summary().CashMinor <= 0 {
				l.lacks("no cash", "phoenix")
			}
			l.must(tick(480))
		}
		if rises != (negative >= 3) || l.company.Summary().CashMinor <= 0 {
			t.Fatalf("with %s the cash was negative at %d closes and is %s",
				cash, negative, l.company.Summary().CashMinor)
		}
		if rises {
			l.has("cash after three closes without", "phoenix")
		} else {
			l.lacks("cash that was always there", "phoenix")
		}
		checkFeed(t, l)
	}
}

func TestAMarathonIsRunByThoseWhoWork(t *testing.T) {
	t.Parallel()
	for _, works := range []bool{true, false} {
		l := quiet(t, "starter", 1, func(p *preset.Preset) { p.CashMinor = 1_000_000_000 })
		if works {
			order := l.order("SO-1001")
			l.must(accept(order.ID))
			l.must(shipGoods(l.print(*l.order("SO-1001").BridgedWorkOrderID)))
		}
		l.until(59)
		l.must(tick(479))
		l.lacks("day 59", "marathon")
		l.until(60)
		l.must(tick(480))
		if works {
			l.has("day 60", "marathon")
		} else {
			l.lacks("sixty idle days", "marathon")
		}
	}
}

// TestWhatIsUnlockedIsUnlockedOnce, also when what has earned it goes on.
func TestWhatIsUnlockedIsUnlockedOnce(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1)
	for range 3 {
		l.must(action{name: "note", do: func(l *life) error {
			l.company.Note(mission.WroteCleanly | mission.BooksBalance)
			return nil
		}})
	}
	if got := l.unlocked(); !slices.Equal(got, []string{"clean_integration", "books_balance"}) {
		t.Errorf("unlocked are %v", got)
	}
	if events := l.bodiesOf("sandbox.achievement.unlocked"); len(events) != 2 {
		t.Errorf("%d events unlock two achievements", len(events))
	}
}
