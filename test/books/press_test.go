package books

import (
	"cmp"
	"fmt"
	"slices"
)

// workOrders compares each work order with its runs and its order.
func (a *auditor) workOrders() {
	good, named := map[string]int64{}, map[string][]string{}
	for _, r := range a.list[runs] {
		for _, item := range lines(r, "items") {
			id := text(item, "work_order_id")
			good[id] += number(item, "quantity_good")
			named[id] = append(named[id], text(r, "id"))
		}
	}
	byID := index(a.list[work], "id")
	for _, w := range a.list[work] {
		id, product := text(w, "id"), a.product(w)
		same(a.tally, "work: good is the sum of its runs", id, number(w, "quantity_good"), good[id])
		a.is("work: it names its runs", slices.Equal(texts(w, "print_run_ids"), named[id]), "%s", id)
		left := number(w, "quantity") - number(w, "quantity_good") - number(w, "quantity_from_stock")
		a.is("work: never more than was asked", left >= 0, "%s: %d", id, left)
		done := slices.Contains([]string{"ready", "shipped", "stocked"}, text(w, "status"))
		all, short := number(w, "quantity_ready") == number(w, "quantity"), text(w, "status") == "shipped" &&
			number(w, "quantity_shipped") < number(w, "quantity")
		same(a.tally, "work: done is ready_on and all units", id, given(w, "ready_on"), all)
		same(a.tally, "work: done is ready_on and all units", id, done, all || short)
		a.is("work: done is ready_on and all units", !all || left == 0, "%s lacks %d", id, left)
		needs := map[string]int64{}
		for _, n := range lines(w, "material_needs") {
			needs[text(n, "sku")] = number(n, "quantity")
		}
		if text(w, "status") == "shipped" {
			left = 0 // a final part left the rest out
		}
		paper := text(product, "paper_sku")
		same(a.tally, "work: needs are for what is left", id, needs[paper], left*number(product, "sheets_per_unit"))
		same(a.tally, "work: needs are for what is left", id, needs["mat_ink"],
			upTo(left, number(product, "ink_units_per_can")))
	}
	for _, o := range a.list[orders] {
		w := byID[text(o, "bridged_work_order_id")]
		a.is("work: the bridge copies the order", a.auto() || w == nil, "%s", text(o, "id"))
		if w != nil {
			same(a.tally, "work: the bridge copies the order", text(o, "id"),
				fmt.Sprint(text(w, "reference"), text(w, "sku"), number(w, "quantity"), text(w, "due_date")),
				fmt.Sprint(text(o, "id"), text(o, "sku"), number(o, "quantity"), text(o, "due_date")))
		}
	}
}

// ready recomputes how much of each work order can leave: finishing works per run (contract: OPEN.PART.READY), and
// takes twice as long without a finisher. A finisher who fell ill or left that day may have been there or not.
func (a *auditor) ready() {
	finishers, there := map[string]bool{}, map[int]bool{}
	for _, e := range a.list[employees] {
		finishers[text(e, "badge_no")] = text(e, "role") == "finisher" && !given(e, "left_on")
	}
	for _, day := range a.list[attendance] {
		if finishers[text(day, "badge_no")] && text(day, "absence") == "none" {
			there[dayOf(text(day, "date"))] = true
		}
	}
	now := object(a.status, "clock")
	minute := minuteOf(text(now, "sim_date") + "T" + text(now, "sim_time"))
	byID := index(a.list[work], "id")
	least, most, running := map[string]int64{}, map[string]int64{}, map[string]bool{}
	for _, r := range a.list[runs] {
		for _, item := range lines(r, "items") {
			id := text(item, "work_order_id")
			if text(r, "status") == "running" {
				running[id] = true
				continue
			}
			end := minuteOf(text(r, "completed_sim"))
			takes := int(number(a.made[text(byID[id], "sku")], "finishing_minutes"))
			twice := end + 2*takes
			if there[end/minutesOfDay] {
				twice = end + takes
			}
			if minute >= twice {
				least[id] += number(item, "quantity_good")
			}
			if minute >= end+takes {
				most[id] += number(item, "quantity_good")
			}
		}
	}
	for _, w := range a.list[work] {
		id, ready := text(w, "id"), number(w, "quantity_ready")-number(w, "quantity_from_stock")
		if least[id] == most[id] {
			same(a.tally, "work: ready is what finishing has ended for", id, ready, least[id])
		} else {
			a.is("work: ready is what finishing may have ended for", ready >= least[id] && ready <= most[id],
				"%s: %d, want %d to %d", id, ready, least[id], most[id])
		}
		if ready > 0 && number(w, "quantity_ready") < number(w, "quantity") {
			a.seen("units that are ready before the rest")
		}
		want := "finishing"
		switch over, _ := a.over(w); {
		case over && (a.auto() || number(w, "quantity_from_stock") > 0),
			slices.Contains([]string{"shipped", "stocked"}, text(w, "status")):
			want = "nothing"
		case text(w, "status") == "ready":
			want = "shipment"
		case running[id]:
			want = "run"
		case number(w, "quantity_good") < number(w, "quantity")-number(w, "quantity_from_stock"):
			want = "press"
		}
		same(a.tally, "work: it waits for what comes next", id, text(w, "waits_for"), want)
	}
}

// product is how the product of a work order is made.
func (a *auditor) product(w row) row { return a.made[text(w, "sku")] }

// printRuns recomputes the material of each run, and its outcome.
func (a *auditor) printRuns() {
	machines, orders, moved := index(a.list[presses], "id"), index(a.list[work], "id"), grouped(a.list[moves],
		"reference_id")
	last := map[string]string{}
	for _, r := range a.byStart() {
		id, press, items := text(r, "id"), machines[text(r, "press_id")], lines(r, "items")
		makeReady, plates, ink := number(press, "make_ready_sheets"), int64(0), int64(0)
		if last[text(press, "id")] == text(orders[text(items[0], "work_order_id")], "sku") {
			makeReady /= 2
		}
		sheets, wasted := makeReady, number(r, "sheets_planned")
		for _, item := range items {
			w := orders[text(item, "work_order_id")]
			product, units := a.product(w), number(item, "quantity_planned")
			each := number(product, "sheets_per_unit")
			sheets += upTo(units*each*(hundredPercent+number(r, "overs_pct")), hundredPercent)
			ink += upTo(units, number(product, "ink_units_per_can"))
			wasted -= number(item, "quantity_good") * each
			if yes(press, "uses_plates") {
				plates = max(plates, number(product, "plates_per_run"))
			}
			last[text(press, "id")] = text(w, "sku")
			same(a.tally, "run: one paper", id, text(product, "paper_sku"), text(r, "paper_sku"))
			if text(r, "status") == "completed" {
				same(a.tally, "run: good and short are what was planned", id, units,
					number(item, "quantity_good")+number(item, "quantity_short"))
			}
		}
		a.is("run: six at most", len(items) >= 1 && len(items) <= 6, "%s: %d", id, len(items))
		same(a.tally, "run: the sheets of make-ready", id, number(r, "sheets_make_ready"), makeReady)
		same(a.tally, "run: sheets", id, number(r, "sheets_planned"), sheets)
		same(a.tally, "run: ink", id, number(r, "ink_cans_used"), ink)
		same(a.tally, "run: plates", id, number(r, "plates_used"), plates)
		same(a.tally, "run: clicks", id, number(r, "clicks_minor"), sheets*number(press, "click_minor_per_sheet"))
		taken, surplus := map[string]int64{}, int64(0)
		for _, m := range moved[id] {
			switch text(m, "kind") {
			case "issue":
				taken[text(m, "sku")] -= number(m, "quantity")
			case "output":
				surplus += number(m, "quantity") * number(a.product(m), "sheets_per_unit")
			}
		}
		same(a.tally, "run: its material left the shelf", id, taken[text(r, "paper_sku")], sheets)
		same(a.tally, "run: its material left the shelf", id, taken["mat_ink"], ink)
		same(a.tally, "run: its material left the shelf", id, taken["mat_plate"], plates)
		if text(r, "status") == "completed" {
			same(a.tally, "run: waste is what became nothing", id, number(r, "sheets_wasted"), wasted-surplus)
		}
	}
}

// byStart are the runs in the order in which they began.
func (a *auditor) byStart() []row {
	all := slices.Clone(a.list[runs])
	slices.SortStableFunc(all, func(x, y row) int {
		return cmp.Compare(text(x, "started_sim"), text(y,
			"started_sim"))
	})
	return all
}

// occupation checks that no press and no operator is in two runs at once, and that the operator had come to work.
func (a *auditor) occupation() {
	there := map[string]bool{}
	for _, day := range a.list[attendance] {
		there[text(day, "badge_no")+" "+text(day, "date")] = text(day, "absence") == "none"
	}
	roles, busy := index(a.list[employees], "badge_no"), map[string]int{}
	for _, r := range a.byStart() {
		start, end, badge := minuteOf(text(r, "started_sim")), minuteOf(text(r, "ends_sim")), text(r,
			"operator_badge_no")
		for _, name := range []string{text(r, "press_id"), badge} {
			a.is("run: no press and no operator twice at once", start >= busy[name], "%s: %s is busy", text(r, "id"),
				name)
			busy[name] = end
		}
		date := text(r, "started_sim")[:len("2006-01-02")]
		a.is("run: its operator is at work", there[badge+" "+date], "%s: %s on %s", text(r, "id"), badge, date)
		same(a.tally, "run: its operator is one", text(r, "id"), text(roles[badge], "role"), "operator")
	}
}
