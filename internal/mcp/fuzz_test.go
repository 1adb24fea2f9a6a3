package mcp_test

import (
	"encoding/json"
	"net/http"
	"testing"
)

// FuzzPost feeds the endpoint bodies of a client with a key: whatever they are,
// the answer is JSON or none, and never a failure of ours.
func FuzzPost(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":"a","method":"tools/call",` +
			`"params":{"name":"office_list","arguments":{"resource":"sales_orders","limit":3}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"office_create_purchase_order",` +
			`"arguments":{"supplier_id":"s","lines":[{"sku":"x","quantity":1}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_operation",` +
			`"arguments":{"operation":"update_webhook","id":"x","body":"{}","query":"%zz"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"play_mission",` +
			`"arguments":{"mission":"first_call"}}}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt",` +
			`"name":"play_mission"},"argument":{"name":"mission","value":"f"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"platen://docs/errors"}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `null`, `[]`, `{"id":{}}`, "\xff",
	} {
		f.Add(seed, "2025-11-25")
		f.Add(seed, "2025-03-26")
	}
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/list",`+
		`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, "2026-07-28")
	e := open(f, &door{})
	f.Fuzz(func(t *testing.T, body, revision string) {
		w := post(t, e, "/mcp", body, "Mcp-Protocol-Version", revision)
		if w.Code >= http.StatusInternalServerError {
			t.Fatalf("%q is answered %d %s", body, w.Code, w.Body)
		}
		if n := w.Body.Len(); n > 0 && w.Header().Get("Content-Type") == "application/json" &&
			!json.Valid(w.Body.Bytes()) {
			t.Fatalf("%q is answered %q", body, w.Body)
		}
		if w.Code >= http.StatusBadRequest && w.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("%q is refused as %s", body, w.Header().Get("Content-Type"))
		}
	})
}
