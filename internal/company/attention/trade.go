package attention

import (
	"fmt"
	"strings"

	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// This file looks at Head Office: promises, money and what others think of the company.

const (
	// mostOverdue is how many accepted orders may be past their due dates while more are accepted.
	mostOverdue = 2
	// lowPct is below what reputation and morale cost orders and people.
	lowPct = 50
	// percent is a whole.
	percent = 100
)

func (l *look) cash() {
	o := &l.Office.State
	if o.CashMinor >= 0 {
		return
	}
	left := max(1, l.MostNegative-o.NegativeCloses)
	l.found = append(l.found, Concern{
		Kind: CashNegative, Urgent: true, CostMinor: max(0, o.CashMinor+l.OverdraftLimitMinor) / money.Minor(left),
		Sentence: fmt.Sprintf("Cash is %s. The company is bankrupt below %s, or after %d more closes below zero.",
			o.CashMinor, -l.OverdraftLimitMinor, left),
		Records: []Record{},
	})
}

// unanswered are the orders that lapse tonight or tomorrow night.
func (l *look) unanswered() {
	var records []Record
	var first *office.SalesOrder
	var lapse dues
	worth := money.Minor(0)
	for o := range l.Office.SalesOrders.All {
		if o.Status != office.OrderReceived || o.AnswerBy > l.tomorrow || l.Office.OrderArrived(o) {
			continue
		}
		if first == nil || o.AnswerBy < first.AnswerBy {
			first = o
		}
		records = append(records, recordOf("sales_order", o.ID, o.Number))
		l.tally(&lapse, o.AnswerBy)
		worth += o.TotalMinor
	}
	if first == nil {
		return
	}
	answer := &Remedy{Do: DeclineOrder, ID: first.ID, Effect: "Declines " + orderText(first)}
	advice := fmt.Sprintf("There is no paper for %s: decline it rather than let it lapse.", first.Number)
	switch {
	case l.overdue > mostOverdue:
		advice = fmt.Sprintf("%s past their due dates: decline %s until you catch up.",
			count(l.overdue, "accepted order is", "accepted orders are"), first.Number)
	case l.makeable(first) && l.CanAccept(first.ID) == nil:
		answer.Do, answer.Effect = AcceptOrder, "Accepts "+orderText(first)
		advice = fmt.Sprintf("There is paper for %s.", first.Number)
	}
	l.add(Concern{
		Kind: OrdersLapse, Urgent: true, CostMinor: worth, Remedy: answer,
		Sentence: fmt.Sprintf("%s. %s", said(fmt.Sprintf("sales order worth %s", worth),
			fmt.Sprintf("sales orders worth %s", worth), group{lapse.today, "lapses tonight", "lapse tonight"},
			group{lapse.next, "lapses " + l.evening(l.tomorrow), "lapse " + l.evening(l.tomorrow)}), advice),
	}, records)
}

// orderText is an order with what it asks for, as the end of a sentence.
func orderText(o *office.SalesOrder) string {
	return fmt.Sprintf("%s: %d × %s for %s, worth %s.",
		o.Number, o.Quantity, o.ProductName, o.CustomerName, o.TotalMinor)
}

// late are the accepted orders that are late, or will be tomorrow evening.
func (l *look) late() {
	var records []Record
	var due, cancel dues
	cost := money.Minor(0)
	for o := range l.Office.SalesOrders.All {
		if !l.Office.OrderAwaited(o) {
			continue
		}
		risk := l.atRisk(o)
		if risk == 0 {
			continue
		}
		records = append(records, recordOf("sales_order", o.ID, o.Number))
		cost += risk
		l.tally(&due, o.DueDate)
		if o.CancelAfter <= l.tomorrow {
			l.tally(&cancel, o.CancelAfter)
		}
	}
	sentence := said("accepted order", "accepted orders", l.groups(due)...) + "."
	over := cancel.today + cancel.next
	if over > 0 {
		next := l.evening(l.tomorrow)
		sentence += " " + said("customer", "customers", group{cancel.today, "cancels tonight", "cancel tonight"},
			group{cancel.next, "cancels " + next, "cancel " + next}) + "."
	}
	l.add(Concern{Kind: OrdersLate, Urgent: over > 0, CostMinor: cost, Sentence: sentence}, records)
}

func (l *look) lots() {
	var records []Record
	var due dues
	cost := money.Minor(0)
	for lot := range l.Office.ContractLots.All {
		if !l.Office.LotAwaited(lot) || lot.DeliverBy > l.tomorrow {
			continue
		}
		records = append(records, recordOf("contract_lot", lot.ID, lot.Number))
		l.tally(&due, lot.DeliverBy)
		cost += l.lotAtRisk(lot)
	}
	l.add(Concern{
		Kind: LotsDue, Urgent: true, CostMinor: cost,
		Sentence: said("contract lot", "contract lots", l.groups(due)...) +
			". A lot that misses its day costs a penalty.",
	}, records)
}

// unapproved are purchase orders that nobody has sent to their suppliers.
func (l *look) unapproved() {
	var records []Record
	var remedy *Remedy
	for o := range l.Office.PurchaseOrders.All {
		if o.Status != office.PurchasePending {
			continue
		}
		records = append(records, recordOf("purchase_order", o.ID, o.Number))
		if _, err := l.Office.Approvable(o.ID); err == nil && remedy == nil {
			remedy = &Remedy{
				Do: ApprovePurchase, ID: o.ID, Effect: fmt.Sprintf("Approves %s for %s.", o.Number, o.TotalMinor),
			}
		}
	}
	l.add(Concern{
		Kind: Unapproved, Remedy: remedy,
		Sentence: fmt.Sprintf("%s %s for approval: no truck is under way before.",
			count(len(records), "purchase order"), verb(len(records), "waits", "wait")),
	}, records)
}

// bills are the suppliers' bills that are wrong, due, or cheaper today.
func (l *look) bills() {
	var wrong, repeated, due []Record
	var payWrong, closeRepeated, payDue *Remedy
	var when dues
	tooMuch, twice, saved, discounts := money.Minor(0), money.Minor(0), money.Minor(0), 0
	for i := range l.Office.SupplierInvoices.All {
		if i.Status == office.SupplierInvoicePaid || i.Kind != office.MaterialsInvoice ||
			i.MatchStatus == office.NoReceipt {
			continue
		}
		record := recordOf("supplier_invoice", i.ID, i.Number)
		if l.Office.Repeats(i) != nil {
			repeated = append(repeated, record)
			twice += i.BilledMinor
			closeRepeated = l.payable(closeRepeated, i, 0)
			continue
		}
		if i.VarianceMinor > 0 {
			wrong = append(wrong, record)
			tooMuch += i.VarianceMinor
			payWrong = l.payable(payWrong, i, i.MatchedMinor)
			continue
		}
		ends := i.DiscountUntil != nil && *i.DiscountUntil == l.today && i.DiscountMinor > 0
		if !ends && i.DueDate > l.tomorrow {
			continue
		}
		due = append(due, record)
		switch {
		case ends:
			discounts++
			saved += i.DiscountMinor
		case i.Status == office.SupplierInvoiceOverdue: // its fee is charged
			l.tally(&when, i.DueDate)
		default:
			l.tally(&when, i.DueDate)
			saved += office.LateFee(i.BilledMinor)
		}
		payDue = l.payable(payDue, i, i.BilledMinor)
	}
	l.add(Concern{
		Kind: BillWrong, CostMinor: tooMuch, Remedy: payWrong,
		Sentence: fmt.Sprintf("%s %s for %s more than was ordered and received. Pay the matched amount.",
			count(len(wrong), "supplier bill"), verb(len(wrong), "asks", "ask"), tooMuch),
	}, wrong)
	l.add(Concern{
		Kind: BillRepeated, CostMinor: twice, Remedy: closeRepeated,
		Sentence: fmt.Sprintf("%s %s for goods that another bill asks for too, %s in all. Close it as a duplicate.",
			count(len(repeated), "supplier bill"), verb(len(repeated), "asks", "ask"), twice),
	}, repeated)
	l.add(Concern{
		Kind: BillDue, Urgent: when.today+discounts > 0, CostMinor: saved, Remedy: payDue,
		Sentence: said("supplier bill", "supplier bills", append(l.groups(when),
			group{discounts, "has a discount that ends today", "have a discount that ends today"})...) + ".",
	}, due)
}

// payable is the remedy there is already, or else the payment of an invoice, or its end as a duplicate, if that is
// possible.
func (l *look) payable(there *Remedy, i *office.SupplierInvoice, amount money.Minor) *Remedy {
	if there != nil {
		return there
	}
	body := &office.PaySupplierInvoice{AmountMinor: &amount}
	effect := fmt.Sprintf("Pays %s for the bill %s.", amount, i.Number)
	if first := l.Office.Repeats(i); first != nil {
		body = &office.PaySupplierInvoice{AmountMinor: new(money.Minor(0)), DuplicateOf: &first.ID}
		effect = fmt.Sprintf("Closes the bill %s as a duplicate of %s, and pays nothing.", i.Number, first.Number)
	}
	if _, err := l.Office.CanPay(l.today, i.ID, body); err != nil {
		return nil
	}
	return &Remedy{Do: PayBill, ID: i.ID, Body: body, Effect: effect}
}

// wages are those of weeks that have their timesheet, and are due.
func (l *look) wages() {
	if !l.Wages {
		return
	}
	var records []Record
	var remedy *Remedy
	late, owed, wages := 0, money.Minor(0), money.Minor(0)
	var last moment.Date
	for run := range l.People.PayrollRuns.All {
		if run.Status == hr.PayrollPaid || run.TimesheetID == nil || run.DueDate > l.tomorrow {
			continue
		}
		settlement, err := l.People.Payable(l.Recorder, run.WeekStart)
		if err != nil {
			continue
		}
		records = append(records, recordOf("payroll_run", run.ID, run.WeekStart.String()))
		owed += settlement.TotalMinor()
		wages += run.TotalMinor
		last = max(last, run.DueDate)
		if run.Status == hr.PayrollLate {
			late++
		}
		if remedy == nil && l.Office.CanSpend(settlement.TotalMinor()) == nil {
			remedy = &Remedy{
				Do: PayWages, Body: &hr.RunPayroll{WeekStart: run.WeekStart},
				Effect: fmt.Sprintf("Pays %s for the week of %s.", settlement.TotalMinor(), run.WeekStart),
			}
		}
	}
	l.add(Concern{
		Kind: WagesDue, Urgent: late > 0 || last <= l.today, CostMinor: wages.PerCent(l.SurchargePctPerDay),
		Remedy: remedy,
		Sentence: fmt.Sprintf("%s, %s in all. Late wages cost a surcharge, and morale.",
			wagesText(late, len(records)-late, l.on(last)), owed),
	}, records)
}

// wagesText says of how many weeks the wages are late, and of how many they soon are due.
func wagesText(late, due int, on string) string {
	switch {
	case late == 0:
		return fmt.Sprintf("Wages of %s are due %s", count(due, "week"), on)
	case due == 0:
		return fmt.Sprintf("Wages of %s are late", count(late, "week"))
	default:
		return fmt.Sprintf("Wages of %s are late, and of %s due %s", count(late, "week"), count(due, "week"), on)
	}
}

func (l *look) disputes() {
	var records []Record
	owed := money.Minor(0)
	for i := range l.Office.CustomerInvoices.All {
		if i.DisputeCode == nil || i.BalanceMinor == 0 || l.Office.Hopeless(i) {
			continue
		}
		records = append(records, recordOf("customer_invoice", i.ID, i.Number))
		owed += i.BalanceMinor
	}
	l.add(Concern{
		Kind: InvoiceDisputed, CostMinor: owed,
		Sentence: fmt.Sprintf("Customers do not pay %s of %s: they say that the goods have not come.",
			owed, count(len(records), "invoice")),
	}, records)
}

// name reports a low reputation with customers and a low morale of employees.
func (l *look) name() {
	o := &l.Office.State
	if pct := o.ReputationPPM * percent / ppm; pct < lowPct {
		l.found = append(l.found, Concern{
			Kind: ReputationLow, Records: []Record{},
			Sentence: fmt.Sprintf("Reputation is %d of 100, so fewer orders come in. "+
				"Each delivery on time raises it.%s",
				pct, l.blemishes()),
		})
	}
	if pct := l.People.State.MoralePPM * percent / ppm; pct < lowPct && l.Wages {
		l.found = append(l.found, Concern{
			Kind: MoraleLow, Records: []Record{},
			Sentence: fmt.Sprintf("Morale is %d of 100, so people may quit. Full wages on time raise it. %s so far.",
				pct, count(int(l.People.State.LatePayrolls), "payroll was late", "payrolls were late")),
		})
	}
}

// blemishes says how often orders went wrong, with a space before it; nothing of what never happened.
func (l *look) blemishes() string {
	o := &l.Office.State
	var parts []string
	for _, g := range []group{
		{int(o.LateOrders), "order was shipped late", "orders were shipped late"},
		{int(o.ExpiredOrders), "accepted order expired", "accepted orders expired"},
		{int(o.LapsedOrders), "order lapsed without an answer", "orders lapsed without an answer"},
	} {
		if g.n > 0 {
			parts = append(parts, count(g.n, g.one, g.many))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " So far: " + strings.Join(parts, ", ") + "."
}

func (l *look) webhooks() {
	var records []Record
	var remedy *Remedy
	for _, s := range l.Webhooks {
		switch {
		case remedy != nil:
		case s.Verified:
			remedy = &Remedy{Do: EnableWebhook, ID: s.ID, Effect: fmt.Sprintf("Sends events to %s again.", s.Host)}
		default:
			remedy = &Remedy{
				Do: TestWebhook, ID: s.ID, Effect: fmt.Sprintf("Sends a test to %s, which verifies it.", s.Host),
			}
		}
		records = append(records, recordOf("webhook", s.ID, s.Host))
	}
	l.add(Concern{
		Kind: WebhookSilent, Remedy: remedy,
		Sentence: fmt.Sprintf("%s %s sent nothing: an unverified one waits for a test, a disabled one for its return.",
			count(len(records), "webhook subscription"), verb(len(records), "is", "are")),
	}, records)
}

// ppm is a whole in parts per million.
const ppm = 1_000_000

// count is a number of things, in words.
func count(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	default:
		return fmt.Sprintf("%d %ss", n, one)
	}
}

// verb is a verb for a number of things.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
