// Carries records between Head Office and the Factory.
package main

import (
	"encoding/json"
	"fmt"
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

var handlers = map[string]func(record) error{
	"office.sales_order.accepted":  carryOrder,
	"office.contract_lot.accepted": carryLot,
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
			handler := handlers[e.Type]
			if err := handler(e.Data); err != nil {
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
