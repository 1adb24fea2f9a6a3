package event

import (
	"platen/internal/moment"
	"platen/internal/money"
)

// OfficeRequisitionReceivedData is the data of office.requisition.received.
type OfficeRequisitionReceivedData struct {
	Head
	Number    string  `json:"number"`
	Reference *string `json:"reference"`
	// SKU is the first line's, Quantity the sum over all lines.
	SKU            string      `json:"sku"`
	Quantity       int64       `json:"quantity"`
	EstimatedMinor money.Minor `json:"estimated_minor"`
	Source         string      `json:"source" enum:"bridge,client,opening"`
	Riders
}

// OfficeRequisitionApprovedData is the data of office.requisition.approved.
type OfficeRequisitionApprovedData struct {
	Head
	Number    string `json:"number"`
	DecidedBy string `json:"decided_by" enum:"policy,client"`
	Riders
}

// OfficeRequisitionRejectedData is the data of office.requisition.rejected.
type OfficeRequisitionRejectedData struct {
	Head
	Number    string  `json:"number"`
	DecidedBy string  `json:"decided_by" enum:"client,lapse"`
	Reason    *string `json:"reason"`
	Riders
}

// PurchaseOrderCreatedData is the data of office.purchase_order.created.
type PurchaseOrderCreatedData struct {
	Head
	Number        string      `json:"number"`
	SupplierID    string      `json:"supplier_id"`
	TotalMinor    money.Minor `json:"total_minor"`
	RequisitionID *string     `json:"requisition_id"`
	// Lines are absent in events that an earlier version wrote.
	Lines []OrderedLine `json:"lines,omitempty"`
	Riders
}

// OrderedLine is one material of a new purchase order.
type OrderedLine struct {
	Line           int         `json:"line"`
	SKU            string      `json:"sku"`
	Quantity       int64       `json:"quantity"`
	UnitPriceMinor money.Minor `json:"unit_price_minor"`
	AmountMinor    money.Minor `json:"amount_minor"`
}

// PurchaseOrderApprovalRequiredData is the data of
// office.purchase_order.approval_required.
type PurchaseOrderApprovalRequiredData struct {
	Head
	Number     string      `json:"number"`
	TotalMinor money.Minor `json:"total_minor"`
	LimitMinor money.Minor `json:"limit_minor"`
	Riders
}

// PurchaseOrderApprovedData is the data of office.purchase_order.approved.
type PurchaseOrderApprovedData struct {
	Head
	Number     string      `json:"number"`
	SupplierID string      `json:"supplier_id"`
	TotalMinor money.Minor `json:"total_minor"`
	ApprovedBy string      `json:"approved_by" enum:"policy,client"`
	ExpectedOn moment.Date `json:"expected_on"`
	Riders
}

// SupplierInvoiceReceivedData is the data of office.supplier_invoice.received.
type SupplierInvoiceReceivedData struct {
	Head
	Number          string       `json:"number"`
	SupplierID      string       `json:"supplier_id"`
	PurchaseOrderID *string      `json:"purchase_order_id"`
	Kind            string       `json:"kind" enum:"materials,overhead"`
	BilledMinor     money.Minor  `json:"billed_minor"`
	DueDate         moment.Date  `json:"due_date"`
	DiscountUntil   *moment.Date `json:"discount_until"`
	Riders
}

// SupplierInvoicePaidData is the data of office.supplier_invoice.paid.
type SupplierInvoicePaidData struct {
	Head
	Number        string      `json:"number"`
	PaidMinor     money.Minor `json:"paid_minor"`
	CreditedMinor money.Minor `json:"credited_minor"`
	DiscountMinor money.Minor `json:"discount_minor"`
	PaidBy        string      `json:"paid_by" enum:"client,direct_debit,collection"`
	// CashMinor is the cash after the payment.
	CashMinor money.Minor `json:"cash_minor"`
	Riders
}

// PaymentOverdueData is the data of office.payment.overdue.
type PaymentOverdueData struct {
	Head
	SupplierInvoiceID string      `json:"supplier_invoice_id"`
	SupplierID        string      `json:"supplier_id"`
	BilledMinor       money.Minor `json:"billed_minor"`
	LateFeeMinor      money.Minor `json:"late_fee_minor"`
	DueDate           moment.Date `json:"due_date"`
	CollectOn         moment.Date `json:"collect_on"`
	Riders
}

// OfficeGoodsReceiptRecordedData is the data of office.goods_receipt.recorded.
type OfficeGoodsReceiptRecordedData struct {
	Head
	PurchaseOrderID string  `json:"purchase_order_id"`
	Reference       *string `json:"reference"`
	// The quantities are sums over all lines.
	QuantityAccepted int64  `json:"quantity_accepted"`
	QuantityRejected int64  `json:"quantity_rejected"`
	Source           string `json:"source" enum:"bridge,client,opening"`
	ReceiptStatus    string `json:"receipt_status" enum:"none,partial,full"`
	Riders
}

// FactoryRequisitionCreatedData is the data of factory.requisition.created.
type FactoryRequisitionCreatedData struct {
	Head
	Number   string      `json:"number"`
	SKU      string      `json:"sku"`
	Quantity int64       `json:"quantity"`
	OnHand   int64       `json:"on_hand"`
	NeededBy moment.Date `json:"needed_by"`
	Riders
}

// DeliveryArrivedData is the data of factory.delivery.arrived.
type DeliveryArrivedData struct {
	Head
	SupplierName        string         `json:"supplier_name"`
	PurchaseOrderNumber string         `json:"purchase_order_number"`
	Lines               []DeliveryLine `json:"lines"`
	Riders
}

// DeliveryLine is one material on a truck: the quantity on the delivery note,
// the quantity on the truck, and the unfit part of it.
type DeliveryLine struct {
	SKU             string `json:"sku"`
	QuantityAdvised int64  `json:"quantity_advised"`
	QuantityCounted int64  `json:"quantity_counted"`
	QuantityDamaged int64  `json:"quantity_damaged"`
}

// FactoryGoodsReceiptRecordedData is the data of factory.goods_receipt.recorded.
type FactoryGoodsReceiptRecordedData struct {
	Head
	DeliveryID          string `json:"delivery_id"`
	PurchaseOrderNumber string `json:"purchase_order_number"`
	// The quantities are sums over all lines.
	QuantityAccepted int64 `json:"quantity_accepted"`
	QuantityRejected int64 `json:"quantity_rejected"`
	Stock
	Riders
}
