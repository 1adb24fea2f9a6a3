package scenario

import (
	"errors"
	"slices"
	"strings"

	"platen/client"
)

// player is a decent client, always the same: it takes on what there is paper
// for, prints by age on whichever press suits, counts in, ships, buys, and pays
// what is right. It decides by what it reads and carries nothing from one
// system to the other.
type player struct {
	*world

	products map[string]client.FactoryProduct
	// carry is called after each of its steps, or after several when it is
	// hasty.
	carry func()
	hasty bool
	// acted is set when there have been steps since.
	acted bool
}

func newPlayer(w *world, carry func()) *player {
	p := &player{world: w, products: map[string]client.FactoryProduct{}, carry: carry}
	for _, product := range oldestFirst(w.t, p.api.FactoryProducts(w.t.Context(), client.ListFactoryProductsParams{})) {
		p.products[product.SKU] = product
	}
	return p
}

// play lives so many days, from a Monday on.
func (p *player) play(days int) {
	for day := range days {
		p.day(day%5 == 4)
	}
	p.round()
}

// day lives a day. On a Friday it looks in once more in the last minute, when the week is over.
func (p *player) day(friday bool) {
	steps := []int{240, 240}
	if friday {
		steps = []int{240, 239, 1}
	}
	for _, minutes := range steps {
		p.round()
		p.tick(minutes)
		p.carry()
	}
}

// round does all that can be done at the moment.
func (p *player) round() {
	for _, doing := range []func(){p.count, p.ship, p.pay, p.payWages, p.buy, p.answer, p.print} {
		doing()
		if p.acted {
			p.acted = false
			p.carry()
		}
	}
}

// did ends a step: a refusal by the company is part of the game.
func (p *player) did(err error) bool {
	p.t.Helper()
	if err == nil {
		if p.acted = p.hasty; !p.hasty {
			p.carry()
		}
		return true
	}
	if refusal, ok := errors.AsType[*client.Error](err); !ok || refusal.Status != 409 && refusal.Status != 422 {
		p.t.Fatalf("seed %d: %v", p.seed, err)
	}
	return false
}

// count takes in the trucks at the gate.
func (p *player) count() {
	ctx := p.t.Context()
	for _, truck := range oldestFirst(p.t,
		p.api.Deliveries(ctx, client.ListDeliveriesParams{Status: client.FactoryDeliveryStatusArrived})) {
		_, err := p.api.CreateFactoryGoodsReceipt(ctx, client.CreateFactoryGoodsReceiptInput{DeliveryID: truck.ID})
		p.did(err)
	}
}

// ship sends out what is ready and still wanted: each third order in two parts.
func (p *player) ship() {
	ctx := p.t.Context()
	wanted := p.wanted()
	for _, work := range oldestFirst(p.t,
		p.api.WorkOrders(ctx, client.ListWorkOrdersParams{Status: client.FactoryWorkOrderStatusReady})) {
		if !wanted[*work.Reference] {
			continue
		}
		_, err := p.api.CreateFactoryShipment(ctx, parcelOf(work))
		p.did(err)
	}
}

// parcelOf is the next shipment of a work order that is ready.
func parcelOf(work client.FactoryWorkOrder) client.CreateFactoryShipmentInput {
	in := client.CreateFactoryShipmentInput{WorkOrderID: work.ID}
	third := strings.ContainsAny(work.Number[len(work.Number)-1:], "0369")
	if third && work.QuantityShipped == 0 && work.Quantity > 1 && strings.HasPrefix(*work.Reference, "so_") {
		in.Quantity, in.PartRef = new(work.Quantity/2), new("first")
	}
	return in
}

// wanted are the ids of the orders and lots that wait for their goods.
func (p *player) wanted() map[string]bool {
	ctx := p.t.Context()
	wanted := map[string]bool{}
	for _, order := range oldestFirst(p.t, p.api.SalesOrders(ctx, client.ListSalesOrdersParams{})) {
		wanted[order.ID] = inWork(order)
	}
	for _, lot := range oldestFirst(p.t, p.api.ContractLots(ctx, client.ListContractLotsParams{})) {
		wanted[lot.ID] = lot.Status == client.OfficeContractLotStatusAccepted
	}
	return wanted
}

func inWork(order client.OfficeSalesOrder) bool {
	return order.Status == client.OfficeSalesOrderStatusAccepted ||
		order.Status == client.OfficeSalesOrderStatusInProduction
}

// pay pays suppliers what order and receipt justify, and the same goods once.
func (p *player) pay() {
	ctx := p.t.Context()
	bills := oldestFirst(p.t, p.api.SupplierInvoices(ctx, client.ListSupplierInvoicesParams{}))
	for i, bill := range bills {
		if bill.Status == client.OfficeSupplierInvoiceStatusPaid ||
			bill.Kind == client.OfficeSupplierInvoiceKindOverhead || bill.MatchedMinor == 0 {
			continue
		}
		var in client.PaySupplierInvoiceInput
		if bill.MatchStatus != client.OfficeSupplierInvoiceMatchStatusMatched {
			in.AmountMinor = &bill.MatchedMinor
		}
		if at := slices.IndexFunc(bills[:i], func(b client.OfficeSupplierInvoice) bool {
			return b.PurchaseOrderID != nil && *b.PurchaseOrderID == *bill.PurchaseOrderID && b.DuplicateOf == nil &&
				b.BilledMinor == bill.BilledMinor
		}); at >= 0 {
			in = client.PaySupplierInvoiceInput{DuplicateOf: &bills[at].ID}
		}
		_, err := p.api.PaySupplierInvoice(ctx, bill.ID, in)
		p.did(err)
	}
}

// payWages pays the weeks that are due.
func (p *player) payWages() {
	ctx := p.t.Context()
	for _, due := range oldestFirst(p.t, p.api.PayrollRuns(ctx, client.ListPayrollRunsParams{})) {
		if due.Status == client.HRPayrollStatusPaid || due.TimesheetID == nil {
			continue
		}
		_, err := p.api.RunPayroll(ctx, client.RunPayrollInput{WeekStart: due.WeekStart})
		p.did(err)
	}
}

// buy approves what the Factory asks for and orders it, from the second source
// where the first does not take the order.
func (p *player) buy() {
	ctx := p.t.Context()
	for _, order := range oldestFirst(p.t, p.api.PurchaseOrders(ctx,
		client.ListPurchaseOrdersParams{Status: client.OfficePurchaseOrderStatusPendingApproval})) {
		_, err := p.api.ApprovePurchaseOrder(ctx, order.ID)
		p.did(err)
	}
	for _, wish := range oldestFirst(p.t, p.api.OfficeRequisitions(ctx,
		client.ListOfficeRequisitionsParams{Status: client.OfficeRequisitionStatusReceived})) {
		_, err := p.api.ApproveRequisition(ctx, wish.ID)
		p.did(err)
	}
	for _, wish := range oldestFirst(p.t, p.api.OfficeRequisitions(ctx,
		client.ListOfficeRequisitionsParams{Status: client.OfficeRequisitionStatusApproved})) {
		if wish.PurchaseOrderID != nil {
			continue
		}
		sources := []string{"sup_mill", "sup_bargain", "sup_quick"}
		if sku := wish.Lines[0].SKU; sku == "mat_ink" || sku == "mat_plate" {
			sources = []string{"sup_chroma"}
		}
		for _, supplier := range sources {
			if p.order(wish, supplier) {
				break
			}
		}
	}
}

func (p *player) order(wish client.OfficeRequisition, supplier string) bool {
	ctx := p.t.Context()
	in := client.CreatePurchaseOrderInput{SupplierID: supplier, RequisitionID: &wish.ID}
	for _, line := range wish.Lines {
		in.Lines = append(in.Lines, client.MaterialLineInput(line))
	}
	order, err := p.api.CreatePurchaseOrder(ctx, in)
	if !p.did(err) {
		return false
	}
	if order.Status == client.OfficePurchaseOrderStatusPendingApproval {
		_, err := p.api.ApprovePurchaseOrder(ctx, order.ID)
		p.did(err)
	}
	return true
}

// answer accepts what there is paper for, and the first lot that is offered;
// the rest it declines.
func (p *player) answer() {
	ctx := p.t.Context()
	free := map[string]int64{}
	for _, item := range oldestFirst(p.t, p.api.StockItems(ctx, client.ListStockItemsParams{})) {
		free[item.SKU] = item.OnHand * 9 / 10
	}
	orders := oldestFirst(p.t, p.api.SalesOrders(ctx, client.ListSalesOrdersParams{}))
	for _, order := range orders {
		if inWork(order) {
			free[p.products[order.SKU].PaperSKU] -= order.Quantity * p.products[order.SKU].SheetsPerUnit
		}
	}
	for _, order := range orders {
		if order.Status != client.OfficeSalesOrderStatusReceived {
			continue
		}
		paper, sheets := p.products[order.SKU].PaperSKU, order.Quantity*p.products[order.SKU].SheetsPerUnit
		var err error
		if free[paper] < sheets {
			_, err = p.api.DeclineSalesOrder(ctx, order.ID, client.DeclineSalesOrderInput{Reason: new("no paper")})
		} else {
			free[paper] -= sheets
			_, err = p.api.AcceptSalesOrder(ctx, order.ID)
		}
		p.did(err)
	}
	for n, lot := range oldestFirst(p.t, p.api.ContractLots(ctx, client.ListContractLotsParams{})) {
		if lot.Status != client.OfficeContractLotStatusOffered {
			continue
		}
		var err error
		if n == 0 {
			_, err = p.api.AcceptContractLot(ctx, lot.ID)
		} else {
			_, err = p.api.DeclineContractLot(ctx, lot.ID)
		}
		p.did(err)
	}
}

// print starts the presses that are idle: small jobs of one paper together on
// the digital press, the oldest large one on the offset press.
func (p *player) print() {
	const smallSheets, maxGang = 700, 4
	ctx := p.t.Context()
	wanted := p.wanted()
	var small, large []client.FactoryWorkOrder
	for _, work := range oldestFirst(p.t, p.api.WorkOrders(ctx, client.ListWorkOrdersParams{})) {
		open := work.Status == client.FactoryWorkOrderStatusCreated ||
			work.Status == client.FactoryWorkOrderStatusPrinting
		switch {
		case !open || !wanted[*work.Reference] || len(work.MaterialNeeds) == 0:
		case work.MaterialNeeds[0].Quantity <= smallSheets:
			small = append(small, work)
		default:
			large = append(large, work)
		}
	}
	for _, work := range large {
		if p.start("prs_offset", work.ID) {
			break
		}
	}
	for i, first := range small {
		gang := []string{first.ID}
		for _, other := range small[i+1:] {
			if len(gang) < maxGang && other.MaterialNeeds[0].SKU == first.MaterialNeeds[0].SKU &&
				other.Status == client.FactoryWorkOrderStatusCreated {
				gang = append(gang, other.ID)
			}
		}
		if p.start("prs_digital", gang...) || len(gang) > 1 && p.start("prs_digital", first.ID) {
			break
		}
	}
}

func (p *player) start(press string, works ...string) bool {
	_, err := p.api.StartPrintRun(p.t.Context(),
		client.StartPrintRunInput{PressID: press, WorkOrderIDs: works, OversPct: new(int64(8))})
	return p.did(err)
}
