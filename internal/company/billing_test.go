package company_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
	"platen/internal/words/share"
)

// quiet begins a company under a manual clock to which no customer comes
// beyond the opening and that has no overheads, so that days can be literal.
func quiet(t reporter, name string, seed uint64, change ...func(*preset.Preset)) *life {
	t.Helper()
	p := presetNamed(t, name)
	p.Demand.PerDay, p.Overhead = 0, preset.Overhead{}
	calm(&p)
	for _, c := range change {
		c(&p)
	}
	return live(t, p, seed, sim.Manual, usual)
}

// calm keeps the world out of a company.
func calm(p *preset.Preset) {
	p.Disruptions, p.Stories, p.MajorOrders = preset.Disruptions{}, preset.Stories{}, preset.MajorOrders{}
}

// until lets time pass to the opening of a day.
func (l *life) until(day sim.Day) {
	l.t.Helper()
	for {
		left := int(day.Open() - l.company.Summary().Now)
		if left <= 0 {
			return
		}
		l.must(tick(min(left, 480)))
	}
}

// make orders work, prints it with plenty of overs on the digital press and
// waits until it is ready. It returns the work order's id.
func (l *life) make(sku string, quantity int64, reference string) string {
	l.t.Helper()
	l.must(work(factory.CreateWorkOrder{SKU: sku, Quantity: quantity, Reference: &reference}))
	rows := rowsOf[factory.WorkOrder](l, "work_order")
	return l.print(rows[len(rows)-1].ID)
}

func (l *life) print(workOrder string) string {
	l.t.Helper()
	l.must(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderID: &workOrder, OversPct: new(int64(20))}))
	for range 20 {
		if rowOf[factory.WorkOrder](l, "work_order", workOrder).Status == factory.WorkReady {
			return workOrder
		}
		l.must(tick(60))
	}
	l.t.Fatalf("%s: the work order %s does not get ready", l.label, workOrder)
	return ""
}

// invoiceOf returns the invoice of an order.
func (l *life) invoiceOf(number string) office.CustomerInvoice {
	l.t.Helper()
	o := l.order(number)
	if o.InvoiceID == nil {
		l.t.Fatalf("%s: %s is %s and has no invoice", l.label, number, o.Status)
	}
	return rowOf[office.CustomerInvoice](l, "customer_invoice", *o.InvoiceID)
}

// received adds up what customers have paid. Those of the opening pay 8,300.00.
func (l *life) received() money.Minor {
	l.t.Helper()
	sum := money.Minor(0)
	for _, p := range rowsOf[office.Payment](l, "payment") {
		sum += p.AmountMinor
	}
	return sum
}

// bodiesOf returns the events of a type.
func (l *life) bodiesOf(kind string) []body {
	l.t.Helper()
	var bodies []body
	for _, e := range l.events {
		if e.Type == kind {
			bodies = append(bodies, decoded[body](l.t, e.Body))
		}
	}
	return bodies
}

func codeOf(err error) problem.Code {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p.Code
	}
	return ""
}

// line says what there is to say about an order in a golden way.
func line(o office.SalesOrder) string {
	return fmt.Sprintf("%s %s %s %dx%d=%d %s; received %s, answer %s, due %s, cancel %s",
		o.Number, o.CustomerID, o.SKU, o.Quantity, o.UnitPriceMinor, o.TotalMinor, o.Status, o.ReceivedOn, o.AnswerBy,
		o.DueDate, o.CancelAfter)
}

// TestTheOpeningIsLiteral, for every seed: three orders wait for an answer,
// three were shipped last week and are paid on the days 1, 3 and 6.
func TestTheOpeningIsLiteral(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual"} {
		for seed := range uint64(5) {
			l := quiet(t, name, seed)
			var got []string
			for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
				got = append(got, line(o))
			}
			want := []string{
				"SO-0998 cus_brightwell prd_poster 84x2500=210000 shipped; received 2026-08-31, answer 2026-09-02, " +
					"due 2026-09-07, cancel 2026-09-16",
				"SO-0999 cus_halden prd_brochure 100x3400=340000 shipped; received 2026-08-31, answer 2026-09-02, " +
					"due 2026-09-07, cancel 2026-09-16",
				"SO-1000 cus_kestrel prd_flyer 280x1000=280000 shipped; received 2026-08-31, answer 2026-09-02, due " +
					"2026-09-07, cancel 2026-09-16",
				"SO-1001 cus_lumen prd_card 10x2200=22000 received; received 2026-09-07, answer 2026-09-09, due " +
					"2026-09-14, cancel 2026-09-23",
				"SO-1002 cus_brightwell prd_flyer 120x960=115200 received; received 2026-09-07, answer 2026-09-09, " +
					"due 2026-09-15, cancel 2026-09-24",
				"SO-1003 cus_halden prd_poster 30x2550=76500 received; received 2026-09-07, answer 2026-09-09, due " +
					"2026-09-16, cancel 2026-09-25",
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: the opening orders are\n%q\nwant\n%q", l.label, got, want)
			}
			if s := l.company.Summary(); s.CashMinor != 8_500_000 || s.ReceivableMinor != 830_000 {
				t.Errorf("%s: the company opens with %d in cash and %d receivable, want 8500000 and 830000",
					l.label, s.CashMinor, s.ReceivableMinor)
			}
			l.until(8)
			var paid []string
			for _, p := range rowsOf[office.Payment](l, "payment") {
				paid = append(paid, fmt.Sprintf("%s %d %s", p.ReceivedOn, p.AmountMinor, p.RemittanceText))
			}
			if want := []string{
				"2026-09-08 210000 INV-2001", "2026-09-10 340000 INV-2002", "2026-09-15 280000 INV-2003",
			}; !slices.Equal(paid, want) {
				t.Errorf("%s: the payments are %q, want %q", l.label, paid, want)
			}
			if s := l.company.Summary(); s.CashMinor != 9_330_000 || s.ReceivableMinor != 0 || s.Reputation != 5640 {
				// Three orders stayed without an answer: three times 1.2 points.
				t.Errorf("%s: after a week there are %d in cash, %d receivable, reputation %d; want 9330000, 0, 5640",
					l.label, s.CashMinor, s.ReceivableMinor, s.Reputation)
			}
			for _, number := range []string{"SO-0998", "SO-0999", "SO-1000"} {
				if o, i := l.order(number), l.invoiceOf(number); o.Status != office.OrderPaid ||
					i.Status != office.InvoicePaid || i.LateDiscountMinor != 0 {
					t.Errorf("%s: %s is %s and its invoice is %s", l.label, number, o.Status, i.Status)
				}
			}
			checkFeed(t, l)
		}
	}
}

// TestLateGoodsCostFivePerCentAWorkingDay: SO-1001 is worth 220.00 and due on
// day 5. Reputation begins at 60 and loses 0.4 for two declined orders.
func TestLateGoodsCostFivePerCentAWorkingDay(t *testing.T) {
	t.Parallel()
	capped := func(p *preset.Preset) { p.Demand.LateCapPct = 17 }
	for _, c := range []struct {
		name       string
		shipped    sim.Day
		change     []func(*preset.Preset)
		discount   money.Minor
		reputation share.PerCent
	}{
		{"before the due date", 4, nil, 0, 6020},
		{"on the due date", 5, nil, 0, 6020},
		{"a day late", 6, nil, 1100, 5760},
		{"two days late", 7, nil, 2200, 5560},
		{"three days late", 8, nil, 3300, 5360},
		{"four days late, reputation cannot lose more than six", 9, nil, 4400, 5360},
		{"on the last day", 12, nil, 7700, 5360},
		{"three days late under a cap", 8, []func(*preset.Preset){capped}, 3300, 5360},
		{"four days late under a cap", 9, []func(*preset.Preset){capped}, 3740, 5360},
	} {
		for _, name := range []string{"starter", "manual"} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				t.Parallel()
				l := quiet(t, name, 3, c.change...)
				ready := l.readyCards()
				l.until(c.shipped)
				l.must(shipGoods(ready))
				if name == "manual" {
					l.must(bill(l.order("SO-1001").ID, nil, nil))
				}
				o, i := l.order("SO-1001"), l.invoiceOf("SO-1001")
				if i.GrossMinor != 22_000 || i.LateDiscountMinor != c.discount || i.TotalMinor != 22_000-c.discount ||
					o.LateDiscountMinor != c.discount {
					t.Errorf("the invoice is %d - %d = %d (on the order %d), want a discount of %d on 22000",
						i.GrossMinor, i.LateDiscountMinor, i.TotalMinor, o.LateDiscountMinor, c.discount)
				}
				if got := l.company.Summary().Reputation; got != c.reputation {
					t.Errorf("reputation is %d, want %d", got, c.reputation)
				}
				// Lumen pays within three calendar days and never late.
				l.until(c.shipped + 5)
				if i := l.invoiceOf("SO-1001"); i.Status != office.InvoicePaid ||
					i.AmountPaidMinor != 22_000-c.discount || *i.PaidOn > i.DueDate {
					t.Errorf("five days later the invoice is %s, %d paid on %v, due %s",
						i.Status, i.AmountPaidMinor, i.PaidOn, i.DueDate)
				}
				checkFeed(t, l)
			})
		}
	}
}

// readyCards accepts SO-1001 and declines the two others, and returns the
// work order whose goods wait at the gate.
func (l *life) readyCards() string {
	l.t.Helper()
	o := l.order("SO-1001")
	l.must(decline(l.order("SO-1002").ID, nil))
	l.must(decline(l.order("SO-1003").ID, nil))
	l.must(accept(o.ID))
	if bridged := l.order("SO-1001").BridgedWorkOrderID; bridged != nil {
		return l.print(*bridged)
	}
	return l.make(o.SKU, o.Quantity, o.ID)
}

// TestGoodsThatComeAfterTheLastDayAreNotTaken: seven working days after the due
// date the order is over. Ready goods can still leave the gate, so that nothing
// is held for ever, but no customer is billed for them.
func TestGoodsThatComeAfterTheLastDayAreNotTaken(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	ready := l.readyCards()
	l.until(13)
	if o := l.order("SO-1001"); o.Status != office.OrderExpired || *o.ExpiredReason != office.DeliveryMissed {
		t.Fatalf("on day 13 the order is %s", o.Status)
	}
	if got := l.company.Summary().Reputation; got != 5360 {
		t.Errorf("reputation is %d, want 60 - 0.4 - 6.0", got)
	}
	bills := len(rowsOf[office.CustomerInvoice](l, "customer_invoice"))
	l.must(shipGoods(ready))
	if got := len(rowsOf[office.CustomerInvoice](l, "customer_invoice")); got != bills ||
		l.order("SO-1001").Status != office.OrderExpired {
		t.Errorf("shipping to a customer who has given up made %d invoices, the order is %s",
			got-bills, l.order("SO-1001").Status)
	}
}

// TestInstalmentsComeInTwoHalves, three working days apart, the odd unit in
// the second, and only the second settles the invoice.
func TestInstalmentsComeInTwoHalves(t *testing.T) {
	t.Parallel()
	invoices, odd := 0, 0
	for seed := uint64(1); seed <= 6; seed++ {
		p := presetNamed(t, "starter")
		calm(&p)
		l := stewarded(live(t, p, seed, sim.Manual, usual), 12)
		l.until(50)
		for _, i := range rowsOf[office.CustomerInvoice](l, "customer_invoice") {
			customer, _ := catalog.CustomerByID(i.CustomerID)
			if customer.Habit != catalog.Instalments {
				continue
			}
			var paid []office.Payment
			for _, p := range rowsOf[office.Payment](l, "payment") {
				if *p.CustomerInvoiceID == i.ID {
					paid = append(paid, p)
				}
			}
			if i.Status != office.InvoicePaid || len(paid) != 2 {
				t.Fatalf("%s: %s is %s after %d payments", l.label, i.Number, i.Status, len(paid))
			}
			first, second := paid[0], paid[1]
			if first.AmountMinor != i.TotalMinor/2 || first.AmountMinor+second.AmountMinor != i.TotalMinor {
				t.Errorf("%s: %s of %d was paid as %d and %d",
					l.label, i.Number, i.TotalMinor, first.AmountMinor, second.AmountMinor)
			}
			if sim.DayFrom(second.ReceivedOn) != sim.DayFrom(first.ReceivedOn)+3 || *i.PaidOn != second.ReceivedOn {
				t.Errorf("%s: %s was paid on %s and %s", l.label, i.Number, first.ReceivedOn, second.ReceivedOn)
			}
			invoices++
			odd += int(i.TotalMinor % 2)
		}
	}
	if invoices < 5 {
		t.Errorf("only %d invoices were paid in instalments, %d of them odd: too few to show anything", invoices, odd)
	}
}

// TestALatePayerIsOverdueFirst: no dispute, since the goods are there.
func TestALatePayerIsOverdueFirst(t *testing.T) {
	t.Parallel()
	l := stewarded(live(t, presetNamed(t, "starter"), 1, sim.Manual, usual), 15)
	l.until(50)
	overdue := l.bodiesOf("office.customer_invoice.overdue")
	if len(overdue) == 0 {
		t.Fatalf("%s: nobody paid late", l.label)
	}
	for _, b := range overdue {
		i := rowOf[office.CustomerInvoice](l, "customer_invoice", b.Data.ID)
		if b.SimDate != sim.DayAfter(i.DueDate).Date() {
			t.Errorf("%s: %s, due %s, became overdue on %s", l.label, i.Number, i.DueDate, b.SimDate)
		}
		if i.Status != office.InvoicePaid || *i.PaidOn <= i.DueDate || i.DisputeCode != nil {
			t.Errorf("%s: %s, due %s, is %s, dispute %v", l.label, i.Number, i.DueDate, i.Status, i.DisputeCode)
		}
	}
}

// TestWhatNeverArrivesIsNeverPaid: with a manual bridge Head Office can bill
// what the Factory never sent. The invoice is disputed, no money comes, and the
// claim is worth nothing.
func TestWhatNeverArrivesIsNeverPaid(t *testing.T) {
	t.Parallel()
	for what, send := range map[string]func(*life, office.SalesOrder){
		"nothing was made": func(*life, office.SalesOrder) {},
		"the goods stay at the gate": func(l *life, o office.SalesOrder) {
			l.make(o.SKU, o.Quantity, o.ID)
		},
		"the reference is unknown": func(l *life, o office.SalesOrder) {
			l.must(shipGoods(l.make(o.SKU, o.Quantity, "SO-10010")))
		},
		"the reference has a zero too many": func(l *life, o office.SalesOrder) {
			l.must(shipGoods(l.make(o.SKU, o.Quantity, "SO-01001")))
		},
		"the goods are others": func(l *life, o office.SalesOrder) {
			l.must(shipGoods(l.make("prd_poster", o.Quantity, o.ID)))
		},
		"one is missing": func(l *life, o office.SalesOrder) {
			l.must(shipGoods(l.make(o.SKU, o.Quantity-1, o.ID)))
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			l := quiet(t, "manual", 1)
			o := l.order("SO-1001")
			l.must(accept(o.ID))
			l.must(bill(o.ID, new(o.Quantity), new("shf_lost")))
			send(l, o)
			l.until(60)
			i := l.invoiceOf("SO-1001")
			if i.Status != office.InvoiceOverdue || i.DisputeCode == nil || *i.DisputeCode != office.GoodsNotReceived ||
				i.BalanceMinor != 22_000 {
				t.Errorf("after sixty days the invoice is %+v", i)
			}
			// Billed on Monday the 7th with terms of three days.
			if b := l.bodiesOf("office.customer_invoice.overdue"); len(b) != 1 ||
				b[0].SimDate.String() != "2026-09-11" || i.DueDate.String() != "2026-09-10" {
				t.Errorf("due %s, overdue: %+v", i.DueDate, b)
			}
			s := l.company.Summary()
			if l.received() != 830_000 || s.ReceivableMinor != 22_000 ||
				s.NetWorthMinor != s.CashMinor+s.Inventory.StockValueMinor-s.PayableMinor {
				t.Errorf("received %d, receivable %d, net worth %d with a stock of %d and %d to pay: the claim should "+
					"be worth nothing",
					l.received(), s.ReceivableMinor, s.NetWorthMinor, s.Inventory.StockValueMinor, s.PayableMinor)
			}
			if got := l.order("SO-1001").Status; got != office.OrderExpired {
				t.Errorf("the order is %s", got)
			}
			checkFeed(t, l)
		})
	}
}

// TestBilledFirstIsPaidFromTheDayOfArrival: Lumen pays by three calendar days
// after it has the goods, and not before, however old the invoice is.
func TestBilledFirstIsPaidFromTheDayOfArrival(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		l := quiet(t, "manual", seed)
		o := l.order("SO-1001")
		l.must(accept(o.ID))
		l.must(bill(o.ID, nil, nil))
		ready := l.make(o.SKU, o.Quantity, o.Number) // the number does as well as the id
		l.until(10)
		if i := l.invoiceOf("SO-1001"); i.Status != office.InvoiceOverdue || i.DisputeCode == nil {
			t.Fatalf("%s: on day 10 the invoice is %s, its dispute %v", l.label, i.Status, i.DisputeCode)
		}
		l.must(shipGoods(ready)) // Monday the 21st
		if i := l.invoiceOf("SO-1001"); i.Status != office.InvoiceOverdue || i.DisputeCode != nil {
			t.Errorf("%s: the goods have come, and the invoice is %s, its dispute %v", l.label, i.Status, i.DisputeCode)
		}
		if i := l.invoiceOf("SO-1001"); i.LateDiscountMinor != 0 || i.DueDate.String() != "2026-09-10" {
			t.Errorf("%s: the arrival changed the invoice to %+v", l.label, i)
		}
		l.until(20)
		i := l.invoiceOf("SO-1001")
		if i.Status != office.InvoicePaid || i.PaidOn.String() < "2026-09-22" || i.PaidOn.String() > "2026-09-24" {
			t.Errorf("%s: the goods came on 2026-09-21, the invoice is %s, paid on %v", l.label, i.Status, i.PaidOn)
		}
		// Five days late are 25 % of 220.00. The customer takes them off the
		// payment: billing early does not make the goods come in time.
		if i.LateDiscountMinor != 5_500 || i.AmountPaidMinor != 16_500 || i.DisputeCode != nil ||
			l.order("SO-1001").LateDiscountMinor != 5_500 {
			t.Errorf("%s: five days late, the paid invoice is %+v", l.label, i)
		}
		checkFeed(t, l)
	}
}

// TestALateBillDoesNotEndTheDelayOfItsGoods: two days late when it is billed, five when the goods come.
func TestALateBillDoesNotEndTheDelayOfItsGoods(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		l := quiet(t, "manual", seed)
		o := l.order("SO-1001")
		l.must(accept(o.ID))
		ready := l.make(o.SKU, o.Quantity, o.Number)
		l.until(7)
		l.must(bill(o.ID, nil, nil))
		if i := l.invoiceOf("SO-1001"); i.LateDiscountMinor != 2_200 {
			t.Errorf("%s: billed two days late, the invoice is %+v", l.label, i)
		}
		l.until(10)
		l.must(shipGoods(ready))
		l.until(20)
		if i := l.invoiceOf("SO-1001"); i.LateDiscountMinor != 5_500 || i.AmountPaidMinor != 16_500 ||
			l.order("SO-1001").LateDiscountMinor != 5_500 {
			t.Errorf("%s: five days late, the paid invoice is %+v", l.label, i)
		}
		checkFeed(t, l)
	}
}

// TestShippedFirstIsPaidFromTheDayOfTheInvoice, and late only by when the goods
// came.
func TestShippedFirstIsPaidFromTheDayOfTheInvoice(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		l := quiet(t, "manual", seed)
		l.must(shipGoods(l.readyCards())) // on the first Monday
		l.until(9)
		if got := len(rowsOf[office.Payment](l, "payment")); got != 3 {
			t.Fatalf("%s: %d payments came before the goods were billed, three of them from the opening", l.label, got)
		}
		l.must(bill(l.order("SO-1001").ID, nil, nil)) // Friday the 18th, four days after the due date
		l.until(20)
		i := l.invoiceOf("SO-1001")
		if i.LateDiscountMinor != 0 || i.IssuedOn.String() != "2026-09-18" || i.DueDate.String() != "2026-09-21" {
			t.Errorf("%s: the invoice is %+v", l.label, i)
		}
		if i.Status != office.InvoicePaid || i.PaidOn.String() != "2026-09-21" {
			t.Errorf("%s: billed on Friday the 18th, paid on %v", l.label, i.PaidOn)
		}
	}
}

// TestPartsThatAddUpArrive: two parcels, one addressed by id and one by number.
func TestPartsThatAddUpArrive(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1)
	o := l.order("SO-1001")
	l.must(accept(o.ID))
	l.must(bill(o.ID, nil, nil))
	l.must(shipGoods(l.make(o.SKU, 4, o.ID)))
	l.until(5)
	l.must(shipGoods(l.make(o.SKU, 6, o.Number)))
	l.until(10)
	if i := l.invoiceOf("SO-1001"); i.Status != office.InvoicePaid || *i.PaidOn <= moment.NewDate(2026, 9, 14) {
		t.Errorf("the second half came on 2026-09-14, the invoice is %s, paid on %v", i.Status, i.PaidOn)
	}
}

// TestACustomerWhoHasTheGoodsWaitsForTheBill: long after the last day for the goods the
// order is open and brings nothing; the bill is then over the whole price, and is paid.
func TestACustomerWhoHasTheGoodsWaitsForTheBill(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	l.must(shipGoods(l.readyCards()))
	l.until(30)
	if o := l.order("SO-1001"); o.Status != office.OrderAccepted || l.received() != 830_000 {
		t.Errorf("not billed, the order is %s, customers have paid %d", o.Status, l.received())
	}
	l.must(bill(l.order("SO-1001").ID, nil, nil))
	l.until(35)
	o, i := l.order("SO-1001"), l.invoiceOf("SO-1001")
	if o.Status != office.OrderPaid || i.LateDiscountMinor != 0 || l.received() != 852_000 {
		t.Errorf("billed, the order is %s, less %d, customers have paid %d",
			o.Status, i.LateDiscountMinor, l.received())
	}
	if s := l.company.Summary().Score; s.OrdersExpired != 0 || s.OrdersShipped != 1 || *s.OnTimePct != 100_00 {
		t.Errorf("the score is %+v", s)
	}
	checkFeed(t, l)
}

// TestNothingIsBilledTwice, nor in part, nor before it is accepted.
func TestNothingIsBilledTwice(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1)
	o := l.order("SO-1001")
	if err := l.act(bill(o.ID, nil, nil)); codeOf(err) != problem.InvalidState {
		t.Errorf("billing an order that was not accepted: %v", err)
	}
	l.must(accept(o.ID))
	if err := l.act(bill(o.ID, new(o.Quantity+1), nil)); codeOf(err) != problem.QuantityMismatch {
		t.Errorf("billing one too many: %v", err)
	}
	l.must(bill(o.ID, nil, nil))
	if err := l.act(bill(o.ID, nil, nil)); codeOf(err) != problem.InvalidState {
		t.Errorf("billing twice: %v", err)
	}
}

// TestAnInvoiceIsNeverOverNothing: a preset may take the whole price off late
// goods. An invoice over zero would have a balance of zero and no payment to
// close it, so one minor unit is left to pay.
func TestAnInvoiceIsNeverOverNothing(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3, func(p *preset.Preset) { p.Demand.LatePctPerDay, p.Demand.LateCapPct = 50, 100 })
	ready := l.readyCards()
	l.until(7) // two days late
	l.must(shipGoods(ready))
	if err := l.company.Check(); err != nil {
		t.Errorf("after shipping: %v", err)
	}
	l.until(30)
	if i := l.invoiceOf("SO-1001"); i.LateDiscountMinor != 21_999 || i.TotalMinor != 1 ||
		i.Status != office.InvoicePaid {
		t.Errorf("after three weeks the invoice over %d - %d is %s", i.GrossMinor, i.LateDiscountMinor, i.Status)
	}
	checkFeed(t, l)
}

// TestNothingIsSoldForNothing: prices are rounded to whole minor units, and
// zero is no price.
func TestNothingIsSoldForNothing(t *testing.T) {
	t.Parallel()
	p := presetNamed(t, "starter")
	p.Demand.PriceFactor = 100 // 0.0001, which preset.Parse accepts
	l := live(t, p, 1, sim.Manual, usual)
	l.until(3)
	for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
		if o.UnitPriceMinor < 1 {
			t.Fatalf("%s: %s is for %d at %d", l.label, o.Number, o.Quantity, o.UnitPriceMinor)
		}
	}
}

// TestHeadOfficeDoesNotSeeGoodsArrive: with a manual bridge the two systems
// share no data (rules R4, R5). Head Office knows of a shipment of the Factory
// only when a client records it there, so nothing of the order may move before,
// and updated_at, ETag and updated_since with it.
func TestHeadOfficeDoesNotSeeGoodsArrive(t *testing.T) {
	t.Parallel()
	p := presetNamed(t, "manual")
	p.Demand.PerDay, p.Overhead = 0, preset.Overhead{}
	calm(&p)
	l := live(t, p, 1, sim.Realtime, usual)
	ready := l.readyCards()
	before := l.order("SO-1001")
	l.must(wait(time.Second))
	l.must(shipGoods(ready))
	if after := l.order("SO-1001"); after.UpdatedAt != before.UpdatedAt {
		t.Errorf("the Factory shipped, and the sales order's updated_at went from %s to %s",
			before.UpdatedAt, after.UpdatedAt)
	}
}
