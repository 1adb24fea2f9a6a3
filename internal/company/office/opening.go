package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/money"
)

func roundedMinor(millionths int64) money.Minor {
	return money.Minor((millionths + sim.Million/2) / sim.Million)
}

func orderFor(c catalog.Customer, p catalog.Product, quantity int64) SalesOrder {
	return SalesOrder{CustomerID: c.ID, CustomerName: c.Name, SKU: p.SKU, ProductName: p.Name, Unit: p.Unit, Quantity: quantity}
}

// openingOrder is an order that every company has on its first morning, the
// same for every seed, so that tutorials can be literal.
type openingOrder struct {
	customerID, sku string
	quantity        int64
	price           money.Minor
	dueDay          sim.Day
	// paidOn is the day on which a shipped order's invoice is paid, 0 for
	// orders that wait for an answer.
	paidOn sim.Day
}

// openOrders writes three orders that were shipped last week and are yet to
// be paid, and three that wait for an answer.
func (o *Office) openOrders(r *record.Recorder) {
	orders := []openingOrder{
		{"cus_brightwell", "prd_poster", 84, 2500, 0, 1},
		{"cus_halden", "prd_brochure", 100, 3400, 0, 3},
		{"cus_kestrel", "prd_flyer", 280, 1000, 0, 6},
		{"cus_lumen", "prd_card", 10, 2200, 5, 0},
		{"cus_brightwell", "prd_flyer", 120, 960, 6, 0},
		{"cus_halden", "prd_poster", 30, 2550, 7, 0},
	}
	for _, opening := range orders {
		if opening.paidOn > 0 {
			o.State.FirstOrderNumber--
		}
	}
	for _, opening := range orders {
		customer, _ := catalog.CustomerByID(opening.customerID)
		product, _ := catalog.ProductBySKU(opening.sku)
		order := orderFor(customer, product, opening.quantity)
		order.UnitPriceMinor = opening.price
		order.DueDate = opening.dueDay.Date()
		if opening.paidOn == 0 {
			o.receive(r, order)
			continue
		}
		o.openShipped(r, order, opening.paidOn)
	}
}
