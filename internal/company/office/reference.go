package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/words/money"
	"platen/internal/words/share"
)

// Customer is a buyer of printed goods. Reference data: no status, no events.
type Customer struct {
	_ struct{} `doc:"A customer of the company, as Head Office knows them."`

	record.Head
	Name             string        `json:"name" doc:"The name of the customer, for people."`
	PaymentTermsDays int           `json:"payment_terms_days" doc:"Calendar days from a customer invoice to its due date."`
	PaymentHabit     string        `json:"payment_habit" enum:"prompt,usual,slow,instalments" doc:"How the customer pays: prompt always in time, usual mostly, slow often late, instalments by two halves. Expect further values."`
	CreditNote       string        `json:"credit_note" doc:"A remark on how the customer pays, for people."`
	AcceptsParts     bool          `json:"accepts_parts" doc:"True for a customer who pays for each part of an order when it has come. Others pay no part before the last has come."`
	TolerancePct     int64         `json:"delivery_tolerance_pct" doc:"How much less than ordered the customer takes as the whole, in per cent, where the last shipment is final."`
	CreditLimitMinor *money.Minor  `json:"credit_limit_minor" doc:"The most that the customer may owe at once; an order beyond it cannot be accepted. Null for no limit."`
	OpenMinor        *money.Minor  `json:"open_minor" doc:"Unpaid invoices of the customer, and accepted orders not billed yet; null without a limit."`
	SatisfactionPct  share.PerCent `json:"satisfaction_pct" doc:"The customer's satisfaction with the company, 0 to 100. Its own orders move it, and the more it is, the more of them come."`
	record.Stamps
}

// Resource implements record.Row.
func (*Customer) Resource() string { return "customer" }

// State implements record.Row.
func (*Customer) State() string { return "" }

func (o *Office) newCustomer(c catalog.Customer) Customer {
	row := Customer{
		Head: record.Head{ID: c.ID}, Name: c.Name, PaymentTermsDays: c.Terms, PaymentHabit: string(c.Habit),
		CreditNote: c.CreditNote, AcceptsParts: c.AcceptsParts, TolerancePct: c.TolerancePct,
		SatisfactionPct: satisfactionStart / ppmPerHundredth, CreditLimitMinor: o.creditLimit(c),
	}
	if row.CreditLimitMinor != nil {
		row.OpenMinor = new(money.Minor(0))
	}
	return row
}

// Product is the commercial side of a product.
type Product struct {
	_ struct{} `doc:"A product as Head Office sells it: name, unit and list price."`

	record.Head
	SKU            string      `json:"sku" doc:"Names the product in both systems, such as prd_flyer."`
	Name           string      `json:"name" doc:"The name of the product, for people."`
	Kind           string      `json:"kind" enum:"custom,stock" doc:"custom carries the design of one customer, and a surplus is scrapped; stock can be printed ahead and kept on the shelf."`
	Unit           string      `json:"unit" doc:"The content of one unit of quantity, such as 250 cards."`
	ListPriceMinor money.Minor `json:"list_price_minor" doc:"The usual price of one unit, in minor units. Customers offer prices of their own."`
	Active         bool        `json:"active" doc:"Always true: customers order it."`
	record.Stamps
}

// Resource implements record.Row.
func (*Product) Resource() string { return "product" }

// State implements record.Row.
func (*Product) State() string { return "" }

func newProduct(p catalog.Product) Product {
	return Product{
		Head: record.Head{ID: p.SKU}, SKU: p.SKU, Name: p.Name, Kind: string(p.Kind), Unit: p.Unit,
		ListPriceMinor: p.ListPriceMinor, Active: true,
	}
}
