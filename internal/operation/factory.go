package operation

import (
	"slices"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

func factoryOperations() []Operation {
	return slices.Concat(
		reads[factory.WorkOrder](noun{
			system: Factory, path: "/factory/work-orders", resource: "work_order", singular: "work_order",
			plural: "work_orders", summary: "work orders",
			one: "a work order",
			listDescription: "The work that the Factory has been asked for. waits_for picks those that wait for a " +
				"press, a run, finishing or a shipment next.",
		}),
		[]Operation{createWorkOrder()},
		reads[factory.PrintRun](noun{
			system: Factory, path: "/factory/print-runs", resource: "print_run", singular: "print_run",
			plural: "print_runs", summary: "print runs",
			one:             "a print run",
			listDescription: "The runs of the presses. One that is running has no results yet.",
		}),
		[]Operation{startPrintRun()},
		reads[factory.Shipment](noun{
			system: Factory, path: "/factory/shipments", resource: "factory_shipment", singular: "factory_shipment",
			plural: "factory_shipments", summary: "shipments of the Factory",
			one: "a shipment of the Factory",
			listDescription: "The goods that left the gate. reference finds the shipments for an order of Head " +
				"Office.",
		}),
		[]Operation{createFactoryShipment()},
		reads[factory.StockItem](noun{
			system: Factory, path: "/factory/stock", resource: "stock_item", singular: "stock_item",
			plural: "stock_items", summary: "stock items",
			one: "a stock item", ids: "The id is itm_ and the rest of the SKU: itm_coated is that of mat_coated.",
			listDescription: "Everything in the warehouse: material, finished products and waste paper, with " +
				"quantities and reorder points.",
		}),
		reads[factory.StockMove](noun{
			system: Factory, path: "/factory/stock-moves", resource: "stock_move", singular: "stock_move",
			plural: "stock_moves", summary: "stock moves",
			listDescription: "Every movement of stock, each with the event that it belongs to.",
			one:             "a stock move",
		}),
		reads[factory.Press](noun{
			system: Factory, path: "/factory/presses", resource: "press", singular: "press", plural: "presses",
			summary: "presses",
			one:     "a press", ids: "The ids are prs_digital and prs_offset in every sandbox.",
			listDescription: "The presses, with what sets them apart and the state in which each is now.",
		}),
		reads[factory.Operator](noun{
			system: Factory, path: "/factory/operators", resource: "operator", singular: "operator",
			plural: "operators", summary: "operators",
			one: "an operator", ids: "The id is opr_ and the number of the badge.",
			listDescription: "The people who can run a press, and whether each is at work today.",
		}),
		reads[factory.Product](noun{
			system: Factory, path: "/factory/products", resource: "factory_product", singular: "factory_product",
			plural: "factory_products", summary: "products with their bills of materials",
			one: "a product with its bill of materials", ids: "The id is the SKU.",
			listDescription: "The products with the paper, ink, plates and finishing that each takes. Prices are " +
				"at Head Office.",
		}),
	)
}

func createWorkOrder() Operation {
	return create[factory.WorkOrder](Operation{
		ID: "create_work_order", Path: "/factory/work-orders", System: Factory, Key: KeyRequired,
		Summary: "Order work from the Factory",
		Description: "With the manual bridge this is how an accepted sales order reaches the Factory: " +
			"put its id into reference. Stock goods without a reference go on the shelf.",
		Problems: []problem.Code{problem.DuplicateReference, problem.ReferenceRequired, problem.TooManyOpen},
		Events:   []event.Type{event.WorkOrderCreated, event.WorkOrderReady},
	}, (*company.Company).CreateWorkOrder)
}

func startPrintRun() Operation {
	return tried[factory.PrintRun](Operation{
		ID: "start_print_run", Path: "/factory/print-runs", System: Factory, Key: KeyRequired,
		Summary: "Start a press",
		Description: "Name one work order, or up to six of the same paper as a gang run. " +
			"If too few good sheets come out, the order stays in printing: start another run for the rest.",
		Problems: []problem.Code{
			problem.NotFound, problem.InvalidState, problem.PressDown, problem.PressBusy, problem.NoOperator,
			problem.InsufficientStock, problem.GangMixedPaper,
		},
		Events: []event.Type{
			event.PrintRunStarted, event.StockBelowReorderPoint, event.FactoryRequisitionCreated,
			event.OfficeRequisitionReceived, event.OfficeRequisitionApproved, event.MissionCompleted,
		},
	}, (*company.Company).StartPrintRun, (*company.Company).PreviewPrintRun)
}

func createFactoryShipment() Operation {
	return create[factory.Shipment](Operation{
		ID: "create_factory_shipment", Path: "/factory/shipments", System: Factory, Key: KeyRequired,
		Summary: "Ship finished goods",
		Description: "The goods go to the customer of the order that the work order's reference names, " +
			"all of them or a part. With the auto bridge Head Office bills them at once.",
		Problems: []problem.Code{problem.NotFound, problem.WorkOrderNotReady, problem.InvalidState,
			problem.QuantityMismatch, problem.DuplicateReference, problem.NoWarehouseWorker},
		Events: []event.Type{event.ShipmentCreated, event.ContractLotDelivered, event.CustomerInvoiceCreated,
			event.MissionCompleted},
	}, (*company.Company).ShipFromFactory)
}
