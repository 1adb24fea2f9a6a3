// Carries records between Head Office and the Factory.
package main

import (
	"encoding/json" // step 3
	"errors"        // step 5
	"fmt"
	"iter" // step 6
	"log"
	"maps"    // step 3
	"os"      // step 3
	"slices"  // step 3
	"strings" // step 3
	"time"    // step 7
)

// step 3
const stateFile = "bridge-state.json"

// step 1
type record struct {
	// until 2: ID, Number, SKU string
	// until 2: Quantity        int
	// until 2: DueDate         string `json:"due_date"`
	// step 3
	ID, Number, SKU, Reference string
	Quantity                   int
	DueDate                    string `json:"due_date"`
	DeliverBy                  string `json:"deliver_by"`
	NeededBy                   string `json:"needed_by"` // step 5
	// step 4

	Invoice *record
	// step 6

	Status              string
	PurchaseOrderNumber string `json:"purchase_order_number"`
	Lines               []line
	// step 7

	BadgeNo string `json:"badge_no"`
	Absence string
	Hours   int
	// step 6
}

type line struct {
	SKU      string `json:"sku"`
	Accepted int    `json:"quantity_accepted"`
	Rejected int    `json:"quantity_rejected"`
	// step 1
}

// until 2: func carryOrder(order record) error {
// step 3
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
	// step 1
	var work record
	// until 2: err := send("POST", "/factory/work-orders", "carry-"+order.ID, map[string]any{
	err := send("POST", "/factory/work-orders", "carry-"+sold.ID, map[string]any{ // step 3
		// until 2: "sku":       order.SKU,
		// until 2: "quantity":  order.Quantity,
		// until 2: "due_date":  order.DueDate,
		// until 2: "reference": order.ID,
		// step 3
		"sku":       sold.SKU,
		"quantity":  sold.Quantity,
		"due_date":  dueDate,
		"reference": sold.ID,
		// step 1
	}, &work)
	if err != nil {
		return err
	}
	// until 2: fmt.Println(order.Number, "is work order", work.Number)
	fmt.Println(sold.Number, "is work order", work.Number) // step 3
	return nil
}

// step 4
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

// step 5
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

// step 6
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
	// A delivery note has the number, Head Office needs the id.
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

// step 7
// carryWeeks carries the hours of a week when it is over. No event asks for that.
func carryWeeks(s *state) error {
	if s.Week == "" {
		var page struct{ Items []event }
		if err := send("GET", "/events?limit=1", "", nil, &page); err != nil {
			return err
		}
		s.Week = mondayOf(page.Items[0].SimDate)
	}
	var sandbox struct {
		Clock struct {
			SimDate string `json:"sim_date"`
		}
	}
	if err := send("GET", "/sandbox", "", nil, &sandbox); err != nil {
		return err
	}
	for s.Week < mondayOf(sandbox.Clock.SimDate) {
		if err := recordHours(s.Week); err != nil {
			return err
		}
		s.Week = daysAfter(s.Week, 7)
		if err := save(s); err != nil {
			return err
		}
	}
	return nil
}

type hours struct {
	BadgeNo string `json:"badge_no"`
	Worked  int    `json:"hours_worked"`
	Sick    int    `json:"hours_sick"`
	Leave   int    `json:"hours_leave"`
}

func recordHours(monday string) error {
	entries := map[string]*hours{} // by badge: both systems know people by that
	for day, err := range rows("/factory/attendance?limit=100&week_start=" + monday) {
		if err != nil {
			return err
		}
		entry := entries[day.BadgeNo]
		if entry == nil {
			entry = &hours{BadgeNo: day.BadgeNo}
			entries[day.BadgeNo] = entry
		}
		switch day.Absence {
		case "none":
			entry.Worked += day.Hours
		case "sick":
			entry.Sick += 8
		case "leave":
			entry.Leave += 8
		}
	}
	// In one order, so that a repeated request has the same body.
	sorted := slices.SortedFunc(maps.Values(entries), func(a, b *hours) int {
		return strings.Compare(a.BadgeNo, b.BadgeNo)
	})
	var sheet record
	err := send("POST", "/office/timesheets", "week-"+monday, map[string]any{
		"week_start": monday, "entries": sorted,
	}, &sheet)
	if r := (*rejected)(nil); err != nil && !(errors.As(err, &r) && r.Code == "timesheet_exists") {
		return err
	}
	fmt.Println("the week of", monday, "is a timesheet of", len(entries), "people")
	return nil
}

func mondayOf(day string) string {
	date, _ := time.Parse(time.DateOnly, day)
	return daysAfter(day, -(int(date.Weekday())+6)%7)
}

func daysAfter(day string, days int) string {
	date, _ := time.Parse(time.DateOnly, day)
	return date.AddDate(0, 0, days).Format(time.DateOnly)
}

// step 3
var handlers = map[string]func(record) error{
	"office.sales_order.accepted":  carryOrder,
	"office.contract_lot.accepted": carryLot,
	// step 4

	// until 4: "factory.shipment.created": bill,
	// step 5
	// until 5: "factory.shipment.created":    bill,
	// until 5: "factory.requisition.created": fileRequisition,
	// step 6
	"factory.shipment.created":       bill,
	"factory.requisition.created":    fileRequisition,
	"factory.goods_receipt.recorded": recordReceipt,
	// step 3
}

type event struct {
	Seq  int
	Type string
	Data record
	// step 7

	SimDate string `json:"sim_date"`
	// step 3
}

type state struct {
	// until 6: Seq int `json:"seq"`
	// step 7
	Seq  int    `json:"seq"`
	Week string `json:"week"`
	// step 3
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

// step 5
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

// step 3
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
			// until 4: handler := handlers[e.Type]
			// until 4: if err := handler(e.Data); err != nil {
			if err := handle(e); err != nil { // step 5
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

// step 1
func main() {
	// until 2: var orders struct{ Items []record }
	// until 2: if err := send("GET", "/office/sales-orders?status=accepted", "", nil, &orders); err != nil {
	// until 2: 	log.Fatal(err)
	// until 2: }
	// until 2: for _, order := range orders.Items {
	// until 2: 	if err := carryOrder(order); err != nil {
	// until 2: 		log.Fatal(err)
	// until 2: 	}
	// step 3
	s, err := load()
	// until 6: if err == nil {
	// until 6: 	err = catchUp(s)
	// step 7
	for err == nil {
		if err = catchUp(s); err == nil {
			err = carryWeeks(s)
		}
		if err != nil || !slices.Contains(os.Args, "--follow") {
			break
		}
		// The response comes when there is an event, or after 20 seconds.
		path := fmt.Sprintf("/events/poll?after_seq=%d&types=%s&wait_s=20&limit=1", s.Seq, types())
		err = send("GET", path, "", nil, &struct{}{})
		// step 3
	}
	if err != nil {
		log.Fatal(err)
		// step 1
	}
}
