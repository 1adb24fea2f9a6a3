package operation

import (
	"net/http"
	"reflect"
	"slices"

	"platen/internal/company/factory"
	"platen/internal/event"
	"platen/internal/moment"
	"platen/internal/problem"
	"platen/internal/sandbox"
)

// CreateWorkOrder is the body of POST /factory/work-orders.
type CreateWorkOrder struct {
	_ struct{} `doc:"The body that orders goods from the Factory."`

	SKU       string       `json:"sku" required:"true" minLength:"1" maxLength:"40" example:"prd_flyer" doc:"The product to make, such as prd_flyer." agent:"-"`
	Quantity  int64        `json:"quantity" required:"true" minimum:"1" maximum:"5000" doc:"How many units to make; the unit of a product is its pack, such as 250 cards." agent:"-"`
	Reference *string      `json:"reference,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"For whom the goods are: the id or number of a sales order. Custom goods need one."`
	DueDate   *moment.Date `json:"due_date,omitzero" nullable:"true" agent:"-" doc:"The date by which the goods are wanted. It helps to plan the presses: the Factory does not act on it."`
	Priority  *int64       `json:"priority,omitzero" minimum:"1" maximum:"9" doc:"Yours to use; 5 when left out."`
}

// StartPrintRun is the body of POST /factory/print-runs.
type StartPrintRun struct {
	_ struct{} `doc:"The body that starts a press of the Factory, or asks for a dry run."`

	PressID         string    `json:"press_id" required:"true" minLength:"1" maxLength:"40" example:"prs_digital" doc:"The press to start: the id at /factory/presses. It has to be idle." agent:"-"`
	WorkOrderID     *string   `json:"work_order_id,omitzero" oneOf:"true" minLength:"1" maxLength:"64" doc:"The work order to print; this or work_order_ids." agent:"-"`
	WorkOrderIDs    *[]string `json:"work_order_ids,omitzero" oneOf:"true" minItems:"1" maxItems:"6" uniqueItems:"true" doc:"Several small orders of one paper as a gang run, which shares one make-ready."`
	OversPct        *int64    `json:"overs_pct,omitzero" minimum:"0" maximum:"20" doc:"Sheets printed above the quantity to cover spoilage, in per cent; 3 when left out."`
	OperatorBadgeNo *string   `json:"operator_badge_no,omitzero" minLength:"1" maxLength:"20" doc:"The badge of the operator to run it, who has to be present and free; any such operator when left out." agent:"-"`
	DryRun          *bool     `json:"dry_run,omitzero" doc:"Change nothing and return the expected result: minutes, sheets, what is left in stock, the risk of ending short."`
}

// run is the run that a request asks for.
func (in *StartPrintRun) run() factory.PrintRunInput {
	run := factory.PrintRunInput{PressID: in.PressID, OversPct: factory.DefaultOversPct, BadgeNo: in.OperatorBadgeNo}
	if in.OversPct != nil {
		run.OversPct = *in.OversPct
	}
	if in.WorkOrderIDs != nil {
		run.WorkOrderIDs = *in.WorkOrderIDs
		return run
	}
	run.WorkOrderIDs = []string{*in.WorkOrderID}
	return run
}

// CreateFactoryShipment is the body of POST /factory/shipments.
type CreateFactoryShipment struct {
	_ struct{} `doc:"The body that sends the goods of a work order out of the Factory's gate."`

	WorkOrderID string  `json:"work_order_id" required:"true" minLength:"1" maxLength:"64" doc:"The work order whose goods leave: one whose status is ready." agent:"-"`
	CarrierNote *string `json:"carrier_note,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"A note for the carrier, for the record." agent:"-"`
}

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
	return write(Operation{
		ID: "create_work_order", Path: "/factory/work-orders", System: Factory, Key: KeyRequired,
		Status: http.StatusCreated, Out: reflect.TypeFor[factory.WorkOrder](),
		Summary: "Order work from the Factory",
		Description: "With the manual bridge this is how an accepted sales order reaches the Factory: " +
			"put its id into reference. Stock goods without a reference go on the shelf.",
		Problems: []problem.Code{problem.DuplicateReference, problem.ReferenceRequired, problem.TooManyOpen},
		Events:   []event.Type{event.WorkOrderCreated, event.WorkOrderReady},
	}, func(tx *sandbox.Tx, _ PathParams, in *CreateWorkOrder) (Result, error) {
		work := factory.WorkOrderInput{SKU: in.SKU, Quantity: in.Quantity, Reference: in.Reference, DueDate: in.DueDate}
		if in.Priority != nil {
			work.Priority = *in.Priority
		}
		id, err := tx.Company.CreateWorkOrder(work)
		return Result{Resource: "work_order", ID: id}, err
	})
}

func startPrintRun() Operation {
	return tried(Operation{
		ID: "start_print_run", Path: "/factory/print-runs", System: Factory, Key: KeyRequired,
		Status: http.StatusCreated, Out: reflect.TypeFor[factory.PrintRun](),
		Summary: "Start a press",
		Description: "Name one work order, or up to six of the same paper as a gang run. " +
			"A run that ends short leaves its order in printing: start another for the rest.",
		Problems: []problem.Code{
			problem.NotFound, problem.InvalidState, problem.PressDown, problem.PressBusy, problem.NoOperator,
			problem.InsufficientStock, problem.GangMixedPaper,
		},
		Events: []event.Type{
			event.PrintRunStarted, event.StockBelowReorderPoint, event.FactoryRequisitionCreated,
			event.OfficeRequisitionReceived, event.OfficeRequisitionApproved, event.MissionCompleted,
		},
	}, func(tx *sandbox.Tx, _ PathParams, in *StartPrintRun) (Result, error) {
		id, err := tx.Company.StartPrintRun(in.run())
		return Result{Resource: "print_run", ID: id}, err
	}, func(tx *sandbox.Tx, in *StartPrintRun) (factory.PrintRunPreview, error) {
		return tx.Company.PreviewPrintRun(in.run())
	})
}

// press is the press that is to be started.
func (in *StartPrintRun) press() string { return in.PressID }

func createFactoryShipment() Operation {
	return write(Operation{
		ID: "create_factory_shipment", Path: "/factory/shipments", System: Factory, Key: KeyRequired,
		Status: http.StatusCreated, Out: reflect.TypeFor[factory.Shipment](),
		Summary: "Ship finished goods",
		Description: "The goods go to the customer of the order that the work order's reference names. " +
			"With the auto bridge Head Office bills them at once.",
		Problems: []problem.Code{problem.NotFound, problem.WorkOrderNotReady, problem.InvalidState,
			problem.NoWarehouseWorker},
		Events: []event.Type{event.ShipmentCreated, event.ContractLotDelivered, event.CustomerInvoiceCreated,
			event.MissionCompleted},
	}, func(tx *sandbox.Tx, _ PathParams, in *CreateFactoryShipment) (Result, error) {
		id, err := tx.Company.ShipFromFactory(factory.ShipmentInput{
			WorkOrderID: in.WorkOrderID, CarrierNote: in.CarrierNote,
		})
		return Result{Resource: "factory_shipment", ID: id}, err
	})
}
