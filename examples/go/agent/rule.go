package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Limits that the rules use.
const (
	// turns are how often a day the rules are gone through, and turnMinutes the
	// time between.
	turns, turnMinutes = 4, 120
	// smallSheets is up to how many sheets a job goes to the digital press,
	// which needs no plates and little make-ready.
	smallSheets = 700
	// mostWaiting is how many jobs may wait for a press before orders are declined: an order
	// that is missed costs more than one that was never taken.
	mostWaiting = 10
	// oversPct is printed on top, against spoilage.
	oversPct = 6
)

// day goes through the rules and lets a working day pass.
func (p *player) day(ctx context.Context) error {
	p.done = map[string]int{}
	now, err := p.must(ctx, "get_sandbox", object{"view": "full"})
	if err != nil {
		return err
	}
	clock, _ := now["clock"].(object)
	p.moment = text(clock, "sim_date") + "-" + text(clock, "sim_time")
	for range turns {
		for _, rule := range []func(context.Context) error{
			p.answer, p.receive, p.buy, p.refill, p.pay, p.print, p.ship,
		} {
			if err := rule(ctx); err != nil {
				return err
			}
		}
		if now, err = p.write(ctx, "tick-"+p.moment, "advance_time",
			object{"minutes": turnMinutes, "view": "full"}); err != nil {
			return err
		}
		p.moment = text(now, "sim_date") + "-" + text(now, "sim_time")
	}
	fmt.Fprintf(p.out, "until %s %s: accepted %d, printed %d, shipped %d, ordered %d, paid %d; cash %.2f\n",
		text(now, "sim_date"), text(now, "sim_time"), p.done["accepted"], p.done["printed"], p.done["shipped"],
		p.done["ordered"], p.done["paid"], number(now, "cash_minor")/100)
	return nil
}

// answer accepts what is on offer while few jobs wait, and declines the rest.
func (p *player) answer(ctx context.Context) error {
	orders, err := p.list(ctx, "office_list", "sales_orders", "received")
	if err != nil || len(orders) == 0 {
		return err
	}
	waiting, err := p.waiting(ctx)
	if err != nil {
		return err
	}
	for i, order := range orders {
		answer, what := "accept", "accepted"
		if len(waiting)+i >= mostWaiting {
			answer, what = "decline", "declined"
		}
		if _, err := p.may(ctx, what, answer+"-"+text(order, "id"), "office_answer_sales_order",
			object{"id": order["id"], "answer": answer}); err != nil {
			return err
		}
	}
	return nil
}

// waiting are the jobs that wait for a press, those whose run ended short among them, but
// for those without an order.
func (p *player) waiting(ctx context.Context) ([]object, error) {
	created, err := p.list(ctx, "factory_list", "work_orders", "created")
	if err != nil {
		return nil, err
	}
	printing, err := p.list(ctx, "factory_list", "work_orders", "printing")
	return slices.DeleteFunc(append(created, printing...), func(job object) bool {
		return text(job, "waits_for") != "press" || p.unwanted[text(job, "id")]
	}), err
}

// receive counts in the deliveries that have come.
func (p *player) receive(ctx context.Context) error {
	deliveries, err := p.list(ctx, "factory_list", "deliveries", "arrived")
	if err != nil {
		return err
	}
	for _, delivery := range deliveries {
		if _, err := p.may(ctx, "received", "count-"+text(delivery, "id"), "factory_record_goods_receipt",
			object{"delivery_id": delivery["id"]}); err != nil {
			return err
		}
	}
	return nil
}

// buy orders the material that the Factory asks for, from the quickest supplier
// that sells it: an idle press costs more than dear paper.
func (p *player) buy(ctx context.Context) error {
	requisitions, err := p.list(ctx, "office_list", "requisitions", "")
	if err != nil {
		return err
	}
	for _, wanted := range requisitions {
		if text(wanted, "status") == "rejected" || wanted["purchase_order_id"] != nil {
			continue
		}
		if text(wanted, "status") == "received" {
			if _, err := p.may(ctx, "approved", "approve-"+text(wanted, "id"), "call_operation",
				object{"operation": "approve_requisition", "id": wanted["id"]}); err != nil {
				return err
			}
		}
		if err := p.order(ctx, "buy-"+text(wanted, "id"), wanted); err != nil {
			return err
		}
	}
	pending, err := p.list(ctx, "office_list", "purchase_orders", "pending_approval")
	if err != nil {
		return err
	}
	for _, order := range pending {
		id := text(order, "id")
		if _, err := p.may(ctx, "approved", "approve-"+id, "office_approve_purchase_order",
			object{"id": id}); err != nil {
			return err
		}
	}
	return nil
}

// refill orders the material that is low though nothing of it is under way: the truck for
// a requisition may have brought too little, and the Factory asks only once.
func (p *player) refill(ctx context.Context) error {
	stock, err := p.list(ctx, "factory_list", "stock_items", "")
	if err != nil {
		return err
	}
	orders, err := p.list(ctx, "office_list", "purchase_orders", "")
	if err != nil {
		return err
	}
	coming := map[string]bool{}
	for _, order := range orders {
		for _, line := range children(order, "lines") {
			more := text(order, "receipt_status") == "none" || number(line, "quantity_expected") > 0
			coming[text(line, "sku")] = coming[text(line, "sku")] || more
		}
	}
	for _, item := range stock {
		if text(item, "status") != "low" || coming[text(item, "sku")] {
			continue
		}
		line := object{"sku": item["sku"], "quantity": item["reorder_quantity"]}
		// No record asks for it, so that its key names the moment.
		if err := p.order(ctx, "refill-"+text(item, "sku")+"-"+p.moment, object{"lines": []any{line}}); err != nil {
			return err
		}
	}
	return nil
}

// order tries the suppliers of what is wanted, the quickest first.
func (p *player) order(ctx context.Context, key string, wanted object) error {
	suppliers, err := p.list(ctx, "office_list", "suppliers", "")
	if err != nil {
		return err
	}
	slices.SortStableFunc(suppliers, func(a, b object) int {
		return cmp.Compare(number(a, "lead_days_max"), number(b, "lead_days_max"))
	})
	for _, supplier := range suppliers {
		if !sells(supplier, wanted) {
			continue
		}
		order := object{"supplier_id": supplier["id"], "lines": lines(wanted)}
		if id := wanted["id"]; id != nil { // of a requisition
			order["requisition_id"] = id
		}
		ordered, err := p.may(ctx, "ordered", key, "office_create_purchase_order", order)
		if err != nil || ordered {
			return err
		}
	}
	return nil
}

// sells reports whether a supplier has all lines of a requisition in these
// quantities.
func sells(supplier, wanted object) bool {
	return !slices.ContainsFunc(children(wanted, "lines"), func(line object) bool {
		return !slices.ContainsFunc(children(supplier, "prices"), func(p object) bool {
			return p["sku"] == line["sku"] && number(p, "minimum_quantity") <= number(line, "quantity")
		})
	})
}

func lines(wanted object) []object {
	var all []object
	for _, line := range children(wanted, "lines") {
		all = append(all, object{"sku": line["sku"], "quantity": line["quantity"]})
	}
	return all
}

// sameGoods returns the id of the bill before another that is for the same goods, "" for none: the match does not tell
// that a bill has come twice.
func sameGoods(all []object, invoice object) string {
	for _, other := range all {
		if other["id"] == invoice["id"] {
			return "" // the oldest come first
		}
		if other["purchase_order_id"] == invoice["purchase_order_id"] &&
			number(other, "billed_minor") == number(invoice, "billed_minor") {
			return text(other, "id")
		}
	}
	return ""
}

// pay pays the invoices that match, the others at their matched amount, and the
// wages.
func (p *player) pay(ctx context.Context) error {
	invoices, err := p.list(ctx, "office_list", "supplier_invoices", "open")
	if err != nil {
		return err
	}
	all, err := p.list(ctx, "office_list", "supplier_invoices", "")
	if err != nil {
		return err
	}
	for _, invoice := range invoices {
		if text(invoice, "kind") != "materials" {
			continue // rent and the like are debited
		}
		arguments := object{"id": invoice["id"]}
		first := sameGoods(all, invoice)
		switch match := text(invoice, "match_status"); {
		case match == "no_receipt":
			continue // goods that have not come are not paid for
		case first != "":
			arguments["amount_minor"], arguments["duplicate_of"] = 0, first
		case match != "matched":
			arguments["amount_minor"] = invoice["matched_minor"]
		}
		if _, err := p.may(ctx, "paid", "pay-"+text(invoice, "id"), "office_pay_supplier_invoice",
			arguments); err != nil {
			return err
		}
	}
	wages, err := p.list(ctx, "office_list", "payroll_runs", "due")
	if err != nil {
		return err
	}
	for _, week := range wages {
		monday := text(week, "week_start")
		if _, err := p.may(ctx, "paid", "wages-"+monday, "office_run_payroll",
			object{"week_start": monday}); err != nil {
			return err
		}
	}
	return nil
}

// print gives each idle press the most urgent job that suits it and that there
// is material for.
func (p *player) print(ctx context.Context) error {
	jobs, err := p.waiting(ctx)
	if err != nil || len(jobs) == 0 {
		return err
	}
	slices.SortStableFunc(jobs, func(a, b object) int { return cmp.Compare(text(a, "due_date"), text(b, "due_date")) })
	presses, err := p.list(ctx, "factory_list", "presses", "")
	if err != nil {
		return err
	}
	stock, err := p.list(ctx, "factory_list", "stock_items", "")
	if err != nil {
		return err
	}
	onHand := map[string]float64{}
	for _, item := range stock {
		onHand[text(item, "sku")] = number(item, "on_hand")
	}
	for _, press := range presses {
		if text(press, "status") != "idle" {
			continue
		}
		for i, job := range jobs {
			if job == nil || !suits(job, press) || !enough(job, press, onHand) {
				continue
			}
			wanted, err := p.start(ctx, press, job)
			if err != nil {
				return err
			}
			if jobs[i] = nil; wanted {
				for _, need := range children(job, "material_needs") {
					onHand[text(need, "sku")] -= number(need, "quantity")
				}
				break
			}
		}
	}
	return nil
}

// start starts a run for a job. It returns false for a job without an order: its
// order has expired.
func (p *player) start(ctx context.Context, press, job object) (wanted bool, err error) {
	runs, _ := job["print_run_ids"].([]any)
	key := fmt.Sprintf("print-%s-%d", text(job, "id"), len(runs)+1)
	_, err = p.write(ctx, key, "factory_start_print_run",
		object{"press_id": press["id"], "work_order_id": job["id"], "overs_pct": oversPct})
	refused, ok := errors.AsType[*refusal](err)
	switch {
	case err == nil:
		p.done["printed"]++
	case ok && refused.Code == "invalid_state":
		p.unwanted[text(job, "id")] = true
		return false, nil
	case ok:
		return true, nil // another turn may have a press and an operator for it
	}
	return true, err
}

// suits reports whether a job is of the size of a press.
func suits(job, press object) bool {
	small := number(children(job, "material_needs")[0], "quantity") <= smallSheets
	return small == (text(press, "technology") == "digital")
}

// enough reports whether the stock on hand suffices to print a job with its
// overs and the make-ready.
func enough(job, press object, onHand map[string]float64) bool {
	for i, need := range children(job, "material_needs") {
		wanted := number(need, "quantity")
		if i == 0 { // the paper
			wanted = wanted*(1+oversPct/100.0) + number(press, "make_ready_sheets") + 1
		}
		if onHand[text(need, "sku")] < wanted {
			return false
		}
	}
	return true
}

// ship sends out the ready goods. Head Office bills them.
func (p *player) ship(ctx context.Context) error {
	jobs, err := p.list(ctx, "factory_list", "work_orders", "ready")
	if err != nil {
		return err
	}
	for _, job := range jobs {
		id := text(job, "id")
		if _, err := p.may(ctx, "shipped", "ship-"+id, "factory_create_shipment",
			object{"work_order_id": id}); err != nil {
			return err
		}
	}
	return nil
}

// score prints the result.
func (p *player) score(ctx context.Context) error {
	sandbox, err := p.must(ctx, "get_sandbox", object{})
	if err != nil {
		return err
	}
	score, _ := sandbox["score"].(object)
	fmt.Fprintf(p.out, "score: net worth %.2f, profit %.2f, %v orders shipped, %v %% of them on time, %v writes "+
		"refused\n", number(score, "net_worth_minor")/100, number(score, "profit_minor")/100, score["orders_shipped"],
		score["on_time_pct"], score["writes_refused"])
	return nil
}
