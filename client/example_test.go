package client_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"platen/client"
)

// A program reads the orders that wait for an answer and accepts them. Here
// the server is a stand-in with one order.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"meta":{"simulation":true},"data":{"items":[{"id":"so_1","number":"SO-1001",`+
				`"total_minor":12300,"currency":"XTS"}],"next_cursor":null}}`)
			return
		}
		fmt.Fprint(w, `{"meta":{"simulation":true},"data":{"id":"so_1","number":"SO-1001","status":"in_production"}}`)
	}))
	defer server.Close()

	ctx := context.Background()
	c := client.New(server.URL+"/v1", client.Keys{Office: "lab_off_…"})
	received := client.ListSalesOrdersParams{Status: client.OfficeSalesOrderStatusReceived}
	for order, err := range c.SalesOrders(ctx, received) {
		if err != nil {
			log.Fatal(err)
		}
		accepted, err := c.AcceptSalesOrder(ctx, order.ID)
		if client.IsCode(err, client.CodeInvalidState) {
			continue // another client has answered it
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s over %d %s is %s\n", order.Number, order.TotalMinor, order.Currency, accepted.Status)
	}
	// Output: SO-1001 over 12300 XTS is in_production
}

// A program that must repeat nothing, even when it is started anew, derives
// the key of a write from a record of its own.
func ExampleWithIdempotencyKey() {
	ctx := context.Background()
	s, err := client.CreateSandbox(ctx, "http://127.0.0.1:8080/v1",
		client.CreateSandboxInput{Bridge: new(client.BridgeManual)})
	if err != nil {
		log.Fatal(err)
	}
	var call client.Call
	work, err := s.Client().CreateWorkOrder(
		client.WithCall(client.WithIdempotencyKey(ctx, "order-4711"), &call),
		client.CreateWorkOrderInput{SKU: "prd_flyer", Quantity: 500, Reference: new("4711")},
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(work.Number, "done before:", call.Replayed)
}

// A program that creates a sandbox on a busy server says why it has to wait.
func ExampleOnWait() {
	_, err := client.CreateSandbox(context.Background(), "http://127.0.0.1:8080/v1", client.CreateSandboxInput{},
		client.OnWait(func(w client.Wait) {
			switch {
			case w.Ticket != nil:
				log.Printf("number %d in the queue", w.Ticket.Position)
			case w.Difficulty > 0:
				log.Printf("a proof of work of %d bits", w.Difficulty)
			default:
				log.Printf("again in %s: %v", w.Duration, w.Err)
			}
		}))
	if err != nil {
		log.Fatal(err)
	}
}

// A list as CSV is read with a request of the program's own.
func ExampleClient_Do() {
	c := client.New("http://127.0.0.1:8080/v1", client.Keys{Office: "lab_off_…"})
	r, err := http.NewRequest(http.MethodGet, "/office/sales-orders.csv?status=received", http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	response, err := c.Do(r)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		log.Fatal(err)
	}
}
