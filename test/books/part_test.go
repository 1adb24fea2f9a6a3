package books

import (
	"cmp"
	"fmt"
	"strings"
)

// plan is how a work order goes in parts.
type plan struct {
	// stops leaves the rest where it is after the first part.
	stops bool
	// short leaves out, and says nothing of, as much as the customer does without.
	short bool
	sent  int
	// name is the last part_ref.
	name string
}

// goesInParts tells whether a work order goes in parts.
func (p *player) goesInParts(w row) bool {
	id := text(w, "id")
	if _, drawn := p.parts[id]; !drawn {
		p.parts[id] = nil
		if p.maybe(p.inParts) && given(w, "reference") {
			p.parts[id] = &plan{stops: p.maybe(12), short: p.maybe(15)}
		}
	}
	return p.parts[id] != nil
}

// sendPart sends some of what is ready, through the door of either system; at times too much, or the same part twice.
func (p *player) sendPart(w row) {
	id, plan := text(w, "id"), p.parts[text(w, "id")]
	left := number(w, "quantity_ready") - number(w, "quantity_shipped")
	if left == 0 || plan.stops && plan.sent > 0 || p.maybe(15) {
		return
	}
	quantity := 1 + p.chance.Int64N(left)
	if p.maybe(30) {
		quantity = left
	}
	if p.maybe(3) {
		p.refuses(departures, row{"work_order_id": id, "quantity": left + 1}, "quantity_mismatch")
	}
	final := p.maybe(15)
	if waits := text(w, "waits_for"); final && (waits == "run" || waits == "finishing") {
		p.refuses(departures, row{"work_order_id": id, "quantity": quantity, "final": true}, "invalid_state")
		return
	}
	few := number(w, "quantity_shipped") == 0 && left > 1 && p.least(w) > 1
	if final && few && !p.manual && text(w, "waits_for") == "shipment" {
		p.refuses(departures, row{"work_order_id": id, "quantity": p.least(w) - 1, "final": true}, "quantity_mismatch")
	}
	if enough := p.least(w) - number(w, "quantity_shipped"); final && enough > 0 && enough <= left && p.maybe(70) {
		quantity = enough
	}
	if plan.short && p.manual {
		final, quantity = false, min(left, p.least(w)-number(w, "quantity_shipped"))
		if quantity <= 0 {
			return
		}
	}
	if !p.manual && p.maybe(25) && strings.HasPrefix(text(w, "reference"), "so_") {
		body := row{"sales_order_id": text(w, "reference"), "quantity": quantity, "final": final}
		if p.do(bills, body) == "" {
			plan.sent++
		}
		return
	}
	body := row{"work_order_id": id, "quantity": quantity, "final": final}
	if p.maybe(40) {
		body["part_ref"] = fmt.Sprintf("Part %d", plan.sent)
	}
	if p.do(departures, body) != "" {
		return
	}
	plan.sent++
	if name := body["part_ref"]; name != nil {
		plan.name = name.(string)
	}
	if plan.name != "" && quantity < left && !final && p.maybe(30) {
		p.refuses(departures, row{"work_order_id": id, "quantity": 1, "part_ref": strings.ToUpper(plan.name)},
			"duplicate_reference")
	}
	rest := number(w, "quantity") - number(w, "quantity_shipped") - quantity
	if final && p.manual && rest > 0 && p.maybe(50) { // it is printed anew
		p.do(work, row{"sku": text(w, "sku"), "quantity": rest, "reference": text(w, "reference")})
	}
}

// refuses sends what the company has to refuse.
func (p *player) refuses(path string, body row, want string) {
	code := p.do(path, body)
	if code == "no_warehouse_worker" { // nobody could have sent it
		return
	}
	same(p.answers, "play: "+want+" is refused", fmt.Sprint(path, body), code, want)
}

// least is the smallest quantity that the customer of a work order takes as the whole.
func (p *player) least(w row) int64 {
	name := folded(text(w, "reference"))
	for _, o := range p.all(orders) {
		if text(o, "id") == name || folded(text(o, "number")) == name {
			tolerance := number(p.get(customers+"/"+text(o, "customer_id")), "delivery_tolerance_pct")
			return number(o, "quantity") - number(o, "quantity")*tolerance/hundredPercent
		}
	}
	return number(w, "quantity")
}

// account is how the parcels of an order are billed by hand.
type account struct {
	style string
	owed  int64
}

// styles of billing: each parcel by its own bill, two by one, the whole with the first, each twice, each once
// all have left, or at random none.
var styles = []string{"each", "each", "each", "each", "two", "two", "whole", "twice", "twice", "later",
	"later", "some"}

// billParcels bills what left, as a bridge would, or as one that errs.
func (p *player) billParcels() {
	of, ids := index(p.all(work), "id"), map[string]string{}
	for _, o := range p.all(orders) {
		ids[folded(text(o, "number"))] = text(o, "id")
	}
	for _, s := range p.all(departures) {
		w, name := of[text(s, "work_order_id")], foldedReference(s)
		name = cmp.Or(ids[name], name)
		if p.carried[text(s, "id")] || p.carried["bill of "+name] || !p.maybe(85) {
			continue
		}
		whole := number(s, "quantity") == number(w, "quantity") && p.accounts[name] == nil
		if whole || strings.HasPrefix(name, "lot") {
			p.bill(name, text(s, "id"))
			continue
		}
		p.carried[text(s, "id")] = true
		if p.accounts[name] == nil {
			p.accounts[name] = &account{style: one(p, styles)}
		}
		p.billParcel(p.accounts[name], name, s, w)
	}
}

// billParcel bills a parcel, at times with the one before it, with all that is still to come, or twice.
func (p *player) billParcel(a *account, order string, s, w row) {
	last := text(w, "status") == "shipped"
	if a.style == "later" && !last {
		delete(p.carried, text(s, "id"))
		return
	}
	a.owed += number(s, "quantity")
	body := row{
		"sales_order_id": order, "quantity": a.owed, "factory_shipment_ref": text(s, "id"),
		"final": yes(s, "final") || p.maybe(8),
	}
	if plan := p.parts[text(w, "id")]; plan != nil && plan.short && number(w, "quantity_shipped") >= p.least(w) {
		p.refusesShort(body, p.least(w))
		body["final"] = true
	}
	switch {
	case a.style == "two" && a.owed == number(s, "quantity") && !last && !yes(s, "final"),
		a.style == "some" && p.maybe(50):
		return
	case a.style == "whole":
		p.carried["bill of "+order] = true
		delete(body, "quantity")
	}
	code := p.do(bills, body)
	if code == "quantity_mismatch" && p.maybe(70) { // not so many are left, or too few are final
		body["final"] = false
		if code = p.do(bills, body); code != "" {
			delete(body, "quantity")
			code = p.do(bills, body)
		}
	}
	if code != "" {
		return
	}
	a.owed = 0
	if o := p.get(orders + "/" + order); a.style == "twice" && text(o, "status") == "accepted" {
		name := strings.ToUpper(text(s, "id"))
		p.refuses(bills, row{"sales_order_id": order, "quantity": 1, "factory_shipment_ref": name},
			"duplicate_reference")
		if p.maybe(30) { // without its name it is carried out
			p.do(bills, row{"sales_order_id": order, "quantity": number(s, "quantity")})
		}
	}
}

// refusesShort asks for a final bill of one unit fewer than the customer takes as the whole.
func (p *player) refusesShort(body row, least int64) {
	o := p.get(orders + "/" + body["sales_order_id"].(string))
	few := least - 1 - number(o, "quantity_billed")
	if text(o, "status") == "accepted" && few > 0 {
		p.refuses(bills, row{"sales_order_id": o["id"], "quantity": few, "final": true}, "quantity_mismatch")
	}
}
