package books

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"platen/test/testclient"
)

// steps are the minutes that pass between two looks.
var steps = []int{30, 60, 60, 90, 120, 240}

// player plays a company at random, but as a printer would: most of it is right, some is late, some is wrong.
type player struct {
	*company

	chance *rand.Rand
	// supplies is for what suppliers do beside: the rest of a life stays as it is drawn.
	supplies *rand.Rand
	manual   bool
	// paper is that of each product, made is how the product is printed.
	made map[string]row
	// carried are the records that were carried to the other system, or never will be.
	carried map[string]bool
	keys    int
	// parts are the plans of the work orders that go in parts, nil for one that goes whole; accounts are how the
	// parcels of an order are billed by hand.
	parts   map[string]*plan
	inParts int
	// inTrucks is how often, of a hundred looks, a supplier is made to send two trucks, or to bill twice.
	inTrucks int
	accounts map[string]*account
	// answers has the checks of what the company answered to a request, disputing the invoices whose customers were
	// made to dispute them.
	answers   *tally
	disputing map[string]bool
}

func newPlayer(c *company, l life) *player {
	seed := uint64(l.seed)
	status := c.get("/sandbox")
	return &player{
		company: c,
		chance:  rand.New(rand.NewPCG(seed, seed)), supplies: rand.New(rand.NewPCG(seed, seed+1)),
		manual:  text(status, "bridge") == "manual",
		made:    index(c.all(products), "sku"),
		carried: map[string]bool{},
		parts:   map[string]*plan{}, inParts: cmp.Or(l.parts, 35), inTrucks: l.supplies,
		accounts: map[string]*account{},
		answers:  newTally(), disputing: map[string]bool{},
	}
}

// maybe is true in so many cases of a hundred.
func (p *player) maybe(percent int) bool { return p.chance.IntN(hundredPercent) < percent }

// one draws one of several.
func one[T any](p *player, of []T) T { return of[p.chance.IntN(len(of))] }

// do sends a write. A refusal is as good: the books must hold after it, too.
func (p *player) do(path string, body any) (code string) { return p.ask(path, body).Code() }

// ask sends a write and returns the answer.
func (p *player) ask(path string, body any) *testclient.Answer {
	sent := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		sent = string(encoded)
	}
	p.keys++
	answer := p.send(http.MethodPost, path, sent, "Idempotency-Key", fmt.Sprintf("books-%d", p.keys))
	if answer.Status >= http.StatusInternalServerError {
		p.t.Errorf("%s: %d %s", answer.Asked, answer.Status, answer.Raw)
	}
	return answer
}

// to plays until a working day, or the end of the company.
func (p *player) to(day int) {
	for {
		status := p.get("/sandbox")
		now := object(status, "clock")
		if text(status, "status") != "active" || int(number(now, "day_number")) >= day {
			return
		}
		p.sell(status)
		p.buy(status)
		p.pay(text(now, "sim_date"))
		p.make()
		if p.manual {
			p.carry(status)
		}
		p.chances()
		switch draw := p.chance.IntN(10); {
		case draw < 7:
			p.tick(row{"minutes": one(p, steps)})
		case draw < 9:
			p.tick(row{"minutes": minutesOfDay, "until": row{"event_types": []string{
				"office.sales_order.received", "office.contract_lot.offered", "office.supplier_invoice.received",
				"factory.delivery.arrived", "hr.payroll.due", "factory.print_run.completed",
			}}})
		default:
			p.tick(row{"minutes": 240, "until": row{"event_types": []string{"*"}}})
		}
	}
}

func (p *player) tick(body row) {
	if code := p.do("/sandbox/tick", body); code != "" {
		p.t.Fatalf("a tick is refused: %s", code)
	}
}

// sell answers orders and lots, and sends goods.
func (p *player) sell(status row) {
	busy := number(object(status, "counts"), "work_orders_to_print") > 12
	for _, o := range p.all(orders + "?status=received") {
		switch draw := p.chance.IntN(hundredPercent); {
		case draw < 75 && !busy || draw < 40:
			p.do(orders+"/"+text(o, "id")+"/accept", nil)
		case draw < 80:
			p.do(orders+"/"+text(o, "id")+"/decline", row{"reason": "no press is free"})
		}
	}
	for _, l := range p.all(lots + "?status=offered") {
		switch draw := p.chance.IntN(hundredPercent); {
		case draw < 10 && !busy:
			p.do(lots+"/"+text(l, "id")+"/accept", nil)
		case draw > 85:
			p.do(lots+"/"+text(l, "id")+"/decline", nil)
		}
	}
	for _, w := range p.all(work + "?status=printing") { // units of a short run before the rest
		if p.goesInParts(w) {
			p.sendPart(w)
		}
	}
	for _, w := range p.all(work + "?status=ready") {
		if text(w, "waits_for") == "nothing" && !p.maybe(10) || p.maybe(10) {
			continue
		}
		if p.goesInParts(w) {
			p.sendPart(w)
			continue
		}
		if !p.manual && p.maybe(20) { // through the other door
			p.do(bills, row{"sales_order_id": text(w, "reference")})
			continue
		}
		p.do(departures, row{"work_order_id": text(w, "id")})
	}
}

// buy turns requisitions into purchase orders and counts trucks in.
func (p *player) buy(status row) {
	for _, q := range p.all(requests + "?status=received") {
		switch draw := p.chance.IntN(hundredPercent); {
		case draw < 85:
			p.do(requests+"/"+text(q, "id")+"/approve", nil)
		case draw < 88:
			p.do(requests+"/"+text(q, "id")+"/reject", row{"reason": "too dear"})
		}
	}
	sellers := p.all(suppliers)
	for _, q := range p.all(requests + "?status=approved") {
		if !given(q, "purchase_order_id") && p.maybe(90) {
			first := lines(q, "lines")[0]
			p.order(sellers, text(first, "sku"), number(first, "quantity"), text(q, "id"))
		}
	}
	under := map[string]bool{}
	for _, o := range p.all(purchases) {
		if text(o, "receipt_status") == "none" {
			for _, l := range lines(o, "lines") {
				under[text(l, "sku")] = true
			}
		}
		if text(o, "status") == "pending_approval" && p.maybe(90) {
			p.do(purchases+"/"+text(o, "id")+"/approve", nil)
		}
	}
	for _, item := range p.all(stock) {
		if text(item, "status") == "low" && !under[text(item, "sku")] && number(status, "cash_minor") > 0 &&
			p.maybe(35) {
			p.order(sellers, text(item, "sku"), number(item, "reorder_quantity"), "")
		}
	}
	for _, d := range p.all(deliveries + "?status=arrived") {
		switch draw := p.chance.IntN(hundredPercent); {
		case draw < 70:
			p.do(counted, row{"delivery_id": text(d, "id")})
		case draw < 90:
			p.do(counted, row{"delivery_id": text(d, "id"), "lines": p.someOf(d)})
		}
	}
}

// order orders a material from one of those who have it, at times more than one.
func (p *player) order(sellers []row, sku string, quantity int64, requisition string) {
	sells := func(s row) bool {
		return slices.ContainsFunc(lines(s, "prices"), func(price row) bool { return text(price, "sku") == sku })
	}
	var able []row
	for _, s := range sellers {
		if sells(s) && !yes(s, "on_hold") {
			able = append(able, s)
		}
	}
	if len(able) == 0 {
		return
	}
	seller := one(p, able)
	var wanted []row
	for _, price := range lines(seller, "prices") {
		if text(price, "sku") == sku {
			wanted = append(wanted, row{"sku": sku, "quantity": max(quantity, number(price, "minimum_quantity"))})
		} else if p.maybe(8) {
			wanted = append(wanted, row{"sku": text(price, "sku"), "quantity": number(price, "minimum_quantity")})
		}
	}
	body := row{"supplier_id": text(seller, "id"), "lines": wanted}
	if requisition != "" {
		body["requisition_id"] = requisition
	}
	p.do(purchases, body)
}

// someOf counts a truck in with its damage, and at times sends more of it back.
func (p *player) someOf(delivery row) []row {
	var all []row
	for _, l := range lines(delivery, "lines") {
		there, back := number(l, "quantity_counted"), number(l, "quantity_damaged")
		if p.maybe(40) {
			back = min(there, back+p.chance.Int64N(there/5+1))
		}
		all = append(all, row{"sku": text(l, "sku"), "quantity_accepted": there - back, "quantity_rejected": back})
	}
	return all
}

// repeated is another bill for the same goods of an order, "" for none.
func (p *player) repeated(b row) string {
	for _, other := range p.all(supplierBills + "?purchase_order_id=" + text(b, "purchase_order_id")) {
		if text(other, "id") != text(b, "id") && goods(other) == goods(b) {
			return text(other, "id")
		}
	}
	return ""
}

// pay pays suppliers, early, late or never, and the crew, at times too late.
func (p *player) pay(today string) {
	for _, b := range p.all(supplierBills + "?kind=materials") {
		if text(b, "status") == "paid" {
			continue
		}
		path, due := supplierBills+"/"+text(b, "id")+"/pay", text(b, "due_date") <= today
		early := given(b, "discount_until") && text(b, "discount_until") >= today
		if first := p.repeated(b); first != "" && p.supplies.IntN(hundredPercent) < 30 {
			p.do(path, row{"amount_minor": 0, "duplicate_of": first})
			continue
		}
		switch draw := p.chance.IntN(hundredPercent); {
		case text(b, "match_status") != "matched":
			if due && draw < 60 || draw < 5 {
				p.do(path, row{"amount_minor": number(b, one(p, []string{"matched_minor", "matched_minor",
					"billed_minor"}))})
			}
		case early && draw < 15:
			p.do(path, row{"amount_minor": number(b, "billed_minor") - number(b, "discount_minor")})
		case early && draw < 30 || due && draw < 45:
			p.do(path, row{"note": "as agreed"})
		}
	}
	for _, run := range p.all(payrolls) {
		if text(run, "status") != "paid" && given(run, "timesheet_id") && p.maybe(12) {
			p.do(payrolls, row{"week_start": text(run, "week_start")})
		}
	}
}
