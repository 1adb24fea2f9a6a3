// A program with a client that was generated: it plays one order to its payment.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"play/api"
)

const workingDay = 480

func main() {
	if err := play(context.Background(), os.Getenv("PLATEN_URL")); err != nil {
		log.Fatal(err)
	}
}

// bearer sends a key with each request.
func bearer(key string) api.ClientOption {
	return api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	})
}

func play(ctx context.Context, url string) error {
	open, err := api.NewClientWithResponses(url)
	if err != nil {
		return err
	}
	seed, clock := int64(7), api.CreateSandboxClockManual
	made, err := open.CreateSandboxWithResponse(ctx, nil, api.CreateSandbox{
		Preset: new("starter"), Seed: &seed, Clock: &clock,
	})
	if err != nil || made.JSON201 == nil {
		return fmt.Errorf("create: %w %s", err, made.Body)
	}
	office, err := api.NewClientWithResponses(url, bearer(made.JSON201.Data.OfficeKey))
	if err != nil {
		return err
	}
	factory, err := api.NewClientWithResponses(url, bearer(made.JSON201.Data.FactoryKey))
	if err != nil {
		return err
	}

	status, sku := api.OfficeSalesOrderStatusReceived, "prd_card"
	orders, err := office.ListSalesOrdersWithResponse(ctx, &api.ListSalesOrdersParams{Status: &status, Sku: &sku})
	if err != nil || orders.JSON200 == nil || len(orders.JSON200.Data.Items) == 0 {
		return fmt.Errorf("list orders: %w", err)
	}
	order := orders.JSON200.Data.Items[len(orders.JSON200.Data.Items)-1]
	accepted, err := office.AcceptSalesOrderWithResponse(ctx, order.Id, nil)
	if err != nil || accepted.JSON200 == nil || accepted.JSON200.Data.BridgedWorkOrderId == nil {
		return fmt.Errorf("accept: %w %s", err, accepted.Body)
	}
	work, overs := *accepted.JSON200.Data.BridgedWorkOrderId, 8
	run, err := factory.StartPrintRunWithResponse(ctx, &api.StartPrintRunParams{IdempotencyKey: "print-" + work},
		api.StartPrintRun{PressId: "prs_digital", WorkOrderId: &work, OversPct: &overs})
	if err != nil || run.JSON201 == nil {
		return fmt.Errorf("print: %w %s", err, run.Body)
	}
	again, err := factory.StartPrintRunWithResponse(ctx, &api.StartPrintRunParams{IdempotencyKey: "again-" + work},
		api.StartPrintRun{PressId: "prs_digital", WorkOrderId: &work, OversPct: &overs})
	if err != nil || again.JSON409 == nil || again.JSON409.Error.Code == "" {
		return fmt.Errorf("a busy press: %w %s", err, again.Body)
	}
	minutes := workingDay
	tick := func() error {
		moved, err := office.AdvanceTimeWithResponse(ctx, nil, api.TickInput{Minutes: &minutes})
		if err != nil || moved.JSON200 == nil {
			return fmt.Errorf("tick: %w %s", err, moved.Body)
		}
		return nil
	}
	if err := tick(); err != nil {
		return err
	}
	shipped, err := factory.CreateFactoryShipmentWithResponse(ctx,
		&api.CreateFactoryShipmentParams{IdempotencyKey: "ship-" + work}, api.CreateFactoryShipment{WorkOrderId: work})
	if err != nil || shipped.JSON201 == nil {
		return fmt.Errorf("ship: %w %s", err, shipped.Body)
	}
	for range 40 {
		now, err := office.GetSalesOrderWithResponse(ctx, order.Id)
		if err != nil || now.JSON200 == nil {
			return fmt.Errorf("look: %w %s", err, now.Body)
		}
		if now.JSON200.Data.Status == string(api.OfficeSalesOrderStatusPaid) {
			fmt.Println(now.JSON200.Data.Number, "is paid")
			return nil
		}
		if err := tick(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s is not paid", order.Number)
}
