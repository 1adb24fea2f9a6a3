package mcp

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/test/testclient"
)

// TestCreationWaitsForAPlace while the client hears its position, and gives out
// a ticket when that takes too long for a call.
func TestCreationWaitsForAPlace(t *testing.T) {
	t.Parallel()
	t.Run("a place comes free", func(t *testing.T) {
		t.Parallel()
		p := launch(t, "--max-sandboxes", "1")
		first := connect(t, p.url(), "").call("create_sandbox", object{})
		var mu sync.Mutex
		var heard []string
		client := sdk.NewClient(&sdk.Implementation{Name: "platen-test", Version: "1"}, &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				mu.Lock()
				defer mu.Unlock()
				if heard = append(heard, r.Params.Message); len(heard) == 1 {
					p.free(first) // once it is known that the second one waits
				}
			},
		})
		session, err := client.Connect(within(t), &sdk.StreamableClientTransport{Endpoint: p.url()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		params := &sdk.CallToolParams{Name: "create_sandbox", Arguments: object{}}
		params.SetProgressToken("waiting")
		result, err := session.CallTool(within(t), params)
		if err != nil || result.IsError {
			t.Fatalf("%v %v", result, err)
		}
		second := result.StructuredContent.(object)["data"].(object)
		if second["sandbox_id"] == first["sandbox_id"] || !strings.HasPrefix(second["sandbox"].(string), "sbh_") {
			t.Errorf("after the wait there is %v", second)
		}
		mu.Lock()
		defer mu.Unlock()
		if !slices.ContainsFunc(heard, func(message string) bool {
			return strings.Contains(message, "number 1 in the queue")
		}) {
			t.Errorf("while it waited the client heard %q", heard)
		}
	})
	t.Run("a ticket", func(t *testing.T) {
		t.Parallel()
		p := launch(t, "--max-sandboxes", "1")
		first := connect(t, p.url(), "").call("create_sandbox", object{})
		a := connect(t, p.url(), "")
		waiting := a.call("create_sandbox", object{"preset": "manual"})
		ticket, _ := waiting["ticket"].(string)
		if !strings.HasPrefix(ticket, "tkt_") || waiting["position"] != 1.0 {
			t.Fatalf("whoever waits is told %v", waiting)
		}
		a.refuse("get_sandbox", object{})
		p.free(first)
		a.call("create_sandbox", object{"ticket": ticket})
		if got := a.call("get_sandbox", object{}); got["preset"] != "manual" {
			t.Errorf("the ticket brought %v", got)
		}
		contains(t, "a ticket that was claimed", a.refuse("create_sandbox", object{"ticket": ticket}),
			"ticket_not_found")
	})
}

// free deletes the sandbox that a tool has made, and so makes room for another.
func (p *program) free(made object) {
	p.t.Helper()
	r := testclient.Request{
		Method: http.MethodDelete, URL: p.origin() + "/v1/sandbox", Key: made["office_key"].(string),
	}
	if a, err := r.Do(p.t.Context()); err != nil || a.Status != http.StatusOK {
		p.t.Errorf("deleting the sandbox that is in the way was answered %+v, %v", a, err)
	}
}
