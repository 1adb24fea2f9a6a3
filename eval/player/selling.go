package player

import (
	"slices"
	"strings"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

const (
	// The worth of a minute on a press is measured by the work for so many days ahead, and
	// grows up to so many per cent.
	busyDays, busyMost = 3, 200
	// setUpMinor is the cost of an order without its paper.
	setUpMinor money.Minor = 3000
	// paperMarkupPct is the true cost of paper, in per cent of its price.
	paperMarkupPct = 110
)

// lotPrefix begins the ids of contract lots.
const lotPrefix = "lot_"

// answer accepts or declines what customers ask for.
func (p *player) answer() error {
	offers, err := rows[office.SalesOrder](p, "list_sales_orders", "status", string(office.OrderReceived))
	if err != nil {
		return err
	}
	// The oldest first, as they came.
	for _, o := range slices.Backward(offers) {
		take, wait := p.takes(o)
		switch {
		case take:
			if _, err := p.try("accept_sales_order", o.ID, nil); err != nil {
				return err
			}
			p.open = append(p.open, &factory.WorkOrder{SKU: o.SKU, Quantity: o.Quantity, DueDate: &o.DueDate})
		case wait && sim.DayFrom(o.AnswerBy) > p.today(): // there may be room tomorrow
		default:
			if _, err := p.try("decline_sales_order", o.ID, &office.DeclineSalesOrder{}); err != nil {
				return err
			}
		}
	}
	return p.answerLots()
}

// takes reports whether an order is to be accepted, and otherwise whether that
// may change.
func (p *player) takes(o *office.SalesOrder) (take, wait bool) {
	if o.Rush && !p.policy.rush {
		return false, false
	}
	if !p.policy.choosing {
		return true, false
	}
	if p.policy.stocked {
		if p.promisable(o) < o.Quantity*p.products[o.SKU].SheetsPerUnit {
			return false, true
		}
	}
	minutes := p.shortest(o.SKU, o.Quantity)
	ahead := minutes
	for _, w := range p.open {
		if w.DueDate != nil && *w.DueDate <= o.DueDate {
			ahead += p.shortest(w.SKU, missing(w))
		}
	}
	room := p.room(p.until(o.DueDate) - p.products[o.SKU].FinishingMinutes)
	return ahead*100 < room*p.policy.terms.orderCapacityPct &&
		p.earns(o.SKU, o.Quantity, o.UnitPriceMinor) > p.minuteWorth().Times(minutes), true
}

// minuteWorth is the least that a minute on a press must earn: the more, the more work there is
// for the days ahead.
func (p *player) minuteWorth() money.Minor {
	load := int64(0)
	for _, w := range p.open {
		load += p.shortest(w.SKU, missing(w))
	}
	busy := load * 100 / (int64(len(p.presses)) * dayMinutes * busyDays)
	return p.policy.terms.orderPerMinute.Times(min(busy, busyMost)) / 100
}

// room is how many minutes the presses have while so many pass.
func (p *player) room(minutes int64) int64 { return int64(len(p.presses)) * max(0, minutes) }

// earns is the price of a job less its material.
func (p *player) earns(sku string, quantity int64, price money.Minor) money.Minor {
	product := p.products[sku]
	paper := p.prices[product.PaperSKU].Times(product.SheetsPerUnit * quantity).PerCent(paperMarkupPct)
	ink := p.prices[catalog.Ink].Times((quantity + product.InkUnitsPerCan - 1) / product.InkUnitsPerCan)
	return price.Times(quantity) - paper - ink - setUpMinor
}

// answerLots accepts or declines contract lots.
func (p *player) answerLots() error {
	offers, err := rows[office.ContractLot](p, "list_contract_lots", "status", string(office.LotOffered))
	if err != nil {
		return err
	}
	for _, lot := range offers {
		command := "decline_contract_lot"
		if p.policy.lots == allLots || p.policy.lots == fittingLots && p.fits(lot) {
			command = "accept_contract_lot"
			p.open = append(p.open, &factory.WorkOrder{SKU: lot.SKU, Quantity: lot.Quantity, DueDate: &lot.DeliverBy})
		}
		if _, err := p.try(command, lot.ID, nil); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether there is room for a lot beside everything at hand, and
// whether it is worth it.
func (p *player) fits(lot *office.ContractLot) bool {
	minutes := p.shortest(lot.SKU, lot.Quantity)
	load := minutes
	for _, w := range p.open {
		load += p.shortest(w.SKU, missing(w))
	}
	room := p.room(p.until(lot.DeliverBy) - p.products[lot.SKU].FinishingMinutes - dayMinutes)
	earns := p.earns(lot.SKU, lot.Quantity, lot.UnitPriceMinor) - p.rushCost(lot)
	return load*100 < room*p.policy.terms.lotCapacityPct && earns > p.policy.terms.lotPerMinute.Times(minutes)
}

// rushCost is the cost of having a lot's paper in time when the shelf has
// not enough of it beside what other work takes.
func (p *player) rushCost(lot *office.ContractLot) money.Minor {
	paper := p.products[lot.SKU].PaperSKU
	sheets := lot.Quantity * p.products[lot.SKU].SheetsPerUnit
	short := min(sheets, max(0, sheets-p.free(paper)))
	return p.prices[paper].Times(short).PerCent(dearPct - 100)
}

// free is how many sheets of a paper are on hand beyond what open work takes.
func (p *player) free(paper string) int64 {
	sheets := p.stock[paper].OnHand
	for _, w := range p.open {
		if product := p.products[w.SKU]; product.PaperSKU == paper {
			sheets -= missing(w) * product.SheetsPerUnit
		}
	}
	return sheets
}

// promisable is how many sheets there will be for an order. What suppliers have promised counts, but not for a rush
// order, which expires before a truck is missed.
func (p *player) promisable(o *office.SalesOrder) int64 {
	paper := p.products[o.SKU].PaperSKU
	sheets := p.free(paper) - p.policy.terms.wasteSheets
	for _, w := range p.open {
		if p.products[w.SKU].PaperSKU == paper {
			sheets -= p.policy.terms.wasteSheets
		}
	}
	if !o.Rush {
		sheets += p.comesBefore(paper, o.DueDate)
	}
	return sheets
}

// comesBefore is how many sheets of a paper suppliers have promised so early that work due on a date can be printed
// on them, also where the truck is late by slackDays.
func (p *player) comesBefore(paper string, due moment.Date) int64 {
	sheets := int64(0)
	for _, o := range p.promisedPaper {
		if o.ExpectedOn == nil || sim.DayFrom(*o.ExpectedOn)+p.policy.terms.slackDays > sim.DayFrom(due) {
			continue
		}
		for i, line := range o.Lines {
			if line.SKU == paper {
				sheets += o.Coming(i)
			}
		}
	}
	return sheets
}

// ship sends out and bills what is ready.
func (p *player) ship() error {
	ready, err := rows[factory.WorkOrder](p, "list_work_orders", "status", string(factory.WorkReady))
	if err != nil {
		return err
	}
	if err := p.closeShort(); err != nil {
		return err
	}
	for _, w := range ready {
		if err := p.shipSingly(w); err != nil {
			return err
		}
		done, err := p.try("create_factory_shipment", "", &factory.CreateFactoryShipment{WorkOrderID: w.ID})
		if err != nil {
			return err
		}
		if done && p.byHand() {
			if err := p.bill(*w.Reference); err != nil {
				return err
			}
		}
	}
	return nil
}

// bill tells Head Office what the Factory has shipped.
func (p *player) bill(reference string) error {
	parcels, err := rows[factory.Shipment](p, "list_factory_shipments", "reference", reference)
	if err != nil || len(parcels) == 0 {
		return err
	}
	body := &office.CreateOfficeShipment{FactoryShipmentRef: &parcels[0].ID}
	if strings.HasPrefix(reference, lotPrefix) {
		body.ContractLotID = &reference
	} else {
		body.SalesOrderID = &reference
	}
	_, err = p.try("create_office_shipment", "", body)
	return err
}
