package event

import (
	"platen/internal/moment"
	"platen/internal/money"
	"platen/internal/share"
)

// SalesOrderReceivedData is the data of office.sales_order.received.
type SalesOrderReceivedData struct {
	Head
	Number         string      `json:"number"`
	CustomerID     string      `json:"customer_id"`
	SKU            string      `json:"sku"`
	Quantity       int64       `json:"quantity"`
	UnitPriceMinor money.Minor `json:"unit_price_minor"`
	TotalMinor     money.Minor `json:"total_minor"`
	AnswerBy       moment.Date `json:"answer_by"`
	DueDate        moment.Date `json:"due_date"`
	Riders
}

// SalesOrderAcceptedData is the data of office.sales_order.accepted.
type SalesOrderAcceptedData struct {
	Head
	Number             string      `json:"number"`
	SKU                string      `json:"sku"`
	Quantity           int64       `json:"quantity"`
	DueDate            moment.Date `json:"due_date"`
	Bridge             string      `json:"bridge" enum:"auto,manual"`
	BridgedWorkOrderID *string     `json:"bridged_work_order_id"`
	Riders
}

// SalesOrderDeclinedData is the data of office.sales_order.declined.
type SalesOrderDeclinedData struct {
	Head
	Number string  `json:"number"`
	Reason *string `json:"reason"`
	Riders
}

// SalesOrderExpiredData is the data of office.sales_order.expired.
type SalesOrderExpiredData struct {
	Head
	Number string `json:"number"`
	Reason string `json:"reason" enum:"answer_lapsed,delivery_missed"`
	// ReputationChange is in points of a hundred.
	ReputationChange share.PerCent `json:"reputation_change"`
	Riders
}

// CustomerInvoiceCreatedData is the data of office.customer_invoice.created.
type CustomerInvoiceCreatedData struct {
	Head
	Number            string      `json:"number"`
	ShipmentID        string      `json:"shipment_id"`
	SalesOrderID      *string     `json:"sales_order_id"`
	ContractLotID     *string     `json:"contract_lot_id"`
	TotalMinor        money.Minor `json:"total_minor"`
	LateDiscountMinor money.Minor `json:"late_discount_minor"`
	DueDate           moment.Date `json:"due_date"`
	Source            string      `json:"source" enum:"client,bridge,opening"`
	Riders
}

// CustomerInvoicePaidData is the data of office.customer_invoice.paid.
type CustomerInvoicePaidData struct {
	Head
	Number       string      `json:"number"`
	SalesOrderID *string     `json:"sales_order_id"`
	TotalMinor   money.Minor `json:"total_minor"`
	PaidOn       moment.Date `json:"paid_on"`
	Riders
}

// CustomerInvoiceOverdueData is the data of office.customer_invoice.overdue.
type CustomerInvoiceOverdueData struct {
	Head
	Number       string      `json:"number"`
	BalanceMinor money.Minor `json:"balance_minor"`
	DueDate      moment.Date `json:"due_date"`
	// DisputeCode is set when the goods never reached the customer.
	DisputeCode *string `json:"dispute_code" enum:"goods_not_received"`
	Riders
}

// PaymentReceivedData is the data of office.payment.received.
type PaymentReceivedData struct {
	Head
	Kind              string      `json:"kind" enum:"customer,major_order_bonus"`
	AmountMinor       money.Minor `json:"amount_minor"`
	CustomerInvoiceID *string     `json:"customer_invoice_id"`
	// RemainingMinor is the amount still open on the invoice.
	RemainingMinor money.Minor `json:"remaining_minor"`
	PayerName      string      `json:"payer_name"`
	// CashMinor is the company's cash after the payment.
	CashMinor money.Minor `json:"cash_minor"`
	Riders
}
