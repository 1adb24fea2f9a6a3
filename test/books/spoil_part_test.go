package books

import (
	"encoding/json"
	"maps"
)

// partSpoils are errors in the parcels and the bills of orders.
var partSpoils = []spoil{
	{"a unit that no bill has", "order: billed is the sum of its bills", func(b *books) bool {
		return add(1, "quantity_billed", where(b.list[orders], "status", "paid"))
	}},
	{"an order that is closed before the rest is billed", "order: its status follows its bills", func(b *books) bool {
		return set("status", "shipped", where(where(b.list[orders], "status", "in_production"), "invoice_id", ""))
	}},
	{"an order that is paid before its last invoice is", "order: its status follows its bills", func(b *books) bool {
		return set("status", "paid", where(b.list[orders], "status", "shipped"))
	}},
	{"a discount that no invoice has", "order: the discount is that of its invoices", func(b *books) bool {
		return add(1, "late_discount_minor", b.list[orders])
	}},
	{"an invoice that its order forgets", "order: it names all its invoices", func(b *books) bool {
		for _, o := range b.list[orders] {
			if all := field(o, "invoice_ids").([]any); len(all) > 1 {
				return set("invoice_ids", all[1:], []row{o})
			}
		}
		return false
	}},
	{"an order that names its first bill", "order: its last bill", func(b *books) bool {
		for _, o := range b.list[orders] {
			if all := texts(o, "invoice_ids"); len(all) > 1 {
				return set("invoice_id", all[0], []row{o})
			}
		}
		return false
	}},
	{"parts that cost more than the whole", "order: the invoices make its total", func(b *books) bool {
		return add(1, "gross_minor", where(b.list[invoices], "status", "paid"))
	}},
	{"a part for the price of the whole", "invoice: gross is the price of its units", func(b *books) bool {
		of := index(b.list[orders], "id")
		for _, s := range b.list[bills] {
			o := of[text(s, "sales_order_id")]
			if o != nil && number(s, "quantity") < number(o, "quantity") {
				name := text(object(s, "invoice"), "id")
				return set("gross_minor", o["total_minor"], where(b.list[invoices], "id", name))
			}
		}
		return false
	}},
	{"a lot that is billed for less", "invoice: one for a lot, of all of it", func(b *books) bool {
		for _, s := range b.list[bills] {
			if given(s, "contract_lot_id") {
				return add(-1, "quantity", []row{s})
			}
		}
		return false
	}},
	{"a discount by the day of the first part", "part: the late discount of its own day", func(b *books) bool {
		some := b.billedInParts(func(_, i row) bool { return number(i, "late_discount_minor") > 0 })
		return set("late_discount_minor", json.Number("0"), some)
	}},
	{"an order that never arrived and is paid", "payment: none for goods that have not come", func(b *books) bool {
		paid := where(b.list[orders], "status", "paid")
		return len(paid) > 0 && b.astray(paid[len(paid)-1])
	}},
	{"a part that is paid before the last", "part: none is paid before the last by who accepts none",
		func(b *books) bool {
			of := index(b.list[customers], "id")
			some := b.billedInParts(func(o, _ row) bool {
				c := of[text(o, "customer_id")]
				return !yes(c, "accepts_parts") && text(o, "status") == "accepted"
			})
			return len(some) > 0 && b.pay(some[0])
		}},
	{"a payment before the goods", "payment: after the goods and the bill", func(b *books) bool {
		of := index(b.list[invoices], "id")
		for _, p := range b.list[payments] {
			if i := of[text(p, "customer_invoice_id")]; i != nil && dayOf(text(i, "issued_on")) > 0 {
				return set("received_on", mondayOf(0), []row{p})
			}
		}
		return false
	}},
	{"customers who have the goods and never pay", "payment: what came is paid in the end", (*books).waits},
	{"a customer who keeps a part and never pays", "part: what came of an order that is not whole is paid",
		(*books).waits},
	{"goods that have not come and are not missed", "dispute: of what has not come", func(b *books) bool {
		return set("dispute_code", nil, where(b.list[invoices], "dispute_code", "goods_not_received"))
	}},
	{"a part that has not come and is not missed", "part: what is missing is disputed", func(b *books) bool {
		some := b.billedInParts(func(_, i row) bool { return given(i, "dispute_code") })
		for _, i := range some {
			i["dispute_code"] = nil
		}
		return len(some) > 0
	}},
	{"a bill that is overdue and not said to be", "invoice: overdue is owed after its due date", func(b *books) bool {
		return set("status", "open", where(b.list[invoices], "status", "overdue"))
	}},
	{"a dispute before the bill is due", "dispute: only of what is overdue", func(b *books) bool {
		return set("dispute_code", "goods_not_received", where(b.list[invoices], "status", "open"))
	}},
	{"a dispute over goods that came", "dispute: of what came only by who cannot find it", func(b *books) bool {
		paid := where(b.list[invoices], "status", "paid")
		return set("status", "overdue", paid) && set("dispute_code", "goods_not_received", paid)
	}},
	{"a customer who is pleased twice", "customer: satisfaction follows the fate of the orders", func(b *books) bool {
		return set("satisfaction_pct", json.Number("12.3"), b.list[customers])
	}},
	{"a dead order whose goods are paid", "promise: an expired one is paid for what came", func(b *books) bool {
		paid := where(b.list[orders], "status", "paid")
		return len(paid) > 0 && b.astray(paid[len(paid)-1]) && set("status", "expired", paid[len(paid)-1:])
	}},
	{"a parcel that grew on its way", "shipment: its event tells it", func(b *books) bool {
		return add(1, "quantity", b.list[departures])
	}},
	{"a mirror of another size", "shipment: the mirror is equal", func(b *books) bool {
		for _, s := range b.list[departures] {
			if given(s, "bridged_office_shipment_id") {
				return add(1, "quantity", []row{s})
			}
		}
		return false
	}},
	{"a part that is named twice", "part: a name is there once", func(b *books) bool {
		return b.ofParcels(func(parcels []row) {
			parcels[0]["part_ref"], parcels[1]["part_ref"] = "Again", "again"
		})
	}},
	{"a parcel after the last", "shipment: nothing leaves after the last", func(b *books) bool {
		return b.ofParcels(func(parcels []row) { parcels[0]["final"] = true })
	}},
	{"a unit that left twice", "work: shipped is the sum of its shipments", func(b *books) bool {
		return add(1, "quantity_shipped", where(b.list[work], "status", "shipped"))
	}},
	{"a parcel that was not ready", "work: no more leaves than is ready", func(b *books) bool {
		return add(-1, "quantity_ready", where(b.list[work], "status", "shipped"))
	}},
	{"a work order that names its first parcel", "work: its last shipment", func(b *books) bool {
		byID := index(b.list[work], "id")
		return b.ofParcels(func(parcels []row) {
			byID[text(parcels[0], "work_order_id")]["shipment_id"] = text(parcels[0], "id")
		})
	}},
	{"a work order that is closed by its first part", "work: it is shipped with all, or a final part",
		func(b *books) bool { return set("status", "shipped", where(b.list[work], "waits_for", "press")) }},
	{"units that are ready before they are finished", "work: ready is what finishing has ended for",
		func(b *books) bool { return add(1, "quantity_ready", where(b.list[work], "waits_for", "press")) }},
	{"units that are ready with the last of them", "work: ready is what finishing has ended for",
		func(b *books) bool {
			for _, w := range where(b.list[work], "status", "printing") {
				if number(w, "quantity_ready") > 0 {
					return set("quantity_ready", json.Number("0"), []row{w})
				}
			}
			return false
		}},
	{"a work order that waits for its parcel too early", "work: it waits for what comes next", func(b *books) bool {
		return set("waits_for", "shipment", where(b.list[work], "waits_for", "press"))
	}},
	{"a part that left and is reserved", "stock: reserved is what open work holds", func(b *books) bool {
		for _, w := range where(b.list[work], "status", "ready") {
			if number(w, "quantity_from_stock") > 0 {
				return add(1, "quantity_shipped", []row{w})
			}
		}
		return false
	}},
	{"a second truck that nobody expects", "purchase: the rest of the trucks' notes is expected",
		func(b *books) bool {
			for _, o := range b.list[purchases] {
				for _, l := range lines(o, "lines") {
					if number(l, "quantity_expected") > 0 {
						return add(-number(l, "quantity_expected"), "quantity_expected", []row{l})
					}
				}
			}
			return false
		}},
	{"a duplicate that is billed still", "purchase: quantity_billed is the bills", func(b *books) bool {
		of := index(b.list[purchases], "id")
		for _, i := range b.list[supplierBills] {
			if given(i, "duplicate_of") {
				return add(number(lines(i, "lines")[0], "quantity"), "quantity_billed",
					lines(of[text(i, "purchase_order_id")], "lines")[:1])
			}
		}
		return false
	}},
	{"a duplicate that is paid", "bill: paid is billed, fee, discount and credit", func(b *books) bool {
		for _, i := range b.list[supplierBills] {
			if given(i, "duplicate_of") {
				return add(number(i, "billed_minor"), "paid_minor", []row{i})
			}
		}
		return false
	}},
	{"an order that counts with each part", "score: orders_shipped", func(b *books) bool {
		for _, o := range b.list[orders] {
			if extra := int64(len(texts(o, "invoice_ids"))) - 1; extra > 0 && text(o, "status") == "paid" {
				return add(extra, "orders_shipped", []row{object(b.status, "score")})
			}
		}
		return false
	}},
}

// billedInParts are the invoices for a part of an order that are wanted.
func (b *books) billedInParts(wanted func(order, invoice row) bool) (some []row) {
	of, invoice := index(b.list[orders], "id"), index(b.list[invoices], "id")
	for _, s := range b.list[bills] {
		o, i := of[text(s, "sales_order_id")], invoice[text(object(s, "invoice"), "id")]
		if o != nil && number(s, "quantity") < number(o, "quantity") && wanted(o, i) {
			some = append(some, i)
		}
	}
	return some
}

// ofParcels spoils the parcels of a work order that went in several.
func (b *books) ofParcels(spoil func(parcels []row)) bool {
	for _, parcels := range grouped(b.list[departures], "work_order_id") {
		if len(parcels) > 1 {
			spoil(parcels)
			return true
		}
	}
	return false
}

// astray sends the goods of an order to no customer: they are of another product.
func (b *books) astray(o row) (found bool) {
	for _, s := range b.list[departures] {
		if name := foldedReference(s); name == text(o, "id") || name == folded(text(o, "number")) {
			s["sku"], found = "prd_other", true
		}
	}
	return found
}

// pay adds a payment of an invoice.
func (b *books) pay(invoice row) bool {
	again := maps.Clone(b.list[payments][0])
	again["customer_invoice_id"] = text(invoice, "id")
	b.list[payments] = append(b.list[payments], again)
	return true
}

// waits moves the clock on, and nobody pays.
func (b *books) waits() bool { return add(3*longest, "day_number", []row{object(b.status, "clock")}) }
