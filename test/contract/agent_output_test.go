package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestToolsDeclareTheFormOfTheirResults at an address that asks for it: each result fits, and another form does not.
func TestToolsDeclareTheFormOfTheirResults(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.OUTPUT")
	n := shared.create(t, `{"preset":"manual","clock":"manual","seed":5}`)
	a := shared.agent(t, n.office)
	for _, tool := range child(t, a.rpc("tools/list", "{}").Body, "result")["tools"].([]any) {
		if tool.(object)["outputSchema"] != nil {
			t.Errorf("%s declares its results where nobody asked", text(tool.(object), "name"))
		}
	}
	a.path = "/mcp?structured=typed"
	forms := map[string]*jsonschema.Schema{}
	for _, tool := range child(t, a.rpc("tools/list", "{}").Body, "result")["tools"].([]any) {
		name := text(tool.(object), "name")
		declared, ok := tool.(object)["outputSchema"]
		if !ok {
			continue
		}
		raw, err := jsonschema.UnmarshalJSON(strings.NewReader(encode(t, declared)))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("https://platen.example/"+name, raw); err != nil {
			t.Fatal(err)
		}
		if forms[name], err = compiler.Compile("https://platen.example/" + name); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	order := n.all("/office/sales-orders?status=received")[0]
	for _, c := range []struct{ tool, arguments string }{
		{"office_answer_sales_order", `{"id":"` + text(order, "id") + `","answer":"accept"}`},
		{"factory_create_work_order", `{"sku":"prd_notebook","quantity":1}`},
		{"office_trade_market", `{"side":"buy","sku":"mat_board","quantity":100}`},
	} {
		if forms[c.tool] == nil {
			t.Errorf("%s declares no results", c.tool)
			continue
		}
		result := child(t, a.rpc("tools/call", `{"name":"`+c.tool+`","arguments":`+c.arguments+`}`).Body, "result")
		structured, err := jsonschema.UnmarshalJSON(strings.NewReader(encode(t, result["structuredContent"])))
		if err != nil {
			t.Fatal(err)
		}
		if err := forms[c.tool].Validate(structured); err != nil || result["isError"] == true {
			t.Errorf("%s returned %v, which does not fit: %v", c.tool, result, err)
		}
		other := structured.(map[string]any)
		other["data"].(map[string]any)["a_field_of_tomorrow"] = true
		if err := forms[c.tool].Validate(other); err != nil {
			t.Errorf("%s does not allow a field of tomorrow: %v", c.tool, err)
		}
		other["data"].(map[string]any)["id"] = json.Number("7")
		if err := forms[c.tool].Validate(other); err == nil {
			t.Errorf("%s takes a number as an id", c.tool)
		}
	}
	if len(forms) < 10 {
		t.Errorf("%d tools declare their results", len(forms))
	}
}
