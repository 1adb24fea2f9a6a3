package api_test

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/internal/api"
	"platen/internal/operation"
	"platen/internal/publish/docsite"
	"platen/internal/publish/openapi"
	"platen/internal/words/wire"
)

// going is the table in which some operations are to go.
func going(d *operation.Deprecation, ids ...string) []operation.Operation {
	table := operation.Table()
	for i := range table {
		if slices.Contains(ids, table[i].ID) {
			table[i].Deprecated = d
		}
	}
	return table
}

func announced() *operation.Deprecation {
	return &operation.Deprecation{
		Since: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), Sunset: time.Date(2026, 12, 30, 0, 0, 0, 0, time.UTC),
		Instead: "Read /missions instead.",
	}
}

func TestAnOperationThatIsToGoSaysSoInEveryAnswer(t *testing.T) {
	t.Parallel()
	s := start(t)
	n := s.create(`{"clock":"manual"}`)
	handler, err := api.New(api.Options{
		Registry: s.registry, Origin: "http://platen.test", Log: slog.New(slog.DiscardHandler),
	}, going(announced(), "get_sandbox", "list_sales_orders", "advance_time"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	n = &tenant{
		service: &service{t: t, url: server.URL, clock: s.clock, registry: s.registry, log: s.log}, office: n.office,
		factory: n.factory,
	}
	for _, a := range []struct {
		answer *answer
		id     string
	}{
		{n.call("GET", "/v1/sandbox", n.office, "").want(200, ""), "get_sandbox"},
		{n.call("GET", "/v1/sandbox", "", "").want(401, "unauthorized"), "get_sandbox"},
		{n.call("GET", "/v1/office/sales-orders?limit=1", n.office, "").want(200, ""), "list_sales_orders"},
		{n.call("GET", "/v1/office/sales-orders.csv", n.office, "").want(200, ""), "list_sales_orders"},
		{n.call("GET", "/v1/office/sales-orders", n.factory, "").want(403, "wrong_system"), "list_sales_orders"},
		{n.call("POST", "/v1/sandbox/tick", n.office, `{"minutes":0}`).want(422, "validation_failed"), "advance_time"},
		{n.call("POST", "/v1/sandbox/tick", n.office, `{"minutes":1}`).want(200, ""), "advance_time"},
		{n.call("GET", "/v1/missions", n.office, "").want(200, ""), ""},
		{n.call("POST", "/v1/sandbox", n.office, "").want(405, "method_not_allowed"), ""},
	} {
		h := a.answer.Header
		links := strings.Join(h.Values("Link"), ", ")
		if a.id == "" {
			if h.Get("Deprecation")+h.Get("Sunset") != "" || strings.Contains(links, "deprecation") {
				t.Errorf("an operation that stays has the headers %v", h)
			}
			continue
		}
		if h.Get("Deprecation") != "@1790812800" || h.Get("Sunset") != "Wed, 30 Dec 2026 00:00:00 GMT" ||
			!strings.Contains(links, `<http://platen.test/docs/api/`+a.id+`>; rel="deprecation"`) {
			t.Errorf("%s: the headers are %v", a.id, h)
		}
		if a.id == "list_sales_orders" && a.answer.Status == 200 && a.answer.Body != nil &&
			!strings.Contains(links, `rel="next"`) {
			t.Errorf("the next page is lost: %q", links)
		}
	}
}

func TestAnOperationThatIsToGoSaysSoInTheDocuments(t *testing.T) {
	t.Parallel()
	table := going(announced(), "get_sandbox")
	raw, err := openapi.Document(table, "http://platen.test/v1", wire.Version)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Description string
			Deprecated  bool
		}
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	const sentence = "Deprecated since 2026-10-01; it may be gone from 2026-12-30 on. Read /missions instead."
	for path, methods := range document.Paths {
		for _, o := range methods {
			if going := o.OperationID == "get_sandbox"; o.Deprecated != going ||
				strings.Contains(o.Description, sentence) != going {
				t.Errorf("%s is deprecated: %t, %q", path, o.Deprecated, o.Description)
			}
		}
	}
	file, _, err := docsite.New(docsite.Options{
		Origin: "http://platen.test", Asset: func(name string) string { return "/" + name }, Operations: table,
	}).File("/docs/api/get_sandbox")
	if err != nil {
		t.Fatal(err)
	}
	if page := string(file.Body); strings.Count(page, sentence) != 1 {
		t.Errorf("the page says so %d times", strings.Count(page, sentence))
	}
}

func TestAnAnnouncementThatComesTooLateIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, change := range map[string]func(*operation.Deprecation){
		"a day too late":     func(d *operation.Deprecation) { d.Sunset = d.Sunset.Add(-24 * time.Hour) },
		"the wrong way":      func(d *operation.Deprecation) { d.Sunset, d.Since = d.Since, d.Sunset },
		"nothing instead":    func(d *operation.Deprecation) { d.Instead = "" },
		"no day of going":    func(d *operation.Deprecation) { d.Sunset = time.Time{} },
		"no day of the word": func(d *operation.Deprecation) { d.Since = d.Sunset },
	} {
		d := announced()
		change(d)
		if _, err := api.New(api.Options{Registry: s.registry, Log: slog.New(slog.DiscardHandler)},
			going(d, "get_sandbox")); err == nil || !strings.Contains(err.Error(), "get_sandbox") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
