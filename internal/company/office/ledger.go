package office

import (
	"platen/internal/company/record"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// LedgerKind is the reason of a movement of cash.
type LedgerKind string

// Kinds of ledger entries.
const (
	OpeningBalance  LedgerKind = "opening_balance"
	CustomerPayment LedgerKind = "customer_payment"
	MajorOrderBonus LedgerKind = "major_order_bonus"
	SupplierPayment LedgerKind = "supplier_payment"
	Overhead        LedgerKind = "overhead"
	Payroll         LedgerKind = "payroll"
	HiringFee       LedgerKind = "hiring_fee"
	Severance       LedgerKind = "severance"
	LotPenalty      LedgerKind = "lot_penalty"
	MarketBuy       LedgerKind = "market_buy"
	MarketSell      LedgerKind = "market_sell"
)

// LedgerEntry is one movement of cash. Every entry but the opening balance
// belongs to one event.
type LedgerEntry struct {
	_ struct{} `doc:"One movement of the company's cash in Head Office's ledger."`

	record.Head
	AmountMinor  money.Minor `json:"amount_minor" doc:"The change of cash in minor units: positive for money that came in, negative for money that went out."`
	BalanceMinor money.Minor `json:"balance_minor" doc:"The cash after it, in minor units."`
	Currency     string      `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	Kind         LedgerKind  `json:"kind" enum:"opening_balance,customer_payment,major_order_bonus,supplier_payment,overhead,payroll,hiring_fee,severance,lot_penalty,market_buy,market_sell" doc:"The reason: opening_balance; customer_payment, major_order_bonus and market_sell came in; supplier_payment, overhead, payroll, hiring_fee, severance, market_buy and lot_penalty, for an accepted lot that was not delivered in time, went out."`
	EventID      *string     `json:"event_id" doc:"The event that reports it; null for the opening balance."`
	ReferenceID  *string     `json:"reference_id" doc:"The record that it belongs to, such as a payment or a payroll run; null for the opening balance."`
	EntryOn      moment.Date `json:"entry_on" doc:"The in-world date of it."`
	record.Stamps
}

// Resource implements record.Row.
func (*LedgerEntry) Resource() string { return "ledger_entry" }

// State implements record.Row.
func (*LedgerEntry) State() string { return "" }

func newLedger() *record.Table[LedgerEntry, struct{}] {
	return record.NewTable(record.Definition{Resource: "ledger_entry", Prefix: "led"},
		[]record.Filter[LedgerEntry, struct{}]{
			{Name: "kind", Of: func(e *LedgerEntry) string { return string(e.Kind) }},
		})
}

// book moves cash and writes the entry of it. It is the only place where cash
// changes.
func (o *Office) book(r *record.Recorder, amount money.Minor, kind LedgerKind, eventID, reference *string) {
	o.State.CashMinor += amount
	o.Ledger.Add(r, LedgerEntry{
		AmountMinor: amount, BalanceMinor: o.State.CashMinor, Currency: money.Currency, Kind: kind,
		EventID: eventID, ReferenceID: reference, EntryOn: r.Date(),
	}, struct{}{})
}

// FundsDetails are the details of insufficient_funds.
type FundsDetails struct {
	AmountMinor money.Minor `json:"amount_minor"`
	// AvailableMinor is the cash plus the overdraft.
	AvailableMinor money.Minor `json:"available_minor"`
}

// CanSpend refuses a payment that the client chooses and that cash and the
// overdraft do not cover (contract: OPEN.CASH.SPENDING).
func (o *Office) CanSpend(amount money.Minor) error {
	available := max(o.State.CashMinor+o.preset.OverdraftLimitMinor, 0)
	if available >= amount {
		return nil
	}
	return problem.New(problem.InsufficientFunds, "This takes %s, and with the overdraft %s are there.",
		amount, available).
		With(FundsDetails{AmountMinor: amount, AvailableMinor: available})
}

// Spend takes cash for an event that says so. The caller has asked CanSpend,
// unless the money is collected.
func (o *Office) Spend(r *record.Recorder, amount money.Minor, kind LedgerKind, eventID, reference string) {
	o.book(r, -amount, kind, &eventID, &reference)
}

// Earn takes money in for an event that says so.
func (o *Office) Earn(r *record.Recorder, amount money.Minor, kind LedgerKind, eventID, reference string) {
	o.book(r, amount, kind, &eventID, &reference)
}
