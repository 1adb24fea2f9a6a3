package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"time"

	"platen/client"
)

// A program reads the orders that wait for an answer and accepts them. Here the server
// is a fake with one order.
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
		client.WithCall(client.WithIdempotencyKey(ctx, client.KeyFor("carry", "SO-1001")), &call),
		client.CreateWorkOrderInput{SKU: "prd_flyer", Quantity: 500, Reference: new("SO-1001")},
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(work.Number, "done before:", call.Replayed)
}

// A step that may happen again has an ordinal, read from its record.
func ExampleKeyFor() {
	work := client.FactoryWorkOrder{Number: "WO-3001", PrintRunIDs: []string{"run_1"}}
	fmt.Println(client.KeyFor("ship", work.Number))
	fmt.Println(client.KeyFor("print", work.Number, len(work.PrintRunIDs)+1))
	// Output:
	// ship-WO-3001
	// print-WO-3001-2
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

// A program handles each event of the feed and remembers in a file how far it is. After
// Ctrl C, or a crash, it goes on from there.
func ExampleClient_FollowEvents() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := client.New("http://127.0.0.1:8080/v1", client.Keys{Office: "lab_off_…"})
	err := c.FollowEvents(ctx, client.FollowEventsParams{
		Checkpoint: client.FileCheckpoint("feed.seq"),
		Types:      []client.EventType{client.EventOfficeSalesOrderReceived},
	}, func(ctx context.Context, event client.FeedEvent) error {
		var order client.OfficeSalesOrder
		if err := json.Unmarshal(event.Data, &order); err != nil {
			return err
		}
		// The event can come again. The key makes its effect the same.
		_, err := c.AcceptSalesOrder(client.WithIdempotencyKey(ctx, "accept-"+event.ID), order.ID)
		if client.IsCode(err, client.CodeInvalidState) {
			return nil // another client has answered it
		}
		return err
	})
	if !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

// memoryCheckpoint keeps a number as long as the program runs.
type memoryCheckpoint struct{ seq uint64 }

func (m *memoryCheckpoint) Load(context.Context) (uint64, error) { return m.seq, nil }

func (m *memoryCheckpoint) Save(_ context.Context, seq uint64) error {
	m.seq = seq
	return nil
}

// An event whose handling failed is not passed: it comes again. Here the server is a
// fake with two events.
func ExampleFeedCheckpoint() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		items := `{"seq":1,"id":"evt_1","type":"hr.employee.sick"},{"seq":2,"id":"evt_2","type":"hr.employee.returned"}`
		if r.FormValue("after_seq") == "1" {
			items = `{"seq":2,"id":"evt_2","type":"hr.employee.returned"}`
		}
		fmt.Fprintf(w, `{"meta":{"simulation":true},"data":{"items":[%s],"last_seq":2,"next_cursor":null}}`, items)
	}))
	defer server.Close()

	c := client.New(server.URL+"/v1", client.Keys{Office: "lab_off_…"})
	failures := 1
	params := client.FollowEventsParams{Checkpoint: &memoryCheckpoint{}, UntilNewest: true}
	for range 2 {
		err := c.FollowEvents(context.Background(), params, func(_ context.Context, event client.FeedEvent) error {
			if event.Seq == 2 && failures > 0 {
				failures--
				return errors.New("the disk is full")
			}
			fmt.Println("handled", event.ID)
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// handled evt_1
	// platen: handle event evt_2 (hr.employee.returned): the disk is full
	// handled evt_2
}

// A receiver of webhooks reads the raw body first and verifies it. During the day after a
// rotation it may have both secrets.
func ExampleVerifyWebhook() {
	secret := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" // of a test; yours is in the environment
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		event, err := client.VerifyWebhook([]string{secret}, r.Header, body)
		if rejected, ok := errors.AsType[*client.WebhookError](err); ok {
			fmt.Println("rejected:", rejected.Code)
			http.Error(w, "the delivery cannot be verified", http.StatusUnauthorized)
			return
		}
		if err != nil {
			log.Print(err) // the secret is none
			http.Error(w, "the receiver is not set up", http.StatusInternalServerError)
			return
		}
		fmt.Println("verified:", event.ID, event.Type)
		w.WriteHeader(http.StatusNoContent)
	})

	// In place of the server, a test signs a delivery; then its body is changed on the way.
	body := []byte(`{"id":"evt_1","type":"hr.employee.sick","data":{}}`)
	header, err := client.SignWebhook([]string{secret}, "evt_1", body, time.Now())
	if err != nil {
		log.Fatal(err)
	}
	for _, sent := range [][]byte{body, bytes.Replace(body, []byte("sick"), []byte("well"), 1)} {
		request := httptest.NewRequest(http.MethodPost, "/hooks", bytes.NewReader(sent))
		request.Header = header
		receiver.ServeHTTP(httptest.NewRecorder(), request)
	}
	// Output:
	// verified: evt_1 hr.employee.sick
	// rejected: signature_mismatch
}
