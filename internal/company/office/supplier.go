package office

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// Supplier is a company that sells material to the company, or bills it for a
// service. Reference data: no status, no events.
type Supplier struct {
	_ struct{} `doc:"A company that sells material or a service to this one, with its terms and prices."`

	record.Head
	Name              string       `json:"name" doc:"The name of the supplier, as on the delivery notes that the Factory sees."`
	Kind              string       `json:"kind" enum:"materials,services" doc:"materials sells the materials in prices; services bills overheads and takes no orders."`
	TermsDays         int          `json:"terms_days" doc:"Calendar days from the bill to its due date."`
	EarlyDiscountPct  int64        `json:"early_discount_pct" doc:"Per cent taken off a bill that is paid within early_discount_days; 0 for none."`
	EarlyDiscountDays int          `json:"early_discount_days" doc:"Calendar days from the bill in which the early discount counts."`
	LeadDaysMin       int64        `json:"lead_days_min" doc:"The fewest working days from the approved order to the truck, as things are at present."`
	LeadDaysMax       int64        `json:"lead_days_max" doc:"The most working days from the approved order to the truck, as things are at present."`
	OnTimePct         int64        `json:"on_time_pct" doc:"How many of a hundred trucks come by the expected_on of their purchase order."`
	Prices            []Price      `json:"prices" doc:"The materials that it sells and their present prices; empty for services."`
	CreditLimitMinor  *money.Minor `json:"credit_limit_minor" doc:"The most that may be owed and on order at once, in minor units; null for services."`
	OnHold            bool         `json:"on_hold" doc:"True while an invoice of this supplier is overdue: it takes no orders then."`
	record.Stamps
}

// Price is a supplier's price of one material.
type Price struct {
	_ struct{} `doc:"A supplier's price for one material."`

	SKU             string      `json:"sku" doc:"The material, such as mat_coated."`
	UnitPriceMinor  money.Minor `json:"unit_price_minor" doc:"The price of one at present, in minor units. A purchase order keeps the price of its day."`
	MinimumQuantity int64       `json:"minimum_quantity" doc:"The least quantity that one order of it may have."`
}

// SupplierPrivate holds the state of a supplier that is never served.
type SupplierPrivate struct {
	// Orders counts the purchase orders that reached the supplier: the
	// coordinate of their draws.
	Orders int64 `json:"orders,omitzero"`
	// Bills counts the bills of the supplier that came once.
	Bills int64 `json:"bills,omitzero"`
	// OnOrderMinor is the amount ordered and not billed, UnpaidMinor the amount
	// billed and not paid; both count against the credit limit.
	OnOrderMinor money.Minor `json:"on_order_minor,omitzero"`
	UnpaidMinor  money.Minor `json:"unpaid_minor,omitzero"`
	// Overdue lists the overdue invoices.
	Overdue []string `json:"overdue,omitempty"`
}

// Resource implements record.Row.
func (*Supplier) Resource() string { return "supplier" }

// State implements record.Row.
func (*Supplier) State() string { return "" }

// supplierStreams are the random streams of one supplier. Their coordinate is
// the number of the order at that supplier.
type supplierStreams struct {
	lead, short, shortLine, shortShare, damaged, damagedShare, price, priceShare sim.Stream
	twoTrucks, firstShare, secondTruck, apart                                    sim.Stream
	billedTwice, secondBill, whichBill, misread, reference                       sim.Stream
}

func newSupplierStreams(seed uint64) map[string]*supplierStreams {
	all := map[string]*supplierStreams{}
	for _, s := range catalog.Suppliers() {
		stream := func(name string) sim.Stream { return sim.NewStream(seed, name+"."+s.ID) }
		all[s.ID] = &supplierStreams{
			lead: stream("lead"), short: stream("short"), shortLine: stream("short.line"),
			shortShare: stream("short.share"), damaged: stream("damaged"), damagedShare: stream("damaged.share"),
			price: stream("bill"), priceShare: stream("bill.share"),
			twoTrucks: stream("two_trucks"), firstShare: stream("two_trucks.share"),
			secondTruck: stream("two_trucks.days"), apart: stream("two_trucks.apart"),
			billedTwice: stream("billed_twice"), secondBill: stream("billed_twice.days"),
			whichBill: stream("billed_twice.which"), misread: stream("billed_twice.digit"),
			reference: stream("bill.reference"),
		}
	}
	return all
}

// leadDays is how many working days a supplier takes at present for an order
// that would take it so many in ordinary times.
func (o *Office) leadDays(s catalog.Supplier, ordinary int64) int64 {
	factor := int64(o.preset.Supply.LeadFactor)
	return (ordinary*factor+sim.Million-1)/sim.Million + o.State.Conditions.extraDays(s)
}

// promisedDays is a supplier's promised lead time: its mean lead, rounded up.
func (o *Office) promisedDays(s catalog.Supplier) int64 {
	return o.leadDays(s, (s.LeadMin+s.LeadMax+1)/2)
}

// promisedOn is the day that a supplier promises for an order that it gets today.
func (o *Office) promisedOn(r *record.Recorder, s catalog.Supplier) moment.Date {
	return (r.Today() + sim.Day(o.promisedDays(s))).Date()
}

// unitPrice is a supplier's present price of a material that it sells.
func (o *Office) unitPrice(s catalog.Supplier, sku string) money.Minor {
	item, _ := catalog.ItemBySKU(sku)
	factor := scale(scale(s.PricePPM, int64(o.preset.Supply.PriceFactor)), o.State.Conditions.pricePPM(sku))
	return max(1, item.BaseCostMinor.Scaled(factor))
}

func (o *Office) openSuppliers(r *record.Recorder) {
	suppliers := catalog.Suppliers()
	for i := range slices.Backward(suppliers) {
		o.Suppliers.Add(r, o.newSupplier(suppliers[i]), SupplierPrivate{})
	}
}

func (o *Office) newSupplier(s catalog.Supplier) Supplier {
	row := Supplier{
		Head: record.Head{ID: s.ID}, Name: s.Name, Kind: string(s.Kind), TermsDays: s.Terms,
		EarlyDiscountPct:  s.DiscountPercent,
		EarlyDiscountDays: s.DiscountDays, Prices: []Price{},
	}
	if s.Kind == catalog.Services {
		row.OnTimePct = 100
		return row
	}
	promised, onTime, leads := o.promisedDays(s), int64(0), s.LeadMax-s.LeadMin+1
	for lead := s.LeadMin; lead <= s.LeadMax; lead++ {
		if o.leadDays(s, lead) <= promised {
			onTime++
		}
	}
	row.LeadDaysMin, row.LeadDaysMax, row.OnTimePct = o.leadDays(s, s.LeadMin), o.leadDays(s, s.LeadMax),
		(onTime*100+leads/2)/leads
	row.CreditLimitMinor = &s.CreditLimitMinor
	for _, offer := range s.Sells {
		row.Prices = append(row.Prices,
			Price{SKU: offer.SKU, UnitPriceMinor: o.unitPrice(s, offer.SKU), MinimumQuantity: offer.MinimumQuantity})
	}
	return row
}

// HoldDetails are the details of supplier_on_hold.
type HoldDetails struct {
	SupplierInvoiceIDs []string `json:"supplier_invoice_ids"`
}

// takesOrders refuses an order to a supplier that waits for an overdue payment.
func (o *Office) takesOrders(supplierID string) error {
	overdue := record.Private(o.Suppliers, supplierID).Overdue
	if len(overdue) == 0 {
		return nil
	}
	supplier, _ := o.Suppliers.Find(supplierID)
	return problem.New(problem.SupplierOnHold, "%s takes no orders while %d of its invoices are overdue.",
		supplier.Name, len(overdue)).
		With(HoldDetails{SupplierInvoiceIDs: slices.Clone(overdue)})
}

// CreditDetails are the details of credit_limit_exceeded.
type CreditDetails struct {
	CreditLimitMinor money.Minor `json:"credit_limit_minor"`
	UsedMinor        money.Minor `json:"used_minor"`
	AvailableMinor   money.Minor `json:"available_minor"`
	TotalMinor       money.Minor `json:"total_minor"`
}

// lends refuses an order that a supplier would not deliver on credit.
func (o *Office) lends(supplier *Supplier, total money.Minor) error {
	used, available := o.credit(supplier)
	if total <= available {
		return nil
	}
	return problem.New(problem.CreditLimitExceeded, "The order is over %s, and %s lends %s more.",
		total, supplier.Name, available).
		With(CreditDetails{
			CreditLimitMinor: *supplier.CreditLimitMinor, UsedMinor: used, AvailableMinor: available, TotalMinor: total,
		})
}

// credit returns the credit that the company uses at a supplier, with its open orders, and
// the credit that is left.
func (o *Office) credit(supplier *Supplier) (used, available money.Minor) {
	private := record.Private(o.Suppliers, supplier.ID)
	used = private.OnOrderMinor + private.UnpaidMinor
	return used, max(0, *supplier.CreditLimitMinor-used)
}

// hold notes that an invoice of a supplier is overdue.
func (o *Office) hold(r *record.Recorder, supplierID, invoiceID string) {
	supplier, private := o.Suppliers.Edit(r, supplierID)
	private.Overdue = append(private.Overdue, invoiceID)
	supplier.OnHold = true
}

// release notes that an overdue invoice has been paid.
func (o *Office) release(r *record.Recorder, supplierID, invoiceID string) {
	if !slices.Contains(record.Private(o.Suppliers, supplierID).Overdue, invoiceID) {
		return
	}
	supplier, private := o.Suppliers.Edit(r, supplierID)
	private.Overdue = slices.DeleteFunc(slices.Clone(private.Overdue), func(id string) bool { return id == invoiceID })
	supplier.OnHold = len(private.Overdue) > 0
}

func (o *Office) checkSuppliers() error {
	onOrder, unpaid, overdue := map[string]money.Minor{}, map[string]money.Minor{}, map[string]int{}
	for order, private := range o.PurchaseOrders.All {
		onOrder[order.SupplierID] += order.unbilled(private)
	}
	for invoice := range o.SupplierInvoices.All {
		if invoice.Status != SupplierInvoicePaid {
			unpaid[invoice.SupplierID] += invoice.BilledMinor
		}
		if invoice.Status == SupplierInvoiceOverdue {
			overdue[invoice.SupplierID]++
		}
	}
	for supplier, private := range o.Suppliers.All {
		if private.OnOrderMinor != onOrder[supplier.ID] || private.UnpaidMinor != unpaid[supplier.ID] {
			return fmt.Errorf("supplier %s has %d on order and %d unpaid, the documents add up to %d and %d",
				supplier.ID, private.OnOrderMinor, private.UnpaidMinor, onOrder[supplier.ID], unpaid[supplier.ID])
		}
		known, _ := catalog.SupplierByID(supplier.ID)
		if want := o.newSupplier(known); !slices.Equal(supplier.Prices, want.Prices) ||
			supplier.LeadDaysMin != want.LeadDaysMin {
			return fmt.Errorf("supplier %s asks %v in %d days, at present it should be %v in %d",
				supplier.ID, supplier.Prices, supplier.LeadDaysMin, want.Prices, want.LeadDaysMin)
		}
		if len(private.Overdue) != overdue[supplier.ID] || supplier.OnHold != (overdue[supplier.ID] > 0) {
			return fmt.Errorf("supplier %s is on hold: %t, with %d overdue invoices",
				supplier.ID, supplier.OnHold, overdue[supplier.ID])
		}
	}
	return nil
}
