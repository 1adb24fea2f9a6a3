package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/operation/schema"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/share"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestSchemasOfRowsAndEventsAreAsOnFile(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]any{
		"office_sales_order":             office.SalesOrder{},
		"factory_print_run":              factory.PrintRun{},
		"sales_order_expired_data":       event.SalesOrderExpiredData{},
		"print_run_started_data":         event.PrintRunStartedData{},
		"customer_invoice_overdue_data":  event.CustomerInvoiceOverdueData{},
		"office_shipment_with_its_parts": office.Shipment{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := schema.New()
			r.Ref(reflect.TypeOf(row))
			golden(t, name, r.Schemas())
		})
	}
}

func TestSchemaOfAnInputIsAsOnFile(t *testing.T) {
	t.Parallel()
	r := schema.New()
	for _, of := range []reflect.Type{
		reflect.TypeFor[createSandbox](), reflect.TypeFor[startPrintRun](), reflect.TypeFor[placeOrder](),
	} {
		mustInput(t, r, of)
	}
	golden(t, "inputs", r.Schemas())
}

func golden(t *testing.T, name string, got any) {
	t.Helper()
	b, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, want) {
		t.Errorf("%s differs; run with -update and read the diff:\n%s", file, cmp.Diff(string(want), string(b)))
	}
}

func TestTypesOfEqualNameGetComponentsOfTheirOwn(t *testing.T) {
	t.Parallel()
	r := schema.New()
	for of, want := range map[reflect.Type]string{
		reflect.TypeFor[office.Shipment]():       "OfficeShipment",
		reflect.TypeFor[factory.Shipment]():      "FactoryShipment",
		reflect.TypeFor[office.SalesOrder]():     "OfficeSalesOrder",
		reflect.TypeFor[event.Change]():          "Change",
		reflect.TypeFor[page[office.Shipment]](): "PageOfficeShipment",
		reflect.TypeFor[page[[]placeOrder]]():    "PagePlaceOrder",
	} {
		if got := r.Ref(of).Ref; got != "#/components/schemas/"+want {
			t.Errorf("%s is named %q, want %q", of, got, want)
		}
	}
}

func TestABodyIsNamedForItsTypeAlone(t *testing.T) {
	t.Parallel()
	r := schema.New()
	for of, want := range map[reflect.Type]string{
		reflect.TypeFor[office.CreateRequisition](): "CreateRequisition",
		reflect.TypeFor[factory.CreateWorkOrder]():  "CreateWorkOrder",
	} {
		in, err := schema.NewInput(r, of)
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Ref().Ref; got != "#/components/schemas/"+want {
			t.Errorf("%s is named %q, want %q", of, got, want)
		}
	}
}

type page[T any] struct {
	Items []T `json:"items"`
}

type inner struct {
	Name string `json:"name"`
}

type Base struct {
	ID string `json:"id"`
}

type output struct {
	Base
	inner    `json:"-"`
	Instant  moment.Instant  `json:"instant"`
	Date     *moment.Date    `json:"date"`
	Minor    money.Minor     `json:"minor"`
	PerCent  *share.PerCent  `json:"per_cent"`
	PPM      share.PPM       `json:"ppm"`
	Text     *string         `json:"text" enum:"a,b" doc:"One of two."`
	Omitted  *string         `json:"omitted,omitzero" enum:"a,b"`
	Object   inner           `json:"object"`
	Maybe    *inner          `json:"maybe"`
	Rarely   *inner          `json:"rarely,omitempty"`
	List     []inner         `json:"list"`
	MayList  *[]string       `json:"may_list"`
	Map      map[string]int  `json:"map"`
	Free     jsontext.Value  `json:"free"`
	Nested   struct{ A int } `json:"nested"`
	Self     *output         `json:"self"`
	unsent   int
	Excluded int `json:"-"`
}

func TestOutputsAreDescribedAsTheyAreSent(t *testing.T) {
	t.Parallel()
	_ = output{unsent: 1}
	r := schema.New()
	r.Ref(reflect.TypeFor[output]())
	s := r.Schemas()["Output"]
	for name, want := range map[string]string{
		"instant":  `{"format":"date-time","type":"string"}`,
		"date":     `{"format":"date","type":["string","null"]}`,
		"minor":    `{"format":"int64","type":"integer"}`,
		"per_cent": `{"type":["number","null"]}`,
		"ppm":      `{"type":"number"}`,
		"text":     `{"description":"One of two.","enum":["a","b",null],"type":["string","null"]}`,
		"omitted":  `{"enum":["a","b"],"type":"string"}`,
		"object":   `{"$ref":"#/components/schemas/Inner"}`,
		"maybe":    `{"anyOf":[{"$ref":"#/components/schemas/Inner"},{"type":"null"}]}`,
		"rarely":   `{"$ref":"#/components/schemas/Inner"}`,
		"list":     `{"items":{"$ref":"#/components/schemas/Inner"},"type":"array"}`,
		"may_list": `{"items":{"type":"string"},"type":["array","null"]}`,
		"map":      `{"additionalProperties":{"type":"integer"},"type":"object"}`,
		"free":     `{}`,
		"nested":   `{"properties":{"A":{"type":"integer"}},"required":["A"],"type":"object"}`,
		"self":     `{"anyOf":[{"$ref":"#/components/schemas/Output"},{"type":"null"}]}`,
	} {
		got, err := json.Marshal(s.Properties[name])
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s (%v), want %s", name, got, err, want)
		}
	}
	required := []string{
		"id", "instant", "date", "minor", "per_cent", "ppm", "text", "object", "maybe", "list", "may_list", "map",
		"free", "nested", "self",
	}
	if diff := cmp.Diff(required, s.Required); diff != "" {
		t.Errorf("required differs (-want +got):\n%s", diff)
	}
	if s.AdditionalProperties != nil {
		t.Errorf("outputs forbid additional properties: %v", s.AdditionalProperties)
	}
}

func TestRegistryFitsIntoAnOpenAPIDocument(t *testing.T) {
	t.Parallel()
	r := schema.New()
	r.Ref(reflect.TypeFor[inner]())
	got, err := json.Marshal(&huma.Components{Schemas: r.Huma()})
	want := `{"schemas":{"Inner":{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"}}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
}

func TestAWrongStructIsFoundWhenTheProgramStarts(t *testing.T) {
	t.Parallel()
	type badTag struct {
		A int64 `json:"a" minimum:"few"`
	}
	type unenforced struct {
		A int64 `json:"a" multipleOf:"3"`
	}
	type inexact struct {
		A int64 `json:"a" maximum:"9007199254740993"`
	}
	type unbounded struct {
		A share.PPM `json:"a"`
	}
	type anything struct {
		A any `json:"a"`
	}
	type small struct {
		A int8 `json:"a"`
	}
	type email struct {
		A string `json:"a" format:"email"`
	}
	type nullableObject struct {
		A *inner `json:"a" nullable:"true"`
	}
	type tree struct {
		Children []tree `json:"children"`
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[badTag](), reflect.TypeFor[unenforced](), reflect.TypeFor[inexact](),
		reflect.TypeFor[unbounded](), reflect.TypeFor[anything](), reflect.TypeFor[small](),
		reflect.TypeFor[email](), reflect.TypeFor[nullableObject](),
		reflect.TypeFor[tree](), reflect.TypeFor[int](),
	} {
		if _, err := schema.NewInput(schema.New(), of); err == nil {
			t.Errorf("%s compiles", of)
		}
	}
}

func TestATypeIsEitherAnInputOrAnOutput(t *testing.T) {
	t.Parallel()
	r := schema.New()
	r.Ref(reflect.TypeFor[orderLine]())
	if _, err := schema.NewInput(r, reflect.TypeFor[placeOrder]()); err == nil {
		t.Error("an output's type was taken for an input")
	}
}
