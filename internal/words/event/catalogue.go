package event

// Definition is a row of the event table.
type Definition struct {
	// Number identifies the type in stored sets of types. It is given once, the
	// next free one, and never changes.
	Number int
	Type   Type
	// Cause is the cause of the event.
	Cause string
	// Self is the path of the record that the event is about, relative to the
	// base URL; {id} is data.id.
	Self string
	// Data is a zero value of the struct of its data, nil while nothing creates
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

// Catalogue lists the definitions of the types that a client can subscribe to,
// in the order of the contract.
func Catalogue() []Definition { return catalogue }

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
	{0, SalesOrderReceived, "A customer asks for goods.", salesOrder, &SalesOrderReceivedData{}},
	{1, SalesOrderAccepted, "The client accepts an order.", salesOrder, &SalesOrderAcceptedData{}},
	{2, SalesOrderDeclined, "The client declines an order.", salesOrder, &SalesOrderDeclinedData{}},
	{3, SalesOrderExpired, "An order was not answered, or not delivered, in time.", salesOrder,
		&SalesOrderExpiredData{}},
	{4, OfficeRequisitionReceived, "Head Office receives a requisition.", requisition,
		&OfficeRequisitionReceivedData{}},
	{5, OfficeRequisitionApproved, "The client approves a requisition, or a cheap one is approved by itself.",
		requisition, &OfficeRequisitionApprovedData{}},
	{6, OfficeRequisitionRejected, "The client rejects a requisition, or lets it lapse.", requisition,
		&OfficeRequisitionRejectedData{}},
	{7, PurchaseOrderCreated, "The client writes a purchase order.", purchaseOrder, &PurchaseOrderCreatedData{}},
	{8, PurchaseOrderApprovalRequired, "A purchase order is above the approval limit.", purchaseOrder,
		&PurchaseOrderApprovalRequiredData{}},
	{9, PurchaseOrderApproved, "A purchase order is approved and goes to the supplier.", purchaseOrder,
		&PurchaseOrderApprovedData{}},
	{10, SupplierInvoiceReceived, "A supplier bills the company.", supplierInvoice, &SupplierInvoiceReceivedData{}},
	{11, SupplierInvoicePaid, "The company pays a supplier.", supplierInvoice, &SupplierInvoicePaidData{}},
	{12, CustomerInvoiceCreated, "Goods are shipped at Head Office and billed.", customerInvoice,
		&CustomerInvoiceCreatedData{}},
	{13, CustomerInvoicePaid, "A payment brings the balance of an invoice to zero.", customerInvoice,
		&CustomerInvoicePaidData{}},
	{14, CustomerInvoiceOverdue, "A customer has not paid by the due date.", customerInvoice,
		&CustomerInvoiceOverdueData{}},
	{15, PaymentReceived, "A customer's money, or the bonus of a major order, arrives.", "/office/payments/{id}",
		&PaymentReceivedData{}},
	{16, PaymentOverdue, "The company has not paid a supplier by the due date.", supplierInvoice,
		&PaymentOverdueData{}},
	{17, OfficeGoodsReceiptRecorded, "Head Office records the goods that the Factory accepted.",
		"/office/goods-receipts/{id}", &OfficeGoodsReceiptRecordedData{}},
	{18, ContractLotOffered, "A framework customer offers a bulk lot.", contractLot, &ContractLotOfferedData{}},
	{19, ContractLotAccepted, "The client accepts a lot.", contractLot, &ContractLotAcceptedData{}},
	{20, ContractLotDeclined, "The client declines a lot.", contractLot, &ContractLotDeclinedData{}},
	{21, ContractLotExpired, "A lot was not answered, or not delivered, in time.", contractLot,
		&ContractLotExpiredData{}},
	{22, ContractLotDelivered, "A lot is shipped.", contractLot, &ContractLotDeliveredData{}},
	{23, MarketTradeExecuted, "The client trades on the market.", "/office/market/trades/{id}",
		&MarketTradeExecutedData{}},
	{24, WorkOrderCreated, "The bridge or the client orders work from the Factory.", workOrder,
		&WorkOrderCreatedData{}},
	{25, WorkOrderReady, "Finishing has ended, or stock was set aside.", workOrder, &WorkOrderReadyData{}},
	{26, ShipmentCreated, "Goods leave the Factory.", "/factory/shipments/{id}", &ShipmentCreatedData{}},
	{27, PrintRunStarted, "The client starts a press.", printRun, &PrintRunStartedData{}},
	{28, PrintRunCompleted, "A press has finished a run.", printRun, &PrintRunCompletedData{}},
	{29, FactoryRequisitionCreated, "The Factory's reorder rule asks for material.", "/factory/requisitions/{id}",
		&FactoryRequisitionCreatedData{}},
	{30, StockBelowReorderPoint, "Stock falls below its reorder point, or the weekly review lowers the point to it.",
		"/factory/stock/{id}",
		&StockBelowReorderPointData{}},
	{31, DeliveryArrived, "A supplier's truck arrives.", "/factory/deliveries/{id}", &DeliveryArrivedData{}},
	{32, FactoryGoodsReceiptRecorded, "The client counts a delivery.", "/factory/goods-receipts/{id}",
		&FactoryGoodsReceiptRecordedData{}},
	{33, MarketDeliveryReceived, "Goods bought on the market arrive.", "/factory/market-deliveries/{id}",
		&MarketDeliveryReceivedData{}},
	{34, EmployeeSick, "An employee falls ill.", employee, &EmployeeSickData{}},
	{35, EmployeeReturned, "An employee is well again.", employee, &EmployeeReturnedData{}},
	{36, EmployeeQuit, "An employee quits.", employee, &EmployeeQuitData{}},
	{37, EmployeeDismissed, "The client dismisses an employee.", employee, &EmployeeDismissedData{}},
	{38, EmployeeHired, "The client hires an employee, or a replacement starts.", employee, &EmployeeHiredData{}},
	{39, LeaveRequestCreated, "An employee announces a holiday.", "/office/leave-requests/{id}",
		&LeaveRequestCreatedData{}},
	{40, PayrollDue, "A timesheet is recorded, so wages are due.", payrollRun, &PayrollDueData{}},
	{41, PayrollLate, "Wages were not paid by their due date.", payrollRun, &PayrollLateData{}},
	{42, PayrollPaid, "Wages are paid.", payrollRun, &PayrollPaidData{}},
	{43, MajorOrderUpdated, "A world-wide goal opens, reaches a milestone or ends.", "/sandbox/major-orders/{id}",
		&MajorOrderUpdatedData{}},
	{44, LoreEventStarted, "Something happens in the world.", loreEvent, &LoreEventStartedData{}},
	{45, MissionCompleted, "The client's own requests complete a mission.", "/missions/{id}", &MissionCompletedData{}},
	{46, AchievementUnlocked, "The client's own requests unlock an achievement.", "/sandbox/achievements/{id}",
		&AchievementUnlockedData{}},
	{47, SandboxExpiring, "Five minutes of the sandbox's time are left.", "/sandbox", &SandboxExpiringData{}},
	{48, SandboxBankrupt, "The company cannot go on.", "/sandbox", &SandboxBankruptData{}},
	{49, DisruptionEnded, "A disruption is over.", loreEvent, &DisruptionEndedData{}},
}
