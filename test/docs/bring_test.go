package docs_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/client"
	"platen/platentest"
	"platen/test/testclient"
)

// brought finds preset and command in the Markdown of an event's page.
var brought = regexp.MustCompile("(?s)## Trigger it\n.*?preset `(\\w+)`.*?```sh\n(.*?)\n```")

// TestEachEventIsBroughtAbout runs the command on the page of each type of event in a
// new sandbox, and finds an event of the type in the feed, by its id, and at a receiver:
// the same each time. Every page has a command; without a thorough run every fourth is run.
func TestEachEventIsBroughtAbout(t *testing.T) {
	t.Parallel()
	settings := map[string]string{"private-webhooks": "true"}
	usual := platentest.Start(t, settings)
	ending := platentest.Start(t, settings, map[string]string{"sandbox-duration": "5m2s"})
	tried := 0
	for _, found := range regexp.MustCompile(`\(([^)]*/docs/events/([a-z_.]+)\.md)\)`).
		FindAllStringSubmatch(page(t, usual, "/llms.txt"), -1) {
		kind, p := found[2], usual
		if strings.HasPrefix(kind, "sandbox.webhook.") {
			continue // about subscriptions, to which nobody can subscribe
		}
		tried++
		if kind == "sandbox.expiring" {
			p = ending
		}
		command := brought.FindStringSubmatch(page(t, p, "/docs/events/"+kind+".md"))
		if command == nil {
			t.Errorf("the page of %s does not say how to bring it about", kind)
			continue
		}
		if !chosen(tried, 4) {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := p.Sandbox(t, platentest.Options{Preset: command[1], Seed: new(int64(7)), Clock: "manual"})
			c := client.New(s.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey})
			r := newReceiver(t)
			hook, err := c.CreateWebhook(t.Context(), client.CreateWebhookInput{
				URL: r.URL, Events: []client.EventType{client.EventType(kind)},
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.TestWebhook(t.Context(), hook.ID); err != nil {
				t.Fatal(err)
			}
			status, err := c.GetSandbox(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			said := run(t, "PLATEN_OFFICE_KEY="+s.OfficeKey+"\nPLATEN_FACTORY_KEY="+s.FactoryKey+"\n"+command[2]+"\n")
			events := feedOf(t, s, kind, status.LastSeq)
			if len(events) == 0 {
				t.Fatalf("there is none after %s, which answers %.2000s", command[2], said)
			}
			for _, e := range events {
				delete(e, "seq")
				id, _ := e["id"].(string)
				again := get(t, s, "/events/"+id)
				delete(again, "seq")
				if !reflect.DeepEqual(again, e) {
					t.Errorf("by its id it is\n%v\nin the feed\n%v", again, e)
				}
				testclient.Eventually(t, "the delivery of "+id, time.Minute, func() bool { return r.got(id) != nil })
				if got := r.got(id); got["truncated"] == nil && !reflect.DeepEqual(got, e) {
					t.Errorf("at the receiver it is\n%v\nin the feed\n%v", got, e)
				}
			}
		})
	}
	if tried != 50 {
		t.Errorf("there are pages of %d types", tried)
	}
}

// feedOf are the events of a type after a number.
func feedOf(t *testing.T, s *platentest.Sandbox, kind string, after uint64) []map[string]any {
	t.Helper()
	data := get(t, s, "/events?limit=100&types="+kind)
	items, _ := data["items"].([]any)
	var found []map[string]any
	for _, item := range items {
		e, _ := item.(map[string]any)
		if seq, _ := e["seq"].(float64); uint64(seq) > after {
			found = append(found, e)
		}
	}
	return found
}

// get reads the data of a path.
func get(t *testing.T, s *platentest.Sandbox, path string) map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.BaseURL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.OfficeKey)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var envelope struct{ Data map[string]any }
	if err := json.NewDecoder(response.Body).Decode(&envelope); err != nil || envelope.Data == nil {
		t.Fatalf("GET %s: %d %v", path, response.StatusCode, err)
	}
	return envelope.Data
}

// webhookReceiver keeps what is delivered, by the id of the event.
type webhookReceiver struct {
	*httptest.Server

	mu     sync.Mutex // guards bodies
	bodies map[string]map[string]any
}

func newReceiver(t *testing.T) *webhookReceiver {
	t.Helper()
	r := &webhookReceiver{bodies: map[string]map[string]any{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		raw, err := io.ReadAll(request.Body)
		var body map[string]any
		if err != nil || json.Unmarshal(raw, &body) != nil {
			t.Errorf("a delivery is %q, %v", raw, err)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies[strings.Clone(request.Header.Get("webhook-id"))] = body
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *webhookReceiver) got(id string) map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bodies[id]
}
