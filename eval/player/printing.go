package player

import (
	"slices"
	"strings"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
)

// How the good player prints.
const (
	goodOversPct = 5
	// smallSheets is below what offset make-ready pays for.
	smallSheets = 450
	// maxDigital is more than the digital press should be bothered with.
	maxDigital = 2200
	// These are reasons for a job, in minutes of its slack: that the press is set
	// up for it, that it is too small for offset or too large for digital.
	setUpMinutes, tooSmallMinutes, tooLargeMinutes = 400, 500, 900
	// A lot that is late costs its penalty, an order a discount: lots go first.
	penaltyMinutes = 480
)

// job is a run that could be started.
type job struct {
	press                        *factory.Press
	orders                       []*factory.WorkOrder
	sheets, minutes, ink, plates int64
}

// oversPct is the share that the player prints above the quantity.
func (p *player) oversPct() int64 {
	if p.policy.overs {
		return goodOversPct
	}
	return factory.DefaultOversPct
}

// measure works out what a run takes, by the bill of materials and the
// press's data.
func (p *player) measure(press *factory.Press, orders ...*factory.WorkOrder) job {
	j := job{press: press, orders: orders, sheets: press.MakeReadySheets}
	makeReady := press.MakeReadyMinutes
	if press.LastSKU != nil && *press.LastSKU == orders[0].SKU {
		makeReady = makeReady * 2 / 5
		j.sheets /= 2
	}
	for _, w := range orders {
		product, units := p.products[w.SKU], missing(w)
		j.sheets += (units*product.SheetsPerUnit*(100+p.oversPct()) + 99) / 100
		j.ink += (units + product.InkUnitsPerCan - 1) / product.InkUnitsPerCan
		if press.UsesPlates {
			j.plates = max(j.plates, product.PlatesPerRun)
		}
	}
	j.minutes = makeReady + (j.sheets*60+press.SheetsPerHour-1)/press.SheetsPerHour
	return j
}

// shortest is how many minutes a job takes on the faster press.
func (p *player) shortest(sku string, units int64) int64 {
	w := &factory.WorkOrder{SKU: sku, Quantity: units}
	least := int64(0)
	for i, press := range p.presses {
		if minutes := p.measure(press, w).minutes; i == 0 || minutes < least {
			least = minutes
		}
	}
	return least
}

// stocked reports whether the material of a job is there.
func (p *player) stocked(j *job) bool {
	return p.stock[p.products[j.orders[0].SKU].PaperSKU].OnHand >= j.sheets && p.stock[catalog.Ink].OnHand >= j.ink &&
		p.stock[catalog.Plate].OnHand >= j.plates
}

// shippable reports whether a player who knows when the game ends can ship a job before.
func (p *player) shippable(j *job) bool {
	finishing := int64(0)
	for _, w := range j.orders {
		finishing = max(finishing, p.products[w.SKU].FinishingMinutes)
	}
	return p.policy.terms.horizonDays == 0 || j.minutes+finishing <= p.left()
}

// print starts the presses that are idle.
func (p *player) print() error {
	if err := p.surveyWork(); err != nil {
		return err
	}
	free, err := p.freeOperators()
	if err != nil {
		return err
	}
	// The offset press first: it is the one that large jobs need.
	for _, press := range slices.Backward(p.presses) {
		if press.Status != factory.PressIdle || free == 0 {
			continue
		}
		j, ok := p.next(press)
		if !ok {
			continue
		}
		started, err := p.start(&j)
		if err != nil {
			return err
		}
		if started {
			free--
			p.spend(&j)
		}
	}
	return nil
}

// freeOperators counts who is present and runs no press.
func (p *player) freeOperators() (int, error) {
	operators, err := rows[factory.Operator](p, "list_operators")
	if err != nil {
		return 0, err
	}
	free := 0
	for _, o := range operators {
		if o.Present {
			free++
		}
	}
	for _, press := range p.presses {
		if press.Status == factory.PressRunning {
			free--
		}
	}
	return max(0, free), nil
}

// spend notes what a run that has begun takes away: its orders from what waits,
// its material from the stock.
func (p *player) spend(j *job) {
	p.waiting = slices.DeleteFunc(p.waiting, func(w *factory.WorkOrder) bool { return slices.Contains(j.orders, w) })
	takes := map[string]int64{
		p.products[j.orders[0].SKU].PaperSKU: j.sheets, catalog.Ink: j.ink, catalog.Plate: j.plates,
	}
	for sku, quantity := range takes {
		item := *p.stock[sku]
		item.OnHand -= quantity
		p.stock[sku] = &item
	}
}

func (p *player) start(j *job) (bool, error) {
	ids := make([]string, len(j.orders))
	for i, w := range j.orders {
		ids[i] = w.ID
	}
	overs := p.oversPct()
	return p.try("start_print_run", "",
		&factory.StartPrintRun{PressID: j.press.ID, WorkOrderIDs: ids, OversPct: &overs})
}

// next is the job that a press prints next.
func (p *player) next(press *factory.Press) (job, bool) {
	if p.policy.planning {
		return p.planned(press)
	}
	for _, w := range slices.Backward(p.byAge()) {
		if j := p.measure(press, w); p.stocked(&j) {
			return p.ganged(j), true
		}
	}
	return job{}, false
}

// byAge returns what waits, newest first, whatever its status.
func (p *player) byAge() []*factory.WorkOrder {
	sorted := slices.Clone(p.waiting)
	slices.SortStableFunc(sorted, func(a, b *factory.WorkOrder) int {
		return slices.Compare([]byte(b.Number), []byte(a.Number))
	})
	return sorted
}

// planned is the job whose slack, and how well it suits the press, speak for it.
func (p *player) planned(press *factory.Press) (job, bool) {
	var best job
	bestScore, found := int64(0), false
	for _, w := range p.waiting {
		j := p.measure(press, w)
		if !p.stocked(&j) || !p.shippable(&j) || !press.UsesPlates && j.sheets > maxDigital {
			continue
		}
		score := p.slack(w) - j.minutes
		if strings.HasPrefix(*w.Reference, lotPrefix) {
			score -= penaltyMinutes
		}
		if press.LastSKU != nil && *press.LastSKU == w.SKU {
			score -= setUpMinutes
		}
		switch small := j.sheets < smallSheets; {
		case press.UsesPlates && small:
			score += tooSmallMinutes
		case !press.UsesPlates && !small:
			score += tooLargeMinutes
		}
		if !found || score < bestScore {
			best, bestScore, found = j, score, true
		}
	}
	if !found {
		return job{}, false
	}
	return p.ganged(best), true
}

// slack is how many minutes are left until a work order is due.
func (p *player) slack(w *factory.WorkOrder) int64 {
	if w.DueDate == nil {
		return dayMinutes
	}
	return p.until(*w.DueDate) - p.products[w.SKU].FinishingMinutes
}

// ganged adds small orders of the same paper to a job.
func (p *player) ganged(j job) job {
	if !p.policy.ganging {
		return j
	}
	paper := p.products[j.orders[0].SKU].PaperSKU
	others := slices.Clone(p.waiting)
	slices.SortStableFunc(others, func(a, b *factory.WorkOrder) int { return int(p.slack(a) - p.slack(b)) })
	for _, w := range others {
		if len(j.orders) == factory.MaxGang {
			break
		}
		if w == j.orders[0] || p.products[w.SKU].PaperSKU != paper {
			continue
		}
		more := p.measure(j.press, slices.Concat(j.orders, []*factory.WorkOrder{w})...)
		if more.minutes <= p.policy.terms.gangMinutes && p.stocked(&more) && p.shippable(&more) {
			j = more
		}
	}
	return j
}
