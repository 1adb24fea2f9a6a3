package task

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"

	"platen/client"
	"platen/eval/oracle"
)

// searchers look for the solution in ways of their own. One knows it already and looks elsewhere first, one does not
// look again, and one does not know it.
func searchers() []script {
	return []script{
		{
			Name: "reads first", spoil: unspoilt, solve: readsFirst,
			Habit: "reads every list of both systems from end to end, and then does what the oracle does",
		},
		{
			Name:  "reads once",
			Habit: "is the oracle, but takes what it has read once for true from then on, the clock excepted",
			spoil: func(next http.RoundTripper) http.RoundTripper { return &readOnce{next, map[string]remembered{}} },
		},
		{
			Name: "by name", spoil: unspoilt, solve: byName,
			Habit: "knows no solution: each hour it does with each record what the words of the instruction name",
		},
	}
}

// lists are those of both systems that a newcomer can look through.
var lists = strings.Fields(`/office/ledger /office/customers /office/suppliers /office/sales-orders
	/office/shipments /office/customer-invoices /office/supplier-invoices /office/purchase-orders /office/requisitions
	/office/goods-receipts /office/contract-lots /office/employees /office/timesheets /office/payroll-runs
	/office/market /office/market/trades /factory/products /factory/stock /factory/stock-moves /factory/presses
	/factory/work-orders /factory/print-runs /factory/shipments /factory/requisitions /factory/deliveries
	/factory/goods-receipts /factory/operators /factory/attendance /factory/market-deliveries`)

// readsFirst reads everything, and then solves a task as the oracle does.
func readsFirst(ctx context.Context, k *Task, p *oracle.Player) ([]byte, error) {
	for _, path := range lists {
		for _, err := range p.Client.Rows(ctx, path, nil) {
			if err != nil {
				return nil, err
			}
		}
	}
	return Solve(ctx, k, p)
}

// readOnce answers each read but that of the clock as it was answered for the first time.
type readOnce struct {
	next http.RoundTripper
	seen map[string]remembered
}

type remembered struct {
	header http.Header
	text   []byte
}

// RoundTrip implements http.RoundTripper.
func (o *readOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	url := r.URL.String()
	if r.Method != http.MethodGet || strings.HasSuffix(r.URL.Path, "/sandbox") {
		return o.next.RoundTrip(r) //nolint:wrapcheck // it is one itself
	}
	known, ok := o.seen[url]
	if !ok {
		response, err := o.next.RoundTrip(r)
		if err != nil || response.StatusCode != http.StatusOK {
			return response, err //nolint:wrapcheck // it is one itself
		}
		text, err := io.ReadAll(response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return nil, err
		}
		known = remembered{response.Header, text}
		o.seen[url] = known
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: known.header.Clone(), Body: io.NopCloser(bytes.NewReader(known.text)),
		ContentLength: int64(len(known.text)),
	}, nil
}

// byName does each hour, with each record, everything for which the instruction has a word, until the time is up.
func byName(ctx context.Context, k *Task, p *oracle.Player) ([]byte, error) {
	if k.Program != nil {
		return nil, nil // it writes none
	}
	c, text := p.Client, strings.ToLower(k.Instruction)
	const hour = 60
	for left := k.Budget.Minutes; ; left -= hour {
		for _, a := range attempts() {
			if !strings.Contains(text, a.word) {
				continue
			}
			if err := a.do(ctx, c); err != nil {
				return nil, err
			}
		}
		if left <= hour {
			return nil, nil
		}
		if err := tickFor(ctx, c, hour); err != nil {
			return nil, err
		}
	}
}

// attempt is something to try where an instruction has a word.
type attempt struct {
	word string
	do   func(context.Context, *client.Client) error
}

// each does something with each row of a list. A refusal is none of its worries: it has tried.
func each[R any](rows iter.Seq2[R, error], do func(*R) error) error {
	for r, err := range rows {
		if err == nil {
			err = do(&r)
		}
		if _, refused := errors.AsType[*client.Error](err); err != nil && !refused {
			return err
		}
	}
	return nil
}

func attempts() []attempt {
	return []attempt{
		{"accept", func(ctx context.Context, c *client.Client) error {
			orders := c.SalesOrders(ctx, client.ListSalesOrdersParams{Status: "received"})
			return each(orders, func(o *client.OfficeSalesOrder) error {
				_, err := c.AcceptSalesOrder(ctx, o.ID)
				return err
			})
		}},
		{"lot", func(ctx context.Context, c *client.Client) error {
			lots := c.ContractLots(ctx, client.ListContractLotsParams{Status: "offered"})
			return each(lots, func(l *client.OfficeContractLot) error {
				_, err := c.AcceptContractLot(ctx, l.ID)
				return err
			})
		}},
		{"work order", func(ctx context.Context, c *client.Client) error {
			orders := c.SalesOrders(ctx, client.ListSalesOrdersParams{Status: "accepted"})
			return each(orders, func(o *client.OfficeSalesOrder) error {
				in := client.CreateWorkOrderInput{SKU: o.SKU, Quantity: o.Quantity, Reference: &o.ID}
				_, err := c.CreateWorkOrder(ctx, in)
				return err
			})
		}},
		{"print", func(ctx context.Context, c *client.Client) error {
			waiting := c.WorkOrders(ctx, client.ListWorkOrdersParams{WaitsFor: "press"})
			return each(waiting, func(w *client.FactoryWorkOrder) error {
				_, err := c.StartPrintRun(ctx, client.StartPrintRunInput{PressID: "prs_digital", WorkOrderID: &w.ID})
				return err
			})
		}},
		{"ship", func(ctx context.Context, c *client.Client) error {
			ready := c.WorkOrders(ctx, client.ListWorkOrdersParams{Status: "ready"})
			return each(ready, func(w *client.FactoryWorkOrder) error {
				_, err := c.CreateFactoryShipment(ctx, client.CreateFactoryShipmentInput{WorkOrderID: w.ID})
				return err
			})
		}},
		{"parcel", func(ctx context.Context, c *client.Client) error {
			parcels := c.FactoryShipments(ctx, client.ListFactoryShipmentsParams{})
			return each(parcels, func(s *client.FactoryShipment) error {
				_, err := c.CreateOfficeShipment(ctx, client.CreateOfficeShipmentInput{
					SalesOrderID: &s.Reference, FactoryShipmentRef: &s.ID,
				})
				return err
			})
		}},
		{"truck", func(ctx context.Context, c *client.Client) error {
			trucks := c.Deliveries(ctx, client.ListDeliveriesParams{Status: "arrived"})
			return each(trucks, func(d *client.FactoryDelivery) error {
				_, err := c.CreateFactoryGoodsReceipt(ctx, client.CreateFactoryGoodsReceiptInput{DeliveryID: d.ID})
				return err
			})
		}},
		{"pay", func(ctx context.Context, c *client.Client) error {
			bills := c.SupplierInvoices(ctx, client.ListSupplierInvoicesParams{Status: "open", Kind: "materials"})
			return each(bills, func(b *client.OfficeSupplierInvoice) error {
				_, err := c.PaySupplierInvoice(ctx, b.ID, client.PaySupplierInvoiceInput{AmountMinor: &b.MatchedMinor})
				return err
			})
		}},
		{"wages", func(ctx context.Context, c *client.Client) error {
			weeks := c.PayrollRuns(ctx, client.ListPayrollRunsParams{Status: "due"})
			return each(weeks, func(r *client.PayrollRun) error {
				_, err := c.RunPayroll(ctx, client.RunPayrollInput{WeekStart: r.WeekStart})
				return err
			})
		}},
	}
}
