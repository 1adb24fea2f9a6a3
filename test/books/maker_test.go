package books

import (
	"cmp"
	"slices"
	"strings"
)

// make starts runs on the presses that are idle.
func (p *player) make() {
	for _, press := range p.all(presses) {
		if text(press, "status") != "idle" || p.maybe(10) {
			continue
		}
		waiting := p.all(work + "?waits_for=press")
		if len(waiting) == 0 {
			return
		}
		slices.SortStableFunc(waiting, func(a, b row) int {
			return cmp.Compare(cmp.Or(text(a, "due_date"), "9"), cmp.Or(text(b, "due_date"), "9"))
		})
		gang := p.gang(waiting, text(press, "id") == "prs_digital")
		body := row{"press_id": text(press, "id"), "work_order_ids": gang}
		if p.maybe(80) {
			body["overs_pct"] = one(p, []int{0, 2, 4, 5, 5, 8, 12, 20})
		}
		if code := p.do(runs, body); code == "insufficient_stock" && len(gang) > 1 {
			body["work_order_ids"] = gang[:1]
			p.do(runs, body)
		}
	}
}

// gang takes work orders on the paper of one of those that are due first.
func (p *player) gang(waiting []row, small bool) []string {
	first := waiting[0]
	if p.maybe(25) {
		first = one(p, waiting)
	}
	most, left := one(p, []int{1, 1, 2, 3, 4, 6}), int64(9000)
	if small {
		left = 2500
	}
	gang := []string{text(first, "id")}
	for _, w := range waiting {
		left -= number(w, "quantity") * number(p.made[text(w, "sku")], "sheets_per_unit")
		alike := text(p.made[text(w, "sku")], "paper_sku") == text(p.made[text(first, "sku")], "paper_sku")
		if len(gang) < most && left > 0 && alike && text(w, "id") != gang[0] {
			gang = append(gang, text(w, "id"))
		}
	}
	return gang
}

// carry is the bridge of a company that has none: some it forgets for ever, some it bills before the goods leave.
func (p *player) carry(status row) {
	for _, list := range []string{orders, lots} {
		for _, o := range p.all(list + "?status=accepted") {
			p.carryOrder(o, list == lots)
		}
	}
	p.billParcels()
	for _, q := range p.all(requisitions + "?status=open") {
		if p.once(q) {
			line := row{"sku": text(q, "sku"), "quantity": number(q, "quantity")}
			p.do(requests, row{"lines": []row{line}, "reference": text(q, "id"), "needed_by": text(q, "needed_by")})
		}
	}
	numbers := index(p.all(purchases), "number")
	for _, g := range p.all(counted) {
		if ordered := numbers[text(g, "purchase_order_number")]; ordered != nil && p.maybe(85) && p.once(g) {
			p.do(receipts, row{
				"purchase_order_id": text(ordered, "id"), "reference": text(g, "id"), "lines": g["lines"],
			})
		}
	}
	p.carryHours(int(number(object(status, "clock"), "day_number")))
}

// once tells whether a record was not carried before.
func (p *player) once(r row) bool {
	id := text(r, "id")
	if p.carried[id] {
		return false
	}
	p.carried[id] = true
	return true
}

func (p *player) carryOrder(o row, lot bool) {
	if !p.once(o) || p.maybe(3) { // never to be made
		return
	}
	due := "due_date"
	if lot {
		due = "deliver_by"
	}
	reference := text(o, one(p, []string{"id", "id", "id", "number"}))
	if p.maybe(10) {
		reference = strings.ToUpper(reference)
	}
	p.do(work, row{
		"sku": text(o, "sku"), "quantity": number(o, "quantity"), "reference": reference, "due_date": text(o, due),
	})
	if p.maybe(6) { // before the goods leave
		p.bill(text(o, "id"), "")
	} else if p.maybe(6) && !lot { // a part of them
		p.do(bills, row{"sales_order_id": text(o, "id"), "quantity": 1 + p.chance.Int64N(number(o, "quantity"))})
	}
}

// bill bills an order or a lot once.
func (p *player) bill(reference, departure string) {
	name := strings.ToLower(reference)
	if p.carried["bill of "+name] {
		return
	}
	p.carried["bill of "+name] = true
	body := row{"sales_order_id": reference}
	if strings.HasPrefix(name, "lot") {
		body = row{"contract_lot_id": reference}
	}
	if departure != "" {
		body["factory_shipment_ref"] = departure
	}
	p.do(bills, body)
}

// carryHours records the timesheet of the week before, at times with a day too little of someone.
func (p *player) carryHours(day int) {
	week := day/workingDays - 1
	if week < 0 || day%workingDays > 3 || p.maybe(70) || p.carried[mondayOf(week)] {
		return
	}
	p.carried[mondayOf(week)] = true
	byBadge := map[string]row{}
	var entries []row
	for _, a := range p.all(attendance + "?week_start=" + mondayOf(week)) {
		badge := text(a, "badge_no")
		if byBadge[badge] == nil {
			byBadge[badge] = row{"badge_no": badge, "hours_worked": int64(0), "hours_sick": int64(0),
				"hours_leave": int64(0)}
			entries = append(entries, byBadge[badge])
		}
		kind := map[string]string{"none": "hours_worked", "sick": "hours_sick", "leave": "hours_leave"}[text(a,
			"absence")]
		byBadge[badge][kind] = byBadge[badge][kind].(int64) + hoursAtWork
	}
	if len(entries) == 0 {
		return
	}
	if entry := one(p, entries); p.maybe(25) && entry["hours_worked"].(int64) > 0 {
		entry["hours_worked"] = entry["hours_worked"].(int64) - hoursAtWork
	}
	p.do(timesheets, row{"week_start": mondayOf(week), "entries": entries})
}

// hoursAtWork are the hours of a working day.
const hoursAtWork = 8

// chances are the rarer things: work for the shelf, the market, people, triggers, and requests that are wrong.
func (p *player) chances() {
	if p.maybe(4) {
		p.do(work, row{"sku": one(p, []string{"prd_notebook", "prd_calendar"}), "quantity": 5 + p.chance.IntN(40)})
	}
	if p.maybe(5) {
		p.trade()
	}
	if p.maybe(20) {
		p.staff()
	}
	if p.GradingKey == "" && p.maybe(5) {
		kind := one(p, []string{
			"payment_outage", "customer_disputes", "customer_pays", "customer_pays_late", "stock_low", "truck_short",
			"truck_damaged", "truck_late", "wrong_bill", "employee_sick", "rush_order", "contract_lot", "leave",
			"press_down", "employee_quits", "major_order", "order",
		})
		if answer := p.ask("/sandbox/triggers", row{"type": kind}); kind == "customer_disputes" && answer.Code() == "" {
			p.disputing[text(answer.Data(), "id")] = true
		}
	}
	if draw := p.supplies.IntN(hundredPercent); p.GradingKey == "" && draw < p.inTrucks {
		p.do("/sandbox/triggers", row{"type": []string{"truck_in_two", "bill_twice"}[draw%2]})
	}
	if p.maybe(5) { // a wrong request
		p.do(departures, row{"work_order_id": "wo_none"})
		p.do(orders+"/so_none/accept", nil)
		p.do(bills, row{"sales_order_id": text(one(p, p.all(orders)), "id")})
	}
}

func (p *player) trade() {
	quote := one(p, p.all("/office/market"))
	sku := text(quote, "sku")
	if given(quote, "ask_minor") && p.maybe(60) {
		p.do("/office/market", row{"side": "buy", "sku": sku, "quantity": 1 + p.chance.IntN(800)})
		return
	}
	for _, item := range p.all(stock) {
		if onHand := number(item, "on_hand"); text(item, "sku") == sku && onHand > 0 {
			quantity := min(20000, 1+p.chance.Int64N(onHand/5+1))
			if sku == "mat_waste" { // sold by the kilogram, kept by the gram
				quantity = max(1, onHand/2000)
			}
			p.do("/office/market", row{"side": "sell", "sku": sku, "quantity": quantity})
		}
	}
}

func (p *player) staff() {
	here := map[string]int{}
	var all []row
	for _, e := range p.all(employees) {
		if text(e, "status") != "left" {
			here[text(e, "role")]++
			all = append(all, e)
		}
	}
	for _, role := range []string{"operator", "operator", "finisher", "warehouse", "bookkeeper", "sales"} {
		if here[role] == 0 && p.maybe(50) || p.chance.IntN(400) == 0 {
			p.do(employees, row{"role": role})
		}
	}
	if len(all) > 4 && p.maybe(4) {
		p.do(employees+"/"+text(one(p, all), "id")+"/dismiss", row{"reason": "no work"})
	}
}
