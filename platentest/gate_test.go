package platentest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"platen/client"
	"platen/platentest"
)

// judged is a test that notes its failure.
type judged struct {
	testing.TB

	failure string
}

func (j *judged) Error(args ...any) { j.failure += fmt.Sprint(args...) }

// TestRequireExactlyOnceTellsProgramsApart: each carries one order over a lost response, or does not.
func TestRequireExactlyOnceTellsProgramsApart(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t)
	base := p.Sandbox(t, platentest.Options{Preset: "manual", Clock: "manual"})
	for name, c := range map[string]struct {
		fault string
		// keys are those of the attempts at the work order.
		keys  []string
		fails string
	}{
		"carried":             {"", []string{"order-1"}, ""},
		"not carried":         {"", nil, "exactly_once is 0.000, less than 1"},
		"the same key":        {"response_lost", []string{"order-1", "order-1"}, ""},
		"a new key each time": {"response_lost", []string{"order-1", "order-2"}, "client is 0.000, less than 1"},
		"lost, and let be":    {"request_lost", []string{"order-1"}, "is 0.000, less than 1\nclient is 0.000"},
		"no fault was met":    {"webhook_twice", []string{"order-1"}, "client is null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := base.Fork(t)
			// On a connection of its own a request is not sent again by net/http.
			alone := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			keys := client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}
			program := client.New(s.BaseURL, keys, client.HTTPClient(alone), client.MaxRetries(0))
			order := must[*client.OfficeSalesOrder](t)(program.AcceptSalesOrder(t.Context(), "SO-1001"))
			if c.fault != "" {
				s.Inject(t, c.fault, 1)
			}
			for _, key := range c.keys {
				work := client.CreateWorkOrderInput{SKU: order.SKU, Quantity: order.Quantity, Reference: &order.ID}
				_, err := program.CreateWorkOrder(client.WithIdempotencyKey(t.Context(), key), work)
				t.Logf("%s: %v", key, err)
			}
			j := &judged{TB: t}
			s.RequireExactlyOnce(j)
			if (j.failure == "") != (c.fails == "") || !strings.Contains(j.failure, c.fails) {
				t.Errorf("the gate says %q, want %q", j.failure, c.fails)
			}
		})
	}
}

// TestAGateJudgesWhatBeganOnEachDayOfTheWeek: of two orders that were accepted today, one was carried.
func TestAGateJudgesWhatBeganOnEachDayOfTheWeek(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t)
	base := p.Sandbox(t, platentest.Options{Preset: "empty", Bridge: "manual", Clock: "manual"})
	for day := range 5 {
		t.Run(fmt.Sprint(day), func(t *testing.T) {
			t.Parallel()
			s := base.Fork(t)
			for range day {
				s.Tick(t, 480)
			}
			for range 2 {
				s.Trigger(t, "order", nil)
			}
			program := client.New(s.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey})
			var orders []*client.OfficeSalesOrder
			for order, err := range program.SalesOrders(t.Context(), client.ListSalesOrdersParams{
				Status: client.OfficeSalesOrderStatusReceived,
			}) {
				if err != nil {
					t.Fatal(err)
				}
				if len(orders) == 2 {
					break
				}
				accepted := must[*client.OfficeSalesOrder](t)(program.AcceptSalesOrder(t.Context(), order.ID))
				orders = append(orders, accepted)
			}
			_, err := program.CreateWorkOrder(t.Context(), client.CreateWorkOrderInput{
				SKU: orders[0].SKU, Quantity: orders[0].Quantity, Reference: &orders[0].ID,
			})
			if err != nil {
				t.Fatal(err)
			}
			j := &judged{TB: t}
			s.RequireExactlyOnce(j)
			if want := "missed: " + orders[1].Number; !strings.Contains(j.failure, want) ||
				strings.Contains(j.failure, ": "+orders[0].Number) {
				t.Errorf("the gate says %q, want %q alone", j.failure, want)
			}
		})
	}
}
