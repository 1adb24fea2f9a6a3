package event

import (
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/share"
)

// SalesOrderReceivedData is the data of office.sales_order.received.
type SalesOrderReceivedData struct {
	Head
	Number         string      `json:"number" doc:"The number of the order on paper."`
	CustomerID     string      `json:"customer_id" doc:"The customer who ordered."`
	SKU            string      `json:"sku" doc:"The product that was ordered, such as prd_flyer."`
	Quantity       int64       `json:"quantity" doc:"How many units were ordered."`
	UnitPriceMinor money.Minor `json:"unit_price_minor" doc:"The price of one unit that the customer offers, in minor units."`
	TotalMinor     money.Minor `json:"total_minor" doc:"quantity times unit_price_minor, in minor units."`
	AnswerBy       moment.Date `json:"answer_by" doc:"The last date on which it can be accepted or declined."`
	DueDate        moment.Date `json:"due_date" doc:"The date by which the customer wants the goods."`
	Riders
}

// SalesOrderAcceptedData is the data of office.sales_order.accepted.
type SalesOrderAcceptedData struct {
	Head
	Number             string      `json:"number" doc:"The number of the order on paper."`
	SKU                string      `json:"sku" doc:"The product that was ordered, such as prd_flyer."`
	Quantity           int64       `json:"quantity" doc:"How many units were ordered."`
	DueDate            moment.Date `json:"due_date" doc:"The date by which the customer wants the goods."`
	Bridge             string      `json:"bridge" enum:"auto,manual" doc:"auto: the bridge has ordered the work from the Factory; manual: your program has to."`
	BridgedWorkOrderID *string     `json:"bridged_work_order_id" doc:"The work order at the Factory that the auto bridge made; null with the bridge manual."`
	Riders
}

// SalesOrderDeclinedData is the data of office.sales_order.declined.
type SalesOrderDeclinedData struct {
	Head
	Number string  `json:"number" doc:"The number of the order on paper."`
	Reason *string `json:"reason" doc:"The reason that was given; null without one."`
	Riders
}

// SalesOrderExpiredData is the data of office.sales_order.expired.
type SalesOrderExpiredData struct {
	Head
	Number           string        `json:"number" doc:"The number of the order on paper."`
	Reason           string        `json:"reason" enum:"answer_lapsed,delivery_missed" doc:"answer_lapsed: not answered by answer_by. delivery_missed: accepted, and the goods had not come by cancel_after."`
	ReputationChange share.PerCent `json:"reputation_change" doc:"The change of the reputation, in points of a hundred: negative."`
	Riders
}

// CustomerInvoiceCreatedData is the data of office.customer_invoice.created.
type CustomerInvoiceCreatedData struct {
	Head
	Number            string      `json:"number" doc:"The number of the invoice on paper."`
	ShipmentID        string      `json:"shipment_id" doc:"The shipment at Head Office that raised it."`
	SalesOrderID      *string     `json:"sales_order_id" doc:"The sales order that it bills; null for a contract lot."`
	ContractLotID     *string     `json:"contract_lot_id" doc:"The contract lot that it bills; null for a sales order."`
	Quantity          int64       `json:"quantity" doc:"Units billed: all of the order or the lot, or a part of an order."`
	Final             bool        `json:"final" doc:"True for a bill that closed its order though fewer units came than were ordered."`
	TotalMinor        money.Minor `json:"total_minor" doc:"The amount to be paid, in minor units, late discount taken off."`
	LateDiscountMinor money.Minor `json:"late_discount_minor" doc:"Taken off for goods that came late, in minor units."`
	DueDate           moment.Date `json:"due_date" doc:"The last date for the payment."`
	Source            string      `json:"source" enum:"client,bridge,opening" doc:"client: your program recorded the shipment; bridge: the auto bridge did; opening: the company opened with it."`
	Riders
}

// CustomerInvoicePaidData is the data of office.customer_invoice.paid.
type CustomerInvoicePaidData struct {
	Head
	Number       string      `json:"number" doc:"The number of the invoice on paper."`
	SalesOrderID *string     `json:"sales_order_id" doc:"The sales order that is now paid; null for a contract lot."`
	TotalMinor   money.Minor `json:"total_minor" doc:"The amount that was paid in all, in minor units."`
	PaidOn       moment.Date `json:"paid_on" doc:"The date of the last payment."`
	Riders
}

// CustomerInvoiceOverdueData is the data of office.customer_invoice.overdue.
type CustomerInvoiceOverdueData struct {
	Head
	Number       string      `json:"number" doc:"The number of the invoice on paper."`
	BalanceMinor money.Minor `json:"balance_minor" doc:"The amount still to be paid, in minor units."`
	DueDate      moment.Date `json:"due_date" doc:"The last date for a payment in time, which has passed."`
	DisputeCode  *string     `json:"dispute_code" enum:"goods_not_received" doc:"goods_not_received: the customer does not pay because the goods have not come. Null otherwise."`
	Riders
}

// PaymentReceivedData is the data of office.payment.received.
type PaymentReceivedData struct {
	Head
	Kind              string      `json:"kind" enum:"customer,major_order_bonus" doc:"customer pays an invoice; major_order_bonus is the bonus for a share in a major order."`
	AmountMinor       money.Minor `json:"amount_minor" doc:"The amount that arrived, in minor units."`
	CustomerInvoiceID *string     `json:"customer_invoice_id" doc:"The invoice that it pays; null for a bonus."`
	RemainingMinor    money.Minor `json:"remaining_minor" doc:"The balance of the invoice afterwards, in minor units; 0 for a bonus."`
	PayerName         string      `json:"payer_name" doc:"The name on the transfer."`
	CashMinor         money.Minor `json:"cash_minor" doc:"The cash of the company afterwards, in minor units."`
	Riders
}
