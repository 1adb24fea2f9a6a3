package books

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// Lists of Head Office.
const (
	orders        = "/office/sales-orders"
	customers     = "/office/customers"
	suppliers     = "/office/suppliers"
	bills         = "/office/shipments" // each raises an invoice
	invoices      = "/office/customer-invoices"
	payments      = "/office/payments"
	ledger        = "/office/ledger"
	requests      = "/office/requisitions"
	purchases     = "/office/purchase-orders"
	receipts      = "/office/goods-receipts"
	supplierBills = "/office/supplier-invoices"
	employees     = "/office/employees"
	leaves        = "/office/leave-requests"
	timesheets    = "/office/timesheets"
	payrolls      = "/office/payroll-runs"
	trades        = "/office/market/trades"
	quotes        = "/office/market"
	lots          = "/office/contract-lots"
)

// Lists of the Factory, and of the world.
const (
	work             = "/factory/work-orders"
	products         = "/factory/products"
	presses          = "/factory/presses"
	operators        = "/factory/operators"
	runs             = "/factory/print-runs"
	stock            = "/factory/stock"
	moves            = "/factory/stock-moves"
	requisitions     = "/factory/requisitions"
	deliveries       = "/factory/deliveries"
	counted          = "/factory/goods-receipts"
	departures       = "/factory/shipments"
	marketDeliveries = "/factory/market-deliveries"
	attendance       = "/factory/attendance"
	lore             = "/sandbox/lore-events"
	majorOrders      = "/sandbox/major-orders"
)

func lists() []string {
	return []string{
		orders, customers, suppliers, bills, invoices, payments, ledger, requests, purchases, receipts, supplierBills,
		employees, leaves, timesheets, payrolls, trades, quotes, lots, work, products, presses, operators, runs, stock,
		moves, requisitions, deliveries, counted, departures, marketDeliveries, attendance, lore, majorOrders,
	}
}

// books are all that a client can read of a company at one moment.
type books struct {
	// list has the rows of each list, the oldest first.
	list   map[string][]row
	events []row
	// status is GET /sandbox, cash GET /office/cash, report GET /sandbox/report.
	status, cash, report row
	// disputing are the invoices whose customers were made to dispute them, though the goods came.
	disputing map[string]bool
}

func (b *books) auto() bool { return text(b.status, "bridge") == "auto" }

// today is the working day under way, counted from 0.
func (b *books) today() int { return int(number(object(b.status, "clock"), "day_number")) }

// company is a sandbox and a test that talks to it.
type company struct {
	*platentest.Sandbox

	t testing.TB
}

// send sends a request with the key of its system.
func (c *company) send(method, path, body string, headers ...string) *testclient.Answer {
	key := c.OfficeKey
	if strings.HasPrefix(path, "/factory/") {
		key = c.FactoryKey
	}
	if path == "/sandbox/report" {
		key = cmp.Or(c.GradingKey, key)
	}
	return testclient.Request{Method: method, URL: c.BaseURL + path, Key: key, Body: body, Headers: headers}.Send(c.t)
}

func (c *company) read(path string) *testclient.Answer { return c.send(http.MethodGet, path, "") }

func (c *company) get(path string) row { return c.read(path).Want(http.StatusOK, "").Data() }

// all reads a list, the oldest row first.
func (c *company) all(path string) []row {
	rows := testclient.All(path, c.read)
	slices.Reverse(rows)
	return rows
}

// open reads the books. The clock of the company is manual, so all is of one moment; only a mission may be completed
// by reading, so the feed is read last.
func (c *company) open() *books {
	b := &books{list: map[string][]row{}, cash: c.get("/office/cash"), report: c.get("/sandbox/report")}
	for _, path := range lists() {
		b.list[path] = c.all(path)
	}
	for {
		b.events = testclient.All("/events?after_seq=0", c.read)
		if b.status = c.get("/sandbox"); number(b.status, "last_seq") == int64(len(b.events)) {
			return b
		}
	}
}
