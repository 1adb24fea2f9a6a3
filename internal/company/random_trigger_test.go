package company_test

import (
	"slices"

	"pgregory.net/rapid"

	"platen/internal/company"
	"platen/internal/words/money"
)

// drawTrigger brings something about, mostly with what it takes, of records that mostly
// exist.
func drawTrigger(t *rapid.T, l *life) action {
	kind := rapid.SampledFrom(company.Triggers()).Draw(t, "trigger")
	in := company.PullTrigger{}
	for _, field := range kind.Fields {
		if rapid.Bool().Draw(t, field) {
			continue // its own choice
		}
		switch field {
		case "sku":
			in.SKU = new(rapid.SampledFrom([]string{
				"prd_flyer", "prd_poster", "prd_notebook", "mat_coated", "mat_ink", "mat_waste", "prd_unknown",
			}).Draw(t, "sku"))
		case "quantity":
			in.Quantity = new(rapid.Int64Range(1, company.MaxTriggerQuantity).Draw(t, "quantity"))
		case "customer_id":
			in.CustomerID = new(rapid.SampledFrom([]string{"cus_lumen", "cus_none"}).Draw(t, "customer"))
		case "unit_price_minor":
			in.UnitPriceMinor = new(money.Minor(rapid.Int64Range(1, 1_000_000).Draw(t, "price")))
		case "due_date":
			in.DueDate = new(l.company.Date().AddDays(rapid.IntRange(-1, 90).Draw(t, "due")))
		case "days":
			in.Days = new(rapid.Int64Range(1, company.MaxTriggerDays).Draw(t, "days"))
		case "pct":
			in.Pct = new(rapid.Int64Range(-50, 100).Draw(t, "pct"))
		case "badge_no":
			in.BadgeNo = new(rapid.SampledFrom([]string{"1001", "1003", "1005", "1007", "9999"}).Draw(t, "badge"))
		case "press_id":
			in.PressID = new(rapid.SampledFrom([]string{"prs_digital", "prs_offset", "prs_none"}).Draw(t, "press"))
		case "customer_invoice_id":
			status := rapid.SampledFrom([]string{"open", "overdue", "paid"}).Draw(t, "status")
			in.CustomerInvoiceID = new(l.pick(t, "customer_invoice", status))
		case "purchase_order_id":
			in.PurchaseOrderID = new(l.pick(t, "purchase_order", "approved"))
		default:
			panic("nothing is drawn for " + field)
		}
	}
	if rapid.IntRange(0, 19).Draw(t, "too much") == 0 && !slices.Contains(kind.Fields, "pct") {
		in.Pct = new(int64(1)) // which it does not take
	}
	return action{name: "trigger " + kind.Type, do: func(l *life) error {
		_, err := l.company.Trigger(&in)
		return err
	}}
}
