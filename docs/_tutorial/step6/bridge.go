// Carries records between Head Office and the Factory.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
)

const stateFile = "bridge-state.json"

type record struct {
	ID, Number, SKU, Reference string
	Quantity                   int
	DueDate                    string `json:"due_date"`
	DeliverBy                  string `json:"deliver_by"`
	Invoice                    *record
	NeededBy                   string `json:"needed_by"`
	Status                     string
	PurchaseOrderNumber        string `json:"purchase_order_number"`
	Lines                      []line
}

type line struct {
	SKU      string `json:"sku"`
	Accepted int    `json:"quantity_accepted"`
	Rejected int    `json:"quantity_rejected"`
}

func carryOrder(order record) error { return carry(order, order.DueDate) }

func carryLot(accepted record) error {
	// The event does not say what the lot is for. The record does.
	var lot record
	if err := send("GET", "/office/contract-lots/"+accepted.ID, "", nil, &lot); err != nil {
		return err
	}
	return carry(lot, lot.DeliverBy)
}

func carry(sold record, dueDate string) error {
	var work record
	err := send("POST", "/factory/work-orders", "carry-"+sold.ID, map[string]any{
		"sku":       sold.SKU,
		"quantity":  sold.Quantity,
		"due_date":  dueDate,
		"reference": sold.ID,
	}, &work)
	if err != nil {
		return err
	}
	fmt.Println(sold.Number, "is work order", work.Number)
	return nil
}

func bill(parcel record) error {
	// The reference on the parcel is the one that we gave the work order.
	field := "sales_order_id"
	if strings.HasPrefix(parcel.Reference, "lot_") {
		field = "contract_lot_id"
	}
	var shipment record
	err := send("POST", "/office/shipments", "bill-"+parcel.ID, map[string]any{
		field:                  parcel.Reference,
		"factory_shipment_ref": parcel.ID,
	}, &shipment)
	if err != nil {
		return err
	}
	fmt.Println(parcel.Number, "is billed as", shipment.Invoice.Number)
	return nil
}

func fileRequisition(wanted record) error {
	var requisition record
	err := send("POST", "/office/requisitions", "file-"+wanted.ID, map[string]any{
		"lines":     []any{map[string]any{"sku": wanted.SKU, "quantity": wanted.Quantity}},
		"needed_by": wanted.NeededBy,
		"reference": wanted.ID,
	}, &requisition)
	if err != nil {
		return err
	}
	fmt.Println(wanted.Number, "is requisition", requisition.Number)
	return nil
}

func recordReceipt(counted record) error {
	// The event has sums, the record has each material.
	var receipt, recorded record
	if err := send("GET", "/factory/goods-receipts/"+counted.ID, "", nil, &receipt); err != nil {
		return err
	}
	order, err := purchaseOrderID(counted.PurchaseOrderNumber)
	if err != nil {
		return err
	}
	err = send("POST", "/office/goods-receipts", "receipt-"+receipt.ID, map[string]any{
		"purchase_order_id": order,
		"reference":         receipt.ID,
		"lines":             receipt.Lines,
	}, &recorded)
	if err != nil {
		return err
	}
	fmt.Println("the truck for", counted.PurchaseOrderNumber, "is", recorded.Status)
	return nil
}

func purchaseOrderID(number string) (string, error) {
	// A delivery note has the number, Head Office wants the id.
	for order, err := range rows("/office/purchase-orders?limit=100") {
		if err != nil || order.Number == number {
			return order.ID, err
		}
	}
	return "", fmt.Errorf("there is no purchase order %s", number)
}

// rows reads a whole list, page by page.
func rows(path string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		cursor := ""
		for {
			var page struct {
				Items      []record
				NextCursor *string `json:"next_cursor"`
			}
			if err := send("GET", path+cursor, "", nil, &page); err != nil {
				yield(record{}, err)
				return
			}
			for _, row := range page.Items {
				if !yield(row, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			cursor = "&cursor=" + *page.NextCursor
		}
	}
}

var handlers = map[string]func(record) error{
	"office.sales_order.accepted":    carryOrder,
	"office.contract_lot.accepted":   carryLot,
	"factory.shipment.created":       bill,
	"factory.requisition.created":    fileRequisition,
	"factory.goods_receipt.recorded": recordReceipt,
}

type event struct {
	Seq  int
	Type string
	Data record
}

type state struct {
	Seq int `json:"seq"`
}

func load() (*state, error) {
	raw, err := os.ReadFile(stateFile)
	if os.IsNotExist(err) {
		return &state{}, nil
	}
	if err != nil {
		return nil, err
	}
	s := &state{}
	return s, json.Unmarshal(raw, s)
}

func save(s *state) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	file, err := os.Create(stateFile + ".new")
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(raw); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return os.Rename(file.Name(), stateFile) // a crash leaves the old file or the new one
}

func handle(e event) error {
	handler := handlers[e.Type]
	err := handler(e.Data)
	r := (*rejected)(nil)
	switch {
	case !errors.As(err, &r):
		return err
	case r.Code == "duplicate_reference":
		fmt.Println(e.Type, "was carried before")
	case r.Code == "unauthorized" || r.Code == "sandbox_bankrupt":
		return err // nothing can be carried any more
	default: // report it, and do not let it hold up the rest
		fmt.Println("event", e.Seq, "needs a person:", r)
	}
	return nil
}

func types() string {
	return strings.Join(slices.Collect(maps.Keys(handlers)), ",")
}

func catchUp(s *state) error {
	for {
		var page struct {
			Items      []event
			NextCursor *string `json:"next_cursor"`
		}
		path := fmt.Sprintf("/events?after_seq=%d&types=%s", s.Seq, types())
		if err := send("GET", path, "", nil, &page); err != nil {
			return err
		}
		for _, e := range page.Items {
			if err := handle(e); err != nil {
				return err
			}
			s.Seq = e.Seq
			if err := save(s); err != nil { // after the effect, never before
				return err
			}
		}
		if page.NextCursor == nil {
			return nil
		}
	}
}

func main() {
	s, err := load()
	if err == nil {
		err = catchUp(s)
	}
	if err != nil {
		log.Fatal(err)
	}
}
