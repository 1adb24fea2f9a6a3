package company_test

import (
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
)

// steward is a decent client, always the same: it takes on what there is paper
// for, prints by due date on whichever press suits, and ships and bills what
// is ready.
type steward struct{ l *life }

// round does all that can be done at the moment.
func (s steward) round() {
	s.wages()
	s.ship()
	s.answer()
	s.order()
	s.print("prs_digital", func(sheets int64) bool { return sheets <= 450 })
	s.print("prs_offset", func(sheets int64) bool { return sheets > 450 })
}

func (s steward) ship() {
	for _, w := range rowsOf[factory.WorkOrder](s.l, "work_order") {
		if w.Status != factory.WorkReady {
			continue
		}
		if s.l.act(shipGoods(w.ID)) == nil && s.manual() {
			s.l.must(bill(*w.Reference, nil, nil))
		}
	}
}

// answer accepts an order when its paper is there and not spoken for.
func (s steward) answer() {
	free := map[string]int64{}
	for _, item := range rowsOf[factory.StockItem](s.l, "stock_item") {
		free[item.SKU] = item.OnHand * 9 / 10
	}
	orders := rowsOf[office.SalesOrder](s.l, "sales_order")
	for _, o := range orders {
		if o.Status == office.OrderAccepted || o.Status == office.OrderInProduction {
			paper, sheets := paperOf(o)
			free[paper] -= sheets
		}
	}
	for _, o := range orders {
		if o.Status != office.OrderReceived {
			continue
		}
		paper, sheets := paperOf(o)
		if free[paper] < sheets {
			s.l.must(decline(o.ID, new("no paper")))
			continue
		}
		free[paper] -= sheets
		s.l.must(accept(o.ID))
	}
}

func paperOf(o office.SalesOrder) (sku string, sheets int64) {
	product, _ := catalog.ProductBySKU(o.SKU)
	return product.PaperSKU, o.Quantity * product.SheetsPerUnit
}

// order carries accepted orders to the Factory where the bridge does not.
func (s steward) order() {
	if !s.manual() {
		return
	}
	ordered := map[string]bool{}
	for _, w := range rowsOf[factory.WorkOrder](s.l, "work_order") {
		ordered[*w.Reference] = true
	}
	for _, o := range rowsOf[office.SalesOrder](s.l, "sales_order") {
		if o.Status == office.OrderAccepted && !ordered[o.ID] {
			s.l.must(work(factory.CreateWorkOrder{
				SKU: o.SKU, Quantity: o.Quantity, Reference: &o.ID, DueDate: &o.DueDate,
			}))
		}
	}
}

// print starts the press with the first job that suits it and can be printed.
func (s steward) print(press string, suits func(sheets int64) bool) {
	for _, w := range rowsOf[factory.WorkOrder](s.l, "work_order") {
		if w.Status != factory.WorkCreated && w.Status != factory.WorkPrinting || len(w.MaterialNeeds) == 0 ||
			!suits(w.MaterialNeeds[0].Quantity) {
			continue
		}
		run := factory.StartPrintRun{PressID: press, WorkOrderID: &w.ID, OversPct: new(int64(5))}
		if s.l.act(printRun(run)) == nil {
			return
		}
	}
}

func (s steward) manual() bool { return s.l.company.Settings().Bridge == preset.ByHand }

// wages records the week where the bridge does not, and pays as soon as can be.
func (s steward) wages() {
	now := s.l.company.Summary().Now
	if friday := now.Day()%sim.DaysPerWeek == sim.DaysPerWeek-1; friday &&
		now.OfDay() >= sim.TimesheetMinute && s.manual() {
		// once a week
		_ = s.l.act(recordHours((now.Day() - sim.DaysPerWeek + 1).Date(), s.l.gateHours(now.Day()-sim.DaysPerWeek+1)))
	}
	for _, run := range rowsOf[hr.PayrollRun](s.l, "payroll_run") {
		if run.Status != hr.PayrollPaid {
			s.l.must(payroll(run.WeekStart))
		}
	}
}

// gateHours returns an integration's hours for the attendance of a week.
func (l *life) gateHours(monday sim.Day) []hr.HoursEntry {
	var week []hr.HoursEntry
	for _, row := range rowsOf[factory.Attendance](l, "attendance") {
		if day := sim.DayFrom(row.Date); day < monday || day >= monday+sim.DaysPerWeek {
			continue
		}
		at := slices.IndexFunc(week, func(h hr.HoursEntry) bool { return *h.BadgeNo == row.BadgeNo })
		if at < 0 {
			at = len(week)
			week = append(week, hr.HoursEntry{BadgeNo: new(row.BadgeNo)})
		}
		switch row.Absence {
		case factory.AbsenceNone:
			week[at].HoursWorked += row.Hours
		case factory.AbsenceSick:
			week[at].HoursSick += 8
		case factory.AbsenceLeave:
			week[at].HoursLeave += 8
		}
	}
	return week
}
