package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// audited is a field of the result of an audit, which compares the bills for materials and their payments with the
// price of the goods that the Factory has accepted.
func (w *world) audited(ctx context.Context, field string) (string, error) {
	owed, err := w.owed(ctx)
	if err != nil {
		return "", err
	}
	bills, err := w.pick(ctx, "/office/supplier-invoices?kind=materials")
	if err != nil {
		return "", err
	}
	claims, overpaid, debt, back := []string{}, []string{}, int64(0), int64(0)
	for _, b := range bills {
		due, known := owed[textOf(b, "purchase_order_id")]
		billed, err := wholeOf(b, "billed_minor")
		credited, err2 := wholeOf(b, "credited_minor")
		if err := errors.Join(err, err2); err != nil {
			return "", err
		}
		paid, more := textOf(b, "status") == "paid", billed-credited-due
		switch {
		case !known:
		case paid && more > 0:
			overpaid, back = append(overpaid, textOf(b, "number")), back+more
		case !paid:
			debt += due
			if more > 0 {
				claims = append(claims, textOf(b, "number"))
			}
		}
	}
	slices.Sort(claims)
	slices.Sort(overpaid)
	switch field {
	case "claims":
		return array(claims)
	case "overpaid":
		return array(overpaid)
	case "owed_minor":
		return strconv.FormatInt(debt, 10), nil
	case "back_minor":
		return strconv.FormatInt(back, 10), nil
	default:
		return "", fmt.Errorf("an audit has no field %q", field)
	}
}

// owed is the price of the goods of each purchase order that the Factory has accepted, by the order's id.
func (w *world) owed(ctx context.Context) (map[string]int64, error) {
	orders, err := w.list(ctx, "/office/purchase-orders")
	if err != nil {
		return nil, err
	}
	owed := map[string]int64{}
	for _, o := range orders {
		id := textOf(o, "id")
		receipts, err := w.pick(ctx, "/factory/goods-receipts?purchase_order_number="+textOf(o, "number"))
		if err != nil {
			return nil, err
		}
		owed[id] = 0
		for _, line := range linesOf(o) {
			price, err := wholeOf(line, "unit_price_minor")
			if err != nil {
				return nil, err
			}
			for _, r := range receipts {
				for _, came := range linesOf(r) {
					if textOf(came, "sku") != textOf(line, "sku") {
						continue
					}
					accepted, err := wholeOf(came, "quantity_accepted")
					if err != nil {
						return nil, err
					}
					owed[id] += price * accepted
				}
			}
		}
	}
	return owed, nil
}

// linesOf are the lines of a record.
func linesOf(r row) []row {
	all, _ := r["lines"].([]any)
	var lines []row
	for _, l := range all {
		if line, ok := l.(map[string]any); ok {
			lines = append(lines, line)
		}
	}
	return lines
}

// lotsWorthTheirPaper are the ids of the offered contract lots that bring more for a sheet of paper than all of them
// do together, as an array.
func (w *world) lotsWorthTheirPaper(ctx context.Context) (string, error) {
	lots, err := w.pick(ctx, "/office/contract-lots?status=offered")
	if err != nil {
		return "", err
	}
	worth, sheets := make([]int64, len(lots)), make([]int64, len(lots))
	allWorth, allSheets := int64(0), int64(0)
	for i, l := range lots {
		products, err := w.pick(ctx, "/factory/products?sku="+textOf(l, "sku"))
		if err != nil {
			return "", err
		}
		if len(products) != 1 {
			return "", fmt.Errorf("%d products are called %s", len(products), textOf(l, "sku"))
		}
		perUnit, err := wholeOf(products[0], "sheets_per_unit")
		quantity, err2 := wholeOf(l, "quantity")
		total, err3 := wholeOf(l, "total_minor")
		if err := errors.Join(err, err2, err3); err != nil {
			return "", err
		}
		worth[i], sheets[i] = total, perUnit*quantity
		allWorth, allSheets = allWorth+worth[i], allSheets+sheets[i]
	}
	good := []string{}
	for i, l := range lots {
		if worth[i]*allSheets > allWorth*sheets[i] {
			good = append(good, textOf(l, "id"))
		}
	}
	slices.Sort(good)
	return array(good)
}
