package operation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/sandbox"
)

// maxBriefLines is how many lines a brief has (contract: OPEN.TICK.BRIEF).
const maxBriefLines = 100

// maxPrintLines is how many work orders it names that wait for a press: those due first.
const maxPrintLines = 10

// brief collects short lines about the records that wait.
type brief struct {
	view  *sandbox.View
	lines []string
}

// briefLines lists the records that wait, one a line, for readers to whom each word costs
// something. A line about a record that a command can move on begins with that command as the tool
// do takes it, and has the rest behind a #. All of it follows from the feed and GET /sandbox,
// which both keys open.
func briefLines(v *sandbox.View) []string {
	b := &brief{view: v, lines: []string{}}
	b.customers()
	b.production()
	b.purchasing()
	return b.lines[:min(len(b.lines), maxBriefLines)]
}

// do adds a line that begins with a command; parts that are empty are left out.
func (b *brief) do(command string, parts ...string) {
	b.add(append([]string{command, "#"}, parts...)...)
}

// add adds a line; parts that are empty are left out.
func (b *brief) add(parts ...string) {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	b.lines = append(b.lines, strings.Join(said, " "))
}

// each calls tell with the rows of a table. Models read rows oldest first here: what waits longest comes first.
func each[R any](b *brief, resource string, tell func(row *R)) { eachWhere(b, resource, "", "", tell) }

// eachWhere calls tell with the rows of a table one of whose filters has a value.
func eachWhere[R any](b *brief, resource, filter, value string, tell func(row *R)) {
	for _, e := range b.view.Table(resource).Entries {
		if filter == "" || filterOf(resource, filter, e) == value {
			row := record.Decode[R](e)
			tell(&row)
		}
	}
}

// customers are the offers of customers that wait for an answer.
func (b *brief) customers() {
	eachWhere(b, "sales_order", "status", string(office.OrderReceived), func(o *office.SalesOrder) {
		rush := ""
		if o.Rush {
			rush = "rush"
		}
		b.do("accept_sales_order "+o.Number, fmt.Sprintf("%d %s at %d due %s answer by %s", o.Quantity, o.SKU,
			o.UnitPriceMinor, o.DueDate, o.AnswerBy), "for "+o.CustomerID, rush)
	})
	eachWhere(b, "contract_lot", "status", string(office.LotOffered), func(l *office.ContractLot) {
		b.do("accept_contract_lot "+l.Number, fmt.Sprintf("%d %s at %d deliver by %s answer by %s penalty %d",
			l.Quantity, l.SKU, l.UnitPriceMinor, l.DeliverBy, l.AnswerBy, l.PenaltyMinor))
	})
}

// production is the work of the Factory, its trucks, presses and shortages.
func (b *brief) production() {
	about := func(w *factory.WorkOrder) string {
		text := w.SKU
		if w.DueDate != nil {
			text += " due " + w.DueDate.String()
		}
		if w.Reference != nil {
			text += " for " + b.numbered(*w.Reference)
		}
		return text
	}
	var waiting []factory.WorkOrder
	needed := map[string]int64{}
	eachWhere(b, "work_order", "waits_for", string(factory.WaitsForPress), func(w *factory.WorkOrder) {
		waiting = append(waiting, *w)
		for _, n := range w.MaterialNeeds {
			needed[n.SKU] += n.Quantity
		}
	})
	b.printable(waiting, about)
	eachWhere(b, "work_order", "waits_for", string(factory.WaitsForShipment), func(w *factory.WorkOrder) {
		b.do("create_factory_shipment work_order_id="+w.ID, fmt.Sprint(w.Quantity), about(w))
	})
	eachWhere(b, "delivery", "status", string(factory.DeliveryArrived), func(d *factory.Delivery) {
		var loads []string
		for _, line := range d.Lines {
			load := fmt.Sprintf("%d %s", line.QuantityCounted, line.SKU)
			if line.QuantityCounted != line.QuantityAdvised || line.QuantityDamaged > 0 {
				load += fmt.Sprintf(" (advised %d, damaged %d)", line.QuantityAdvised, line.QuantityDamaged)
			}
			loads = append(loads, load)
		}
		b.do("create_factory_goods_receipt delivery_id="+d.ID, d.PurchaseOrderNumber, strings.Join(loads, ", "))
	})
	each(b, "press", func(p *factory.Press) {
		until := ""
		switch {
		case p.Status == factory.PressIdle:
		case p.DownUntilSim != nil:
			until = "until " + *p.DownUntilSim
		case p.CurrentRunEndsSim != nil:
			until = "until " + *p.CurrentRunEndsSim
		}
		b.add("press", p.ID, string(p.Status), until)
	})
	b.shortages(needed)
}

// printable is the work that waits for a press, once one is idle: first that of which there is material, and of that
// and the rest what is due first.
func (b *brief) printable(waiting []factory.WorkOrder, about func(*factory.WorkOrder) string) {
	named := 0
	each(b, "press", func(p *factory.Press) {
		if p.Status == factory.PressIdle {
			named = min(len(waiting), maxPrintLines)
		}
	})
	slices.SortStableFunc(waiting, byDueDate)
	onHand := map[string]int64{}
	each(b, "stock_item", func(s *factory.StockItem) { onHand[s.SKU] = s.OnHand })
	lacks := func(w *factory.WorkOrder) int {
		for _, n := range w.MaterialNeeds {
			if n.Quantity > onHand[n.SKU] {
				return 1
			}
		}
		return 0
	}
	slices.SortStableFunc(waiting, func(a, c factory.WorkOrder) int { return lacks(&a) - lacks(&c) })
	for i := range waiting[:named] {
		w := &waiting[i]
		b.do("start_print_run work_order_id="+w.ID,
			fmt.Sprint(w.Quantity-w.QuantityFromStock-w.QuantityGood), about(w))
	}
	if more := len(waiting) - named; more > 0 {
		b.do("list_work_orders waits_for=press", fmt.Sprintf("%d more", more))
	}
}

// numbered is a reference as people say it: with the auto bridge the number of the order or lot whose id it is.
func (b *brief) numbered(reference string) string {
	if b.view.Summary.Settings.Bridge != preset.Auto {
		return reference
	}
	if e, ok := b.view.Row("sales_order", reference); ok {
		return record.Decode[office.SalesOrder](e).Number
	}
	if e, ok := b.view.Row("contract_lot", reference); ok {
		return record.Decode[office.ContractLot](e).Number
	}
	return reference
}

// byDueDate puts the work that is due first before the rest; work without a date comes last.
func byDueDate(a, c factory.WorkOrder) int {
	switch {
	case a.DueDate == nil && c.DueDate == nil:
		return 0
	case a.DueDate == nil:
		return 1
	case c.DueDate == nil:
		return -1
	default:
		return cmp.Compare(*a.DueDate, *c.DueDate)
	}
}

// shortages are the materials that open work needs more of than is on hand, and those that are below their reorder
// points even with what is on order.
func (b *brief) shortages(needed map[string]int64) {
	ordered := map[string]int64{}
	each(b, "purchase_order", func(o *office.PurchaseOrder) {
		for _, line := range o.Lines {
			ordered[line.SKU] += max(0, line.Quantity-line.QuantityReceived)
		}
	})
	each(b, "stock_item", func(s *factory.StockItem) {
		low := s.Status == factory.StockLow && s.OnHand+ordered[s.SKU] < s.ReorderPoint
		if low || needed[s.SKU] > s.OnHand {
			b.add("short", s.SKU, fmt.Sprintf("%d on hand, %d on order, %d wanted by open work, reorder point %d",
				s.OnHand, ordered[s.SKU], needed[s.SKU], s.ReorderPoint))
		}
	})
}

// purchasing are the lines on buying, approving and paying.
func (b *brief) purchasing() {
	each(b, "office_requisition", func(q *office.Requisition) {
		if q.Status == office.RequisitionRejected || q.PurchaseOrderID != nil {
			return
		}
		var wanted []string
		for _, line := range q.Lines {
			wanted = append(wanted, fmt.Sprintf("%d %s", line.Quantity, line.SKU))
		}
		command, name := "create_purchase_order requisition_id=", q.ID
		if q.Status != office.RequisitionApproved {
			command, name = "approve_requisition ", q.Number
		}
		b.do(command+name, strings.Join(wanted, ", "))
	})
	eachWhere(b, "purchase_order", "status", string(office.PurchasePending), func(o *office.PurchaseOrder) {
		b.do("approve_purchase_order "+o.Number, fmt.Sprintf("%d to %s", o.TotalMinor, o.SupplierID))
	})
	each(b, "supplier_invoice", func(i *office.SupplierInvoice) {
		if i.Status == office.SupplierInvoicePaid || i.Kind != office.MaterialsInvoice {
			return
		}
		discount := ""
		if i.DiscountUntil != nil && i.DiscountMinor > 0 && *i.DiscountUntil >= b.view.Summary.Now.Date() {
			discount = fmt.Sprintf("discount %d until %s", i.DiscountMinor, *i.DiscountUntil)
		}
		b.do("pay_supplier_invoice "+i.Number, fmt.Sprintf("%d to %s due %s %s, match pays %d", i.BilledMinor,
			i.SupplierID, i.DueDate, i.MatchStatus, i.MatchedMinor), discount)
	})
	each(b, "payroll_run", func(p *hr.PayrollRun) {
		if p.Status == hr.PayrollPaid {
			return
		}
		command, sheet := "run_payroll week_start=", ""
		if p.TimesheetID == nil {
			command, sheet = "create_timesheet week_start=", "no timesheet yet"
		}
		b.do(command+p.WeekStart.String(), fmt.Sprintf("%d due %s", p.TotalMinor, p.DueDate), string(p.Status), sheet)
	})
}
