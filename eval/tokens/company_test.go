package tokens

import (
	"cmp"
	"slices"
	"time"
)

// job is a work order that waits for a press.
type job struct {
	id, sku, due string
	quantity     int64
}

// offer is a sales order that waits for an answer.
type offer struct {
	id, sku, due, answerBy string
	quantity               int64
}

// bill is a supplier's invoice.
type bill struct {
	id, due, discountUntil string
	matched                int64
}

// wish is a requisition that is approved and not ordered.
type wish struct {
	id, sku  string
	quantity int64
}

// item is a material in stock.
type item struct{ onHand, point, quantity int64 }

// truck is a delivery at the gate.
type truck struct {
	id    string
	loads map[string]int64
}

// press is a press; its data stay the same.
type press struct {
	id                                  string
	makeReady, makeReadySheets, perHour int64
	plates                              bool
}

// product has the needs of one unit.
type product struct {
	paper                           string
	sheets, inkUnits, plates, after int64
}

// company is the part of it that the rules see.
type company struct {
	date   string
	minute int64 // of the working day
	cash   int64

	offers         []offer
	lots           []string
	print          []job
	ready          []string
	trucks         []truck
	idle           []string // presses
	stock          map[string]item
	wishes         []wish
	requisitions   []string // that wait for approval
	purchaseOrders []string // that do
	bills          []bill
	weeks          []string // whose wages can be paid
}

// command is an operation with its id and fields, in the order in which they are written.
type command struct {
	operation, id string
	fields        []field
}

type field struct {
	name  string
	value any
}

// rules play as the planner of package player does, as far as that needs no market.
type rules struct {
	products map[string]product
	presses  []press
	// coming are orders that have not arrived: an agent remembers them.
	coming map[string]int64
}

func newRules() *rules { return &rules{products: map[string]product{}, coming: map[string]int64{}} }

const (
	overs       = 5
	smallSheets = 450
	maxDigital  = 2200
	maxGang     = 6
	gangMinutes = 300
	dayMinutes  = 480
	// comfort is the cash to keep before bills are paid early, least before anything is bought.
	comfort, least = 2_000_000, 800_000
)

// day reads a date.
func day(date string) time.Time {
	t, _ := time.Parse(time.DateOnly, date[:min(len(date), len(time.DateOnly))])
	return t
}

// days is how many working days are left until a date.
func days(from, to string) int64 {
	n := int64(0)
	for at := day(from); at.Before(day(to)); at = at.AddDate(0, 0, 1) {
		if w := at.Weekday(); w != time.Saturday && w != time.Sunday {
			n++
		}
	}
	return n
}

// commands are those that the rules send now.
func (r *rules) commands(c *company) []command {
	var all []command
	add := func(operation, id string, fields ...field) { all = append(all, command{operation, id, fields}) }
	for _, week := range c.weeks {
		add("run_payroll", "", field{"week_start", week})
	}
	for _, b := range c.bills {
		early := b.discountUntil != "" && c.date <= b.discountUntil && c.cash > comfort
		if b.matched > 0 && b.matched < c.cash && (early || days(c.date, b.due) <= 1) {
			c.cash -= b.matched
			add("pay_supplier_invoice", b.id, field{"amount_minor", b.matched})
		}
	}
	for _, truck := range c.trucks {
		add("create_factory_goods_receipt", "", field{"delivery_id", truck.id})
		for sku, quantity := range truck.loads {
			r.coming[sku] = max(0, r.coming[sku]-quantity)
			i := c.stock[sku]
			i.onHand += quantity
			c.stock[sku] = i
		}
	}
	for _, id := range c.ready {
		add("create_factory_shipment", "", field{"work_order_id", id})
	}
	waiting := slices.Clone(c.print)
	for _, o := range c.offers {
		if r.fits(c, o, waiting) {
			add("accept_sales_order", o.id)
			waiting = append(waiting, job{sku: o.sku, due: o.due, quantity: o.quantity})
		} else if c.date >= o.answerBy {
			add("decline_sales_order", o.id)
		}
	}
	for _, id := range c.lots {
		add("decline_contract_lot", id)
	}
	all = append(all, r.prints(c)...)
	for _, id := range c.requisitions {
		add("approve_requisition", id)
	}
	for _, id := range c.purchaseOrders {
		add("approve_purchase_order", id)
	}
	return append(all, r.buys(c)...)
}

// buys refills what falls below its reorder point once the work at hand is printed.
func (r *rules) buys(c *company) []command {
	const urgentDays, spareSheets, quickLeast, millLeast = 5, 1500, 1000, 4000
	var all []command
	if c.cash < least {
		return nil
	}
	for _, sku := range []string{"mat_coated", "mat_uncoated", "mat_board", "mat_ink", "mat_plate"} {
		needed, urgent := int64(0), false
		for _, j := range c.print {
			n := r.measure(r.presses[len(r.presses)-1], j)
			switch sku {
			case "mat_ink":
				needed += n.ink
			case "mat_plate":
				needed += n.plates
			case r.products[j.sku].paper:
				needed += n.sheets
				urgent = urgent || days(c.date, j.due) < urgentDays
			}
		}
		i := c.stock[sku]
		position := i.onHand + r.coming[sku] - needed
		supplier, quantity := "sup_mill", max(i.quantity, i.point-position+i.quantity/2, millLeast)
		switch paper := sku != "mat_ink" && sku != "mat_plate"; {
		case paper && urgent && position < 0:
			supplier, quantity = "sup_quick", max(quickLeast, spareSheets-position)
		case position >= i.point:
			continue
		case !paper:
			supplier, quantity = "sup_chroma", i.quantity
		}
		fields := []field{{"supplier_id", supplier}, {"lines", []map[string]any{{"sku": sku, "quantity": quantity}}}}
		if at := slices.IndexFunc(c.wishes, func(w wish) bool { return w.sku == sku }); at >= 0 {
			fields = append(fields, field{"requisition_id", c.wishes[at].id})
		}
		all = append(all, command{"create_purchase_order", "", fields})
		r.coming[sku] += quantity
	}
	return all
}

// fits reports whether an order can be made by the day on which it is due.
func (r *rules) fits(c *company, o offer, waiting []job) bool {
	ahead := r.shortest(job{sku: o.sku, quantity: o.quantity})
	for _, j := range waiting {
		if j.due <= o.due {
			ahead += r.shortest(j)
		}
	}
	room := (days(c.date, o.due)+1)*dayMinutes - c.minute - r.products[o.sku].after
	return ahead < room // two presses, half of whose time orders may fill
}

// need has the needs of a run.
type need struct{ sheets, ink, plates, minutes int64 }

func (r *rules) measure(p press, jobs ...job) need {
	n := need{sheets: p.makeReadySheets}
	for _, j := range jobs {
		of := r.products[j.sku]
		n.sheets += (j.quantity*of.sheets*(100+overs) + 99) / 100
		n.ink += (j.quantity + of.inkUnits - 1) / of.inkUnits
		if p.plates {
			n.plates = max(n.plates, of.plates)
		}
	}
	n.minutes = p.makeReady + (n.sheets*60+p.perHour-1)/p.perHour
	return n
}

// shortest is how many minutes a job takes on the faster press.
func (r *rules) shortest(j job) int64 {
	least := int64(dayMinutes)
	for _, p := range r.presses {
		least = min(least, r.measure(p, j).minutes)
	}
	return least
}

// prints starts the presses that are idle.
func (r *rules) prints(c *company) []command {
	var all []command
	waiting := slices.Clone(c.print)
	for _, p := range slices.Backward(r.presses) {
		if !slices.Contains(c.idle, p.id) {
			continue
		}
		score := func(j job) int64 {
			at, sheets := days(c.date, j.due)*dayMinutes, r.measure(p, j).sheets
			switch {
			case p.plates && sheets < smallSheets:
				at += dayMinutes
			case !p.plates && sheets >= smallSheets:
				at += 2 * dayMinutes
			}
			return at
		}
		slices.SortStableFunc(waiting, func(a, b job) int { return cmp.Compare(score(a), score(b)) })
		var run []job
		for _, j := range waiting {
			more := append(slices.Clone(run), j)
			n := r.measure(p, more...)
			stocked := c.stock[r.products[j.sku].paper].onHand >= n.sheets &&
				c.stock["mat_ink"].onHand >= n.ink && c.stock["mat_plate"].onHand >= n.plates
			alone := len(run) == 0 && (p.plates || n.sheets <= maxDigital)
			ganged := len(run) > 0 && len(run) < maxGang && n.minutes <= gangMinutes &&
				r.products[run[0].sku].paper == r.products[j.sku].paper
			if stocked && (alone || ganged) {
				run = more
			}
		}
		if len(run) == 0 {
			continue
		}
		ids := make([]string, len(run))
		for i, j := range run {
			ids[i] = j.id
		}
		n := r.measure(p, run...)
		for sku, taken := range map[string]int64{
			r.products[run[0].sku].paper: n.sheets, "mat_ink": n.ink, "mat_plate": n.plates,
		} {
			i := c.stock[sku]
			i.onHand -= taken
			c.stock[sku] = i
		}
		started := func(j job) bool { return slices.Contains(ids, j.id) }
		waiting, c.print = slices.DeleteFunc(waiting, started), slices.DeleteFunc(c.print, started)
		all = append(all, command{"start_print_run", "",
			[]field{{"press_id", p.id}, {"work_order_ids", ids}, {"overs_pct", overs}}})
	}
	return all
}
