package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/money"
	"platen/internal/share"
)

// Customer is a buyer of printed goods. Reference data: no status, no events.
type Customer struct {
	record.Head
	Name             string `json:"name"`
	PaymentTermsDays int    `json:"payment_terms_days"`
	PaymentHabit     string `json:"payment_habit" enum:"prompt,usual,slow,instalments"`
	CreditNote       string `json:"credit_note"`
	// SatisfactionPct moves with the customer's own orders.
	SatisfactionPct share.PerCent `json:"satisfaction_pct" doc:"The customer's satisfaction with the company, 0 to 100. Its own orders move it, and the more it is, the more of them come."`
	record.Stamps
}

// Resource implements record.Row.
func (*Customer) Resource() string { return "customer" }

// State implements record.Row.
func (*Customer) State() string { return "" }

func newCustomer(c catalog.Customer) Customer {
	return Customer{
		Head: record.Head{ID: c.ID}, Name: c.Name, PaymentTermsDays: c.Terms, PaymentHabit: string(c.Habit),
		CreditNote: c.CreditNote, SatisfactionPct: satisfactionStart / ppmPerHundredth,
	}
}

// Product is the commercial side of a product.
type Product struct {
	record.Head
	SKU            string      `json:"sku"`
	Name           string      `json:"name"`
	Kind           string      `json:"kind" enum:"custom,stock"`
	Unit           string      `json:"unit"`
	ListPriceMinor money.Minor `json:"list_price_minor"`
	Active         bool        `json:"active"`
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
