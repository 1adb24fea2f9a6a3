package company_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"platen/internal/company"
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/integration"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// byHand leaves the bridge to the client.
func byHand(p *preset.Preset) { p.Bridge = preset.ByHand }

// verified are the findings of a kind, the exact ones first, newest last: "verdict cause: text".
func (l *life) verified(kind integration.Kind) []string {
	l.t.Helper()
	result, manual := l.company.Integration(l.company.Summary().Now, nil, nil)
	if !manual {
		l.t.Fatalf("%s: nothing is verified", l.label)
	}
	list := []string{}
	for _, f := range result.Findings {
		if f.Kind == kind {
			list = append(list, fmt.Sprintf("%s %s", f.Verdict, f.Text))
		}
	}
	return list
}

// orderBoard lets the Factory run short of board, and returns its requisition.
func (l *life) orderBoard() factory.Requisition {
	l.t.Helper()
	l.must(action{name: "stock_low", do: func(l *life) error {
		_, err := l.company.Trigger(&company.PullTrigger{Type: "stock_low", SKU: new(catalog.Board)})
		return err
	}})
	all := rowsOf[factory.Requisition](l, "factory_requisition")
	return all[len(all)-1]
}

// takeTruck waits for the truck of the opening and counts in all of it but some sheets. It
// returns the purchase order.
func (l *life) takeTruck(rejected int64) office.PurchaseOrder {
	l.t.Helper()
	l.until(1)
	l.must(tick(240))
	trucks := rowsOf[factory.Delivery](l, "delivery")
	truck := trucks[len(trucks)-1]
	l.must(count(factory.CreateFactoryGoodsReceipt{DeliveryID: truck.ID, Lines: []catalog.ReceivedLine{{
		SKU: catalog.Board, QuantityAccepted: 2000 - rejected,
	}}}))
	for _, order := range rowsOf[office.PurchaseOrder](l, "purchase_order") {
		if order.Number == truck.PurchaseOrderNumber {
			return order
		}
	}
	l.t.Fatalf("no purchase order %s", truck.PurchaseOrderNumber)
	panic("unreachable")
}

func board(accepted, rejected int64) []catalog.ReceivedLine {
	return []catalog.ReceivedLine{{SKU: catalog.Board, QuantityAccepted: accepted, QuantityRejected: &rejected}}
}

// TestEachObligationIsJudged: what a client did with its hand-offs and decisions, and what
// the verifier makes of it.
func TestEachObligationIsJudged(t *testing.T) {
	t.Parallel()
	card := func(l *life, quantity int64, reference string) {
		l.must(work(factory.CreateWorkOrder{SKU: "prd_card", Quantity: quantity, Reference: &reference}))
	}
	require := func(l *life, wish factory.Requisition, quantity int64, reference string) string {
		l.must(require(office.CreateRequisition{
			Lines: []office.MaterialLine{{SKU: wish.SKU, Quantity: quantity}}, Reference: &reference,
		}))
		all := rowsOf[office.Requisition](l, "office_requisition")
		return all[len(all)-1].ID
	}
	ordered := func(l *life, quantity int64) {
		wish := l.orderBoard()
		id := require(l, wish, wish.Quantity, wish.ID)
		if rowOf[office.Requisition](l, "office_requisition", id).Status == office.RequisitionReceived {
			l.must(decide(id, true))
		}
		if quantity == 0 {
			return
		}
		l.must(purchase(office.CreatePurchaseOrder{SupplierID: catalog.Quick, RequisitionID: &id,
			Lines: []office.MaterialLine{{SKU: wish.SKU, Quantity: quantity}}}))
	}
	openingBill := func(l *life) office.SupplierInvoice {
		return rowsOf[office.SupplierInvoice](l, "supplier_invoice")[0]
	}
	lot := func(p *preset.Preset) { p.Lots.Sheets = [2]int64{300, 400} }
	for _, c := range []struct {
		name   string
		kind   integration.Kind
		do     func(l *life)
		until  sim.Day
		change func(*preset.Preset)
		want   string // "" for nothing
	}{
		{"nothing is accepted", integration.Order, func(*life) {}, 3, nil, ""},
		{"accepted, and there is time", integration.Order, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
		}, 2, nil, ""},
		{"carried", integration.Order, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			card(l, 10, l.order("SO-1001").ID)
		}, 0, nil, "exact SO-1001 has its work order: WO-3001."},
		{"carried by number", integration.Order, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			card(l, 10, "SO-1001")
		}, 0, nil, "exact SO-1001 has its work order: WO-3001."},
		{"carried the day after", integration.Order, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			l.until(1)
			l.must(tick(479))
			card(l, 10, l.order("SO-1001").ID)
		}, 0, nil, "exact SO-1001 has its work order: WO-3001."},
		{"carried a day later", integration.Order, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			l.until(2)
			card(l, 10, l.order("SO-1001").ID)
		}, 0, nil, "late SO-1001 got its work order, WO-3001, on 2026-09-09. The deadline was 2026-09-08."},
		{"never carried", integration.Order, func(l *life) { l.must(accept(l.order("SO-1001").ID)) }, 3, nil,
			"missed SO-1001 has no work order. The deadline was 2026-09-08."},
		{"never carried, and expired since", integration.Order,
			func(l *life) { l.must(accept(l.order("SO-1001").ID)) }, 20, nil,
			"missed SO-1001 has no work order. The deadline was 2026-09-08."},
		{"carried twice", integration.Order, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			card(l, 10, l.order("SO-1001").ID)
			card(l, 10, "SO-1001")
		}, 0, nil, "doubled SO-1001 has its work order more than once: WO-3001, WO-3002."},
		{"another quantity", integration.Order, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			card(l, 11, l.order("SO-1001").ID)
		}, 0, nil, "wrong WO-3001, the work order of SO-1001, is wrong: quantity is 11, not 10."},
		{"work for an unknown order", integration.Order, func(l *life) { card(l, 10, "SO-9999") }, 0, nil,
			`unexpected WO-3001 is for "SO-9999", which is no order and no lot.`},
		{"work before the answer", integration.Order, func(l *life) { card(l, 10, "SO-1001") }, 2, nil, ""},
		{"work before an answer that never came", integration.Order, func(l *life) { card(l, 10, "SO-1001") }, 3, nil,
			"unexpected WO-3001 is for SO-1001, which was not accepted."},
		{"work for a declined order", integration.Order, func(l *life) {
			l.must(decline(l.order("SO-1001").ID, nil))
			card(l, 10, "SO-1001")
		}, 0, nil, "unexpected WO-3001 is for SO-1001, which was not accepted."},

		{"a lot is carried", integration.Lot, func(l *life) {
			offer := l.offered()
			l.must(acceptLot(offer.ID))
			l.must(work(factory.CreateWorkOrder{SKU: offer.SKU, Quantity: offer.Quantity, Reference: &offer.Number}))
		}, 0, lot, "exact LOT-0001 has its work order: WO-3001."},
		{"a lot is forgotten", integration.Lot, func(l *life) { l.must(acceptLot(l.offered().ID)) }, 20, lot,
			"missed LOT-0001 has no work order. "},

		{"goods that never came to be", integration.Parcel, func(l *life) { l.must(accept(l.order("SO-1001").ID)) }, 3,
			nil, "missed SO-1001 never got its work order, so nothing could be shipped or billed."},
		{"goods of an order that may still be carried", integration.Parcel, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
		}, 2, nil, ""},
		{"goods that are not billed yet", integration.Parcel, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			l.must(shipGoods(l.make("prd_card", 10, "SO-1001")))
		}, 0, nil, ""},
		{"goods that are billed", integration.Parcel, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			l.must(shipGoods(l.make("prd_card", 10, "SO-1001")))
			l.must(bill(l.order("SO-1001").ID, nil, new(l.lastShipment().Number)))
		}, 0, nil, "exact SO-1001 has its bill: SHO-4004."},
		{"goods that are billed late", integration.Parcel, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			l.must(shipGoods(l.make("prd_card", 10, "SO-1001")))
			l.until(2)
			l.must(bill(l.order("SO-1001").ID, nil, nil))
		}, 0, nil, "late SO-1001 got its bill, SHO-4004, on 2026-09-09. "},
		{"goods that are a present", integration.Parcel, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			l.must(shipGoods(l.make("prd_card", 10, "SO-1001")))
		}, 20, nil, "missed SO-1001 has no bill. The deadline was 2026-09-08."},
		{"a bill that names another's parcel", integration.Parcel, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			l.must(accept(l.order("SO-1003").ID))
			l.must(shipGoods(l.make("prd_card", 10, "SO-1001")))
			l.must(shipGoods(l.make("prd_poster", 30, "SO-1003")))
			l.must(bill(l.order("SO-1001").ID, nil, new(l.lastShipment().Number)))
			l.must(bill(l.order("SO-1003").ID, nil, new(l.lastShipment().Number)))
		}, 0, nil, "exact SO-1003 has its bill: SHO-4005.; wrong SHO-4004, the bill of SO-1001, is wrong: " +
			"factory_shipment_ref names SHF-6002, which went to SO-1003."},
		{"a bill before the goods", integration.Parcel, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			l.must(bill(l.order("SO-1001").ID, nil, nil))
		}, 2, nil, ""},
		{"a bill without goods", integration.Parcel, func(l *life) {
			l.must(accept(l.order("SO-1001").ID))
			l.must(bill(l.order("SO-1001").ID, nil, nil))
		}, 3, nil, "unexpected SHO-4004 bills SO-1001, whose goods the Factory has not sent."},

		{"a requisition is filed", integration.Requisition, func(l *life) {
			wish := l.orderBoard()
			require(l, wish, wish.Quantity, wish.Number)
		}, 0, nil, "exact FR-9002 has its requisition at Head Office: RQ-8002."},
		{"a requisition is filed twice", integration.Requisition, func(l *life) {
			wish := l.orderBoard()
			require(l, wish, wish.Quantity, wish.Number)
			require(l, wish, wish.Quantity, wish.ID)
		}, 0, nil, "doubled FR-9002 has its requisition at Head Office more than once: RQ-8002, RQ-8003."},
		{"a requisition is filed for too much", integration.Requisition, func(l *life) {
			wish := l.orderBoard()
			require(l, wish, wish.Quantity+1, wish.ID)
		}, 0, nil, "wrong RQ-8002, the requisition at Head Office of FR-9002, is wrong: quantity is "},
		{"a requisition of nobody", integration.Requisition, func(l *life) {
			require(l, factory.Requisition{SKU: catalog.Board}, 10, "FR-0009")
		}, 0, nil, `unexpected RQ-8002 is for "FR-0009", which the Factory never asked for.`},
		{"a requisition of Head Office's own", integration.Requisition, func(l *life) {
			l.must(action{name: "require", do: func(l *life) error {
				_, err := l.company.FileRequisition(&office.CreateRequisition{
					Lines: []office.MaterialLine{{SKU: catalog.Board, Quantity: 10}},
				})
				return err
			}})
		}, 4, nil, ""},
		{"a requisition is forgotten", integration.Requisition, func(l *life) {
			l.takeTruck(0)
			l.orderBoard() // and Monday's review has not come yet
		}, 4, nil, "missed FR-9002 has no requisition at Head Office. The deadline was 2026-09-09."},

		{"a purchase is made", integration.Purchase, func(l *life) { ordered(l, 6000) }, 0, nil,
			"exact RQ-8002 has its purchase order: PO-5003."},
		{"too little is bought", integration.Purchase, func(l *life) { ordered(l, 1900) }, 0, nil,
			"wrong PO-5003, the purchase order of RQ-8002, is wrong: quantity of mat_board is 1900, not 6000."},
		{"a purchase is forgotten", integration.Purchase, func(l *life) { ordered(l, 0) }, 3, nil,
			"missed RQ-8002 has no purchase order. The deadline was 2026-09-08."},

		{"a receipt is recorded", integration.Receipt, func(l *life) {
			order := l.takeTruck(5)
			l.must(receipt(office.CreateOfficeGoodsReceipt{PurchaseOrderID: order.ID, Lines: board(1995, 5)}))
		}, 0, nil, "exact grf_"},
		{"a receipt is recorded in parts", integration.Receipt, func(l *life) {
			order := l.takeTruck(5)
			l.must(receipt(office.CreateOfficeGoodsReceipt{PurchaseOrderID: order.ID, Lines: board(1000, 0)}))
			l.must(receipt(office.CreateOfficeGoodsReceipt{PurchaseOrderID: order.ID, Lines: board(995, 5)}))
		}, 0, nil, "exact grf_"},
		{"a receipt is recorded twice", integration.Receipt, func(l *life) {
			order := l.takeTruck(1500)
			l.must(receipt(office.CreateOfficeGoodsReceipt{PurchaseOrderID: order.ID, Lines: board(500, 1500)}))
			l.must(receipt(office.CreateOfficeGoodsReceipt{PurchaseOrderID: order.ID, Lines: board(500, 0)}))
		}, 0, nil, "doubled grf_"},
		{"a receipt of too much", integration.Receipt, func(l *life) {
			order := l.takeTruck(5)
			l.must(receipt(office.CreateOfficeGoodsReceipt{PurchaseOrderID: order.ID, Lines: board(2000, 0)}))
		}, 0, nil, "wrong gro_"},
		{"a receipt is forgotten", integration.Receipt, func(l *life) { l.takeTruck(0) }, 4, nil, "missed grf_"},
		{"a receipt of nothing", integration.Receipt, func(l *life) {
			orders := rowsOf[office.PurchaseOrder](l, "purchase_order")
			l.must(receipt(office.CreateOfficeGoodsReceipt{PurchaseOrderID: orders[1].ID, Lines: board(2000, 0)}))
		}, 3, nil, "unexpected gro_"},

		{"a week's hours", integration.Week, func(l *life) {
			l.until(4)
			l.must(tick(240))
			l.must(recordHours(sim.Start, full(nil)))
		}, 0, steady, "exact The week of 2026-09-07 has its timesheet: tms_"},
		{"wrong hours", integration.Week, func(l *life) {
			l.until(5)
			l.must(recordHours(sim.Start, full(func(hours []hr.HoursEntry) { hours[2].HoursWorked = 39 })))
		}, 0, steady, "wrong tms_"},
		{"late hours", integration.Week, func(l *life) {
			l.until(6)
			l.must(recordHours(sim.Start, full(nil)))
		}, 0, steady, "late The week of 2026-09-07 got its timesheet, tms_"},
		{"a week not yet due", integration.Week, func(*life) {}, 6, nil, ""},
		{"forgotten hours", integration.Week, func(*life) {}, 7, nil,
			"missed The week of 2026-09-07 has no timesheet. The deadline was 2026-09-14."},

		{"what the match justifies is paid", integration.Payment, func(l *life) {
			bill := openingBill(l)
			l.must(pay(bill.ID, &bill.MatchedMinor))
		}, 0, nil, "exact SI-7001 was paid on 2026-09-07; it was due on 2026-09-11."},
		{"all that was billed is paid", integration.Payment, func(l *life) {
			bill := openingBill(l)
			l.must(pay(bill.ID, &bill.BilledMinor))
		}, 0, nil, "wrong The payment of SI-7001 is wrong: the amount is 3960.00 XTS, not 3840.00 XTS."},
		{"paid after the due date", integration.Payment, func(l *life) {
			l.until(5)
			l.must(pay(openingBill(l).ID, new(money.Minor(384_000))))
		}, 0, nil, "late SI-7001 was paid on 2026-09-14; it was due on 2026-09-11."},
		{"not paid", integration.Payment, func(*life) {}, 6, nil,
			"missed SI-7001 was not paid by a client; it was due on 2026-09-11."},
		{"collected", integration.Payment, func(*life) {}, 20, nil,
			"missed SI-7001 was not paid by a client; it was due on 2026-09-11.; missed SI-7002"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			changes := []func(*preset.Preset){byHand}
			if c.change != nil {
				changes = append(changes, c.change)
			}
			l := quiet(t, "starter", 3, changes...)
			c.do(l)
			l.until(max(c.until, l.company.Summary().Now.Day()))
			got := l.verified(c.kind)
			if c.want == "" && len(got) > 0 ||
				!strings.HasPrefix(strings.Join(got, "; "), c.want) || len(got) > 1+strings.Count(c.want, ".; ") {
				t.Errorf("got\n%s\nwant %s…", strings.Join(got, "\n"), c.want)
			}
			if l.company.Changed() {
				t.Error("it changed the company")
			}
		})
	}
}

// TestFindingsKeepTheirPlaces: as a company goes on, each finding stays where it was among the
// others, so that a client can page through them.
func TestFindingsKeepTheirPlaces(t *testing.T) {
	t.Parallel()
	l := live(t, func() preset.Preset {
		p := presetNamed(t, "starter")
		byHand(&p)
		return p
	}(), 5, sim.Manual, usual)
	places := map[string]uint64{}
	for range 12 {
		stewarded(l, 1)
		result, _ := l.company.Integration(l.company.Summary().Now, nil, nil)
		total := integration.Count{}
		for i, f := range result.Findings {
			if i > 0 && result.Findings[i-1].Place >= f.Place {
				t.Fatalf("%+v stands after %+v", f, result.Findings[i-1])
			}
			of := f.Effects
			if f.Cause != nil {
				of = []integration.Record{*f.Cause}
			}
			name := fmt.Sprint(f.Kind, " ", of[0].ID)
			if was, ok := places[name]; ok && was != f.Place {
				t.Errorf("%s was at %d and is at %d", name, was, f.Place)
			}
			places[name] = f.Place
			if f.Verdict != integration.Unexpected {
				total.Due++
			}
		}
		if result.Total.Due != total.Due {
			t.Errorf("%d obligations are due, %d are counted", total.Due, result.Total.Due)
		}
	}
	kinds := map[integration.Kind]bool{}
	result, _ := l.company.Integration(l.company.Summary().Now, nil, nil)
	for _, f := range result.Findings {
		kinds[f.Kind] = true
	}
	want := []integration.Kind{integration.Order, integration.Parcel, integration.Week, integration.Payment}
	for _, kind := range want {
		if !kinds[kind] {
			t.Errorf("in twelve days nothing was judged about a %s", kind)
		}
	}
	if _, manual := live(t, presetNamed(t, "starter"), 5, sim.Manual, usual).company.Integration(0, nil, nil); manual {
		t.Error("the auto bridge is judged")
	}
	if !slices.IsSorted([]int64{result.Total.Exact, result.Total.Due}) {
		t.Errorf("counted %+v", result.Total)
	}
}
