package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/internal/config"
	"platen/internal/server"
)

const (
	callTimeout = 15 * time.Second
	// tickPause is the least time between two ticks, and a little.
	tickPause = 1050 * time.Millisecond
	// demoDays bounds how long the demo waits for the customer's money, in
	// working days.
	demoDays = 15
)

func demoCommand() *cobra.Command {
	var origin string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play one order from acceptance to cash and show each request",
		Long: "Play one order from acceptance to cash and show each request. Without --server the\n" +
			"demo starts a server of its own in a temporary folder and removes it at the end.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &demo{out: cmd.OutOrStdout(), json: asJSON}
			return d.run(cmd.Context(), origin)
		},
	}
	cmd.Flags().StringVar(&origin, "server", "", "Origin of a running server, such as http://127.0.0.1:8080.")
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object with every request.")
	return cmd
}

// demo plays the story.
type demo struct {
	out  io.Writer
	json bool

	calls              []call
	caller             *caller
	office, factory    string
	orderID, invoiceID string
	workOrderID        string
}

// demoResult is the output of --json.
type demoResult struct {
	Paid             bool   `json:"paid"`
	OrderID          string `json:"order_id"`
	InvoiceID        string `json:"invoice_id"`
	OpeningCashMinor int64  `json:"opening_cash_minor"`
	CashMinor        int64  `json:"cash_minor"`
	InvoiceMinor     int64  `json:"invoice_minor"`
	Calls            []call `json:"calls"`
}

func (d *demo) run(ctx context.Context, origin string) (err error) {
	if origin == "" {
		stop, started, startErr := ownServer(ctx, func(*config.Config) {})
		if startErr != nil {
			return startErr
		}
		defer func() { err = errors.Join(err, stop()) }()
		origin = started
	}
	d.caller = &caller{
		base: strings.TrimRight(origin, "/") + client.BasePath, http: &http.Client{Timeout: callTimeout}, heard: d.show,
	}
	d.say("One order, from acceptance to cash, at %s\n", d.caller.base)
	result, err := d.play(ctx)
	if err != nil {
		return err
	}
	if d.json {
		result.Calls = d.calls
		encoder := json.NewEncoder(d.out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(result)
	}
	d.say("\nPaid. Cash went from %s to %s; invoice %s brought %s.\n",
		amount(result.OpeningCashMinor), amount(result.CashMinor), result.InvoiceID, amount(result.InvoiceMinor))
	return nil
}

// ownServer starts a server in a temporary folder, with the settings that set
// makes.
func ownServer(ctx context.Context, set func(*config.Config)) (stop func() error, origin string, err error) {
	folder, err := os.MkdirTemp("", "platen-demo-")
	if err != nil {
		return nil, "", fmt.Errorf("make a temporary folder: %w", err)
	}
	c := config.Default()
	c.Listen, c.Database = "127.0.0.1:0", filepath.Join(folder, "platen.db")
	set(c)
	s, err := server.New(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, "", errors.Join(err, os.RemoveAll(folder))
	}
	stop = func() error {
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		return errors.Join(s.Stop(drain), os.RemoveAll(folder))
	}
	if err := s.Start(ctx); err != nil {
		return nil, "", errors.Join(err, stop())
	}
	return stop, s.Origin(), nil
}

func (d *demo) play(ctx context.Context) (demoResult, error) {
	var result demoResult
	for _, step := range []func(context.Context, *demoResult) error{d.create, d.accept, d.print, d.ship, d.wait} {
		if err := step(ctx, &result); err != nil {
			return result, err
		}
	}
	return result, nil
}

func (d *demo) create(ctx context.Context, result *demoResult) error {
	var keys struct {
		OfficeKey  string `json:"office_key"`
		FactoryKey string `json:"factory_key"`
	}
	err := d.caller.do(ctx, request{method: "POST", path: "/sandboxes", note: "a sandbox of our own",
		body: map[string]any{"preset": "starter", "clock": "manual"}}, &keys)
	if err != nil {
		return err
	}
	d.office, d.factory = keys.OfficeKey, keys.FactoryKey
	var status struct {
		CashMinor int64 `json:"cash_minor"`
	}
	err = d.caller.do(ctx,
		request{method: "GET", path: "/sandbox", system: "office", key: d.office, note: "what it is worth"}, &status)
	result.OpeningCashMinor = status.CashMinor
	return err
}

func (d *demo) accept(ctx context.Context, result *demoResult) error {
	var list struct {
		Items []struct {
			ID     string `json:"id"`
			Number string `json:"number"`
			SKU    string `json:"sku"`
		} `json:"items"`
	}
	err := d.caller.do(ctx, request{method: "GET", path: "/office/sales-orders?status=received&sku=prd_card",
		system: "office", key: d.office, note: "who wants business cards?"}, &list)
	if err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return errors.New("no customer wants business cards today")
	}
	// The list is newest first; the oldest order is the small one that every
	// company opens with.
	d.orderID = list.Items[len(list.Items)-1].ID
	result.OrderID = d.orderID
	var order struct {
		BridgedWorkOrderID string `json:"bridged_work_order_id"`
	}
	err = d.caller.do(ctx, request{method: "POST", path: "/office/sales-orders/" + d.orderID + "/accept",
		system: "office", key: d.office, note: "a deal; the bridge carries it to the Factory"}, &order)
	d.workOrderID = order.BridgedWorkOrderID
	return err
}

func (d *demo) print(ctx context.Context, _ *demoResult) error {
	for range demoDays {
		body := map[string]any{"press_id": "prs_digital", "work_order_id": d.workOrderID, "overs_pct": 5}
		if err := d.caller.do(ctx, request{method: "POST", path: "/factory/print-runs", system: "factory",
			key: d.factory, note: "ink on paper", body: body}, nil); err != nil {
			return err
		}
		if err := d.tick(ctx, 120, "printing, drying, cutting"); err != nil {
			return err
		}
		var work struct {
			Status string `json:"status"`
		}
		err := d.caller.do(ctx, request{method: "GET", path: "/factory/work-orders/" + d.workOrderID, system: "factory",
			key: d.factory, note: "is it ready?"}, &work)
		if err != nil || work.Status == "ready" {
			return err
		}
		// The run ended short: top it up.
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return errors.New("the work order never became ready")
}

func (d *demo) ship(ctx context.Context, result *demoResult) error {
	err := d.caller.do(ctx, request{method: "POST", path: "/factory/shipments", system: "factory", key: d.factory,
		note: "out of the gate; the bridge bills it", body: map[string]any{"work_order_id": d.workOrderID}}, nil)
	if err != nil {
		return err
	}
	var order struct {
		InvoiceID string `json:"invoice_id"`
	}
	err = d.caller.do(ctx, request{method: "GET", path: "/office/sales-orders/" + d.orderID, system: "office",
		key: d.office, note: "Head Office knows"}, &order)
	d.invoiceID = order.InvoiceID
	result.InvoiceID = order.InvoiceID
	return err
}

// wait lets days pass until the customer has paid.
func (d *demo) wait(ctx context.Context, result *demoResult) error {
	for range demoDays {
		if err := pause(ctx); err != nil {
			return err
		}
		if err := d.tick(ctx, 480, "a working day"); err != nil {
			return err
		}
		var invoice struct {
			Status     string `json:"status"`
			TotalMinor int64  `json:"total_minor"`
		}
		err := d.caller.do(ctx, request{method: "GET", path: "/office/customer-invoices/" + d.invoiceID,
			system: "office", key: d.office, note: "has the customer paid?"}, &invoice)
		if err != nil {
			return err
		}
		if invoice.Status != "paid" {
			continue
		}
		result.Paid, result.InvoiceMinor = true, invoice.TotalMinor
		var cash struct {
			CashMinor int64 `json:"cash_minor"`
		}
		err = d.caller.do(ctx,
			request{method: "GET", path: "/office/cash", system: "office", key: d.office, note: "the money"}, &cash)
		result.CashMinor = cash.CashMinor
		return err
	}
	return fmt.Errorf("the customer has not paid after %d working days", demoDays)
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

func (d *demo) tick(ctx context.Context, minutes int, note string) error {
	return d.caller.do(ctx, request{method: "POST", path: "/sandbox/tick", system: "office", key: d.office, note: note,
		body: map[string]any{"minutes": minutes}}, nil)
}

// show prints a call as it happens.
func (d *demo) show(c call) {
	d.calls = append(d.calls, c)
	d.say("  %-4s %-58s %d  %5.1f ms  %s\n", c.Method, shortPath(c.Path), c.Status, c.Millis, c.Note)
}

func (d *demo) say(format string, values ...any) {
	if !d.json {
		fmt.Fprintf(d.out, format, values...)
	}
}

func shortPath(path string) string {
	const most = 58
	if len(path) <= most {
		return path
	}
	return path[:most-1] + "…"
}

// amount writes minor units as money.
func amount(minor int64) string {
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	return fmt.Sprintf("%s%d.%02d XTS", sign, minor/100, minor%100)
}
