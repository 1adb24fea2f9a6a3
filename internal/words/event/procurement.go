package event

import (
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// OfficeRequisitionReceivedData is the data of office.requisition.received.
type OfficeRequisitionReceivedData struct {
	Head
	Number         string      `json:"number" doc:"The number of the requisition on paper at Head Office."`
	Reference      *string     `json:"reference" doc:"The requisition of the Factory that it comes from, or any text; null without one."`
	SKU            string      `json:"sku" doc:"The material of the first line."`
	Quantity       int64       `json:"quantity" doc:"The sum of the quantities of all lines."`
	EstimatedMinor money.Minor `json:"estimated_minor" doc:"The cost at list prices, in minor units."`
	Source         string      `json:"source" enum:"bridge,client,opening" doc:"bridge: the auto bridge filed it; client: your program did; opening: the company opened with it."`
	Riders
}

// OfficeRequisitionApprovedData is the data of office.requisition.approved.
type OfficeRequisitionApprovedData struct {
	Head
	Number    string `json:"number" doc:"The number of the requisition on paper at Head Office."`
	DecidedBy string `json:"decided_by" enum:"policy,client" doc:"policy: approved automatically, being cheap; client: approved by your program."`
	Riders
}

// OfficeRequisitionRejectedData is the data of office.requisition.rejected.
type OfficeRequisitionRejectedData struct {
	Head
	Number    string  `json:"number" doc:"The number of the requisition on paper at Head Office."`
	DecidedBy string  `json:"decided_by" enum:"client,lapse" doc:"client: rejected by your program; lapse: no decision came in five working days."`
	Reason    *string `json:"reason" doc:"The reason that was given; null without one."`
	Riders
}

// PurchaseOrderCreatedData is the data of office.purchase_order.created.
type PurchaseOrderCreatedData struct {
	Head
	Number        string        `json:"number" doc:"The number of the purchase order on paper, as the delivery note will show it."`
	SupplierID    string        `json:"supplier_id" doc:"The supplier it goes to."`
	TotalMinor    money.Minor   `json:"total_minor" doc:"The sum of the lines, in minor units."`
	RequisitionID *string       `json:"requisition_id" doc:"The requisition that it fulfils; null for an order without one."`
	Lines         []OrderedLine `json:"lines,omitempty" doc:"The materials ordered. Left out in events that an earlier version wrote."`
	Riders
}

// OrderedLine is one material of a new purchase order.
type OrderedLine struct {
	_ struct{} `doc:"One material of a purchase order, as the event of its creation shows it."`

	Line           int         `json:"line" doc:"The position of the line in the order, from 1."`
	SKU            string      `json:"sku" doc:"The material, such as mat_coated."`
	Quantity       int64       `json:"quantity" doc:"The quantity ordered, in the unit of the material: sheets, cans or plates."`
	UnitPriceMinor money.Minor `json:"unit_price_minor" doc:"The price of one, in minor units."`
	AmountMinor    money.Minor `json:"amount_minor" doc:"quantity times unit_price_minor, in minor units."`
}

// PurchaseOrderApprovalRequiredData is the data of
// office.purchase_order.approval_required.
type PurchaseOrderApprovalRequiredData struct {
	Head
	Number     string      `json:"number" doc:"The number of the purchase order on paper."`
	TotalMinor money.Minor `json:"total_minor" doc:"The sum of its lines, in minor units."`
	LimitMinor money.Minor `json:"limit_minor" doc:"The approval limit of the company, in minor units: orders above it wait for approval."`
	Riders
}

// PurchaseOrderApprovedData is the data of office.purchase_order.approved.
type PurchaseOrderApprovedData struct {
	Head
	Number     string      `json:"number" doc:"The number of the purchase order on paper, as the delivery note will show it."`
	SupplierID string      `json:"supplier_id" doc:"The supplier it has gone to."`
	TotalMinor money.Minor `json:"total_minor" doc:"The sum of its lines, in minor units."`
	ApprovedBy string      `json:"approved_by" enum:"policy,client" doc:"policy: approved automatically, being within the limit; client: approved by your program."`
	ExpectedOn moment.Date `json:"expected_on" doc:"The date for which the supplier promises the truck."`
	Riders
}

// SupplierInvoiceReceivedData is the data of office.supplier_invoice.received.
type SupplierInvoiceReceivedData struct {
	Head
	Number            string       `json:"number" doc:"The number under which Head Office records the bill."`
	SupplierReference string       `json:"supplier_reference" doc:"The supplier's own number of the bill."`
	SupplierID        string       `json:"supplier_id" doc:"The supplier who bills."`
	PurchaseOrderID   *string      `json:"purchase_order_id" doc:"The purchase order that it bills; null for overheads."`
	Kind              string       `json:"kind" enum:"materials,overhead" doc:"materials waits for your payment; overhead is debited automatically."`
	BilledMinor       money.Minor  `json:"billed_minor" doc:"The amount that is billed, in minor units. Compare it with the order and the receipts."`
	DueDate           moment.Date  `json:"due_date" doc:"The last date for a payment in time."`
	DiscountUntil     *moment.Date `json:"discount_until" doc:"The last date for the early discount; null where there is none."`
	Riders
}

// SupplierInvoicePaidData is the data of office.supplier_invoice.paid.
type SupplierInvoicePaidData struct {
	Head
	Number        string      `json:"number" doc:"The number under which Head Office records the bill."`
	PaidMinor     money.Minor `json:"paid_minor" doc:"The amount that left the company, in minor units."`
	CreditedMinor money.Minor `json:"credited_minor" doc:"The part of the bill that the supplier gave up because the match was right, in minor units."`
	DiscountMinor money.Minor `json:"discount_minor" doc:"The early discount that was taken, in minor units."`
	DuplicateOf   *string     `json:"duplicate_of" doc:"The bill of which this one was closed as a duplicate; null for one that was paid."`
	PaidBy        string      `json:"paid_by" enum:"client,direct_debit,collection" doc:"client: your program paid; direct_debit: an overhead was debited; collection: the supplier collected an overdue bill."`
	CashMinor     money.Minor `json:"cash_minor" doc:"The cash of the company afterwards, in minor units."`
	Riders
}

// PaymentOverdueData is the data of office.payment.overdue.
type PaymentOverdueData struct {
	Head
	SupplierInvoiceID string      `json:"supplier_invoice_id" doc:"The unpaid invoice."`
	SupplierID        string      `json:"supplier_id" doc:"The supplier who bills, and takes no orders now."`
	BilledMinor       money.Minor `json:"billed_minor" doc:"The amount that was billed, in minor units."`
	LateFeeMinor      money.Minor `json:"late_fee_minor" doc:"The fee that was added for being late, in minor units."`
	DueDate           moment.Date `json:"due_date" doc:"The last date for a payment in time, which has passed."`
	CollectOn         moment.Date `json:"collect_on" doc:"The date on which the supplier collects the money."`
	Riders
}

// OfficeGoodsReceiptRecordedData is the data of office.goods_receipt.recorded.
type OfficeGoodsReceiptRecordedData struct {
	Head
	PurchaseOrderID  string  `json:"purchase_order_id" doc:"The purchase order that the goods were ordered with."`
	Reference        *string `json:"reference" doc:"The goods receipt of the Factory that it copies, or any text; null without one."`
	QuantityAccepted int64   `json:"quantity_accepted" doc:"The sum of the accepted quantities of all lines."`
	QuantityRejected int64   `json:"quantity_rejected" doc:"The sum of the rejected quantities of all lines."`
	Source           string  `json:"source" enum:"bridge,client,opening" doc:"bridge: the auto bridge recorded it; client: your program did; opening: the company opened with it."`
	ReceiptStatus    string  `json:"receipt_status" enum:"none,partial,full" doc:"How much of the purchase order has now been accepted: none, partial or full."`
	Riders
}

// FactoryRequisitionCreatedData is the data of factory.requisition.created.
type FactoryRequisitionCreatedData struct {
	Head
	Number   string      `json:"number" doc:"The number of the requisition on paper at the Factory."`
	SKU      string      `json:"sku" doc:"The material that ran low, such as mat_coated."`
	Quantity int64       `json:"quantity" doc:"The quantity asked for, in the unit of the material."`
	OnHand   int64       `json:"on_hand" doc:"The stock on hand at that moment."`
	NeededBy moment.Date `json:"needed_by" doc:"The date by which the Factory wants it."`
	Riders
}

// DeliveryArrivedData is the data of factory.delivery.arrived.
type DeliveryArrivedData struct {
	Head
	SupplierName        string         `json:"supplier_name" doc:"The name of the supplier, as printed on the delivery note."`
	PurchaseOrderNumber string         `json:"purchase_order_number" doc:"The number of the purchase order, as printed on the delivery note."`
	Lines               []DeliveryLine `json:"lines" doc:"The materials on the truck, each in one line."`
	Riders
}

// DeliveryLine is one material on a truck: the quantity on the delivery note,
// the quantity on the truck, and the unfit part of it.
type DeliveryLine struct {
	_ struct{} `doc:"One material on a supplier's truck: advised, counted and damaged."`

	SKU             string `json:"sku" doc:"The material, such as mat_coated."`
	QuantityAdvised int64  `json:"quantity_advised" doc:"The quantity on the delivery note: the ordered one."`
	QuantityCounted int64  `json:"quantity_counted" doc:"The quantity that is on the truck: less when it came short."`
	QuantityDamaged int64  `json:"quantity_damaged" doc:"The part of quantity_counted that is damaged and cannot be accepted."`
}

// FactoryGoodsReceiptRecordedData is the data of factory.goods_receipt.recorded.
type FactoryGoodsReceiptRecordedData struct {
	Head
	DeliveryID          string `json:"delivery_id" doc:"The delivery that was counted in."`
	PurchaseOrderNumber string `json:"purchase_order_number" doc:"The number of the purchase order on the delivery note: Head Office finds its order by it."`
	QuantityAccepted    int64  `json:"quantity_accepted" doc:"The sum of the accepted quantities of all lines."`
	QuantityRejected    int64  `json:"quantity_rejected" doc:"The sum of the rejected quantities of all lines."`
	Stock
	Riders
}
