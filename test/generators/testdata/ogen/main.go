// A program with a client that ogen generated: it plays one order to its payment, and reads the feed of it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"

	"play/api"
)

const workingDay = 480

func main() {
	if err := play(context.Background(), os.Getenv("PLATEN_URL")); err != nil {
		log.Fatal(err)
	}
}

// keys sends one key, or none.
type keys struct{ office, factory string }

func (k keys) OfficeKey(context.Context, api.OperationName) (api.OfficeKey, error) {
	return api.OfficeKey{Token: k.office}, skipped(k.office)
}

func (k keys) FactoryKey(context.Context, api.OperationName) (api.FactoryKey, error) {
	return api.FactoryKey{Token: k.factory}, skipped(k.factory)
}

func (k keys) GradingKey(context.Context, api.OperationName) (api.GradingKey, error) {
	return api.GradingKey{}, skipped("")
}

func skipped(key string) error {
	if key == "" {
		return ogenerrors.ErrSkipClientSecurity
	}
	return nil
}

func play(ctx context.Context, url string) error {
	open, err := api.NewClient(url, keys{})
	if err != nil {
		return err
	}
	made, err := open.CreateSandbox(ctx, api.NewOptCreateSandbox(api.CreateSandbox{
		Preset: api.NewOptString("starter"), Seed: api.NewOptInt64(7),
		Clock: api.NewOptCreateSandboxClock(api.CreateSandboxClockManual),
	}), api.CreateSandboxParams{})
	created, ok := made.(*api.NewSandboxEnvelope)
	if err != nil || !ok {
		return fmt.Errorf("create: %w %+v", err, made)
	}
	office, err := api.NewClient(url, keys{office: created.Data.OfficeKey})
	if err != nil {
		return err
	}
	factory, err := api.NewClient(url, keys{factory: created.Data.FactoryKey})
	if err != nil {
		return err
	}

	listed, err := office.ListSalesOrders(ctx, api.ListSalesOrdersParams{
		Status: api.NewOptOfficeSalesOrderStatus(api.OfficeSalesOrderStatusReceived), Sku: api.NewOptString("prd_card"),
	})
	orders, ok := listed.(*api.OfficeSalesOrderPageEnvelope)
	if err != nil || !ok || len(orders.Data.Items) == 0 {
		return fmt.Errorf("list orders: %w %+v", err, listed)
	}
	order := orders.Data.Items[len(orders.Data.Items)-1]
	answered, err := office.AcceptSalesOrder(ctx, api.AcceptSalesOrderParams{ID: order.ID})
	accepted, ok := answered.(*api.OfficeSalesOrderEnvelope)
	if err != nil || !ok {
		return fmt.Errorf("accept: %w %+v", err, answered)
	}
	work := accepted.Data.BridgedWorkOrderID.Value
	run := &api.StartPrintRun{
		PressID: "prs_digital", WorkOrderID: api.NewOptString(work), OversPct: api.NewOptInt(8),
	}
	started, err := factory.StartPrintRun(ctx, run, api.StartPrintRunParams{IdempotencyKey: "print-" + work})
	if _, ok := started.(*api.FactoryPrintRunEnvelope); err != nil || !ok {
		return fmt.Errorf("print: %w %+v", err, started)
	}
	again, err := factory.StartPrintRun(ctx, run, api.StartPrintRunParams{IdempotencyKey: "again-" + work})
	if busy, ok := again.(*api.StartPrintRunConflict); err != nil || !ok || busy.Error.Code == "" {
		return fmt.Errorf("a busy press: %w %+v", err, again)
	}
	tick := func() error {
		moved, err := office.AdvanceTime(ctx,
			api.NewOptTickInput(api.TickInput{Minutes: api.NewOptInt(workingDay)}), api.AdvanceTimeParams{})
		if _, ok := moved.(*api.TickResultEnvelope); err != nil || !ok {
			return fmt.Errorf("tick: %w %+v", err, moved)
		}
		return nil
	}
	if err := tick(); err != nil {
		return err
	}
	sent, err := factory.CreateFactoryShipment(ctx, &api.CreateFactoryShipment{WorkOrderID: work},
		api.CreateFactoryShipmentParams{IdempotencyKey: "ship-" + work})
	if _, ok := sent.(*api.FactoryShipmentEnvelope); err != nil || !ok {
		return fmt.Errorf("ship: %w %+v", err, sent)
	}
	for range 40 {
		read, err := office.GetSalesOrder(ctx, api.GetSalesOrderParams{ID: order.ID})
		now, ok := read.(*api.OfficeSalesOrderEnvelope)
		if err != nil || !ok {
			return fmt.Errorf("look: %w %+v", err, read)
		}
		if now.Data.Status == string(api.OfficeSalesOrderStatusPaid) {
			return feed(ctx, office, now.Data.Number)
		}
		if err := tick(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s is not paid", order.Number)
}

// feed reads the events, of all types, and says that the order is paid when its last one is among them.
func feed(ctx context.Context, office *api.Client, order string) error {
	read, err := office.ListEvents(ctx, api.ListEventsParams{AfterSeq: api.NewOptInt(0), Limit: api.NewOptInt(100)})
	events, ok := read.(*api.FeedEventPageEnvelope)
	if err != nil || !ok || len(events.Data.Items) == 0 {
		return fmt.Errorf("events: %w %+v", err, read)
	}
	for _, event := range events.Data.Items {
		if event.Type == "office.customer_invoice.paid" && len(event.Data["number"]) > 0 {
			fmt.Println(order, "is paid")
			return nil
		}
	}
	return fmt.Errorf("no event says that an invoice is paid")
}
