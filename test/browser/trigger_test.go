package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"platen/platentest"
)

// chooses picks an option of a list.
func (x *tab) chooses(selector, value string) {
	x.Helper()
	x.until(`document.querySelector(` + quote(selector+` option[value=`+quote(value)+`]`) + `)`)
	eval[any](x, `(() => { const e = document.querySelector(`+quote(selector)+`); e.value = `+quote(value)+
		`; e.dispatchEvent(new Event('change', { bubbles: true })); })()`)
}

// inEveryLook brings an element into the window and has it looked at.
func (x *tab) inEveryLook(selector, where, name string) {
	x.Helper()
	for _, l := range looks {
		x.inLook(l, selector, where, name)
	}
}

// inLook brings an element into a window of one look.
func (x *tab) inLook(l look, selector, where, name string) {
	x.Helper()
	x.look(l)
	eval[any](x, `document.querySelector(`+quote(selector)+`).scrollIntoView({ block: 'center' })`)
	x.accessible(where + " " + l.String())
	x.shot(name + "-" + l.String())
}

// TestATriggerIsPulledInTheConsole: a rush order of ten cards comes now and is in
// the feed, an illness tomorrow.
func TestATriggerIsPulledInTheConsole(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/faults")
	x.shows("#trigger", "Choose…")
	x.shows("[aria-labelledby=triggers] p", "marks this sandbox as assisted")
	x.until(`document.querySelector('#bring').disabled && !document.querySelector('#assisted')`)

	x.chooses("#trigger", "rush_order")
	x.shows("#trigger-about", "for delivery tomorrow")
	x.until(`[...document.querySelectorAll('.takes [name]')].map(e => e.name).join() === ` +
		`'sku,quantity,customer_id,unit_price_minor'`)
	x.chooses(".takes [name=sku]", "prd_card")
	x.fill(".takes [name=quantity]", "10")
	x.chooses(".takes [name=customer_id]", "cus_lumen")
	x.fill(".takes [name=unit_price_minor]", "2345")
	x.inEveryLook("[aria-labelledby=triggers]", "a trigger with fields", "trigger-fields")
	x.click("#bring")
	x.shows("#trigger-outcome", "rush order: sales order so_")
	x.shows("#trigger-outcome", ", now, 1 event.")
	x.shows("#assisted", "assisted")
	x.shows("[aria-labelledby=triggers] p", "so this sandbox is assisted")
	x.until(`document.activeElement.id === 'bring'`)
	x.inEveryLook("[aria-labelledby=triggers]", "a rush order", "trigger-order")
	if orders := c.list("/office/sales-orders"); !slices.ContainsFunc(orders, func(r record) bool {
		return r["sku"] == "prd_card" && fmt.Sprint(r["quantity"]) == "10" && r["customer_id"] == "cus_lumen" &&
			fmt.Sprint(r["unit_price_minor"]) == "2345"
	}) {
		t.Errorf("no order of ten cards among %v", orders)
	}

	x.chooses("#trigger", "employee_sick")
	x.until(`!document.querySelector('#trigger-outcome').textContent`)
	x.fill(".takes [name=days]", "3")
	eval[any](x, `document.querySelector('.takes [name=days]').focus()`)
	x.press("\r")
	x.shows("#trigger-outcome", ", on Tue 8 Sep, ")
	x.chooses("#trigger", "press_fault")
	x.chooses(".takes [name=press_id]", text(c.list("/factory/presses")[0], "id"))
	x.click("#bring")
	x.shows("#trigger-outcome", "press fault: ")
	x.click("#trigger-outcome a")
	x.shows(".feed li", "office.sales_order.received")
}

// TestATriggerThatCannotBeIsExplained beside the button.
func TestATriggerThatCannotBeIsExplained(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "empty", Clock: "manual"})
	x := open(t, p.Origin, looks[0], "409", "422", "404")
	x.enter(c.Sandbox, "/console/faults")
	x.chooses("#trigger", "truck_late")
	x.shows("#trigger-about", "whose truck is under way")
	x.click("#bring")
	x.shows("[aria-labelledby=triggers] .problem", "trigger_impossible")
	x.until(`document.querySelector('[aria-labelledby=triggers] .problem p').textContent.length > 20`)
	x.inEveryLook("[aria-labelledby=triggers]", "a trigger that cannot be", "trigger-impossible")

	x.fill(".takes [name=purchase_order_id]", "po_none")
	x.click("#bring")
	x.shows("[aria-labelledby=triggers] .problem", "not_found")
	x.chooses("#trigger", "market_move")
	x.until(`!document.querySelector('.problem')`)
	x.fill(".takes [name=pct]", "0")
	x.click("#bring")
	x.shows("[aria-labelledby=triggers] .problem", "pct must be between")
	x.until(`!document.querySelector('#assisted')`)
}

// TestToLookAtTriggersIsNoRequest of a client: a clock that waits goes on waiting.
func TestToLookAtTriggersIsNoRequest(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "realtime"})
	x := open(t, p.Origin, looks[1])
	x.enter(c.Sandbox, "/console/faults")
	x.shows("#trigger", "Choose…")
	x.chooses("#trigger", "order")
	x.shows("#trigger-about", "list price")
	x.shows("#clock-waits", "The clock starts with your first request")
	asked := x.asked()
	if n := len(slices.DeleteFunc(asked, func(a string) bool { return !strings.Contains(a, "/v1/") })); n != 0 {
		t.Errorf("the page sent %d requests to the API: %v", n, asked)
	}
}

// TestNoTriggerIsPulledAfterTheEnd: the page says why.
func TestNoTriggerIsPulledAfterTheEnd(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t, poor(t))
	c := found(t, p, platentest.Options{Preset: "poor", Clock: "manual"})
	c.ruin()
	x := open(t, p.Origin, looks[3])
	x.enter(c.Sandbox, "/console/faults")
	x.shows("#trigger-over", "The company is bankrupt")
	x.until(`document.querySelector('#trigger').matches(':disabled') && document.querySelector('#bring:disabled')`)
	x.inEveryLook("[aria-labelledby=triggers]", "triggers of a bankrupt company", "trigger-bankrupt")
}

// TestWherePlayersAreComparedThereIsNoTrigger: the page says why.
func TestWherePlayersAreComparedThereIsNoTrigger(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "agent_eval"})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/faults")
	x.shows("#no-triggers", "not_in_evaluation")
	x.until(`!document.querySelector('#trigger, #bring')`)
	x.inEveryLook("[aria-labelledby=triggers]", "no triggers where players are compared", "trigger-compared")
}
