package company_test

import (
	"strings"
	"testing"

	"platen/internal/company"
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/integration"
	"platen/internal/company/office"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// orderOf returns an order that waits for an answer, of a customer that is wanted.
func orderOf(l *life, wanted func(*catalog.Customer, int64) bool) office.SalesOrder {
	l.t.Helper()
	for _, order := range rowsOf[office.SalesOrder](l, "sales_order") {
		customer, _ := catalog.CustomerByID(order.CustomerID)
		if order.Status == office.OrderReceived && order.Quantity >= 10 && wanted(&customer, order.Quantity) {
			return order
		}
	}
	l.t.Fatalf("%s: no order of such a customer waits", l.label)
	panic("unreachable")
}

func takesParts(c *catalog.Customer, _ int64) bool {
	return c.AcceptsParts && c.Habit != catalog.Instalments
}

// part sends so many units of a work order.
func part(workOrder string, quantity int64) action {
	return shipPart(factory.CreateFactoryShipment{WorkOrderID: workOrder, Quantity: &quantity})
}

// TestAnOrderGoesInTwoParts with an auto bridge: each part has its bill, and the order moves with the last.
func TestAnOrderGoesInTwoParts(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := orderOf(l, takesParts)
	l.must(accept(order.ID))
	work := *l.order(order.Number).BridgedWorkOrderID
	l.print(work)

	before := len(l.events)
	l.must(part(work, 4))
	if got := types(l.events[before:]); got[0] != event.ShipmentCreated || got[1] != event.CustomerInvoiceCreated ||
		len(got) != 2 {
		t.Errorf("the first part writes %v", got)
	}
	w, o := l.workOrder(work), l.order(order.Number)
	if w.Status != factory.WorkReady || w.QuantityShipped != 4 || w.WaitsFor != factory.WaitsForShipment ||
		o.Status != office.OrderInProduction || o.QuantityBilled != 4 || len(o.InvoiceIDs) != 1 {
		t.Errorf("after the first part there are %+v and %+v", w, o)
	}
	first := l.invoiceOf(order.Number)
	if first.GrossMinor != order.UnitPriceMinor.Times(4) {
		t.Errorf("the first part is billed with %s, 4 of %s were sent", first.GrossMinor, order.UnitPriceMinor)
	}
	l.until(8)
	if i := rowOf[office.CustomerInvoice](l, "customer_invoice", first.ID); i.Status != office.InvoicePaid ||
		l.order(order.Number).Status != office.OrderInProduction {
		t.Errorf("the first part is %s and its order %s", i.Status, l.order(order.Number).Status)
	}
	l.must(shipGoods(work))
	if w, o := l.workOrder(work), l.order(order.Number); w.Status != factory.WorkShipped ||
		w.QuantityShipped != order.Quantity || o.Status != office.OrderShipped || len(o.InvoiceIDs) != 2 {
		t.Errorf("after the last part there are %+v and %+v", w, o)
	}
	l.until(40)
	o = l.order(order.Number)
	sum := money.Minor(0)
	for _, id := range o.InvoiceIDs {
		sum += rowOf[office.CustomerInvoice](l, "customer_invoice", id).GrossMinor
	}
	if o.Status != office.OrderPaid || sum != order.TotalMinor {
		t.Errorf("in the end the order is %s and %s of %s are billed", o.Status, sum, order.TotalMinor)
	}
	checkFeed(t, l)
}

func types(events []record.Event) (all []event.Type) {
	for i := range events {
		all = append(all, event.Type(events[i].Type))
	}
	return all
}

// TestUnitsOfARunThatEndsShortCanLeave while the rest is still to be printed.
func TestUnitsOfARunThatEndsShortCanLeave(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := orderOf(l, takesParts)
	l.must(accept(order.ID))
	work := *l.order(order.Number).BridgedWorkOrderID
	l.must(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderID: &work}))
	for l.workOrder(work).WaitsFor == factory.WaitsForRun {
		l.must(tick(30))
	}
	w := l.workOrder(work)
	if w.QuantityGood == 0 || w.QuantityGood == w.Quantity || w.QuantityReady != 0 ||
		w.WaitsFor != factory.WaitsForPress {
		t.Fatalf("the run without overs left %+v", w)
	}
	if err := l.act(part(work, 1)); codeOf(err) != problem.WorkOrderNotReady {
		t.Errorf("before finishing a part leaves with %v", err)
	}
	l.must(tick(480))
	w = l.workOrder(work)
	if w.QuantityReady != w.QuantityGood || w.Status != factory.WorkPrinting || w.ReadyOn != nil {
		t.Fatalf("after finishing there is %+v", w)
	}
	if err := l.act(shipGoods(work)); codeOf(err) != problem.WorkOrderNotReady {
		t.Errorf("the whole leaves with %v", err)
	}
	if err := l.act(part(work, w.QuantityReady+1)); codeOf(err) != problem.QuantityMismatch {
		t.Errorf("more than is ready leaves with %v", err)
	}
	l.must(part(work, w.QuantityReady))
	l.print(work)
	l.must(shipGoods(work))
	if o := l.order(order.Number); o.Status != office.OrderShipped || o.QuantityBilled != order.Quantity {
		t.Errorf("the order is %+v", o)
	}
	checkFeed(t, l)
}

// TestACustomerWhoTakesNoPartsPaysNoneBeforeTheLast.
func TestACustomerWhoTakesNoPartsPaysNoneBeforeTheLast(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := orderOf(l, func(c *catalog.Customer, _ int64) bool { return !c.AcceptsParts })
	l.must(accept(order.ID))
	work := *l.order(order.Number).BridgedWorkOrderID
	l.print(work)
	l.must(part(work, order.Quantity-1))
	first := l.invoiceOf(order.Number)
	l.until(sim.DayAfter(first.DueDate) + 1)
	first = rowOf[office.CustomerInvoice](l, "customer_invoice", first.ID)
	if first.Status != office.InvoiceOverdue || first.DisputeCode == nil {
		t.Errorf("the first part is %s with the dispute %v", first.Status, first.DisputeCode)
	}
	l.must(shipGoods(work))
	if first = rowOf[office.CustomerInvoice](l, "customer_invoice", first.ID); first.DisputeCode != nil {
		t.Errorf("all has come, and the customer still says %s", *first.DisputeCode)
	}
	l.until(60)
	if o := l.order(order.Number); o.Status != office.OrderPaid {
		t.Errorf("the order is %s", o.Status)
	}
	checkFeed(t, l)
}

// TestAFinalPartMayBeShortByTheTolerance, and what left is billed.
func TestAFinalPartMayBeShortByTheTolerance(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := orderOf(l, func(c *catalog.Customer, quantity int64) bool { return c.Least(quantity) < quantity })
	customer, _ := catalog.CustomerByID(order.CustomerID)
	least := customer.Least(order.Quantity)
	l.must(accept(order.ID))
	work := *l.order(order.Number).BridgedWorkOrderID
	l.print(work)
	short := factory.CreateFactoryShipment{WorkOrderID: work, Quantity: new(least - 1), Final: true}
	if err := l.act(shipPart(short)); codeOf(err) != problem.QuantityMismatch {
		t.Errorf("fewer than the customer takes are final with %v", err)
	}
	if err := l.act(billPart(order.ID, new(least-1), true, nil)); codeOf(err) != problem.QuantityMismatch {
		t.Errorf("a bill for fewer than the customer takes is final with %v", err)
	}
	short.Quantity = &least
	l.must(shipPart(short))
	w, o := l.workOrder(work), l.order(order.Number)
	if w.Status != factory.WorkShipped || w.QuantityShipped != least || o.Status != office.OrderShipped ||
		o.QuantityBilled != least {
		t.Errorf("after the final part there are %+v and %+v", w, o)
	}
	l.until(40)
	if i, o := l.invoiceOf(order.Number), l.order(order.Number); o.Status != office.OrderPaid ||
		i.GrossMinor != order.UnitPriceMinor.Times(least) {
		t.Errorf("the order is %s, %s were billed for %d", o.Status, i.GrossMinor, least)
	}
	checkFeed(t, l)
}

// TestAFinalBillSendsAsMuchAsItSays: where fewer units are ready, nothing is sent and nothing billed.
func TestAFinalBillSendsAsMuchAsItSays(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := orderOf(l, func(c *catalog.Customer, quantity int64) bool { return c.Least(quantity) < quantity })
	l.must(accept(order.ID))
	work := *l.order(order.Number).BridgedWorkOrderID
	l.must(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderID: &work}))
	l.must(tick(480))
	ready := l.workOrder(work).QuantityReady
	if ready == 0 || ready == order.Quantity {
		t.Fatalf("%d of %d are ready", ready, order.Quantity)
	}
	if err := l.act(billPart(order.ID, nil, true, nil)); codeOf(err) != problem.QuantityMismatch {
		t.Errorf("a final bill for more than is ready gives %v", err)
	}
	if w, o := l.workOrder(work), l.order(order.Number); w.QuantityShipped != 0 || o.QuantityBilled != 0 {
		t.Errorf("after the refusal there are %+v and %+v", w, o)
	}
	l.must(billPart(order.ID, &ready, true, nil))
	if w, o := l.workOrder(work), l.order(order.Number); w.QuantityShipped != ready || o.QuantityBilled != ready ||
		w.Status != factory.WorkShipped || o.Status != office.OrderShipped {
		t.Errorf("after the final bill there are %+v and %+v", w, o)
	}
	checkFeed(t, l)
}

// TestAnOrderInPartsCanExpire: a first unit does not keep it, and what came is paid.
func TestAnOrderInPartsCanExpire(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := orderOf(l, takesParts)
	l.must(accept(order.ID))
	work := *l.order(order.Number).BridgedWorkOrderID
	l.print(work)
	l.must(part(work, 1))
	l.until(sim.DayAfter(order.CancelAfter) + 20)
	o := l.order(order.Number)
	if o.Status != office.OrderExpired || o.QuantityBilled != 1 {
		t.Errorf("the order is %+v", o)
	}
	if i := l.invoiceOf(order.Number); i.Status != office.InvoicePaid {
		t.Errorf("the part that came is %s", i.Status)
	}
	if w := l.workOrder(work); !w.OrderExpired || w.WaitsFor != factory.WaitsForNothing {
		t.Errorf("the work order is %+v", w)
	}
	checkFeed(t, l)
}

// TestAPartThatIsNamedIsSentAndBilledOnce by two keys; one without a name twice.
func TestAPartThatIsNamedIsSentAndBilledOnce(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 3)
	order := orderOf(l, takesParts)
	l.must(accept(order.ID))
	work := l.make(order.SKU, order.Quantity, order.ID)
	named := factory.CreateFactoryShipment{WorkOrderID: work, Quantity: new(int64(2)), PartRef: new("Part 1")}
	l.must(shipPart(named))
	named.PartRef = new(" part 1 ")
	if err := l.act(shipPart(named)); codeOf(err) != problem.DuplicateReference {
		t.Errorf("the same part leaves twice with %v", err)
	}
	l.must(part(work, 2))
	l.must(part(work, 2))
	l.must(bill(order.ID, new(int64(2)), new("SHF-6001")))
	if err := l.act(bill(order.ID, new(int64(2)), new("shf-6001"))); codeOf(err) != problem.DuplicateReference {
		t.Errorf("the same part is billed twice with %v", err)
	}
	if o := l.order(order.Number); o.Status != office.OrderAccepted || o.QuantityBilled != 2 {
		t.Errorf("the order is %+v", o)
	}
	if err := l.act(bill(order.ID, new(order.Quantity-1), nil)); codeOf(err) != problem.QuantityMismatch {
		t.Errorf("more than is left is billed with %v", err)
	}
	l.must(bill(order.ID, nil, nil))
	if o := l.order(order.Number); o.Status != office.OrderShipped || o.QuantityBilled != order.Quantity {
		t.Errorf("the order is %+v", o)
	}
	checkFeed(t, l)
}

// TestAWholeBillForAPartIsWrong once two working days have passed, and stays so when the rest comes.
func TestAWholeBillForAPartIsWrong(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 3)
	order := orderOf(l, takesParts)
	l.must(accept(order.ID))
	work := l.make(order.SKU, order.Quantity, order.ID)
	l.must(part(work, 4))
	l.must(bill(order.ID, nil, nil))
	for day, want := range []int{0, 0, 0, 1, 1} {
		l.until(sim.Day(day))
		if got := l.verified(integration.Parcel); len(got) != want || want > 0 && !strings.HasPrefix(got[0], "wrong") {
			t.Errorf("on day %d the score says %q", day, got)
		}
	}
	l.must(shipGoods(work))
	if got := l.verified(integration.Parcel); len(got) != 1 || !strings.HasPrefix(got[0], "wrong") {
		t.Errorf("once the rest has come the score says %q", got)
	}
}

// TestTheScoreCountsAnOrderInPartsOnce, by the sum of its bills.
func TestTheScoreCountsAnOrderInPartsOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		// bills are the quantities of the bills for the two parcels of 4 and the rest; 0 for no bill.
		bills [2]int64
		want  string
	}{
		"each part":     {[2]int64{4, -1}, "exact"},
		"one for both":  {[2]int64{0, -1}, "exact"},
		"only a part":   {[2]int64{4, 0}, "wrong"},
		"neither":       {[2]int64{0, 0}, "missed"},
		"the whole, at": {[2]int64{-1, 0}, "exact"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := quiet(t, "manual", 3)
			order := orderOf(l, takesParts)
			l.must(accept(order.ID))
			work := l.make(order.SKU, order.Quantity, order.ID)
			for i, quantity := range c.bills {
				if i == 0 {
					l.must(part(work, 4))
				} else {
					l.must(shipGoods(work))
				}
				switch {
				case quantity > 0:
					l.must(bill(order.ID, &quantity, new(l.lastShipment().Number)))
				case quantity < 0:
					l.must(bill(order.ID, nil, new(l.lastShipment().Number)))
				}
			}
			l.until(l.company.Summary().Now.Day() + 5)
			if got := l.verified(integration.Parcel); len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
				t.Errorf("the score says %q", got)
			}
		})
	}
}

// TestTheRestOnTheShelfIsFree once a final part has closed its work order, or its order is over.
func TestTheRestOnTheShelfIsFree(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(l *life, work string){
		"final": func(l *life, work string) {
			l.must(shipPart(factory.CreateFactoryShipment{WorkOrderID: work, Quantity: new(int64(1)), Final: true}))
		},
		"expired": func(l *life, _ string) { l.until(40) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := quiet(t, "starter", 3)
			made := l.add(job{"prd_notebook", 20}, nil)
			l.must(printRun(factory.StartPrintRun{
				PressID: "prs_digital", WorkOrderID: &made, OversPct: new(int64(20)),
			}))
			l.until(3)
			l.must(trigger("order", company.PullTrigger{
				SKU: new("prd_notebook"), Quantity: new(int64(10)), CustomerID: new("cus_kestrel"),
			}))
			all := rowsOf[office.SalesOrder](l, "sales_order")
			l.must(accept(all[len(all)-1].ID))
			w := l.lastWork()
			if w.Status != factory.WorkReady || w.QuantityFromStock != 10 {
				t.Fatalf("the work order is %+v", w)
			}
			before := l.onHand(w.SKU)
			l.must(part(w.ID, 8))
			end(l, w.ID)
			item := rowOf[factory.StockItem](l, "stock_item", factory.StockItemID(w.SKU))
			if left := l.workOrder(w.ID).QuantityShipped; item.Reserved != 0 || item.OnHand != before-left {
				t.Errorf("%d of %d are reserved, %d were on hand before %d left",
					item.Reserved, item.OnHand, before, left)
			}
		})
	}
}
