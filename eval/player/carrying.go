package player

import (
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/sim"
)

// A player of the manual bridge does by itself the work of the auto bridge:
// work orders, bills, goods receipts and timesheets.

// order tells the Factory what Head Office has accepted.
func (p *player) order() error {
	if !p.byHand() {
		return nil
	}
	orders, err := rows[office.SalesOrder](p, "list_sales_orders", "status", string(office.OrderAccepted))
	if err != nil {
		return err
	}
	for _, o := range orders {
		if err := p.produce(&factory.CreateWorkOrder{
			SKU: o.SKU, Quantity: o.Quantity, Reference: &o.ID, DueDate: &o.DueDate,
		}); err != nil {
			return err
		}
	}
	lots, err := rows[office.ContractLot](p, "list_contract_lots", "status", string(office.LotAccepted))
	if err != nil {
		return err
	}
	for _, lot := range lots {
		if err := p.produce(&factory.CreateWorkOrder{
			SKU: lot.SKU, Quantity: lot.Quantity, Reference: &lot.ID, DueDate: &lot.DeliverBy,
		}); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) produce(work *factory.CreateWorkOrder) error {
	if p.carried[*work.Reference] {
		return nil
	}
	done, err := p.try("create_work_order", "", work)
	p.carried[*work.Reference] = done
	return err
}

// carryWishes tells Head Office what the Factory runs short of, and orders it.
func (p *player) carryWishes() error {
	if !p.policy.wishes || !p.byHand() {
		return nil
	}
	wishes, err := rows[factory.Requisition](p, "list_factory_requisitions", "status", string(factory.RequisitionOpen))
	if err != nil {
		return err
	}
	for _, wish := range wishes {
		if p.carried[wish.ID] {
			continue
		}
		if p.carried[wish.ID], err = p.try("create_requisition", "", &office.CreateRequisition{
			Lines:     []office.MaterialLine{{SKU: wish.SKU, Quantity: wish.Quantity}},
			Reference: &wish.ID, NeededBy: &wish.NeededBy,
		}); err != nil {
			return err
		}
	}
	waiting, err := p.requisitions(office.RequisitionReceived)
	if err != nil {
		return err
	}
	for _, q := range waiting {
		if _, err := p.try("approve_requisition", q.ID, nil); err != nil {
			return err
		}
	}
	return p.grant()
}

// requisitions are those of Head Office with a status.
func (p *player) requisitions(status office.RequisitionStatus) ([]*office.Requisition, error) {
	return rows[office.Requisition](p, "list_office_requisitions", "status", string(status))
}

// grant orders what approved requisitions ask for.
func (p *player) grant() error {
	approved, err := p.requisitions(office.RequisitionApproved)
	if err != nil {
		return err
	}
	for _, q := range approved {
		if q.PurchaseOrderID != nil || p.carried[q.ID] {
			continue
		}
		in := &office.CreatePurchaseOrder{SupplierID: usualSupplier(q.Lines[0].SKU), RequisitionID: &q.ID}
		for _, line := range q.Lines {
			in.Lines = append(in.Lines, office.MaterialLine{SKU: line.SKU, Quantity: line.Quantity})
		}
		if p.carried[q.ID], err = p.try("create_purchase_order", "", in); err != nil {
			return err
		}
	}
	return p.approve()
}

// carryReceipts tells Head Office what the Factory has taken in.
func (p *player) carryReceipts() error {
	if !p.byHand() {
		return nil
	}
	receipts, err := rows[factory.GoodsReceipt](p, "list_factory_goods_receipts")
	if err != nil {
		return err
	}
	for _, receipt := range receipts {
		if p.carried[receipt.ID] {
			continue
		}
		p.carried[receipt.ID] = true
		if err := p.carryReceipt(receipt); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) carryReceipt(receipt *factory.GoodsReceipt) error {
	orders, err := rows[office.PurchaseOrder](p, "list_purchase_orders")
	if err != nil {
		return err
	}
	at := slices.IndexFunc(orders, func(o *office.PurchaseOrder) bool {
		return o.Number == receipt.PurchaseOrderNumber
	})
	if at < 0 {
		return nil
	}
	for _, line := range receipt.Lines {
		if line.QuantityAccepted > orders[at].Open(line.SKU) {
			return nil // it is recorded
		}
	}
	body := &office.CreateOfficeGoodsReceipt{PurchaseOrderID: orders[at].ID, Reference: &receipt.ID}
	for _, line := range receipt.Lines {
		body.Lines = append(body.Lines, catalog.ReceivedLine{
			SKU: line.SKU, QuantityAccepted: line.QuantityAccepted, QuantityRejected: &line.QuantityRejected,
		})
	}
	_, err = p.try("create_office_goods_receipt", "", body)
	return err
}

// sheetDue reports whether the hours of the week can be told and were not.
func (p *player) sheetDue() bool {
	friday := sim.DaysPerWeek - 1
	return (p.byHand() || p.policy.zeroHours) && p.today()%sim.DaysPerWeek == friday &&
		p.minute() >= int64(sim.TimesheetMinute) &&
		p.sheeted != p.today()
}

// carry tells Head Office the hours of the week, as the gate has them.
func (p *player) carry() error {
	if !p.sheetDue() {
		return nil
	}
	p.sheeted = p.today()
	monday := (p.today() - p.today()%sim.DaysPerWeek).Date()
	days, err := rows[factory.Attendance](p, "list_attendance", "week_start", monday.String())
	if err != nil || len(days) == 0 {
		return err // there are no people whose hours could be reported
	}
	sheet := &hr.CreateTimesheet{WeekStart: monday}
	for _, day := range days {
		at := slices.IndexFunc(sheet.Entries, func(e hr.HoursEntry) bool { return *e.BadgeNo == day.BadgeNo })
		if at < 0 {
			at = len(sheet.Entries)
			sheet.Entries = append(sheet.Entries, hr.HoursEntry{BadgeNo: &day.BadgeNo})
		}
		switch entry := &sheet.Entries[at]; day.Absence {
		case factory.AbsenceNone:
			entry.HoursWorked += day.Hours
		case factory.AbsenceSick:
			entry.HoursSick += hoursOfDay
		case factory.AbsenceLeave:
			entry.HoursLeave += hoursOfDay
		}
	}
	if p.policy.zeroHours {
		zeroed(sheet)
	}
	_, err = p.try("create_timesheet", "", sheet)
	return err
}

const hoursOfDay = 8
