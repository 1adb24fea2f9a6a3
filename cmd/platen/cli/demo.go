package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"platen/client"
	"platen/internal/words/money"
)

const (
	demoTimeout = 15 * time.Second
	// tickPause is the least time between two ticks, and a little.
	tickPause = 1050 * time.Millisecond
	// maxDemoDays bounds how long the demo waits for the customer's money, in
	// working days.
	maxDemoDays = 15
	// maxShownPath is the width of a path in the table of requests.
	maxShownPath = 58
)

// Demo plays one order from acceptance to cash and shows each request.
type Demo struct {
	// JSON prints one object at the end.
	JSON bool
	Out  io.Writer

	client *client.Client
	// note is the purpose of the next request.
	note   string
	result demoResult
}

// demoResult is the output of --json.
type demoResult struct {
	Paid             bool       `json:"paid"`
	OrderID          string     `json:"order_id"`
	InvoiceID        string     `json:"invoice_id"`
	OpeningCashMinor int64      `json:"opening_cash_minor"`
	CashMinor        int64      `json:"cash_minor"`
	InvoiceMinor     int64      `json:"invoice_minor"`
	Calls            []demoCall `json:"calls"`
}

// demoCall is one request and its response.
type demoCall struct {
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	System   string          `json:"system,omitempty"`
	Request  json.RawMessage `json:"request,omitempty"`
	Status   int             `json:"status"`
	Millis   float64         `json:"milliseconds"`
	Response json.RawMessage `json:"response"`
	Note     string          `json:"note"`
}

// Run plays the story in a sandbox of its own.
func (d *Demo) Run(ctx context.Context, origin string) error {
	base := strings.TrimRight(origin, "/") + client.BasePath
	d.say("One order, from acceptance to cash, at %s\n", base)
	if err := d.play(ctx, base); err != nil {
		return Brief(err)
	}
	if d.JSON {
		return WriteJSON(d.Out, d.result)
	}
	d.say("\nPaid. Cash went from %s to %s; invoice %s brought %s.\n", money.Minor(d.result.OpeningCashMinor),
		money.Minor(d.result.CashMinor), d.result.InvoiceID, money.Minor(d.result.InvoiceMinor))
	return nil
}

func (d *Demo) play(ctx context.Context, base string) error {
	d.note = "a new sandbox"
	s, err := client.CreateSandbox(ctx, base,
		client.CreateSandboxInput{Preset: new("starter"), Clock: new(client.ClockModeManual)},
		client.HTTPClient(&http.Client{Timeout: demoTimeout}), client.UserAgent(UserAgent), client.MaxRetries(0),
		client.OnExchange(d.show))
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	d.client = s.Client()
	status, err := d.to("its net worth").GetSandbox(ctx)
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	d.result.OpeningCashMinor = status.CashMinor
	work, err := d.accept(ctx)
	if err != nil {
		return err
	}
	if err := d.print(ctx, work); err != nil {
		return err
	}
	if err := d.ship(ctx, work); err != nil {
		return err
	}
	return d.wait(ctx)
}

// to returns the client for a request with a purpose.
func (d *Demo) to(note string) *client.Client {
	d.note = note
	return d.client
}

// accept accepts the oldest order for business cards, and returns the id of its
// work order in the Factory.
func (d *Demo) accept(ctx context.Context) (string, error) {
	orders, err := d.to("find an order for business cards").ListSalesOrders(ctx,
		client.ListSalesOrdersParams{Status: client.OfficeSalesOrderStatusReceived, SKU: "prd_card"})
	if err != nil {
		return "", err //nolint:wrapcheck // the client names the failed operation
	}
	if len(orders.Items) == 0 {
		return "", errors.New("no order for business cards today")
	}
	// The list is newest first; the oldest order is the small one that every
	// company opens with.
	d.result.OrderID = orders.Items[len(orders.Items)-1].ID
	order, err := d.to("accept; the bridge carries it").AcceptSalesOrder(ctx, d.result.OrderID)
	if err != nil {
		return "", err //nolint:wrapcheck // the client names the failed operation
	}
	if order.BridgedWorkOrderID == nil {
		return "", errors.New("the order did not reach the Factory")
	}
	return *order.BridgedWorkOrderID, nil
}

// print prints until the work order is ready.
func (d *Demo) print(ctx context.Context, work string) error {
	for range maxDemoDays {
		if _, err := d.to("print").StartPrintRun(ctx, client.StartPrintRunInput{
			PressID: "prs_digital", WorkOrderID: &work, OversPct: new(int64(5)),
		}); err != nil {
			return err //nolint:wrapcheck // the client names the failed operation
		}
		if err := d.tick(ctx, 120, "printing, drying, cutting"); err != nil {
			return err
		}
		order, err := d.to("is it ready?").GetWorkOrder(ctx, work)
		if err != nil {
			return err //nolint:wrapcheck // the client names the failed operation
		}
		if order.Status == client.FactoryWorkOrderStatusReady {
			return nil
		}
		// The run ended short: top it up.
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return errors.New("the work order never became ready")
}

func (d *Demo) ship(ctx context.Context, work string) error {
	if _, err := d.to("ship; the bridge bills it").CreateFactoryShipment(ctx,
		client.CreateFactoryShipmentInput{WorkOrderID: work}); err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	order, err := d.to("billed in Head Office").GetSalesOrder(ctx, d.result.OrderID)
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	if order.InvoiceID == nil {
		return errors.New("the order was not billed")
	}
	d.result.InvoiceID = *order.InvoiceID
	return nil
}

// wait lets days pass until the customer has paid.
func (d *Demo) wait(ctx context.Context) error {
	for range maxDemoDays {
		if err := pause(ctx); err != nil {
			return err
		}
		if err := d.tick(ctx, 480, "a working day"); err != nil {
			return err
		}
		invoice, err := d.to("is it paid?").GetCustomerInvoice(ctx, d.result.InvoiceID)
		if err != nil {
			return err //nolint:wrapcheck // the client names the failed operation
		}
		if invoice.Status != client.OfficeCustomerInvoiceStatusPaid {
			continue
		}
		cash, err := d.to("cash").GetCash(ctx)
		if err != nil {
			return err //nolint:wrapcheck // the client names the failed operation
		}
		d.result.Paid, d.result.InvoiceMinor, d.result.CashMinor = true, invoice.TotalMinor, cash.CashMinor
		return nil
	}
	return fmt.Errorf("the customer has not paid after %d working days", maxDemoDays)
}

// pause waits until the clock may be moved again.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(tickPause):
		return nil
	}
}

func (d *Demo) tick(ctx context.Context, minutes int64, note string) error {
	_, err := d.to(note).AdvanceTime(ctx, client.TickInput{Minutes: &minutes})
	return err //nolint:wrapcheck // the client names the failed operation
}

// show prints a request as it happens.
func (d *Demo) show(x client.Exchange) {
	if x.Err != nil {
		return
	}
	call := demoCall{
		Method: x.Method, Path: x.Path, System: x.System, Request: x.Request, Status: x.Status,
		Millis: float64(x.Duration.Microseconds()) / 1000, Response: x.Response, Note: d.note,
	}
	d.result.Calls = append(d.result.Calls, call)
	path := call.Path
	if len(path) > maxShownPath {
		path = path[:maxShownPath-1] + "…"
	}
	d.say("  %-4s %-58s %d  %5.1f ms  %s\n", call.Method, path, call.Status, call.Millis, call.Note)
}

func (d *Demo) say(format string, values ...any) {
	if !d.JSON {
		fmt.Fprintf(d.Out, format, values...)
	}
}
