package company_test

import (
	"testing"
	"time"

	"platen/internal/company"
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// Badges of those who are alone in their roles.
const (
	warehouseBadge  = "1005"
	bookkeeperBadge = "1006"
	salesBadge      = "1007"
)

// ill lets a badge's owner be ill from tomorrow on.
func ill(badge string, days int64) action {
	return trigger("employee_sick", company.PullTrigger{BadgeNo: &badge, Days: &days})
}

// truck is the newest delivery.
func (l *life) truck() factory.Delivery {
	l.t.Helper()
	all := rowsOf[factory.Delivery](l, "delivery")
	return all[len(all)-1]
}

// absent are ways in which nobody of a role is at work on day 1.
func absent(badge string) map[string]func(*life) {
	return map[string]func(*life){
		"ill": func(l *life) {
			l.must(ill(badge, 1))
			l.until(1)
		},
		"on leave": func(l *life) {
			l.must(trigger("leave", company.PullTrigger{BadgeNo: &badge, Days: new(int64(1))})) // in five days
			l.until(5)
		},
		"dismissed": func(l *life) {
			l.must(dismiss(l.badge(badge).ID, nil))
			l.until(1)
		},
		"dismissed today": func(l *life) {
			l.until(1)
			l.must(dismiss(l.badge(badge).ID, nil))
		},
	}
}

// TestWithoutAWarehouseTrucksAndParcelsWaitADay: those that came up on the day, by each of
// the roads that goods take. Older ones are handled.
func TestWithoutAWarehouseTrucksAndParcelsWaitADay(t *testing.T) {
	t.Parallel()
	order := purchase(office.CreatePurchaseOrder{
		SupplierID: catalog.Quick, Lines: []office.MaterialLine{{SKU: catalog.Coated, Quantity: 500}},
	})
	for name, leaves := range absent(warehouseBadge) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := quiet(t, "starter", 1, steady)
			old := l.make("prd_card", 1, "of the day before")
			shelf := l.readyCards()
			leaves(l)
			l.must(order)
			l.must(trigger("truck_early", company.PullTrigger{}))
			newest := l.truck()
			made := l.make("prd_card", 1, "of today")
			for what, a := range map[string]action{
				"the truck":  count(factory.CreateFactoryGoodsReceipt{DeliveryID: newest.ID}),
				"the parcel": shipGoods(made),
			} {
				before := l.snapshot()
				if err := l.act(a); codeOf(err) != problem.NoWarehouseWorker || !ticks(err) {
					t.Errorf("%s: %v", what, err)
				}
				if after := l.snapshot(); !after.equals(before) {
					t.Errorf("%s was refused and changed the company", what)
				}
			}
			l.must(shipGoods(old))
			l.must(bill(l.order("SO-1001").ID, nil, nil)) // by the bridge, of goods that were ready before
			if w := l.workOrder(shelf); w.Status != factory.WorkShipped {
				t.Errorf("the goods of the day before are %s", w.Status)
			}
			l.until(l.company.Summary().Now.Day() + 1)
			l.must(count(factory.CreateFactoryGoodsReceipt{DeliveryID: newest.ID}))
			l.must(shipGoods(made))
			checkFeed(t, l)
		})
	}
}

// TestHeadOfficeWaitsForTheWarehouseWhereTheBridgeShips, and with a manual bridge does not:
// it bills what it is told.
func TestHeadOfficeWaitsForTheWarehouseWhereTheBridgeShips(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]problem.Code{"starter": problem.NoWarehouseWorker, "manual": ""} {
		l := quiet(t, name, 1, steady, func(p *preset.Preset) { p.Lots.Sheets = [2]int64{300, 400} })
		l.must(dismiss(l.badge(warehouseBadge).ID, nil))
		l.readyCards()
		if err := l.act(bill(l.order("SO-1001").ID, nil, nil)); codeOf(err) != want {
			t.Errorf("%s: billing goods of today: %v, want %q", name, err, want)
		}
		lot := l.offered()
		l.must(acceptLot(lot.ID))
		if name == "starter" {
			l.print(*l.lot(lot.ID).WorkOrderRef)
		}
		if l.company.Summary().Now.Day() != sim.DayFrom(lot.CreatedOn) {
			t.Fatalf("%s: the lot took longer than the day", name)
		}
		if err := l.act(billLot(lot.ID, nil)); codeOf(err) != want {
			t.Errorf("%s: billing a lot of today: %v, want %q", name, err, want)
		}
	}
}

// TestARefusalForWantOfAWarehouseSaysWhenToComeBack: under a running clock, when the next
// working day begins.
func TestARefusalForWantOfAWarehouseSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	p := presetNamed(t, "starter")
	p.Demand.PerDay = 0
	calm(&p)
	steady(&p)
	l := live(t, p, 1, sim.Realtime, usual)
	l.must(dismiss(l.badge(warehouseBadge).ID, nil))
	l.must(trigger("truck_early", company.PullTrigger{}))
	a := count(factory.CreateFactoryGoodsReceipt{DeliveryID: l.truck().ID})
	err := l.act(a)
	refusal, ok := err.(*problem.Problem) //nolint:errorlint // refusals are never wrapped
	if !ok || refusal.Code != problem.NoWarehouseWorker || refusal.Final || refusal.RetryAt.IsZero() {
		t.Fatalf("counting the truck: %+v", err)
	}
	ahead := moment.InstantOf(refusal.RetryAt).Sub(l.wall)
	if ahead < 59*time.Second || ahead > 61*time.Second { // a working day at eight minutes a second
		t.Errorf("it is to be tried again after %s", ahead)
	}
	l.must(wait(ahead))
	l.must(a)
}

// TestASecondWarehouseWorkerStandsIn for one who is ill.
func TestASecondWarehouseWorkerStandsIn(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady)
	l.must(hire(event.Warehouse, nil)) // from day 2 on
	l.until(1)
	l.must(ill(warehouseBadge, 2))
	l.until(2)
	if got := l.badge(warehouseBadge).Status; got != hr.EmployeeSick {
		t.Fatalf("the warehouse worker is %s", got)
	}
	l.must(shipGoods(l.make("prd_card", 1, "parcel")))
}

// billed are the days on which bills of a supplier came, and the bills.
func (l *life) billed(supplier string) (days []sim.Day, bills []office.SupplierInvoice) {
	l.t.Helper()
	for _, i := range rowsOf[office.SupplierInvoice](l, "supplier_invoice") {
		if i.SupplierID == supplier {
			days, bills = append(days, sim.DayFrom(i.CreatedOn)), append(bills, i)
		}
	}
	return days, bills
}

// TestWithoutABookkeeperBillsAreBookedLate: three working days after they came, with the
// dates that they came with; when the bookkeeper is back before, on that day.
func TestWithoutABookkeeperBillsAreBookedLate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leaves func(*life) // on the day before the bill comes
		later  sim.Day
	}{
		"at work":   {func(*life) {}, 0},
		"dismissed": {func(l *life) { l.must(dismiss(l.badge(bookkeeperBadge).ID, nil)) }, 3},
		"ill":       {func(l *life) { l.must(ill(bookkeeperBadge, 2)) }, 2},
		"very ill":  {func(l *life) { l.must(ill(bookkeeperBadge, 9)) }, 3},
	} {
		_, arrived := quiet(t, "manual", 1, steady).buys("sup_chroma", catalog.Ink, 5)
		l := quiet(t, "manual", 1, steady)
		l.must(purchase(office.CreatePurchaseOrder{
			SupplierID: "sup_chroma", Lines: []office.MaterialLine{{SKU: catalog.Ink, Quantity: 5}},
		}))
		l.until(arrived)
		c.leaves(l)
		l.until(arrived + 10)
		days, bills := l.billed("sup_chroma")
		if len(days) != 1 || days[0] != arrived+1+c.later {
			t.Fatalf("%s: the truck came on day %d, its bills on %v", name, arrived, days)
		}
		bill, came := bills[0], arrived+1
		if bill.IssuedOn != came.Date() || bill.DueDate != came.Date().AddDays(14) ||
			*bill.DiscountUntil != came.Date().AddDays(5) {
			t.Errorf("%s: the bill that came on %s is of %s, due %s, cheaper until %s",
				name, came.Date(), bill.IssuedOn, bill.DueDate, bill.DiscountUntil)
		}
		checkFeed(t, l)
	}
}

// TestWithoutABookkeeperNobodyTakesTheDiscount, though the bill says how much it would be.
func TestWithoutABookkeeperNobodyTakesTheDiscount(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string]bool{"at work": true, "dismissed": false, "back": true} {
		l := quiet(t, "manual", 1, steady, func(p *preset.Preset) { p.Supply.BillingErrorFactor = 0 })
		_, arrived := l.buys("sup_mill", catalog.Coated, 4_000)
		l.must(receipt(office.CreateOfficeGoodsReceipt{PurchaseOrderID: l.orderOf("sup_mill", 1).ID,
			Lines: []catalog.ReceivedLine{{SKU: catalog.Coated, QuantityAccepted: 4_000}}}))
		l.until(arrived + 1)
		l.must(tick(int(sim.PaymentMinute)))
		_, bills := l.billed("sup_mill")
		bill := bills[len(bills)-1]
		if bill.Status != office.SupplierInvoiceOpen || bill.DiscountMinor != bill.BilledMinor.PerCent(2) {
			t.Fatalf("%s: the open bill is %+v", name, bill)
		}
		switch name {
		case "dismissed":
			l.must(dismiss(l.badge(bookkeeperBadge).ID, nil))
		case "back":
			l.must(ill(bookkeeperBadge, 1))
			l.until(arrived + 3)
		}
		cash, worth := l.company.Summary().CashMinor, bill.MatchedMinor
		l.must(pay(bill.ID, &worth))
		paid := rowOf[office.SupplierInvoice](l, "supplier_invoice", bill.ID)
		discount := worth.PerCent(2)
		if !taken {
			discount = 0
		}
		if got := cash - l.company.Summary().CashMinor; got != worth-discount || paid.PaidMinor != got ||
			paid.DiscountMinor != discount {
			t.Errorf("%s: of %d, %d were paid, less %d, want less %d", name, worth, got, paid.DiscountMinor, discount)
		}
		checkFeed(t, l)
	}
}

// orderOf is the nth purchase order from a supplier.
func (l *life) orderOf(supplier string, nth int) office.PurchaseOrder {
	l.t.Helper()
	for _, order := range rowsOf[office.PurchaseOrder](l, "purchase_order") {
		if order.SupplierID != supplier {
			continue
		}
		if nth == 0 {
			return order
		}
		nth--
	}
	l.t.Fatalf("%s: there are not so many purchase orders from %s", l.label, supplier)
	panic("unreachable")
}

// TestWithoutSalesHalfTheOrdersCome: of those that came with sales, and no others.
func TestWithoutSalesHalfTheOrdersCome(t *testing.T) {
	t.Parallel()
	// Customers do not mind what becomes of their orders.
	even := func(p *preset.Preset) {
		p.Demand = presetNamed(t, "crunch").Demand
		p.Demand.ReputationBase, p.Demand.ReputationSlope, p.Demand.AnswerDays = sim.Million, 0, 250
		p.Demand.RushPct = [2]int64{}
	}
	with, without := 0, 0
	for seed := range uint64(5) {
		served, alone := idle(t, "starter", seed, even), idle(t, "starter", seed, even)
		alone.must(dismiss(alone.badge(salesBadge).ID, nil))
		for _, l := range []*life{served, alone} {
			l.until(25)
		}
		many, few := wishes(t, served), wishes(t, alone)
		for w, n := range few {
			if without += n; many[w] < n {
				t.Errorf("%s: without sales %d customers want %+v, with sales %d", alone.label, n, w, many[w])
			}
		}
		for _, n := range many {
			with += n
		}
	}
	if with < 300 || without < with*2/5 || without > with*3/5 {
		t.Errorf("with sales %d orders came, without %d", with, without)
	}
}

// TestAnAgencyDoesTheWorkOfARoleThatNobodyHolds, and bills each day on which there was some
// on the Monday after. It does not replace the ill, and takes nothing for idle days.
func TestAnAgencyDoesTheWorkOfARoleThatNobodyHolds(t *testing.T) {
	t.Parallel()
	l, sick := quiet(t, "manual", 1, steady), quiet(t, "manual", 1, steady)
	sick.must(ill(warehouseBadge, 60))
	sick.must(ill(bookkeeperBadge, 60))
	l.until(1)
	l.must(dismiss(l.badge(warehouseBadge).ID, nil))
	l.must(dismiss(l.badge(bookkeeperBadge).ID, nil))
	l.until(2)
	parcel := l.make("prd_card", 1, "parcel")
	l.until(3)
	l.must(shipGoods(parcel))
	for _, life := range []*life{l, sick} {
		life.until(10)
		life.must(tick(int(sim.PaymentMinute)))
	}
	if _, bills := sick.billed(catalog.Agency); len(bills) > 0 {
		t.Errorf("an agency stands in for who is ill: %+v", bills)
	}
	days, bills := l.billed(catalog.Agency)
	if len(bills) == 0 || days[0] != 5 {
		t.Fatalf("the agency billed on days %v", days)
	}
	booked := map[moment.Date]bool{}
	for _, e := range rowsOf[office.LedgerEntry](l, "ledger_entry") {
		if day := sim.DayFrom(e.CreatedOn); day >= 1 && day < 5 {
			booked[e.CreatedOn] = true
		}
	}
	first := bills[0]
	if got := first.Lines; len(got) != 2 || *got[0].Service != "bookkeeping" || got[0].UnitPriceMinor != 27_000 ||
		got[0].Quantity != int64(len(booked)) || *got[1].Service != "goods_handling" ||
		got[1].UnitPriceMinor != 23_000 || got[1].Quantity != 1 {
		t.Errorf("with payments on %d days and parcels on one the agency bills %+v", len(booked), first)
	}
	if first.Kind != office.OverheadInvoice || first.DiscountPct != 0 ||
		first.BilledMinor != money.Minor(27_000*len(booked)+23_000) {
		t.Errorf("the agency's bill is %+v", first)
	}
	for _, bill := range bills[1:] {
		for _, line := range bill.Lines {
			if *line.Service == "goods_handling" {
				t.Errorf("no parcel left in the week of %s, and the agency bills %+v", bill.IssuedOn, bill)
			}
		}
	}
	checkFeed(t, l)
}
