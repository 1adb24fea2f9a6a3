package task

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"platen/eval/bound"
)

// best is the best that can be done with the sales orders of a let from now on. Nothing of their goods may lie on
// the shelf.
func (w *world) best(ctx context.Context, l *Let, minutes int64) (string, error) {
	orders, err := w.boundOrders(ctx, l.Of)
	if err != nil {
		return "", err
	}
	presses, err := w.boundPresses(ctx)
	if err != nil {
		return "", err
	}
	stock, err := w.list(ctx, "/factory/stock")
	if err != nil {
		return "", err
	}
	onHand := map[string]int64{}
	for _, item := range stock {
		if onHand[textOf(item, "sku")], err = wholeOf(item, "on_hand"); err != nil {
			return "", err
		}
	}
	switch {
	case l.Best == "most_worth":
		return strconv.FormatInt(bound.MostWorth(orders, presses, onHand[orders[0].Paper]), 10), nil
	case l.Best == "fewest_runs" && len(presses) == 1:
		return strconv.Itoa(bound.FewestRuns(orders, presses[0], onHand, minutes)), nil
	default:
		return "", fmt.Errorf("there is no %s with %d presses", l.Best, len(presses))
	}
}

// boundOrders are the orders at an address as package bound has them.
func (w *world) boundOrders(ctx context.Context, address string) ([]bound.Order, error) {
	address, err := w.fill(ctx, address)
	if err != nil {
		return nil, err
	}
	rows, err := w.pick(ctx, address)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no row", address)
	}
	orders := make([]bound.Order, len(rows))
	for i, r := range rows {
		products, err := w.pick(ctx, "/factory/products?sku="+textOf(r, "sku"))
		if err != nil {
			return nil, err
		}
		if len(products) != 1 {
			return nil, fmt.Errorf("%d products are called %s", len(products), textOf(r, "sku"))
		}
		quantity, err := wholeOf(r, "quantity")
		worth, err2 := wholeOf(r, "total_minor")
		sheets, err3 := wholeOf(products[0], "sheets_per_unit")
		finishing, err4 := wholeOf(products[0], "finishing_minutes")
		if err := errors.Join(err, err2, err3, err4); err != nil {
			return nil, err
		}
		orders[i] = bound.Order{
			Paper: textOf(products[0], "paper_sku"), Sheets: quantity * sheets, FinishingMinutes: finishing,
			WorthMinor: worth,
		}
	}
	return orders, nil
}

// boundPresses are the presses that are in order, as package bound has them.
func (w *world) boundPresses(ctx context.Context) ([]bound.Press, error) {
	rows, err := w.pick(ctx, "/factory/presses?status=idle,running")
	if err != nil {
		return nil, err
	}
	presses := make([]bound.Press, len(rows))
	for i, r := range rows {
		var err2, err3 error
		presses[i].MakeReadySheets, err = wholeOf(r, "make_ready_sheets")
		presses[i].MakeReadyMinutes, err2 = wholeOf(r, "make_ready_minutes")
		presses[i].SheetsPerHour, err3 = wholeOf(r, "sheets_per_hour")
		if err := errors.Join(err, err2, err3); err != nil {
			return nil, err
		}
	}
	return presses, nil
}

// wholeOf is the whole number in a field.
func wholeOf(r row, field string) (int64, error) {
	n, err := strconv.ParseInt(textOf(r, field), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s of the row %s is no whole number", field, textOf(r, "id"))
	}
	return n, nil
}
