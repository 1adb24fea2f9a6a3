// Package office is Head Office: customers and their orders, billing, money. It
// knows nothing of the Factory but the records that the bridge or the client
// writes into it.
package office

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// Office holds the department's tables and its other state.
type Office struct {
	Customers        *record.Table[Customer, struct{}]
	Products         *record.Table[Product, struct{}]
	SalesOrders      *record.Table[SalesOrder, SalesOrderPrivate]
	Shipments        *record.Table[Shipment, struct{}]
	CustomerInvoices *record.Table[CustomerInvoice, CustomerInvoicePrivate]
	Payments         *record.Table[Payment, struct{}]
	Ledger           *record.Table[LedgerEntry, struct{}]
	Suppliers        *record.Table[Supplier, SupplierPrivate]
	Requisitions     *record.Table[Requisition, RequisitionPrivate]
	PurchaseOrders   *record.Table[PurchaseOrder, PurchaseOrderPrivate]
	GoodsReceipts    *record.Table[GoodsReceipt, struct{}]
	SupplierInvoices *record.Table[SupplierInvoice, SupplierInvoicePrivate]
	ContractLots     *record.Table[ContractLot, ContractLotPrivate]

	// State is stored with every commit.
	State State
	// DoubleWork lets a reference be filed, and an order or lot be billed, more than once.
	DoubleWork bool

	preset    preset.Preset
	streams   streams
	suppliers map[string]*supplierStreams
	lots      lotStreams
}

// State is Head Office's state outside its tables.
type State struct {
	CashMinor        money.Minor `json:"cash_minor"`
	OpeningCashMinor money.Minor `json:"opening_cash_minor"`
	// OpeningNetWorthMinor is the company's net worth when it opened.
	OpeningNetWorthMinor money.Minor `json:"opening_net_worth_minor"`
	// ReputationPPM is 0 to a million.
	ReputationPPM int64 `json:"reputation_ppm"`
	// ReceivableMinor is the open balance of all customer invoices,
	// DeliveredReceivableMinor of those whose goods reached the customer.
	ReceivableMinor          money.Minor `json:"receivable_minor"`
	DeliveredReceivableMinor money.Minor `json:"delivered_receivable_minor"`
	// OpenOrders counts sales orders that wait for an answer or a shipment.
	OpenOrders int64 `json:"open_orders"`
	// ShippedOrders and LateOrders count orders that reached the customer.
	ShippedOrders int64 `json:"shipped_orders"`
	LateOrders    int64 `json:"late_orders"`
	// FirstOrderNumber is the number of the first sales order, NextInvoice
	// and NextShipment those of the next documents.
	FirstOrderNumber int `json:"first_order_number"`
	NextInvoice      int `json:"next_invoice"`
	NextShipment     int `json:"next_shipment"`

	NextRequisition     int `json:"next_requisition"`
	NextSupplierInvoice int `json:"next_supplier_invoice"`
	// OpenRequisitions counts requisitions that wait for a decision or an
	// order, OpenPurchaseOrders those that have not been billed.
	OpenRequisitions   int64 `json:"open_requisitions"`
	OpenPurchaseOrders int64 `json:"open_purchase_orders"`
	// UnpaidSupplierInvoices counts unpaid invoices of suppliers, PayableMinor
	// is their sum. ChargedMinor is the part of it that is for no goods:
	// overheads and late fees. TakenInMinor is the worth of goods that are in
	// the warehouse and not paid for, billed or not.
	UnpaidSupplierInvoices int64       `json:"unpaid_supplier_invoices"`
	PayableMinor           money.Minor `json:"payable_minor"`
	ChargedMinor           money.Minor `json:"charged_minor"`
	TakenInMinor           money.Minor `json:"taken_in_minor"`
	// StorageAccrued and InterestAccrued are in ten-thousandths of a minor
	// unit.
	StorageAccrued  int64 `json:"storage_accrued"`
	InterestAccrued int64 `json:"interest_accrued"`
	// OfferedLots counts lots that wait for an answer, DeliveredLots those
	// that were billed and are with their customers.
	OfferedLots   int64 `json:"offered_lots"`
	DeliveredLots int64 `json:"delivered_lots"`
	// NegativeCloses counts the day closes in a row with negative cash.
	NegativeCloses int64 `json:"negative_closes"`
	// ExpiredOrders counts orders that were accepted and never delivered, LapsedOrders those
	// that were not answered, ExpiredLots the lots that were accepted and not delivered.
	ExpiredOrders int64 `json:"expired_orders,omitzero"`
	LapsedOrders  int64 `json:"lapsed_orders,omitzero"`
	ExpiredLots   int64 `json:"expired_lots,omitzero"`
	// Satisfaction is that of the customers with the company, in their order, 0 to a million.
	Satisfaction []int64   `json:"satisfaction"`
	Staff        Staff     `json:"staff"`
	Vacancies    Vacancies `json:"vacancies,omitzero"`
	// Conditions are the world's present effects on the business.
	Conditions Conditions `json:"conditions,omitzero"`
}

// streams are the random streams of customers.
type streams struct {
	count, minute, product, quantity, price, due, customer, keep, rush sim.Stream
	late, lateDays, earlyDays                                          sim.Stream
}

// New returns an empty Head Office.
func New(p preset.Preset, seed uint64) *Office {
	stream := func(name string) sim.Stream { return sim.NewStream(seed, name) }
	return &Office{
		Customers:        record.NewTable[Customer, struct{}](record.Definition{Resource: "customer"}, nil),
		Products:         record.NewTable[Product, struct{}](record.Definition{Resource: "office_product"}, nil),
		SalesOrders:      newSalesOrders(),
		Shipments:        newShipments(),
		CustomerInvoices: newCustomerInvoices(),
		Payments: record.NewTable[Payment, struct{}](record.Definition{Resource: "payment", Prefix: "pay"},
			nil),
		Ledger:           newLedger(),
		Suppliers:        record.NewTable[Supplier, SupplierPrivate](record.Definition{Resource: "supplier"}, nil),
		Requisitions:     newRequisitions(),
		PurchaseOrders:   newPurchaseOrders(),
		GoodsReceipts:    newGoodsReceipts(),
		SupplierInvoices: newSupplierInvoices(),
		ContractLots:     newContractLots(),
		preset:           p,
		suppliers:        newSupplierStreams(seed),
		lots:             newLotStreams(seed),
		streams: streams{
			count: stream("demand.n"), minute: stream("demand.t"),
			product: stream("demand.p"), quantity: stream("demand.q"), price: stream("demand.u"),
			due: stream("demand.d"), customer: stream("demand.c"), keep: stream("demand.keep"),
			rush: stream("demand.rush"),
			late: stream("pay.late"), lateDays: stream("pay.late_days"), earlyDays: stream("pay.early_days"),
		},
	}
}

// Tables lists the tables in the order in which they are stored.
func (o *Office) Tables() []*record.Rows {
	return []*record.Rows{
		o.Customers.Rows, o.Products.Rows, o.SalesOrders.Rows, o.Shipments.Rows, o.CustomerInvoices.Rows,
		o.Payments.Rows, o.Ledger.Rows, o.Suppliers.Rows, o.Requisitions.Rows, o.PurchaseOrders.Rows,
		o.GoodsReceipts.Rows, o.SupplierInvoices.Rows, o.ContractLots.Rows,
	}
}

// Open writes the reference data and the opening balance.
func (o *Office) Open(r *record.Recorder) {
	o.State = State{
		ReputationPPM: int64(o.preset.Demand.ReputationStart), FirstOrderNumber: 1001, NextInvoice: 2001,
		NextShipment:    4001,
		NextRequisition: 8001, NextSupplierInvoice: 7001,
	}
	for range catalog.Customers() {
		o.State.Satisfaction = append(o.State.Satisfaction, satisfactionStart)
	}
	o.openReference(r)
	o.openSuppliers(r)
	o.book(r, o.preset.CashMinor, OpeningBalance, nil, nil)
	o.State.OpeningCashMinor = o.preset.CashMinor
}

// openReference adds the reference rows last to first, since lists are newest
// first and these are to be read in the order of teaching.
func (o *Office) openReference(r *record.Recorder) {
	customers := catalog.Customers()
	for i := range slices.Backward(customers) {
		o.Customers.Add(r, o.newCustomer(customers[i]), struct{}{})
	}
	products := catalog.Products()
	for i := range slices.Backward(products) {
		o.Products.Add(r, newProduct(products[i]), struct{}{})
	}
}

// Check reports a state that cannot be: sums that do not add up.
func (o *Office) Check() error {
	cash := money.Minor(0)
	for entry := range o.Ledger.All {
		cash += entry.AmountMinor
		if entry.BalanceMinor != cash {
			return fmt.Errorf("ledger entry %s has the balance %d, the entries add up to %d",
				entry.ID, entry.BalanceMinor, cash)
		}
	}
	if cash != o.State.CashMinor {
		return fmt.Errorf("cash is %d, the ledger adds up to %d", o.State.CashMinor, cash)
	}
	receivable, delivered := money.Minor(0), money.Minor(0)
	for invoice, private := range o.CustomerInvoices.All {
		if err := o.checkInvoice(invoice); err != nil {
			return err
		}
		receivable += invoice.BalanceMinor
		if o.Reached(invoice) {
			delivered += invoice.BalanceMinor - private.DeductionMinor
		}
	}
	if receivable != o.State.ReceivableMinor || delivered != o.State.DeliveredReceivableMinor {
		return fmt.Errorf("receivable is %d (delivered %d), the invoices add up to %d (%d)",
			o.State.ReceivableMinor, o.State.DeliveredReceivableMinor, receivable, delivered)
	}
	for _, check := range []func() error{
		o.checkOrders, o.checkSuppliers, o.checkRequisitions, o.checkPurchaseOrders, o.checkGoodsReceipts,
		o.checkSupplierInvoices, o.checkLots, o.checkPayments, o.checkCredit,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (o *Office) changeReputation(ppm int64) {
	o.State.ReputationPPM = min(max(o.State.ReputationPPM+ppm, 0), sim.Million)
}
