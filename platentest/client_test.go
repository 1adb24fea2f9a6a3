package platentest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen/client"
	"platen/platentest"
)

// enter creates a sandbox, whose clock moves by ticks, of a real server.
func enter(t *testing.T, p *platentest.Platen, options ...client.Option) (*client.Client, *client.Sandbox) {
	t.Helper()
	in := client.CreateSandboxInput{Preset: new("starter"), Seed: new(int64(1)), Clock: new(client.ClockModeManual)}
	s, err := client.CreateSandbox(t.Context(), p.BaseURL, in, options...)
	if err != nil {
		t.Fatal(err)
	}
	return s.Client(), s
}

// must returns a value that was had without an error.
func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// firstOrder is the order SO-1001, which every starter sandbox has.
func firstOrder(t *testing.T, c *client.Client) *client.OfficeSalesOrder {
	t.Helper()
	for order, err := range c.SalesOrders(t.Context(),
		client.ListSalesOrdersParams{Status: client.OfficeSalesOrderStatusReceived}) {
		if err != nil {
			t.Fatal(err)
		}
		if order.Number == "SO-1001" {
			return &order
		}
	}
	t.Fatal("there is no order SO-1001")
	return nil
}

// TestAnOrderBecomesCash also meets the limit of one tick per second, which
// the client waits for.
func TestAnOrderBecomesCash(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var heard client.Exchange
	c, _ := enter(t, platentest.Start(t), client.OnExchange(func(x client.Exchange) { heard = x }))
	before := must[*client.Cash](t)(c.GetCash(ctx))
	order := must[*client.OfficeSalesOrder](t)(c.AcceptSalesOrder(ctx, firstOrder(t, c).ID))
	if order.Status != client.OfficeSalesOrderStatusInProduction || order.BridgedWorkOrderID == nil {
		t.Fatalf("accepted: %+v", order)
	}
	run := client.StartPrintRunInput{
		PressID: "prs_digital", WorkOrderID: order.BridgedWorkOrderID, OversPct: new(int64(5)),
	}
	must[*client.FactoryPrintRun](t)(c.StartPrintRun(ctx, run))
	_, err := c.StartPrintRun(ctx, run)
	if busy, ok := errors.AsType[*client.Error](err); !ok || busy.Status != http.StatusConflict {
		t.Errorf("a second run at once: %v", err)
	}
	must[*client.TickResult](t)(c.AdvanceTime(ctx, client.TickInput{Minutes: new(int64(120))}))
	shipment := must[*client.FactoryShipment](t)(c.CreateFactoryShipment(ctx,
		client.CreateFactoryShipmentInput{WorkOrderID: *order.BridgedWorkOrderID}))
	if shipment.BridgedOfficeShipmentID == nil {
		t.Fatal("the bridge did not ship at Head Office")
	}
	billed := must[*client.OfficeShipment](t)(c.GetOfficeShipment(ctx, *shipment.BridgedOfficeShipmentID))
	for range 4 {
		must[*client.TickResult](t)(c.AdvanceTime(ctx, client.TickInput{}))
	}
	invoice := must[*client.OfficeCustomerInvoice](t)(c.GetCustomerInvoice(ctx, billed.Invoice.ID))
	if invoice.Status != client.OfficeCustomerInvoiceStatusPaid || invoice.PaidOn == nil {
		t.Errorf("the invoice is %+v", invoice)
	}
	after := must[*client.Cash](t)(c.GetCash(ctx))
	if after.CashMinor < before.CashMinor+invoice.TotalMinor {
		t.Errorf("cash went from %d to %d with an invoice of %d", before.CashMinor, after.CashMinor, invoice.TotalMinor)
	}
	paid := false
	last := uint64(0)
	for e, err := range c.Events(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq != last+1 {
			t.Fatalf("event %d follows event %d", e.Seq, last)
		}
		last = e.Seq
		data := must[any](t)(e.Decode())
		again := must[[]byte](t)(json.Marshal(data))
		alike(t, string(e.Type), unmarshal(t, e.Data), unmarshal(t, again))
		if d, ok := data.(*client.CustomerInvoicePaidData); ok && d.ID == invoice.ID {
			paid = d.TotalMinor == invoice.TotalMinor
		}
	}
	if !paid {
		t.Error("the feed does not tell of the payment")
	}
	for e, err := range c.Events(ctx, last) {
		t.Errorf("after the last event: %+v, %v", e, err)
	}
	losesNothing(t, c, &heard)
}

// lossy is a line that loses the answers to writes, once each. The server has
// done what was asked by then.
type lossy struct{ lost atomic.Int64 }

func (l *lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || r.Method != http.MethodPost || response.Header.Get("Idempotency-Replayed") == "true" ||
		r.Header.Get("Authorization") == "" {
		return response, err
	}
	if l.lost.Add(1)%2 == 1 {
		response.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	half, _ := io.ReadAll(io.LimitReader(response.Body, 20))
	response.Body.Close()
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(half), failing{}))
	return response, nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestALostAnswerIsBroughtAgain(t *testing.T) {
	t.Parallel()
	line := &lossy{}
	now := time.Now() // passes by sleeping only
	c, _ := enter(t, platentest.Start(t), client.HTTPClient(&http.Client{Transport: line}),
		client.Clock(func() time.Time { return now }, func(ctx context.Context, d time.Duration) error {
			now = now.Add(d)
			return ctx.Err()
		}))
	for i := range 2 {
		var call client.Call
		in := client.CreateWorkOrderInput{SKU: "prd_flyer", Quantity: 100, Reference: new([]string{"a", "b"}[i])}
		work := must[*client.FactoryWorkOrder](t)(c.CreateWorkOrder(client.WithCall(t.Context(), &call), in))
		if !call.Replayed || call.Attempts != 2 || call.Status != http.StatusCreated ||
			*work.Reference != *in.Reference {
			t.Errorf("noted %+v", call)
		}
	}
	works := must[*client.Page[client.FactoryWorkOrder]](t)(c.ListWorkOrders(t.Context(),
		client.ListWorkOrdersParams{}))
	if len(works.Items) != 2 || line.lost.Load() != 2 {
		t.Errorf("%d work orders after %d losses", len(works.Items), line.lost.Load())
	}
}

func TestListsOfARealServer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, s := enter(t, platentest.Start(t))
	page := must[*client.Page[client.FactoryStockItem]](t)(c.ListStockItems(ctx, client.ListStockItemsParams{Limit: 2}))
	if len(page.Items) != 2 || page.NextCursor == "" || page.ETag == "" || page.Meta.SimDate == "" ||
		page.Meta.ExpiresInS <= 0 || !page.Meta.Simulation {
		t.Fatalf("read %+v", page)
	}
	whole := must[*client.Page[client.FactoryStockItem]](t)(c.ListStockItems(ctx,
		client.ListStockItemsParams{Limit: client.MostPerPage}))
	var got []client.FactoryStockItem
	for item, err := range c.StockItems(ctx, client.ListStockItemsParams{Limit: 3}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, item)
	}
	if !slices.EqualFunc(got, whole.Items, func(a, b client.FactoryStockItem) bool { return a.ID == b.ID }) {
		t.Errorf("by threes %d items, at once %d", len(got), len(whole.Items))
	}
	_, err := c.ListStockItems(ctx, client.ListStockItemsParams{Limit: 2, IfNoneMatch: page.ETag})
	if !errors.Is(err, client.ErrNotModified) {
		t.Errorf("with the ETag: %v", err)
	}
	if _, err = c.ListStockItems(ctx,
		client.ListStockItemsParams{Cursor: "x"}); !client.IsCode(err, client.CodeInvalidCursor) {
		t.Errorf("with a bad cursor: %v", err)
	}
	status := must[*client.SandboxStatus](t)(c.GetSandbox(ctx))
	if status.SandboxID != s.SandboxID || *status.Seed != 1 || status.Status != client.SandboxStateActive ||
		!status.ExpiresAt.Equal(s.ExpiresAt) {
		t.Errorf("status %+v", status)
	}
}

func TestRefusalsOfARealServer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := platentest.Start(t)
	c, s := enter(t, p)
	order := firstOrder(t, c)
	first := client.WithIdempotencyKey(ctx, "declining-it")
	must[*client.OfficeSalesOrder](t)(c.DeclineSalesOrder(first, order.ID,
		client.DeclineSalesOrderInput{Reason: new("too far away")}))
	var call client.Call
	again := must[*client.OfficeSalesOrder](t)(c.DeclineSalesOrder(client.WithCall(first, &call), order.ID,
		client.DeclineSalesOrderInput{Reason: new("too far away")}))
	if !call.Replayed || *again.DeclineReason != "too far away" {
		t.Errorf("noted %+v", call)
	}
	_, err := c.DeclineSalesOrder(first, order.ID, client.DeclineSalesOrderInput{})
	if !client.IsCode(err, client.CodeIdempotencyKeyReused) {
		t.Errorf("with another body: %v", err)
	}
	_, err = c.AcceptSalesOrder(ctx, order.ID)
	refusal, ok := errors.AsType[*client.Error](err)
	if !ok || refusal.Code != client.CodeInvalidState || refusal.Hint == "" || refusal.DocsURL == "" ||
		refusal.RequestID == "" || len(refusal.Details) == 0 {
		t.Errorf("accepting it: %+v", refusal)
	}
	if _, err = c.GetSalesOrder(ctx, "so_none"); !client.IsCode(err, client.CodeNotFound) {
		t.Errorf("an order that is not there: %v", err)
	}
	stranger := client.New(p.BaseURL, client.Keys{Office: s.FactoryKey})
	if _, err = stranger.GetCash(ctx); !client.IsCode(err, client.CodeWrongSystem) {
		t.Errorf("with the key of the other system: %v", err)
	}
}

// TestTheFeedOfARealServerIsFollowed across a restart: each event once where nothing fails.
func TestTheFeedOfARealServerIsFollowed(t *testing.T) {
	t.Parallel()
	c, _ := enter(t, platentest.Start(t))
	params := client.FollowEventsParams{
		Checkpoint: client.FileCheckpoint(filepath.Join(t.TempDir(), "feed.seq")), UntilNewest: true, Limit: 7,
	}
	var seen []string
	note := func(_ context.Context, event client.FeedEvent) error {
		seen = append(seen, event.ID)
		return nil
	}
	for range 2 {
		must[*client.TickResult](t)(c.AdvanceTime(t.Context(), client.TickInput{}))
		if err := c.FollowEvents(t.Context(), params, note); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	params.UntilNewest = false
	accepted := make(chan error, 1)
	order := firstOrder(t, c)
	go func() {
		_, err := c.AcceptSalesOrder(ctx, order.ID)
		accepted <- err
	}()
	err := c.FollowEvents(ctx, params, func(ctx context.Context, event client.FeedEvent) error {
		if event.Type == client.EventOfficeSalesOrderAccepted {
			if err := <-accepted; err != nil {
				t.Error(err)
			}
			stop()
		}
		return note(ctx, event)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	var all []string
	for event, err := range c.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, event.ID)
	}
	if len(seen) < 8 || !slices.Equal(seen, all[:len(seen)]) {
		t.Errorf("handled %d events %v of %v", len(seen), seen, all)
	}
}

// TestDeliveriesOfARealServerAreVerified, with the old secret and the new one of a rotation.
func TestDeliveriesOfARealServerAreVerified(t *testing.T) {
	t.Parallel()
	c, _ := enter(t, platentest.Start(t, map[string]string{"private-webhooks": "true"}))
	bodies, headers := make(chan []byte, 8), make(chan http.Header, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies <- body
		headers <- r.Header
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	made := must[*client.Subscription](t)(c.CreateWebhook(t.Context(), client.CreateWebhookInput{
		URL: server.URL, Events: []client.EventType{client.EventOfficeSalesOrderAccepted},
	}))
	secrets := []string{*made.Secret}
	must[*client.WebhookTest](t)(c.TestWebhook(t.Context(), made.ID))
	rotated := must[*client.Subscription](t)(c.RotateWebhookSecret(t.Context(), made.ID))
	secrets = append(secrets, *rotated.Secret)
	order := must[*client.OfficeSalesOrder](t)(c.AcceptSalesOrder(t.Context(), firstOrder(t, c).ID))
	for delivery := range 2 {
		body, header := <-bodies, <-headers
		for i, secret := range secrets {
			event, err := client.VerifyWebhook([]string{secret}, header, body)
			if delivery == 0 && i == 1 { // the ping was sent before the rotation
				got, ok := errors.AsType[*client.WebhookError](err)
				if !ok || got.Code != client.WebhookSignatureMismatch {
					t.Errorf("the new secret verifies the ping: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("delivery %d with secret %d: %v", delivery, i, err)
			}
			if delivery == 1 && !strings.Contains(string(event.Data), order.ID) {
				t.Errorf("the event is %s", event.Raw)
			}
		}
	}
}

// TestATestWaitsForTheProgramThatItTests with the client and with the fixture; a wait ends with its context.
func TestATestWaitsForTheProgramThatItTests(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t)
	s := p.Sandbox(t, platentest.Options{Preset: "starter", Clock: "manual"})
	c := client.New(s.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey})
	orders := must[*client.Page[client.OfficeSalesOrder]](t)(c.ListSalesOrders(t.Context(),
		client.ListSalesOrdersParams{Status: client.OfficeSalesOrderStatusReceived}))
	var read client.Call
	must[*client.OfficeSalesOrder](t)(c.GetSalesOrder(client.WithCall(t.Context(), &read), orders.Items[0].ID))
	program := make(chan error, 1)
	go func() {
		_, err := c.AcceptSalesOrder(t.Context(), orders.Items[0].ID)
		program <- err
	}()
	wanted := client.ListRequestsParams{Operation: "accept_sales_order", Status: "2xx", After: read.Meta.RequestID}
	found := s.WaitForRequest(t, wanted)
	if err := <-program; err != nil || !strings.HasSuffix(found.Path, orders.Items[0].ID+"/accept") {
		t.Errorf("the wait ends with %+v, the program with %v", found, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.WaitForRequest(ctx, client.ListRequestsParams{Operation: "run_payroll"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the wait without an end ends with %v", err)
	}
}
