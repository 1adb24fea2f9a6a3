package contract

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// workingDays counts the days from Monday to Friday between two dates.
func workingDays(t testing.TB, from, to any) int64 {
	t.Helper()
	first, err := time.Parse(time.DateOnly, fmt.Sprint(from))
	if err != nil {
		t.Fatal(err)
	}
	last, err := time.Parse(time.DateOnly, fmt.Sprint(to))
	if err != nil {
		t.Fatal(err)
	}
	days := int64(0)
	for day := first; day.Before(last); {
		if day = day.AddDate(0, 0, 1); day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
			days++
		}
	}
	return days
}

// TestTrucksComeWithinTheirSuppliersTimes orders several times from every
// supplier, in two companies of the same world. Other commands of the one
// shift no truck of the other.
func TestTrucksComeWithinTheirSuppliersTimes(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.SUPPLIER", "OPEN.FIELDS.PURCHASE_ORDER", "OPEN.STATE.DELIVERY",
		"OPEN.EVT.FACTORY.DELIVERY.ARRIVED", "OPEN.CREATE.DETERMINISM", "OPEN.CREATE.WORLD")
	plain, busy := shared.create(t, `{"seed":5,"clock":"manual"}`),
		shared.create(t, `{"bridge":"manual","seed":5,"clock":"manual"}`)
	offers := map[string][2]any{
		"sup_mill": {"mat_uncoated", 4000}, "sup_quick": {"mat_coated", 500}, "sup_chroma": {"mat_plate", 5},
		"sup_bargain": {"mat_coated", 2000},
	}
	const each, days = 5, 11
	orders := map[*tenant]map[string][]object{plain: {}, busy: {}}
	busy.runLow()
	busy.tick(240)
	for range each {
		for supplier, offer := range offers {
			for n, all := range orders {
				sku, quantity := offer[0].(string), offer[1].(int)
				if n == busy && supplier != "sup_chroma" {
					sku = "mat_board" // another material, and the later hour
				}
				all[supplier] = append(all[supplier], n.ordered(supplier, sku, quantity))
			}
		}
	}
	for day := range days {
		for n := range orders {
			n.tick(map[bool]int{true: 330, false: 480}[day == 0 && n == busy])
		}
	}
	leads := map[string]map[int64]bool{}
	for supplier, mine := range orders[plain] {
		terms := plain.row("/office/suppliers/" + supplier)
		least, most := number(t, terms, "lead_days_min"), number(t, terms, "lead_days_max")
		leads[supplier] = map[int64]bool{}
		for i, order := range mine {
			if got := workingDays(t, order["approved_on"], order["expected_on"]); got != (least+most+1)/2 {
				t.Errorf("%s takes %d to %d days and promises %d", supplier, least, most, got)
			}
			truck, other := plain.deliveryFor(order), busy.deliveryFor(orders[busy][supplier][i])
			lead := workingDays(t, order["approved_on"], truck["arrived_on"])
			leads[supplier][lead] = true
			if lead < least || lead > most || other["arrived_on"] != truck["arrived_on"] {
				t.Errorf("%s takes %d to %d days; its order %d took %d, there it came on %v",
					supplier, least, most, i, lead, other["arrived_on"])
			}
		}
	}
	if len(leads["sup_bargain"]) < 3 {
		t.Errorf("five orders took %v days", leads["sup_bargain"])
	}
}

// TestTheCheapSupplierIsCheapForAReason orders ink often enough to meet short
// trucks, damaged goods and wrong prices, all to be seen in the documents.
func TestTheCheapSupplierIsCheapForAReason(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.DELIVERY", "OPEN.ERR.QUANTITY_EXCEEDS_DELIVERY", "OPEN.BODY.FACTORY.GOODS_RECEIPTS",
		"OPEN.STATE.SUPPLIER_INVOICE.MATCH", "OPEN.FIELDS.SUPPLIER_INVOICE", "OPEN.FIELDS.PURCHASE_ORDER")
	n := calmCompany(t, "auto", object{"supply": supply(0.1, 0.1, 3)})
	const orders, ordered = 25, 100
	var all []object
	for range orders {
		all = append(all, n.ordered("sup_bargain", "mat_ink", ordered))
	}
	n.day()
	n.tick(90)
	short, damaged := 0, 0
	for _, order := range all {
		truck := n.deliveryFor(order)
		line := children(t, truck, "lines")[0]
		counted, unfit := number(t, line, "quantity_counted"), number(t, line, "quantity_damaged")
		if number(t, line, "quantity_advised") != ordered || counted != ordered && (counted < 80 || counted > 95) ||
			unfit != 0 && (unfit < counted*5/100 || unfit > counted*12/100+1) {
			t.Errorf("the truck brought %v", line)
		}
		if counted < ordered {
			short++
		}
		if unfit > 0 {
			damaged++
			details := n.post("/factory/goods-receipts", encode(t, object{
				"delivery_id": truck["id"], "lines": []object{{"sku": "mat_ink", "quantity_accepted": counted}},
			})).
				want(http.StatusUnprocessableEntity, "quantity_exceeds_delivery").details()
			agrees(t, "details", details,
				object{"sku": "mat_ink", "quantity_counted": counted, "quantity_damaged": unfit})
		}
		receipt := n.countIn(text(truck, "id"))
		agrees(t, "the receipt", receipt, object{
			"lines": []object{{"sku": "mat_ink", "quantity_accepted": counted - unfit, "quantity_rejected": unfit}},
		})
	}
	n.day()
	n.tick(30)
	statuses := map[string]int{}
	for _, order := range all {
		statuses[n.isMatched(order)]++
	}
	if short == 0 || damaged == 0 || statuses["matched"] == 0 || statuses["quantity_mismatch"] == 0 ||
		statuses["price_mismatch"] == 0 || statuses["quantity_and_price_mismatch"] == 0 {
		t.Errorf("of %d trucks %d were short and %d brought damaged goods; the bills are %v",
			orders, short, damaged, statuses)
	}
	watch(n).ended()
}

// isMatched adds up a bill of one line against its order and its receipt, and
// returns how they compare.
func (n *tenant) isMatched(order object) string {
	t := n.t
	t.Helper()
	bill := n.billFor(order)
	was := children(t, n.row("/office/purchase-orders/"+text(order, "id")), "lines")[0]
	asked := children(t, bill, "lines")[0]
	quantity, received := number(t, was, "quantity"), number(t, was, "quantity_received")
	price, billed := number(t, was, "unit_price_minor"), number(t, asked, "unit_price_minor")
	if number(t, asked, "quantity") != quantity || number(t, was, "quantity_billed") != quantity {
		t.Errorf("ordered were %d, billed are %v", quantity, asked["quantity"])
	}
	if billed != price && (billed < price*104/100 || billed > price*114/100+1) {
		t.Errorf("agreed was %d, billed are %d", price, billed)
	}
	want := object{
		"billed_minor": billed * quantity, "matched_minor": price * received,
		"variance_minor": billed*quantity - price*received, "match_status": "matched",
	}
	switch {
	case billed != price && received < quantity:
		want["match_status"] = "quantity_and_price_mismatch"
	case billed != price:
		want["match_status"] = "price_mismatch"
	case received < quantity:
		want["match_status"] = "quantity_mismatch"
	}
	agrees(t, "the bill", bill, want)
	return text(bill, "match_status")
}

// TestTermsAreCalendarDays orders from suppliers of all terms.
func TestTermsAreCalendarDays(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.SUPPLIER_INVOICE", "OPEN.EVT.OFFICE.SUPPLIER_INVOICE.RECEIVED", "OPEN.FIELDS.SUPPLIER")
	n := calmCompany(t, "auto", nil)
	ordered := map[string]object{
		"sup_mill":    n.ordered("sup_mill", "mat_uncoated", 4000),
		"sup_quick":   n.ordered("sup_quick", "mat_uncoated", 500),
		"sup_chroma":  n.ordered("sup_chroma", "mat_ink", 5),
		"sup_bargain": n.ordered("sup_bargain", "mat_uncoated", 2000),
	}
	for range 2 {
		n.day()
	}
	n.tick(120)
	for supplier, want := range map[string]object{
		"sup_mill":   {"due_date": "2026-09-30", "discount_until": "2026-09-16", "discount_pct": 2},
		"sup_quick":  {"due_date": "2026-09-16", "discount_until": nil, "discount_pct": 0},
		"sup_chroma": {"due_date": "2026-09-23", "discount_until": "2026-09-14", "discount_pct": 1},
		// Ten days are Saturday the 19th: Monday.
		"sup_bargain": {"due_date": "2026-09-21", "discount_until": nil, "discount_pct": 0},
	} {
		want["issued_on"], want["supplier_id"], want["kind"], want["collect_on"] = "2026-09-09",
			supplier, "materials", nil
		agrees(t, supplier, n.billFor(ordered[supplier]), want)
	}
}
