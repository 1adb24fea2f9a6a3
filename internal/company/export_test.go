package company

import (
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/record"
	"platen/internal/words/money"
)

// OpenOrders lists the orders that wait for an answer, for players in tests.
func (c *Company) OpenOrders() []string {
	var ids []string
	for order := range c.office.SalesOrders.All {
		if order.Status == office.OrderReceived {
			ids = append(ids, order.ID)
		}
	}
	return ids
}

// OpenWork lists the work orders that are not over, for players in tests.
func (c *Company) OpenWork() []*factory.WorkOrder {
	var open []*factory.WorkOrder
	for w := range c.factory.WorkOrders.All {
		if w.Status != factory.WorkShipped && w.Status != factory.WorkStocked {
			open = append(open, w)
		}
	}
	return open
}

// StateBytes returns the encoded state beside the company's tables.
func (c *Company) StateBytes() string { return string(record.Encode(c.state())) }

// CheckBooks is Check without the comparison of every row with its bytes.
func (c *Company) CheckBooks() error { return c.checkBooks() }

// AccruedMinor returns the company's debt to its people.
func (c *Company) AccruedMinor() money.Minor { return c.people.AccruedMinor() }
