package operation

import (
	"net/http"
	"reflect"
	"slices"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/event"
	"platen/internal/moment"
	"platen/internal/money"
	"platen/internal/problem"
	"platen/internal/sandbox"
)

// MaterialLine is one material of a requisition or a purchase order.
type MaterialLine struct {
	_ struct{} `doc:"One material in the body of a requisition or a purchase order."`

	SKU      string `json:"sku" required:"true" minLength:"1" maxLength:"40" example:"mat_coated" doc:"The material, such as mat_coated. GET /office/suppliers lists what each supplier sells." agent:"-"`
	Quantity int64  `json:"quantity" required:"true" minimum:"1" maximum:"200000" doc:"The quantity, in the unit of the material: sheets, cans or plates." agent:"-"`
}

// CreateRequisition is the body of POST /office/requisitions.
type CreateRequisition struct {
	_ struct{} `doc:"The body that asks Head Office for material."`

	Lines     []MaterialLine `json:"lines" required:"true" minItems:"1" maxItems:"10" doc:"The materials asked for, each in one line." agent:"-"`
	Reference *string        `json:"reference,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"The Factory's requisition, or any text; no two requisitions have the same."`
	NeededBy  *moment.Date   `json:"needed_by,omitzero" nullable:"true" doc:"The date by which the material is wanted, for the record: nothing happens when it passes." agent:"-"`
}

// RejectRequisition is the body of POST /office/requisitions/{id}/reject.
type RejectRequisition struct {
	_ struct{} `doc:"The body that rejects a requisition at Head Office, with an optional reason."`

	Reason *string `json:"reason,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"The reason of the rejection, for the record." agent:"-"`
}

// CreatePurchaseOrder is the body of POST /office/purchase-orders.
type CreatePurchaseOrder struct {
	_ struct{} `doc:"The body that writes a purchase order of Head Office to a supplier."`

	SupplierID    string         `json:"supplier_id" required:"true" minLength:"1" maxLength:"40" example:"sup_mill" doc:"The supplier to order from: the id at /office/suppliers. It has to sell every line, and takes no order while it is on hold." agent:"-"`
	Lines         []MaterialLine `json:"lines" required:"true" minItems:"1" maxItems:"10" doc:"The materials to order, each in one line." agent:"-"`
	RequisitionID *string        `json:"requisition_id,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"The approved requisition that this orders."`
	DryRun        *bool          `json:"dry_run,omitzero" doc:"Change nothing and return the expected result: prices, total, approval, the promised day, the credit left."`
}

// order is the purchase that a request asks for.
func (in *CreatePurchaseOrder) order() office.PurchaseOrderInput {
	return office.PurchaseOrderInput{
		SupplierID: in.SupplierID, Lines: materials(in.Lines), RequisitionID: in.RequisitionID,
	}
}

// ReceivedLine is one material of a goods receipt at Head Office.
type ReceivedLine struct {
	_ struct{} `doc:"One material in the body of a goods receipt."`

	SKU              string `json:"sku" required:"true" minLength:"1" maxLength:"40" doc:"The material that came, such as mat_coated." agent:"-"`
	QuantityAccepted int64  `json:"quantity_accepted" required:"true" minimum:"0" maximum:"200000" doc:"The quantity taken into stock, in the unit of the material." agent:"-"`
	QuantityRejected *int64 `json:"quantity_rejected,omitzero" minimum:"0" maximum:"200000" agent:"-" doc:"The quantity sent back with the driver, in the unit of the material. Left out, the Factory sends back all that is not accepted, and Head Office records 0."`
}

// CreateOfficeGoodsReceipt is the body of POST /office/goods-receipts.
type CreateOfficeGoodsReceipt struct {
	_ struct{} `doc:"The body that records at Head Office the goods that the Factory accepted."`

	PurchaseOrderID string         `json:"purchase_order_id" required:"true" minLength:"1" maxLength:"64" doc:"The purchase order that the goods were ordered with. The delivery note has its number." agent:"-"`
	Lines           []ReceivedLine `json:"lines" required:"true" minItems:"1" maxItems:"10" doc:"The accepted and rejected quantities, one line for each material." agent:"-"`
	Reference       *string        `json:"reference,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"The Factory's goods receipt, or any text; no two receipts have the same."`
}

// PaySupplierInvoice is the body of POST /office/supplier-invoices/{id}/pay.
type PaySupplierInvoice struct {
	_ struct{} `doc:"The body that pays a supplier's bill, in full or up to the matched amount."`

	AmountMinor *money.Minor `json:"amount_minor,omitzero" minimum:"0" doc:"The matched or the billed amount; 0 for goods that were all sent back. Left out, the bill is paid if it matches. Early discount and late fee are calculated automatically."`
	Note        *string      `json:"note,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"A note with the payment, for the record; the invoice shows it as payment_note." agent:"-"`
}

// CreateFactoryGoodsReceipt is the body of POST /factory/goods-receipts.
type CreateFactoryGoodsReceipt struct {
	_ struct{} `doc:"The body that counts a supplier's truck in at the Factory."`

	DeliveryID string          `json:"delivery_id" required:"true" minLength:"1" maxLength:"64" doc:"The delivery to count in: one whose status is arrived." agent:"-"`
	Lines      *[]ReceivedLine `json:"lines,omitzero" minItems:"1" maxItems:"10" doc:"Left out, everything that is there and undamaged is accepted; so is each material that no line names."`
}

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

func materials(lines []MaterialLine) []office.RequisitionLine {
	out := make([]office.RequisitionLine, len(lines))
	for i, line := range lines {
		out[i] = office.RequisitionLine{SKU: line.SKU, Quantity: line.Quantity}
	}
	return out
}

func createRequisition() Operation {
	return write(Operation{
		ID: "create_requisition", Path: "/office/requisitions", System: Office, Key: KeyRequired,
		Status: http.StatusCreated, Out: reflect.TypeFor[office.Requisition](),
		Summary: "File a requisition",
		Description: "With the manual bridge this is how the Factory's wish for material reaches Head Office: " +
			"put its requisition's id into reference. Small ones are approved by policy at once.",
		Problems: []problem.Code{problem.DuplicateReference, problem.TooManyOpen},
		Events:   []event.Type{event.OfficeRequisitionReceived, event.OfficeRequisitionApproved},
	}, func(tx *sandbox.Tx, _ PathParams, in *CreateRequisition) (Result, error) {
		id, err := tx.Company.FileRequisition(office.RequisitionInput{
			Lines: materials(in.Lines), Reference: in.Reference, NeededBy: in.NeededBy,
		})
		return Result{Resource: "office_requisition", ID: id}, err
	})
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
	return write(Operation{
		ID: "reject_requisition", Path: "/office/requisitions/{id}/reject", System: Office, BodyOptional: true,
		Out:      reflect.TypeFor[office.Requisition](),
		Summary:  "Reject a requisition",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState},
		Events:   []event.Type{event.OfficeRequisitionRejected},
	}, func(tx *sandbox.Tx, at PathParams, in *RejectRequisition) (Result, error) {
		return Result{Resource: "office_requisition", ID: at.ID}, tx.Company.RejectRequisition(at.ID, in.Reason)
	})
}

func createPurchaseOrder() Operation {
	return tried(Operation{
		ID: "create_purchase_order", Path: "/office/purchase-orders", System: Office, Key: KeyRequired,
		Status: http.StatusCreated, Out: reflect.TypeFor[office.PurchaseOrder](),
		Summary: "Order from a supplier",
		Description: "A total above the approval limit waits for POST /office/purchase-orders/{id}/approve; the rest " +
			"goes to the supplier at once. The truck comes to the Factory.",
		Problems: []problem.Code{
			problem.NotFound, problem.RequisitionNotApproved, problem.RequisitionAlreadyOrdered, problem.SupplierOnHold,
			problem.CreditLimitExceeded, problem.SKUNotSupplied, problem.BelowMinimumOrder, problem.TooManyOpen,
		},
		Events: []event.Type{event.PurchaseOrderCreated, event.PurchaseOrderApprovalRequired,
			event.PurchaseOrderApproved},
	}, func(tx *sandbox.Tx, _ PathParams, in *CreatePurchaseOrder) (Result, error) {
		id, err := tx.Company.Purchase(in.order())
		return Result{Resource: "purchase_order", ID: id, Decision: in.RequisitionID == nil}, err
	}, func(tx *sandbox.Tx, in *CreatePurchaseOrder) (office.PurchaseOrderPreview, error) {
		return tx.Company.PreviewPurchase(in.order())
	})
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
	return write(Operation{
		ID: "create_office_goods_receipt", Path: "/office/goods-receipts", System: Office, Key: KeyRequired,
		Status: http.StatusCreated, Out: reflect.TypeFor[office.GoodsReceipt](),
		Summary: "Record the goods that the Factory took in",
		Description: "The goods receipt that a supplier's bill is matched against. " +
			"With the auto bridge it is written automatically when the Factory records a delivery.",
		Problems: []problem.Code{problem.NotFound, problem.PurchaseOrderNotApproved, problem.DuplicateReference,
			problem.QuantityExceedsOrder},
		Events: []event.Type{event.OfficeGoodsReceiptRecorded},
	}, func(tx *sandbox.Tx, _ PathParams, in *CreateOfficeGoodsReceipt) (Result, error) {
		receipt := office.GoodsReceiptInput{PurchaseOrderID: in.PurchaseOrderID, Reference: in.Reference}
		for _, line := range in.Lines {
			received := office.ReceiptLine{SKU: line.SKU, QuantityAccepted: line.QuantityAccepted}
			if line.QuantityRejected != nil {
				received.QuantityRejected = *line.QuantityRejected
			}
			receipt.Lines = append(receipt.Lines, received)
		}
		id, err := tx.Company.RecordGoodsReceipt(receipt)
		return Result{Resource: "office_goods_receipt", ID: id}, err
	})
}

func paySupplierInvoice() Operation {
	return write(Operation{
		ID: "pay_supplier_invoice", Path: "/office/supplier-invoices/{id}/pay", System: Office, Key: KeyRequired,
		BodyOptional: true, Out: reflect.TypeFor[office.SupplierInvoice](),
		Summary: "Pay a supplier",
		Description: "A bill that matches its order and receipt needs no amount. One that does not is closed by its " +
			"matched amount, and the supplier credits the rest, or by the whole bill.",
		Problems: []problem.Code{
			problem.NotFound, problem.AlreadyPaid, problem.DirectDebit, problem.ThreeWayMismatch,
			problem.InsufficientFunds, problem.AmountNotPayable,
		},
		Events: []event.Type{event.SupplierInvoicePaid, event.MissionCompleted},
	}, func(tx *sandbox.Tx, at PathParams, in *PaySupplierInvoice) (Result, error) {
		return Result{Resource: "supplier_invoice", ID: at.ID},
			tx.Company.PaySupplierInvoice(at.ID, in.AmountMinor, in.Note)
	})
}

func createFactoryGoodsReceipt() Operation {
	return write(Operation{
		ID: "create_factory_goods_receipt", Path: "/factory/goods-receipts", System: Factory, Key: KeyRequired,
		Status: http.StatusCreated, Out: reflect.TypeFor[factory.GoodsReceipt](),
		Summary: "Count a delivery in",
		Description: "Accepted goods go into stock, rejected goods go back with the driver. " +
			"With the auto bridge Head Office gets its copy at once.",
		Problems: []problem.Code{problem.NotFound, problem.DeliveryAlreadyReceived, problem.QuantityExceedsDelivery,
			problem.NoWarehouseWorker},
		Events: []event.Type{event.FactoryGoodsReceiptRecorded, event.OfficeGoodsReceiptRecorded,
			event.MissionCompleted},
	}, func(tx *sandbox.Tx, _ PathParams, in *CreateFactoryGoodsReceipt) (Result, error) {
		receipt := factory.GoodsReceiptInput{DeliveryID: in.DeliveryID}
		if in.Lines != nil {
			for _, line := range *in.Lines {
				receipt.Counts = append(receipt.Counts,
					factory.Count{SKU: line.SKU, Accepted: line.QuantityAccepted, Rejected: line.QuantityRejected})
			}
		}
		id, err := tx.Company.CountDelivery(receipt)
		return Result{Resource: "factory_goods_receipt", ID: id}, err
	})
}
