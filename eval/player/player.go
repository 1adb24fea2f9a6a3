// Package player holds players of known skill. They play a company as clients do: they
// read the rows that lists answer with and send the commands of the operation table,
// through a door that shows nothing else. Scores are compared with their results.
package player

import (
	"errors"
	"fmt"
	"strconv"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/operation"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

const (
	// dayMinutes is the working day, as GET /sandbox shows it from 08:00 to
	// 16:00.
	dayMinutes = int64(sim.DayLength)
	// LookMinutes is how many of them pass between two looks at the company, but for watchful play.
	LookMinutes = 60
)

// player plays a company by a policy, through its door and nothing else.
type player struct {
	door   door
	policy Policy
	// refused counts commands that were refused.
	refused int
	// last is the day at whose close the game ends.
	last sim.Day

	// These stay the same all the time.
	products map[string]*factory.Product
	prices   map[string]money.Minor
	// The present.
	state   operation.SandboxStatus
	stock   map[string]*factory.StockItem
	presses []*factory.Press
	// open are the work orders that still need a press, as a day's plan has
	// them, waiting those of them that no run or finishing holds.
	open, waiting []*factory.WorkOrder
	morning       bool
	// promisedPaper are the purchase orders, where the policy counts on those whose goods have not come.
	promisedPaper []*office.PurchaseOrder
	seen          uint64

	// carried are the records that the player has carried from one system to the
	// other, by the ids of those that they came from, sheeted the week of its
	// newest timesheet.
	carried map[string]bool
	sheeted sim.Day
	// shelved counts the runs for the shelf.
	shelved int
}

// newPlayer returns a player who plays for so many days.
func newPlayer(d door, p Policy, days int) (*player, error) {
	pl := &player{
		door: d, policy: p, products: map[string]*factory.Product{}, prices: map[string]money.Minor{},
		carried: map[string]bool{}, sheeted: -1,
	}
	products, err := rows[factory.Product](pl, "list_factory_products")
	if err != nil {
		return nil, err
	}
	for _, product := range products {
		pl.products[product.SKU] = product
	}
	suppliers, err := rows[office.Supplier](pl, "list_suppliers")
	if err != nil {
		return nil, err
	}
	for _, s := range suppliers {
		if s.ID == catalog.Mill || s.ID == chroma {
			for _, price := range s.Prices {
				pl.prices[price.SKU] = price.UnitPriceMinor
			}
		}
	}
	pl.state, err = d.glance()
	pl.last = pl.today() + sim.Day(days) - 1
	return pl, err
}

// rows reads a list. It is a function since methods have no type parameters.
func rows[R any](p *player, operationID string, filters ...string) ([]*R, error) {
	found, err := p.door.list(operationID,
		func(raw []byte) any { return new(record.Decode[R](new(record.Entry).Holding(raw, nil))) }, filters...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", operationID, err)
	}
	read := make([]*R, len(found))
	for i := range found {
		row, ok := found[i].(*R)
		if !ok {
			return nil, fmt.Errorf("%s has a row of type %T", operationID, found[i])
		}
		read[i] = row
	}
	return read, nil
}

// try sends a command. A refusal is no error: the player has learned something.
func (p *player) try(operationID, id string, body any) (done bool, err error) {
	err = p.door.call(operationID, id, body)
	if refusal, ok := errors.AsType[*problem.Problem](err); ok {
		if refusal.Code == problem.ValidationFailed || refusal.Code == problem.InvalidJSON {
			return false, fmt.Errorf("%s %s: %w", operationID, id, err)
		}
		p.refused++
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s %s: %w", operationID, id, err)
	}
	return true, nil
}

func (p *player) rejections() int { return p.refused }

// day plays one working day and reports whether the company lives on.
func (p *player) day() (alive bool, err error) {
	p.morning = true
	switch p.policy.kind {
	case ruinous:
		if err := p.squander(); err != nil {
			return false, err
		}
		return p.tick(dayMinutes)
	case idle:
		return p.tick(dayMinutes)
	case byRules, atRandom, blind, foreseeing:
	}
	for minute := int64(0); minute < dayMinutes; minute += p.policy.terms.lookMinutes {
		if err := p.round(); err != nil {
			return false, err
		}
		if alive, err := p.tick(p.policy.terms.lookMinutes); !alive || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (p *player) tick(minutes int64) (alive bool, err error) {
	if _, err := p.try(tickOperation, "", &operation.TickInput{Minutes: &minutes}); err != nil {
		return false, err
	}
	p.state, err = p.door.glance()
	return p.state.Status != "bankrupt", err
}

// round does all that can be done at the moment, and nothing when nothing has happened
// since the player's last command.
func (p *player) round() error {
	if !p.morning && p.state.LastSeq == p.seen && !p.sheetDue() {
		return nil
	}
	steps := []func() error{
		p.dismiss, p.carry, p.pay, p.receive, p.ship, p.survey, p.answer, p.order, p.print, p.fillShelf,
		p.carryWishes, p.buy,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	p.morning = false
	var err error
	p.state, err = p.door.glance()
	p.seen = p.state.LastSeq
	return err
}

// today is the working day.
func (p *player) today() sim.Day { return sim.Day(p.state.Clock.DayNumber) }

// minute is how much of the working day has passed.
func (p *player) minute() int64 {
	hours, _ := strconv.ParseInt(p.state.Clock.SimTime[:2], 10, 64)
	minutes, _ := strconv.ParseInt(p.state.Clock.SimTime[3:], 10, 64)
	return (hours-8)*60 + minutes
}

// left is how many working minutes are left before the last look of the game.
func (p *player) left() int64 { return p.until(p.last.Date()) - p.policy.terms.lookMinutes }

// until is how many working minutes are left before a date is over.
func (p *player) until(date moment.Date) int64 {
	return int64(sim.DayFrom(date)-p.today()+1)*dayMinutes - p.minute()
}

func (p *player) byHand() bool { return p.state.Bridge == preset.ByHand }

// survey reads what is to be printed, with what and on what.
func (p *player) survey() error {
	items, err := rows[factory.StockItem](p, "list_stock_items")
	if err != nil {
		return err
	}
	p.stock = map[string]*factory.StockItem{}
	for _, item := range items {
		p.stock[item.SKU] = item
	}
	if p.presses, err = rows[factory.Press](p, "list_presses"); err != nil {
		return err
	}
	if p.policy.stocked {
		orders, err := rows[office.PurchaseOrder](p, "list_purchase_orders")
		if err != nil {
			return err
		}
		p.promisedPaper = orders
	}
	return p.surveyWork()
}

// surveyWork finds the work orders that still need a press. No field says
// whether one is being finished; its quantity does.
func (p *player) surveyWork() error {
	running, err := rows[factory.PrintRun](p, "list_print_runs", "status", string(factory.RunRunning))
	if err != nil {
		return err
	}
	held := map[string]bool{}
	for _, run := range running {
		for _, item := range run.Items {
			held[item.WorkOrderID] = true
		}
	}
	wanted, err := p.promised()
	if err != nil {
		return err
	}
	p.open, p.waiting = nil, nil
	for _, status := range []factory.WorkOrderStatus{factory.WorkPrinting, factory.WorkCreated} {
		orders, err := rows[factory.WorkOrder](p, "list_work_orders", "status", string(status))
		if err != nil {
			return err
		}
		for _, w := range orders {
			if missing(w) <= 0 || w.Reference == nil || !wanted[*w.Reference] {
				continue
			}
			p.open = append(p.open, w)
			if !held[w.ID] {
				p.waiting = append(p.waiting, w)
			}
		}
	}
	return nil
}

// missing is how many units of a work order are not printed yet.
func missing(w *factory.WorkOrder) int64 { return w.Quantity - w.QuantityFromStock - w.QuantityGood }

// promised are the orders and lots for which a customer waits, by their ids.
func (p *player) promised() (map[string]bool, error) {
	wanted := map[string]bool{}
	for _, status := range []office.SalesOrderStatus{office.OrderInProduction, office.OrderAccepted} {
		orders, err := rows[office.SalesOrder](p, "list_sales_orders", "status", string(status))
		if err != nil {
			return nil, err
		}
		for _, o := range orders {
			wanted[o.ID] = true
		}
	}
	lots, err := rows[office.ContractLot](p, "list_contract_lots", "status", string(office.LotAccepted))
	for _, lot := range lots {
		wanted[lot.ID] = true
	}
	return wanted, err
}
