package operation

import (
	"net/http"
	"reflect"
	"slices"

	"platen/internal/company"
	"platen/internal/company/office"
	"platen/internal/sandbox"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// Cash is the data of GET /office/cash.
type Cash struct {
	_ struct{} `doc:"The company's cash position at Head Office: balance, limits, and sums owed to it and by it."`

	CashMinor           money.Minor `json:"cash_minor" doc:"The money on the account now, in minor units; negative while the overdraft is used."`
	Currency            string      `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	OverdraftLimitMinor money.Minor `json:"overdraft_limit_minor" doc:"How far cash may go below 0, in minor units. The company is bankrupt when a day closes below that."`
	DaysNegative        int64       `json:"days_negative" doc:"Day closes in a row with negative cash."`
	ReceivableMinor     money.Minor `json:"receivable_minor" doc:"The balances of all customer invoices, in minor units, also of those whose goods have not come."`
	PayableMinor        money.Minor `json:"payable_minor" doc:"The unpaid bills of suppliers with their late fees, in minor units."`
	OpeningCashMinor    money.Minor `json:"opening_cash_minor" doc:"The cash on the first morning, in minor units."`
}

func officeOperations() []Operation {
	return slices.Concat(
		reads[office.SalesOrder](noun{
			system: Office, path: "/office/sales-orders", resource: "sales_order", singular: "sales_order",
			plural: "sales_orders", summary: "sales orders",
			listDescription: "The orders of customers. An order waits for an answer until answer_by, and for its " +
				"goods until cancel_after.",
			one: "a sales order",
		}),
		[]Operation{acceptSalesOrder(), declineSalesOrder()},
		reads[office.Shipment](noun{
			system: Office, path: "/office/shipments", resource: "office_shipment", singular: "office_shipment",
			plural: "office_shipments", summary: "shipments of Head Office",
			one: "a shipment of Head Office",
			listDescription: "The goods that Head Office has recorded as shipped, each with the invoice that it " +
				"raised.",
		}),
		[]Operation{createOfficeShipment()},
		reads[office.CustomerInvoice](noun{
			system: Office, path: "/office/customer-invoices", resource: "customer_invoice",
			singular: "customer_invoice", plural: "customer_invoices", summary: "customer invoices",
			one:             "a customer invoice",
			listDescription: "The invoices to customers, and how much of each has been paid.",
		}),
		reads[office.Payment](noun{
			system: Office, path: "/office/payments", resource: "payment", singular: "payment", plural: "payments",
			summary: "payments",
			one:     "a payment",
			listDescription: "Money that came in: payments of customers, and bonuses of major orders. Payments to " +
				"suppliers are in their bills.",
		}),
		[]Operation{{
			ID: "get_cash", Kind: Object, Method: http.MethodGet, Path: "/office/cash", System: Office, Key: KeyNone,
			Status: http.StatusOK, Summary: "Get the company's cash",
			Description: "The money on the account, what customers owe and what is owed to suppliers. Each movement " +
				"is in the ledger.",
			Out: reflect.TypeFor[Cash](), Read: shown(cash),
		}},
		reads[office.LedgerEntry](noun{
			system: Office, path: "/office/ledger", resource: "ledger_entry", singular: "ledger_entry",
			plural: "ledger_entries", summary: "ledger entries",
			listDescription: "Every movement of cash, each with the event that it belongs to.",
			one:             "a ledger entry",
		}),
		reads[office.Customer](noun{
			system: Office, path: "/office/customers", resource: "customer", singular: "customer", plural: "customers",
			summary: "customers",
			one:     "a customer", ids: "The id is a name, such as cus_kestrel, and the same in every sandbox.",
			listDescription: "The customers, with their terms, habits of payment and satisfaction.",
		}),
		reads[office.Product](noun{
			system: Office, path: "/office/products", resource: "office_product", singular: "office_product",
			plural: "office_products", summary: "products with their prices",
			one: "a product with its price", ids: "The id is the SKU.",
			listDescription: "The products with their list prices. The material that each takes is at the " +
				"Factory.",
		}),
	)
}

func acceptSalesOrder() Operation {
	return move[office.SalesOrder](Operation{
		ID: "accept_sales_order", Path: "/office/sales-orders/{id}/accept", System: Office,
		Summary: "Accept a sales order",
		Description: "With the auto bridge the Factory gets its work order at once and the order goes into " +
			"production; with the manual bridge it is accepted, and carrying it across is your integration's work.",
		Problems: []problem.Code{
			problem.NotFound, problem.InvalidState, problem.TooManyOpen, problem.CreditLimitExceeded,
		},
		Events: []event.Type{event.SalesOrderAccepted, event.WorkOrderCreated, event.WorkOrderReady,
			event.MissionCompleted},
	}, (*company.Company).AcceptSalesOrder)
}

func declineSalesOrder() Operation {
	return change[office.SalesOrder](Operation{
		ID: "decline_sales_order", Path: "/office/sales-orders/{id}/decline", System: Office, BodyOptional: true,
		Summary:  "Decline a sales order",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState},
		Events:   []event.Type{event.SalesOrderDeclined},
	}, (*company.Company).DeclineSalesOrder)
}

func createOfficeShipment() Operation {
	return tried[office.Shipment](Operation{
		ID: "create_office_shipment", Path: "/office/shipments", System: Office, Key: KeyRequired,
		Summary: "Ship a sales order, a part of it, or a contract lot, and bill it",
		Description: "Raises the customer's invoice, nested in the response. " +
			"With the auto bridge the goods leave the Factory too, so they must be ready.",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState, problem.QuantityMismatch,
			problem.DuplicateReference, problem.WorkOrderNotReady, problem.NoWarehouseWorker},
		Events: []event.Type{event.ShipmentCreated, event.ContractLotDelivered, event.CustomerInvoiceCreated,
			event.MissionCompleted},
	}, (*company.Company).ShipFromOffice, (*company.Company).PreviewShipment)
}

func cash(v *sandbox.View, _ moment.Instant) any {
	s := &v.Summary
	return Cash{
		CashMinor: s.CashMinor, Currency: money.Currency, OverdraftLimitMinor: s.OverdraftLimitMinor,
		DaysNegative: s.DaysNegative, ReceivableMinor: s.ReceivableMinor, PayableMinor: s.PayableMinor,
		OpeningCashMinor: s.OpeningCashMinor,
	}
}
