package problem

import "net/http"

// Codes of buying: requisitions, purchase orders, receipts, supplier invoices.
const (
	InsufficientFunds         Code = "insufficient_funds"
	RequisitionNotApproved    Code = "requisition_not_approved"
	RequisitionAlreadyOrdered Code = "requisition_already_ordered"
	PurchaseOrderNotApproved  Code = "purchase_order_not_approved"
	SupplierOnHold            Code = "supplier_on_hold"
	CreditLimitExceeded       Code = "credit_limit_exceeded" //nolint:gosec // a word of the contract, no credential
	DeliveryAlreadyReceived   Code = "delivery_already_received"
	ThreeWayMismatch          Code = "three_way_mismatch"
	AlreadyPaid               Code = "already_paid"
	DirectDebit               Code = "direct_debit"
	SKUNotSupplied            Code = "sku_not_supplied"
	BelowMinimumOrder         Code = "below_minimum_order"
	QuantityExceedsDelivery   Code = "quantity_exceeds_delivery"
	QuantityExceedsOrder      Code = "quantity_exceeds_order"
	AmountNotPayable          Code = "amount_not_payable"
)

var procurement = []Definition{ //nolint:gochecknoglobals // the table itself
	{
		Code: InsufficientFunds, Status: http.StatusConflict,
		Hint:    "details.available_minor is the amount that cash and the overdraft still cover.",
		Meaning: "Cash and the overdraft together do not cover the amount.",
		Remedy:  "Wait for customers' payments, or pay less. Debits and collections are not stopped by this.",
	},
	{
		Code: RequisitionNotApproved, Status: http.StatusConflict,
		Hint:    "POST /office/requisitions/{id}/approve first.",
		Meaning: "The purchase order names a requisition that has not been approved, or that was rejected.",
		Remedy:  "Approve the requisition, or file a new one if it was rejected. Or order without naming one.",
	},
	{
		Code: RequisitionAlreadyOrdered, Status: http.StatusConflict,
		Hint:    "details.purchase_order_id is the order that exists.",
		Meaning: "The requisition has its purchase order already, so this would buy the same material twice.",
		Remedy:  "Use the purchase order that exists, or order without naming the requisition.",
	},
	{
		Code: PurchaseOrderNotApproved, Status: http.StatusConflict,
		Hint:    "POST /office/purchase-orders/{id}/approve first.",
		Meaning: "The supplier has never seen this purchase order, so nothing can have come for it.",
		Remedy:  "Check purchase_order_id against the number on the delivery note.",
	},
	{
		Code: SupplierOnHold, Status: http.StatusConflict,
		Hint:    "details.supplier_invoice_ids lists the overdue invoices.",
		Meaning: "An invoice of this supplier is overdue, so it takes no new orders.",
		Remedy:  "Pay the overdue invoices, or buy from another supplier.",
	},
	{
		Code: CreditLimitExceeded, Status: http.StatusConflict,
		Hint: "details.available_minor is the rest of the credit.",
		Meaning: "Unpaid invoices, open orders and this one together are above the credit limit: that of a supplier " +
			"for the company, or that of the company for a customer.",
		Remedy: "Pay invoices of the supplier, order less, or buy from another one. Accept the customer's order once " +
			"a payment has come, or decline it.",
	},
	{
		Code: DeliveryAlreadyReceived, Status: http.StatusConflict,
		Hint:    "details.goods_receipt_id is the receipt that exists.",
		Meaning: "The delivery has been counted in; the truck is gone.",
		Remedy: "Use the receipt that exists. If the first response was lost, repeat the request with its own " +
			"Idempotency-Key.",
	},
	{
		Code: ThreeWayMismatch, Status: http.StatusConflict,
		Hint: "Send amount_minor: details.allowed lists the amounts that close this invoice, the matched one " +
			"before the billed one.",
		Meaning: "Order, receipt and bill do not agree, and the payment names no amount.",
		Remedy: "Compare the three documents and pay the matched amount, if details.allowed has it; the supplier " +
			"credits the rest. Without a receipt, or with one that says less than was delivered, record that first.",
	},
	{
		Code: AlreadyPaid, Status: http.StatusConflict,
		Hint:    "details.paid_on says when.",
		Meaning: "The invoice has been paid, by you, by debit or by collection.",
		Remedy:  "Nothing is left to do.",
	},
	{
		Code: DirectDebit, Status: http.StatusConflict,
		Hint:    "details.collect_on is the day of the debit.",
		Meaning: "Overheads are debited on their day and can neither be paid earlier nor be stopped.",
		Remedy:  "Keep enough cash for the day of the debit.",
	},
	{
		Code: SKUNotSupplied, Status: http.StatusUnprocessableEntity,
		Hint:    "details.supplied lists the SKUs that this supplier sells.",
		Meaning: "The supplier does not sell one of the lines.",
		Remedy:  "Choose a supplier whose prices list the SKU: GET /office/suppliers.",
	},
	{
		Code: BelowMinimumOrder, Status: http.StatusUnprocessableEntity,
		Hint:    "details.minimum_quantity is the least this supplier sells of it.",
		Meaning: "The supplier sells this SKU in larger quantities only.",
		Remedy:  "Order at least the minimum quantity, or buy from a supplier with a smaller one.",
	},
	{
		Code: QuantityExceedsDelivery, Status: http.StatusUnprocessableEntity,
		Hint: "details.quantity_counted is the quantity on the truck, details.quantity_damaged the " +
			"damaged part of it.",
		Meaning: "The receipt accepts more than the truck delivered undamaged.",
		Remedy:  "Leave lines out to accept all counted goods that are undamaged.",
	},
	{
		Code: QuantityExceedsOrder, Status: http.StatusUnprocessableEntity,
		Hint: "details.quantity_open is the quantity that has not been received yet.",
		Meaning: "The receipt would bring a line of the purchase order above the ordered quantity, or names a SKU " +
			"that was not ordered.",
		Remedy: "Record the goods that the Factory accepted for this purchase order, once.",
	},
	{
		Code: AmountNotPayable, Status: http.StatusUnprocessableEntity,
		Hint: "details.allowed lists the amounts that close this invoice.",
		Meaning: "An invoice is closed by its matched or by its billed amount, and by no other. " +
			"The matched amount is not taken while the receipt says less than the supplier delivered.",
		Remedy: "Send one of details.allowed, or record the rest of the receipt first. " +
			"Early discount and late fee are calculated automatically.",
	},
}
