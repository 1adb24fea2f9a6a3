package company_test

import (
	"fmt"
	"testing"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/event"
)

// TestAWorkOrderSaysWhatItWaitsFor, through its life, and through a run that ends short: its
// status tells that from a run that goes on in no way. The summary counts those that wait for
// a press.
func TestAWorkOrderSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	l := spoiling(t, 1, 100, 400, steady)
	id := l.add(job{"prd_flyer", 200}, new("parcel"))
	says := func(moment string, status factory.WorkOrderStatus, wait factory.Wait, toPrint int64) {
		t.Helper()
		w, counts := l.workOrder(id), l.company.Summary().Counts
		if w.Status != status || w.WaitsFor != wait || counts.WorkOrdersToPrint != toPrint {
			t.Errorf("%s: the order is %s and waits for %s, %d are to be printed; want %s, %s, %d",
				moment, w.Status, w.WaitsFor, counts.WorkOrdersToPrint, status, wait, toPrint)
		}
		found := 0
		for _, e := range l.entries("work_order") {
			if e.Filters[2] == string(wait) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s: %d orders are found by %s", moment, found, wait)
		}
	}
	says("ordered", factory.WorkCreated, factory.WaitsForPress, 1)
	l.must(printRun(factory.StartPrintRun{PressID: "prs_offset", WorkOrderIDs: []string{id}}))
	says("on the press", factory.WorkPrinting, factory.WaitsForRun, 0)
	l.must(tick(200))
	if short := *l.newestRun().Items[0].QuantityShort; short == 0 {
		t.Fatal("the run did not end short")
	}
	says("short", factory.WorkPrinting, factory.WaitsForPress, 1)
	l.must(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderID: &id, OversPct: new(int64(20))}))
	says("topped up", factory.WorkPrinting, factory.WaitsForRun, 0)
	for l.newestRun().Status == factory.RunRunning {
		l.must(tick(1))
	}
	says("printed", factory.WorkPrinting, factory.WaitsForFinishing, 0)
	l.must(tick(45))
	says("ready", factory.WorkReady, factory.WaitsForShipment, 0)
	l.must(shipGoods(id))
	says("gone", factory.WorkShipped, factory.WaitsForNothing, 0)
}

// TestWhatIsForTheShelfWaitsForNothingOnceItIsThere.
func TestWhatIsForTheShelfWaitsForNothingOnceItIsThere(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	id := l.add(job{"prd_notebook", 10}, nil)
	l.must(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderID: &id, OversPct: new(int64(20))}))
	l.must(tick(480))
	if w := l.workOrder(id); w.Status != factory.WorkStocked || w.WaitsFor != factory.WaitsForNothing {
		t.Errorf("the order for the shelf is %s and waits for %s", w.Status, w.WaitsFor)
	}
}

// TestAShortRunIsADecision: a client that waits for something to decide hears of it.
func TestAShortRunIsADecision(t *testing.T) {
	t.Parallel()
	for short, want := range map[bool]company.Stop{true: company.StoppedByDecision, false: company.StoppedByMinutes} {
		l := spoiling(t, 1, 100, 400, steady, func(p *preset.Preset) { p.Documents, p.Lots = false, preset.Lots{} })
		overs := int64(0)
		if !short {
			overs = 20
		}
		l.gang("prs_offset", overs, job{"prd_flyer", 200})
		var stop company.Stop
		l.must(tickUntil(300, company.Until{Decision: true}, &stop))
		now := l.company.Summary().Now
		if run := l.newestRun(); stop != want || run.Status != factory.RunCompleted ||
			short && fmt.Sprint(*run.CompletedSim) != now.Text() {
			t.Errorf("short: %t: it stops at %s by %s, the run is %+v", short, now.Text(), stop, run)
		}
	}
}

// TestAnOrderWaitsForTheNextFreePress while all presses run, unless none is free on its last day: to accept it sooner
// prints nothing sooner.
func TestAnOrderWaitsForTheNextFreePress(t *testing.T) {
	t.Parallel()
	for answerDays, stopsAt := range map[int64]event.Type{2: event.PrintRunCompleted, 0: event.SalesOrderReceived} {
		p := presetNamed(t, "starter")
		p.Documents, p.Lots = false, preset.Lots{}
		p.Demand.AnswerDays, p.Demand.RushPct = answerDays, [2]int64{}
		l := live(t, p, 31, sim.Manual, usual)
		l.must(tick(240))
		l.gang("prs_offset", 0, job{"prd_flyer", 800})
		l.gang("prs_digital", 0, job{"prd_poster", 200})
		here := l.snapshot()
		reached := func(u company.Until) sim.Minute {
			var stop company.Stop
			twin := l.reborn(here)
			twin.must(tickUntil(company.TickMax, u, &stop))
			if stop == company.StoppedByMinutes {
				t.Fatalf("%+v does not come", u)
			}
			return twin.company.Now()
		}
		received := reached(company.Until{Types: []event.Type{event.SalesOrderReceived}})
		free := reached(company.Until{Types: []event.Type{event.PrintRunCompleted}})
		if received.Day() >= free.Day() {
			t.Fatalf("an order comes at %s, and a press is free at %s", received.Text(), free.Text())
		}
		want := free
		if stopsAt == event.SalesOrderReceived {
			want = received
		}
		if got := reached(company.Until{Decision: true}); got != want {
			t.Errorf("orders wait for %d days: it stops at %s, want %s", answerDays, got.Text(), want.Text())
		}
	}
}
