package company_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"platen/internal/company"
	"platen/internal/company/attention"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
)

// does is the command of a remedy.
func does(r *attention.Remedy) action {
	switch r.Do {
	case attention.AcceptOrder:
		return accept(r.ID)
	case attention.DeclineOrder:
		return decline(r.ID, nil)
	case attention.StartRun:
		run, _ := r.Body.(*factory.StartPrintRun)
		return printRun(*run)
	case attention.Ship:
		shipment, _ := r.Body.(*factory.CreateFactoryShipment)
		return shipPart(*shipment)
	case attention.CountIn:
		receipt, _ := r.Body.(*factory.CreateFactoryGoodsReceipt)
		return count(*receipt)
	case attention.Purchase:
		order, _ := r.Body.(*office.CreatePurchaseOrder)
		return purchase(*order)
	case attention.ApproveRequisition:
		return decide(r.ID, true)
	case attention.ApprovePurchase:
		return approvePurchase(r.ID)
	case attention.PayBill:
		payment, _ := r.Body.(*office.PaySupplierInvoice)
		return payWith(r.ID, *payment)
	case attention.PayWages:
		wages, _ := r.Body.(*hr.RunPayroll)
		return payroll(wages.WeekStart)
	case attention.Hire:
		hiring, _ := r.Body.(*hr.HireEmployee)
		return hire(hiring.Role, nil)
	case attention.TestWebhook, attention.EnableWebhook:
		return tick(1) // lives have no subscriptions
	default:
		return action{name: "unknown: " + string(r.Do)}
	}
}

// TestWhatIsProposedSucceeds: in any company at any moment each remedy is a command that would
// succeed now, and to look for it changes nothing.
func TestWhatIsProposedSucceeds(t *testing.T) {
	t.Parallel()
	done := map[attention.Doing]int{}
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t)
		repeat(t, l, func(t *rapid.T, a action) {
			_ = l.act(a)
			concerns := l.company.Attention(nil)
			if l.company.Changed() {
				t.Fatal("to look at a company has changed it")
			}
			var remedies []*attention.Remedy
			for i := range concerns {
				k := &concerns[i]
				if k.Sentence == "" || k.CostMinor < 0 || k.Count < len(k.Records) {
					t.Fatalf("there is the concern %+v", k)
				}
				if i > 0 && turnOf(k) < turnOf(&concerns[i-1]) {
					t.Fatalf("%s comes after %s", k.Kind, concerns[i-1].Kind)
				}
				if i > 0 && turnOf(k) == turnOf(&concerns[i-1]) && k.CostMinor > concerns[i-1].CostMinor {
					t.Fatalf("%s costs more than %s before it", k.Kind, concerns[i-1].Kind)
				}
				if k.Remedy != nil {
					if k.Remedy.Effect == "" {
						t.Fatalf("%s has no effect that is said", k.Remedy.Do)
					}
					remedies = append(remedies, k.Remedy)
				}
			}
			if len(remedies) == 0 {
				return
			}
			r := rapid.SampledFrom(remedies).Draw(t, "remedy")
			if err := l.act(does(r)); err != nil {
				t.Fatalf("%s is proposed, and fails with %v", r.Do, err)
			}
			done[r.Do]++
		})
	})
	t.Logf("what was proposed: %v", done)
	if testing.Short() {
		return
	}
	for _, do := range []attention.Doing{
		attention.AcceptOrder, attention.DeclineOrder, attention.StartRun, attention.Ship, attention.CountIn,
		attention.Purchase, attention.ApproveRequisition, attention.ApprovePurchase, attention.PayBill,
		attention.PayWages, attention.Hire,
	} {
		if done[do] == 0 {
			t.Errorf("no company was proposed %s", do)
		}
	}
}

// TestEachConcernIsFoundWhereItIs: a healthy morning has none of what a neglected company has,
// and what was mended is a concern no more.
func TestEachConcernIsFoundWhereItIs(t *testing.T) {
	t.Parallel()
	kinds := func(l *life) map[attention.Kind]*attention.Concern {
		found := map[attention.Kind]*attention.Concern{}
		for _, k := range l.company.Attention(nil) {
			found[k.Kind] = &k
		}
		return found
	}
	l := live(t, presetNamed(t, "starter"), 5, sim.Manual, usual)
	if found := kinds(l); found[attention.OrdersLapse] != nil || found[attention.ReputationLow] != nil {
		t.Errorf("on the first morning there are %v", found)
	}
	before := l.company.StateHash()
	if _ = l.company.Attention(nil); l.company.StateHash() != before {
		t.Error("to look at a company has changed its state")
	}
	orders := l.entries("sales_order")
	l.must(accept(orders[len(orders)-1].ID))
	idle := kinds(l)[attention.PressIdle]
	if idle == nil || idle.Remedy == nil || idle.Remedy.Do != attention.StartRun {
		t.Fatalf("with work and an idle press there is %+v", idle)
	}
	l.must(does(idle.Remedy))
	l.must(tick(int(sim.DayLength)))
	if goods := kinds(l)[attention.GoodsWait]; goods == nil || goods.Remedy == nil {
		t.Errorf("with goods that are ready there is %+v", goods)
	} else {
		l.must(does(goods.Remedy))
		if again := kinds(l)[attention.GoodsWait]; again != nil {
			t.Errorf("once they are shipped there is still %+v", again)
		}
	}
	for range 30 {
		l.must(tick(int(sim.DayLength)))
	}
	if found := kinds(l); found[attention.ReputationLow] == nil {
		t.Errorf("after thirty days without anybody there is %v", found)
	}
	if all := l.company.Attention(nil); !all[0].Urgent || all[0].Remedy == nil {
		t.Errorf("after thirty days without anybody the first is %+v", all[0])
	}
}

// turnOf is how early a concern comes: cash, the urgent with a command, the urgent, the rest, and last of all what only
// time mends.
func turnOf(k *attention.Concern) int {
	switch {
	case k.Kind == attention.CashNegative:
		return 0
	case k.Urgent && k.Remedy != nil:
		return 1
	case k.Urgent:
		return 2
	case k.Kind == attention.ReputationLow || k.Kind == attention.MoraleLow:
		return 4
	default:
		return 3
	}
}

// TestEachDayIsSaidOfItsOrders: who cancels tonight cancels tonight, and what is overdue is not said to be due.
func TestEachDayIsSaidOfItsOrders(t *testing.T) {
	t.Parallel()
	l := live(t, presetNamed(t, "starter"), 5, sim.Manual, usual)
	late := regexp.MustCompile(`(\d+) (?:accepted orders? )?(?:is|are) overdue`)
	cancels := regexp.MustCompile(`(\d+) (?:customers? )?cancels? tonight`)
	overdue, tonight := 0, 0
	for range 20 {
		today := l.company.Now().Date()
		past, over := 0, 0
		for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
			switch {
			case o.Status == office.OrderReceived:
				_ = l.act(accept(o.ID))
			case o.Status != office.OrderAccepted && o.Status != office.OrderInProduction:
			case o.DueDate < today:
				past++
				fallthrough
			default:
				if o.CancelAfter == today {
					over++
				}
			}
		}
		overdue, tonight = overdue+past, tonight+over
		for _, k := range l.company.Attention(nil) {
			if k.Kind != attention.OrdersLate {
				continue
			}
			if got := numberIn(late, k.Sentence); got != past {
				t.Errorf("%s: %d orders are overdue, and it says %q", today, past, k.Sentence)
			}
			if got := numberIn(cancels, k.Sentence); got != over {
				t.Errorf("%s: %d customers cancel tonight, and it says %q", today, over, k.Sentence)
			}
		}
		l.must(tick(int(sim.DayLength)))
	}
	if overdue == 0 || tonight == 0 {
		t.Errorf("in twenty days %d orders were overdue, and %d were cancelled", overdue, tonight)
	}
}

// numberIn is the number that an expression finds in a text, 0 without one.
func numberIn(of *regexp.Regexp, text string) int {
	found := of.FindStringSubmatch(text)
	if found == nil || found[1] == "" {
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// TestLateWagesAreSaidWithTheirSurcharge: one late week costs what paying it costs.
func TestLateWagesAreSaidWithTheirSurcharge(t *testing.T) {
	t.Parallel()
	l := live(t, presetNamed(t, "starter"), 5, sim.Manual, usual)
	amount := regexp.MustCompile(`[0-9]+\.[0-9]{2} XTS`)
	for range 15 {
		for _, k := range l.company.Attention(nil) {
			if k.Remedy == nil || !strings.HasPrefix(k.Sentence, "Wages of 1 week are late, ") {
				continue
			}
			said, paid := amount.FindString(k.Sentence), amount.FindString(k.Remedy.Effect)
			if said == "" || said != paid {
				t.Errorf("%q, and the command %q", k.Sentence, k.Remedy.Effect)
			}
			return
		}
		l.must(tick(int(sim.DayLength)))
	}
	t.Fatal("in fifteen days no wages were late")
}

// TestTheTruckThatBringsWhatWorkLacksIsCountedInFirst: others may have come before it.
func TestTheTruckThatBringsWhatWorkLacksIsCountedInFirst(t *testing.T) {
	t.Parallel()
	l := live(t, presetNamed(t, "starter"), 31, sim.Manual, usual)
	sku, quantity := "prd_brochure", int64(600)
	l.must(trigger("order", company.PullTrigger{SKU: &sku, Quantity: &quantity}))
	orders := l.entries("sales_order")
	l.must(accept(orders[len(orders)-1].ID))
	for range 15 {
		paper := false
		for _, k := range l.company.Attention(nil) {
			switch {
			case k.Kind == attention.TruckWaits && k.Count > 1 && k.Remedy != nil:
				if !strings.Contains(k.Remedy.Effect, "Coated paper") {
					t.Errorf("of %d trucks the command %q", k.Count, k.Remedy.Effect)
				}
				paper = true
			case k.Kind == attention.MaterialMissing || k.Kind == attention.Unapproved:
				if k.Remedy != nil {
					_ = l.act(does(k.Remedy)) // ordered, then approved
				}
			}
		}
		if paper {
			return
		}
		l.must(tick(int(sim.DayLength)))
	}
	t.Fatal("in fifteen days no two trucks waited")
}

// TestAGapOfAManualBridgeIsNoConcern: to be told of it would be the integration.
func TestAGapOfAManualBridgeIsNoConcern(t *testing.T) {
	t.Parallel()
	p := presetNamed(t, "starter")
	p.Bridge = preset.ByHand
	l := live(t, p, 5, sim.Manual, usual)
	before := map[attention.Kind]bool{}
	for _, k := range l.company.Attention(nil) {
		before[k.Kind] = true
	}
	accepted := 0
	for _, e := range l.entries("sales_order") {
		if l.act(accept(e.ID)) == nil {
			accepted++
		}
	}
	if accepted == 0 {
		t.Fatal("no order was accepted, so this shows nothing")
	}
	for _, k := range l.company.Attention(nil) {
		if !before[k.Kind] {
			t.Errorf("orders that nobody has carried to the Factory are a concern: %+v", k)
		}
	}
}

// TestAPartThatCouldLeaveIsNoticed once its customer, who takes parts, wants the goods.
func TestAPartThatCouldLeaveIsNoticed(t *testing.T) {
	t.Parallel()
	for customer, takes := range map[string]bool{"cus_kestrel": true, "cus_veld": false} {
		l := quiet(t, "starter", 1, punctual)
		l.must(trigger("order", company.PullTrigger{
			CustomerID: &customer, SKU: new("prd_card"), Quantity: new(int64(40)), Days: new(int64(1)),
		}))
		orders := rowsOf[office.SalesOrder](l, "sales_order")
		order := orders[len(orders)-1]
		l.must(accept(order.ID))
		work := *l.order(order.Number).BridgedWorkOrderID
		l.must(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderID: &work, OversPct: new(int64(0))}))
		l.must(tick(240))
		ready := l.workOrder(work).QuantityReady
		if w := l.workOrder(work); ready == 0 || ready == w.Quantity || w.Status != factory.WorkPrinting {
			t.Fatalf("of the work order this is ready: %+v", w)
		}
		var goods *attention.Concern
		for _, k := range l.company.Attention(nil) {
			if k.Kind == attention.GoodsWait {
				goods = &k
			}
		}
		if (goods != nil) != takes {
			t.Fatalf("%s: there is %+v", customer, goods)
		}
		if !takes {
			continue
		}
		l.must(does(goods.Remedy))
		if got := l.order(order.Number); got.QuantityBilled != ready || got.Status != office.OrderInProduction {
			t.Errorf("after the remedy the order is %+v", got)
		}
	}
}
