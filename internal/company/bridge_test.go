package company_test

import (
	"errors"
	"strings"
	"testing"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/words/problem"
)

// lastShipment is the newest parcel that left the gate.
func (l *life) lastShipment() factory.Shipment {
	l.t.Helper()
	all := rowsOf[factory.Shipment](l, "factory_shipment")
	return all[len(all)-1]
}

// TestAClientsWorkOrderKeepsNobodyFromAccepting: neither an order nor a lot
// whose reference it has, of whatever it is.
func TestAClientsWorkOrderKeepsNobodyFromAccepting(t *testing.T) {
	t.Parallel()
	for _, sku := range []string{"prd_card", "prd_flyer", "prd_notebook"} {
		l := quiet(t, "starter", 3, func(p *preset.Preset) { p.Lots.Sheets = [2]int64{300, 400} })
		order := l.order("SO-1001")
		l.must(work(factory.CreateWorkOrder{SKU: sku, Quantity: 7, Reference: &order.ID}))
		l.must(accept(order.ID))
		l.must(shipGoods(l.print(*l.order("SO-1001").BridgedWorkOrderID)))
		if got := l.order("SO-1001"); got.Status != office.OrderShipped {
			t.Errorf("%s: the order is %+v", sku, got)
		}
		lot := l.offered()
		l.must(work(factory.CreateWorkOrder{SKU: sku, Quantity: 7, Reference: &lot.ID}))
		l.must(acceptLot(lot.ID))
		l.must(shipGoods(l.print(*l.lot(lot.ID).WorkOrderRef)))
		if got := l.lot(lot.ID); got.Status != office.LotDelivered {
			t.Errorf("%s: the lot is %+v", sku, got)
		}
		checkFeed(t, l)
	}
}

// TestGoodsByTheNumberAreBilledOnce: the client's own work order fulfils the
// order, and the bridge's is neither printed nor billed after it.
func TestGoodsByTheNumberAreBilledOnce(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := l.order("SO-1001")
	l.must(accept(order.ID))
	bridged := *l.order("SO-1001").BridgedWorkOrderID
	l.print(bridged) // and so it waits at the gate
	l.must(shipGoods(l.make(order.SKU, order.Quantity, order.Number)))
	got, parcel := l.order("SO-1001"), l.lastShipment()
	if got.Status != office.OrderShipped || parcel.BridgedOfficeShipmentID == nil ||
		*parcel.BridgedOfficeShipmentID != *got.ShipmentID {
		t.Fatalf("the order is %+v after %+v", got, parcel)
	}
	l.must(shipGoods(bridged))
	if again := l.lastShipment(); again.BridgedOfficeShipmentID != nil {
		t.Errorf("the goods that nobody takes were billed: %+v", again)
	}
	if err := l.act(bill(order.ID, nil, nil)); codeOf(err) != problem.InvalidState {
		t.Errorf("billing twice gives %v", err)
	}
	l.until(30)
	if i := l.invoiceOf("SO-1001"); i.Status != office.InvoicePaid ||
		len(rowsOf[office.CustomerInvoice](l, "customer_invoice")) != invoicesAtOpening(l)+1 {
		t.Errorf("the invoice is %+v", i)
	}
	checkFeed(t, l)
}

// invoicesAtOpening counts the invoices that a company begins with.
func invoicesAtOpening(l *life) int {
	return len(rowsOf[office.CustomerInvoice](quiet(l.t, "starter", 3), "customer_invoice"))
}

// TestGoodsOfAnotherWorkOrderAreAPart of the order that they name, and goods of another kind are none.
func TestGoodsOfAnotherWorkOrderAreAPart(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := l.order("SO-1001")
	l.must(work(factory.CreateWorkOrder{SKU: order.SKU, Quantity: order.Quantity - 1, Reference: &order.ID}))
	first := l.lastWork().ID
	l.must(accept(order.ID))
	l.must(shipGoods(l.print(first)))
	if got := l.order("SO-1001"); got.Status != office.OrderInProduction || got.QuantityBilled != order.Quantity-1 {
		t.Fatalf("one is missing, and the order is %+v", got)
	}
	l.must(shipGoods(l.make("prd_flyer", 3, order.Number))) // which the customer sends back
	if got := l.order("SO-1001"); got.Status != office.OrderInProduction || got.QuantityBilled != order.Quantity-1 {
		t.Fatalf("one is missing, and the order is %+v", got)
	}
	l.must(shipGoods(l.print(*l.order("SO-1001").BridgedWorkOrderID)))
	if got := l.order("SO-1001"); got.Status != office.OrderShipped {
		t.Errorf("the order is %+v", got)
	}
	checkFeed(t, l)
}

// TestGoodsBeforeTheAcceptanceCanBeBilled, without a second parcel.
func TestGoodsBeforeTheAcceptanceCanBeBilled(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := l.order("SO-1001")
	l.must(shipGoods(l.make(order.SKU, order.Quantity, order.ID)))
	l.must(accept(order.ID))
	l.must(bill(order.ID, nil, nil))
	if got, parcels := l.order("SO-1001"),
		len(rowsOf[factory.Shipment](l, "factory_shipment")); got.Status != office.OrderShipped || parcels != 1 {
		t.Errorf("after %d parcels the order is %+v", parcels, got)
	}
	if err := l.act(printRun(factory.StartPrintRun{
		PressID: "prs_digital", WorkOrderIDs: []string{*l.order("SO-1001").BridgedWorkOrderID},
	})); codeOf(err) != problem.InvalidState {
		t.Errorf("printing what the customer has gives %v", err)
	}
	l.until(30)
	if i := l.invoiceOf("SO-1001"); i.Status != office.InvoicePaid {
		t.Errorf("the invoice is %+v", i)
	}
	checkFeed(t, l)
}

// TestNobodyWaitsForGoodsThatNobodyTakes: neither printing nor shipping sends
// the client to wait for a work order whose sales order is over.
func TestNobodyWaitsForGoodsThatNobodyTakes(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	order := l.order("SO-1001")
	l.must(work(factory.CreateWorkOrder{SKU: order.SKU, Quantity: order.Quantity, Reference: &order.ID}))
	id := l.lastWork().ID
	hint := func() string {
		t.Helper()
		err := l.act(shipGoods(id))
		var p *problem.Problem
		if !errors.As(err, &p) || p.Code != problem.WorkOrderNotReady {
			t.Fatalf("shipping what is not printed gives %v", err)
		}
		return p.Hint
	}
	if got := hint(); got != "" {
		t.Errorf("while the order waits the hint is %q, want that of the code", got)
	}
	l.must(decline(order.ID, nil))
	if got := hint(); !strings.Contains(got, "SO-1001") ||
		!strings.Contains(got, "declined; no customer takes these goods any more") {
		t.Errorf("after it was declined the hint is %q", got)
	}
	if err := l.act(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderIDs: []string{id}})); codeOf(err) !=
		problem.InvalidState {
		t.Errorf("printing for it gives %v", err)
	}
	other := l.order("SO-1002")
	l.must(accept(other.ID))
	l.until(30)
	id = *l.order("SO-1002").BridgedWorkOrderID
	if got := hint(); !strings.Contains(got, "expired; no customer takes these goods any more") {
		t.Errorf("after it has expired the hint is %q", got)
	}
}

// lastWork is the newest work order.
func (l *life) lastWork() factory.WorkOrder {
	l.t.Helper()
	all := rowsOf[factory.WorkOrder](l, "work_order")
	return all[len(all)-1]
}
