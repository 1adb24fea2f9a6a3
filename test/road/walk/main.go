// Command walk serves one sandbox, sends it five kinds of requests, and writes the coverage counters of each to a
// folder of its own below its first argument. The second is how long it waits once the server has started. It is built
// with -cover -covermode=atomic.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/coverage"
	"time"

	"platen/internal/config"
	"platen/internal/server"
)

func main() {
	wait, err := time.ParseDuration(os.Args[2])
	must(err)
	must(walk(os.Args[1], wait))
}

// patience is for a response.
const patience = 30 * time.Second

// settled is how long the server is left alone before and behind a road, so that its background work counts for none.
const settled = 100 * time.Millisecond

func walk(folder string, wait time.Duration) error {
	ctx := context.Background()
	c := config.Default()
	c.Listen, c.Database, c.PrivateWebhooks, c.TickPause = "127.0.0.1:0", filepath.Join(folder, "road.db"), true, 0
	s, err := server.New(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return fmt.Errorf("open a server: %w", err)
	}
	if err := s.Start(ctx); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	<-time.After(wait)
	w := walker{folder: folder, base: s.BaseURL(), agents: s.Origin() + "/mcp"}
	w.roads()
	return nil // the process ends: the end of the server is on no road
}

// must ends the program with an error.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// walker is the client.
type walker struct {
	folder, base, agents, key string
}

// roads sends the requests. Of each kind there is one before, so that nothing is opened or cached on the way.
func (w *walker) roads() {
	var made struct {
		Office  string `json:"office_key"`
		Factory string `json:"factory_key"`
	}
	w.call(&made, http.MethodPost, w.base+"/sandboxes", `{"seed":7,"clock":"manual"}`)
	w.key = made.Office
	w.tick()
	accept := func() { w.call(nil, http.MethodPost, w.base+"/office/sales-orders/"+w.order()+"/accept", "") }
	accept()
	next := w.order()
	w.road("accept", func() { w.call(nil, http.MethodPost, w.base+"/office/sales-orders/"+next+"/accept", "") })

	w.key = made.Factory
	list := func() { w.call(nil, http.MethodGet, w.base+"/factory/work-orders?limit=10", "") }
	list()
	w.road("list", list)

	w.key = made.Office
	w.road("tick", func() { w.call(nil, http.MethodPost, w.base+"/sandbox/tick", `{"minutes":30}`) })
	w.tick()

	arrived := make(chan struct{}, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} }))
	decline := func(id string) {
		w.call(nil, http.MethodPost, w.base+"/office/sales-orders/"+id+"/decline", "")
		<-arrived
	}
	var hook struct{ ID string }
	w.call(&hook, http.MethodPost, w.base+"/webhooks",
		`{"url":"`+receiver.URL+`","events":["office.sales_order.declined"]}`)
	w.call(nil, http.MethodPost, w.base+"/webhooks/"+hook.ID+"/test", "")
	<-arrived
	decline(w.order())
	next = w.order()
	w.road("decline with its delivery", func() { decline(next) })
	w.call(nil, http.MethodDelete, w.base+"/webhooks/"+hook.ID, "")

	w.message(`"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"road","version":"1"}}`)
	answer := func(id string) {
		w.message(`"id":2,"method":"tools/call","params":{"name":"office_answer_sales_order","arguments":{"id":"` + id +
			`","answer":"accept"}}`)
	}
	answer(w.order())
	next = w.order()
	w.road("an agent's accept", func() { answer(next) })
}

// road has the counters of a request written.
func (w *walker) road(name string, send func()) {
	folder := filepath.Join(w.folder, name)
	must(os.Mkdir(folder, 0o755))
	<-time.After(settled)
	must(coverage.ClearCounters())
	send()
	<-time.After(settled)
	must(coverage.WriteMetaDir(folder))
	must(coverage.WriteCountersDir(folder))
}

// tick lets a working day pass.
func (w *walker) tick() { w.call(nil, http.MethodPost, w.base+"/sandbox/tick", `{"minutes":480}`) }

// order is a sales order that waits for its decision. Time passes until there is one.
func (w *walker) order() string {
	const days = 20
	for range days {
		var list struct{ Items []struct{ ID string } }
		w.call(&list, http.MethodGet, w.base+"/office/sales-orders?status=received&limit=1", "")
		if len(list.Items) > 0 {
			return list.Items[0].ID
		}
		w.tick()
	}
	must(fmt.Errorf("no sales order came within %d days", days))
	return ""
}

// call sends a request and decodes the data of its response, where into is not nil.
func (w *walker) call(into any, method, url, body string) {
	r, err := http.NewRequest(method, url, bytes.NewBufferString(body))
	must(err)
	if w.key != "" {
		r.Header.Set("Authorization", "Bearer "+w.key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	text := w.send(r)
	if into != nil {
		must(json.Unmarshal(text, &struct{ Data any }{into}))
	}
}

// message sends a message of an agent.
func (w *walker) message(members string) {
	r, err := http.NewRequest(http.MethodPost, w.agents, bytes.NewBufferString(`{"jsonrpc":"2.0",`+members+`}`))
	must(err)
	r.Header.Set("Authorization", "Bearer "+w.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if text := w.send(r); bytes.Contains(text, []byte(`"isError":true`)) || bytes.Contains(text, []byte(`"error":`)) {
		must(fmt.Errorf("%s: %s", members, text))
	}
}

func (w *walker) send(r *http.Request) []byte {
	response, err := (&http.Client{Timeout: patience}).Do(r)
	must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(err)
	if response.StatusCode >= http.StatusMultipleChoices {
		must(fmt.Errorf("%s %s: %d %s", r.Method, r.URL, response.StatusCode, text))
	}
	return text
}
