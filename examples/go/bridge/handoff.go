package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"platen/client"
)

// This file is the hand-offs: one function for each kind of record that has to
// be in both systems. The data that both share is printed on paper or written
// by us into a reference.

// carry does the hand-off that an event calls for and describes the record that
// it made.
func (b *bridge) carry(ctx context.Context, e *client.FeedEvent) (string, error) {
	data, err := e.Decode()
	if err != nil {
		return "", err //nolint:wrapcheck // the caller names the event
	}
	switch data := data.(type) {
	case *client.SalesOrderAcceptedData:
		return b.orderWork(ctx, data.Number, client.CreateWorkOrderInput{
			SKU: data.SKU, Quantity: data.Quantity, Reference: &data.ID, DueDate: &data.DueDate,
		})
	case *client.ContractLotAcceptedData:
		lot, err := b.api.GetContractLot(ctx, data.ID) // the event does not name the product of the lot
		if err != nil {
			return "", shown(err, "the lot "+data.ID)
		}
		return b.orderWork(ctx, lot.Number, client.CreateWorkOrderInput{
			SKU: lot.SKU, Quantity: lot.Quantity, Reference: &lot.ID, DueDate: &lot.DeliverBy,
		})
	case *client.ShipmentCreatedData:
		return b.bill(ctx, data)
	case *client.FactoryRequisitionCreatedData:
		return b.fileRequisition(ctx, data)
	case *client.FactoryGoodsReceiptRecordedData:
		return b.recordReceipt(ctx, data)
	default:
		return "", fmt.Errorf("%w: nothing is known about events of this type", errRefused)
	}
}

// orderWork asks the Factory for the goods that a customer was promised. The
// reference will be on the parcel: the customer recognises the goods by it,
// and bill finds the order by it.
func (b *bridge) orderWork(ctx context.Context, number string, in client.CreateWorkOrderInput) (string, error) {
	work, err := b.api.CreateWorkOrder(ctx, in)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is work order %s", number, work.Number), nil
}

// bill tells Head Office that the goods of an order, of a part of one or of a lot have left, so
// that it bills them.
func (b *bridge) bill(ctx context.Context, parcel *client.ShipmentCreatedData) (string, error) {
	in := client.CreateOfficeShipmentInput{FactoryShipmentRef: &parcel.ID}
	switch {
	case strings.HasPrefix(parcel.Reference, "so_"):
		in.SalesOrderID = &parcel.Reference
		in.Quantity, in.Final = &parcel.Quantity, parcel.Final // an order can go in parts
	case strings.HasPrefix(parcel.Reference, "lot_"):
		in.ContractLotID = &parcel.Reference
	default:
		return "", fmt.Errorf("%w: %s went to %q, which is the id of no order and no lot, so nobody can be billed",
			errRefused, parcel.Number, parcel.Reference)
	}
	shipment, err := b.api.CreateOfficeShipment(ctx, in)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is billed as %s", parcel.Number, shipment.Invoice.Number), nil
}

// fileRequisition tells Head Office which material the Factory runs short of.
func (b *bridge) fileRequisition(ctx context.Context, wanted *client.FactoryRequisitionCreatedData) (string, error) {
	filed, err := b.api.CreateRequisition(ctx, client.CreateRequisitionInput{
		Lines:     []client.MaterialLineInput{{SKU: wanted.SKU, Quantity: wanted.Quantity}},
		Reference: &wanted.ID, NeededBy: &wanted.NeededBy,
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is requisition %s", wanted.Number, filed.Number), nil
}

// recordReceipt tells Head Office which goods the Factory took off a truck: the
// supplier's bill is compared with them.
func (b *bridge) recordReceipt(ctx context.Context, counted *client.FactoryGoodsReceiptRecordedData) (string, error) {
	orderID, err := b.purchaseOrder(ctx, counted.PurchaseOrderNumber)
	if err != nil {
		return "", err
	}
	// The event has the sums, the record each material.
	receipt, err := b.api.GetFactoryGoodsReceipt(ctx, counted.ID)
	if err != nil {
		return "", shown(err, "the goods receipt "+counted.ID)
	}
	in := client.CreateOfficeGoodsReceiptInput{PurchaseOrderID: orderID, Reference: &receipt.ID}
	for _, line := range receipt.Lines {
		in.Lines = append(in.Lines, client.ReceivedLineInput{
			SKU: line.SKU, QuantityAccepted: line.QuantityAccepted, QuantityRejected: &line.QuantityRejected,
		})
	}
	recorded, err := b.api.CreateOfficeGoodsReceipt(ctx, in)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("what came for %s is receipt %s", counted.PurchaseOrderNumber, recorded.ID), nil
}

// purchaseOrder finds the order whose number is on a delivery note. Lists
// begin with the newest, and trucks come for recent orders.
func (b *bridge) purchaseOrder(ctx context.Context, number string) (string, error) {
	if id, ok := b.numbers[number]; ok {
		return id, nil
	}
	err := anew(func() error {
		for order, err := range b.api.PurchaseOrders(ctx, client.ListPurchaseOrdersParams{}) {
			if err != nil {
				return err
			}
			b.numbers[order.Number] = order.ID
			if order.Number == number {
				break
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	id, ok := b.numbers[number]
	if !ok { // a truck came for it, so there is one
		return "", fmt.Errorf("%w: the purchase order %s", errLater, number)
	}
	return id, nil
}

// doneBefore recognises the refusals that say that a record is there already: a
// person carried it by hand, or it was there before this program.
func doneBefore(err error) bool {
	refusal, ok := errors.AsType[*client.Error](err)
	if !ok {
		return false
	}
	switch refusal.Code {
	case client.CodeDuplicateReference, client.CodeTimesheetExists:
		return true
	case client.CodeIdempotencyKeyReused:
		// Another version of this program has done it, in other words: only a
		// request that succeeded uses a key up.
		return true
	case client.CodeInvalidState:
		// The order or the lot is not open. That is well if it has been billed;
		// one that has expired is lost.
		var details struct {
			Status string `json:"status"`
		}
		billed := []string{"shipped", "paid", "delivered"}
		return json.Unmarshal(refusal.Details, &details) == nil && slices.Contains(billed, details.Status)
	default:
		return false
	}
}
