package oracle

import (
	"context"

	"platen/client"
)

// diary has the price of each paper on the days that are over, newest last.
type diary map[string][]int64

// note writes the prices of today down.
func (d diary) note(ctx context.Context, c *client.Client) error {
	for _, sku := range papers() {
		for quote, err := range c.MarketQuotes(ctx, client.ListMarketQuotesParams{SKU: sku}) {
			if err != nil {
				return err
			}
			price := int64(0)
			if quote.AskMinor != nil {
				price = *quote.AskMinor
			}
			d[sku] = append(d[sku], price)
		}
	}
	return nil
}

func papers() []string { return []string{"mat_coated", "mat_uncoated", "mat_board"} }

// signal reports whether the market asked less for a paper some days ago than on each of the days before. A price of 0
// is none.
func (d diary) signal(sku string, ago int) bool {
	const window = 3
	at := len(d[sku]) - 1 - ago
	if at < window || d[sku][at] == 0 {
		return false
	}
	for _, before := range d[sku][at-window : at] {
		if before != 0 && before <= d[sku][at] {
			return false
		}
	}
	return true
}

// priceDiary buys for four weeks by what the market asked four days ago.
func priceDiary(ctx context.Context, c *client.Client) (any, error) {
	const days, lag, sheets, halfDay = 20, 4, 4000, 240
	prices := diary{}
	for day := range days {
		if err := prices.note(ctx, c); err != nil {
			return nil, err
		}
		for _, sku := range papers() {
			if !prices.signal(sku, lag) {
				continue
			}
			if _, err := c.CreatePurchaseOrder(ctx, client.CreatePurchaseOrderInput{
				SupplierID: "sup_mill", Lines: []client.MaterialLineInput{{SKU: sku, Quantity: sheets}},
			}); err != nil {
				return nil, err
			}
		}
		for half := range 2 {
			if err := countIn(ctx, c); err != nil {
				return nil, err
			}
			matched := func(b *client.OfficeSupplierInvoice) int64 { return b.MatchedMinor }
			if err := payBills(ctx, c, matched); err != nil {
				return nil, err
			}
			if err := payWages(ctx, c); err != nil {
				return nil, err
			}
			if day == days-1 && half == 1 {
				return nil, nil
			}
			if err := wait(ctx, c, halfDay); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// payWages pays the weeks whose wages are due.
func payWages(ctx context.Context, c *client.Client) error {
	for run, err := range c.PayrollRuns(ctx, client.ListPayrollRunsParams{}) {
		if err == nil && run.TimesheetID != nil && (run.Status == "due" || run.Status == "late") {
			_, err = c.RunPayroll(ctx, client.RunPayrollInput{WeekStart: run.WeekStart})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
