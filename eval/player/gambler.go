package player

import (
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/market"
	"platen/internal/company/office"
	"platen/internal/company/sim"
)

// gambler sends commands that could be right. It knows the form of a body;
// chance chooses the command and the record.
type gambler struct {
	*player
	dice sim.Stream
	// thrown counts the throws, so that each is another one.
	thrown int64
}

// gambles is how many commands it sends in an hour.
const gambles = 6

func newGambler(p *player, world uint64) *gambler {
	return &gambler{player: p, dice: sim.NewStream(world, "player.random")}
}

// below throws a number from 0 to n - 1.
func (g *gambler) below(n int) int {
	g.thrown++
	return int(g.dice.Below(int64(n), g.thrown))
}

func (g *gambler) day() (alive bool, err error) {
	for minute := int64(0); minute < dayMinutes; minute += LookMinutes {
		for range gambles {
			if err := g.gamble(); err != nil {
				return false, err
			}
		}
		if alive, err := g.tick(LookMinutes); !alive || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (g *gambler) gamble() error {
	gamblesAt := []func() error{
		g.answerAny, g.answerAnyLot, g.printAny, g.shipAny, g.countIn, g.payAny, g.payWages, g.buyAny, g.tradeAny,
		g.carryAny,
	}
	return gamblesAt[g.below(len(gamblesAt))]()
}

// one picks a row of a list, nil where there is none.
func one[R any](g *gambler, operationID string, filters ...string) (*R, error) {
	found, err := rows[R](g.player, operationID, filters...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[g.below(len(found))], nil
}

// attempt sends a command, and takes whatever comes of it.
func (g *gambler) attempt(operationID, id string, body any) error {
	_, err := g.try(operationID, id, body)
	return err
}

func (g *gambler) answerAny() error {
	order, err := one[office.SalesOrder](g, "list_sales_orders", "status", string(office.OrderReceived))
	if order == nil || err != nil {
		return err
	}
	if g.below(2) == 0 {
		return g.attempt("accept_sales_order", order.ID, nil)
	}
	return g.attempt("decline_sales_order", order.ID, &office.DeclineSalesOrder{})
}

func (g *gambler) answerAnyLot() error {
	lot, err := one[office.ContractLot](g, "list_contract_lots", "status", string(office.LotOffered))
	if lot == nil || err != nil {
		return err
	}
	return g.attempt([]string{"accept_contract_lot", "decline_contract_lot"}[g.below(2)], lot.ID, nil)
}

func (g *gambler) printAny() error {
	press, err := one[factory.Press](g, "list_presses")
	if err != nil {
		return err
	}
	work, err := one[factory.WorkOrder](g, "list_work_orders", "waits_for", string(factory.WaitsForPress))
	if work == nil || err != nil {
		return err
	}
	overs := int64(g.below(21))
	return g.attempt("start_print_run", "",
		&factory.StartPrintRun{PressID: press.ID, WorkOrderID: &work.ID, OversPct: &overs})
}

func (g *gambler) shipAny() error {
	work, err := one[factory.WorkOrder](g, "list_work_orders", "status", string(factory.WorkReady))
	if work == nil || err != nil {
		return err
	}
	return g.attempt("create_factory_shipment", "", &factory.CreateFactoryShipment{WorkOrderID: work.ID})
}

func (g *gambler) countIn() error {
	truck, err := one[factory.Delivery](g, "list_deliveries", "status", string(factory.DeliveryArrived))
	if truck == nil || err != nil {
		return err
	}
	return g.attempt("create_factory_goods_receipt", "", &factory.CreateFactoryGoodsReceipt{DeliveryID: truck.ID})
}

func (g *gambler) payAny() error {
	bill, err := one[office.SupplierInvoice](g, "list_supplier_invoices", "status",
		string(office.SupplierInvoiceOpen), "kind", office.MaterialsInvoice)
	if bill == nil || err != nil {
		return err
	}
	return g.attempt("pay_supplier_invoice", bill.ID, &office.PaySupplierInvoice{AmountMinor: &bill.BilledMinor})
}

func (g *gambler) payWages() error {
	run, err := one[hr.PayrollRun](g, "list_payroll_runs", "status", string(hr.PayrollDue))
	if run == nil || err != nil {
		return err
	}
	return g.attempt("run_payroll", "", &hr.RunPayroll{WeekStart: run.WeekStart})
}

func (g *gambler) buyAny() error {
	supplier, err := one[office.Supplier](g, "list_suppliers")
	if err != nil || len(supplier.Prices) == 0 {
		return err
	}
	price := supplier.Prices[g.below(len(supplier.Prices))]
	return g.attempt("create_purchase_order", "", &office.CreatePurchaseOrder{
		SupplierID: supplier.ID,
		Lines: []office.MaterialLine{
			{SKU: price.SKU, Quantity: price.MinimumQuantity + int64(g.below(int(price.MinimumQuantity)+1))},
		},
	})
}

func (g *gambler) tradeAny() error {
	quote, err := one[market.Quote](g, "list_market_quotes")
	if err != nil {
		return err
	}
	side := []market.Side{market.Buy, market.Sell}[g.below(2)]
	return g.attempt("trade_on_market", "",
		&market.TradeOnMarket{Side: side, SKU: quote.SKU, Quantity: 1 + int64(g.below(1000))})
}

// carryAny carries an order or a parcel across a bridge that does not.
func (g *gambler) carryAny() error {
	if !g.byHand() {
		return nil
	}
	order, err := one[office.SalesOrder](g, "list_sales_orders", "status", string(office.OrderAccepted))
	if order == nil || err != nil {
		return err
	}
	if g.below(2) == 0 {
		return g.attempt("create_work_order", "",
			&factory.CreateWorkOrder{SKU: order.SKU, Quantity: order.Quantity, Reference: &order.ID})
	}
	return g.attempt("create_office_shipment", "", &office.CreateOfficeShipment{SalesOrderID: &order.ID})
}
