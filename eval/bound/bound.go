// Package bound computes the best results that small tasks allow. It tries every choice by the rules of the
// presses and leaves bad luck out: no sheet is spoiled, no press breaks and nobody is ill. So no client does better,
// and where one has done as well the bound is exact.
package bound

import (
	"math/bits"
	"slices"
)

// MaxGang is the most orders that share a print run.
const MaxGang = 6

// Order is work for one customer.
type Order struct {
	// Paper is the material that it is printed on, Sheets how many good ones it takes.
	Paper  string
	Sheets int64
	// FinishingMinutes pass after its run before it can be shipped.
	FinishingMinutes int64
	WorthMinor       int64
}

// Press is a press as GET /factory/presses shows it. A run that follows one of the same product takes half of
// the sheets and two fifths of the minutes.
type Press struct {
	MakeReadySheets, MakeReadyMinutes, SheetsPerHour int64
}

// MostWorth is the most that orders on one paper can be worth together that are printed with so many sheets, on
// the press of least make-ready. It tries each choice of orders.
func MostWorth(orders []Order, presses []Press, sheets int64) int64 {
	makeReady := slices.MinFunc(presses, func(a, b Press) int { return int(a.MakeReadySheets - b.MakeReadySheets) }).
		MakeReadySheets
	most := int64(0)
	for choice := uint(1); choice < 1<<len(orders); choice++ {
		runs := int64(bits.OnesCount(choice)+MaxGang-1) / MaxGang
		takes, worth := makeReady+(runs-1)*(makeReady/2), int64(0)
		for i, o := range orders {
			if choice>>i&1 == 1 {
				takes += o.Sheets
				worth += o.WorthMinor
			}
		}
		if takes <= sheets {
			most = max(most, worth)
		}
	}
	return most
}

// FewestRuns is in how few runs of one press all orders can be printed and finished within the minutes, with what
// is there of each paper; 0 where they cannot. It tries each way to share the orders out among runs.
func FewestRuns(orders []Order, press Press, paper map[string]int64, minutes int64) int {
	fewest := 0
	var share func(runs [][]Order, rest []Order)
	share = func(runs [][]Order, rest []Order) {
		switch {
		case fewest > 0 && len(runs) >= fewest:
			return
		case len(rest) == 0:
			if press.manages(runs, paper, minutes) {
				fewest = len(runs)
			}
			return
		}
		for i, run := range runs {
			if len(run) < MaxGang && run[0].Paper == rest[0].Paper {
				runs[i] = append(slices.Clone(run), rest[0])
				share(runs, rest[1:])
				runs[i] = run
			}
		}
		share(append(slices.Clone(runs), rest[:1]), rest[1:])
	}
	share(nil, orders)
	return fewest
}

// manages reports whether a press can print some runs one after the other. The run that takes longest to finish
// comes first: no other order of the runs has everything finished sooner.
func (p *Press) manages(runs [][]Order, paper map[string]int64, minutes int64) bool {
	finishing := func(run []Order) int64 {
		return slices.MaxFunc(run, func(a, b Order) int { return int(a.FinishingMinutes - b.FinishingMinutes) }).
			FinishingMinutes
	}
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b []Order) int { return int(finishing(b) - finishing(a)) })
	taken, now := map[string]int64{}, int64(0)
	for i, run := range runs {
		sheets, makeReady := p.MakeReadySheets, p.MakeReadyMinutes
		if i > 0 {
			sheets, makeReady = sheets/2, makeReady*2/5
		}
		for _, o := range run {
			sheets += o.Sheets
		}
		taken[run[0].Paper] += sheets
		now += makeReady + (sheets*60+p.SheetsPerHour-1)/p.SheetsPerHour
		if taken[run[0].Paper] > paper[run[0].Paper] || now+finishing(run) > minutes {
			return false
		}
	}
	return true
}
