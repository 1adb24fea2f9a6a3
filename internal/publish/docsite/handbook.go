package docsite

import (
	"fmt"
	"strconv"

	"platen/internal/company/catalog"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/jsonfield"
	"platen/internal/words/money"
)

// The handbook shows the data that the company runs on.

// Products are the company's products.
func (s *Site) Products() []catalog.Product { return catalog.Products() }

// Presses are its presses.
func (s *Site) Presses() []catalog.Press { return catalog.Presses() }

// Customers are its customers.
func (s *Site) Customers() []catalog.Customer { return catalog.Customers() }

// Crew are the employees of its opening.
func (s *Site) Crew() []catalog.CrewMember { return catalog.Crew() }

// Materials are the stock items that are bought.
func (s *Site) Materials() []catalog.Item {
	var materials []catalog.Item
	for _, item := range catalog.Items() {
		if item.Class == catalog.Material {
			materials = append(materials, item)
		}
	}
	return materials
}

// Sellers are the suppliers of material.
func (s *Site) Sellers() []catalog.Supplier {
	var sellers []catalog.Supplier
	for _, supplier := range catalog.Suppliers() {
		if supplier.Kind == catalog.Materials {
			sellers = append(sellers, supplier)
		}
	}
	return sellers
}

// Starter is the preset of that name, as it is built in.
func (s *Site) Starter() (preset.Preset, error) {
	builtin, err := preset.Builtin()
	if err != nil {
		return preset.Preset{}, fmt.Errorf("read the presets: %w", err)
	}
	return builtin["starter"], nil
}

// Appointment is a row of the day's timetable.
type Appointment struct{ Time, What string }

// Timetable is the order of a working day, at the minutes at which the company lets it happen.
func (s *Site) Timetable() []Appointment {
	at := func(m sim.Minute, what string) Appointment { return Appointment{m.ClockText(), what} }
	return []Appointment{
		at(0, "the day opens: who is at work today; unanswered orders and lots lapse, and those whose goods have not "+
			"come expire; bills become overdue and are collected; on Mondays overheads and the review of reorder "+
			"points; a lot may be offered"),
		at(sim.MarketMinute, "goods from the market"),
		at(sim.TruckMinute, "suppliers' trucks"),
		at(sim.PaymentMinute, "suppliers' bills, and payments of customers"),
		at(sim.TimesheetMinute, "on Fridays: from now on the timesheet of the week can be recorded"),
		at(sim.CloseMinute, "the day closes as this minute begins: on Fridays direct debits and the timesheet of the "+
			"automatic bridge, then whether the company is bankrupt. Orders can still be answered"),
	}
}

// amount writes an amount of money for people: 85,000.00.
func amount(minor money.Minor) string {
	const hundredths = 100
	return fmt.Sprintf("%s.%02d",
		jsonfield.Thousands(strconv.FormatInt(int64(minor)/hundredths, 10)), int64(minor)%hundredths)
}

// percent writes parts per million as whole per cent.
func percent(ppm int64) int64 {
	const onePercent = 10_000
	return ppm / onePercent
}
