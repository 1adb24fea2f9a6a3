package server

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/publish/openapi"
	"platen/internal/sandbox"
	"platen/internal/words/event"
	"platen/internal/words/wire"
	"platen/test/testclient"
)

// Weather is the data of an operation that only this test knows.
type Weather struct {
	Sky string `json:"sky" enum:"clear,cloudy" doc:"The sky over the press hall."`
}

// TestARowOfTheTableIsFoundEverywhere adds an operation and a filter to the
// table of a server, and to nothing else.
func TestARowOfTheTableIsFoundEverywhere(t *testing.T) {
	t.Parallel()
	table := append(operation.Table(), operation.Operation{
		ID: "get_weather", Kind: operation.Object, Method: http.MethodGet, Path: "/sandbox/weather",
		System: operation.Shared, Key: operation.KeyNone, Status: http.StatusOK, Summary: "Read the weather",
		Out:  reflect.TypeFor[Weather](),
		Read: func(r *operation.Reading) (*sandbox.View, any, error) { return r.View, Weather{Sky: "clear"}, nil },
	})
	i := slices.IndexFunc(table, func(op operation.Operation) bool { return op.ID == "list_customer_invoices" })
	table[i].Filters = append(slices.Clone(table[i].Filters), "due_date")
	table[i].Dates = []string{"due_date"}
	s := unstarted(t, slog.DiscardHandler)
	s.table = table
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	company := create(t, s)

	got := fetch(t, http.MethodGet, s.BaseURL()+"/sandbox/weather", company.OfficeKey, "")
	if !strings.Contains(got, `"sky":"clear"`) {
		t.Errorf("the API says %s", got)
	}
	got = fetch(t, http.MethodGet, s.BaseURL()+"/office/customer-invoices?due_date=soon", company.OfficeKey, "")
	if !strings.Contains(got, "invalid_parameter") || !strings.Contains(got, "due_date must be a date") {
		t.Errorf("a wrong filter gets %s", got)
	}

	document, err := openapi.Document(table, s.BaseURL(), wire.Version)
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Parameters  []struct {
				Name   string
				Schema struct{ Format string }
			}
		}
	}
	if err := json.Unmarshal(document, &api); err != nil {
		t.Fatal(err)
	}
	if id := api.Paths["/sandbox/weather"]["get"].OperationID; id != "get_weather" {
		t.Errorf("the OpenAPI document has %q at the new path", id)
	}
	described := false
	for _, p := range api.Paths["/office/customer-invoices"]["get"].Parameters {
		described = described || p.Name == "due_date" && p.Schema.Format == "date"
	}
	if !described {
		t.Error("the OpenAPI document does not have the new filter")
	}

	for path, want := range map[string]string{
		"/docs/api/get_weather":            "The sky over the press hall.",
		"/docs/api/list_customer_invoices": "due_date",
		"/docs/search?q=weather":           "/docs/api/get_weather",
	} {
		if page := fetch(t, http.MethodGet, s.Origin()+path, "", ""); !strings.Contains(page, want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}

	tools := fetch(t, http.MethodPost, s.Origin()+"/mcp", company.OfficeKey,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.Contains(tools, `"due_date":{"type":"string","description":"For customer_invoices."}`) {
		t.Error("no tool of agents has the new filter")
	}
	found := fetch(t, http.MethodPost, s.Origin()+"/mcp", company.OfficeKey, `{"jsonrpc":"2.0","id":1,`+
		`"method":"tools/call","params":{"name":"search_operations","arguments":{"query":"weather"}}}`)
	if !strings.Contains(found, "GET /sandbox/weather") {
		t.Errorf("agents do not find the new operation: %.400s", found)
	}
}

// TestAnEventTypeOfTheCatalogueIsFoundEverywhere asks for each of them.
func TestAnEventTypeOfTheCatalogueIsFoundEverywhere(t *testing.T) {
	t.Parallel()
	s := shared()
	company := create(t, s)
	document, err := OpenAPI(s.Origin(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range event.Catalogue() {
		kind := string(d.Type)
		feed := fetch(t, http.MethodGet, s.BaseURL()+"/events?types="+kind, company.OfficeKey, "")
		if !strings.Contains(feed, `"items":`) {
			t.Errorf("the feed of %s is %s", kind, feed)
		}
		page := fetch(t, http.MethodGet, s.Origin()+"/docs/events/"+kind+".md", "", "")
		if !strings.Contains(page, "# `"+kind+"`\n") || !strings.Contains(page, "`links.self`") {
			t.Errorf("the page of %s is %.300s", kind, page)
		}
		if !strings.Contains(string(document), `"`+kind+`"`) {
			t.Errorf("the OpenAPI document does not have %s", kind)
		}
	}
}

// fetch returns the body of a response. A body of its own is sent as JSON.
func fetch(t *testing.T, method, url, key, body string) string {
	t.Helper()
	accepted := "application/json, text/event-stream, text/html;q=0.9, */*;q=0.8"
	r := testclient.Request{Method: method, URL: url, Key: key, Body: body, Headers: []string{"Accept", accepted}}
	return string(r.Send(t).Raw)
}

// created is a new sandbox.
type created struct {
	OfficeKey string `json:"office_key"`
}

func create(t *testing.T, s *Server) created {
	t.Helper()
	var envelope struct{ Data created }
	if err := json.Unmarshal([]byte(fetch(t, http.MethodPost, s.BaseURL()+"/sandboxes", "", "{}")),
		&envelope); err != nil {
		t.Fatal(err)
	}
	return envelope.Data
}
