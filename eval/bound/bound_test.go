package bound

import (
	"math/rand/v2"
	"testing"
)

// printer plays a press by its rules, sheet by sheet and minute by minute, and tries whatever can be done next.
type printer struct {
	press   Press
	orders  []Order
	sheets  int64
	minutes int64
	most    int64
	fewest  int
}

// plays starts each gang of what is not printed yet, after the runs before, and notes the best ends. A finished
// order is one that was ready within the minutes.
func (p *printer) plays(printed uint, sheets, now, worth int64, runs int) {
	p.most = max(p.most, worth)
	if printed == 1<<len(p.orders)-1 && (p.fewest == 0 || runs < p.fewest) {
		p.fewest = runs
	}
	for gang := uint(1); gang < 1<<len(p.orders); gang++ {
		if gang&printed != 0 {
			continue
		}
		takes, makeReady := p.press.MakeReadySheets, p.press.MakeReadyMinutes
		if runs > 0 {
			takes, makeReady = takes/2, makeReady*2/5
		}
		size, longest, earned := 0, int64(0), int64(0)
		for i, o := range p.orders {
			if gang>>i&1 == 1 {
				size++
				takes += o.Sheets
				earned += o.WorthMinor
				longest = max(longest, o.FinishingMinutes)
			}
		}
		ends := now + makeReady
		const hour = 60
		for left := takes; left > 0; left -= p.press.SheetsPerHour {
			ends += min(hour, (left*hour+p.press.SheetsPerHour-1)/p.press.SheetsPerHour)
		}
		if size <= MaxGang && takes <= sheets && ends+longest <= p.minutes {
			p.plays(printed|gang, sheets-takes, ends, worth+earned, runs+1)
		}
	}
}

// TestBoundsAreTheBestOfAllWaysToPlay, found by playing every order of runs of small houses.
func TestBoundsAreTheBestOfAllWaysToPlay(t *testing.T) {
	t.Parallel()
	const worlds, ample = 300, 1 << 40
	impossible, several := 0, 0
	for seed := range uint64(worlds) {
		r := rand.New(rand.NewPCG(seed, 1))
		press := Press{
			MakeReadySheets: 2 * r.Int64N(60), MakeReadyMinutes: 5 * r.Int64N(12), SheetsPerHour: 400 + 60*r.Int64N(20),
		}
		orders := make([]Order, 1+r.IntN(5))
		for i := range orders {
			orders[i] = Order{
				Paper: "coated", Sheets: 1 + r.Int64N(900), FinishingMinutes: 15 * r.Int64N(20),
				WorthMinor: r.Int64N(1000),
			}
		}
		sheets, minutes := r.Int64N(4000), 60+r.Int64N(500)

		anyTime := printer{press: press, orders: orders, sheets: sheets, minutes: ample}
		anyTime.plays(0, sheets, 0, 0, 0)
		if got := MostWorth(orders, []Press{press}, sheets); got != anyTime.most {
			t.Errorf("seed %d: the most worth is %d, by playing %d", seed, got, anyTime.most)
		}
		inTime := printer{press: press, orders: orders, sheets: sheets, minutes: minutes}
		inTime.plays(0, sheets, 0, 0, 0)
		if got := FewestRuns(orders, press, map[string]int64{"coated": sheets}, minutes); got != inTime.fewest {
			t.Errorf("seed %d: the fewest runs are %d, by playing %d", seed, got, inTime.fewest)
		}
		if inTime.fewest == 0 {
			impossible++
		} else if inTime.fewest > 1 {
			several++
		}
	}
	if impossible == 0 || several == 0 || impossible+several == worlds {
		t.Errorf("%d worlds are impossible, %d take several runs: nothing else is tried", impossible, several)
	}
}

// TestARunHoldsSixOrdersOfOnePaper, so that a seventh, and another paper, takes one more.
func TestARunHoldsSixOrdersOfOnePaper(t *testing.T) {
	t.Parallel()
	press, paper := Press{10, 10, 1000}, map[string]int64{"coated": 1000, "board": 1000}
	six := make([]Order, MaxGang)
	for i := range six {
		six[i] = Order{Paper: "coated", Sheets: 10, WorthMinor: 1}
	}
	seven := append(six[:MaxGang:MaxGang], six[0])
	other := append(six[:MaxGang-1:MaxGang-1], Order{Paper: "board", Sheets: 10})
	const day = 480
	for want, orders := range map[int][]Order{1: six, 2: seven} {
		if got := FewestRuns(orders, press, paper, day); got != want {
			t.Errorf("%d orders take %d runs, want %d", len(orders), got, want)
		}
	}
	if got := FewestRuns(other, press, paper, day); got != 2 {
		t.Errorf("two papers take %d runs, want 2", got)
	}
	const enoughForSix = 10 + 6*10
	if got := MostWorth(seven, []Press{press}, enoughForSix+10); got != MaxGang {
		t.Errorf("without the make-ready of a second run %d orders are printed, want 6", got)
	}
}
