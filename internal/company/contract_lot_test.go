package company_test

import (
	"testing"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/problem"
)

// offered lets days pass until the first lot is offered, which the preset
// promises within days 2 to 4.
func (l *life) offered() office.ContractLot {
	l.t.Helper()
	for day := sim.Day(1); day <= 4; day++ {
		l.until(day)
		if lots := rowsOf[office.ContractLot](l, "contract_lot"); len(lots) > 0 {
			return lots[0]
		}
	}
	l.t.Fatalf("%s: no lot within four days", l.label)
	panic("unreachable")
}

func (l *life) lot(id string) office.ContractLot {
	l.t.Helper()
	return rowOf[office.ContractLot](l, "contract_lot", id)
}

// TestALotIsOfferedInTimeAndWithinItsBounds, for every seed.
func TestALotIsOfferedInTimeAndWithinItsBounds(t *testing.T) {
	t.Parallel()
	bounds := presetNamed(t, "starter").Lots
	seen := map[string]bool{}
	for seed := range few(12, 30) {
		l := quiet(t, "starter", seed)
		l.offered()
		l.until(25)
		for _, lot := range rowsOf[office.ContractLot](l, "contract_lot") {
			seen[lot.SKU] = true
			sheets := lot.Quantity * sheetsOf(lot.SKU)
			if sheets > bounds.Sheets[1] || sheets < bounds.Sheets[0]-sheetsOf(lot.SKU) {
				t.Errorf("%s: %s takes %d sheets, want %v", l.label, lot.Number, sheets, bounds.Sheets)
			}
			born := sim.DayFrom(lot.CreatedOn)
			if d := int64(sim.DayFrom(lot.DeliverBy) - born); d < bounds.DeliverDays[0] || d > bounds.DeliverDays[1] ||
				sim.DayFrom(lot.AnswerBy) != born+2 {
				t.Errorf("%s: %s came on %s, answer by %s, deliver by %s",
					l.label, lot.Number, lot.CreatedOn, lot.AnswerBy, lot.DeliverBy)
			}
			if lot.TotalMinor != lot.UnitPriceMinor.Times(lot.Quantity) ||
				lot.PenaltyMinor != lot.TotalMinor.PerCent(bounds.PenaltyPct) {
				t.Errorf("%s: %s does not add up: %+v", l.label, lot.Number, lot)
			}
			if lot.Status != office.LotExpired || *lot.ExpiredReason != office.OfferLapsed {
				if sim.DayFrom(lot.AnswerBy) < 24 {
					t.Errorf("%s: nobody answered %s, and it is %s", l.label, lot.Number, lot.Status)
				}
			}
		}
		checkFeed(t, l)
	}
	if len(seen) != 4 {
		t.Errorf("thirty companies were offered %v, want four products", seen)
	}
}

func sheetsOf(sku string) int64 {
	_, sheets := paperOf(office.SalesOrder{SKU: sku, Quantity: 1})
	return sheets
}

// TestALotTakesTheRoadOfAnOrder, by the bridge and by hand: accepted, printed,
// shipped, billed and paid.
func TestALotTakesTheRoadOfAnOrder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A short run keeps the test to what it is about.
			l := quiet(t, name, 4, func(p *preset.Preset) { p.Lots.Sheets = [2]int64{300, 400} })
			lot := l.offered()
			l.must(acceptLot(lot.ID))
			if name == "manual" {
				if l.lot(lot.ID).WorkOrderRef != nil {
					t.Fatal("nobody carried the lot to the Factory, and it has a work order")
				}
				l.must(shipGoods(l.make(lot.SKU, lot.Quantity, lot.Number)))
				l.must(billLot(lot.ID, &lot.Quantity))
			} else {
				l.must(shipGoods(l.print(*l.lot(lot.ID).WorkOrderRef)))
			}
			lot = l.lot(lot.ID)
			if lot.Status != office.LotDelivered || lot.InvoiceID == nil {
				t.Fatalf("the lot is %+v", lot)
			}
			l.until(40)
			i := rowOf[office.CustomerInvoice](l, "customer_invoice", *lot.InvoiceID)
			if i.Status != office.InvoicePaid || i.TotalMinor != lot.TotalMinor || *i.ContractLotID != lot.ID ||
				i.SalesOrderID != nil {
				t.Errorf("the invoice is %+v", i)
			}
			if s := rowOf[office.Shipment](l, "office_shipment", *lot.ShipmentID); *s.ContractLotID != lot.ID ||
				s.Quantity != lot.Quantity || s.Invoice.ID != i.ID {
				t.Errorf("the shipment is %+v", s)
			}
			if s := l.company.Summary(); s.Score.LotsDelivered != 1 {
				t.Errorf("%d lots count as delivered", s.Score.LotsDelivered)
			}
			checkFeed(t, l)
		})
	}
}

// TestHeadOfficeCanShipALotFirst where the bridge makes the Factory follow.
func TestHeadOfficeCanShipALotFirst(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 4, func(p *preset.Preset) { p.Lots.Sheets = [2]int64{300, 400} })
	lot := l.offered()
	l.must(acceptLot(lot.ID))
	if err := l.act(billLot(lot.ID, nil)); codeOf(err) != problem.WorkOrderNotReady {
		t.Errorf("nothing is printed, and billing gives %v", err)
	}
	l.print(*l.lot(lot.ID).WorkOrderRef)
	if err := l.act(billLot(lot.ID, new(lot.Quantity+1))); codeOf(err) != problem.QuantityMismatch {
		t.Errorf("billing one too many gives %v", err)
	}
	l.must(billLot(lot.ID, nil))
	if w := rowOf[factory.WorkOrder](l, "work_order", *l.lot(lot.ID).WorkOrderRef); w.Status != factory.WorkShipped {
		t.Errorf("the work order is %s", w.Status)
	}
	if err := l.act(billLot(lot.ID, nil)); codeOf(err) != problem.InvalidState {
		t.Errorf("billing twice gives %v", err)
	}
	checkFeed(t, l)
}

// TestAMissedLotCostsItsPenalty, once, on the morning after deliver_by, and
// five points of reputation; its paper is not wasted any more.
func TestAMissedLotCostsItsPenalty(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 4, func(p *preset.Preset) { p.Lots.EveryDays = 250 })
	lot := l.offered()
	l.must(acceptLot(lot.ID))
	last := sim.DayFrom(lot.DeliverBy)
	l.until(last)
	if got := l.lot(lot.ID).Status; got != office.LotAccepted {
		t.Fatalf("on its last day the lot is %s", got)
	}
	before := l.company.Summary()
	l.until(last + 1)
	after := l.company.Summary()
	if got := l.lot(lot.ID); got.Status != office.LotExpired || *got.ExpiredReason != office.DeliveryMissed {
		t.Fatalf("on the day after the lot is %+v", got)
	}
	var penalties []office.LedgerEntry
	for _, e := range rowsOf[office.LedgerEntry](l, "ledger_entry") {
		if e.Kind == office.LotPenalty {
			penalties = append(penalties, e)
		}
	}
	if len(penalties) != 1 || penalties[0].AmountMinor != -lot.PenaltyMinor || *penalties[0].ReferenceID != lot.ID {
		t.Errorf("the penalties are %+v, want one of %d", penalties, lot.PenaltyMinor)
	}
	if before.Reputation-after.Reputation != 500 {
		t.Errorf("reputation went from %d to %d", before.Reputation, after.Reputation)
	}
	run := factory.StartPrintRun{
		PressID: "prs_offset", WorkOrderIDs: []string{*l.lot(lot.ID).WorkOrderRef}, OversPct: new(int64(3)),
	}
	if err := l.act(printRun(run)); codeOf(err) != problem.InvalidState {
		t.Errorf("printing for a lot that is over gives %v", err)
	}
	checkFeed(t, l)
}
