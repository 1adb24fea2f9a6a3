package lore

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// MajorOrderStatus is the status of a major order.
//
//	open ──target reached──▶ fulfilled
//	  └────not in time─────▶ missed
type MajorOrderStatus string

// Statuses (contract: OPEN.STATE.MAJOR_ORDER).
const (
	MajorOrderOpen      MajorOrderStatus = "open"
	MajorOrderFulfilled MajorOrderStatus = "fulfilled"
	MajorOrderMissed    MajorOrderStatus = "missed"
)

const (
	// majorOrderDays is the number of working days that a major order is open.
	majorOrderDays = 20
	// peersLeast and maxPeers are the other printers' share of the target, in
	// parts per million: the company's own work can decide it.
	peersLeast, maxPeers = 750_000, 1_050_000
	// paceLeast and maxPace are how the days of the others differ.
	paceLeast, maxPace = 500_000, 1_500_000
	// milestoneStep is the distance between two milestones, in per cent.
	milestoneStep = 25
	// shareOfTarget is the part of the target that earns the bonus: one
	// fiftieth, two per cent.
	shareOfTarget = 50
	bonusPct      = 12
	// poolShare is the additional bonus for each share in a fulfilled order.
	poolShare money.Minor = 300_000
)

// MajorOrder is a goal for all printers of the world (contract:
// OPEN.FIELDS.MAJOR_ORDER).
type MajorOrder struct {
	_ struct{} `doc:"A goal for all printers of the world, with the company's part in it and the bonus."`

	record.Head
	Title          string `json:"title" doc:"Its headline."`
	Story          string `json:"story" doc:"Its text, for people."`
	SKU            string `json:"sku" doc:"The product that counts, such as prd_flyer."`
	Unit           string `json:"unit" doc:"The unit of the quantity."`
	TargetQuantity int64  `json:"target_quantity" doc:"Units that all printers together have to ship by closes_on."`
	// WorldQuantity is the shipments of all printers, counted every morning,
	// and the company's shipments since.
	WorldQuantity int64            `json:"world_quantity" doc:"The shipments of all printers to customers, yours included. The others are counted when a day opens."`
	OwnQuantity   int64            `json:"own_quantity" doc:"The shipments of your Factory to customers while the order is open. Two per cent of the target are a share."`
	OpensOn       moment.Date      `json:"opens_on" doc:"The first day that counts."`
	ClosesOn      moment.Date      `json:"closes_on" doc:"The last day that counts."`
	BonusPct      int64            `json:"bonus_pct" doc:"The bonus for a share in a fulfilled order, in per cent of the value of your shipments for it."`
	PoolMinor     money.Minor      `json:"pool_minor" doc:"The fixed bonus for each share in a fulfilled order."`
	Currency      string           `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	Milestone     int64            `json:"milestone" doc:"The last quarter of the target that was reached, in per cent: 0, 25, 50, 75 or 100."`
	Status        MajorOrderStatus `json:"status" enum:"open,fulfilled,missed" doc:"open still counts; fulfilled has reached its target, missed has not. Both are final."`
	record.Stamps
}

// MajorOrderPrivate holds the state of a major order that is never served.
type MajorOrderPrivate struct {
	// OwnMinor is the value of the company's shipments for it.
	OwnMinor money.Minor `json:"own_minor,omitzero"`
	// BonusDue is set while the bonus is on its way.
	BonusDue bool `json:"bonus_due,omitzero"`
}

// Resource implements record.Row.
func (*MajorOrder) Resource() string { return "major_order" }

// State implements record.Row.
func (m *MajorOrder) State() string { return string(m.Status) }

// CountMajorOrders counts the shipments for the open major order, and opens the
// next one on its day.
func (l *Lore) CountMajorOrders(r *record.Recorder) {
	if m, ok := l.open(); ok {
		l.count(r, m.ID)
	}
	since := int64(r.Today()) - l.majorOrders.FirstDay
	if l.majorOrders.EveryDays > 0 && since >= 0 && since%l.majorOrders.EveryDays == 0 && l.CanOpen() {
		l.openMajorOrder(r, l.nextCampaign())
	}
}

func (l *Lore) nextCampaign() campaign { return campaigns[l.MajorOrders.Rows.Len()%len(campaigns)] }

// open returns the major order that is open.
func (l *Lore) open() (*MajorOrder, bool) {
	m, ok := l.MajorOrders.Find(l.MajorOrders.Rows.IDAt(l.MajorOrders.Rows.Len() - 1))
	return m, ok && m.Status == MajorOrderOpen
}

func (l *Lore) openMajorOrder(r *record.Recorder, c campaign) {
	product, _ := catalog.ProductBySKU(c.sku)
	m, _ := l.MajorOrders.Add(r, MajorOrder{
		Title: c.title, Story: c.story, SKU: c.sku, Unit: product.Unit,
		TargetQuantity: c.target, OpensOn: r.Date(), ClosesOn: (r.Today() + majorOrderDays - 1).Date(),
		BonusPct: bonusPct, PoolMinor: poolShare, Currency: money.Currency, Status: MajorOrderOpen,
	}, MajorOrderPrivate{})
	r.Born(m)
	announce(r, m)
}

func announce(r *record.Recorder, m *MajorOrder) {
	r.Emit(event.MajorOrderUpdated, m, &event.MajorOrderUpdatedData{
		Title: m.Title, SKU: m.SKU, TargetQuantity: m.TargetQuantity, WorldQuantity: m.WorldQuantity,
		OwnQuantity: m.OwnQuantity, Milestone: m.Milestone, ClosesOn: m.ClosesOn,
	})
}

// count brings a major order up to the shipments before today. An event is
// written for a milestone and for the end, never for less.
func (l *Lore) count(r *record.Recorder, id string) {
	m, private := l.MajorOrders.Edit(r, id)
	m.WorldQuantity = m.OwnQuantity + l.peers(m, int64(r.Today()-sim.DayFrom(m.OpensOn)))
	reached := min(100, m.WorldQuantity*100/m.TargetQuantity/milestoneStep*milestoneStep)
	passed := reached > m.Milestone
	m.Milestone = reached
	switch {
	case reached == 100:
		record.Move(r, m, &m.Status, MajorOrderFulfilled)
		if m.OwnQuantity*shareOfTarget >= m.TargetQuantity {
			private.BonusDue = true
			r.Set(sim.Timer{Due: (r.Today() + 1).At(sim.PaymentMinute), Class: sim.ClassDay, Kind: TimerBonus, Ref: id})
		}
	case r.Date() > m.ClosesOn:
		record.Move(r, m, &m.Status, MajorOrderMissed)
	case !passed:
		return
	}
	announce(r, m)
}

// peers is the shipments of the other printers in so many days. They go at
// their own pace, and by the last day have made the share that was drawn.
func (l *Lore) peers(m *MajorOrder, days int64) int64 {
	nth := int64(l.MajorOrders.Rows.Ordinal(m.ID))
	all, done := int64(0), int64(0)
	for day := range int64(majorOrderDays) {
		pace := paceLeast + l.streams.pace.Below(maxPace-paceLeast+1, nth, day)
		all += pace
		if day < days {
			done += pace
		}
	}
	whole := m.TargetQuantity * (peersLeast + l.streams.peers.Below(maxPeers-peersLeast+1, nth)) / sim.Million
	return whole * done / all
}

// Contribute counts goods that a customer has taken from the company towards
// the open major order, if it is for such goods. worth is their price.
func (l *Lore) Contribute(r *record.Recorder, sku string, quantity int64, worth money.Minor) {
	m, ok := l.open()
	if !ok || m.SKU != sku {
		return
	}
	m, private := l.MajorOrders.Edit(r, m.ID)
	m.OwnQuantity += quantity
	m.WorldQuantity += quantity
	private.OwnMinor += worth
}

// Bonus is the company's earnings from its share in a major order.
type Bonus struct {
	MajorOrderID, PayerName, Title string
	AmountMinor                    money.Minor
}

// TakeBonus returns the bonus that is due for a major order, which is then no
// longer due.
func (l *Lore) TakeBonus(r *record.Recorder, id string) Bonus {
	private := record.EditPrivate(l.MajorOrders, r, id)
	private.BonusDue = false
	m, _ := l.MajorOrders.Find(id)
	payer := campaigns[l.MajorOrders.Rows.Ordinal(id)%len(campaigns)].payer
	return Bonus{
		MajorOrderID: id, PayerName: payer, Title: m.Title,
		AmountMinor: m.PoolMinor + private.OwnMinor.PerCent(m.BonusPct),
	}
}

func (l *Lore) checkMajorOrders() error {
	last := l.MajorOrders.Rows.Len() - 1
	for m, private := range l.MajorOrders.All {
		switch {
		case m.OwnQuantity > m.WorldQuantity || m.Milestone > 100 || m.Milestone%milestoneStep != 0:
			return fmt.Errorf("major order %s does not add up: %+v", m.ID, *m)
		case (m.Status == MajorOrderFulfilled) != (m.Milestone == 100):
			return fmt.Errorf("major order %s is %s with the milestone %d", m.ID, m.Status, m.Milestone)
		case m.Status == MajorOrderOpen && l.MajorOrders.Rows.Ordinal(m.ID) != last:
			return fmt.Errorf("major order %s is open behind a later one", m.ID)
		case private.BonusDue && m.Status != MajorOrderFulfilled:
			return fmt.Errorf("major order %s is %s and owes a bonus", m.ID, m.Status)
		}
	}
	return nil
}
