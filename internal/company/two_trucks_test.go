package company_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"platen/internal/company"
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/integration"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// punctual is a change of a preset with which nothing is drawn for suppliers, so that a test triggers all of it.
func punctual(p *preset.Preset) {
	p.Supply.BillingErrorFactor, p.Supply.TwoTrucksFactor, p.Supply.BilledTwiceFactor = 0, 0, 0
}

// newestOrder is the purchase order that was written last.
func (l *life) newestOrder() office.PurchaseOrder {
	l.t.Helper()
	all := rowsOf[office.PurchaseOrder](l, "purchase_order")
	return all[len(all)-1]
}

// deliveriesOf are the trucks of a purchase order that have come.
func (l *life) deliveriesOf(number string) (all []factory.Delivery) {
	l.t.Helper()
	for _, d := range rowsOf[factory.Delivery](l, "delivery") {
		if d.PurchaseOrderNumber == number {
			all = append(all, d)
		}
	}
	return all
}

// billsOf are the bills for a purchase order.
func (l *life) billsOf(id string) (all []office.SupplierInvoice) {
	l.t.Helper()
	for _, i := range rowsOf[office.SupplierInvoice](l, "supplier_invoice") {
		if i.PurchaseOrderID != nil && *i.PurchaseOrderID == id {
			all = append(all, i)
		}
	}
	return all
}

// waitFor ticks days until something holds.
func (l *life) waitFor(what string, holds func() bool) {
	l.t.Helper()
	for range 20 {
		if holds() {
			return
		}
		l.must(tick(480))
	}
	l.t.Fatalf("%s: %s never came", l.label, what)
}

// ordersOnTwoTrucks orders 1,000 sheets of board, which come as 600 and 400, and takes the first truck to the gate.
func (l *life) ordersOnTwoTrucks() office.PurchaseOrder {
	l.t.Helper()
	l.must(purchase(office.CreatePurchaseOrder{
		SupplierID: catalog.Quick, Lines: []office.MaterialLine{{SKU: catalog.Board, Quantity: 1000}},
	}))
	order := l.newestOrder()
	l.must(trigger("truck_in_two", company.PullTrigger{PurchaseOrderID: &order.ID}))
	l.waitFor("the first truck", func() bool { return len(l.deliveriesOf(order.Number)) == 1 })
	return rowOf[office.PurchaseOrder](l, "purchase_order", order.ID)
}

// takeIn counts the newest truck in, less some sheets that go back, and records it at Head Office.
func (l *life) takeIn(order office.PurchaseOrder, rejected int64) {
	l.t.Helper()
	d := l.deliveriesOf(order.Number)
	lines := board(d[len(d)-1].Lines[0].QuantityCounted-rejected, rejected)
	l.must(count(factory.CreateFactoryGoodsReceipt{DeliveryID: d[len(d)-1].ID, Lines: lines}))
	receipts := rowsOf[factory.GoodsReceipt](l, "factory_goods_receipt")
	l.must(receipt(office.CreateOfficeGoodsReceipt{
		PurchaseOrderID: order.ID, Lines: lines, Reference: &receipts[len(receipts)-1].ID,
	}))
}

// TestTwoTrucksAreReceivedBilledAndPaidByTheSumsOfTheirOrder, the first one sheets short: each bill asks for what its
// note said, and is closed by what came.
func TestTwoTrucksAreReceivedBilledAndPaidByTheSumsOfTheirOrder(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} { // the first bill is paid before, or after the second truck has come
		t.Run(fmt.Sprint("late ", late), func(t *testing.T) {
			t.Parallel()
			l := quiet(t, "manual", 1, punctual)
			order := l.ordersOnTwoTrucks()
			if got := order.Lines[0]; got.QuantityExpected != 400 || got.QuantityReceived != 0 {
				t.Errorf("with the first truck at the gate the line is %+v", got)
			}
			l.takeIn(order, 50)
			l.waitFor("the first bill", func() bool { return len(l.billsOf(order.ID)) == 1 })
			first := l.billsOf(order.ID)[0]
			price := order.Lines[0].UnitPriceMinor
			if first.Lines[0].Quantity != 600 || first.MatchedMinor != price.Times(550) ||
				first.MatchStatus != office.QuantityMismatch {
				t.Errorf("the bill of the first truck is %+v", first)
			}
			if !late {
				l.must(pay(first.ID, &first.MatchedMinor))
				if got := rowOf[office.PurchaseOrder](l, "purchase_order", order.ID); got.BillingStatus != "billed" {
					t.Errorf("with a bill to come the order is %s", got.BillingStatus)
				}
			}
			l.waitFor("the second truck", func() bool { return len(l.deliveriesOf(order.Number)) == 2 })
			l.takeIn(order, 0)
			l.waitFor("the second bill", func() bool { return len(l.billsOf(order.ID)) == 2 })
			sum := money.Minor(0)
			for _, bill := range l.billsOf(order.ID) {
				if sum += bill.MatchedMinor; bill.Status != office.SupplierInvoicePaid {
					l.must(pay(bill.ID, &bill.MatchedMinor))
				}
			}
			if sum != price.Times(950) {
				t.Errorf("the bills justify %d, want the worth of 950 sheets, %d", sum, price.Times(950))
			}
			got := rowOf[office.PurchaseOrder](l, "purchase_order", order.ID)
			if got.BillingStatus != "paid" || got.ReceiptStatus != "partial" || got.Lines[0].QuantityBilled != 1000 ||
				got.Lines[0].QuantityExpected != 0 {
				t.Errorf("in the end the order is %+v", got)
			}
			for _, kind := range []integration.Kind{integration.Receipt, integration.Payment} {
				for _, finding := range l.verified(kind) {
					if finding[:5] != "exact" {
						t.Errorf("%s: %s", kind, finding)
					}
				}
			}
		})
	}
}

// TestTheSecondTruckCannotPayForTheFirst: who records less than came of one truck is not let off by the other.
func TestTheSecondTruckCannotPayForTheFirst(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, punctual)
	order := l.ordersOnTwoTrucks()
	l.must(count(factory.CreateFactoryGoodsReceipt{DeliveryID: l.deliveriesOf(order.Number)[0].ID}))
	l.must(receipt(office.CreateOfficeGoodsReceipt{PurchaseOrderID: order.ID, Lines: board(100, 0)}))
	l.waitFor("the second truck", func() bool { return len(l.deliveriesOf(order.Number)) == 2 })
	l.takeIn(order, 0)
	l.waitFor("both bills", func() bool { return len(l.billsOf(order.ID)) == 2 })
	for _, bill := range l.billsOf(order.ID) {
		if bill.MatchedMinor == bill.BilledMinor {
			t.Fatalf("%s matches", bill.Number)
		}
		if err := l.act(pay(bill.ID, &bill.MatchedMinor)); codeOf(err) != problem.AmountNotPayable {
			t.Errorf("%s of %s for %s: %v", bill.MatchedMinor, bill.BilledMinor, bill.Number, err)
		}
	}
}

// TestSuppliersSendTwoTrucksByThemselves, with a bill for each or one for both, and never two alike.
func TestSuppliersSendTwoTrucksByThemselves(t *testing.T) {
	t.Parallel()
	bills := map[int]int{}
	for seed := range uint64(8) {
		l := quiet(t, "starter", seed+1, punctual, func(p *preset.Preset) {
			p.Supply.TwoTrucksFactor = 100 * sim.Million
		})
		l.must(purchase(office.CreatePurchaseOrder{
			SupplierID: catalog.Mill, Lines: []office.MaterialLine{{SKU: catalog.Coated, Quantity: 4000}},
		}))
		order := l.newestOrder()
		l.waitFor("the second truck", func() bool { return len(l.deliveriesOf(order.Number)) == 2 })
		l.until(sim.DayFrom(l.company.Date()) + 5) // a bill waits at most three days for a bookkeeper
		d := l.deliveriesOf(order.Number)
		first, second := d[0].Lines[0].QuantityAdvised, d[1].Lines[0].QuantityAdvised
		if days := sim.DayFrom(d[1].ArrivedOn) - sim.DayFrom(d[0].ArrivedOn); first+second != 4000 || first <= second ||
			days < 1 || days > 3 {
			t.Errorf("seed %d: %d sheets, and %d after %d days", seed+1, first, second, days)
		}
		of := l.billsOf(order.ID)
		bills[len(of)]++
		sum := int64(0)
		for _, bill := range of {
			sum += bill.Lines[0].Quantity
		}
		if sum != 4000 {
			t.Errorf("seed %d: %d sheets are billed", seed+1, sum)
		}
	}
	if bills[1] == 0 || bills[2] == 0 || bills[1]+bills[2] != 8 {
		t.Errorf("of eight orders so many have so many bills: %v", bills)
	}
}

// billedTwice orders board, takes it in, and has its bill come twice.
func (l *life) billedTwice() (order office.PurchaseOrder, first, second office.SupplierInvoice) {
	l.t.Helper()
	l.must(purchase(office.CreatePurchaseOrder{
		SupplierID: catalog.Quick, Lines: []office.MaterialLine{{SKU: catalog.Board, Quantity: 1000}},
	}))
	order = l.newestOrder()
	l.waitFor("the truck", func() bool { return len(l.deliveriesOf(order.Number)) == 1 })
	l.takeIn(order, 0)
	l.waitFor("the bill", func() bool { return len(l.billsOf(order.ID)) == 1 })
	l.must(trigger("bill_twice", company.PullTrigger{PurchaseOrderID: &order.ID}))
	bills := l.billsOf(order.ID)
	return rowOf[office.PurchaseOrder](l, "purchase_order", order.ID), bills[0], bills[1]
}

// differing counts the bytes in which two texts of one length differ.
func differing(a, b string) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// TestABillThatComesTwiceMatchesTwice, and is told by the sums of its order and the supplier's number.
func TestABillThatComesTwiceMatchesTwice(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, punctual)
	order, first, second := l.billedTwice()
	if order.Lines[0].QuantityBilled != 2000 || order.BillingStatus != "billed" {
		t.Errorf("the order is %+v", order)
	}
	if second.MatchStatus != office.Matched || second.MatchedMinor != first.MatchedMinor ||
		first.Number == second.Number ||
		differing(first.SupplierReference, second.SupplierReference) > 1 {
		t.Errorf("the bills are %+v and %+v", first, second)
	}
	opening := rowsOf[office.SupplierInvoice](l, "supplier_invoice")[0].ID
	again := trigger("bill_twice", company.PullTrigger{PurchaseOrderID: &order.ID})
	for name, c := range map[string]struct {
		do   action
		code problem.Code
	}{
		"itself":      {closeBill(second.ID, second.ID), problem.AmountNotPayable},
		"other goods": {closeBill(second.ID, opening), problem.AmountNotPayable},
		"no bill":     {closeBill(second.ID, "sin_none"), problem.ValidationFailed},
		"an amount": {payWith(second.ID, office.PaySupplierInvoice{
			AmountMinor: &second.BilledMinor, DuplicateOf: &first.ID,
		}), problem.ValidationFailed},
		"nothing at all": {pay(second.ID, new(money.Minor(0))), problem.AmountNotPayable},
		"bill_twice":     {again, problem.TriggerImpossible},
	} {
		if err := l.act(c.do); codeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	l.must(closeBill(second.ID, first.ID))
	err := l.act(closeBill(first.ID, second.ID))
	if codeOf(err) != problem.AmountNotPayable || !strings.Contains(err.Error(), "duplicate itself") {
		t.Errorf("both bills of the same goods are closed: %v", err)
	}
}

// TestABillIsClosedAsADuplicate, either of both, in time or overdue: without fee, hold or collection. Who pays both has
// paid twice.
func TestABillIsClosedAsADuplicate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		closes, late, swapped bool
		verdicts              []string
	}{
		"the second":       {closes: true, verdicts: []string{"exact", "exact"}},
		"the first":        {closes: true, swapped: true, verdicts: []string{"exact", "exact"}},
		"overdue":          {closes: true, late: true, verdicts: []string{"exact", "late"}},
		"both paid":        {verdicts: []string{"doubled", "exact"}},
		"both paid, later": {late: true, verdicts: []string{"doubled", "exact"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := quiet(t, "manual", 1, punctual)
			order, paid, other := l.billedTwice()
			if c.swapped {
				paid, other = other, paid
			}
			cash := l.company.Summary().CashMinor
			l.must(pay(paid.ID, nil))
			if c.late {
				l.waitFor("the late fee", func() bool {
					return rowOf[office.SupplierInvoice](l, "supplier_invoice", other.ID).LateFeeMinor > 0
				})
				if !l.supplier(catalog.Quick).OnHold {
					t.Error("an overdue bill holds nothing")
				}
				cash = l.company.Summary().CashMinor + paid.BilledMinor
			}
			end, want := pay(other.ID, nil), cash-paid.BilledMinor
			if c.closes {
				end = closeBill(other.ID, paid.ID)
			} else {
				want -= rowOf[office.SupplierInvoice](l, "supplier_invoice", other.ID).LateFeeMinor + other.BilledMinor
			}
			l.must(end)
			if got := l.company.Summary().CashMinor; got != want {
				t.Errorf("the cash is %d, want %d", got, want)
			}
			got := rowOf[office.SupplierInvoice](l, "supplier_invoice", other.ID)
			if c.closes {
				if err := l.act(closeBill(paid.ID, other.ID)); codeOf(err) != problem.AlreadyPaid {
					t.Errorf("the bill that was paid is closed: %v", err)
				}
			}
			if c.closes && (got.PaidMinor != 0 || got.LateFeeMinor != 0 || got.CreditedMinor != other.BilledMinor ||
				got.DuplicateOf == nil || *got.DuplicateOf != paid.ID) || got.Status != office.SupplierInvoicePaid {
				t.Errorf("the bill is %+v", got)
			}
			row := rowOf[office.PurchaseOrder](l, "purchase_order", order.ID)
			if billed := row.Lines[0].QuantityBilled; row.BillingStatus != "paid" || (billed == 1000) != c.closes {
				t.Errorf("the order is %s, %d sheets billed", row.BillingStatus, billed)
			}
			err := l.act(purchase(office.CreatePurchaseOrder{
				SupplierID: catalog.Quick, Lines: []office.MaterialLine{{SKU: catalog.Board, Quantity: 500}},
			}))
			if refusal, ok := errors.AsType[*problem.Problem](err); ok { // another bill is overdue in time
				details, _ := refusal.Details.(office.HoldDetails)
				if refusal.Code != problem.SupplierOnHold || slices.Contains(details.SupplierInvoiceIDs, other.ID) {
					t.Errorf("the supplier takes no orders: %v", err)
				}
			}
			l.must(tick(480))
			var verdicts []string
			for _, finding := range l.verified(integration.Payment) {
				if strings.Contains(finding, paid.Number) || strings.Contains(finding, other.Number) {
					verdicts = append(verdicts, strings.Fields(finding)[0])
				}
			}
			slices.Sort(verdicts)
			if !slices.Equal(verdicts, c.verdicts) {
				t.Errorf("the verdicts are %v: %q", verdicts, l.verified(integration.Payment))
			}
		})
	}
}
