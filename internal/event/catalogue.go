package event

// Definition is a row of the event table.
type Definition struct {
	Type Type
	// Cause says what makes the event.
	Cause string
	// Self is the path of the record that the event is about, relative to the
	// base URL; {id} stands for data.id.
	Self string
	// Data is a zero value of the struct of its data, nil while nothing makes
	// events of this type yet.
	Data Data
}

// Types of Head Office.
const (
	SalesOrderReceived            Type = "office.sales_order.received"
	SalesOrderAccepted            Type = "office.sales_order.accepted"
	SalesOrderDeclined            Type = "office.sales_order.declined"
	SalesOrderExpired             Type = "office.sales_order.expired"
	OfficeRequisitionReceived     Type = "office.requisition.received"
	OfficeRequisitionApproved     Type = "office.requisition.approved"
	OfficeRequisitionRejected     Type = "office.requisition.rejected"
	PurchaseOrderCreated          Type = "office.purchase_order.created"
	PurchaseOrderApprovalRequired Type = "office.purchase_order.approval_required"
	PurchaseOrderApproved         Type = "office.purchase_order.approved"
	SupplierInvoiceReceived       Type = "office.supplier_invoice.received"
	SupplierInvoicePaid           Type = "office.supplier_invoice.paid"
	CustomerInvoiceCreated        Type = "office.customer_invoice.created"
	CustomerInvoicePaid           Type = "office.customer_invoice.paid"
	CustomerInvoiceOverdue        Type = "office.customer_invoice.overdue"
	PaymentReceived               Type = "office.payment.received"
	PaymentOverdue                Type = "office.payment.overdue"
	OfficeGoodsReceiptRecorded    Type = "office.goods_receipt.recorded"
	ContractLotOffered            Type = "office.contract_lot.offered"
	ContractLotAccepted           Type = "office.contract_lot.accepted"
	ContractLotDeclined           Type = "office.contract_lot.declined"
	ContractLotExpired            Type = "office.contract_lot.expired"
	ContractLotDelivered          Type = "office.contract_lot.delivered"
	MarketTradeExecuted           Type = "office.market_trade.executed"
)

// Types of the Factory.
const (
	WorkOrderCreated            Type = "factory.work_order.created"
	WorkOrderReady              Type = "factory.work_order.ready"
	ShipmentCreated             Type = "factory.shipment.created"
	PrintRunStarted             Type = "factory.print_run.started"
	PrintRunCompleted           Type = "factory.print_run.completed"
	FactoryRequisitionCreated   Type = "factory.requisition.created"
	StockBelowReorderPoint      Type = "factory.stock.below_reorder_point"
	DeliveryArrived             Type = "factory.delivery.arrived"
	FactoryGoodsReceiptRecorded Type = "factory.goods_receipt.recorded"
	MarketDeliveryReceived      Type = "factory.market_delivery.received"
)

// Types of the people, the world and the sandbox itself.
const (
	EmployeeSick        Type = "hr.employee.sick"
	EmployeeReturned    Type = "hr.employee.returned"
	EmployeeQuit        Type = "hr.employee.quit"
	EmployeeDismissed   Type = "hr.employee.dismissed"
	EmployeeHired       Type = "hr.employee.hired"
	LeaveRequestCreated Type = "hr.leave_request.created"
	PayrollDue          Type = "hr.payroll.due"
	PayrollLate         Type = "hr.payroll.late"
	PayrollPaid         Type = "hr.payroll.paid"
	MajorOrderUpdated   Type = "world.major_order.updated"
	LoreEventStarted    Type = "world.lore_event.started"
	MissionCompleted    Type = "sandbox.mission.completed"
	AchievementUnlocked Type = "sandbox.achievement.unlocked"
	SandboxExpiring     Type = "sandbox.expiring"
	SandboxBankrupt     Type = "sandbox.bankrupt"
	DisruptionEnded     Type = "sandbox.disruption.ended"
)

// Paths that several definitions share.
const (
	salesOrder      = "/office/sales-orders/{id}"
	requisition     = "/office/requisitions/{id}"
	purchaseOrder   = "/office/purchase-orders/{id}"
	supplierInvoice = "/office/supplier-invoices/{id}"
	customerInvoice = "/office/customer-invoices/{id}"
	contractLot     = "/office/contract-lots/{id}"
	workOrder       = "/factory/work-orders/{id}"
	printRun        = "/factory/print-runs/{id}"
	employee        = "/office/employees/{id}"
	payrollRun      = "/office/payroll-runs/{id}"
	loreEvent       = "/sandbox/lore-events/{id}"
)

// Catalogue lists the definitions of what a client can subscribe to, in the
// order of the contract.
func Catalogue() []Definition { return catalogue }

// Set is a set of types, as a bit each in the order of the catalogue and, behind
// it, the bookkeeping. All types that are in neither share the last bit.
type Set uint64

// SetOf returns the set of some types.
func SetOf(types ...Type) Set {
	set := Set(0)
	for _, t := range types {
		bit := Set(1) << 63
		for i := range all {
			if all[i].Type == t {
				bit = 1 << i
			}
		}
		set |= bit
	}
	return set
}

// Lookup returns the definition of a type.
func Lookup(t Type) (Definition, bool) {
	for i := range all {
		if all[i].Type == t {
			return all[i], true
		}
	}
	return Definition{}, false
}

var catalogue = []Definition{ //nolint:gochecknoglobals // the table itself
	{SalesOrderReceived, "A customer asks for goods.", salesOrder, &SalesOrderReceivedData{}},
	{SalesOrderAccepted, "The client accepts an order.", salesOrder, &SalesOrderAcceptedData{}},
	{SalesOrderDeclined, "The client declines an order.", salesOrder, &SalesOrderDeclinedData{}},
	{SalesOrderExpired, "An order was not answered, or not delivered, in time.", salesOrder, &SalesOrderExpiredData{}},
	{OfficeRequisitionReceived, "Head Office receives a requisition.", requisition, &OfficeRequisitionReceivedData{}},
	{OfficeRequisitionApproved, "A requisition is approved.", requisition, &OfficeRequisitionApprovedData{}},
	{OfficeRequisitionRejected, "A requisition is rejected or lapses.", requisition, &OfficeRequisitionRejectedData{}},
	{PurchaseOrderCreated, "The client writes a purchase order.", purchaseOrder, &PurchaseOrderCreatedData{}},
	{PurchaseOrderApprovalRequired, "A purchase order is above the approval limit.", purchaseOrder, &PurchaseOrderApprovalRequiredData{}},
	{PurchaseOrderApproved, "A purchase order is approved and goes to the supplier.", purchaseOrder, &PurchaseOrderApprovedData{}},
	{SupplierInvoiceReceived, "A supplier bills the company.", supplierInvoice, &SupplierInvoiceReceivedData{}},
	{SupplierInvoicePaid, "The company pays a supplier.", supplierInvoice, &SupplierInvoicePaidData{}},
	{CustomerInvoiceCreated, "Goods are shipped at Head Office and billed.", customerInvoice, &CustomerInvoiceCreatedData{}},
	{CustomerInvoicePaid, "A payment brings the balance of an invoice to zero.", customerInvoice, &CustomerInvoicePaidData{}},
	{CustomerInvoiceOverdue, "A customer has not paid by the due date.", customerInvoice, &CustomerInvoiceOverdueData{}},
	{PaymentReceived, "A customer's money, or the bonus of a major order, arrives.", "/office/payments/{id}", &PaymentReceivedData{}},
	{PaymentOverdue, "The company has not paid a supplier by the due date.", supplierInvoice, &PaymentOverdueData{}},
	{OfficeGoodsReceiptRecorded, "Head Office records what the Factory accepted.", "/office/goods-receipts/{id}", &OfficeGoodsReceiptRecordedData{}},
	{ContractLotOffered, "A framework customer offers a bulk lot.", contractLot, &ContractLotOfferedData{}},
	{ContractLotAccepted, "The client accepts a lot.", contractLot, &ContractLotAcceptedData{}},
	{ContractLotDeclined, "The client declines a lot.", contractLot, &ContractLotDeclinedData{}},
	{ContractLotExpired, "A lot was not answered, or not delivered, in time.", contractLot, &ContractLotExpiredData{}},
	{ContractLotDelivered, "A lot is shipped.", contractLot, &ContractLotDeliveredData{}},
	{MarketTradeExecuted, "The client trades on the market.", "/office/market/trades/{id}", &MarketTradeExecutedData{}},
	{WorkOrderCreated, "The bridge or the client orders work from the Factory.", workOrder, &WorkOrderCreatedData{}},
	{WorkOrderReady, "Finishing has ended, or stock was set aside.", workOrder, &WorkOrderReadyData{}},
	{ShipmentCreated, "Goods leave the Factory.", "/factory/shipments/{id}", &ShipmentCreatedData{}},
	{PrintRunStarted, "The client starts a press.", printRun, &PrintRunStartedData{}},
	{PrintRunCompleted, "A press has finished a run.", printRun, &PrintRunCompletedData{}},
	{FactoryRequisitionCreated, "The Factory's reorder rule asks for material.", "/factory/requisitions/{id}", &FactoryRequisitionCreatedData{}},
	{StockBelowReorderPoint, "Stock on hand falls below its reorder point.", "/factory/stock/{id}", &StockBelowReorderPointData{}},
	{DeliveryArrived, "A supplier's truck arrives.", "/factory/deliveries/{id}", &DeliveryArrivedData{}},
	{FactoryGoodsReceiptRecorded, "The client counts a delivery.", "/factory/goods-receipts/{id}", &FactoryGoodsReceiptRecordedData{}},
	{MarketDeliveryReceived, "Goods bought on the market arrive.", "/factory/market-deliveries/{id}", &MarketDeliveryReceivedData{}},
	{EmployeeSick, "Somebody falls ill.", employee, &EmployeeSickData{}},
	{EmployeeReturned, "Somebody is well again.", employee, &EmployeeReturnedData{}},
	{EmployeeQuit, "Somebody leaves on their own.", employee, &EmployeeQuitData{}},
	{EmployeeDismissed, "The client dismisses somebody.", employee, &EmployeeDismissedData{}},
	{EmployeeHired, "The client hires somebody, or a replacement starts.", employee, &EmployeeHiredData{}},
	{LeaveRequestCreated, "Somebody announces a holiday.", "/office/leave-requests/{id}", &LeaveRequestCreatedData{}},
	{PayrollDue, "A timesheet is recorded, so wages are due.", payrollRun, &PayrollDueData{}},
	{PayrollLate, "Wages were not paid by their due date.", payrollRun, &PayrollLateData{}},
	{PayrollPaid, "Wages are paid.", payrollRun, &PayrollPaidData{}},
	{MajorOrderUpdated, "A world-wide goal opens, reaches a milestone or ends.", "/sandbox/major-orders/{id}", &MajorOrderUpdatedData{}},
	{LoreEventStarted, "Something happens in the world.", loreEvent, &LoreEventStartedData{}},
	{MissionCompleted, "The client's own calls complete a mission.", "/missions/{id}", &MissionCompletedData{}},
	{AchievementUnlocked, "The client's own calls unlock an achievement.", "/sandbox/achievements/{id}", &AchievementUnlockedData{}},
	{SandboxExpiring, "Five minutes of the sandbox's time are left.", "/sandbox", &SandboxExpiringData{}},
	{SandboxBankrupt, "The company cannot go on.", "/sandbox", &SandboxBankruptData{}},
	{DisruptionEnded, "A disruption is over.", loreEvent, &DisruptionEndedData{}},
}
