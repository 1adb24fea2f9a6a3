package operation

import (
	"slices"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

func procurementOperations() []Operation {
	return slices.Concat(
		reads[office.Supplier](noun{
			system: Office, path: "/office/suppliers", resource: "supplier", singular: "supplier", plural: "suppliers",
			summary:         "suppliers",
			listDescription: "The suppliers with their materials, prices, lead times and credit limits.",
			one:             "a supplier", ids: "The id is a name, such as sup_mill, and the same in every sandbox.",
		}),
		reads[office.Requisition](noun{
			system: Office, path: "/office/requisitions", resource: "office_requisition",
			singular: "office_requisition", plural: "office_requisitions", summary: "requisitions of Head Office",
			one:             "a requisition of Head Office",
			listDescription: "The requests for material, those that wait for a decision and those that have one.",
		}),
		[]Operation{createRequisition(), approveRequisition(), rejectRequisition()},
		reads[office.PurchaseOrder](noun{
			system: Office, path: "/office/purchase-orders", resource: "purchase_order", singular: "purchase_order",
			plural: "purchase_orders", summary: "purchase orders",
			listDescription: "The orders to suppliers. receipt_status and billing_status say how much of each has " +
				"been received and billed.",
			one: "a purchase order",
			ids: "The number on a delivery note, such as PO-5001, is not an id.",
		}),
		[]Operation{createPurchaseOrder(), approvePurchaseOrder()},
		reads[office.GoodsReceipt](noun{
			system: Office, path: "/office/goods-receipts",
			resource: "office_goods_receipt", singular: "office_goods_receipt", plural: "office_goods_receipts",
			summary: "goods receipts of Head Office",
			one:     "a goods receipt of Head Office",
			listDescription: "The goods that Head Office has recorded as accepted. The bills of suppliers are " +
				"matched with them.",
		}),
		[]Operation{createOfficeGoodsReceipt()},
		reads[office.SupplierInvoice](noun{
			system: Office, path: "/office/supplier-invoices", resource: "supplier_invoice",
			singular: "supplier_invoice", plural: "supplier_invoices", summary: "supplier invoices",
			listDescription: "The bills of suppliers, compared with orders and receipts.",
			one:             "a supplier invoice",
		}),
		[]Operation{paySupplierInvoice()},
	)
}

func deliveryOperations() []Operation {
	return slices.Concat(
		reads[factory.Requisition](noun{
			system: Factory, path: "/factory/requisitions", resource: "factory_requisition",
			singular: "factory_requisition", plural: "factory_requisitions", summary: "requisitions of the Factory",
			listDescription: "The material that the Factory's reorder rule asks for. " +
				"One is open for an item until it is refilled.",
			one: "a requisition of the Factory",
		}),
		reads[factory.Delivery](noun{
			system: Factory, path: "/factory/deliveries", resource: "delivery", singular: "delivery",
			plural: "deliveries", summary: "deliveries",
			listDescription: "Suppliers' trucks at the gate. Their goods are in stock once they are counted in.",
			one:             "a delivery",
		}),
		reads[factory.GoodsReceipt](noun{
			system: Factory, path: "/factory/goods-receipts",
			resource: "factory_goods_receipt", singular: "factory_goods_receipt", plural: "factory_goods_receipts",
			summary:         "goods receipts of the Factory",
			one:             "a goods receipt of the Factory",
			listDescription: "The deliveries that were counted in, with the accepted and rejected quantities.",
		}),
		[]Operation{createFactoryGoodsReceipt()},
	)
}

func createRequisition() Operation {
	return create[office.Requisition](Operation{
		ID: "create_requisition", Path: "/office/requisitions", System: Office, Key: KeyRequired,
		Summary: "File a requisition",
		Description: "With the manual bridge this is how the Factory's wish for material reaches Head Office: " +
			"put its requisition's id into reference. Small ones are approved by policy at once.",
		Problems: []problem.Code{problem.DuplicateReference, problem.TooManyOpen},
		Events:   []event.Type{event.OfficeRequisitionReceived, event.OfficeRequisitionApproved},
	}, (*company.Company).FileRequisition)
}

func approveRequisition() Operation {
	return move[office.Requisition](Operation{
		ID: "approve_requisition", Path: "/office/requisitions/{id}/approve", System: Office,
		Summary:  "Approve a requisition",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState},
		Events:   []event.Type{event.OfficeRequisitionApproved},
	}, (*company.Company).ApproveRequisition)
}

func rejectRequisition() Operation {
	return change[office.Requisition](Operation{
		ID: "reject_requisition", Path: "/office/requisitions/{id}/reject", System: Office, BodyOptional: true,
		Summary:  "Reject a requisition",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState},
		Events: []event.Type{event.OfficeRequisitionRejected, event.OfficeRequisitionReceived,
			event.OfficeRequisitionApproved},
	}, (*company.Company).RejectRequisition)
}

func createPurchaseOrder() Operation {
	return tried[office.PurchaseOrder](Operation{
		ID: "create_purchase_order", Path: "/office/purchase-orders", System: Office, Key: KeyRequired,
		Summary: "Order from a supplier",
		Description: "A total above the approval limit waits for POST /office/purchase-orders/{id}/approve; the rest " +
			"goes to the supplier at once. The truck comes to the Factory.",
		Problems: []problem.Code{
			problem.NotFound, problem.RequisitionNotApproved, problem.RequisitionAlreadyOrdered, problem.SupplierOnHold,
			problem.CreditLimitExceeded, problem.SKUNotSupplied, problem.BelowMinimumOrder, problem.TooManyOpen,
		},
		Events: []event.Type{event.PurchaseOrderCreated, event.PurchaseOrderApprovalRequired,
			event.PurchaseOrderApproved, event.OfficeRequisitionReceived, event.OfficeRequisitionApproved},
	}, (*company.Company).Purchase, (*company.Company).PreviewPurchase)
}

func approvePurchaseOrder() Operation {
	return move[office.PurchaseOrder](Operation{
		ID: "approve_purchase_order", Path: "/office/purchase-orders/{id}/approve", System: Office, Key: KeyRequired,
		Summary:  "Approve a purchase order",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState, problem.SupplierOnHold},
		Events:   []event.Type{event.PurchaseOrderApproved},
	}, (*company.Company).ApprovePurchase)
}

func createOfficeGoodsReceipt() Operation {
	return create[office.GoodsReceipt](Operation{
		ID: "create_office_goods_receipt", Path: "/office/goods-receipts", System: Office, Key: KeyRequired,
		Summary: "Record the goods that the Factory took in",
		Description: "The goods receipt that a supplier's bill is matched against. " +
			"With the auto bridge it is written automatically when the Factory records a delivery.",
		Problems: []problem.Code{problem.NotFound, problem.PurchaseOrderNotApproved, problem.DuplicateReference,
			problem.QuantityExceedsOrder},
		Events: []event.Type{event.OfficeGoodsReceiptRecorded},
	}, (*company.Company).RecordGoodsReceipt)
}

func paySupplierInvoice() Operation {
	return change[office.SupplierInvoice](Operation{
		ID: "pay_supplier_invoice", Path: "/office/supplier-invoices/{id}/pay", System: Office, Key: KeyRequired,
		BodyOptional: true, Summary: "Pay a supplier",
		Description: "A bill that matches its order and receipt needs no amount. One that does not is closed by its " +
			"matched amount, and the supplier credits the rest, or by the whole bill.",
		Problems: []problem.Code{
			problem.NotFound, problem.AlreadyPaid, problem.DirectDebit, problem.ThreeWayMismatch,
			problem.InsufficientFunds, problem.AmountNotPayable,
		},
		Events: []event.Type{event.SupplierInvoicePaid, event.MissionCompleted},
	}, (*company.Company).PaySupplierInvoice)
}

func createFactoryGoodsReceipt() Operation {
	return create[factory.GoodsReceipt](Operation{
		ID: "create_factory_goods_receipt", Path: "/factory/goods-receipts", System: Factory, Key: KeyRequired,
		Summary: "Count a delivery in",
		Description: "Accepted goods go into stock, rejected goods go back with the driver. " +
			"With the auto bridge Head Office gets its copy at once.",
		Problems: []problem.Code{problem.NotFound, problem.DeliveryAlreadyReceived, problem.QuantityExceedsDelivery,
			problem.NoWarehouseWorker},
		Events: []event.Type{event.FactoryGoodsReceiptRecorded, event.OfficeGoodsReceiptRecorded,
			event.FactoryRequisitionCreated, event.OfficeRequisitionReceived, event.OfficeRequisitionApproved,
			event.MissionCompleted},
	}, (*company.Company).CountDelivery)
}
