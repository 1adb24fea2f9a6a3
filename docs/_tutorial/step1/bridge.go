// Carries records between Head Office and the Factory.
package main

import (
	"fmt"
	"log"
)

type record struct {
	ID, Number, SKU string
	Quantity        int
	DueDate         string `json:"due_date"`
}

func carryOrder(order record) error {
	var work record
	err := send("POST", "/factory/work-orders", "carry-"+order.ID, map[string]any{
		"sku":       order.SKU,
		"quantity":  order.Quantity,
		"due_date":  order.DueDate,
		"reference": order.ID,
	}, &work)
	if err != nil {
		return err
	}
	fmt.Println(order.Number, "is work order", work.Number)
	return nil
}

func main() {
	var orders struct{ Items []record }
	if err := send("GET", "/office/sales-orders?status=accepted", "", nil, &orders); err != nil {
		log.Fatal(err)
	}
	for _, order := range orders.Items {
		if err := carryOrder(order); err != nil {
			log.Fatal(err)
		}
	}
}
