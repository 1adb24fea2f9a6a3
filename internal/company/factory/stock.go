package factory

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/money"
)

// StockStatus is the status of a stock item.
//
//	ok ──on hand falls below the reorder point──▶ low ──refilled, or the point falls──▶ ok
type StockStatus string

// Statuses.
const (
	StockOK  StockStatus = "ok"
	StockLow StockStatus = "low"
)

// MoveKind is the reason of a stock move.
type MoveKind string

// Kinds of stock moves.
const (
	MoveOpening  MoveKind = "opening"
	MoveReceipt  MoveKind = "receipt"
	MoveIssue    MoveKind = "issue"
	MoveOutput   MoveKind = "output"
	MoveWaste    MoveKind = "waste"
	MoveShipment MoveKind = "shipment"
	// Moves of the market.
	MoveMarketIn  MoveKind = "market_in"
	MoveMarketOut MoveKind = "market_out"
)

// StockItem is a material, a finished product or waste in the warehouse.
type StockItem struct {
	_ struct{} `doc:"A material, a finished product or waste paper in the Factory's warehouse."`

	record.Head
	SKU              string      `json:"sku" doc:"The material or product, such as mat_coated."`
	Name             string      `json:"name" doc:"Its name, for people."`
	Kind             string      `json:"kind" enum:"material,finished,waste" doc:"material goes to the presses; finished are products on the shelf; waste is the paper that runs leave, to be sold."`
	Unit             string      `json:"unit" doc:"The unit of all its quantities: sheet, can, plate, gram, or the pack of a product."`
	OnHand           int64       `json:"on_hand" doc:"The quantity in the warehouse now, reserved goods included."`
	Reserved         int64       `json:"reserved" doc:"The part of on_hand that ready work orders hold; only the rest can be sold or taken."`
	ReorderPoint     int64       `json:"reorder_point" doc:"The quantity below which the Factory asks for more; 0 for goods that are not reordered. It follows the use of the past two weeks, each Monday."`
	ReorderQuantity  int64       `json:"reorder_quantity" doc:"The quantity that a requisition asks for. It follows the use of the past two weeks, each Monday."`
	Status           StockStatus `json:"status" enum:"ok,low" doc:"low while on_hand is below reorder_point, else ok."`
	AverageCostMinor money.Minor `json:"average_cost_minor" doc:"The average cost of one, in minor units, rounded."`
	record.Stamps
}

// StockItemPrivate holds the state of a stock item that is never served.
type StockItemPrivate struct {
	// ValueMinor is the exact cost of the stock on hand; the average cost is
	// rounded from it.
	ValueMinor money.Minor `json:"value_minor,omitzero"`
	// RequisitionID is the open requisition for the item, Sent how much has come since it was written, by the notes
	// of the carriers.
	RequisitionID string `json:"requisition_id,omitzero"`
	Sent          int64  `json:"sent,omitzero"`
	// UsedThisWeek and UsedLastWeek are the quantities printed.
	UsedThisWeek int64 `json:"used_this_week,omitzero"`
	UsedLastWeek int64 `json:"used_last_week,omitzero"`
}

// Resource implements record.Row.
func (*StockItem) Resource() string { return "stock_item" }

// State implements record.Row.
func (s *StockItem) State() string { return string(s.Status) }

// StockMove is one movement of stock. Every move but the opening ones belongs
// to one event.
type StockMove struct {
	_ struct{} `doc:"One movement of the Factory's stock, in or out."`

	record.Head
	SKU          string   `json:"sku" doc:"The material or product that moved."`
	Quantity     int64    `json:"quantity" doc:"The change of the stock on hand: positive for goods that came in, negative for goods that went out, in the unit of the item."`
	BalanceAfter int64    `json:"balance_after" doc:"The stock on hand afterwards."`
	Kind         MoveKind `json:"kind" enum:"opening,receipt,issue,output,waste,shipment,market_in,market_out" doc:"receipt came with a supplier, issue went to a run, output came from the presses, waste is left by a run, shipment left for a customer, market_in and market_out were traded. opening was there."`
	EventID      *string  `json:"event_id" doc:"The event that reports it; null for the opening."`
	ReferenceID  *string  `json:"reference_id" doc:"The record that moved it, such as a print run or a goods receipt; null for the opening."`
	record.Stamps
}

// Resource implements record.Row.
func (*StockMove) Resource() string { return "stock_move" }

// State implements record.Row.
func (*StockMove) State() string { return "" }

func newStock() *record.Table[StockItem, StockItemPrivate] {
	return record.NewTable(record.Definition{Resource: "stock_item"}, []record.Filter[StockItem, StockItemPrivate]{
		{Name: "kind", Of: func(s *StockItem) string { return s.Kind }},
		{Name: "sku", Of: func(s *StockItem) string { return s.SKU }},
	})
}

func newStockMoves() *record.Table[StockMove, struct{}] {
	return record.NewTable(record.Definition{Resource: "stock_move", Prefix: "mov"},
		[]record.Filter[StockMove, struct{}]{
			{Name: "kind", Of: func(m *StockMove) string { return string(m.Kind) }},
			{Name: "sku", Of: func(m *StockMove) string { return m.SKU }},
		})
}

// StockItemID returns the id of the stock item of a SKU.
func StockItemID(sku string) string { return "itm_" + sku[len("mat_"):] }

// openStock fills the warehouse. The goods of the opening's deliveries come
// with their goods receipt.
func (f *Factory) openStock(r *record.Recorder, delivered []string) {
	items := catalog.Items()
	for i := range slices.Backward(items) {
		it := items[i]
		opening := it.Opening
		if slices.Contains(delivered, it.SKU) {
			opening = 0
		}
		item, _ := f.Stock.Add(r, StockItem{
			Head: record.Head{ID: StockItemID(it.SKU)}, SKU: it.SKU, Name: it.Name, Kind: string(it.Class),
			Unit: it.Unit, OnHand: opening, ReorderPoint: it.ReorderPoint, ReorderQuantity: it.ReorderQuantity,
			Status: StockOK, AverageCostMinor: it.BaseCostMinor,
		}, StockItemPrivate{ValueMinor: it.BaseCostMinor.Times(opening)})
		if opening > 0 {
			f.StockMoves.Add(r, StockMove{SKU: it.SKU, Quantity: opening, BalanceAfter: item.OnHand, Kind: MoveOpening},
				struct{}{})
		}
	}
}

func (f *Factory) item(sku string) *StockItem {
	item, ok := f.Stock.Find(StockItemID(sku))
	if !ok {
		panic("no stock item for " + sku)
	}
	return item
}

// cause is the record that a stock move belongs to.
type cause struct {
	kind      MoveKind
	eventID   string
	reference string
}

// move changes the stock of a SKU and writes the move. costMinor is the cost of
// incoming stock; outgoing stock leaves at average cost. It returns the cost of
// the outgoing stock. It is the only place where stock on hand changes.
func (f *Factory) move(r *record.Recorder, sku string, quantity int64, costMinor money.Minor, c cause) money.Minor {
	if quantity == 0 {
		return 0
	}
	item, private := f.Stock.Edit(r, StockItemID(sku))
	if quantity < 0 {
		costMinor = -share(private.ValueMinor, -quantity, item.OnHand)
	}
	item.OnHand += quantity
	if c.kind == MoveIssue {
		private.UsedThisWeek -= quantity
	}
	private.ValueMinor += costMinor
	if item.OnHand < 0 {
		panic(fmt.Sprintf("stock of %s would be %d", sku, item.OnHand))
	}
	if item.OnHand > 0 {
		item.AverageCostMinor = share(private.ValueMinor, 1, item.OnHand)
	}
	f.StockMoves.Add(r, StockMove{
		SKU: sku, Quantity: quantity, BalanceAfter: item.OnHand, Kind: c.kind, EventID: &c.eventID,
		ReferenceID: &c.reference,
	}, struct{}{})
	return -costMinor
}

// share is value * part / whole, rounded half up.
func share(value money.Minor, part, whole int64) money.Minor {
	return money.Minor((int64(value)*part + whole/2) / whole)
}

// reportLow marks items that fell below their reorder points.
func (f *Factory) reportLow(r *record.Recorder, skus ...string) {
	for _, sku := range skus {
		item := f.item(sku)
		if item.Status != StockOK || item.OnHand >= item.ReorderPoint {
			continue
		}
		item, _ = f.Stock.Edit(r, item.ID)
		record.Move(r, item, &item.Status, StockLow)
		f.reportPoint(r, item)
	}
}

// reportPoint tells that an item is now below its reorder point, or no longer, as its status says.
func (f *Factory) reportPoint(r *record.Recorder, item *StockItem) {
	r.Emit(event.StockBelowReorderPoint, item, &event.StockBelowReorderPointData{
		SKU: item.SKU, OnHand: item.OnHand, ReorderPoint: item.ReorderPoint, Unit: item.Unit,
	})
}

// StockValueMinor is the value of the whole warehouse at average cost.
func (f *Factory) StockValueMinor() money.Minor {
	value := money.Minor(0)
	for _, private := range f.Stock.All {
		value += private.ValueMinor
	}
	return value
}

func (f *Factory) checkStock() error {
	balance := map[string]int64{}
	for m := range f.StockMoves.All {
		balance[m.SKU] += m.Quantity
		if m.BalanceAfter != balance[m.SKU] || m.BalanceAfter < 0 {
			return fmt.Errorf("stock move %s leaves %d of %s, the moves add up to %d",
				m.ID, m.BalanceAfter, m.SKU, balance[m.SKU])
		}
		if (m.EventID == nil) != (m.Kind == MoveOpening) {
			return fmt.Errorf("stock move %s of kind %s has the event %v", m.ID, m.Kind, m.EventID)
		}
	}
	for item, private := range f.Stock.All {
		if item.OnHand != balance[item.SKU] {
			return fmt.Errorf("%d of %s are on hand, the moves add up to %d", item.OnHand, item.SKU, balance[item.SKU])
		}
		if item.Reserved < 0 || item.Reserved > item.OnHand {
			return fmt.Errorf("%d of %d %s are reserved", item.Reserved, item.OnHand, item.SKU)
		}
		if item.OnHand == 0 && private.ValueMinor != 0 {
			return fmt.Errorf("no %s is on hand, but it is worth %d", item.SKU, private.ValueMinor)
		}
		if (item.Status == StockLow) != (item.OnHand < item.ReorderPoint) {
			return fmt.Errorf("%d of %s, whose reorder point is %d, are %s",
				item.OnHand, item.SKU, item.ReorderPoint, item.Status)
		}
	}
	return nil
}
