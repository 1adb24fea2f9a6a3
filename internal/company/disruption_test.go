package company_test

import (
	"slices"
	"testing"

	"platen/internal/company"
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/market"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// This file shows for each kind of disruption what it does, by a twin whose
// world is spared.

func (l *life) supplier(id string) office.Supplier { return rowOf[office.Supplier](l, "supplier", id) }

// asks returns the suppliers' prices of a material, in their order.
func (l *life) asks(sku string) []money.Minor {
	var asked []money.Minor
	for _, s := range rowsOf[office.Supplier](l, "supplier") {
		for _, p := range s.Prices {
			if p.SKU == sku {
				asked = append(asked, p.UnitPriceMinor)
			}
		}
	}
	return asked
}

// quoted returns the market's quote for goods.
func (l *life) quoted(sku string) market.Quote { return rowOf[market.Quote](l, "market_quote", sku) }

// buys orders something from a supplier and returns its price, and the day on
// which the truck brings it.
func (l *life) buys(supplier, sku string, quantity int64) (price money.Minor, arrives sim.Day) {
	l.t.Helper()
	l.must(purchase(office.CreatePurchaseOrder{
		SupplierID: supplier, Lines: []office.MaterialLine{{SKU: sku, Quantity: quantity}},
	}))
	rows := rowsOf[office.PurchaseOrder](l, "purchase_order")
	order := rows[len(rows)-1]
	if order.Status == office.PurchasePending {
		l.must(approvePurchase(order.ID))
	}
	for {
		for _, d := range rowsOf[factory.Delivery](l, "delivery") {
			if d.PurchaseOrderNumber == order.Number {
				return order.Lines[0].UnitPriceMinor, sim.DayFrom(d.ArrivedOn)
			}
		}
		l.must(tick(480))
	}
}

// TestAPaperShortageMakesPaperDearAndLate, and ink and plates not.
func TestAPaperShortageMakesPaperDearAndLate(t *testing.T) {
	t.Parallel()
	l := disrupted(t, "starter", event.PaperShortage)
	calm := l.spared("starter")
	for sku, want := range map[string][]money.Minor{
		// 1.25 times the base, by supplier
		catalog.Coated: {34, 50, 40}, catalog.Uncoated: {26, 37, 30}, catalog.Board: {62, 90, 73},
	} {
		if got := l.asks(sku); !slices.Equal(got, want) {
			t.Errorf("in a shortage suppliers ask %v for %s, want %v", got, sku, want)
		}
	}
	for _, sku := range []string{catalog.Ink, catalog.Plate} {
		if got, want := l.asks(sku), calm.asks(sku); !slices.Equal(got, want) {
			t.Errorf("in a shortage of paper suppliers ask %v for %s, usually %v", got, sku, want)
		}
	}
	for id, extra := range map[string]int64{"sup_mill": 3, "sup_quick": 3, "sup_bargain": 3, "sup_chroma": 0} {
		if now, usually := l.supplier(id), calm.supplier(id); now.LeadDaysMin != usually.LeadDaysMin+extra ||
			now.LeadDaysMax != usually.LeadDaysMax+extra || now.OnTimePct != usually.OnTimePct {
			t.Errorf("%s says %d to %d days, usually %d to %d",
				id, now.LeadDaysMin, now.LeadDaysMax, usually.LeadDaysMin, usually.LeadDaysMax)
		}
	}
	if q := l.quoted(catalog.Coated); q.AskMinor != nil || q.AvailableQuantity != 0 {
		t.Errorf("in a shortage the market sells paper: %+v", q)
	}
	if err := l.act(buy(catalog.Coated, 1)); codeOf(err) != problem.MarketSoldOut {
		t.Errorf("buying paper in a shortage: %v", err)
	}
	ends := sim.DayFrom(l.disruptionsOf()[0].Disruption.EndsOn)
	later, calmLater := l.reborn(l.snapshot()), calm.reborn(calm.snapshot())
	later.until(ends - 1)
	calmLater.until(ends - 1)
	short, usual := later.quoted(catalog.Coated), calmLater.quoted(catalog.Coated)
	if short.BidMinor <= usual.BidMinor {
		t.Errorf("in a shortage the market pays %d for a sheet, usually %d", short.BidMinor, usual.BidMinor)
	}
	price, arrives := l.buys("sup_quick", catalog.Coated, 1000)
	usualPrice, usually := calm.buys("sup_quick", catalog.Coated, 1000)
	if price != 50 || usualPrice != 40 || arrives != usually+3 {
		t.Errorf("a sheet costs %d and comes on day %d, usually %d and %d", price, arrives, usualPrice, usually)
	}
	l.until(ends)
	if got, want := l.asks(catalog.Coated), calm.asks(catalog.Coated); !slices.Equal(got, want) ||
		l.supplier("sup_mill").LeadDaysMin != 4 {
		t.Errorf("after the shortage suppliers ask %v, want %v", got, want)
	}
	l.must(buy(catalog.Coated, 5_000))
	checkFeed(t, l)
}

// TestPaperIsShortFromTheMinuteOn: a shortage that is triggered during a day takes paper off
// the market at once.
func TestPaperIsShortFromTheMinuteOn(t *testing.T) {
	t.Parallel()
	l := idle(t, "starter", 1)
	l.must(tick(100))
	l.must(buy(catalog.Coated, 1))
	l.must(trigger(string(event.PaperShortage), company.PullTrigger{}))
	if q := l.quoted(catalog.Coated); q.AskMinor != nil || q.AvailableQuantity != 0 {
		t.Errorf("paper is short, and the market says %+v", q)
	}
	if err := l.act(buy(catalog.Coated, 1)); codeOf(err) != problem.MarketSoldOut {
		t.Errorf("buying paper in a shortage: %v", err)
	}
	l.must(sell(catalog.Coated, 1))
}

// TestACourierStrikeDelaysWhatIsOrderedNow, and not what is under way.
func TestACourierStrikeDelaysWhatIsOrderedNow(t *testing.T) {
	t.Parallel()
	l := disrupted(t, "starter", event.CourierStrike)
	calm := l.spared("starter")
	price, arrives := l.buys("sup_chroma", catalog.Ink, 5)
	usualPrice, usually := calm.buys("sup_chroma", catalog.Ink, 5)
	if price != usualPrice || arrives != usually+2 {
		t.Errorf("a can costs %d and comes on day %d, usually %d and %d", price, arrives, usualPrice, usually)
	}
	l.until(8)
	if now := l.supplier("sup_mill"); now.LeadDaysMin != 4 || now.LeadDaysMax != 8 {
		t.Errorf("after the strike the mill says %d to %d days", now.LeadDaysMin, now.LeadDaysMax)
	}
}

// TestAFluWaveMakesPeopleIllFiveTimesAsOften: a chance of nine per cent becomes
// one of forty-five, drawn from the same random numbers, so that each person
// who would have fallen ill without the wave does so with it.
func TestAFluWaveMakesPeopleIllFiveTimesAsOften(t *testing.T) {
	t.Parallel()
	sickly := func(p *preset.Preset) { p.Staff.SickPct = 900 }
	ill, usually := 0, 0
	on := func(l *life, day sim.Day) (fell int) {
		for _, b := range l.bodiesOf("hr.employee.sick") {
			if b.SimDate == day.Date() {
				fell++
			}
		}
		return fell
	}
	for seed := range few(150, 400) {
		l := idle(t, "starter", seed, stormy, sickly)
		l.until(3)
		if l.disruptionsOf()[0].Disruption.Kind != event.FluWave {
			continue
		}
		ill += on(l, 3)
		usually += on(l.spared("starter", sickly), 3)
	}
	if usually == 0 || ill < 4*usually || ill > 8*usually {
		t.Errorf("on the first day of a wave %d fell ill, usually %d", ill, usually)
	}
}

// TestATradeFairBringsPostersAndBrochures: every order of the twin comes, and
// beside them only orders for what fairs use.
func TestATradeFairBringsPostersAndBrochures(t *testing.T) {
	t.Parallel()
	busy := func(p *preset.Preset) { p.Demand = presetNamed(t, "crunch").Demand }
	l := disrupted(t, "starter", event.TradeFair, busy)
	calm := l.spared("starter", busy)
	ends := sim.DayFrom(l.disruptionsOf()[0].Disruption.EndsOn)
	fair, usually := map[string]int{}, map[string]int{}
	asked := func(l *life, by map[string]int) {
		for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
			if day := sim.DayFrom(o.ReceivedOn); day >= 3 && day < ends {
				by[o.SKU]++
			}
		}
	}
	l.until(ends)
	calm.until(ends)
	asked(l, fair)
	asked(calm, usually)
	more := 0
	for _, p := range catalog.Products() {
		wanted := p.SKU == "prd_poster" || p.SKU == "prd_brochure"
		if fair[p.SKU] < usually[p.SKU] || !wanted && fair[p.SKU] != usually[p.SKU] {
			t.Errorf("during the fair %d customers ask for %s, usually %d", fair[p.SKU], p.SKU, usually[p.SKU])
		}
		more += fair[p.SKU] - usually[p.SKU]
	}
	if more < 2 {
		t.Errorf("during the fair %v, usually %v", fair, usually)
	}
}

// TestInAPaymentOutageCustomersPayLater: on the day on which it is over.
func TestInAPaymentOutageCustomersPayLater(t *testing.T) {
	t.Parallel()
	l := disrupted(t, "starter", event.PaymentOutage)
	calm := l.spared("starter")
	ends := sim.DayFrom(l.disruptionsOf()[0].Disruption.EndsOn)
	calm.until(4)
	l.must(tick(480))
	if calm.received()-l.received() != 340_000 { // the opening's invoice that is paid on day 3
		t.Fatalf("%d were received in the outage, usually %d", l.received(), calm.received())
	}
	l.until(ends)
	before := l.received()
	l.must(tick(int(sim.PaymentMinute) - 1))
	if l.received() != before {
		t.Errorf("%d came before the usual minute", l.received()-before)
	}
	l.must(tick(1))
	calm.until(ends)
	calm.must(tick(int(sim.PaymentMinute)))
	if l.received() != calm.received() {
		t.Errorf("after the outage %d were received, usually %d", l.received(), calm.received())
	}
	checkFeed(t, l)
}

// TestInAHeatWavePressesAreSlowAndSpoilMore: by three tenths and by one point,
// and a run that was started before it is not touched.
func TestInAHeatWavePressesAreSlowAndSpoilMore(t *testing.T) {
	t.Parallel()
	l := disrupted(t, "manual", event.HeatWave)
	calm := l.spared("manual")
	for press, want := range map[string][2]int64{"prs_digital": {294, 420}, "prs_offset": {1120, 1600}} {
		if got := [2]int64{l.press(press).SheetsPerHour, calm.press(press).SheetsPerHour}; got != want {
			t.Errorf("%s prints %v sheets an hour in the heat and usually, want %v", press, got, want)
		}
	}
	job := job{"prd_flyer", 120} // 986 sheets: 52.8 minutes in the heat, 37 usually, after 60
	hot, cool := l.gang("prs_offset", 3, job), calm.gang("prs_offset", 3, job)
	if hot.EndsSim != "2026-09-10T09:53" || cool.EndsSim != "2026-09-10T09:37" {
		t.Errorf("the run ends at %s, usually at %s", hot.EndsSim, cool.EndsSim)
	}
	l.must(tick(240))
	calm.must(tick(240))
	if got := *l.newestRun().SpoilagePct - *calm.newestRun().SpoilagePct; got != 100 {
		t.Errorf("the heat spoils %d hundredths of a per cent more", got)
	}
	l.until(sim.DayFrom(l.disruptionsOf()[0].Disruption.EndsOn))
	if l.press("prs_offset").SheetsPerHour != 1600 {
		t.Errorf("after the heat the press prints %d sheets an hour", l.press("prs_offset").SheetsPerHour)
	}
	checkFeed(t, l)
}
